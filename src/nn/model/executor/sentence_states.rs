//! States of sentences that were encoded by themselves, kept from one reading of a document to the next.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::counting::Place;
use crate::model::packed_batch::PackedBatch;

/// Rows that are kept at most: 64 MiB where `d_model` is 256.
const LARGEST: usize = 1 << 16;

/// Token ids of a sentence, and the place of its first token.
type Key = (Box<[u32]>, Place);

/// States of sentences below the context, by what they were made of, so that a document that is read again, or in windows,
/// encodes each sentence once. Good for one model.
#[derive(Debug, Clone, Default)]
pub struct SentenceStates {
    states: HashMap<Key, Arc<[f32]>>,
    rows: usize,
}

impl SentenceStates {
    /// The states of all sentences of `source`, each `[tokens, d_model]`; `encode` gives those of the sentences, by their numbers,
    /// that are not known. None if it gives none.
    pub(super) fn complete(
        &mut self,
        source: &PackedBatch,
        encode: impl FnOnce(&[usize]) -> Option<Vec<Arc<[f32]>>>,
    ) -> Option<Vec<Arc<[f32]>>> {
        let mut found: Vec<Option<Arc<[f32]>>> = (0..source.sentences.len())
            .map(|sentence| self.states.get(&key(source, sentence)).cloned())
            .collect();
        let missing: Vec<usize> = (0..found.len())
            .filter(|&sentence| found[sentence].is_none())
            .collect();
        for (&sentence, states) in missing.iter().zip(encode(&missing)?) {
            self.keep(source, sentence, &states);
            found[sentence] = Some(states);
        }
        found.into_iter().collect()
    }

    fn keep(&mut self, source: &PackedBatch, sentence: usize, states: &Arc<[f32]>) {
        let rows = source.sentences[sentence].len();
        if self.rows + rows <= LARGEST {
            self.rows += rows;
            self.states
                .insert(key(source, sentence), Arc::clone(states));
        }
    }
}

fn key(source: &PackedBatch, sentence: usize) -> Key {
    let ids = &source.ids[source.sentences[sentence].clone()];
    (ids.into(), source.positions[sentence])
}
