//! Gated attention to the encoded previous sentences in every layer of encoder or decoder.
//!
//! Zhang et al., "Improving the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.2: a layer of
//! its own encodes the embedded tokens of the previous sentences, one after the other. The gate of §3.3 is in place of
//! the residual; the norm after it is that of the authors' program, the equation shows the gate only. In the decoder the
//! attention to the previous sentences is between self-attention and the attention to the source.

mod layer;

use burn::tensor::Device;

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, Placement, Side};
use crate::model::linear::Linear;
use crate::model::mechanism::{ContextWeights, DocumentAttention, Mechanism, ReadSentences};
use crate::model::parts::{AttentionPart, Cost, Part, PartGroup, Widths, sentences};
use crate::model::preset::{BASE, Preset};
use crate::model::systems::{ContextAttention, MemoryEncoder};

pub use layer::PreviousEncoder;

const CITATION: &str = "Zhang et al. 2018, §3.2-3.3";

const ZHANG: Preset = Preset {
    name: "zhang-small",
    paper: "Zhang et al. 2018, Improving the Transformer Translation Model with Document-Level Context",
    equations: "§3.2-3.3",
    description: "Every encoder layer reads the two previous sentences through a gate",
    context: Some(two_before(Side::Encoder)),
    ..BASE
};

const fn two_before(side: Side) -> Context {
    Context::Zhang { previous: 2, side }
}

pub(super) const PRESETS: &[Preset] = &[
    ZHANG,
    Preset {
        name: "zhang-decoder-small",
        description: "Every decoder layer reads the two previous source sentences through a gate",
        context: Some(two_before(Side::Decoder)),
        ..ZHANG
    },
    Preset {
        name: "zhang-both-small",
        description: "Every layer of encoder and decoder reads the two previous source sentences through a gate",
        context: Some(two_before(Side::Both)),
        ..ZHANG
    },
];

pub(super) struct Zhang {
    pub previous: usize,
    /// Whose layers read.
    pub side: Side,
}

impl Mechanism for Zhang {
    fn reach(&self) -> ContextReach {
        ContextReach::Previous(self.previous)
    }

    fn placement(&self) -> Option<Placement> {
        self.side.has_encoder().then_some(Placement::Sublayer)
    }

    fn decoder_placement(&self) -> Option<Placement> {
        self.side.has_decoder().then_some(Placement::Sublayer)
    }

    fn reads_before_source(&self) -> bool {
        true
    }

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let attention = MultiHeadAttentionConfig::new(config.d_model, config.num_heads);
        Some(ContextAttention::Previous(attention.init(device)))
    }

    fn memory_encoder(&self, config: &ModelConfig, device: &Device) -> Option<MemoryEncoder> {
        Some(PreviousEncoder::new(self.previous, config, device))
    }

    fn has_gated_sublayers(&self) -> bool {
        true
    }

    fn needs_post_norm(&self) -> bool {
        true
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let ((d, square), k) = (w.numbers(), self.previous as u64);
        Some(AttentionPart {
            name: "attention to the previous sentences, gate",
            parameters: 4 * w.square() + w.gate,
            reads: format!("words of the {} before", sentences(self.previous)),
            source: CITATION,
            cost: Cost {
                words: (4 + 2 * k) * square,
                words_in_sentence: 2 * d * k,
                floats_per_word: (3 + 2 * k) * d,
                ..Cost::default()
            },
        })
    }

    fn auxiliary_part(&self, _: &ModelConfig, w: &Widths) -> Option<Part> {
        let mut cost = w.attention(self.previous * self.previous);
        cost.words = (cost.words + w.feed_forward_cost().words) * self.previous as u64;
        Some(Part {
            name: "previous sentences: self-attention, feed-forward".to_owned(),
            group: PartGroup::Context,
            parameters: 4 * w.square() + w.feed_forward() + 2 * w.norm,
            reads: format!("words of the {} before", sentences(self.previous)),
            source: CITATION,
            cost,
        })
    }

    fn weights(&self) -> ContextWeights {
        ContextWeights {
            read: ReadSentences::Previous(self.previous),
            gate: "context gate (1: only the sentence, 0: only the previous ones)",
            ..ContextWeights::default()
        }
    }
}

impl DocumentAttention for MultiHeadAttention {
    fn init_near_identity(&mut self) {
        self.init_identity();
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }
}
