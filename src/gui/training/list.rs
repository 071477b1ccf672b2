//! The list of runs: state, score, progress.

use std::path::{Path, PathBuf};

use egui::{
    Align2, Button, FontId, Rect, Response, RichText, ScrollArea, Sense, TextEdit, Ui, WidgetInfo,
    pos2, vec2,
};

use super::sample::TRY;
use crate::labels;
use crate::menu::file_name;
use crate::theme::{self, Palette};
use crate::typeset;
use canopy_app::jobs::RunSnapshot;
use canopy_app::training::TrainingCommand;
use canopy_app::{AppState, Command};
use canopy_train::RunState;

const ROW_HEIGHT: f32 = 50.0;

/// Which run is being renamed.
#[derive(Default)]
pub(super) struct RunList {
    renaming: Option<(PathBuf, String)>,
}

impl RunList {
    pub(super) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let training = &state.training;
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            if new_run_button(ui).clicked() {
                commands.push(Command::Training(TrainingCommand::NewRun));
            }
            let table = Button::selectable(training.runs.shows_table, "Compare all");
            if ui
                .add_enabled(!training.runs.list.is_empty(), table)
                .on_hover_text("All runs with their settings and scores")
                .clicked()
            {
                let shows = !training.runs.shows_table;
                commands.push(Command::Training(TrainingCommand::ShowTable(shows)));
            }
        });
        ui.add_space(8.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("runs")
            .show(ui, |ui| {
                for run in &training.runs.list {
                    let selected = training.runs.selected.as_ref() == Some(&run.folder)
                        && training.form.is_none()
                        && !training.runs.shows_table;
                    self.row_ui(ui, state, run, selected, commands);
                }
                for waiting in training.runs.waiting() {
                    waiting_ui(ui, &waiting.folder, commands);
                }
                ui.add_space(8.0);
                ui.horizontal(|ui| {
                    ui.add_space(10.0);
                    let button = Button::new("Open a run folder…").frame_when_inactive(false);
                    if ui.add(button).clicked() {
                        commands.push(Command::Training(TrainingCommand::ChooseRun));
                    }
                });
                // Before the first run the page offers it.
                if !training.runs.list.is_empty() {
                    try_ui(ui, commands);
                }
                if let Some((folder, _)) = training.runs.trashed.last() {
                    ui.horizontal(|ui| {
                        ui.add_space(10.0);
                        let label = format!("Bring {} back", file_name(folder));
                        let button = Button::new(label).frame_when_inactive(false);
                        if ui.add(button).clicked() {
                            commands.push(Command::Training(TrainingCommand::Restore));
                        }
                    });
                }
            });
    }

    fn row_ui(
        &mut self,
        ui: &mut Ui,
        state: &AppState,
        run: &RunSnapshot,
        selected: bool,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::click());
        response
            .widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::ListItem, true, run.name()));
        let row = rect.shrink2(vec2(8.0, 1.0));
        if selected || response.contains_pointer() {
            let fill = if selected {
                palette.selected
            } else {
                theme::blend(palette.panel, palette.text, 0.05)
            };
            ui.painter()
                .rect_filled(row, f32::from(theme::RADIUS), fill);
        }
        let (word, color) = state_words(&run.state, &palette);
        let left = row.left() + 24.0;
        ui.painter()
            .circle_filled(pos2(row.left() + 12.0, row.top() + 15.0), 4.0, color);
        let summary = &run.summary;
        let best = summary
            .whole
            .or(summary.best)
            .map_or_else(String::new, |scores| format!("{:.1}", scores.dev_bleu));
        let score = ui.painter().text(
            pos2(row.right() - 8.0, row.top() + 15.0),
            Align2::RIGHT_CENTER,
            best,
            FontId::proportional(12.5),
            palette.weak,
        );
        let place = Rect::from_min_max(
            pos2(left, row.top() + 4.0),
            pos2(score.left() - 6.0, row.top() + 27.0),
        );
        let renamed = self
            .renaming
            .as_mut()
            .filter(|(path, _)| *path == run.folder);
        if let Some((path, name)) = renamed {
            let edit = ui
                .put(
                    place,
                    TextEdit::singleline(name).layouter(&mut typeset::one_line),
                )
                .accessible_name("Name");
            edit.request_focus();
            let escaped = ui.input(|input| input.key_pressed(egui::Key::Escape));
            let entered = ui.input(|input| input.key_pressed(egui::Key::Enter));
            if escaped || entered || edit.clicked_elsewhere() {
                if !escaped && !name.trim().is_empty() && name.trim() != run.name() {
                    let rename = TrainingCommand::Rename(path.clone(), name.trim().to_owned());
                    commands.push(Command::Training(rename));
                }
                self.renaming = None;
            }
        } else {
            let name = RichText::new(run.name()).size(13.5).color(if selected {
                palette.strong
            } else {
                palette.text
            });
            let label = egui::Label::new(name).truncate().selectable(false);
            let mut title = ui.new_child(
                egui::UiBuilder::new()
                    .max_rect(place)
                    .layout(egui::Layout::left_to_right(egui::Align::Center)),
            );
            title.add(label);
        }
        let word = with_halvings(word, summary.halvings);
        let under = pos2(left, row.top() + 36.0);
        ui.painter().text(
            under,
            Align2::LEFT_CENTER,
            word,
            FontId::proportional(12.0),
            palette.weak,
        );
        if let (RunState::Running | RunState::Paused, Some(share)) = (&run.state, summary.share()) {
            let bar = Rect::from_min_max(
                pos2(row.right() - 92.0, under.y - 2.0),
                pos2(row.right() - 8.0, under.y + 2.0),
            );
            ui.painter()
                .rect_filled(bar, 2.0, theme::blend(palette.panel, palette.text, 0.14));
            let done = Rect::from_min_size(bar.min, vec2(bar.width() * share, bar.height()));
            ui.painter().rect_filled(done, 2.0, palette.accent);
        }
        if response.clicked() {
            commands.push(Command::Training(TrainingCommand::Select(
                run.folder.clone(),
            )));
        }
        response.context_menu(|ui| self.menu_ui(ui, state, run, commands));
    }

    fn menu_ui(
        &mut self,
        ui: &mut Ui,
        state: &AppState,
        run: &RunSnapshot,
        commands: &mut Vec<Command>,
    ) {
        let folder = &run.folder;
        let idle = !matches!(run.state, RunState::Running | RunState::Paused);
        let mut item = |ui: &mut Ui, label: &str, enabled: bool, command: TrainingCommand| {
            if ui.add_enabled(enabled, Button::new(label)).clicked() {
                commands.push(Command::Training(command));
            }
        };
        let compared = state.training.runs.compared.contains(folder);
        let label = if compared {
            "No longer draw it over the selected run"
        } else {
            "Draw it over the selected run"
        };
        item(
            ui,
            label,
            true,
            TrainingCommand::Compare(folder.clone(), !compared),
        );
        item(
            ui,
            "Continue its model with other documents…",
            run.has_model,
            TrainingCommand::Continue(folder.clone()),
        );
        item(
            ui,
            "Export the model…",
            run.has_model,
            TrainingCommand::Export(folder.clone()),
        );
        if ui.add_enabled(idle, Button::new("Rename")).clicked() {
            self.renaming = Some((folder.clone(), run.name()));
        }
        item(
            ui,
            "Move to the trash…",
            idle,
            TrainingCommand::AskTrash(folder.clone()),
        );
    }
}

