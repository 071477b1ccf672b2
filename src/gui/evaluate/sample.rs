//! The sample run on the page of evaluations: what its scores mean.

use egui::{Align, Frame, Layout, Margin, RichText, Ui};

use crate::theme::{Palette, primary, semibold};
use crate::training::percent;
use canopy_app::training::Sample;
use canopy_app::{Command, EvaluateCommand};

const HEADINGS: [&str; 2] = ["sentence by sentence", "with the whole document"];

pub(super) fn sample_ui(ui: &mut Ui, sample: &Sample, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    Frame::NONE
        .fill(palette.selected)
        .corner_radius(10)
        .inner_margin(Margin::symmetric(16, 12))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                for (nouns, heading) in sample.nouns.iter().zip(HEADINGS) {
                    ui.label(
                        RichText::new(percent(nouns))
                            .font(semibold(24.0))
                            .color(palette.strong),
                    );
                    let text = format!("of {} nouns right\n{heading}", nouns.all);
                    ui.label(RichText::new(text).size(12.5).color(palette.text));
                    ui.add_space(18.0);
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let Some(segment) = sample.telling else {
                        return;
                    };
                    let button = ui.add(primary(ui, "See what it read"));
                    let about = "Opens the tale that it gained most in, with the noun and the sentences that it looked at";
                    if button.on_hover_text(about).clicked() {
                        let trace = EvaluateCommand::Trace(segment);
                        commands.push(Command::Evaluate(trace));
                    }
                });
            });
            ui.add_space(4.0);
            let text = "A made-up language: nouns end in -a, -o or -i by a title that stands in another sentence, so that a \
                        sentence alone leaves a guess, right in one of three. Look at Sentences to see where the two differ.";
            ui.label(RichText::new(text).color(palette.text));
        });
    ui.add_space(10.0);
}
