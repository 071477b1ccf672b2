//! All runs side by side: scores, size, time, and the settings in which they differ.

use egui::{Grid, RichText, ScrollArea, Ui};

use super::list::state_words;
use crate::theme::{self, Palette};
use canopy_app::Command;
use canopy_app::progress::duration;
use canopy_app::training::{Training, TrainingCommand, differences};
use canopy_chart::charts::thousands;

const COLUMNS: [(&str, &str); 9] = [
    ("Run", "Click to look at it"),
    ("System", "Preset"),
    ("", "Place"),
    ("BLEU", "On all development documents, at the end"),
    ("best", "Best BLEU on the sample scored while training"),
    ("dev loss", "At the last validation"),
    ("parameters", ""),
    ("tokens/s", "Target tokens a second of training"),
    ("time", "Of training, validation included"),
];

pub(super) fn table_ui(ui: &mut Ui, training: &Training, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let configs: Vec<_> = training
        .runs
        .list
        .iter()
        .map(|run| run.config.as_ref())
        .collect();
    let differences = differences(&configs);
    ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        egui::Frame::NONE.inner_margin(24).show(ui, |ui| {
            ui.heading("All runs");
            ui.add_space(10.0);
            Grid::new("all runs")
                .striped(true)
                .spacing([22.0, 9.0])
                .show(ui, |ui| {
                    let header = |text: &str| {
                        RichText::new(text)
                            .font(theme::semibold(12.5))
                            .color(palette.weak)
                    };
                    for (name, hint) in COLUMNS {
                        let label = ui.label(header(name));
                        if !hint.is_empty() {
                            label.on_hover_text(hint);
                        }
                    }
                    for difference in &differences {
                        ui.label(header(&difference.field));
                    }
                    ui.end_row();
                    for (index, run) in training.runs.list.iter().enumerate() {
                        let summary = &run.summary;
                        if ui.link(run.name()).clicked() {
                            let select = TrainingCommand::Select(run.folder.clone());
                            commands.push(Command::Training(select));
                        }
                        let preset = run.config.as_ref().map(|config| config.preset.as_str());
                        ui.label(preset.unwrap_or_default());
                        let (words, color) = state_words(&run.state, &palette);
                        ui.label(RichText::new(words).color(color));
                        let bleu = |scores: Option<canopy_train::Scores>| {
                            scores.map_or_else(String::new, |scores| {
                                format!("{:.2}", scores.dev_bleu)
                            })
                        };
                        ui.label(RichText::new(bleu(summary.whole)).strong());
                        ui.label(bleu(summary.best));
                        let loss = summary.whole.or(summary.last);
                        ui.label(
                            loss.map_or_else(String::new, |scores| {
                                format!("{:.3}", scores.dev_loss)
                            }),
                        );
                        ui.label(thousands(summary.parameters));
                        ui.label(format!("{:.0}", summary.target_tokens_per_second));
                        ui.label(duration(summary.elapsed_secs));
                        for difference in &differences {
                            ui.label(&difference.values[index]);
                        }
                        ui.end_row();
                    }
                });
        });
    });
}