/// A run that begins when those before it have ended.
fn waiting_ui(ui: &mut Ui, folder: &Path, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let name = file_name(folder);
    ui.horizontal(|ui| {
        ui.add_space(32.0);
        ui.label(RichText::new(format!("{name} waits")).color(palette.weak));
        let remove = Button::new("Remove").frame_when_inactive(false);
        if ui
            .add(remove)
            .on_hover_text("Removes it from the queue")
            .clicked()
        {
            let command = TrainingCommand::AskTrash(folder.to_owned());
            commands.push(Command::Training(command));
        }
    });
}

/// Offers the sample run.
fn try_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.add_space(10.0);
        let button = Button::new(TRY).frame_when_inactive(false);
        let command = Command::Training(TrainingCommand::TrySample);
        let hint = labels::explanation(&command).unwrap_or_default();
        if ui.add(button).on_hover_text(hint).clicked() {
            commands.push(command);
        }
    });
}

/// The one button that matters here.
pub(super) fn new_run_button(ui: &mut Ui) -> Response {
    let button = theme::primary(ui, "New run…");
    ui.add(button)
}

/// A state, and which part of its learning rate a run has left after it went back.
fn with_halvings(word: String, halvings: u32) -> String {
    match halvings {
        0 => word,
        1.. => format!("{word}, rate 1/{}", 2_f64.powi(halvings.cast_signed())),
    }
}

/// A state in words, and its colour.
pub(super) fn state_words(state: &RunState, palette: &Palette) -> (String, egui::Color32) {
    use canopy_train::EndReason as End;
    let (words, color) = match state {
        RunState::NeverBegun => ("waiting", palette.weak),
        RunState::Running => ("running", palette.accent),
        RunState::Paused => ("paused", palette.warning),
        RunState::Interrupted => ("interrupted, can be resumed", palette.warning),
        RunState::Failed { .. } => ("failed", palette.error),
        RunState::Finished(End::Stopped | End::Minutes) => {
            ("stopped, can be resumed", palette.draft)
        }
        RunState::Finished(End::Abandoned) => ("given up", palette.draft),
        RunState::Finished(End::WorseThanBase) => {
            ("ended: worse than the model before", palette.warning)
        }
        RunState::Finished(_) => ("finished", palette.draft),
    };
    (words.to_owned(), color)
}
