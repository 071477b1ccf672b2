//! Selective attention and its flat baselines: Maruf et al. 2019.

mod cpu;
mod flat;
mod layer;
mod recording;

use burn::tensor::{Device, Tensor};

use crate::model::config::ModelConfig;
use crate::model::context::ContextLayer;
use crate::model::context_config::{
    Context, ContextReach, FlatLevel, MemorySource, Placement, Reach, Side,
};
use crate::model::identity_init::set_to_identity;
use crate::model::linear::Linear;
use crate::model::mechanism::{ContextWeights, DocumentAttention, Mechanism};
use crate::model::packed::Pack;
use crate::model::parts::{AttentionPart, Cost, Widths};
use crate::model::prepared::{Attend, Memory, MemoryQuery, SelectedMemory, VisibleMemory};
use crate::model::preset::{BASE, PAPER, Preset};
use crate::model::recorder::{AttentionWeights, Recording};
use crate::model::systems::ContextAttention;
use canopy_kernels::WordNormaliser;

pub use flat::{FlatAttention, FlatAttentionConfig};
pub use layer::{SelectiveAttention, SelectiveAttentionConfig};

const SELECTIVE: &str = "Maruf et al. 2019, Selective Attention for Context-aware NMT";

/// The encoder and decoder of the selective paper, §4.2.
pub(super) const SELECTIVE_BASE: Preset = Preset {
    name: "transformer-4",
    paper: SELECTIVE,
    equations: "§4.2",
    description: "Four layers on either side: the sentence-level model of the selective paper",
    size: PAPER,
    encoder: "sf-sf-sf-sf",
    num_decoder_layers: 4,
    ..BASE
};

const fn selective(words: WordNormaliser, reach: Reach, side: Side) -> Context {
    Context::Selective { words, reach, side }
}

const fn flat(level: FlatLevel, reach: Reach, side: Side) -> Context {
    Context::Flat { level, reach, side }
}

