//! Selective attention and its flat baselines: Maruf et al. 2019.

use super::{BASE, PAPER, Preset};
use crate::kernels::WordNormaliser;
use crate::model::context_config::{Context, FlatLevel, MemorySource, Reach, Side};

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

const fn flat(level: FlatLevel, reach: Reach) -> Context {
    Context::Flat {
        level,
        reach,
        side: Side::Encoder,
    }
}

const SPARSE: WordNormaliser = WordNormaliser::Sparsemax;
const SOFT: WordNormaliser = WordNormaliser::Softmax;

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "flat-sentence-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all other sentences of the document: baseline of selective attention",
        context: Some(flat(FlatLevel::Sentence, Reach::Offline)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-word-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all words of the other sentences: baseline of selective attention",
        context: Some(flat(FlatLevel::Word, Reach::Offline)),
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
