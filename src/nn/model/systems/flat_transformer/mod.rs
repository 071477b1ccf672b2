//! The Flat-Transformer (Ma et al. 2020), alone and with attention to BERT, as the CATSBY paper compares them.

mod encoder;

use super::bert::{Bert, CATSBY_BASE};
use crate::error::{BaseError, Error, Result};
use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, ContextSentence, Fusion, Placement};
use crate::model::layout::Sublayer;
use crate::model::mechanism::Mechanism;
use crate::model::parts::{AttentionPart, Cost, Part, PartGroup, Widths};
use crate::model::preset::{BASE, Preset};

pub use encoder::FlatSegments;

const FLAT_TRANSFORMER: &str =
    "Ma et al. 2020, A Simple and Effective Unified Encoder for Document-Level Machine Translation";

const FLAT_TRANSFORMER_EQUATIONS: &str = "§3, Fig. 2";
const FLAT_BERT_EQUATIONS: &str = "§3, Fig. 2; Zhu et al. 2020, §4.1-4.2";

/// The Flat-Transformer of two sentences, which BERT reads too.
const FLAT_BERT: Context = Context::FlatTransformerBert {
    previous: 1,
    top: 1,
    fusion: Fusion::Average,
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
        name: "flat-transformer-bert-small",
        paper: FLAT_TRANSFORMER,
        equations: FLAT_BERT_EQUATIONS,
        description: "The same, whose layers average their attention with one to BERT over the two sentences; needs an imported BERT",
        context: Some(FLAT_BERT),
        ..BASE
    },
];

/// Presets at the size of the CATSBY paper.
pub(super) const OF_CATSBY: &[Preset] = &[
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
        name: "flat-transformer-bert",
        paper: FLAT_TRANSFORMER,
        equations: FLAT_BERT_EQUATIONS,
        description: "One encoder for two sentences with attention to BERT, at the size that CATSBY compares; needs an imported BERT",
        context: Some(FLAT_BERT),
        ..CATSBY_BASE
    },
];

/// One encoder for the previous sentences and the own one, whose top sees only the own one.
pub(super) struct FlatTransformer {
    pub previous: usize,
    pub top: usize,
}

impl Mechanism for FlatTransformer {
    fn reach(&self) -> ContextReach {
        ContextReach::Previous(self.previous)
    }

    fn placement(&self) -> Option<Placement> {
        None
    }

    fn concatenated(&self) -> usize {
        self.previous
    }

    fn num_own_attentions(&self) -> Option<usize> {
        Some(self.top)
    }

    fn validate(&self, config: &ModelConfig) -> Result<()> {
        if self.top < config.encoder.count(Sublayer::SelfAttention) {
            return Ok(());
        }
        Err(Error::Base(BaseError::Config {
            field: "context.top",
            found: self.top.to_string(),
            allowed: "less than there are self-attentions in the encoder".to_owned(),
        }))
    }

    fn auxiliary_part(&self, config: &ModelConfig, _: &Widths) -> Option<Part> {
        Some(Part {
            name: "segments: context and sentence".to_owned(),
            group: PartGroup::Context,
            parameters: 2 * config.d_model,
            reads: "whether a word is of the context".to_owned(),
            source: "Ma et al. 2020, §3",
            cost: Cost::default(),
        })
    }
}

/// The Flat-Transformer with attention to BERT in every layer. Ma et al. 2020 begin their encoder with BERT's weights; here it
/// is read as in the systems that CATSBY compares, so that they all know the same of it.
pub(super) struct FlatTransformerBert {
    pub flat: FlatTransformer,
    pub bert: Bert,
}

impl Mechanism for FlatTransformerBert {
    fn reach(&self) -> ContextReach {
        self.flat.reach()
    }

    fn placement(&self) -> Option<Placement> {
        self.bert.placement()
    }

    fn decoder_placement(&self) -> Option<Placement> {
        self.bert.decoder_placement()
    }

    fn concatenated(&self) -> usize {
        self.flat.concatenated()
    }

    fn num_own_attentions(&self) -> Option<usize> {
        self.flat.num_own_attentions()
    }

    fn bert(&self) -> Option<(Fusion, ContextSentence)> {
        self.bert.bert()
    }

    fn needs_post_norm(&self) -> bool {
        self.bert.needs_post_norm()
    }

    fn validate(&self, config: &ModelConfig) -> Result<()> {
        self.flat.validate(config)?;
        self.bert.validate(config)
    }

    fn attention_part(&self, config: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let part = self.bert.attention_part(config, w)?;
        Some(AttentionPart {
            reads: "words of its sentence and of the one before, as BERT sees them".to_owned(),
            ..part
        })
    }

    fn auxiliary_part(&self, config: &ModelConfig, w: &Widths) -> Option<Part> {
        self.flat.auxiliary_part(config, w)
    }
}
