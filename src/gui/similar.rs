//! Memory matches for the selected sentence, and how they were used.

use std::sync::Arc;

use egui::{Button, RichText, ScrollArea, Ui};

use super::listed_row::{BUTTON, cell, end_ui, row, share_ui, text_ui};
use super::row_layout::Columns;
use super::segment_history::readable_changes;
use super::shortcuts::hint_with_key;
use super::theme::Palette;
use canopy_app::{Command, DocumentCommand, EditCommand};
use canopy_corpus::memory::{PairOrigin, TranslationMemory};
use canopy_document::changes::{Part, changes};

/// The pairs last found; kept until another sentence is selected.
#[derive(Default)]
pub(crate) struct SimilarPanel {
    sentence: String,
    /// The translation of the match.
    translation: String,
    memory: Option<Arc<TranslationMemory>>,
    found: Vec<Found>,
}

struct Found {
    percent: String,
    /// The source, in which words missing on either side are marked.
    source_parts: Vec<(Part, String)>,
    target: String,
    /// The target, in which words that the translation of the sentence lacks are marked.
    target_parts: Vec<(Part, String)>,
    /// The memory, who wrote it, and when.
    hint: String,
}

impl SimilarPanel {
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The line above the matches, also where there are no matches.
    pub(crate) fn head_ui(&self, ui: &mut Ui, has_sentence: bool) {
        let palette = Palette::from_ui(ui);
        let small = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            ui.label(small("Translation memory matches"));
            if self.found.is_empty() {
                ui.label(small("·"));
                ui.label(small(if has_sentence {
                    "No match of 50 % or more"
                } else {
                    "Select a sentence"
                }));
            }
        });
    }

    /// Lists what was found, and where that differs from the sentence and its translation: so a fuzzy match is distinguished from
    /// what the model has made of it.
    pub(crate) fn ui(&mut self, ui: &mut Ui, has_sentence: bool, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        self.head_ui(ui, has_sentence);
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("similar")
            .show(ui, |ui| {
                for (place, found) in self.found.iter().enumerate() {
                    ui.add_space(6.0);
                    found.ui(ui, place, &palette, commands);
                }
            });
    }

    /// Looks for what `memory` has like `sentence`, a sentence as a reader sees it.
    pub(crate) fn find(
        &mut self,
        memory: &Arc<TranslationMemory>,
        sentence: &str,
        translation: &str,
    ) {
        let same_memory = self
            .memory
            .as_ref()
            .is_some_and(|it| Arc::ptr_eq(it, memory));
        if same_memory && self.sentence == sentence && self.translation == translation {
            return;
        }
        let found = memory.to_show(sentence).into_iter();
        self.found = found
            .map(|found| Found {
                percent: format!("{:.0} %", (found.score * 100.0).floor()),
                source_parts: changes(sentence, found.source),
                target: found.target.to_owned(),
                target_parts: target_parts(translation, found.target),
                hint: hint(memory.origin(found.source)),
            })
            .collect();
        sentence.clone_into(&mut self.sentence);
        translation.clone_into(&mut self.translation);
        self.memory = Some(Arc::clone(memory));
    }
}

impl Found {
    fn ui(&self, ui: &mut Ui, place: usize, palette: &Palette, commands: &mut Vec<Command>) {
        row(ui, |ui, columns| {
            let Columns { source, target, .. } = columns;
            share_ui(ui, source.min, (&self.percent, &self.hint), palette);
            let label = text_ui(ui, source.span(), &self.source_parts, palette);
            label.on_hover_text(&self.hint);
            cell(ui, target.min - source.max, |_| ());
            text_ui(ui, target.span() - BUTTON, &self.target_parts, palette);
            end_ui(ui, |ui| {
                let hint = "Edit the selected sentence with this translation";
                let hint = hint_with_key(
                    ui,
                    hint,
                    &Command::Document(DocumentCommand::UseMatch(place)),
                );
                let button = Button::new(format!("Use {}", place + 1)).small();
                if ui.add(button).on_hover_text(hint).clicked() {
                    commands.push(EditCommand::StartWith(self.target.clone()).into());
                }
            });
        });
    }
}

/// The target of a pair, with its differences from the translation if there is one.
fn target_parts(translation: &str, target: &str) -> Vec<(Part, String)> {
    if translation.trim().is_empty() {
        return vec![(Part::Same, target.to_owned())];
    }
    let mut parts = readable_changes(translation, target);
    parts.retain(|(part, _)| *part != Part::Removed);
    parts
}

/// Where a pair comes from, a line for each part of it.
fn hint(origin: Option<&PairOrigin>) -> String {
    let Some(origin) = origin else {
        return "Translation memory".to_owned();
    };
    let mut lines = vec![format!("Memory: {}", origin.memory)];
    let parts = [("Author", &origin.author), ("Date", &origin.date)];
    let known = parts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    lines.extend(known.map(|(name, value)| format!("{name}: {value}")));
    lines.join("\n")
}
