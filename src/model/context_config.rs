//! What a model reads beyond the sentence: one [`Context`] a system.

use serde::{Deserialize, Serialize};

use super::bert_fusion::Fusion;
use super::config::{ModelConfig, NormPosition};
use super::documents::Reach;
use super::flat::FlatLevel;
use super::layout::Sublayer;
use super::traversal::TraversalRule;
use super::tree::MergeKind;
use crate::error::{Error, Result};
use crate::kernels::WordNormaliser;
use crate::similarity::Measure;

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
    /// The encoder reads the previous sentences and its own in one sequence up to the last `top` self-attentions, which
    /// see its own alone: Ma et al. 2020.
    FlatTransformer { previous: usize, top: usize },
    /// Every layer of encoder and decoder reads BERT's states of the sentence and one other: CATSBY 2022; Zhu et al.
    /// 2020.
    Bert {
        fusion: Fusion,
        sentence: ContextSentence,
    },
}

/// Which sentence of its document BERT reads behind each one, where no file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSentence {
    /// The most similar one by this measure of BERT's vectors.
    Similar(Measure),
    Previous,
    /// The sentence itself.
    Same,
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
            | Self::FlatTransformer { previous, .. }
            | Self::Zhang { previous } => ContextReach::Previous(previous),
            Self::Selective { reach, .. } | Self::Flat { reach, .. } => match reach {
                Reach::Offline => ContextReach::Document,
                Reach::Online => ContextReach::Before,
            },
            Self::HierarchicalEncoding { .. }
            | Self::Conditional { .. }
            | Self::HierarchicalConditional { .. }
            | Self::Bert { .. } => ContextReach::Document,
        }
    }

    /// Whether other sentences are read at the end of the encoder or decoder, where their states can be kept.
    pub fn is_gated(&self) -> bool {
        match self {
            Self::HierarchicalEncoding { placement, .. }
            | Self::Conditional { placement, .. }
            | Self::HierarchicalConditional { placement, .. } => *placement == Placement::Gate,
            Self::Selective { .. } | Self::Flat { .. } | Self::Han { .. } => true,
            Self::Concatenation { .. }
            | Self::Zhang { .. }
            | Self::FlatTransformer { .. }
            | Self::Bert { .. } => false,
        }
    }

    /// Whether other sentences have to be encoded with each one: BERT's context comes with the sentence.
    pub fn encodes_documents(&self) -> bool {
        !matches!(self, Self::Bert { .. })
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
            | Self::FlatTransformer { previous, .. }
            | Self::Zhang { previous }
                if !(1..=LARGEST_CONTEXT).contains(&previous) =>
            {
                return refuse(
                    "context.previous",
                    &previous,
                    &format!("1 to {LARGEST_CONTEXT}"),
                );
            }
            Self::Zhang { .. } | Self::Bert { .. } if config.norm == NormPosition::Pre => {
                return refuse("norm", &"pre", "post with this context");
            }
            Self::Bert { .. } if config.bert.is_none() => {
                return refuse(
                    "bert",
                    &"missing",
                    "an imported BERT: canopy train --bert DIR",
                );
            }
            Self::FlatTransformer { top, .. }
                if top >= config.encoder.count(Sublayer::SelfAttention) =>
            {
                let allowed = "less than there are self-attentions in the encoder";
                return refuse("context.top", &top, allowed);
            }
            _ => {}
        }
        let in_layers = match self {
            Self::HierarchicalEncoding { placement, .. }
            | Self::Conditional { placement, .. }
            | Self::HierarchicalConditional { placement, .. } => *placement != Placement::Gate,
            Self::Zhang { .. } | Self::Bert { .. } => true,
            _ => false,
        };
        if config.bert.is_some() && !matches!(self, Self::Bert { .. }) {
            return refuse("bert", &"set", "none with this context");
        }
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
