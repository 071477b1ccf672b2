//! The weights of one head of one query.

use std::ops::Range;

use super::super::systems::Visit;

/// Which attention of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttentionKind {
    /// Source tokens to the tokens of their sentence.
    EncoderSelf,
    /// Sentences to their own tokens, in the making of their encoding; one head.
    SentenceEncoding,
    /// Target tokens to the tokens of their source sentence.
    Cross,
    /// Source tokens to the document.
    Context,
    /// Target tokens to the document or to its translation.
    DecoderContext,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recording {
    /// Weights of a softmax below it are dropped, and their sum kept.
    pub least: f32,
    /// Which nodes of a traversal are kept.
    pub visits: RecordedVisits,
    /// The first layer of either side of which anything is kept.
    pub encoder_from: usize,
    /// The first layer of the decoder of which anything is kept.
    pub decoder_from: usize,
}

impl Recording {
    /// Everything.
    pub fn all() -> Self {
        Self {
            least: 0.0,
            visits: RecordedVisits::All,
            encoder_from: 0,
            decoder_from: 0,
        }
    }

    pub(super) fn first_layer(&self, kind: AttentionKind) -> usize {
        match kind {
            AttentionKind::Cross | AttentionKind::DecoderContext => self.decoder_from,
            AttentionKind::EncoderSelf
            | AttentionKind::SentenceEncoding
            | AttentionKind::Context => self.encoder_from,
        }
    }
}

/// Which nodes of a traversal are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedVisits {
    /// Every node that was looked at.
    All,
    /// Nodes whose relevance was among the top T.
    Survivors,
    /// No node.
    None,
}

/// The weights of one head of one query; nothing at all if it may see nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeadWeights {
    /// Rows of tokens or numbers of sentences with their weights, ascending; exact zeros are not there.
    pub keys: Vec<(u32, f32)>,
    /// Weight of all keys that are left out: with that of `keys` it is 1.
    pub rest: f32,
    /// Where sentences are chosen before their tokens: those that were, ascending.
    pub sentences: Vec<SentenceWeights>,
    /// The way down the content tree, each node with its level, ascending; the leaves have level 0.
    pub visits: Vec<(u8, Visit)>,
}

/// A sentence that was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SentenceWeights {
    /// Number of the sentence in the batch.
    pub sentence: usize,
    /// Weight of all its tokens together.
    pub weight: f32,
    /// The score of its own by which it was chosen, before normalising.
    pub relevance: Option<f32>,
    /// The sum of the scores on its path, where there is a tree.
    pub cumulative: Option<f32>,
}

/// All heads of some queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttentionWeights {
    /// Number of attention heads.
    pub num_heads: usize,
    /// Head `h` of query `r` is at `r · num_heads + h`.
    pub rows: Vec<HeadWeights>,
}

impl HeadWeights {
    /// Weights of keys in ascending order, those below `least` dropped.
    pub(in super::super) fn new(
        weights: impl IntoIterator<Item = (usize, f32)>,
        least: f32,
    ) -> Self {
        let mut reading = Self::default();
        let mut rest = 0.0_f64;
        for (key, weight) in weights {
            if weight >= least && weight != 0.0 {
                reading.keys.push((number(key), weight));
            } else {
                rest += f64::from(weight);
            }
        }
        reading.keys.shrink_to_fit();
        #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
        let rest = rest as f32;
        Self { rest, ..reading }
    }

    /// Gives every key the number that `name` says; the weight of one without a number becomes part of the rest.
    pub(super) fn rename(&mut self, name: impl Fn(usize) -> Option<u32>) {
        let rest = &mut self.rest;
        self.keys.retain_mut(|(key, weight)| {
            let number = name(*key as usize);
            match number {
                Some(number) => *key = number,
                None => *rest += *weight,
            }
            number.is_some()
        });
    }
}

impl AttentionWeights {
    /// Keeps the queries of these rows, in order.
    pub fn select(&mut self, queries: &[Range<usize>]) {
        let heads = self.num_heads;
        let rows = queries
            .iter()
            .flat_map(|rows| rows.start * heads..rows.end * heads);
        self.rows = rows
            .map(|row| std::mem::take(&mut self.rows[row]))
            .collect();
    }

    /// Gives sentences other numbers; weights of sentences for which there is none become part of the rest.
    pub fn rename(&mut self, name: impl Fn(usize) -> Option<u32>) {
        for row in &mut self.rows {
            row.rename(&name);
        }
    }
}

pub(super) fn number(row: usize) -> u32 {
    u32::try_from(row).expect("rows and sentences fit 32 bits")
}
