//! The systems that read beyond the sentence, a folder for the papers that belong together.
//!
//! A folder has all of a system: its presets, the facts of its [`Mechanism`], its layers, what it attends to in a trace, and
//! its forms for searches, such as `han/cpu.rs`. A new one needs, besides its folder:
//!
//! 1. a variant of [`Context`], its settings as a model folder has them;
//! 2. here its `mod`, a line of [`PRESETS`] and an arm of [`Context::mechanism`];
//! 3. here, for a layer that no other system has, its name among those of [`ContextAttention`], or of [`GatedContext`] if
//!    it joins states in a way of its own after the last layer.

mod baselines;
mod bert;
mod concatenation;
mod flat_transformer;
mod han;
mod hierarchical;
mod qcn;
mod selective;
mod x_transformer;
mod zhang;

use std::ops::Range;

use burn::module::Module;

use super::attention::MultiHeadAttention;
use super::context_attention::LayeredContext;
use super::context_config::{Context, ContextReach, ContextSentence, Fusion, Placement, Side};
use super::mechanism::{ContextWeights, DocumentAttention, GatedLayer, Mechanism};
use super::preset::Preset;
use crate::error::{BaseError, Error, Result};

pub use bert::BertFusion;
pub use flat_transformer::FlatSegments;
pub use han::{HanContext, HanContextConfig};
pub use hierarchical::{
    ConditionalAttention, ConditionalAttentionConfig, ConditionalHeads, ConditionalHeadsConfig,
    ContentTree, DocumentTree, HierarchicalConditionalAttention,
    HierarchicalConditionalAttentionConfig, Merge, MergeConfig, MultiDimSource2Token,
    MultiDimSource2TokenConfig, SentenceAttention, Traversal, TraversalRule, TreeChoice, TreeHeads,
    TreeKeys, TreeMemory, TreeSearch, Visit, keep_top_t, path_sums, top_t,
};
pub use qcn::{Capsules, QueryCapsules, QueryCapsulesConfig, RoutedCapsules};
pub use selective::{
    FlatAttention, FlatAttentionConfig, SelectiveAttention, SelectiveAttentionConfig,
};
pub use zhang::PreviousEncoder;

/// An encoder that makes the memory of the encoder's sublayers, where this is not the states that enter them.
pub(super) type MemoryEncoder = PreviousEncoder;

/// Presets in the order in which they are offered.
const PRESETS: &[&[Preset]] = &[
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
    flat_transformer::PRESETS,
    bert::PRESETS,
    flat_transformer::OF_CATSBY,
    bert::OF_CATSBY,
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
                rule,
                placement,
            } => Box::new(hierarchical::TreeOfContents {
                chosen: hierarchical::Conditional { top_t, placement },
                merge,
                rule,
            }),
            Self::Selective { words, reach, side } => {
                Box::new(selective::Selective { words, reach, side })
            }
            Self::Flat { level, reach, side } => Box::new(selective::Flat { level, reach, side }),
            Self::Han { previous, side } => Box::new(han::Han { previous, side }),
            Self::Zhang { previous, side } => Box::new(zhang::Zhang { previous, side }),
            Self::QueryCapsules { previous, capsules } => Box::new(qcn::Qcn { previous, capsules }),
            Self::FlatTransformer { previous, top } => {
                Box::new(flat_transformer::FlatTransformer { previous, top })
            }
            Self::FlatTransformerBert {
                previous,
                top,
                fusion,
            } => Box::new(flat_transformer::FlatTransformerBert {
                flat: flat_transformer::FlatTransformer { previous, top },
                bert: bert::Bert {
                    fusion,
                    sentence: ContextSentence::Previous,
                },
            }),
            Self::Bert { fusion, sentence } => Box::new(bert::Bert { fusion, sentence }),
        }
    }
}

/// Names the layers of a kind, each one variant, and gives the present one as that kind.
macro_rules! layers {
    ($(#[$doc:meta])* $kind:ident as $layer_trait:ident: $($(#[$of:meta])* $name:ident($layer:ident),)*) => {
        $(#[$doc])*
        #[expect(
            clippy::large_enum_variant,
            reason = "there are few of them, and they live long"
        )]
        #[derive(Module, Debug)]
        pub enum $kind {
            $($(#[$of])* $name($layer),)*
        }

        impl $kind {
            pub(super) fn layer(&self) -> &dyn $layer_trait {
                match self {
                    $(Self::$name(layer) => layer,)*
                }
            }

            pub(super) fn layer_mut(&mut self) -> &mut dyn $layer_trait {
                match self {
                    $(Self::$name(layer) => layer,)*
                }
            }
        }
    };
}

layers! {
    /// Attention of tokens to the other sentences of their document.
    ContextAttention as DocumentAttention:
    /// Attention to the encodings of sentences.
    Sentences(SentenceAttention),
    /// Attention to the tokens of the most relevant sentences.
    Conditional(ConditionalAttention),
    /// Attention to the tokens of sentences that are found by a content tree.
    Tree(HierarchicalConditionalAttention),
    /// Sparse attention to sentences, then to their tokens.
    Selective(SelectiveAttention),
    /// One softmax over all sentences or tokens.
    Flat(FlatAttention),
    /// Plain attention to the tokens that the memory gives as the own sentence's.
    Previous(MultiHeadAttention),
    /// Attention to clusters of tokens.
    Capsules(QueryCapsules),
}

layers! {
    /// A context layer after the last layer of encoder or decoder.
    GatedContext as GatedLayer:
    /// Attention to the document with the layer that follows it.
    Layer(LayeredContext),
    /// The hierarchical attention network.
    Han(HanContext),
}

impl Context {
    /// The states that the context is computed from.
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

    /// Which translations of its document a sentence reads, its own aside; none if the context is no bilingual one.
    pub fn translations_read(self, sentence: usize, document: &Range<usize>) -> Range<usize> {
        if !self.is_bilingual() {
            return sentence..sentence;
        }
        match self.reach() {
            ContextReach::Document => document.clone(),
            ContextReach::Before => document.start..sentence,
            ContextReach::Previous(count) => {
                document.start.max(sentence.saturating_sub(count))..sentence
            }
        }
    }

    /// Whether other sentences are read at the end of the encoder or decoder, where their states can be kept.
    pub fn is_gated(self) -> bool {
        self.mechanism().placement() == Some(Placement::Gate)
    }

    /// Whether other sentences have to be encoded with each one.
    pub fn encodes_documents(self) -> bool {
        self.mechanism().encodes_documents()
    }

    /// How layers read BERT, and what it reads after each sentence; none where no BERT is read.
    pub fn bert(self) -> Option<(Fusion, ContextSentence)> {
        self.mechanism().bert()
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
        PRESETS.iter().copied().flatten()
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
