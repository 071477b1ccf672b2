//! BERT: a Transformer encoder that others have trained on plain text.
//!
//! Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019, §3: learned places, a vector that
//! tells the first from the second of two texts, post-norm layers (Vaswani et al. 2017) with biases everywhere and GELU.
//! Its tasks (masked words, next sentence) and its pooler are left out: what is wanted are the states.

mod batch;
mod layer;
mod reader;
#[cfg(test)]
mod tests;

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

pub use batch::{BertBatch, BertSequence};
pub use layer::BertLayer;
pub use reader::{BertReader, BertReading};

use super::Norm;
use super::embedding::indices;
use crate::error::{Error, Result};
use crate::kernels::Segment;

/// Sizes of a [`Bert`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BertConfig {
    pub vocab_size: usize,
    pub d_model: usize,
    pub num_layers: usize,
    pub num_heads: usize,
    pub d_ff: usize,
    /// The longest sequence that has places.
    pub max_tokens: usize,
    /// Texts of a sequence that are told apart.
    pub num_types: usize,
    /// ε of every layer normalisation.
    pub norm_epsilon: f32,
}

impl BertConfig {
    /// # Errors
    /// [`Error::Config`] if a size is 0 or the heads do not divide `d_model`.
    pub fn validate(&self) -> Result<()> {
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("d_model", self.d_model),
            ("num_heads", self.num_heads),
            ("d_ff", self.d_ff),
            ("max_tokens", self.max_tokens),
            ("num_types", self.num_types),
        ];
        let refuse = |field, found: usize, allowed: &str| Error::Config {
            field,
            found: found.to_string(),
            allowed: allowed.to_owned(),
        };
        if let Some(&(field, found)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(refuse(field, found, "1 or more"));
        }
        if !self.d_model.is_multiple_of(self.num_heads) {
            return Err(refuse("num_heads", self.num_heads, "a divisor of d_model"));
        }
        Ok(())
    }
}

/// Words, places and types as vectors, and the layers above them.
#[derive(Module, Debug)]
pub struct Bert {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// `[max_tokens, d_model]`
    pub positions: Param<Tensor<2>>,
    /// `[num_types, d_model]`
    pub types: Param<Tensor<2>>,
    pub norm: Norm,
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
        let device = self.words.val().device();
        let rows = |table: &Param<Tensor<2>>, ids: Vec<usize>| {
            table.val().select(0, indices(ids.into_iter(), &device))
        };
        let words = rows(
            &self.words,
            batch.ids.iter().map(|&id| id as usize).collect(),
        );
        let positions = rows(&self.positions, batch.positions().collect());
        let types = rows(&self.types, batch.types.clone());
        self.norm.forward(words + positions + types)
    }
}
