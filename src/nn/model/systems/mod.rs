//! The systems that read beyond the sentence, a file for the papers that belong together.
//!
//! A new one is a file here with its presets, facts and layers, a variant of [`Context`], and its lines in this file.

mod baselines;
mod bert;
mod concatenation;
mod han;
mod hierarchical;
mod qcn;
mod selective;
mod x_transformer;
mod zhang;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::MultiHeadAttention;
use super::conditional::{ConditionalAttention, ConditionalAttentionConfig};
use super::config::ModelConfig;
use super::context_config::{Context, ContextReach, Placement, Side};
use super::documents::Documents;
use super::flat::{FlatAttention, FlatAttentionConfig};
use super::hierarchical::SentenceAttention;
use super::hierarchical_conditional::{
    HierarchicalConditionalAttention, HierarchicalConditionalAttentionConfig,
};
use super::linear::Linear;
use super::mechanism::{ContextWeights, DocumentAttention, Mechanism};
use super::prepared::{Memory, PreparedMemory};
use super::preset::Preset;
use super::query_capsules::QueryCapsules;
use super::query_spans::QuerySpan;
use super::selective::{SelectiveAttention, SelectiveAttentionConfig};
use super::source2token::Source2Token;
use crate::error::{BaseError, Error, Result};

pub use zhang::PreviousEncoder;

/// An encoder that makes the memory of the encoder's sublayers, where this is not the states that enter them.
pub(super) type MemoryEncoder = PreviousEncoder;

/// Presets in the order in which they are offered.
const PRESETS: [&[Preset]; 13] = [
    x_transformer::PRESETS,
    baselines::PRESETS,
    concatenation::PRESETS,
    concatenation::OF_TRANSLATIONS,
    concatenation::OF_A_FORM,
    baselines::OF_A_MEMORY,
    zhang::PRESETS,
    qcn::PRESETS,
    han::PRESETS,
    baselines::OF_PAPERS,
    selective::PRESETS,
    hierarchical::PRESETS,
    bert::PRESETS,
];

impl Context {
    /// The mechanism with these settings.
    pub(super) fn mechanism(self) -> Box<dyn Mechanism> {
        match self {
            Self::Concatenation { previous } => Box::new(concatenation::Concatenation { previous }),
            Self::HierarchicalEncoding { placement, decoder } => {
                Box::new(hierarchical::SentenceEncoding { placement, decoder })
            }
            Self::Conditional { top_t, placement } => {
                Box::new(hierarchical::Conditional { top_t, placement })
            }
            Self::HierarchicalConditional {
                top_t,
                merge,
                placement,
                ..
            } => Box::new(hierarchical::ContentTree {
                chosen: hierarchical::Conditional { top_t, placement },
                merge,
            }),
            Self::Selective { words, reach, side } => {
                Box::new(selective::Selective { words, reach, side })
            }
            Self::Flat { level, reach, side } => Box::new(selective::Flat { level, reach, side }),
            Self::Han { previous, side } => Box::new(han::Han { previous, side }),
            Self::Zhang { previous, side } => Box::new(zhang::Zhang { previous, side }),
            Self::QueryCapsules { previous, capsules } => Box::new(qcn::Qcn { previous, capsules }),
            Self::FlatTransformer { previous, top } => {
                Box::new(bert::FlatTransformer { previous, top })
            }
            Self::FlatTransformerBert {
                previous,
                top,
                fusion,
            } => Box::new(bert::FlatTransformerBert {
                flat: bert::FlatTransformer { previous, top },
                bert: bert::Bert { fusion },
            }),
            Self::Bert { fusion, .. } => Box::new(bert::Bert { fusion }),
        }
    }
}

