//! Memory matches for the selected sentence, and how they were used.

use std::collections::HashSet;
use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{Align, Button, FontId, Layout, RichText, ScrollArea, TextFormat, Ui, vec2};

use super::row_layout::Columns;
use super::segment_history::marked;
use super::theme::Palette;
use super::typeset;
use canopy_app::Command;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::changes::{Part, changes};

/// Width of the button at the end of the target's column.
const BUTTON: f32 = 52.0;

/// The pairs last found; kept until another sentence is selected.
#[derive(Default)]
pub struct SimilarPanel {
    sentence: String,
    /// What stands there as its translation.
    translation: String,
    memory: Option<Arc<TranslationMemory>>,
    /// Words of the sentence, in lower case.
    known: HashSet<String>,
    found: Vec<Found>,
}

struct Found {
    percent: String,
    /// Where its words differ, in another colour.
    source: String,
    target: String,
    /// The target, what the translation of the sentence does not have told apart.
    target_parts: Vec<(Part, String)>,
}

impl SimilarPanel {
    /// Lists what `memory` has like `sentence`, a sentence as a reader sees it, and where that differs from its
    /// `translation`: so a fuzzy match is told from what the model has made of it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        memory: &Arc<TranslationMemory>,
        sentence: Option<&str>,
        translation: &str,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::of(ui);
        self.find(memory, sentence.unwrap_or_default(), translation);
        let small = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            ui.label(small("Translation memory matches"));
            if self.found.is_empty() {
                let none = match sentence {
                    Some(_) => "No match of 50 % or more",
                    None => "Select a sentence",
                };
                ui.label(small("·"));
                ui.label(small(none));
            }
        });
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("similar")
            .show(ui, |ui| {
                for found in &self.found {
                    ui.add_space(6.0);
                    found.ui(ui, &self.known, &palette, commands);
                }
            });
    }

    fn find(&mut self, memory: &Arc<TranslationMemory>, sentence: &str, translation: &str) {
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
                source: found.source.to_owned(),
                target: found.target.to_owned(),
                target_parts: target_parts(translation, found.target),
            })
            .collect();
        self.known = words(sentence).map(str::to_lowercase).collect();
        sentence.clone_into(&mut self.sentence);
        translation.clone_into(&mut self.translation);
        self.memory = Some(Arc::clone(memory));
    }
}

impl Found {
    fn ui(
        &self,
        ui: &mut Ui,
        known: &HashSet<String>,
        palette: &Palette,
        commands: &mut Vec<Command>,
    ) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let columns = Columns::new(ui.available_width());
            let mut cell = |width: f32, content: &mut dyn FnMut(&mut Ui)| {
                let layout = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
                    ui.set_width(width);
                    content(ui);
                });
            };
            cell(columns.source.min, &mut |ui| {
                let percent = RichText::new(&self.percent).color(palette.accent);
                ui.vertical_centered(|ui| ui.label(percent.size(12.5)));
            });
            cell(columns.source.span(), &mut |ui| {
                let mut job = differing(&self.source, known, palette);
                job.wrap.max_width = ui.available_width();
                ui.label(typeset::galley(ui, typeset::Text::new(job)));
            });
            cell(columns.target.min - columns.source.max, &mut |_| ());
            cell(columns.target.span() - BUTTON, &mut |ui| {
                let mut job = marked(&self.target_parts, palette);
                job.wrap.max_width = ui.available_width();
                ui.label(typeset::galley(ui, typeset::Text::new(job)));
            });
            cell(BUTTON, &mut |ui| {
                let hint = "Edit the selected sentence with this translation";
                let layout = Layout::right_to_left(Align::Min);
                ui.with_layout(layout, |ui| {
                    if ui
                        .add(Button::new("Use").small())
                        .on_hover_text(hint)
                        .clicked()
                    {
                        commands.push(Command::EditWith(self.target.clone()));
                    }
                });
            });
        });
    }
}

/// The target of a pair, told apart from a translation if there is one.
fn target_parts(translation: &str, target: &str) -> Vec<(Part, String)> {
    if translation.trim().is_empty() {
        return vec![(Part::Same, target.to_owned())];
    }
    let mut parts = changes(translation, target);
    parts.retain(|(part, _)| *part != Part::Removed);
    parts
}

/// The text with the words that are not `known` in another colour.
fn differing(text: &str, known: &HashSet<String>, palette: &Palette) -> LayoutJob {
    let mut job = LayoutJob::default();
    let format = |color| TextFormat::simple(FontId::proportional(14.0), color);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = words(piece).next().unwrap_or_default();
        let color = if word.is_empty() || known.contains(&word.to_lowercase()) {
            palette.text
        } else {
            palette.edited
        };
        job.append(piece, 0.0, format(color));
    }
    job
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let trimmed = |word| str::trim_matches(word, |letter: char| !letter.is_alphanumeric());
    text.split_whitespace().map(trimmed)
}
