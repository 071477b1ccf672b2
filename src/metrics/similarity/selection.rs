//! The nearest sentences of each sentence.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Rows;
use super::embeddings::Sentences;
use super::measure::Measure;
use super::nearest::{Query, QueryGroup};
use super::products::{Prepared, compare};
use super::tasks::{Task, tasks};

/// Where context may come from; a talk is a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Range {
    /// The own document.
    Each,
    /// All documents.
    All,
    /// All documents for the first few sentences of each, the same document for the others: what comes at the beginning
    /// has the least to choose from.
    Hybrid(usize),
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Each => f.write_str("each"),
            Self::All => f.write_str("all"),
            Self::Hybrid(first) => write!(f, "hybrid {first}"),
        }
    }
}

impl std::str::FromStr for Range {
    type Err = String;

    /// Reads what [`Display`](std::fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, String> {
        let first = text.strip_prefix("hybrid ");
        match (text, first.and_then(|first| first.parse().ok())) {
            ("each", _) => Ok(Self::Each),
            ("all", _) => Ok(Self::All),
            (_, Some(first)) => Ok(Self::Hybrid(first)),
            (_, None) => Err(format!("{text:?} is not one of each, all, hybrid N")),
        }
    }
}

impl From<Range> for String {
    fn from(range: Range) -> Self {
        range.to_string()
    }
}

impl TryFrom<String> for Range {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Options of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// The measure of closeness.
    pub measure: Measure,
    /// Where sentences are looked for.
    pub range: Range,
    /// How many sentences each may get.
    pub count: NonZeroUsize,
}

impl Selection {
    /// Finds the neighbours of all sentences.
    pub fn run(&self, sentences: &Sentences) -> Neighbours {
        let found = self.run_for(sentences, 0..sentences.len(), |_| ControlFlow::Continue(()));
        found.expect("nothing stops it")
    }

    /// Finds the neighbours of some sentences among all. `progress` hears now and then how many are done, from any
    /// thread, and may stop the work: then there is no result.
    ///
    /// Nobody is its own neighbour, so the sentence of a document that has no other gets none with [`Range::Each`]. Of
    /// equally near ones comes first the one fewer sentences away in the document, all others being farther; then the
    /// earlier. The result has the same bits for any number of threads.
    ///
    /// # Panics
    /// If there are no such sentences.
    pub fn run_for(
        &self,
        sentences: &Sentences,
        queries: Rows,
        progress: impl Fn(usize) -> ControlFlow<()> + Sync,
    ) -> Option<Neighbours> {
        let (len, end) = (sentences.len(), queries.end);
        assert!(end <= len, "sentence {end} of {len}");
        let prepared = Prepared::new(sentences.embeddings(), self.measure);
        let done = AtomicUsize::new(0);
        let found: Option<Vec<Vec<Query>>> = tasks(sentences, self.range, &queries)
            .into_par_iter()
            .map(|task| {
                let count = task.queries.len();
                let found = self.run_task(sentences, &prepared, &task);
                let done = done.fetch_add(count, Ordering::Relaxed) + count;
                progress(done).is_continue().then_some(found)
            })
            .collect();
        let mut answered: Vec<Query> = found?.into_iter().flatten().collect();
        answered.sort_unstable_by_key(|query| query.row);
        Some(Neighbours::new(queries.start, answered, &prepared))
    }

    fn run_task(&self, sentences: &Sentences, prepared: &Prepared, task: &Task) -> Vec<Query> {
        let queries = task.queries.iter();
        let queries = queries.map(|&row| Query::new(row, sentences.document_of(row)));
        let mut group = QueryGroup {
            queries: queries.collect(),
            most: self.count.get(),
        };
        compare(prepared, &task.queries, task.candidates.clone(), &mut group);
        group.queries
    }
}

/// A sentence that resembles another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Its number among all sentences, counted from 0.
    pub row: usize,
    /// The value of the measure, in its own unit.
    pub value: f32,
}

/// The nearest sentences of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    first: usize,
    found: Vec<Neighbour>,
    /// Where those of each sentence end.
    ends: Vec<usize>,
}

impl Neighbours {
    fn new(first: usize, queries: Vec<Query>, prepared: &Prepared) -> Self {
        let mut all = Vec::with_capacity(queries.iter().map(|one| one.found.len()).sum());
        let mut ends = Vec::with_capacity(queries.len());
        for query in queries {
            let found = query.found.into_iter();
            all.extend(found.map(|(closeness, row)| Neighbour {
                row,
                value: prepared.value(closeness, query.row),
            }));
            ends.push(all.len());
        }
        Self {
            first,
            found: all,
            ends,
        }
    }

    /// The neighbours of a sentence, the nearest first; none if there are no candidates.
    ///
    /// # Panics
    /// If the sentence was not requested.
    pub fn get(&self, sentence: usize) -> &[Neighbour] {
        let place = sentence - self.first;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.found[start..self.ends[place]]
    }

    /// The neighbours of each requested sentence, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[Neighbour]> {
        (self.first..self.first + self.ends.len()).map(|sentence| self.get(sentence))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
