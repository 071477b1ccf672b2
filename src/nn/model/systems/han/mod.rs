//! The hierarchical attention network: Miculicich et al. 2018.

mod cpu;
mod layer;
mod recording;

use burn::tensor::{Device, Tensor};

use crate::model::config::ModelConfig;
use crate::model::context::ContextGate;
use crate::model::context_attention::{GatedMemory, JoinMemory};
use crate::model::context_config::{Context, ContextReach, MemorySource, Placement, Side};
use crate::model::documents::Documents;
use crate::model::identity_init::set_to_identity;
use crate::model::mechanism::{ContextWeights, GatedLayer, Mechanism, ReadSentences};
use crate::model::norm::Norm;
use crate::model::packed::Pack;
use crate::model::parts::{AttentionPart, Cost, Widths, sentences};
use crate::model::prepared::{Memory, WordMemory};
use crate::model::preset::{BASE, Preset};
use crate::model::query_spans::QuerySpan;
use crate::model::recorder::{AttentionKind, AttentionRecorder};
use crate::model::systems::GatedContext;
use canopy_kernels::{DropoutSource, WordNormaliser};

pub use layer::{HanContext, HanContextConfig};

const PAPER: &str =
    "Miculicich et al. 2018, Document-Level NMT with Hierarchical Attention Networks";

const fn han(side: Side) -> Context {
    Context::Han { previous: 3, side }
}

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "han-encoder-small",
        paper: PAPER,
        equations: "Eq. 2-7",
        description: "Attention to the words of the three previous source sentences, then to these sentences",
        context: Some(han(Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "han-decoder-small",
        paper: PAPER,
        equations: "Eq. 2-7",
        description: "The same over the three previous translations",
        context: Some(han(Side::Decoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "han-small",
        paper: PAPER,
        equations: "Eq. 2-7",
        description: "The same over previous sentences and their translations",
        context: Some(han(Side::Both)),
        memory: MemorySource::StageOne,
        ..BASE
    },
];

pub(super) struct Han {
    pub previous: usize,
    pub side: Side,
}

impl Mechanism for Han {
    fn reach(&self) -> ContextReach {
        ContextReach::Previous(self.previous)
    }

    fn placement(&self) -> Option<Placement> {
        Some(Placement::Gate)
    }

    fn side(&self) -> Side {
        self.side
    }

    fn gated_layer(&self, config: &ModelConfig, device: &Device) -> Option<GatedContext> {
        let han = HanContextConfig::new(config.d_model, config.d_ff, config.num_heads)
            .with_context_size(self.previous)
            .with_warm_gate(config.warm_gate);
        Some(GatedContext::Han(han.init(device)))
    }

    fn reads_ends(&self) -> bool {
        false
    }

    fn num_gated_norms(&self) -> usize {
        0
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let ((d, square), k) = (w.numbers(), self.previous as u64);
        Some(AttentionPart {
            name: "hierarchical attention network",
            parameters: 10 * w.square(),
            reads: format!("words of the {} before", sentences(self.previous)),
            source: "Miculicich et al. 2018, Eq. 2-7",
            cost: Cost {
                words: (6 + 4 * k) * square,
                words_in_sentence: 2 * d * k,
                floats_per_word: (4 + 3 * k) * d,
                ..Cost::default()
            },
        })
    }

    fn weights(&self) -> ContextWeights {
        ContextWeights {
            read: ReadSentences::Previous(self.previous),
            sentence_normaliser: Some(WordNormaliser::Softmax),
            ..ContextWeights::default()
        }
    }
}

impl GatedLayer for HanContext {
    fn prepared(&self, memory: &Memory) -> GatedMemory {
        GatedMemory::new(HanMemory {
            words: self.prepare(memory.values.clone()),
            documents: memory.documents.clone(),
            han: self.clone(),
        })
    }

    fn init_near_identity(&mut self, _: Norm) {
        set_to_identity(&mut self.word_query);
        set_to_identity(&mut self.sentence_query);
        self.word_attention.init_identity();
        self.sentence_attention.init_identity();
        self.feed_forward.pass_on();
    }

    fn gate(&self) -> &ContextGate {
        &self.gate
    }

    fn read_recorded(
        &self,
        [own, _]: [&Tensor<2>; 2],
        query_spans: &[QuerySpan],
        memory: &Memory,
        (kind, layer): (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let (words, documents) = (&memory.values, &memory.documents);
        let summaries = self.summaries(own.clone(), query_spans, words.clone(), documents);
        recorder.add(kind, layer, |keep| {
            self.attention_weights(own, &summaries, query_spans, words, documents, keep)
        });
        let none = DropoutSource::none();
        self.context(own.clone(), summaries, query_spans, documents, &none)
    }

    fn pack(&self) -> Option<Pack<'_>> {
        Some(cpu::pack(self))
    }
}

/// Words of some documents, with the network that reads them.
#[derive(Debug)]
struct HanMemory {
    words: WordMemory,
    documents: Documents,
    han: HanContext,
}

impl JoinMemory for HanMemory {
    fn join(
        &self,
        own: Tensor<2>,
        _: Tensor<2>,
        query_spans: &[QuerySpan],
        drop: &DropoutSource,
    ) -> Tensor<2> {
        self.han
            .attend(own, query_spans, &self.words, &self.documents, drop)
    }
}