const SPARSE: WordNormaliser = WordNormaliser::Sparsemax;
const SOFT: WordNormaliser = WordNormaliser::Softmax;

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "flat-sentence-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all other sentences of the document: baseline of selective attention",
        context: Some(flat(FlatLevel::Sentence, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-word-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all words of the other sentences: baseline of selective attention",
        context: Some(flat(FlatLevel::Word, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-sentence-online-small",
        paper: SELECTIVE,
        equations: "Eq. 7; online",
        description: "One softmax over all sentences before each one: baseline of selective attention",
        context: Some(flat(FlatLevel::Sentence, Reach::Online, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-word-online-small",
        paper: SELECTIVE,
        equations: "Eq. 7; online",
        description: "One softmax over all words of the sentences before each one: baseline of selective attention",
        context: Some(flat(FlatLevel::Word, Reach::Online, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-sentence-decoder-small",
        paper: SELECTIVE,
        equations: "Eq. 7; decoder",
        description: "One softmax over the translations of all other sentences: baseline of selective attention",
        context: Some(flat(FlatLevel::Sentence, Reach::Offline, Side::Decoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-word-decoder-small",
        paper: SELECTIVE,
        equations: "Eq. 7; decoder",
        description: "One softmax over all words of the translations of the other sentences: baseline of selective attention",
        context: Some(flat(FlatLevel::Word, Reach::Offline, Side::Decoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, offline",
        description: "Sparse attention to the sentences of the whole document, then to their words: most weights are exactly zero",
        context: Some(selective(SPARSE, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-soft-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-soft, encoder, offline",
        description: "Sparse attention to sentences, softmax over the words of those that are left",
        context: Some(selective(SOFT, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-online-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, online",
        description: "Selective attention to the sentences before each one only: for text that is still being written",
        context: Some(selective(SPARSE, Reach::Online, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-decoder-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, decoder, offline",
        description: "Selective attention to the translations of all other sentences: keeps terms and names consistent",
        context: Some(selective(SPARSE, Reach::Offline, Side::Decoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    SELECTIVE_BASE,
    Preset {
        name: "selective",
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, offline",
        description: "Selective attention at the size of the paper",
        context: Some(selective(SPARSE, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..SELECTIVE_BASE
    },
];

/// Sparse attention to sentences, then to their tokens.
pub(super) struct Selective {
    pub words: WordNormaliser,
    pub reach: Reach,
    pub side: Side,
}

impl Mechanism for Selective {
    fn reach(&self) -> ContextReach {
        self.reach.into()
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

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let (d, heads) = (config.d_model, config.num_heads);
        let attention = SelectiveAttentionConfig::new(d, heads, self.reach, self.words);
        Some(ContextAttention::Selective(attention.init(device)))
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let (d, square) = w.numbers();
        Some(AttentionPart {
            name: "selective attention",
            parameters: 6 * w.square(),
            reads: others("words, where the sentence has weight,", self.reach),
            source: "Maruf et al. 2019, Eq. 3-6, 8-9",
            cost: Cost {
                words: 6 * square,
                words_and_sentences: d,
                // At most: sentences without weight are not read.
                words_and_words: 2 * d,
                floats_per_word: 7 * d,
                ..Cost::default()
            },
        })
    }

    fn weights(&self) -> ContextWeights {
        ContextWeights {
            read: self.reach.into(),
            normaliser: self.words,
            sentence_normaliser: Some(WordNormaliser::Sparsemax),
            ..ContextWeights::default()
        }
    }
}

/// One softmax over all other sentences or their tokens.
pub(super) struct Flat {
    pub level: FlatLevel,
    pub reach: Reach,
    pub side: Side,
}

impl Mechanism for Flat {
    fn reach(&self) -> ContextReach {
        self.reach.into()
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

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let (d, heads) = (config.d_model, config.num_heads);
        let attention = FlatAttentionConfig::new(d, heads, self.level, self.reach);
        Some(ContextAttention::Flat(attention.init(device)))
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let (d, square) = w.numbers();
        let (units, by_word, by_sentence) = match self.level {
            FlatLevel::Word => ("words", 2 * d, 0),
            FlatLevel::Sentence => ("the mean", 0, 2 * d),
        };
        Some(AttentionPart {
            name: "flat attention",
            parameters: 4 * w.square(),
            reads: others(units, self.reach),
            source: "Maruf et al. 2019, Eq. 7",
            cost: Cost {
                words: 4 * square,
                words_and_words: by_word,
                words_and_sentences: by_sentence,
                floats_per_word: 6 * d,
                ..Cost::default()
            },
        })
    }

    fn weights(&self) -> ContextWeights {
        ContextWeights {
            keys: self.level,
            read: self.reach.into(),
            ..ContextWeights::default()
        }
    }
}

fn others(units: &str, reach: Reach) -> String {
    match reach {
        Reach::Offline => format!("{units} of all other sentences of the document"),
        Reach::Online => format!("{units} of all sentences before its own"),
    }
}

impl Attend for SelectiveAttention {
    type Projected = SelectedMemory;

    fn project_memory(&self, memory: &Memory) -> SelectedMemory {
        let (keys, values) = (memory.keys.clone(), memory.values.clone());
        self.prepare(keys, values, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, SelectedMemory>) -> Tensor<2> {
        let MemoryQuery {
            memory, dropout, ..
        } = query;
        self.attend(query.rows, query.spans, memory, query.documents, dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (read, weights) = self.attention_weights(query, keep);
        (self.output.forward(read), weights)
    }
}

impl DocumentAttention for SelectiveAttention {
    fn init_near_identity(&mut self) {
        for projection in [
            &mut self.query_sentence,
            &mut self.key_sentence,
            &mut self.query_word,
            &mut self.key_word,
            &mut self.value,
            &mut self.output,
        ] {
            set_to_identity(projection);
        }
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }

    fn pack<'a>(&'a self, layer: &'a ContextLayer) -> Option<Pack<'a>> {
        Some(cpu::pack(self, layer))
    }
}

impl Attend for FlatAttention {
    type Projected = VisibleMemory;

    fn project_memory(&self, memory: &Memory) -> VisibleMemory {
        let (keys, values) = (memory.keys.clone(), memory.values.clone());
        self.prepare(keys, values, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, VisibleMemory>) -> Tensor<2> {
        query.read_by(&self.attention)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, VisibleMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        query.read_with_weights(&self.attention, keep)
    }
}

impl DocumentAttention for FlatAttention {
    fn init_near_identity(&mut self) {
        self.attention.init_identity();
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.attention.output
    }
}
