//! Details of the selected model, and actions on it.

use std::path::PathBuf;

use egui::{Button, ComboBox, Frame, Grid, Label, Margin, RichText, ScrollArea, Ui, vec2};

use super::list::languages;
use super::stating::Stating;
use crate::theme::{Palette, add_primary, card, semibold};
use crate::{icons, labels};
use canopy_app::{AppState, Command, ModelsCommand, language};
use canopy_chart::charts::thousands;
use canopy_translate::inference::{InstalledModel, pair_key};

/// Lines of a licence that are shown without scrolling.
const LICENCE_HEIGHT: f32 = 220.0;

/// The pair of languages for which the model is to be made the default.
#[derive(Default)]
pub(super) struct Details {
    stating: Stating,
    pair: Option<(PathBuf, String, String)>,
}

impl Details {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        state: &AppState,
        model: &InstalledModel,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let problem = state.models.library.problem(model);
        let is_used = state
            .models
            .in_use
            .folders()
            .any(|used| used == model.folder);
        ui.horizontal(|ui| {
            ui.add(Label::new(RichText::new(&model.name).heading()).truncate());
            if is_used {
                chip_ui(ui, "in use", &palette);
            }
        });
        ui.label(RichText::new(languages(model)).color(palette.weak));
        if let Some(problem) = problem {
            ui.add_space(8.0);
            problem_ui(ui, problem, &palette);
        }
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            if !is_used && add_primary(ui, model.problem.is_none(), "Translate with it").clicked() {
                let command = ModelsCommand::Use(model.folder.clone());
                commands.push(Command::Models(command));
            }
            let is_external = state.models.library.is_external(model);
            if is_external {
                let button = Button::new("Add to your models").min_size(vec2(0.0, 31.0));
                if ui.add(button).clicked() {
                    let path = model.folder.clone();
                    let languages = None;
                    let command = ModelsCommand::Add { path, languages };
                    commands.push(Command::Models(command));
                }
            } else if model.is_removable() {
                let button = Button::new("Remove…").min_size(vec2(0.0, 31.0));
                if ui.add(button).clicked() {
                    let command = ModelsCommand::AskRemove(model.folder.clone());
                    commands.push(Command::Models(command));
                }
            }
        });
        if model.lacks_languages() && !state.models.library.is_external(model) {
            ui.add_space(14.0);
            self.languages_ui(ui, model, commands);
        }
        ui.add_space(14.0);
        card_ui(ui, |ui| facts_ui(ui, model, "facts"));
        if problem.is_none() && !model.sources.is_empty() && !model.targets.is_empty() {
            caption_ui(ui, "Default", &palette);
            self.default_ui(ui, state, model, commands);
        }
        if model.targets.len() > 2 || model.sources.len() > 2 {
            caption_ui(ui, "All languages", &palette);
            all_languages_ui(ui, model, &palette);
        }
        if let Some(text) = &model.licence_text {
            caption_ui(ui, "Licence", &palette);
            licence_ui(ui, text, &palette);
        }
    }

    /// The languages that a person states, since its files do not.
    fn languages_ui(&mut self, ui: &mut Ui, model: &InstalledModel, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        card_ui(ui, |ui| {
            let text = if model.is_stated {
                "You stated the languages of this model; its files do not say them."
            } else {
                "The languages of this model are not stated. Choose them here."
            };
            ui.label(RichText::new(text).color(palette.text));
            ui.add_space(4.0);
            self.stating.ui(ui, model, &model.folder);
            let chosen = self.stating.chosen().filter(|[source, target]| {
                model.sources.first() != Some(source) || model.targets.first() != Some(target)
            });
            ui.add_space(4.0);
            let button = Button::new("Set languages").min_size(vec2(0.0, 31.0));
            if ui.add_enabled(chosen.is_some(), button).clicked()
                && let Some(languages) = chosen
            {
                commands.push(Command::Models(ModelsCommand::State {
                    folder: model.folder.clone(),
                    languages,
                }));
            }
        });
    }

    fn default_ui(
        &mut self,
        ui: &mut Ui,
        state: &AppState,
        model: &InstalledModel,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let mut push = |command| commands.push(Command::Models(command));
        let (source, target) = self.pair(state, model);
        let pair = pair_of(source, target);
        let text = format!("Used for {pair} documents unless you choose another model.");
        ui.label(RichText::new(text).size(12.5).color(palette.weak));
        ui.add_space(2.0);
        let defaults = state.shared.settings.default_models.iter();
        for (pair, _) in defaults.filter(|(_, folder)| **folder == model.folder) {
            ui.horizontal(|ui| {
                let (place, _) = ui.allocate_exact_size(vec2(16.0, 20.0), egui::Sense::hover());
                let confirmed = canopy_app::jobs::State::Confirmed;
                icons::state(ui.painter(), place.center(), confirmed, &palette);
                ui.label(pair_name(pair));
                let button = Button::new("Stop using as default").frame_when_inactive(false);
                if ui.add(button).clicked() {
                    push(ModelsCommand::ForgetDefault(pair.clone()));
                }
            });
        }
        let (source, target) = self.pair(state, model);
        ui.horizontal(|ui| {
            choice_ui(ui, "Source language", &model.sources, source);
            if model.sources.len() > 1 || model.targets.len() > 1 {
                ui.label("→");
            }
            choice_ui(ui, "Target language", &model.targets, target);
            let key = pair_key(source, target);
            let is_default = state.shared.settings.default_models.get(&key) == Some(&model.folder);
            let label = format!("Use by default for {}", pair_of(source, target));
            if !is_default && ui.button(label).clicked() {
                push(ModelsCommand::MakeDefault {
                    folder: model.folder.clone(),
                    source: source.clone(),
                    target: target.clone(),
                });
            }
        });
    }

    /// The chosen pair, at first the one in use if the model translates it.
    fn pair(&mut self, state: &AppState, model: &InstalledModel) -> (&mut String, &mut String) {
        let is_same = self
            .pair
            .as_ref()
            .is_some_and(|(folder, ..)| *folder == model.folder);
        if !is_same {
            let current = state.document.languages(&state.models);
            let current = current.filter(|(source, target)| {
                model.sources.contains(source) && model.targets.contains(target)
            });
            let (source, target) = current.unwrap_or_else(|| {
                let source = model.sources.first().cloned().unwrap_or_default();
                let target = model.target(&source, None).unwrap_or_default().to_owned();
                (source, target)
            });
            self.pair = Some((model.folder.clone(), source, target));
        }
        let (_, source, target) = self.pair.get_or_insert_default();
        (source, target)
    }
}

