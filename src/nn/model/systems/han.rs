//! The hierarchical attention network: Miculicich et al. 2018.

use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, MemorySource, Placement, Side};
use crate::model::mechanism::{ContextWeights, Mechanism, ReadSentences};
use crate::model::parts::{AttentionPart, Cost, Widths, sentences};
use crate::model::preset::{BASE, Preset};
use canopy_kernels::WordNormaliser;

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
