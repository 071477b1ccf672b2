//! The question over a document that was worked on under another path: whether that work is taken over.

use egui::{Align, Label, Layout, RichText, Ui};

use super::theme::{self, Palette};
use canopy_app::{Command, WorkElsewhere};

const TWO_LINES: f32 = 38.0;

/// Says where the work lies and how much of the document's `count` sentences it covers.
pub fn elsewhere_ui(
    ui: &mut Ui,
    elsewhere: &WorkElsewhere,
    count: usize,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let WorkElsewhere { project, fitting } = elsewhere;
    let place = project.document.display();
    let text = format!("This document was worked on as {place}");
    let covered = format!("Translations of {fitting} of {count} sentences are there.");
    ui.horizontal(|ui| {
        ui.set_min_height(TWO_LINES);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let leave = ui.button("Ignore");
            if leave.on_hover_text("Begin anew here").clicked() {
                commands.push(Command::LeaveElsewhere);
            }
            if ui
                .add(theme::primary(ui, "Use these translations"))
                .clicked()
            {
                commands.push(Command::TakeOver);
            }
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                let text = RichText::new(text).color(palette.strong);
                ui.add(Label::new(text).truncate());
                let covered = RichText::new(covered).color(palette.weak);
                ui.add(Label::new(covered).truncate());
            });
        });
    });
}
