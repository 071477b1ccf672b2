//! Baselines of the papers that read no document: sentence-level ones, and those that read a translation memory.

use super::selective::SELECTIVE_BASE;
use crate::model::config::{Architecture, MemoryUse};
use crate::model::preset::{BASE, PAPER, Preset, SMALL, Size, TINY};

const TRANSFORMER: &str = "Vaswani et al. 2017, Attention Is All You Need";

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "transformer-small",
        paper: TRANSFORMER,
        equations: "§3, Fig. 1",
        description: "The classic Transformer with four layers on either side: the baseline of every comparison",
        encoder: "sf-sf-sf-sf",
        num_decoder_layers: 4,
        ..BASE
    },
    Preset {
        name: "transformer-tiny",
        paper: TRANSFORMER,
        equations: "§3, Fig. 1",
        description: "One layer on either side: the sentence-level model of the sample run",
        size: TINY,
        encoder: "sf",
        num_decoder_layers: 1,
        ..BASE
    },
    Preset {
        name: "rnnsearch-small",
        paper: "Bahdanau et al. 2015, Neural Machine Translation by Jointly Learning to Align and Translate",
        equations: "§3, appendix A",
        description: "Recurrent encoder and decoder with additive attention: the model before the Transformer",
        architecture: Architecture::RnnSearch,
        size: Size {
            tied_embeddings: false,
            ..SMALL
        },
        ..BASE
    },
];

/// Presets that read a translation memory.
pub(super) const OF_A_MEMORY: &[Preset] = &[
    Preset {
        name: "fuzzy-match-small",
        paper: "Bulte & Tezcan 2019, Neural Fuzzy Repair: Integrating Fuzzy Matches into NMT",
        equations: "Eq. 1, §3.2",
        description: "The encoder reads, behind each sentence, the translation of the most similar training sentence",
        memory_use: Some(MemoryUse::FuzzyMatch),
        ..BASE
    },
    Preset {
        name: "adaptive-small",
        paper: "Farajian et al. 2017, Multi-Domain Neural Machine Translation through Unsupervised Adaptation",
        equations: "instance-based adaptation, for each document instead of each sentence",
        description: "Learns from the training sentences that resemble a document's before it translates it",
        memory_use: Some(MemoryUse::FineTune),
        ..BASE
    },
    Preset {
        name: "nearest-neighbours-small",
        paper: "Khandelwal et al. 2021, Nearest Neighbor Machine Translation",
        equations: "Eq. 2-3, over the training sentences that resemble a document's",
        description: "Mixes its next words with those that followed similar states in the training sentences that \
                      resemble a document's",
        memory_use: Some(MemoryUse::KnnMt),
        ..BASE
    },
];

/// Presets at the size of the papers.
pub(super) const OF_PAPERS: &[Preset] = &[Preset {
    name: "rnnsearch",
    paper: "Bahdanau et al. 2015, Neural Machine Translation by Jointly Learning to Align and Translate",
    equations: "§3, appendix A",
    description: "Recurrent encoder and decoder with additive attention, at the size of the selective paper",
    architecture: Architecture::RnnSearch,
    size: Size {
        tied_embeddings: false,
        ..PAPER
    },
    ..SELECTIVE_BASE
}];
