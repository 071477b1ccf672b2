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
    Concatenation { previous: usize },
    /// Tokens attend to the encodings of all sentences of the document, Trankova et al. 2024, §2.
    HierarchicalEncoding {
        placement: Placement,
        /// Whether each decoder layer does so too.
        decoder: bool,
    },
    /// Tokens attend to the tokens of the `top_t` most relevant sentences, Trankova et al. 2024, §3.2.
    Conditional { top_t: usize, placement: Placement },
    /// Conditional attention whose sentences are found by descending the content tree, Trankova et al. 2024, §3.3.
    HierarchicalConditional {
        top_t: usize,
        merge: MergeKind,
        rule: TraversalRule,
        placement: Placement,
    },
    /// Sparse attention to sentences, then to their tokens, Maruf et al. 2019, Eq. 3-6.
    Selective {
        words: WordNormaliser,
        reach: Reach,
        side: Side,
    },
    /// One softmax over all other sentences or their tokens, Maruf et al. 2019, Eq. 7.
    Flat {
        level: FlatLevel,
        reach: Reach,
        side: Side,
    },
    /// Hierarchical attention network, Miculicich et al. 2018.
    Han { previous: usize, side: Side },
    /// Gated attention to the encoded previous sentences in every layer of encoder or decoder, Zhang et al. 2018.
    Zhang {
        previous: usize,
        /// The layers that read them; what they read is the source on either side.
        #[serde(default = "Side::encoder", skip_serializing_if = "Side::is_encoder")]
        side: Side,
    },
    /// Capsules into which the tokens of the previous sentences are clustered, Yang et al. 2019.
    QueryCapsules { previous: usize, capsules: usize },
    /// The encoder reads the previous sentences and its own in one sequence up to the last `top` self-attentions, which
    /// see its own alone: Ma et al. 2020.
    FlatTransformer { previous: usize, top: usize },
    /// The same, where every layer of encoder and decoder also reads BERT's states of the sentence and the one before it: a
    /// baseline of CATSBY 2022.
    FlatTransformerBert {
        previous: usize,
        top: usize,
        fusion: Fusion,
    },
    /// Every layer of encoder and decoder reads BERT's states of the sentence and one other: CATSBY 2022; Zhu et al.
    /// 2020.
    Bert {
        fusion: Fusion,
        sentence: ContextSentence,
    },
}

/// Which sentence of its document BERT reads after each one, where no file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSentence {
    /// The most similar one by this measure of BERT's vectors.
    Similar(Measure),
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
    Gate,
}

/// The units of flat attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlatLevel {
    /// Means of the keys and values of each sentence.
    Sentence,
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
    Both,
}

impl Side {
    pub fn has_encoder(self) -> bool {
        self != Self::Decoder
    }

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
