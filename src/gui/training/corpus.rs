//! The form of a new corpus.

use std::path::Path;

use egui::{RichText, ScrollArea, Ui, vec2};

use super::found;
use crate::menu::file_name;
use crate::theme::{self, Palette, card};
use canopy_app::Command;
use canopy_app::training::{CorpusSource, ImportState, NewCorpus, Side, TrainingCommand};

const LABEL: f32 = 170.0;

pub(super) fn new_corpus_ui(ui: &mut Ui, form: &NewCorpus, commands: &mut Vec<Command>) {
    let mut filled = form.clone();
    let running = matches!(form.import_state, ImportState::Running(..));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        egui::Frame::NONE.inner_margin(28).show(ui, |ui| {
            ui.set_max_width(680.0);
            ui.heading("New corpus");
            ui.add_space(4.0);
            let palette = Palette::from_ui(ui);
            let text = "Documents and their translations, sentence by sentence. Drop a TMX file, a table (TSV) or two \
                        folders here. One document in 25 is held out for testing, one in 50 for validation.";
            ui.label(RichText::new(text).color(palette.weak));
            ui.add_space(14.0);
            ui.add_enabled_ui(!running, |ui| fields_ui(ui, &mut filled, commands));
            ui.add_space(14.0);
            if !running {
                found::found_ui(ui, form, &mut filled, commands);
            }
            end_ui(ui, form, commands);
        });
    });
    if filled != *form {
        commands.push(Command::Training(TrainingCommand::FillCorpus(Box::new(
            filled,
        ))));
    }
}

fn fields_ui(ui: &mut Ui, form: &mut NewCorpus, commands: &mut Vec<Command>) {
    row_ui(ui, "Made from", |ui| {
        ui.radio_value(
            &mut form.from,
            CorpusSource::Folders,
            "Two folders of documents",
        );
        ui.radio_value(
            &mut form.from,
            CorpusSource::Memory,
            "A translation memory or table (TMX, TSV)",
        );
    });
    let mut path_ui = |ui: &mut Ui, label: &str, path: &Path, side: Side| {
        row_ui(ui, label, |ui| {
            if ui.button("Choose…").clicked() {
                commands.push(Command::Training(TrainingCommand::ChooseSide(side)));
            }
            if !path.as_os_str().is_empty() {
                ui.label(file_name(path))
                    .on_hover_text(path.display().to_string());
            }
        });
    };
    match form.from {
        CorpusSource::Folders => {
            path_ui(ui, "Source documents", &form.source, Side::Source);
            path_ui(ui, "Their translations", &form.target, Side::Target);
        }
        CorpusSource::Memory => path_ui(ui, "Memory or table", &form.memory, Side::Memory),
    }
    let is_named = form.material().is_some();
    row_ui(ui, "Languages", |ui| {
        for (text, hint) in [
            (&mut form.source_language, "en"),
            (&mut form.target_language, "de"),
        ] {
            let field = theme::text_field(ui, text).desired_width(56.0);
            let name = if hint == "en" {
                "Source language"
            } else {
                "Target language"
            };
            ui.add(field.hint_text(hint)).accessible_name(name);
            if hint == "en" {
                ui.label("to");
            }
        }
        let swap = ui.add_enabled(is_named, egui::Button::new("Swap"));
        if swap
            .on_hover_text("The source becomes the target, and the other way round")
            .clicked()
        {
            commands.push(Command::Training(TrainingCommand::SwapSides));
        }
    });
    row_ui(ui, "Name", |ui| {
        let field = theme::text_field(ui, &mut form.name).desired_width(260.0);
        ui.add(field).accessible_name("Name");
    });
}

fn row_ui(ui: &mut Ui, label: &str, control: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let (place, _) = ui.allocate_exact_size(vec2(LABEL, 28.0), egui::Sense::hover());
        let at = egui::pos2(place.left(), place.center().y);
        let (font, color) = (egui::FontId::proportional(13.5), Palette::from_ui(ui).text);
        ui.painter()
            .text(at, egui::Align2::LEFT_CENTER, label, font, color);
        control(ui);
    });
    ui.add_space(6.0);
}

fn end_ui(ui: &mut Ui, form: &NewCorpus, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    card(ui, |ui| {
        let problem = form.problem();
        match &form.import_state {
            ImportState::Running(_, _, share) => {
                #[expect(clippy::cast_possible_truncation, reason = "a share of a bar")]
                let bar = egui::ProgressBar::new(*share as f32).desired_height(7.0);
                ui.label("Reading and aligning");
                ui.add(bar.fill(palette.accent));
            }
            ImportState::Failed(reason) => {
                ui.label(RichText::new(reason).color(palette.error));
            }
            ImportState::Editing => {
                ui.label(RichText::new(problem.unwrap_or("Ready")).color(palette.weak));
            }
        }
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            let running = matches!(form.import_state, ImportState::Running(..));
            let is_ready = problem.is_none() && !running;
            if theme::add_primary(ui, is_ready, "Make the corpus").clicked() {
                commands.push(Command::Training(TrainingCommand::MakeCorpus));
            }
            if ui
                .button(if running { "Cancel" } else { "Discard" })
                .clicked()
            {
                commands.push(Command::Training(TrainingCommand::CloseCorpus));
            }
        });
    });
}
