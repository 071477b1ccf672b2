//! BERT: a Transformer encoder that others have trained on plain text.
//!
//! Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019, §3: learned places, a vector that
//! distinguishes the first from the second of two texts, post-norm layers (Vaswani et al. 2017) with biases everywhere and GELU.
//! Its tasks (masked tokens, next sentence) and its pooler are left out: what is wanted are the states.

mod batch;
mod config;
mod layer;
mod reader;
#[cfg(test)]
mod tests;

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

pub use batch::{BertBatch, BertSequence};
pub use config::{BertConfig, BertReading};
pub use layer::BertLayer;
pub use reader::BertReader;

use super::Norm;
use super::rows::select_rows;
use canopy_kernels::Segment;

/// Tokens, places and types as vectors, and the layers above them.
#[derive(Module, Debug)]
pub struct Bert {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// `[max_tokens, d_model]`
    pub positions: Param<Tensor<2>>,
    /// `[num_types, d_model]`
    pub types: Param<Tensor<2>>,
    /// Norm of the summed vectors.
    pub norm: Norm,
    /// The layers, the lowest first.
    pub layers: Vec<BertLayer>,
}

impl Bert {
    /// With tables of zeros, for weights to be put in.
    pub fn new(config: &BertConfig, device: &Device) -> Self {
        let table = |rows| Param::from_tensor(Tensor::zeros([rows, config.d_model], device));
        Self {
            words: table(config.vocab_size),
            positions: table(config.max_tokens),
            types: table(config.num_types),
            norm: Norm::new(config.d_model, device).with_epsilon(config.norm_epsilon),
            layers: (0..config.num_layers)
                .map(|_| BertLayer::new(config, device))
                .collect(),
        }
    }

    /// The states of the last layer, H_B of the fusion models.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`, the rows of [`BertBatch::sequences`]
    pub fn forward(&self, batch: &BertBatch) -> Tensor<2> {
        let segments = Segment::own(&batch.sequences);
        let layers = self.layers.iter();
        layers.fold(self.embed(batch), |x, layer| layer.forward(x, &segments))
    }

    /// The states below the first layer and after each.
    ///
    /// # Shapes
    /// - output: `num_layers + 1` times `[rows, d_model]`
    pub fn hidden_states(&self, batch: &BertBatch) -> Vec<Tensor<2>> {
        let segments = Segment::own(&batch.sequences);
        let mut states = vec![self.embed(batch)];
        for layer in &self.layers {
            let below = states[states.len() - 1].clone();
            states.push(layer.forward(below, &segments));
        }
        states
    }

    fn embed(&self, batch: &BertBatch) -> Tensor<2> {
        let rows = |table: &Param<Tensor<2>>, ids: Vec<usize>| select_rows(table.val(), &ids);
        let words = rows(
            &self.words,
            batch.ids.iter().map(|&id| id as usize).collect(),
        );
        let positions = rows(&self.positions, batch.positions().collect());
        let types = rows(&self.types, batch.types.clone());
        self.norm.forward(words + positions + types)
    }
}
