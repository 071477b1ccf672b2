//! BERT as a translation model reads it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use half::f16;

use super::config::BertReading;
use super::{Bert, BertBatch, BertSequence};
use crate::model::documents::Documents;
use crate::model::packed_batch::PackedBatch;
use crate::model::pooling::{Pooling, normalised, pooled};
use crate::model::prepared::Memory;

/// Word pieces that are encoded at once.
const BATCH_TOKENS: usize = 2_048;

/// States of a frozen BERT that are kept, in bytes; others are computed again.
const MOST_BYTES: usize = 2 << 30;

/// A BERT that returns its states of `[CLS] sentence [SEP] context [SEP]`.
///
/// The states of one that does not learn are computed once for each sequence and kept with 16 bits a number, in all copies
/// of the reader together.
#[derive(Module, Debug)]
pub struct BertReader {
    /// The network.
    pub bert: Bert,
    #[module(skip)]
    kept: Option<Arc<KeptStates>>,
    #[module(skip)]
    pooling: (Pooling, bool),
}

/// States by their sequences, each `[tokens, d_model]`.
#[derive(Debug, Default)]
struct KeptStates {
    states: Mutex<HashMap<BertSequence, Arc<[f16]>>>,
}

impl BertReader {
    /// With weights of zeros, to be put in.
    pub(in super::super) fn new(reading: &BertReading, device: &Device) -> Self {
        Self::from_bert(Bert::new(&reading.sizes, device), reading)
    }

    /// A BERT with its weights.
    pub fn from_bert(bert: Bert, reading: &BertReading) -> Self {
        let bert = if reading.trained {
            bert
        } else {
            bert.no_grad()
        };
        Self {
            bert,
            kept: (!reading.trained).then(Arc::default),
            pooling: (reading.pooling, reading.normalised),
        }
    }

    /// The states of every sentence of `source` and its context, in the sentence's place.
    ///
    /// # Panics
    /// If there is not one sequence for each sentence.
    pub fn read(&self, source: &PackedBatch) -> Memory {
        let pieces = &source.pieces;
        let pairs = [&pieces.sequences, &source.sentences].map(Vec::len);
        assert_eq!(pairs[0], pairs[1], "BERT's sequences and sentences");
        let states = match &self.kept {
            None => self.bert.forward(pieces),
            Some(kept) => self.frozen(pieces, kept),
        };
        let documents = Documents {
            sentences: pieces.sequences.clone(),
            documents: source.documents.clone(),
        };
        Memory::from_states(states, documents)
    }

    /// A vector for each sequence, by which similar ones are found.
    ///
    /// # Shapes
    /// - output: `[sequences, d_bert]`
    pub fn vectors(&self, sequences: &BertBatch) -> Tensor<2> {
        let (pooling, is_normalised) = self.pooling;
        let pooled = pooled(self.bert.forward(sequences), &sequences.sequences, pooling);
        if is_normalised {
            normalised(pooled)
        } else {
            pooled
        }
    }

    /// - output: `[rows, d_model]`
    fn frozen(&self, pieces: &BertBatch, kept: &KeptStates) -> Tensor<2> {
        let table = self.bert.words.val();
        let ([_, width], device) = (table.dims(), table.device());
        let sequences: Vec<BertSequence> = (0..pieces.sequences.len())
            .map(|number| pieces.sequence(number))
            .collect();
        let mut known = kept.known(&sequences);
        let mut missing: Vec<&BertSequence> = sequences
            .iter()
            .filter(|sequence| !known.contains_key(sequence))
            .collect();
        missing.sort_by(|a, b| {
            (a.ids.len(), &a.ids, a.of_first).cmp(&(b.ids.len(), &b.ids, b.of_first))
        });
        missing.dedup();
        for some in batches(&missing) {
            let some = &missing[some];
            let mut batch = BertBatch::default();
            for sequence in some {
                batch.push_pair(&sequence.ids, sequence.of_first);
            }
            let states = self.bert.forward(&batch).into_data();
            let states: Vec<f16> = states.iter::<f32>().map(f16::from_f32).collect();
            for (sequence, rows) in some.iter().zip(&batch.sequences) {
                let own = &states[rows.start * width..rows.end * width];
                known.insert((*sequence).clone(), own.into());
            }
        }
        let mut values = Vec::with_capacity(pieces.ids.len() * width);
        for sequence in &sequences {
            values.extend(known[sequence].iter().map(|&value| f32::from(value)));
        }
        kept.keep(known);
        Tensor::from_data(TensorData::new(values, [pieces.ids.len(), width]), &device)
    }
}

impl KeptStates {
    fn known(&self, sequences: &[BertSequence]) -> HashMap<BertSequence, Arc<[f16]>> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let found = sequences.iter().filter_map(|sequence| {
            let states = states.get(sequence)?;
            Some((sequence.clone(), Arc::clone(states)))
        });
        found.collect()
    }

    fn keep(&self, found: HashMap<BertSequence, Arc<[f16]>>) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |states: &HashMap<BertSequence, Arc<[f16]>>| -> usize {
            states.values().map(|states| 2 * states.len()).sum()
        };
        // Counting costs little compared to computing a batch.
        if bytes(&states) + bytes(&found) <= MOST_BYTES {
            states.extend(found);
        }
    }
}

/// Runs of up to a number of tokens, at least one sequence each.
fn batches(sequences: &[&BertSequence]) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (place, sequence) in sequences.iter().enumerate() {
        let length = sequence.ids.len();
        match batches.last_mut() {
            Some(batch) if tokens + length <= BATCH_TOKENS => batch.end = place + 1,
            _ => {
                batches.push(place..place + 1);
                tokens = 0;
            }
        }
        tokens += length;
    }
    batches
}
