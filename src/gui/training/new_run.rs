//! The form of a new run.

use std::path::{Path, PathBuf};

use egui::text::{LayoutJob, TextFormat};
use egui::{
    Button, CollapsingHeader, ComboBox, Frame, Layout, RichText, ScrollArea, Stroke, Ui, UiBuilder,
    vec2,
};

use super::caption;
use super::fields::{FIELDS, Field, Section};
use crate::labels;
use crate::machines::devices;
use crate::menu::file_name;
use crate::theme::{self, Palette, card};
use canopy_app::language::name;
use canopy_app::progress::duration;
use canopy_app::training::{ENOUGH_PAIRS, NewRun, Probe, Problem, Start, TrainingCommand};
use canopy_app::{AppState, Command};
use canopy_chart::charts::thousands;
use canopy_nn::model::Preset;
use canopy_train::{ProductPrecision, RECIPES, Schedule, TrainingConfig};

const LABEL: f32 = 150.0;
const CONTROL: f32 = 300.0;
const SUMMARY: f32 = 330.0;
/// Why a field cannot be changed.
const FIXED: &str = "A resumed run keeps its settings. Start another run for other ones.";

pub fn new_run_ui(ui: &mut Ui, state: &AppState, form: &NewRun, commands: &mut Vec<Command>) {
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

    fn system_ui(&mut self, ui: &mut Ui) {
        caption(ui, "What is learned");
        self.row_ui(
            ui,
            "preset",
            "System",
            "Each system of the literature, at the size of its paper and a small one.",
            Self::preset_ui,
        );
        self.row_ui(
            ui,
            "corpus",
            "Corpus",
            "Parallel documents: training, development and test.",
            Self::corpus_ui,
        );
        if self.filled.start == Start::Model {
            self.row_ui(
                ui,
                "from",
                "Begin with",
                "A document-level system is best fine-tuned from a trained sentence-level model.",
                Self::model_ui,
            );
        }
        if self.filled.start == Start::Model {
            self.row_ui(
                ui,
                "general",
                "Compare on",
                "A corpus of general documents: a table compares the model's scores on them before and after.",
                Self::general_ui,
            );
        }
        let preset = Preset::named(&self.filled.config.preset);
        if self.filled.start == Start::Model && preset.as_ref().is_ok_and(Preset::reads_documents) {
            self.switch_ui(
                ui,
                "context_only",
                "Context alone",
                "The sentence-level network is frozen; only the layers that read context are trained.",
                |config| &mut config.context_only,
            );
        }
        if preset.as_ref().is_ok_and(Preset::reads_bert) {
            self.bert_ui(ui);
        }
        if preset.is_ok_and(|preset| preset.memory_use.is_some()) {
            self.row_ui(
                ui,
                "memory",
                "Remembers also",
                "Translations in addition to the training pairs: TMX, a table, a program's PO file.",
                Self::memory_ui,
            );
        }
        self.row_ui(
            ui,
            "name",
            "Name",
            "Of the run and its folder.",
            |form, ui| {
                let edit =
                    theme::text_field(ui, &mut form.filled.name).desired_width(CONTROL - 16.0);
                if ui.add(edit).accessible_name("Name").changed() {
                    form.filled.named_by_preset = false;
                }
            },
        );
        self.row_ui(
            ui,
            "device",
            "Run on",
            "Automatic takes a real GPU where there is one.",
            |form, ui| {
                for choice in devices(form.state) {
                    let (device, label) = (&mut form.filled.device, labels::device(choice));
                    if ui.radio_value(device, choice.into(), label).changed() {
                        form.filled.probe = Probe::None;
                    }
                }
            },
        );
    }

    fn preset_ui(&mut self, ui: &mut Ui) {
        let mut chosen = self.filled.config.preset.clone();
        let palette = Palette::from_ui(ui);
        let systems = ComboBox::from_id_salt("preset")
            .width(CONTROL)
            .height(420.0)
            .selected_text(chosen.clone())
            .show_ui(ui, |ui| {
                ui.set_min_width(560.0);
                let mut papers: Vec<&str> = Vec::new();
                for preset in Preset::all() {
                    if !papers.contains(&preset.paper) {
                        papers.push(preset.paper);
                    }
                }
                for paper in papers {
                    ui.add_space(4.0);
                    ui.label(RichText::new(paper).size(12.0).color(palette.weak));
                    for preset in Preset::all().filter(|preset| preset.paper == paper) {
                        let text = described(preset.name, preset.description, &palette);
                        ui.selectable_value(&mut chosen, preset.name.to_owned(), text);
                    }
                }
            });
        systems.response.accessible_name("System");
        if chosen != self.filled.config.preset {
            self.filled.choose_preset(&chosen);
        }
    }

    fn corpus_ui(&mut self, ui: &mut Ui) {
        let mut chosen = None;
        folder_box(
            ui,
            "Corpus",
            &self.filled.config.corpus,
            &by_name(&self.state.training.corpora),
            &mut chosen,
        );
        if let Some(corpus) = chosen {
            self.filled.config.corpus = corpus;
            self.filled.probe = Probe::None;
        }
        let command = |command| Command::Training(command);
        if ui.button("Other…").clicked() {
            self.commands.push(command(TrainingCommand::ChooseCorpus));
        }
        if ui.button("Make one…").clicked() {
            self.commands.push(command(TrainingCommand::NewCorpus));
        }
    }

    fn model_ui(&mut self, ui: &mut Ui) {
        let mut chosen = None;
        let models = self.state.models.known_models(&self.state.shared);
        let named = models.into_iter().map(|folder| {
            let name = labels::model(self.state, &folder);
            (folder, name)
        });
        let named: Vec<(PathBuf, String)> = named.collect();
        let from = &self.filled.config.from;
        folder_box(ui, "Model", from, &named, &mut chosen);
        if let Some(model) = chosen {
            self.commands
                .push(Command::Training(TrainingCommand::Improve(model)));
        }
    }

    /// Two ways to begin, side by side.
    fn ways_ui(&mut self, ui: &mut Ui) {
        if self.filled.resumed.is_some() {
            return;
        }
        let corpus = &self.filled.config.corpus;
        let facts = self.state.training.facts.get(corpus);
        let models =
            self.state
                .training
                .models_to_improve(&self.state.shared, &self.state.models, corpus);
        let pair = facts.map(|facts| {
            let [from, to] = [&facts.source_language, &facts.target_language].map(|it| name(it));
            format!("{from} → {to}")
        });
        let improves = match (&pair, models.is_empty()) {
            (Some(pair), true) => {
                format!("No installed model translates {pair}. Choose one below.")
            }
            (Some(pair), false) => format!(
                "A model for {pair} continues to learn from your corpus: a few hundred pairs are enough."
            ),
            (None, _) => {
                "A trained model continues to learn from your corpus: a few hundred pairs are enough."
                    .to_owned()
            }
        };
        let needs = format!("Needs {} pairs or more.", thousands(ENOUGH_PAIRS));
        let scratch = match facts {
            Some(facts) => format!("{needs} This corpus has {}.", thousands(facts.pairs)),
            None => needs,
        };
        let is_small = facts.is_some_and(|facts| facts.pairs < ENOUGH_PAIRS);
        let is_new = self.filled.start == Start::RandomWeights;
        let (mut from_model, mut from_nothing) = (false, false);
        ui.columns(2, |columns| {
            let title = "Improve a model (recommended)";
            from_model = way_ui(&mut columns[0], title, &improves, (!is_new, false));
            from_nothing = way_ui(
                &mut columns[1],
                "From scratch",
                &scratch,
                (is_new, is_small),
            );
        });
        ui.add_space(12.0);
        if from_model && is_new {
            let known = self.state.models.known_models(&self.state.shared);
            let model = models.first().or(known.first()).cloned();
            let improve = TrainingCommand::Improve(model.unwrap_or_default());
            self.commands.push(Command::Training(improve));
        } else if from_nothing && !is_new {
            self.filled.begin_with_random_weights();
            self.filled.is_chosen = true;
        }
    }

    /// A choice on which memory and time depend.
    fn precision_ui(&mut self, ui: &mut Ui) {
        let filled = &mut *self.filled;
        for (precision, label) in [
            (ProductPrecision::Float32, "32 bits"),
            (ProductPrecision::Float16, "16 bits"),
            (ProductPrecision::BFloat16, "bfloat16"),
        ] {
            let radio = ui.radio_value(&mut filled.config.precision, precision, label);
            if radio.changed() {
                filled.probe = Probe::None;
            }
        }
    }

    /// Settings for experts, folded unless one of them is wrong.
    fn advanced_ui(&mut self, ui: &mut Ui) {
        const CHOICES: [&str; 4] = ["recipe", "schedule", "precision", "contrastive_set"];
        let is_advanced = |name: &str| {
            let mut fields = FIELDS.iter();
            CHOICES.contains(&name) || fields.any(|field| field.name == name && !field.is_common())
        };
        let is_wrong = self
            .problem
            .is_some_and(|problem| is_advanced(problem.field));
        ui.add_space(10.0);
        let title = RichText::new("Advanced").font(theme::semibold(14.5));
        let header = CollapsingHeader::new(title).id_salt("advanced");
        let shown = header.open(is_wrong.then_some(true)).show(ui, |ui| {
            for (section, title) in [
                (Section::Length, "Length"),
                (Section::Optimisation, "Optimisation"),
                (Section::Validation, "Validation and checkpoints"),
            ] {
                caption(ui, title);
                if section == Section::Optimisation {
                    self.choices_ui(ui);
                }
                self.fields_ui(ui, |field| field.section == section && !field.is_common());
                if section == Section::Validation {
                    self.row_ui(
                        ui,
                        "contrastive_set",
                        "Contrastive set",
                        "After each validation: how often the model prefers its right translations. Made by canopy contrast make.",
                        Self::contrastive_ui,
                    );
                }
            }
        });
        let about = "Learning rate, batch, dropout, validation, checkpoints: each has a default that suits your choice";
        shown.header_response.on_hover_text(about);
    }

    /// Recipes of papers; the one that the settings follow is shown as chosen.
    fn recipe_ui(&mut self, ui: &mut Ui) {
        let palette = Palette::from_ui(ui);
        let mut followed = None;
        let mut taken = None;
        for recipe in RECIPES {
            let mut config = self.filled.config.clone();
            if recipe.apply(&mut config).is_ok() && config == self.filled.config {
                followed = Some(recipe.name);
            }
        }
        let recipes = ComboBox::from_id_salt("recipe")
            .width(CONTROL)
            .selected_text(followed.unwrap_or("None"))
            .show_ui(ui, |ui| {
                ui.set_min_width(560.0);
                for recipe in RECIPES {
                    let text = described(recipe.name, recipe.description, &palette);
                    let is_followed = followed == Some(recipe.name);
                    if ui.selectable_label(is_followed, text).clicked() {
                        taken = Some(recipe);
                    }
                }
            });
        recipes.response.accessible_name("Recipe");
        if let Some(recipe) = taken {
            // A preset that does not exist has its own message.
            recipe.apply(&mut self.filled.config).unwrap_or_default();
            self.filled.probe = Probe::None;
        }
    }

    /// The choices among schedules and numbers.
    fn choices_ui(&mut self, ui: &mut Ui) {
        self.row_ui(
            ui,
            "recipe",
            "Recipe",
            "Takes the learning rate, regularisation and stopping of a paper.",
            Self::recipe_ui,
        );
        self.row_ui(
            ui,
            "schedule",
            "Schedule",
            "Warm-up and decay to train from random weights; constant to fine-tune a model, with a warm-up if it comes from \
             another program.",
            |form, ui| {
                let schedule = &mut form.filled.config.schedule;
                ui.radio_value(schedule, Schedule::Noam, "Warm-up and decay");
                ui.radio_value(schedule, Schedule::Constant, "Constant");
                let warmed_up = Schedule::ConstantWithWarmup;
                ui.radio_value(schedule, warmed_up, "Warm-up, then constant");
            },
        );
        self.row_ui(
            ui,
            "precision",
            "Matrix products",
            "16-bit numbers are for GPUs that support them, and slower on the CPU.",
            Self::precision_ui,
        );
    }

    /// The numbers of some fields that mean something under the schedule.
    fn fields_ui(&mut self, ui: &mut Ui, is_shown: impl Fn(&Field) -> bool) {
        let schedule = self.filled.config.schedule;
        let fields = FIELDS
            .iter()
            .filter(|field| is_shown(field) && field.applies(schedule));
        for field in fields {
            self.row_ui(
                ui,
                field.name,
                field.label,
                field.explanation,
                |form, ui| {
                    let drag = field.drag(&mut form.filled.config);
                    let number = ui.add_sized(vec2(110.0, 28.0), drag);
                    if number.accessible_name(field.label).changed() {
                        form.filled.probe = Probe::None;
                    }
                    let palette = Palette::from_ui(ui);
                    ui.label(RichText::new(field.unit).color(palette.weak));
                },
            );
        }
    }
}

