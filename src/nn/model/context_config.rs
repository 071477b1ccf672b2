//! The context beyond the sentence: one [`Context`] a system.

use serde::{Deserialize, Serialize};

use super::systems::TraversalRule;
use canopy_kernels::WordNormaliser;
use canopy_metrics::similarity::Measure;

/// A document-level mechanism and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Context {
    /// The encoder reads the previous sentences before its own, with a break token between them: Tiedemann & Scherrer,
    /// "Neural Machine Translation with Extended Context", DiscoMT 2017.
    Concatenation {
        /// Number of previous sentences.
        previous: usize,
    },
    /// Tokens attend to the encodings of all sentences of the document, Trankova et al. 2024, §2.
    HierarchicalEncoding {
        /// Where in the encoder the attention is.
        placement: Placement,
        /// Whether each decoder layer does so too.
        decoder: bool,
    },
    /// Tokens attend to the tokens of the `top_t` most relevant sentences, Trankova et al. 2024, §3.2.
    Conditional {
        /// T: how many sentences a token reads in each head.
        top_t: usize,
        /// Where in the encoder the attention is.
        placement: Placement,
    },
    /// Conditional attention whose sentences are found by descending the content tree, Trankova et al. 2024, §3.3.
    HierarchicalConditional {
        /// T: how many nodes survive on each level, and how many sentences a token reads in each head.
        top_t: usize,
        /// How two nodes of the tree become one.
        merge: MergeKind,
        /// How heads choose among the nodes of a level.
        rule: TraversalRule,
        /// Where in the encoder the attention is.
        placement: Placement,
    },
    /// Sparse attention to sentences, then to their tokens, Maruf et al. 2019, Eq. 3-6.
    Selective {
        /// Normaliser of the tokens of a sentence.
        words: WordNormaliser,
        /// The sentences that are read.
        reach: Reach,
        /// The states that are read.
        side: Side,
    },
    /// One softmax over all other sentences or their tokens, Maruf et al. 2019, Eq. 7.
    Flat {
        /// Sentences or tokens.
        level: FlatLevel,
        /// The sentences that are read.
        reach: Reach,
        /// The states that are read.
        side: Side,
    },
    /// Hierarchical attention network, Miculicich et al. 2018.
    Han {
        /// Number of previous sentences.
        previous: usize,
        /// The states that are read.
        side: Side,
    },
    /// Gated attention to the encoded previous sentences in every layer of encoder or decoder, Zhang et al. 2018.
    Zhang {
        /// Number of previous sentences.
        previous: usize,
        /// The layers that read them; what they read is the source on either side.
        #[serde(default = "Side::encoder", skip_serializing_if = "Side::is_encoder")]
        side: Side,
    },
    /// Capsules into which the tokens of the previous sentences are clustered, Yang et al. 2019.
    QueryCapsules {
        /// Number of previous sentences.
        previous: usize,
        /// Number of clusters.
        capsules: usize,
    },
    /// The encoder reads the previous sentences and its own in one sequence up to the last `top` self-attentions, which
    /// see its own alone: Ma et al. 2020.
    FlatTransformer {
        /// Number of previous sentences.
        previous: usize,
        /// Number of self-attentions that see the own sentence alone.
        top: usize,
    },
    /// A Flat-Transformer in which every layer of encoder and decoder also reads BERT's states of the sentence and the one before it: a
    /// baseline of CATSBY 2022.
    FlatTransformerBert {
        /// Number of previous sentences.
        previous: usize,
        /// Number of self-attentions that see the own sentence alone.
        top: usize,
        /// How a layer's own attention and that to BERT are joined.
        fusion: Fusion,
    },
    /// Every layer of encoder and decoder reads BERT's states of the sentence and one other: CATSBY 2022; Zhu et al.
    /// 2020.
    Bert {
        /// How a layer's own attention and that to BERT are joined.
        fusion: Fusion,
        /// The other sentence that BERT reads.
        sentence: ContextSentence,
    },
}

/// Which sentence of its document BERT reads after each one, where no file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSentence {
    /// The most similar one by this measure of BERT's vectors.
    Similar(Measure),
    /// The sentence before it.
    Previous,
    /// The sentence itself.
    Same,
}

/// Where an attention to the document is in the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// After every self-attention, with residual and norm of its own.
    Sublayer,
    /// Next to every self-attention, as additional heads.
    Heads,
    /// Once after the last layer, in a context layer with a gate.
    Gate,
}

/// Which other sentences of its document a token may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All but its own.
    Offline,
    /// Sentences before its own.
    Online,
}

impl Reach {
    /// Whether tokens of sentence `own` may read sentence `other`.
    pub fn sees(self, own: usize, other: usize) -> bool {
        match self {
            Self::Offline => own != other,
            Self::Online => other < own,
        }
    }
}

/// How a layer's own attention and its attention to BERT are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// Cardinality residuals, both branches through the norm of the layer's own attention, as the authors' program has it.
    SharedCardinality,
    /// Cardinality residuals with a norm of their own for the branch of BERT.
    Cardinality,
    /// In training one of the two alone, whichever chance says: drop-net with the authors' rate of 1.
    Average,
    /// A gate between both branches.
    Gate,
}

/// The units of flat attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlatLevel {
    /// Means of the keys and values of each sentence.
    Sentence,
    /// The tokens of all sentences.
    Word,
}

/// How a parent is made of two children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeKind {
    /// [`Source2Token`](super::Source2Token) over the two, with the same weights on every level.
    Source2Token,
    /// Their mean.
    Average,
    /// [`MultiDimSource2Token`](super::MultiDimSource2Token) over the two.
    MultiDim,
}

/// The states that a context layer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The encoder's: the context is the source.
    Encoder,
    /// The decoder's: the context is the translation of the other sentences, found by what each token read of the source.
    Decoder,
    /// Both: the encoder's states by the encoder, the decoder's by the decoder.
    Both,
}

impl Side {
    /// Returns whether the encoder reads a context.
    pub fn has_encoder(self) -> bool {
        self != Self::Decoder
    }

    /// Returns whether the decoder reads a context.
    pub fn has_decoder(self) -> bool {
        self != Self::Encoder
    }

    fn encoder() -> Self {
        Self::Encoder
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_encoder(&self) -> bool {
        *self == Self::Encoder
    }
}

/// Which sentences of its document a sentence reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextReach {
    /// All of them.
    Document,
    /// All before it.
    Before,
    /// A number of sentences right before it.
    Previous(usize),
}

impl From<Reach> for ContextReach {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Offline => Self::Document,
            Reach::Online => Self::Before,
        }
    }
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

/// More previous sentences than this are no context but a document.
pub(super) const LARGEST_CONTEXT: usize = 64;
