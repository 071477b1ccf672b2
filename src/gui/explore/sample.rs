//! Hints for reading a trace of the sample run.

use egui::{Frame, Margin, RichText, Ui};

use crate::theme::{Palette, RADIUS};
use canopy_app::AppState;
use canopy_app::explorer::DecidedNoun;

pub(super) fn hint_ui(ui: &mut Ui, state: &AppState) {
    if !state.explorer.inquiry.is_sample(&state.models) {
        return;
    }
    let text = match state.explorer.decided_noun(&state.models) {
        Some(noun) => description(&noun),
        None => "A sentence that introduces an animal decides nothing itself. Choose one that mentions it, such as \u{201C}the hedgehog\u{201D}."
            .to_owned(),
    };
    let palette = Palette::from_ui(ui);
    Frame::NONE
        .fill(palette.selected)
        .corner_radius(RADIUS)
        .inner_margin(Margin::symmetric(12, 6))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(text).color(palette.text));
        });
    ui.add_space(4.0);
}

fn description(noun: &DecidedNoun) -> String {
    let DecidedNoun {
        noun,
        decider,
        text,
        weight,
    } = noun;
    let looked = match weight {
        Some(weight) if *weight >= 0.005 => {
            format!(
                "This head gave it {:.0} % of its attention: it glows.",
                100.0 * weight
            )
        }
        Some(_) => "This head did not look there; another one may.".to_owned(),
        None => String::new(),
    };
    format!(
        "The ending of \u{201C}{noun}\u{201D} follows from a title in another sentence, here sentence {}: \u{201C}{text}\u{201D} {looked}",
        decider + 1
    )
}