/// A card that is chosen by a click; of the pair the first says whether it is, the second whether its text warns.
fn way_ui(ui: &mut Ui, title: &str, text: &str, (is_chosen, warns): (bool, bool)) -> bool {
    let palette = Palette::from_ui(ui);
    let stroke = if is_chosen {
        Stroke::new(1.5, palette.accent)
    } else {
        Stroke::new(1.0, palette.line)
    };
    let frame = Frame::NONE
        .stroke(stroke)
        .corner_radius(10)
        .inner_margin(12);
    let shown = frame.show(ui, |ui| {
        ui.set_min_size(vec2(ui.available_width(), 74.0));
        let chosen = ui.radio(is_chosen, RichText::new(title).font(theme::semibold(14.0)));
        let color = if warns { palette.warning } else { palette.weak };
        ui.with_layout(Layout::top_down(egui::Align::Min), |ui| {
            ui.label(RichText::new(text).size(12.5).color(color));
        });
        chosen.clicked()
    });
    shown.inner
}

/// A system's name, and below it the sentence that explains it.
/// A name with its description below.
fn described(name: &str, description: &str, palette: &Palette) -> LayoutJob {
    let mut text = LayoutJob::default();
    for (part, size, color) in [
        (name, 13.5, palette.text),
        ("\n", 13.5, palette.text),
        (description, 11.5, palette.weak),
    ] {
        let font = egui::FontId::proportional(size);
        text.append(part, 0.0, TextFormat::simple(font, color));
    }
    text
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

fn summary_ui(ui: &mut Ui, form: &NewRun, problem: Option<&Problem>, commands: &mut Vec<Command>) {
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
