//! Fields of systems that read BERT or have a translation memory.

use std::path::{Path, PathBuf};

use egui::{RichText, Ui};

use super::new_run::{Form, by_name, folder_box};
use crate::menu::file_name;
use crate::theme::Palette;
use canopy_app::Command;
use canopy_app::training::{Probe, TrainingCommand};

impl Form<'_> {
    pub(super) fn bert_ui(&mut self, ui: &mut Ui) {
        self.row_ui(
            ui,
            "bert",
            "BERT",
            "Folder of an imported one: canopy model import bert, or sbert.",
            Self::encoder_ui,
        );
        self.row_ui(
            ui,
            "contexts",
            "Contexts",
            "What BERT reads with each sentence: canopy corpus select-context.",
            Self::contexts_ui,
        );
        self.switch_ui(
            ui,
            "train_bert",
            "Train BERT",
            "Trains it too; otherwise its states are computed once and kept.",
            |config| &mut config.train_bert,
        );
    }

    fn encoder_ui(&mut self, ui: &mut Ui) {
        let mut chosen = None;
        let known: Vec<PathBuf> = self
            .state
            .shared
            .encoder()
            .map(Path::to_owned)
            .into_iter()
            .collect();
        let bert = &self.filled.config.bert;
        folder_box(ui, "BERT", bert, &by_name(&known), &mut chosen);
        if let Some(bert) = chosen {
            self.filled.config.bert = bert;
            self.filled.probe = Probe::None;
        }
        if ui.button("Other…").clicked() {
            self.commands
                .push(Command::Training(TrainingCommand::ChooseBert));
        }
    }

    fn contexts_ui(&mut self, ui: &mut Ui) {
        let choose = ("A file of contexts", TrainingCommand::ChooseContexts);
        if file_or_none_ui(ui, &mut self.filled.config.contexts, choose, self.commands) {
            self.filled.probe = Probe::None;
        }
    }

    pub(super) fn memory_ui(&mut self, ui: &mut Ui) {
        let choose = ("A translation memory", TrainingCommand::ChooseMemory);
        if file_or_none_ui(ui, &mut self.filled.config.memory, choose, self.commands) {
            self.filled.probe = Probe::None;
        }
    }
}

impl Form<'_> {
    /// A set of right and wrong translations that the run is scored on.
    pub(super) fn contrastive_ui(&mut self, ui: &mut Ui) {
        let choose = ("A contrastive set", TrainingCommand::ChooseContrastiveSet);
        file_or_none_ui(
            ui,
            &mut self.filled.config.contrastive_set,
            choose,
            self.commands,
        );
    }

    /// A corpus of which the run learns nothing.
    pub(super) fn general_ui(&mut self, ui: &mut Ui) {
        let config = &mut self.filled.config;
        let others: Vec<PathBuf> = self
            .state
            .training
            .corpora
            .known
            .iter()
            .filter(|corpus| **corpus != config.corpus)
            .cloned()
            .collect();
        let mut chosen = None;
        folder_box(
            ui,
            "Compare on",
            &config.general,
            &by_name(&others),
            &mut chosen,
        );
        if let Some(corpus) = chosen {
            config.general = corpus;
        }
        if !config.general.as_os_str().is_empty() && ui.button("Without").clicked() {
            config.general.clear();
        }
    }
}

/// An optional file, and a button that opens a dialog for one; `true` if it has been left out.
fn file_or_none_ui(
    ui: &mut Ui,
    file: &mut PathBuf,
    (hint, choose): (&str, TrainingCommand),
    commands: &mut Vec<Command>,
) -> bool {
    let mut left_out = false;
    if file.as_os_str().is_empty() {
        let weak = Palette::from_ui(ui).weak;
        ui.label(RichText::new("none").color(weak));
    } else {
        let name = ui.label(file_name(file));
        name.on_hover_text(file.display().to_string());
        left_out = ui.button("Without").clicked();
        if left_out {
            file.clear();
        }
    }
    if ui.button("Choose…").on_hover_text(hint).clicked() {
        commands.push(Command::Training(choose));
    }
    left_out
}
