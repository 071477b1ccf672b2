//! The sentence-level Transformer: encoder, decoder and their embeddings.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017; with other encoder layouts, Liu & Chen 2022.

use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor};

use super::config::ModelConfig;
use super::decoder::{Decoder, DecoderState};
use super::embedding::{Embedding, Rows};
use super::encoder::{Encoder, EncoderOutput};
use crate::error::Result;
use crate::kernels::{DropoutSource, label_smoothed_cross_entropy};

/// All random weights of a process come from one generator of burn's: models are drawn one after the other, or another
/// thread's would change what a seed gives.
fn drawing() -> MutexGuard<'static, ()> {
    static DRAWING: Mutex<()> = Mutex::new(());
    DRAWING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws every weight now; burn would draw it when it is first used, after whatever else was drawn by then.
struct Draw;

impl ModuleVisitor for Draw {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        param.val();
    }
}

/// A whole model.
#[derive(Module, Debug)]
pub struct Transformer {
    /// Embeds the source, and the target too unless it has its own.
    pub embedding: Embedding,
    pub target_embedding: Option<Embedding>,
    pub encoder: Encoder,
    pub decoder: Decoder,
    /// `[vocab, d_model]`; none if the embedding serves.
    pub logits: Option<Param<Tensor<2>>>,
}

impl Transformer {
    /// A model with random weights.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn new(config: &ModelConfig, device: &Device) -> Result<Self> {
        let _alone = drawing();
        Self::draw(config, device)
    }

    /// A model whose random weights follow from `seed`.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn seeded(config: &ModelConfig, seed: u64, device: &Device) -> Result<Self> {
        let _alone = drawing();
        device.seed(seed);
        Self::draw(config, device)
    }

    fn draw(config: &ModelConfig, device: &Device) -> Result<Self> {
        config.validate()?;
        let untied = !config.tied_embeddings;
        let model = Self {
            embedding: Embedding::new(config, device),
            target_embedding: untied.then(|| Embedding::new(config, device)),
            encoder: Encoder::new(config, device),
            decoder: Decoder::new(config, device),
            logits: untied.then(|| Embedding::new(config, device).words),
        };
        model.visit(&mut Draw);
        Ok(model)
    }

    /// Encodes source sentences.
    pub fn encode(&self, source: &Rows, drop: &DropoutSource) -> EncoderOutput {
        self.encoder
            .forward(self.embedding.forward(source, drop), source, drop)
    }

    /// Mean label-smoothed loss in nats a token.
    ///
    /// `target` begins every sentence with `bos`; `labels` holds for each of its rows the next word.
    ///
    /// # Shapes
    /// - output: `[1]`
    pub fn loss(
        &self,
        source: &Rows,
        target: &Rows,
        labels: &[u32],
        label_smoothing: f32,
        drop: &DropoutSource,
    ) -> Tensor<1> {
        let encoded = self.encode(source, drop);
        let embedded = self.target_embedding().forward(target, drop);
        let states = self.decoder.forward(embedded, target, &encoded, drop);
        label_smoothed_cross_entropy(self.vocabulary_scores(states), labels, label_smoothing)
    }

    /// A search state with one hypothesis for each encoded sentence.
    pub fn start(&self, encoded: &EncoderOutput) -> DecoderState {
        self.decoder.start(encoded)
    }

    /// Adds the word `ids[h]` to hypothesis `h`.
    ///
    /// # Shapes
    /// - output: scores before softmax, `[hypotheses, vocab]`
    pub fn step(&self, state: &mut DecoderState, ids: &[u32]) -> Tensor<2> {
        let embedded = self.target_embedding().embed(ids, &state.next_places());
        self.vocabulary_scores(self.decoder.step(state, embedded))
    }

    fn target_embedding(&self) -> &Embedding {
        self.target_embedding.as_ref().unwrap_or(&self.embedding)
    }

    fn vocabulary_scores(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self
            .logits
            .as_ref()
            .unwrap_or(&self.target_embedding().words);
        states.matmul(table.val().transpose())
    }
}
