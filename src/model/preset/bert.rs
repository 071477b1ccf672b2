//! Context chosen by similarity and fused with BERT (Choi et al. 2022), and the systems that its paper compares.

use super::{BASE, PAPER, Preset, Size};
use crate::model::context_config::{Context, ContextSentence, Fusion};
use crate::similarity::Measure;

const CATSBY: &str = "Choi et al. 2022, CATSBY: context by similarity, fused with BERT";
const BERT_FUSED: &str = "Zhu et al. 2020, Incorporating BERT into Neural Machine Translation";
const FLAT_TRANSFORMER: &str =
    "Ma et al. 2020, A Simple and Effective Unified Encoder for Document-Level Machine Translation";

const CATSBY_EQUATIONS: &str = "Eq. 2, 12-18";
const BERT_FUSED_EQUATIONS: &str = "§4.1-4.2, drop-net";
const GATE_EQUATIONS: &str = "§4.1, with the gate of Maruf et al. 2019, Eq. 8-9";
const FLAT_TRANSFORMER_EQUATIONS: &str = "§3, Fig. 2";

/// BERT over each sentence and the one that is most similar to it.
const fn fused(fusion: Fusion) -> Context {
    Context::Bert {
        fusion,
        sentence: ContextSentence::Similar(Measure::Cosine),
    }
}

/// The encoder and decoder of the CATSBY paper.
const CATSBY_BASE: Preset = Preset {
    name: "catsby",
    paper: CATSBY,
    equations: CATSBY_EQUATIONS,
    description: "BERT over each sentence and the most similar one, at the size of the paper; needs an imported BERT",
    size: Size {
        d_ff: 1024,
        num_heads: 4,
        ..PAPER
    },
    encoder: "sf-sf-sf-sf-sf-sf",
    num_decoder_layers: 6,
    context: Some(fused(Fusion::Cardinality)),
    ..BASE
};

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "flat-transformer-small",
        paper: FLAT_TRANSFORMER,
        equations: FLAT_TRANSFORMER_EQUATIONS,
        description: "One encoder for the previous sentence and its own, whose top sees its own alone",
        context: Some(Context::FlatTransformer {
            previous: 1,
            top: 1,
        }),
        ..BASE
    },
    Preset {
        name: "bert-fused-small",
        paper: BERT_FUSED,
        equations: BERT_FUSED_EQUATIONS,
        description: "Every layer averages its own attention with one to BERT over each sentence and the most similar one; needs an imported BERT",
        context: Some(fused(Fusion::Average)),
        ..BASE
    },
    Preset {
        name: "bert-fused-gate-small",
        paper: BERT_FUSED,
        equations: GATE_EQUATIONS,
        description: "The same with a gate in place of the average; needs an imported BERT",
        context: Some(fused(Fusion::Gate)),
        ..BASE
    },
    Preset {
        name: "catsby-small",
        paper: CATSBY,
        equations: CATSBY_EQUATIONS,
        description: "Every layer reads BERT over each sentence and the most similar one, through residuals of its own; needs an imported BERT",
        context: Some(fused(Fusion::Cardinality)),
        ..BASE
    },
    Preset {
        name: "flat-transformer",
        paper: FLAT_TRANSFORMER,
        equations: FLAT_TRANSFORMER_EQUATIONS,
        description: "One encoder for two sentences, at the size that CATSBY compares",
        context: Some(Context::FlatTransformer {
            previous: 1,
            top: 1,
        }),
        ..CATSBY_BASE
    },
    Preset {
        name: "bert-fused",
        paper: BERT_FUSED,
        equations: BERT_FUSED_EQUATIONS,
        description: "Averaged attention to BERT at the size that CATSBY compares; needs an imported BERT",
        context: Some(fused(Fusion::Average)),
        ..CATSBY_BASE
    },
    Preset {
        name: "bert-fused-gate",
        paper: BERT_FUSED,
        equations: GATE_EQUATIONS,
        description: "Gated attention to BERT at the size that CATSBY compares; needs an imported BERT",
        context: Some(fused(Fusion::Gate)),
        ..CATSBY_BASE
    },
    CATSBY_BASE,
];
