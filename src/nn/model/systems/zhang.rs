//! Gated attention to the encoded previous sentences in every layer of encoder or decoder.
//!
//! Zhang et al., "Improving the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.2: a layer of
//! its own encodes the embedded tokens of the previous sentences, one after the other. The gate of §3.3 stands in place of
//! the residual; the norm after it is that of the authors' program, the equation shows the gate only. In the decoder the
//! attention to the previous sentences stands between self-attention and the attention to the source.

use std::ops::Range;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, Placement, Side};
use crate::model::documents::Documents;
use crate::model::embedding::Embedding;
use crate::model::encoder_sublayer::{EncoderSublayer, one_layer};
use crate::model::linear::Linear;
use crate::model::mechanism::{ContextWeights, DocumentAttention, Mechanism, ReadSentences};
use crate::model::packed_batch::PackedBatch;
use crate::model::parts::{AttentionPart, Cost, Part, PartGroup, Widths, sentences};
use crate::model::prepared::{Attend, Memory, MemoryQuery, WordMemory};
use crate::model::preset::{BASE, Preset};
use crate::model::recorder::{AttentionWeights, Recording};
use crate::model::rows::select_rows;
use canopy_kernels::{DropoutSource, Segment};

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

impl Zhang {
    pub fn attention(config: &ModelConfig, device: &Device) -> MultiHeadAttention {
        MultiHeadAttentionConfig::new(config.d_model, config.num_heads).init(device)
    }
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

/// Plain attention to the tokens that the memory gives as the own sentence's.
impl Attend for MultiHeadAttention {
    type Projected = WordMemory;

    fn project_memory(&self, memory: &Memory) -> WordMemory {
        let (keys, values) = self.project(memory.values.clone());
        WordMemory { keys, values }
    }

    fn attend_memory(&self, query: MemoryQuery<'_, WordMemory>) -> Tensor<2> {
        let WordMemory { keys, values } = query.memory.clone();
        let segments = own_segments(&query);
        self.attend(query.rows, (keys, values), &segments, query.dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, WordMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let read = self.attend_memory(query.clone());
        let segments = own_segments(&query);
        let keys = &query.memory.keys;
        (read, self.weights_of(query.rows, keys, &segments, keep))
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

fn own_segments(query: &MemoryQuery<'_, WordMemory>) -> Arc<[Segment]> {
    let segments = query.spans.iter().map(|span| Segment {
        queries: span.rows.clone(),
        keys: query.documents.sentences[span.sentence].clone(),
    });
    segments.collect()
}

/// An encoder layer over the tokens of the previous sentences.
#[derive(Module, Debug)]
pub struct PreviousEncoder {
    pub sublayers: Vec<EncoderSublayer>,
    /// How many sentences are read.
    pub context_size: usize,
}

impl PreviousEncoder {
    /// None if the model has another context.
    pub(in crate::model) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let Some(Context::Zhang { previous, .. } | Context::QueryCapsules { previous, .. }) =
            config.context
        else {
            return None;
        };
        Some(Self {
            sublayers: one_layer(config, device),
            context_size: previous,
        })
    }

    /// The context of every sentence, as a memory in which it stands in the sentence's place. Its tokens are counted from
    /// the first previous sentence on, as the one sequence that they are: otherwise nothing would show which tokens belong
    /// together.
    pub fn memory(
        &self,
        embedding: &Embedding,
        source: &PackedBatch,
        drop: &DropoutSource,
    ) -> Memory {
        let (rows, contexts) = self.rows(&source.layout());
        let mut joined = PackedBatch::default();
        for (context, place) in contexts.into_iter().zip(&source.positions) {
            let ids: Vec<u32> = rows[context].iter().map(|&row| source.ids[row]).collect();
            joined.push_at(&ids, place);
        }
        if rows.is_empty() {
            // No sentence has one before it: these tokens are not read.
            return self.forward(&embedding.forward(source, drop), &source.layout(), drop);
        }
        joined.documents.clone_from(&source.documents);
        let words = embedding.forward(&joined, drop);
        Memory::from_states(self.encode(words, &joined.sentences, drop), joined.layout())
    }

    /// The memory of embedded tokens, each with the place in its own sentence.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub fn forward(&self, x: &Tensor<2>, documents: &Documents, drop: &DropoutSource) -> Memory {
        let (rows, contexts) = self.rows(documents);
        let encoded = if rows.is_empty() {
            x.clone()
        } else {
            self.encode(select_rows(x.clone(), &rows), &contexts, drop)
        };
        let documents = Documents {
            sentences: contexts,
            documents: documents.documents.clone(),
        };
        Memory::from_states(encoded, documents)
    }

    /// The row of every token that the memory holds, and the memory's rows for every sentence.
    pub(in crate::model) fn rows(&self, documents: &Documents) -> (Vec<usize>, Vec<Range<usize>>) {
        let (mut rows, mut contexts) = (Vec::new(), vec![0..0; documents.sentences.len()]);
        for document in &documents.documents {
            for sentence in document.clone() {
                let first = document
                    .start
                    .max(sentence.saturating_sub(self.context_size));
                let start = rows.len();
                let before = documents.sentences[first..sentence].iter();
                rows.extend(before.flat_map(Range::clone));
                contexts[sentence] = start..rows.len();
            }
        }
        (rows, contexts)
    }

    /// # Shapes
    /// - words, output: `[rows, d_model]`
    pub fn encode(
        &self,
        words: Tensor<2>,
        contexts: &[Range<usize>],
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let segments = Segment::own(contexts);
        let layers = self.sublayers.iter();
        layers.fold(words, |x, sublayer| sublayer.forward(x, &segments, drop))
    }
}
