//! The attention weights of a pass through a model, for display and analysis.
//!
//! A pass gets an [`AttentionRecorder`]; one that is off costs nothing. Weights are computed once more in addition to the
//! attention itself and only what [`Recording`] says is kept, so that the numbers of the pass are the same whether someone
//! looks or not.

mod context;
mod document;
mod layers;
mod model;
mod parts;
mod weights;

use std::ops::Range;

use burn::tensor::Tensor;

pub(super) use document::{selected, visible_weights};
pub(super) use layers::run;
pub use weights::{
    AttentionKind, AttentionWeights, HeadWeights, RecordedVisits, Recording, SentenceWeights,
};

/// All heads of one attention of one layer; layers are counted by their self-attention, and what is after the last
/// layer has its number.
#[derive(Debug, Clone)]
pub struct RecordedLayer {
    /// Which attention of the model it is.
    pub kind: AttentionKind,
    /// Layer, from 0.
    pub layer: usize,
    /// The weights of all heads.
    pub attention_weights: AttentionWeights,
}

/// The values of a gate, for each row over its features.
#[derive(Debug, Clone)]
pub struct GateActivations {
    /// Context or [`DecoderContext`](AttentionKind::DecoderContext).
    pub kind: AttentionKind,
    /// Layer, from 0.
    pub layer: usize,
    /// Mean of the features, `[rows]`.
    pub mean: Vec<f32>,
    /// Smallest of the features, `[rows]`.
    pub min: Vec<f32>,
    /// Largest of the features, `[rows]`.
    pub max: Vec<f32>,
}

/// Collects what is attended to; rows and sentences have the numbers that they have in the batch.
#[derive(Debug, Clone, Default)]
pub struct AttentionRecorder {
    keep: Option<Recording>,
    /// Where the encoder reads other rows than those of the source.
    pub(super) joined: Option<Joined>,
    /// The attention that was recorded.
    pub layers: Vec<RecordedLayer>,
    /// The gates that were recorded.
    pub gates: Vec<GateActivations>,
    /// Sentences that are leaves of the content tree, if there is one.
    pub leaves: Vec<usize>,
}

/// Concatenated sentences.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    /// Source row of each row that the encoder reads; none for a break.
    pub origin: Vec<Option<u32>>,
    /// Rows that the encoder reads each sentence for.
    pub own: Vec<Range<usize>>,
}

impl AttentionRecorder {
    /// Nobody looks.
    pub fn off() -> Self {
        Self::default()
    }

    /// Creates a recorder that keeps as much as `keep` says.
    pub fn keeping(keep: Recording) -> Self {
        Self {
            keep: Some(keep),
            ..Self::default()
        }
    }

    /// One without anything that keeps as much.
    pub(in super::super) fn empty_copy(&self) -> Self {
        Self {
            keep: self.keep,
            ..Self::default()
        }
    }

    /// Whether it records.
    pub(super) fn is_on(&self) -> bool {
        self.keep.is_some()
    }

    /// Adds what `read` says, after the existing rows of the same attention; nothing if it is off.
    pub(super) fn add(
        &mut self,
        kind: AttentionKind,
        layer: usize,
        read: impl FnOnce(&Recording) -> AttentionWeights,
    ) {
        let Some(keep) = &self.keep else { return };
        if layer < keep.first_layer(kind) {
            return;
        }
        let mut attention_weights = read(keep);
        if let Some(Joined { origin, own }) = &self.joined {
            attention_weights.rename(|row| origin[row]);
            if kind == AttentionKind::EncoderSelf {
                attention_weights.select(own);
            }
        }
        let same = |there: &&mut RecordedLayer| (there.kind, there.layer) == (kind, layer);
        match self.layers.iter_mut().find(same) {
            Some(there) => there
                .attention_weights
                .rows
                .append(&mut attention_weights.rows),
            None => self.layers.push(RecordedLayer {
                kind,
                layer,
                attention_weights,
            }),
        }
    }

    /// Gives what contexts of this kind read the rows of the source, where their memory has others.
    pub(super) fn rename_context(&mut self, kind: AttentionKind, origin: &[usize]) {
        let layers = self.layers.iter_mut();
        for layer in layers.filter(|layer| layer.kind == kind) {
            layer
                .attention_weights
                .rename(|row| Some(weights::number(origin[row])));
        }
    }

    /// Gives what was read of a window among other sentences the rows of the window, where they are those of tokens: the
    /// window has these `rows` and `sentences` of what was read. Encodings are recorded of its own sentences only.
    pub(super) fn rename_window(
        &mut self,
        rows: &Range<usize>,
        sentences: &Range<usize>,
        are_words: bool,
    ) {
        let own = |row: usize| {
            rows.contains(&row)
                .then(|| weights::number(row - rows.start))
        };
        for RecordedLayer {
            kind,
            attention_weights,
            ..
        } in &mut self.layers
        {
            match kind {
                AttentionKind::SentenceEncoding => {
                    attention_weights.select(std::slice::from_ref(sentences));
                    attention_weights.rename(own);
                }
                AttentionKind::Context if are_words => attention_weights.rename(own),
                _ => {}
            }
        }
    }

    /// Forgets the first queries of each kind: as many source and target rows and sentences as are named.
    pub fn forget_first(&mut self, [source, target, sentences]: [usize; 3]) {
        let count = |kind| match kind {
            AttentionKind::EncoderSelf | AttentionKind::Context => source,
            AttentionKind::SentenceEncoding => sentences,
            AttentionKind::Cross | AttentionKind::DecoderContext => target,
        };
        for RecordedLayer {
            kind,
            attention_weights,
            ..
        } in &mut self.layers
        {
            attention_weights
                .rows
                .drain(..count(*kind) * attention_weights.num_heads);
        }
        for gate in &mut self.gates {
            for values in [&mut gate.mean, &mut gate.min, &mut gate.max] {
                values.drain(..count(gate.kind));
            }
        }
    }

    /// Adds the values of a gate.
    ///
    /// # Shapes
    /// - values: `[rows, d_model]`
    pub(super) fn add_gate(
        &mut self,
        (kind, layer): (AttentionKind, usize),
        values: impl FnOnce() -> Tensor<2>,
    ) {
        if !self.is_on() {
            return;
        }
        let values = values();
        let numbers = |tensor: Tensor<2>| tensor.into_data().iter().collect::<Vec<f32>>();
        let mut gate = GateActivations {
            kind,
            layer,
            mean: numbers(values.clone().mean_dim(1)),
            min: numbers(values.clone().min_dim(1)),
            max: numbers(values.max_dim(1)),
        };
        let same = |there: &&mut GateActivations| (there.kind, there.layer) == (kind, layer);
        match self.gates.iter_mut().find(same) {
            Some(there) => {
                there.mean.append(&mut gate.mean);
                there.min.append(&mut gate.min);
                there.max.append(&mut gate.max);
            }
            None => self.gates.push(gate),
        }
    }
}
