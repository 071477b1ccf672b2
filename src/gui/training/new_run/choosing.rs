//! The choice of a system, its corpus and its beginning.

use std::path::PathBuf;

use egui::text::{LayoutJob, TextFormat};
use egui::{ComboBox, Frame, Layout, RichText, Stroke, Ui, vec2};

use super::{CONTROL, Form, by_name, folder_box};
use crate::labels;
use crate::machines::devices;
use crate::theme::{self, Palette};
use crate::training::caption;
use canopy_app::Command;
use canopy_app::language::name;
use canopy_app::training::{ENOUGH_PAIRS, Probe, Start, TrainingCommand};
use canopy_chart::charts::thousands;
use canopy_nn::model::Preset;

impl Form<'_> {
    pub(super) fn system_ui(&mut self, ui: &mut Ui) {
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
            &by_name(&self.state.training.corpora.known),
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
        let models = self.state.models.library.known_models(&self.state.shared);
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
    pub(super) fn ways_ui(&mut self, ui: &mut Ui) {
        if self.filled.resumed.is_some() {
            return;
        }
        let corpus = &self.filled.config.corpus;
        let facts = self.state.training.corpora.facts.get(corpus);
        let models = self.state.training.corpora.models_to_improve(
            &self.state.shared,
            &self.state.models,
            corpus,
        );
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
            let known = self.state.models.library.known_models(&self.state.shared);
            let model = models.first().or(known.first()).cloned();
            let improve = TrainingCommand::Improve(model.unwrap_or_default());
            self.commands.push(Command::Training(improve));
        } else if from_nothing && !is_new {
            self.filled.begin_with_random_weights();
            self.filled.is_chosen = true;
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
pub(super) fn described(name: &str, description: &str, palette: &Palette) -> LayoutJob {
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
