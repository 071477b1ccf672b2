//! Baselines of the papers: sentence-level ones, and those that read a few sentences before or one of a memory.

use super::selective::SELECTIVE_BASE;
use super::{BASE, PAPER, Preset, SMALL, Size, TINY};
use crate::model::config::{Architecture, MemoryUse};
use crate::model::context_config::{Context, MemorySource, Side};

const TRANSFORMER: &str = "Vaswani et al. 2017, Attention Is All You Need";
const HAN: &str = "Miculicich et al. 2018, Document-Level NMT with Hierarchical Attention Networks";

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
    Preset {
        name: "concatenation-small",
        paper: "Tiedemann & Scherrer 2017, Neural Machine Translation with Extended Context",
        equations: "§3",
        description: "The encoder reads the previous sentence together with each one, with a break token between them",
        context: Some(Context::Concatenation { previous: 1 }),
        ..BASE
    },
    Preset {
        name: "previous-translations-small",
        paper: "Agrawal et al. 2018, Contextual Handling in NMT: Look Behind, Ahead and on Both Sides",
        equations: "previous target sentences in the source; here three, behind the sentence",
        description: "The encoder reads, behind each sentence, the translations of the three before it: a choice once \
                      made or confirmed is kept",
        previous_translations: 3,
        ..BASE
    },
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
    Preset {
        name: "zhang-small",
        paper: "Zhang et al. 2018, Improving the Transformer Translation Model with Document-Level Context",
        equations: "§3.2-3.3",
        description: "Every encoder layer reads the two previous sentences through a gate",
        context: Some(Context::Zhang { previous: 2 }),
        ..BASE
    },
    Preset {
        name: "han-encoder-small",
        paper: HAN,
        equations: "Eq. 2-7",
        description: "Attention to the words of the three previous source sentences, then to these sentences",
        context: Some(Context::Han {
            previous: 3,
            side: Side::Encoder,
        }),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "han-decoder-small",
        paper: HAN,
        equations: "Eq. 2-7",
        description: "The same over the three previous translations",
        context: Some(Context::Han {
            previous: 3,
            side: Side::Decoder,
        }),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "han-small",
        paper: HAN,
        equations: "Eq. 2-7",
        description: "The same over previous sentences and their translations",
        context: Some(Context::Han {
            previous: 3,
            side: Side::Both,
        }),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
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
    },
];
