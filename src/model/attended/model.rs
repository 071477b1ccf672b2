//! One pass through a whole model over a document and its translation.

use std::ops::Range;

use super::super::embedding::Rows;
use super::super::rnn_search::RnnSearch;
use super::super::surroundings::Surroundings;
use super::super::system::{Model, Network};
use super::super::transformer::Transformer;
use super::{Attended, AttendedKind, Keep};
use crate::kernels::DropoutSource;

/// Target tokens that are decoded at once: bounds the memory of a pass, not its result.
const CHUNK_TOKENS: usize = 4_096;

impl Model {
    /// What the model attends to when it reads `source` and writes `target`.
    ///
    /// `target` has a sentence for each of `source`: `bos` and its translation without `eos`, so that each row is the
    /// query that the next word was found with; empty if it has no translation.
    pub fn attended(&self, source: &Rows, target: &Rows, keep: Keep) -> Attended {
        self.attended_among(source, target, None, keep)
    }

    /// [`Self::attended`] of a window of one document, of the rest of which only encodings are known: sentences that the
    /// encoder's context names, and the leaves of its tree, have their numbers in the document.
    pub fn attended_among(
        &self,
        source: &Rows,
        target: &Rows,
        surroundings: Option<&Surroundings>,
        keep: Keep,
    ) -> Attended {
        let pairs = [source, target].map(|rows| rows.sentences.len());
        assert_eq!(pairs[0], pairs[1], "sentences and their translations");
        let mut attended = Attended::keeping(keep);
        match &self.network {
            Network::Transformer(network) => {
                self.transformer(network, (source, surroundings), target, &mut attended);
            }
            Network::RnnSearch(network) => recurrent(network, source, target, &mut attended),
        }
        attended
    }

    fn transformer(
        &self,
        network: &Transformer,
        (source, surroundings): (&Rows, Option<&Surroundings>),
        target: &Rows,
        attended: &mut Attended,
    ) {
        let (none, memory) = (DropoutSource::none(), self.memory(source));
        let among = surroundings.and_then(|surroundings| {
            network.encode_among_attended(source, memory.clone(), surroundings, attended)
        });
        let encoded =
            among.unwrap_or_else(|| network.encode_attended(source, memory, &none, attended));
        let chunks = chunks(target);
        if chunks.is_empty() {
            return;
        }
        let translations = self.translations(source, target, &encoded, &none);
        for numbers in chunks {
            let (rows, encoded) = (some_of(target, &numbers), encoded.select(&numbers));
            let decoded = network.decode_attended(&rows, &encoded, &none, attended);
            if let Some(memory) = &translations {
                let (output, layers) = (&decoded, &network.decoder);
                layers.attend_to_translations(output, &rows, &encoded, memory, attended);
            }
        }
    }
}

fn recurrent(network: &RnnSearch, source: &Rows, target: &Rows, attended: &mut Attended) {
    let encoded = network.encode(source, &DropoutSource::none());
    for numbers in chunks(target) {
        let (rows, encoded) = (some_of(target, &numbers), encoded.select(&numbers));
        let last = network.decoder.cells.len() - 1;
        attended.add(AttendedKind::Cross, last, |keep| {
            network.readings(&encoded, &rows, keep)
        });
    }
}

/// Numbers of the sentences with words, a chunk of tokens at a time.
fn chunks(target: &Rows) -> Vec<Vec<usize>> {
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

fn some_of(rows: &Rows, numbers: &[usize]) -> Rows {
    let words = |range: &Range<usize>| &rows.ids[range.clone()];
    Rows::new(numbers.iter().map(|&number| words(&rows.sentences[number])))
}
