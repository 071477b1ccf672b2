//! RNNSearch: a bidirectional encoder and a recurrent decoder that searches the source for every token.
//!
//! Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, §3 and
//! appendix A.

mod additive;
mod config;
mod decoder;
mod recurrent;

use std::ops::Range;

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

use super::encoder::EncoderOutput;
use super::packed_batch::PackedBatch;
use super::recorder::{AttentionWeights, Recording};
use super::rows::select_rows;
use canopy_kernels::{DropoutSource, dropout, label_smoothed_cross_entropy, product_with_table};

pub use additive::{AdditiveAttention, AdditiveAttentionConfig, Alignment};
pub use config::RnnSearchConfig;
pub use decoder::{RnnDecoder, RnnState};
pub use recurrent::{
    BidirectionalEncoder, BidirectionalEncoderConfig, Gate, GruCell, GruCellConfig, GruInput,
};

/// A whole model. As in the Transformer, tokens are embedded as `row of the table · √d_model`.
#[derive(Module, Debug)]
pub struct RnnSearch {
    /// `[vocab, d_model]`
    pub source_words: Param<Tensor<2>>,
    /// `[vocab, d_model]`
    pub target_words: Param<Tensor<2>>,
    /// The encoder.
    pub encoder: BidirectionalEncoder,
    /// The decoder.
    pub decoder: RnnDecoder,
    /// `W_o`, `[vocab, d_model]`
    pub logits: Param<Tensor<2>>,
}

/// Encoded sentences; one of them may be named more than once.
#[derive(Debug, Clone)]
pub struct RnnEncoded {
    /// `h_j` of every token, `[rows, 2 · d_model]`.
    pub annotations: Tensor<2>,
    /// `h_j U_a` of every token, `[rows, d_model]`.
    pub projected: Tensor<2>,
    /// Rows of every sentence.
    pub sentences: Vec<Range<usize>>,
}

impl RnnEncoded {
    /// The named sentences in this order, over the same matrices.
    #[must_use]
    pub fn select(&self, sentences: &[usize]) -> Self {
        Self {
            annotations: self.annotations.clone(),
            projected: self.projected.clone(),
            sentences: sentences
                .iter()
                .map(|&sentence| self.sentences[sentence].clone())
                .collect(),
        }
    }
}

impl RnnSearch {
    /// A model with random weights; `config` should be [valid](RnnSearchConfig::validate).
    pub fn new(config: &RnnSearchConfig, device: &Device) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let table = || {
            let distribution = Distribution::Normal(0.0, deviation);
            let shape = [config.vocab_size, config.d_model];
            Param::from_tensor(Tensor::random(shape, distribution, device))
        };
        Self {
            source_words: table(),
            target_words: table(),
            encoder: BidirectionalEncoderConfig::new(config.d_model, config.d_model).init(device),
            decoder: RnnDecoder::new(config, device),
            logits: table(),
        }
    }

    /// Annotations of source sentences, §3.2.
    pub fn encode(&self, source: &PackedBatch, drop: &DropoutSource) -> RnnEncoded {
        self.projected(self.annotations(source, drop), source.sentences.clone())
    }

    /// `h_j` of every token, `[rows, 2 · d_model]`.
    pub(super) fn annotations(&self, source: &PackedBatch, drop: &DropoutSource) -> Tensor<2> {
        let words = dropout(embed(&self.source_words, &source.ids), drop.next());
        dropout(self.encoder.encode(words, &source.sentences), drop.next())
    }

    /// Sentences whose [annotations](Self::annotations) are the states of `encoded`.
    pub(super) fn encoded(&self, encoded: &EncoderOutput) -> RnnEncoded {
        self.projected(encoded.states.clone(), encoded.sentences.clone())
    }

    fn projected(&self, annotations: Tensor<2>, sentences: Vec<Range<usize>>) -> RnnEncoded {
        RnnEncoded {
            projected: self.decoder.attention.project(annotations.clone()),
            annotations,
            sentences,
        }
    }

    /// Mean label-smoothed loss in nats a token.
    ///
    /// Sentence `i` of `target` begins with `bos` and translates sentence `translated[i]` of `source`; `labels` holds
    /// for each row of `target` the next token.
    ///
    /// # Shapes
    /// - output: `[1]`
    pub fn loss(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        translated: &[usize],
        labels: &[u32],
        label_smoothing: f32,
        drop: &DropoutSource,
    ) -> Tensor<1> {
        let encoded = self.encode(source, drop).select(translated);
        let scores = self.scores(&encoded, target, drop);
        label_smoothed_cross_entropy(scores, labels, label_smoothing)
    }

    /// Scores before softmax of the token after every row of `target`, whose sentences translate those of `encoded`.
    ///
    /// # Shapes
    /// - output: `[target rows, vocab]`
    pub fn scores(
        &self,
        encoded: &RnnEncoded,
        target: &PackedBatch,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let words = dropout(embed(&self.target_words, &target.ids), drop.next());
        let read = self.decoder.forward(words, &target.sentences, encoded);
        self.vocabulary_scores(dropout(read, drop.next()))
    }

    /// The alignment of every row of `target` with the tokens of its source sentence.
    pub fn attention_weights(
        &self,
        encoded: &RnnEncoded,
        target: &PackedBatch,
        keep: &Recording,
    ) -> AttentionWeights {
        let words = embed(&self.target_words, &target.ids);
        self.decoder
            .attention_weights(words, &target.sentences, encoded, keep)
    }

    /// A search state with one hypothesis for each encoded sentence.
    pub fn start(&self, encoded: &RnnEncoded) -> RnnState {
        self.decoder.start(encoded)
    }

    /// Adds the token `ids[h]` to hypothesis `h`.
    ///
    /// # Shapes
    /// - output: scores before softmax, `[hypotheses, vocab]`
    pub fn step(&self, state: &mut RnnState, ids: &[u32]) -> Tensor<2> {
        let words = embed(&self.target_words, ids);
        self.vocabulary_scores(self.decoder.step(state, words))
    }

    fn vocabulary_scores(&self, read: Tensor<2>) -> Tensor<2> {
        product_with_table(read, self.logits.val())
    }
}

/// Tokens as vectors, `[words, d_model]`.
fn embed(table: &Param<Tensor<2>>, ids: &[u32]) -> Tensor<2> {
    let table = table.val();
    let [_, d_model] = table.dims();
    let rows: Vec<usize> = ids.iter().map(|&id| id as usize).collect();
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let scale = (d_model as f64).sqrt();
    select_rows(table, &rows) * scale
}

#[cfg(test)]
mod tests;
