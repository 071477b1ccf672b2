//! Training examples in batches counted in tokens.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::Rows;
use crate::text::vocabulary::Vocabulary;

/// A sentence pair as ids, without `bos` and `eos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub source: Vec<u32>,
    pub target: Vec<u32>,
    /// The sentence's place in its paragraph and the paragraph's place in the document.
    pub place: (usize, usize),
}

impl Example {
    /// Target tokens that count in the loss: its words and `eos`.
    pub fn target_tokens(&self) -> usize {
        self.target.len() + 1
    }
}

/// What one update sees.
#[derive(Debug, Clone)]
pub struct Batch {
    pub source: Rows,
    /// Every sentence begins with `bos`.
    pub target: Rows,
    /// For each row of `target` the word that follows.
    pub labels: Vec<u32>,
}

impl Batch {
    pub fn new<'a>(examples: impl IntoIterator<Item = &'a Example>) -> Self {
        let mut batch = Self {
            source: Rows::default(),
            target: Rows::default(),
            labels: Vec::new(),
        };
        for Example {
            source,
            target,
            place,
        } in examples
        {
            batch
                .source
                .push(&[source.as_slice(), &[Vocabulary::EOS]].concat(), *place);
            batch
                .target
                .push(&[&[Vocabulary::BOS], target.as_slice()].concat(), *place);
            batch.labels.extend_from_slice(target);
            batch.labels.push(Vocabulary::EOS);
        }
        batch
    }
}

/// The examples of one epoch as numbers in batches, each of up to `batch_tokens` target tokens.
///
/// Examples of similar length stand together, lengths blurred a little from epoch to epoch, and the batches come in
/// random order; all of it depends on `seed` and `epoch` alone.
pub fn epoch_batches(
    examples: &[Example],
    batch_tokens: usize,
    seed: u64,
    epoch: usize,
) -> Vec<Vec<usize>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(epoch as u64 + 1);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    order.shuffle(&mut rng);
    let mut keyed: Vec<(usize, usize)> = order
        .into_iter()
        .map(|number| {
            (
                examples[number].source.len() + rng.random_range(0..4),
                number,
            )
        })
        .collect();
    keyed.sort_by_key(|&(length, _)| length);
    let mut batches = Vec::new();
    let (mut batch, mut tokens) = (Vec::new(), 0);
    for (_, number) in keyed {
        let more = examples[number].target_tokens();
        if tokens + more > batch_tokens && !batch.is_empty() {
            batches.push(std::mem::take(&mut batch));
            tokens = 0;
        }
        batch.push(number);
        tokens += more;
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches.shuffle(&mut rng);
    batches
}
