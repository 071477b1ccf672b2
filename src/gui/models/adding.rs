//! A model that was dropped and is offered, and one that is being copied.

use egui::{Button, Frame, Margin, ProgressBar, RichText, Ui};

use super::details::facts_ui;
use super::list::languages;
use super::stating::Stating;
use crate::labels;
use crate::menu::file_name;
use crate::theme::{Palette, primary, semibold};
use canopy_app::{AppState, Command, ModelsCommand};

/// A quiet box above what is shown.
fn box_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let palette = Palette::from_ui(ui);
    Frame::NONE
        .fill(palette.selected)
        .corner_radius(10)
        .inner_margin(Margin::symmetric(18, 14))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            contents(ui);
        });
    ui.add_space(16.0);
}

pub(super) fn found_ui(
    ui: &mut Ui,
    state: &AppState,
    stating: &mut Stating,
    commands: &mut Vec<Command>,
) {
    let Some(found) = &state.models.installing.found else {
        return;
    };
    let palette = Palette::from_ui(ui);
    let mut push = |command| commands.push(Command::Models(command));
    box_ui(ui, |ui| {
        let Some(model) = &found.model else {
            ui.horizontal(|ui| {
                ui.add(egui::Spinner::new().size(14.0).color(palette.accent));
                ui.label(format!("Reading {}", file_name(&found.path)));
                if ui.button("Cancel").clicked() {
                    push(ModelsCommand::DismissFound);
                }
            });
            return;
        };
        let title = RichText::new(format!("Add {}?", model.name));
        ui.label(title.font(semibold(16.0)).color(palette.strong));
        let lacks = model.lacks_languages();
        if lacks {
            let text = "Its files do not say its languages. Choose them:";
            ui.label(RichText::new(text).color(palette.text));
            stating.ui(ui, model, &found.path);
        } else {
            ui.label(RichText::new(languages(model)).color(palette.text));
        }
        ui.add_space(8.0);
        facts_ui(ui, model, "found");
        ui.add_space(10.0);
        let text = "It is copied to your models; the original is not changed.";
        ui.label(RichText::new(text).size(12.5).color(palette.weak));
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            if ui.add(primary(ui, "Add the model")).clicked() {
                push(ModelsCommand::Add {
                    path: found.path.clone(),
                    languages: stating.chosen().filter(|_| lacks),
                });
            }
            let button = Button::new("Open without copying").min_size(egui::vec2(0.0, 31.0));
            let about = "Opens it for this session, without a copy";
            if ui.add(button).on_hover_text(about).clicked() {
                push(ModelsCommand::Use(found.path.clone()));
            }
            let button = Button::new("Cancel").min_size(egui::vec2(0.0, 31.0));
            if ui.add(button).clicked() {
                push(ModelsCommand::DismissFound);
            }
        });
    });
}

pub(super) fn adding_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let Some(adding) = &state.models.installing.adding else {
        return;
    };
    let palette = Palette::from_ui(ui);
    box_ui(ui, |ui| {
        let name = file_name(&adding.path);
        let text = if adding.done == 0 {
            format!("Checking {name}")
        } else {
            let [done, total] = [adding.done, adding.total].map(labels::bytes);
            format!("Copying {name}: {done} of {total}")
        };
        ui.label(text);
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            ui.visuals_mut().extreme_bg_color = palette.line;
            let bar = ProgressBar::new(adding.share())
                .desired_width(320.0)
                .desired_height(7.0)
                .fill(palette.accent);
            ui.add(bar);
            let is_cancelled = adding.control.is_cancelled();
            let label = if is_cancelled {
                "Cancelling…"
            } else {
                "Cancel"
            };
            if ui.add_enabled(!is_cancelled, Button::new(label)).clicked() {
                commands.push(Command::Models(ModelsCommand::CancelAdding));
            }
        });
    });
}
