//! What a model reads beyond the sentence: one [`Context`] a system.

use serde::{Deserialize, Serialize};

use super::config::{ModelConfig, NormPosition};
use super::documents::Reach;
use super::flat::FlatLevel;
use super::layout::Sublayer;
use super::traversal::TraversalRule;
use super::tree::MergeKind;
use crate::error::{Error, Result};
use crate::kernels::WordNormaliser;

/// A document-level mechanism and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Context {
    /// The encoder reads the previous sentences before its own, with a break token between them: Tiedemann & Scherrer,
    /// "Neural Machine Translation with Extended Context", DiscoMT 2017.
    Concatenation { previous: usize },
    /// Words attend to the encodings of all sentences of the document, Trankova et al. 2024, §2.
    HierarchicalEncoding {
        placement: Placement,
        /// Whether each decoder layer does so too.
        decoder: bool,
    },
    /// Words attend to the words of the `top_t` most relevant sentences, Trankova et al. 2024, §3.2.
    Conditional { top_t: usize, placement: Placement },
    /// The same, with the sentences found by going down the content tree, Trankova et al. 2024, §3.3.
    HierarchicalConditional {
        top_t: usize,
        merge: MergeKind,
        rule: TraversalRule,
        placement: Placement,
    },
    /// Sparse attention to sentences, then to their words, Maruf et al. 2019, Eq. 3-6.
    Selective {
        words: WordNormaliser,
        reach: Reach,
        side: Side,
    },
    /// One softmax over all other sentences or their words, Maruf et al. 2019, Eq. 7.
    Flat {
        level: FlatLevel,
        reach: Reach,
        side: Side,
    },
    /// Hierarchical attention network, Miculicich et al. 2018.
    Han { previous: usize, side: Side },
    /// Gated attention to the encoded previous sentences in every encoder layer, Zhang et al. 2018.
    Zhang { previous: usize },
}

/// Where an attention to the document stands in the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// After every self-attention, with residual and norm of its own.
    Sublayer,
    /// Beside every self-attention, as additional heads.
    Heads,
    /// Once after the last layer, in a context layer with a gate.
    Gate,
}

/// Whose states a context layer stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The encoder's: the context is the source.
    Encoder,
    /// The decoder's: the context is the translation of the other sentences, found by what each word read of the source.
    Decoder,
    Both,
}

impl Side {
    pub fn has_encoder(self) -> bool {
        self != Self::Decoder
    }

    pub fn has_decoder(self) -> bool {
        self != Self::Encoder
    }
}

/// Which sentences of its document a sentence reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextReach {
    /// All of them.
    Document,
    /// All that stand before it.
    Before,
    /// So many that stand right before it.
    Previous(usize),
}

/// Where the states of the other sentences come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// From the model itself, with gradient.
    #[default]
    Live,
    /// From the sentence-level model that training began with, which no longer changes.
    StageOne,
}

impl Context {
    /// Whose states the context stands on.
    pub fn side(&self) -> Side {
        match *self {
            Self::Selective { side, .. } | Self::Flat { side, .. } | Self::Han { side, .. } => side,
            _ => Side::Encoder,
        }
    }

    /// Whether the decoder reads translations of other sentences.
    pub fn is_bilingual(&self) -> bool {
        self.side().has_decoder()
    }

    /// Which sentences of its document a sentence reads.
    pub fn reach(&self) -> ContextReach {
        match *self {
            Self::Concatenation { previous }
            | Self::Han { previous, .. }
            | Self::Zhang { previous } => ContextReach::Previous(previous),
            Self::Selective { reach, .. } | Self::Flat { reach, .. } => match reach {
                Reach::Offline => ContextReach::Document,
                Reach::Online => ContextReach::Before,
            },
            Self::HierarchicalEncoding { .. }
            | Self::Conditional { .. }
            | Self::HierarchicalConditional { .. } => ContextReach::Document,
        }
    }

    /// Whether other sentences are read at the end of the encoder or decoder, where their states can be kept.
    pub fn is_gated(&self) -> bool {
        match self {
            Self::HierarchicalEncoding { placement, .. }
            | Self::Conditional { placement, .. }
            | Self::HierarchicalConditional { placement, .. } => *placement == Placement::Gate,
            Self::Selective { .. } | Self::Flat { .. } | Self::Han { .. } => true,
            Self::Concatenation { .. } | Self::Zhang { .. } => false,
        }
    }

    pub(super) fn validate(&self, config: &ModelConfig) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            })
        };
        match *self {
            Self::Conditional { top_t: 0, .. } | Self::HierarchicalConditional { top_t: 0, .. } => {
                return refuse("context.top_t", &0, "at least 1");
            }
            Self::Concatenation { previous }
            | Self::Han { previous, .. }
            | Self::Zhang { previous }
                if !(1..=LARGEST_CONTEXT).contains(&previous) =>
            {
                return refuse(
                    "context.previous",
                    &previous,
                    &format!("1 to {LARGEST_CONTEXT}"),
                );
            }
            Self::Zhang { .. } if config.norm == NormPosition::Pre => {
                return refuse("norm", &"pre", "post with this context");
            }
            _ => {}
        }
        let in_layers = match self {
            Self::HierarchicalEncoding { placement, .. }
            | Self::Conditional { placement, .. }
            | Self::HierarchicalConditional { placement, .. } => *placement != Placement::Gate,
            Self::Zhang { .. } => true,
            _ => false,
        };
        if in_layers && config.encoder.count(Sublayer::SelfAttention) == 0 {
            let allowed = "a layout with self-attention, beside which the context can stand";
            return refuse("encoder", &config.encoder, allowed);
        }
        if config.memory == MemorySource::StageOne && !self.is_gated() {
            let allowed = "live, unless the context stands after the last layer";
            return refuse("memory", &"stage_one", allowed);
        }
        Ok(())
    }
}

/// More previous sentences than this are no context but a document.
const LARGEST_CONTEXT: usize = 64;
