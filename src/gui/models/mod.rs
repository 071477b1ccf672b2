//! The page of models: those that are installed at the left, the selected one in the middle, and what is being added above.

mod adding;
mod details;
mod getting;
mod list;
mod offers;
mod removing;
mod stating;

pub(crate) use stating::language_ui;

use egui::{CentralPanel, Frame, Margin, Panel, RichText, ScrollArea, Ui};

use super::theme::{Palette, primary};
use canopy_app::{AppState, Command, ModelsCommand};
use canopy_translate::inference::InstalledModel;

/// View state of the page.
#[derive(Default)]
pub(crate) struct ModelsPanel {
    details: details::Details,
    /// The languages of the model that was found, if its files do not say them.
    found: stating::Stating,
    getting: getting::GettingPanel,
}

impl ModelsPanel {
    pub(crate) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        Panel::left("models")
            .default_size(290.0)
            .size_range(220.0..=520.0)
            .frame(Frame::NONE.fill(palette.panel))
            .show(ui, |ui| list::list_ui(ui, state, commands));
        let frame = Frame::NONE.fill(palette.page);
        if state.models.getting.is_open {
            let frame = frame.inner_margin(Margin::symmetric(28, 20));
            CentralPanel::default().frame(frame).show(ui, |ui| {
                self.getting.ui(ui, state, commands);
            });
            removing::removing_ui(ui.ctx(), state, commands);
            return;
        }
        CentralPanel::default().frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                let margin = Margin::symmetric(28, 20);
                Frame::NONE.inner_margin(margin).show(ui, |ui| {
                    adding::found_ui(ui, state, &mut self.found, commands);
                    adding::adding_ui(ui, state, commands);
                    match shown(state) {
                        Some(model) => self.details.ui(ui, state, model, commands),
                        None => empty_ui(ui, commands),
                    }
                });
            });
        });
        removing::removing_ui(ui.ctx(), state, commands);
    }
}

/// The selected model, else the one in use, else the first one.
fn shown(state: &AppState) -> Option<&InstalledModel> {
    let models = &state.models;
    let selected = models
        .selected
        .as_deref()
        .and_then(|it| models.library.get(it));
    let in_use = || {
        models
            .in_use
            .folders()
            .find_map(|folder| models.library.get(folder))
    };
    selected
        .or_else(in_use)
        .or_else(|| models.library.all.first())
}

/// Where no model is installed at all.
fn empty_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let height = ui.ctx().content_rect().height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.2);
        ui.heading("No models yet");
        ui.add_space(6.0);
        for text in [
            "Translation models of Hugging Face, Marian (OPUS-MT), CTranslate2 and Argos Translate, and language models (GGUF, Hugging Face) can be added as they are.",
            "Drop a folder, a zip file or a GGUF file here. It is copied; nothing in it is executed.",
        ] {
            ui.label(RichText::new(text).color(palette.weak));
        }
        ui.add_space(18.0);
        if ui.add(primary(ui, GET)).clicked() {
            commands.push(list::get_models());
        }
        ui.add_space(2.0);
        if ui.button(ADD_FOLDER).clicked() {
            commands.push(Command::Models(ModelsCommand::AskFolder));
        }
        ui.add_space(2.0);
        if ui.button(ADD_FILE).clicked() {
            commands.push(Command::Models(ModelsCommand::AskFile));
        }
    });
}

const GET: &str = "Get models…";
const ADD_FOLDER: &str = "Add a folder…";
const ADD_FILE: &str = "Add a file…";