/// Names the attentions to the document; each is one variant.
macro_rules! attentions {
    ($($(#[$doc:meta])* $name:ident($layer:ident),)*) => {
        /// Attention of tokens to the other sentences of their document.
        #[expect(
            clippy::large_enum_variant,
            reason = "there are few of them, and they live long"
        )]
        #[derive(Module, Debug)]
        pub enum ContextAttention {
            $($(#[$doc])* $name($layer),)*
        }

        impl ContextAttention {
            /// Projects all that does not depend on who reads.
            pub fn prepare(&self, memory: &Memory) -> PreparedMemory {
                match self {
                    $(Self::$name(layer) => PreparedMemory::new(layer, memory),)*
                }
            }

            fn layer(&self) -> &dyn DocumentAttention {
                match self {
                    $(Self::$name(layer) => layer,)*
                }
            }

            fn layer_mut(&mut self) -> &mut dyn DocumentAttention {
                match self {
                    $(Self::$name(layer) => layer,)*
                }
            }
        }
    };
}

attentions! {
    Sentences(SentenceAttention),
    Conditional(ConditionalAttention),
    Tree(HierarchicalConditionalAttention),
    Selective(SelectiveAttention),
    Flat(FlatAttention),
    /// Plain attention to the tokens that the memory gives as the own sentence's.
    Previous(MultiHeadAttention),
    Capsules(QueryCapsules),
}

impl ContextAttention {
    /// The attention of a context; none if it has another kind of layer.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let (d, heads) = (config.d_model, config.num_heads);
        let context = config.context?;
        Some(match context {
            Context::HierarchicalEncoding { .. } => {
                Self::Sentences(SentenceAttention::new(d, heads, device))
            }
            Context::Conditional { top_t, .. } => {
                Self::Conditional(ConditionalAttentionConfig::new(d, heads, top_t).init(device))
            }
            Context::HierarchicalConditional {
                top_t, merge, rule, ..
            } => {
                let config = HierarchicalConditionalAttentionConfig::new(d, heads, top_t)
                    .with_merge(merge)
                    .with_rule(rule);
                Self::Tree(config.init(device))
            }
            Context::Selective { words, reach, .. } => {
                let config = SelectiveAttentionConfig::new(d, heads, reach, words);
                Self::Selective(config.init(device))
            }
            Context::Flat { level, reach, .. } => {
                Self::Flat(FlatAttentionConfig::new(d, heads, level, reach).init(device))
            }
            Context::Zhang { .. } => Self::Previous(zhang::Zhang::attention(config, device)),
            Context::QueryCapsules { previous, capsules } => {
                Self::Capsules(qcn::Qcn { previous, capsules }.attention(config, device))
            }
            Context::Concatenation { .. }
            | Context::Han { .. }
            | Context::FlatTransformer { .. }
            | Context::FlatTransformerBert { .. }
            | Context::Bert { .. } => return None,
        })
    }

    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
    ) -> Tensor<2> {
        self.prepare(memory).attend(queries, query_spans, None)
    }

    /// Encodings of the sentences of `words`; none if the attention does not read any.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(&self, words: &Tensor<2>, documents: &Documents) -> Option<Tensor<2>> {
        let encoder = self.source2token()?;
        Some(encoder.forward(words.clone(), &documents.sentences))
    }

    /// The encoder of sentences that it has.
    pub fn source2token(&self) -> Option<&Source2Token> {
        self.layer().source2token()
    }

    /// Whether keys are tokens; else they are sentences.
    pub(super) fn reads_tokens(&self) -> bool {
        self.layer().reads_tokens()
    }

    /// Whether it reads the states that enter the layer, and not those that enter the sublayer.
    pub(super) fn reads_entering_states(&self) -> bool {
        self.layer().reads_entering_states()
    }

    /// Whether it chooses sentences by a tree of them.
    pub(super) fn has_trees(&self) -> bool {
        self.layer().has_trees()
    }

    /// Reads this many sentences from now on, where there is a choice.
    pub(super) fn set_top_t(&mut self, top_t: usize) {
        self.layer_mut().set_top_t(top_t);
    }

    pub(super) fn init_near_identity(&mut self) {
        self.layer_mut().init_near_identity();
    }

    /// The last projection, after which there is nothing but a sum.
    pub(super) fn output_mut(&mut self) -> &mut Linear {
        self.layer_mut().output_mut()
    }
}

impl Context {
    /// The states that the context stands on.
    pub fn side(self) -> Side {
        self.mechanism().side()
    }

    /// Whether the decoder reads translations of other sentences.
    pub fn is_bilingual(self) -> bool {
        self.side().has_decoder()
    }

    /// The sentences of its document that a sentence reads.
    pub fn reach(self) -> ContextReach {
        self.mechanism().reach()
    }

    /// Whether other sentences are read at the end of the encoder or decoder, where their states can be kept.
    pub fn is_gated(self) -> bool {
        self.mechanism().placement() == Some(Placement::Gate)
    }

    /// Whether other sentences have to be encoded with each one.
    pub fn encodes_documents(self) -> bool {
        self.mechanism().encodes_documents()
    }

    /// How many previous sentences the encoder reads in one sequence with each sentence.
    pub fn concatenated(self) -> usize {
        self.mechanism().concatenated()
    }

    /// How many previous sentences the last self-attention of the encoder reads.
    pub fn in_self_attention(self) -> usize {
        self.mechanism().in_self_attention()
    }

    /// The meaning of its weights in a trace.
    pub fn weights(self) -> ContextWeights {
        self.mechanism().weights()
    }
}

impl Preset {
    /// All of them, in the order in which they are offered.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        PRESETS.into_iter().flatten()
    }

    /// Finds a preset.
    ///
    /// # Errors
    /// [`BaseError::Config`] with the names there are.
    pub fn named(name: &str) -> Result<Self> {
        Self::all()
            .find(|preset| preset.name == name)
            .copied()
            .ok_or_else(|| {
                Error::Base(BaseError::Config {
                    field: "preset",
                    found: name.to_owned(),
                    allowed: Self::all()
                        .map(|preset| preset.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                })
            })
    }
}
