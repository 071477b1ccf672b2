//! Layers with the weights of a file; a prefix such as `feed_forward.` names the part.

use std::ops::Range;

use canopy::model::{
    Activation, Architecture, BertBatch, ConditionalHeads, ContextGate, Encoder, FeedForward, Gate,
    GruCell, LEVELS, Layout, Linear, MemorySource, ModelConfig, MultiHeadAttention, Norm,
    NormPosition, PackedBatch, Positions, Source2Token, SpecialTokens, Variant,
};

use super::Case;

impl Case<'_> {
    /// A linear map without bias.
    pub fn linear(&self, weight: &str) -> Linear {
        Linear {
            weight: self.weight(weight),
            bias: None,
        }
    }

    pub fn linear_with_bias(&self, weight: &str, bias: &str) -> Linear {
        Linear {
            weight: self.weight(weight),
            bias: Some(self.weight(bias)),
        }
    }

    pub fn attention(&self, prefix: &str, causal: bool) -> MultiHeadAttention {
        let linear = |name: &str| self.linear(&format!("{prefix}{name}"));
        MultiHeadAttention {
            query: linear("w_q"),
            key: linear("w_k"),
            value: linear("w_v"),
            output: linear("w_o"),
            num_heads: self.size("heads"),
            causal,
        }
    }

    pub fn norm(&self, prefix: &str) -> Norm {
        Norm {
            gamma: self.weight(&format!("{prefix}gamma")),
            beta: self.weight(&format!("{prefix}beta")),
            epsilon: 1e-5,
        }
    }

    pub fn feed_forward(&self, prefix: &str) -> FeedForward {
        let linear = |weight: &str, bias: &str| {
            self.linear_with_bias(&format!("{prefix}{weight}"), &format!("{prefix}{bias}"))
        };
        FeedForward {
            inner: linear("w_1", "b_1"),
            outer: linear("w_2", "b_2"),
            activation: Activation::Relu,
        }
    }

    pub fn source2token_layer(&self, prefix: &str) -> Source2Token {
        let linear = |name: &str| self.linear(&format!("{prefix}{name}"));
        Source2Token {
            query: self.weight(&format!("{prefix}q")),
            key: linear("w_k"),
            value: linear("w_v"),
            output: linear("w_o"),
        }
    }

    pub fn conditional_heads(&self, num_heads: usize) -> ConditionalHeads {
        ConditionalHeads {
            query_word: self.linear("w_q_x"),
            key_word: self.linear("w_k_x"),
            query_sentence: self.linear("w_q_s"),
            key_sentence: self.linear("w_k_s"),
            value: self.linear("w_v_x"),
            num_heads,
            top_t: self.size("t"),
        }
    }

    pub fn gate(&self, own: &str, context: &str) -> ContextGate {
        ContextGate {
            own: self.linear(own),
            context: self.linear(context),
        }
    }

    pub fn gru(&self, prefix: &str) -> GruCell {
        let gate = |letter: &str| Gate {
            input: self.linear_with_bias(
                &format!("{prefix}w_{letter}"),
                &format!("{prefix}b_{letter}"),
            ),
            state: self.linear(&format!("{prefix}u_{letter}")),
        };
        GruCell {
            update: gate("z"),
            reset: gate("r"),
            candidate: gate("h"),
            update_keeps: false,
            reset_after: false,
        }
    }

    /// A model of the file's sizes.
    pub fn model_config(&self, encoder: &str) -> ModelConfig {
        ModelConfig {
            vocab_size: 8,
            d_model: self.size("d_model"),
            d_ff: self.size("d_ff"),
            num_heads: self.size("heads"),
            encoder: encoder.parse::<Layout>().expect("a layout"),
            num_decoder_layers: 1,
            dropout: 0.0,
            positions: Positions::Sinusoidal,
            norm: NormPosition::Post,
            tied_embeddings: true,
            max_tokens: 16,
            architecture: Architecture::Transformer,
            context: None,
            memory: MemorySource::Live,
            warm_gate: false,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            variant: Variant::default(),
            tokens: SpecialTokens::default(),
            bert: None,
        }
    }

    /// An encoder of one layer.
    pub fn encoder_layer(&self, prefix: &str) -> Encoder {
        let mut encoder = Encoder::new(&self.model_config("sf"), self.device());
        encoder.sublayers[0].attention =
            Some(self.attention(&format!("{prefix}self_attention."), false));
        encoder.sublayers[0].norm = self.norm(&format!("{prefix}norm_self."));
        encoder.sublayers[1].feed_forward =
            Some(self.feed_forward(&format!("{prefix}feed_forward.")));
        encoder.sublayers[1].norm = self.norm(&format!("{prefix}norm_ff."));
        encoder
    }

    /// Sentences of one document, whose words are already embedded.
    pub fn document(sentences: &[Range<usize>]) -> PackedBatch {
        PackedBatch {
            ids: Vec::new(),
            sentences: sentences.to_vec(),
            positions: vec![[0; LEVELS]; sentences.len()],
            documents: std::iter::once(0..sentences.len()).collect(),
            pieces: BertBatch::default(),
        }
    }

    /// The sentences of a mask as a batch whose words are already embedded, each a document.
    pub fn batch(&self, mask: &str) -> PackedBatch {
        let sentences = self.sentences(mask);
        PackedBatch {
            ids: Vec::new(),
            positions: vec![[0; LEVELS]; sentences.len()],
            documents: (0..sentences.len()).map(|n| n..n + 1).collect(),
            sentences,
            pieces: BertBatch::default(),
        }
    }
}
