//! The summary of a run, what it takes, and the button that begins it.

use egui::{Button, Layout, RichText, Ui};

use super::SUMMARY;
use crate::labels;
use crate::theme::{self, Palette, card};
use canopy_app::Command;
use canopy_app::progress::duration;
use canopy_app::training::{NewRun, Probe, Problem, TrainingCommand};
use canopy_chart::charts::thousands;
use canopy_nn::model::Preset;

pub(super) fn summary_ui(
    ui: &mut Ui,
    form: &NewRun,
    problem: Option<&Problem>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    card(ui, |ui| {
        ui.set_width(SUMMARY - 40.0);
        let Ok(preset) = Preset::named(&form.config.preset) else {
            return;
        };
        ui.label(RichText::new(preset.name).font(theme::semibold(15.0)));
        ui.label(preset.description);
        ui.add_space(2.0);
        let source = format!("{} · {}", preset.paper, preset.equations);
        ui.label(RichText::new(source).size(12.0).color(palette.weak));
        ui.add_space(8.0);
        let parameters = preset.config(form.config.vocab_size).num_parameters();
        pair_ui(ui, "Parameters", &thousands(parameters));
        probe_ui(ui, form, problem.is_none(), commands);
        ui.add_space(10.0);
        if let Some(problem) = problem {
            ui.label(RichText::new(&problem.message).color(palette.error));
        }
        ui.horizontal(|ui| {
            if theme::add_primary(ui, problem.is_none(), "Start").clicked() {
                commands.push(Command::Training(TrainingCommand::Start));
            }
            if ui.button("Discard").clicked() {
                commands.push(Command::Training(TrainingCommand::CloseForm));
            }
        });
    });
}

fn pair_ui(ui: &mut Ui, name: &str, value: &str) {
    let palette = Palette::from_ui(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(palette.weak));
        ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(value);
        });
    });
}

/// Memory and time as a short probe on the device measures them.
fn probe_ui(ui: &mut Ui, form: &NewRun, can_probe: bool, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    match &form.probe {
        Probe::Done(estimate) => {
            let gigabytes = labels::bytes(estimate.peak_bytes);
            pair_ui(ui, "Memory", &gigabytes);
            let speed = format!("{:.0} target tokens/s", estimate.target_tokens_per_second);
            pair_ui(ui, "Speed", &speed);
            pair_ui(
                ui,
                "An epoch",
                &format!("{} steps", estimate.steps_per_epoch),
            );
            let total = estimate
                .total_secs
                .map_or_else(|| "until you stop it".to_owned(), duration);
            pair_ui(ui, "In all", &total);
        }
        Probe::Running(_) => {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("A few steps on this device…");
            });
        }
        Probe::Failed(_) | Probe::None => {
            if let Probe::Failed(reason) = &form.probe {
                ui.label(RichText::new(reason).color(palette.error));
            }
            let button = Button::new("Estimate memory and time");
            if ui.add_enabled(can_probe, button).clicked() {
                commands.push(Command::Training(TrainingCommand::Probe));
            }
        }
    }
}
