//! The form of a new run.

mod advanced;
mod choosing;
mod summary;

use std::path::{Path, PathBuf};

use egui::{ComboBox, RichText, ScrollArea, Ui, UiBuilder, vec2};

use self::summary::summary_ui;
use super::caption;
use super::fields::Field;
use crate::menu::file_name;
use crate::theme::Palette;
use canopy_app::training::{NewRun, Probe, Problem, TrainingCommand};
use canopy_app::{AppState, Command};
use canopy_train::TrainingConfig;

const LABEL: f32 = 150.0;

const CONTROL: f32 = 300.0;

const SUMMARY: f32 = 330.0;

/// Why a field cannot be changed.
const FIXED: &str = "A resumed run keeps its settings. Start another run for other ones.";

pub(super) fn new_run_ui(
    ui: &mut Ui,
    state: &AppState,
    form: &NewRun,
    commands: &mut Vec<Command>,
) {
    let mut filled = form.clone();
    let problem = state.training.run_problem(&state.shared);
    let area = ui.available_rect_before_wrap().shrink2(vec2(28.0, 0.0));
    let side = egui::Rect::from_min_max(
        egui::pos2((area.right() - SUMMARY).max(area.left()), area.top() + 22.0),
        area.max,
    );
    let main = egui::Rect::from_min_max(area.min, egui::pos2(side.left() - 28.0, area.bottom()));
    ui.scope_builder(UiBuilder::new().max_rect(main), |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.add_space(18.0);
            ui.heading("New training run");
            ui.add_space(10.0);
            let form = &mut Form {
                state,
                filled: &mut filled,
                problem: problem.as_ref(),
                commands,
            };
            form.ways_ui(ui);
            form.system_ui(ui);
            caption(ui, "How long");
            form.fields_ui(ui, Field::is_common);
            form.advanced_ui(ui);
            ui.add_space(30.0);
        });
    });
    ui.scope_builder(UiBuilder::new().max_rect(side), |ui| {
        summary_ui(ui, &filled, problem.as_ref(), commands);
    });
    if filled != *form {
        commands.push(Command::Training(TrainingCommand::Fill(Box::new(filled))));
    }
}

pub(super) struct Form<'a> {
    pub state: &'a AppState,
    pub filled: &'a mut NewRun,
    problem: Option<&'a Problem>,
    pub commands: &'a mut Vec<Command>,
}

impl Form<'_> {
    /// A label, a control, and below it what it means or what is wrong with it.
    pub(super) fn row_ui(
        &mut self,
        ui: &mut Ui,
        field: &str,
        label: &str,
        explanation: &str,
        control: impl FnOnce(&mut Self, &mut Ui),
    ) {
        let palette = Palette::from_ui(ui);
        ui.horizontal(|ui| {
            let (place, _) = ui.allocate_exact_size(vec2(LABEL, 28.0), egui::Sense::hover());
            let text = egui::pos2(place.left(), place.center().y);
            let font = egui::FontId::proportional(13.5);
            ui.painter()
                .text(text, egui::Align2::LEFT_CENTER, label, font, palette.text);
            let is_fixed = self.filled.is_fixed(field);
            let shown = ui.add_enabled_ui(!is_fixed, |ui| control(self, ui));
            if is_fixed {
                let id = ui.scope_id().with(field);
                let cover = ui.interact(shown.response.rect, id, egui::Sense::hover());
                cover.on_hover_text(FIXED);
            }
        });
        let problem = self.problem.filter(|problem| problem.field == field);
        let (note, color) = match problem {
            Some(problem) => (problem.message.as_str(), palette.error),
            None => (explanation, palette.weak),
        };
        let mut place = ui.available_rect_before_wrap();
        place.min.x += LABEL + ui.spacing().item_spacing.x;
        place.min.y -= 4.0;
        ui.scope_builder(UiBuilder::new().max_rect(place), |ui| {
            ui.label(RichText::new(note).size(12.0).color(color));
        });
        ui.add_space(9.0);
    }

    /// A row whose control is a checkbox.
    pub(super) fn switch_ui(
        &mut self,
        ui: &mut Ui,
        field: &str,
        label: &str,
        explanation: &str,
        of: fn(&mut TrainingConfig) -> &mut bool,
    ) {
        self.row_ui(ui, field, label, explanation, |form, ui| {
            let checkbox = ui.checkbox(of(&mut form.filled.config), "");
            if checkbox.accessible_name(label).changed() {
                form.filled.probe = Probe::None;
            }
        });
    }
}

/// Folders by their own names.
pub(super) fn by_name(folders: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let folders = folders.iter();
    folders
        .map(|folder| (folder.clone(), file_name(folder)))
        .collect()
}

/// A choice among folders with their names.
pub(super) fn folder_box(
    ui: &mut Ui,
    label: &str,
    current: &Path,
    folders: &[(PathBuf, String)],
    chosen: &mut Option<PathBuf>,
) {
    let known = folders.iter().find(|(folder, _)| folder == current);
    let text = match known {
        Some((_, name)) => name.clone(),
        None if current.as_os_str().is_empty() => "none".to_owned(),
        None => file_name(current),
    };
    let response = ComboBox::from_id_salt(label)
        .width(200.0)
        .selected_text(text)
        .show_ui(ui, |ui| {
            for (folder, name) in folders {
                let entry = ui.selectable_label(folder == current, name);
                if entry.on_hover_text(folder.display().to_string()).clicked() {
                    *chosen = Some(folder.clone());
                }
            }
        });
    response
        .response
        .accessible_name(label)
        .on_hover_text(current.display().to_string());
}
