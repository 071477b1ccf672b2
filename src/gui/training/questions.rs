//! Questions over the window: what becomes of runs and other work when it closes, and of a run that goes to the trash.

use egui::{Button, Context, Id, RichText, vec2};

use crate::menu::file_name;
use crate::theme::{self, Palette};
use canopy_app::training::{Training, TrainingCommand};
use canopy_app::{AppState, Command};

/// The choice about a run under way when the window closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The window stays until the queue is empty.
    Finish,
    /// Saves a checkpoint; the run can be resumed later.
    Pause,
    /// The last checkpoint stays.
    Abandon,
    /// The window stays.
    Stay,
}

/// Asks; `None` until a person has answered.
pub(crate) fn closing_ui(ctx: &Context, state: &AppState) -> Option<Closing> {
    let mut answer = None;
    let modal = theme::modal(ctx, Id::unique("closing")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(460.0);
        ui.heading("A training run is under way");
        ui.add_space(6.0);
        let waiting = state.training.runs.queue.len().saturating_sub(1);
        let first = state.training.runs.queue.first();
        let name = first.map_or_else(String::new, |queued| file_name(&queued.folder));
        let mut text = format!("{name} is not finished.");
        if waiting > 0 {
            text = format!("{text} {waiting} more are queued behind it.");
        }
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        for (label, hint, closing) in [
            (
                "Save, then close",
                "It can be resumed from this step",
                Closing::Pause,
            ),
            (
                "Finish first, then close",
                "The window closes when all runs have ended",
                Closing::Finish,
            ),
            (
                "Close at once",
                "It can be resumed from its last checkpoint",
                Closing::Abandon,
            ),
            ("Keep open", "", Closing::Stay),
        ] {
            let button = if closing == Closing::Pause {
                theme::primary(ui, label)
            } else {
                Button::new(label)
            };
            let button = button.min_size(vec2(190.0, 32.0));
            ui.horizontal(|ui| {
                if ui.add(button).clicked() {
                    answer = Some(closing);
                }
                ui.label(RichText::new(hint).size(12.5).color(palette.weak));
            });
        }
    });
    if modal.should_close() {
        return answer.or(Some(Closing::Stay));
    }
    answer
}

/// Asks before other work goes with the window; `None` until a person has answered.
pub(crate) fn losing_ui(ctx: &Context, work: &str) -> Option<Closing> {
    let mut answer = None;
    let modal = theme::modal(ctx, Id::unique("losing")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(420.0);
        ui.heading(work);
        ui.add_space(6.0);
        let text = "This work is lost if the window closes now.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            if ui.button("Close anyway").clicked() {
                answer = Some(Closing::Abandon);
            }
            if ui.button("Keep open").clicked() {
                answer = Some(Closing::Stay);
            }
        });
    });
    if modal.should_close() {
        return answer.or(Some(Closing::Stay));
    }
    answer
}

/// Asks before a run goes to the trash.
pub(super) fn trash_ui(ctx: &Context, training: &Training, commands: &mut Vec<Command>) {
    let Some(folder) = &training.runs.trashing else {
        return;
    };
    let modal = theme::modal(ctx, Id::unique("trash")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(420.0);
        ui.heading(format!("Move {} to the trash?", file_name(folder)));
        ui.add_space(6.0);
        let text = "Its checkpoints, settings and curves go to the trash next to the runs; it can be restored.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            if ui.button("Move to the trash").clicked() {
                commands.push(Command::Training(TrainingCommand::Trash(folder.clone())));
            }
            if ui.button("Keep it").clicked() {
                commands.push(Command::Training(TrainingCommand::KeepRun));
            }
        });
    });
    if modal.should_close() {
        commands.push(Command::Training(TrainingCommand::KeepRun));
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn work_is_lost_only_where_a_person_says_so() {
        for (label, expected) in [
            ("Close anyway", Closing::Abandon),
            ("Keep open", Closing::Stay),
        ] {
            let mut harness = Harness::builder()
                .with_context_setup(crate::install_theme)
                .build_ui_state(
                    |ui, answer: &mut Option<Closing>| {
                        if answer.is_none() {
                            *answer = losing_ui(ui.ctx(), "An evaluation is under way");
                        }
                    },
                    None,
                );
            harness.run_steps(4);
            assert_eq!(*harness.state(), None);
            harness.get_by_label(label).click();
            harness.run_steps(4);
            assert_eq!(*harness.state(), Some(expected));
        }
    }
}
