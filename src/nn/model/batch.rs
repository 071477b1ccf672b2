//! The batch of one update.

use super::packed_batch::PackedBatch;

/// Source documents and translations of some of their sentences.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// All sentences of the documents, each with `eos`.
    pub source: PackedBatch,
    /// Translations that count in the loss; every sentence begins with `bos`.
    pub target: PackedBatch,
    /// For each sentence of `target` the number of its source sentence, ascending.
    pub translated: Vec<usize>,
    /// For each row of `target` the token that follows.
    pub labels: Vec<u32>,
    /// Translations of all sentences of `source`, for systems that read those of other sentences.
    pub references: PackedBatch,
}

impl Batch {
    /// Tokens of the source and number of rows of each sentence of `target`.
    pub(super) fn translations(&self) -> impl Iterator<Item = (&[u32], usize)> + Clone {
        let targets = self.target.sentences.iter().zip(&self.translated);
        targets.map(|(rows, &sentence)| {
            let source = self.source.sentences[sentence].clone();
            (&self.source.ids[source], rows.len())
        })
    }
}
