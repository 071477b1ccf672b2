//! The context of a sentence.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use super::Rows;
use super::embeddings::Sentences;
use super::measure::Measure;
use super::selection::{Range, Selection};

/// The context types that CATSBY compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextKind {
    /// The most similar sentence.
    Similarity {
        /// The measure of closeness.
        measure: Measure,
        /// Where sentences are looked for.
        range: Range,
    },
    /// The sentence before it in the document.
    Previous,
    /// The sentence itself.
    Same,
}

impl ContextKind {
    /// The number of the context sentence for each of the sentences `queries`; none where there is no candidate: a
    /// document of one sentence, or what begins a document and has no previous one. `progress` as in
    /// [`Selection::run_for`].
    pub fn choose(
        self,
        sentences: &Sentences,
        queries: Rows,
        progress: impl Fn(usize) -> ControlFlow<()> + Sync,
    ) -> Option<Vec<Option<usize>>> {
        match self {
            Self::Similarity { measure, range } => {
                let selection = Selection {
                    measure,
                    range,
                    count: NonZeroUsize::MIN,
                };
                let found = selection.run_for(sentences, queries, progress)?;
                let nearest = found.iter().map(|found| found.first().map(|one| one.row));
                Some(nearest.collect())
            }
            Self::Previous => {
                let has_previous = |row: usize| sentences.document_of(row).start < row;
                let rows = queries.map(|row| has_previous(row).then(|| row - 1));
                Some(rows.collect())
            }
            Self::Same => Some(queries.map(Some).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Embeddings;
    use super::*;

    fn chosen(kind: ContextKind) -> Vec<Option<usize>> {
        let values = vec![1.0, 1.0, 2.0, 0.0, 1.0, 0.9, 3.0, 3.0];
        let embeddings = Embeddings::new(values, 2).expect("finite");
        let sentences = Sentences::new(embeddings, [3, 1]);
        let chosen = kind.choose(&sentences, 0..4, |_| ControlFlow::Continue(()));
        chosen.expect("nothing stops it")
    }

    #[test]
    fn each_kind_finds_its_sentence_in_the_document() {
        assert_eq!(
            chosen(ContextKind::Previous),
            [None, Some(0), Some(1), None]
        );
        assert_eq!(
            chosen(ContextKind::Same),
            [Some(0), Some(1), Some(2), Some(3)]
        );
        let similarity = |range| ContextKind::Similarity {
            measure: Measure::Cosine,
            range,
        };
        assert_eq!(
            chosen(similarity(Range::Each)),
            [Some(2), Some(2), Some(0), None]
        );
        assert_eq!(
            chosen(similarity(Range::All)),
            [Some(3), Some(2), Some(0), Some(0)]
        );
    }
}
