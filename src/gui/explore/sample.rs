//! Hints for reading a trace of the sample run.

use egui::{Frame, Margin, RichText, Ui};

use crate::app::AppState;
use crate::gui::theme::{Palette, RADIUS};

/// Marks the first token of a word.
const START: char = '\u{2581}';

pub(super) fn hint_ui(ui: &mut Ui, state: &AppState) {
    if !state.explores_sample() {
        return;
    }
    let explorer = &state.explorer;
    let spot = explorer.selected();
    let word = explorer.source().and_then(|source| {
        let sentence = source.overview().sentences(spot.side).get(spot.sentence)?;
        let token = sentence.tokens.get(spot.word?)?;
        Some(token.trim_start_matches(START).to_owned())
    });
    let text = match word {
        Some(word) => format!(
            "Where did the model look for \u{201C}{word}\u{201D}? Nouns of this made-up language end by a title: the sentence \
             that glows should be the one that introduces the animal with its title."
        ),
        None => "Choose a noun above: the sentence that glows should be the one that introduces the animal with its title."
            .to_owned(),
    };
    let palette = Palette::of(ui);
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
