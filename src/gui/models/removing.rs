//! The question before a model is removed.

use egui::{Context, Id, RichText};

use crate::labels;
use crate::theme::{self, Palette};
use canopy_app::{AppState, Command, ModelsCommand};

pub(super) fn removing_ui(ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
    let models = &state.models;
    let folder = models.installing.removing.as_deref();
    let Some(model) = folder.and_then(|folder| models.library.get(folder)) else {
        return;
    };
    let mut push = |command| commands.push(Command::Models(command));
    let question = theme::modal(ctx, Id::unique("removing a model")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(440.0);
        ui.heading(format!("Remove {}?", model.name));
        ui.add_space(6.0);
        let origin = model
            .copied_from
            .as_ref()
            .map(|path| format!(" The one in {} stays as it is.", path.display()));
        let text = format!(
            "Its copy of {} in your models is deleted.{}",
            labels::bytes(model.num_bytes),
            origin.unwrap_or_default()
        );
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            if ui.button("Remove the model").clicked() {
                push(ModelsCommand::Remove(model.folder.clone()));
            }
            if ui.button("Keep it").clicked() {
                push(ModelsCommand::Keep);
            }
        });
    });
    if question.should_close() {
        push(ModelsCommand::Keep);
    }
}
