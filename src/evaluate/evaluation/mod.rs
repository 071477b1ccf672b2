//! Several systems on the test documents of a corpus: what they are tested on, and what came of it as table and figure.

mod choices;
mod exchanged;
mod expected;
mod figure;
mod names;
mod oracle_history;
mod table;
mod test_set;

use serde::Serialize;

pub use choices::{ChoiceBucket, ChoiceScore, ChoiceTest, Choices};
pub use exchanged::Exchanged;
pub use expected::{ExpectedBucket, ExpectedForms, ExpectedScore, ExpectedTest};
pub use figure::ScoresFigure;
pub use names::unique_names;
pub use oracle_history::reads_confirmed;
pub use test_set::{ReferenceContext, TestSet, Translated};

use canopy_metrics::comparison::Comparison;
use canopy_metrics::judgement::{JudgedDocument, Judgement};

/// Results of several systems on a test set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Such as `help-en-de, test`.
    pub test: String,
    /// Words of the translation in a second, of each system.
    pub words_per_second: Vec<f64>,
    /// 0 for each model's own.
    pub beam_size: usize,
    /// Scores, differences and extremes.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Evaluation {
    /// The documents of two systems for a blind judgement: those that differ, but not so short that they say nothing.
    pub fn judgement(&self, systems: [usize; 2], seed: u64) -> Judgement {
        /// Segments of a document that can be judged.
        const LEAST: usize = 3;
        let comparison = &self.comparison;
        let mut documents: Vec<JudgedDocument> = comparison
            .documents
            .iter()
            .map(|document| JudgedDocument {
                name: document.name.clone(),
                ..JudgedDocument::default()
            })
            .collect();
        for segment in &comparison.segments {
            let place = comparison
                .documents
                .iter()
                .position(|document| document.document == segment.segment.document);
            let Some(place) = place else { continue };
            let document = &mut documents[place];
            document.source.push(segment.segment.source.clone());
            for (side, system) in document.translations.iter_mut().zip(systems) {
                side.push(segment.hypotheses[system].clone());
            }
        }
        documents.retain(|document| {
            let [first, second] = &document.translations;
            document.source.len() >= LEAST && first != second
        });
        let names = systems.map(|system| comparison.systems[system].name.clone());
        Judgement::new(names, documents, seed)
    }
}

#[cfg(test)]
mod tests;
