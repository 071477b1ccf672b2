//! The question over a document that was worked on under another path: whether that work is taken over.

use egui::{Align, Label, Layout, RichText, Ui};

use super::theme::{self, Palette};
use canopy_app::{Command, DocumentCommand, MovedWork};

const TWO_LINES: f32 = 38.0;

/// Says where the work is and how many of the document's `count` sentences it covers.
pub(crate) fn moved_work_ui(
    ui: &mut Ui,
    moved_work: &MovedWork,
    count: usize,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let MovedWork { project, fitting } = moved_work;
    let place = project.document.display();
    let text = format!("This document was worked on as {place}");
    let covered = format!("It has translations of {fitting} of {count} sentences.");
    ui.horizontal(|ui| {
        ui.set_min_height(TWO_LINES);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let leave = ui.button("Ignore");
            if leave.on_hover_text("Start over here").clicked() {
                commands.push(DocumentCommand::LeaveMovedWork.into());
            }
            if ui
                .add(theme::primary(ui, "Use these translations"))
                .clicked()
            {
                commands.push(DocumentCommand::TakeOver.into());
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
