//! One pass through a whole model over a document and its translation.

use std::collections::HashMap;
use std::ops::Range;

use super::super::document_window::DocumentWindow;
use super::super::packed_batch::PackedBatch;
use super::super::system::Model;
use super::{AttentionRecorder, Recording};

/// Target tokens that are decoded at once: bounds the memory of a pass, not its result.
const CHUNK_TOKENS: usize = 4_096;

impl Model {
    /// Records the attention of the model when it reads `source` and writes `target`.
    ///
    /// `target` has a sentence for each of `source`: `bos` and its translation without `eos`, so that each row is the
    /// query that the next token was found with; empty if it has no translation.
    pub fn record(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        keep: Recording,
    ) -> AttentionRecorder {
        self.record_in_window(source, target, None, keep)
    }

    /// The recorder of a window of one document, of the rest of which only encodings are known: sentences that the
    /// encoder's context names, and the leaves of its tree, have their numbers in the document.
    pub fn record_in_window(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        document_window: Option<&DocumentWindow>,
        keep: Recording,
    ) -> AttentionRecorder {
        let pairs = [source, target].map(|rows| rows.sentences.len());
        assert_eq!(pairs[0], pairs[1], "sentences and their translations");
        let mut recorder = AttentionRecorder::keeping(keep);
        let executor = self.executor();
        let encoded = executor.encode(source, document_window, &mut recorder);
        let chunks = chunks(target);
        if chunks.is_empty() {
            return recorder;
        }
        let translations = executor.translations(source, target, &encoded, HashMap::new());
        for numbers in chunks {
            let (rows, encoded) = (some_of(target, &numbers), encoded.select(&numbers));
            executor.record(&rows, &encoded, translations.as_ref(), &mut recorder);
        }
        recorder
    }
}

/// Numbers of the sentences with tokens, a chunk of tokens at a time.
fn chunks(target: &PackedBatch) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    let mut tokens = 0;
    for (number, rows) in target.sentences.iter().enumerate() {
        if rows.is_empty() {
            continue;
        }
        match chunks.last_mut() {
            Some(chunk) if tokens + rows.len() <= CHUNK_TOKENS => chunk.push(number),
            _ => {
                chunks.push(vec![number]);
                tokens = 0;
            }
        }
        tokens += rows.len();
    }
    chunks
}

fn some_of(rows: &PackedBatch, numbers: &[usize]) -> PackedBatch {
    let words = |range: &Range<usize>| &rows.ids[range.clone()];
    PackedBatch::new(numbers.iter().map(|&number| words(&rows.sentences[number])))
}