/// A pair as it is kept, such as `en-de`, in words.
fn pair_name(pair: &str) -> String {
    let Some((source, target)) = pair.split_once('-') else {
        return pair.to_owned();
    };
    pair_of(source, target)
}

/// Two languages in words.
fn pair_of(source: &str, target: &str) -> String {
    format!("{} → {}", language::name(source), language::name(target))
}

/// A language among several.
fn choice_ui(ui: &mut Ui, name: &str, codes: &[String], chosen: &mut String) {
    if codes.len() < 2 {
        return;
    }
    let mut named: Vec<(String, &String)> = codes
        .iter()
        .map(|code| (language::name(code), code))
        .collect();
    named.sort();
    let combo = ComboBox::from_id_salt(name)
        .width(150.0)
        .selected_text(language::name(chosen));
    let response = combo.show_ui(ui, |ui| {
        for (name, code) in named {
            ui.selectable_value(chosen, code.clone(), name);
        }
    });
    response.response.accessible_name(name);
}

/// Facts from the files of the model.
pub(super) fn facts_ui(ui: &mut Ui, model: &InstalledModel, id: &str) {
    let palette = Palette::from_ui(ui);
    // Its rows are read, not clicked.
    ui.spacing_mut().interact_size.y = 20.0;
    let mut rows = vec![
        ("Made for", labels::subject(model).to_owned()),
        ("Format", model.format.clone()),
    ];
    if model.num_bytes > 0 {
        rows.push(("Size", labels::bytes(model.num_bytes)));
    }
    if let Some(count) = model.num_parameters {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        rows.push(("Parameters", thousands(count)));
    }
    let licence = match (model.licence.as_str(), &model.licence_text) {
        ("", None) => "not stated",
        ("", Some(_)) => "see below",
        (licence, _) => licence,
    };
    rows.push(("Licence", licence.to_owned()));
    let origin = match &model.copied_from {
        Some(path) => path.display().to_string(),
        None if model.is_shipped => format!("{}, came with the program", model.origin),
        None => model.origin.clone(),
    };
    if !origin.is_empty() {
        rows.push(("Source", origin));
    }
    rows.push(("Location", model.folder.display().to_string()));
    rows.retain(|(_, value)| !value.is_empty());
    Grid::new(id)
        .num_columns(2)
        .spacing([22.0, 7.0])
        .show(ui, |ui| {
            for (name, value) in rows {
                ui.label(RichText::new(name).color(palette.weak));
                ui.add(Label::new(&value).truncate()).on_hover_text(&value);
                ui.end_row();
            }
        });
}

fn card_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    card(ui, |ui| {
        ui.set_width(ui.available_width());
        contents(ui);
    });
}

fn caption_ui(ui: &mut Ui, text: &str, palette: &Palette) {
    ui.add_space(16.0);
    let text = RichText::new(text).font(semibold(14.5));
    ui.label(text.color(palette.strong));
    ui.add_space(2.0);
}

fn chip_ui(ui: &mut Ui, text: &str, palette: &Palette) {
    Frame::NONE
        .fill(palette.chip)
        .corner_radius(9)
        .inner_margin(Margin::symmetric(9, 2))
        .show(ui, |ui| {
            ui.label(RichText::new(text).size(12.0).color(palette.chip_text));
        });
}

fn problem_ui(ui: &mut Ui, problem: &str, palette: &Palette) {
    Frame::NONE
        .stroke((1.0, palette.error))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(14, 10))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            let title = RichText::new("It cannot be opened").font(semibold(13.5));
            ui.label(title.color(palette.error));
            ui.add(Label::new(RichText::new(problem).color(palette.text)).wrap());
        });
}

fn all_languages_ui(ui: &mut Ui, model: &InstalledModel, palette: &Palette) {
    let names = |codes: &[String]| {
        let mut names: Vec<String> = codes.iter().map(|code| language::name(code)).collect();
        names.sort();
        names.join(", ")
    };
    let (sources, targets) = (names(&model.sources), names(&model.targets));
    let text = if sources == targets {
        format!("Between {sources}")
    } else {
        format!("From {sources} to {targets}")
    };
    ui.add(Label::new(RichText::new(text).size(13.0).color(palette.text)).wrap());
}

fn licence_ui(ui: &mut Ui, text: &str, palette: &Palette) {
    card_ui(ui, |ui| {
        ScrollArea::vertical()
            .id_salt("licence")
            .max_height(LICENCE_HEIGHT)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                let text = RichText::new(text).size(12.5).color(palette.text);
                ui.add(Label::new(text).wrap().selectable(true));
            });
    });
}
