//! Context chosen by similarity and fused with BERT (Choi et al. 2022), and the systems fused with BERT that its paper
//! compares.

mod fusion;

use crate::error::{BaseError, Error, Result};
use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, ContextSentence, Fusion, Placement};
use crate::model::mechanism::Mechanism;
use crate::model::parts::{AttentionPart, Cost, Widths};
use crate::model::preset::{BASE, PAPER, Preset, Size};
use canopy_metrics::similarity::Measure;

pub use fusion::BertFusion;

const CATSBY: &str = "Choi et al. 2022, CATSBY: context by similarity, fused with BERT";
const BERT_FUSED: &str = "Zhu et al. 2020, Incorporating BERT into Neural Machine Translation";

const CATSBY_EQUATIONS: &str = "Eq. 2, 12-18";
const BERT_FUSED_EQUATIONS: &str = "§4.1-4.2, drop-net";
const GATE_EQUATIONS: &str = "§4.1, with the gate of Maruf et al. 2019, Eq. 8-9";

/// BERT over each sentence and the one that is most similar to it.
const fn fused(fusion: Fusion) -> Context {
    Context::Bert {
        fusion,
        sentence: ContextSentence::Similar(Measure::Cosine),
    }
}

/// The encoder and decoder of the CATSBY paper.
pub(super) const CATSBY_BASE: Preset = Preset {
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
    context: Some(fused(Fusion::SharedCardinality)),
    ..BASE
};

pub(super) const PRESETS: &[Preset] = &[
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
        context: Some(fused(Fusion::SharedCardinality)),
        ..BASE
    },
];

/// Presets at the size of the CATSBY paper.
pub(super) const OF_CATSBY: &[Preset] = &[
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

/// Attention to BERT's states of the sentence and one other in every layer.
pub(super) struct Bert {
    pub fusion: Fusion,
    pub sentence: ContextSentence,
}

impl Mechanism for Bert {
    fn reach(&self) -> ContextReach {
        ContextReach::Document
    }

    fn placement(&self) -> Option<Placement> {
        Some(match self.fusion {
            Fusion::Cardinality => Placement::Sublayer,
            Fusion::SharedCardinality | Fusion::Average | Fusion::Gate => Placement::Heads,
        })
    }

    fn decoder_placement(&self) -> Option<Placement> {
        self.placement()
    }

    fn bert(&self) -> Option<(Fusion, ContextSentence)> {
        Some((self.fusion, self.sentence))
    }

    fn set_like(&self, base: Context) -> Option<Context> {
        match base {
            Context::Bert { sentence, .. } => Some(Context::Bert {
                fusion: self.fusion,
                sentence,
            }),
            _ => None,
        }
    }

    /// BERT's context comes with the sentence.
    fn encodes_documents(&self) -> bool {
        false
    }

    fn needs_post_norm(&self) -> bool {
        true
    }

    fn validate(&self, config: &ModelConfig) -> Result<()> {
        if config.bert.is_some() {
            return Ok(());
        }
        Err(Error::Base(BaseError::Config {
            field: "bert",
            found: "missing".to_owned(),
            allowed: "an imported BERT".to_owned(),
        }))
    }

    fn attention_part(&self, config: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let ((d, square), d_bert) = (w.numbers(), config.bert.as_ref()?.sizes.d_model);
        let gate = if self.fusion == Fusion::Gate {
            w.gate
        } else {
            0
        };
        Some(AttentionPart {
            name: match self.fusion {
                Fusion::SharedCardinality | Fusion::Cardinality => {
                    "attention to BERT, residuals of its own"
                }
                Fusion::Average => "attention to BERT, averaged",
                Fusion::Gate => "attention to BERT, gate",
            },
            parameters: 2 * (w.square() + d_bert * w.d) + gate,
            reads: "words of its sentence and of one other, as BERT sees them".to_owned(),
            source: match self.fusion {
                Fusion::SharedCardinality | Fusion::Cardinality => "CATSBY 2022, Eq. 13-18",
                Fusion::Average | Fusion::Gate => "Zhu et al. 2020, §4",
            },
            cost: Cost {
                words: 2 * square + 4 * d * d_bert as u64,
                words_in_sentence: 4 * d,
                floats_per_word: 7 * d + 2 * d_bert as u64,
                ..Cost::default()
            },
        })
    }
}
