//! Any of the views, to be drawn or written.

use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::context::ContextView;
use super::difference::ContextDifference;
use super::document_map::DocumentMap;
use super::gates::GateView;
use super::leave_one_out::LeaveOneOut;
use super::map::WeightMap;
use super::memory::MemoryView;
use super::similarity::SimilarityView;
use super::table;
use super::tree::TreeView;
use super::view_kind::ViewKind;
use super::zeros::ZerosView;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;
use canopy_chart::charts::{Theme, write_picture};

/// A view with its title, on screen or on paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// A tree over the sentences of the document.
    Tree(TreeView),
    /// Side by side, on one scale.
    Maps(Vec<WeightMap>),
    /// All sentences against all sentences.
    Document(#[serde(serialize_with = "serialize_shared")] Arc<DocumentMap>),
    /// Gates of the words of a sentence.
    Gates(GateView),
    /// The sentences that a word or sentence took most from.
    Context(ContextView),
    /// Exact zeros against length.
    Zeros(ZerosView),
    /// A translation with and without its context.
    Difference(ContextDifference),
    /// A translation without each sentence of its context.
    LeaveOneOut(LeaveOneOut),
    /// The memory's share in a translation.
    Memory(MemoryView),
    /// All sentences against each other by a sentence encoder.
    Similarity(#[serde(serialize_with = "serialize_shared")] Arc<SimilarityView>),
}

fn serialize_shared<T: Serialize, S: Serializer>(
    shared: &Arc<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    shared.serialize(serializer)
}

impl Explanation {
    /// View and sentence, if it is the model's answer about all words of a sentence.
    pub fn sentence_view(&self) -> Option<(ViewKind, usize)> {
        match self {
            Self::Difference(difference) => Some((ViewKind::Difference, difference.sentence)),
            Self::LeaveOneOut(view) => Some((ViewKind::LeaveOneOut, view.sentence)),
            Self::Memory(view) => Some((ViewKind::Memory, view.sentence)),
            _ => None,
        }
    }

    /// Turns such an answer to one of the words, or to the whole sentence.
    pub fn select(&mut self, word: Option<usize>) {
        match self {
            Self::Difference(difference) => difference.selected = word,
            Self::LeaveOneOut(view) => view.selected = word,
            Self::Memory(view) => view.selected = word,
            _ => {}
        }
    }

    /// For a terminal: running text where there is some, else the numbers.
    pub fn text(&self) -> String {
        match self {
            Self::Context(view) => view.text(),
            Self::LeaveOneOut(view) => view.text(),
            Self::Memory(view) => view.text(),
            other => other.csv().replace("\r\n", "\n"),
        }
    }

    /// Subwords of the translation, as in a trace, if it is the model's answer about a sentence.
    pub fn subwords(&self) -> Vec<String> {
        let marked =
            |begins: bool, label: &str| format!("{}{label}", if begins { "▁" } else { "" });
        match self {
            Self::Difference(view) => view.words.iter().map(|it| it.label.clone()).collect(),
            Self::LeaveOneOut(view) => {
                let words = view.words.iter();
                words.map(|it| marked(it.begins, &it.label)).collect()
            }
            Self::Memory(view) => {
                let words = view.words.iter();
                words.map(|it| marked(it.begins, &it.label)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The numbers that are shown, one a line; columns are named in the first.
    pub fn csv(&self) -> String {
        match self {
            Self::Tree(tree) => table::tree_csv(tree),
            Self::Maps(maps) => table::maps_csv(maps),
            Self::Document(map) => table::document_csv(map),
            Self::Gates(gate) => table::gate_csv(gate),
            Self::Context(context) => table::context_csv(context),
            Self::Zeros(zeros) => table::zeros_csv(zeros),
            Self::Difference(difference) => table::difference_csv(difference),
            Self::LeaveOneOut(view) => table::leave_one_out_csv(view),
            Self::Memory(view) => table::memory_csv(view),
            Self::Similarity(view) => table::similarity_csv(view),
        }
    }

    /// The numbers that are shown, everything counting from 0 as in a trace.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data becomes JSON")
    }

    /// In a sentence or two, for who cannot see the figure.
    pub fn description(&self) -> String {
        match self {
            Self::Tree(tree) => {
                let chosen = tree.chosen.iter().take(8);
                let chosen: Vec<String> = chosen
                    .map(|(sentence, weight, _)| format!("{} ({weight:.2})", sentence + 1))
                    .collect();
                let chosen = chosen.join(", ");
                format!("{}, {}. Sentences read: {chosen}.", tree.title, tree.query)
            }
            Self::Maps(maps) => {
                let titles = maps
                    .iter()
                    .map(|map| format!("{}, {}.", map.title, map.query));
                titles.collect::<Vec<_>>().join(" ")
            }
            Self::Document(map) => format!("{}, {}.", map.title, map.query),
            Self::Gates(gate) => {
                let words = gate.words.iter();
                let words = words.map(|word| format!("{} {:.2}", word.label, word.mean));
                format!("{}: {}", gate.name, words.collect::<Vec<_>>().join(", "))
            }
            Self::Context(context) => context.text(),
            Self::Zeros(zeros) => zeros.title.clone(),
            Self::Difference(difference) => format!(
                "With its document this translation is {:.2} nats more probable than without context.",
                difference.gain()
            ),
            Self::LeaveOneOut(view) => view.description(),
            Self::Memory(view) => view.text(),
            Self::Similarity(view) => format!("{}, {}, {}.", view.title, view.query, view.measure),
        }
    }

    /// Writes a figure (`.svg`, `.png`) or its numbers (`.csv`, `.json`), as the end of the file's name says.
    ///
    /// # Errors
    /// If the name ends otherwise, the size is not usable, the file exists and `overwrite` is false, or writing fails.
    pub fn write(
        &self,
        theme: &Theme,
        path: &Path,
        size: (u32, u32),
        overwrite: bool,
    ) -> Result<()> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("csv") => Ok(write_atomically(path, self.csv().as_bytes(), overwrite)?),
            Some("json") => Ok(write_atomically(path, self.json().as_bytes(), overwrite)?),
            Some("svg" | "png") => Ok(write_picture(self, theme, path, size, overwrite)?),
            _ => Err(Error::ExplanationExtension {
                path: path.to_owned(),
            }),
        }
    }
}
