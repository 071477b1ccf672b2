//! The systems by name.

use super::bert::{BertConfig, BertReading};
use super::bert_fusion::Fusion;
use super::config::{Architecture, ModelConfig, NormPosition, Positions};
use super::context_config::{Context, ContextSentence, MemorySource, Placement, Side};
use super::documents::Reach;
use super::flat::FlatLevel;
use super::layout::Layout;
use super::pooling::Pooling;
use super::positions::Counting;
use super::traversal::TraversalRule;
use super::tree::MergeKind;
use crate::error::{Error, Result};
use crate::kernels::WordNormaliser;
use crate::similarity::Measure;

/// A named system at a named size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    pub name: &'static str,
    /// Author, year and title of the paper.
    pub paper: &'static str,
    /// Where in the paper it stands.
    pub equations: &'static str,
    /// What it is, in one sentence for the user who chooses.
    pub description: &'static str,
    size: Size,
    encoder: &'static str,
    num_decoder_layers: usize,
    architecture: Architecture,
    positions: Positions,
    context: Option<Context>,
    memory: MemorySource,
    /// Whether it reads a translation memory.
    pub matches: bool,
}

/// Widths and vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    d_model: usize,
    d_ff: usize,
    num_heads: usize,
    dropout_percent: u8,
    tied_embeddings: bool,
    max_tokens: usize,
}

impl Size {
    /// The BERT that systems of this size are described with, until one is named: MiniLM beside the small ones, else
    /// BERT-base.
    fn bert(self) -> BertReading {
        let small = self.d_model < PAPER.d_model;
        BertReading {
            max_tokens: 256,
            trained: false,
            pooling: Pooling::Mean,
            normalised: true,
            sizes: BertConfig {
                vocab_size: 30_522,
                d_model: if small { 384 } else { 768 },
                num_layers: if small { 6 } else { 12 },
                num_heads: 12,
                d_ff: if small { 1_536 } else { 3_072 },
                max_tokens: 512,
                num_types: 2,
                norm_epsilon: 1e-12,
            },
        }
    }
}

/// For two CPU cores.
const SMALL: Size = Size {
    d_model: 256,
    d_ff: 1024,
    num_heads: 4,
    dropout_percent: 10,
    tied_embeddings: true,
    max_tokens: 160,
};

/// Of the papers.
const PAPER: Size = Size {
    d_model: 512,
    d_ff: 2048,
    num_heads: 8,
    ..SMALL
};

const TRANSFORMER: &str = "Vaswani et al. 2017, Attention Is All You Need";
const X_TRANSFORMER: &str = "Liu & Chen 2022, X-Transformer";
const HIERARCHICAL: &str =
    "Trankova et al. 2024, Hierarchical Encoding and Conditional Attention in NMT";
const SELECTIVE: &str = "Maruf et al. 2019, Selective Attention for Context-aware NMT";
const HAN: &str = "Miculicich et al. 2018, Document-Level NMT with Hierarchical Attention Networks";

const CATSBY: &str = "Choi et al. 2022, CATSBY: context by similarity, fused with BERT";
const BERT_FUSED: &str = "Zhu et al. 2020, Incorporating BERT into Neural Machine Translation";
const FLAT_TRANSFORMER: &str =
    "Ma et al. 2020, A Simple and Effective Unified Encoder for Document-Level Machine Translation";

const CATSBY_EQUATIONS: &str = "Eq. 2, 12-18";
const BERT_FUSED_EQUATIONS: &str = "§4.1-4.2, drop-net";
const GATE_EQUATIONS: &str = "§4.1, with the gate of Maruf et al. 2019, Eq. 8-9";
const FLAT_TRANSFORMER_EQUATIONS: &str = "§3, Fig. 2";

/// The encoder and decoder that small document-level systems are put upon.
const BASE: Preset = Preset {
    name: "x-transformer-small",
    paper: X_TRANSFORMER,
    equations: "Table 2, s-sf-sf; Eq. 2",
    description: "Fewer feed-forward layers and a shallow decoder: fast to train and to translate with",
    size: SMALL,
    encoder: "s-sf-sf",
    num_decoder_layers: 2,
    architecture: Architecture::Transformer,
    positions: Positions::Sinusoidal,
    context: None,
    memory: MemorySource::Live,
    matches: false,
};

/// The paper's X-Transformer.
const X_BASE: Preset = Preset {
    name: "x-transformer",
    size: PAPER,
    ..BASE
};

/// The encoder and decoder of the selective paper, §4.2.
const SELECTIVE_BASE: Preset = Preset {
    name: "transformer-4",
    paper: SELECTIVE,
    equations: "§4.2",
    description: "Four layers on either side: the sentence-level model of the selective paper",
    size: PAPER,
    encoder: "sf-sf-sf-sf",
    num_decoder_layers: 4,
    ..BASE
};

const fn selective(words: WordNormaliser, reach: Reach, side: Side) -> Context {
    Context::Selective { words, reach, side }
}

const fn flat(level: FlatLevel, reach: Reach) -> Context {
    Context::Flat {
        level,
        reach,
        side: Side::Encoder,
    }
}

const fn tree(placement: Placement) -> Context {
    Context::HierarchicalConditional {
        top_t: 4,
        merge: MergeKind::Source2Token,
        rule: TraversalRule::ByNode,
        placement,
    }
}

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
        dropout_percent: 30,
        ..PAPER
    },
    encoder: "sf-sf-sf-sf-sf-sf",
    num_decoder_layers: 6,
    context: Some(fused(Fusion::Cardinality)),
    ..BASE
};

const SPARSE: WordNormaliser = WordNormaliser::Sparsemax;
const SOFT: WordNormaliser = WordNormaliser::Softmax;

const PRESETS: &[Preset] = &[
    BASE,
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
        name: "transformer-6-small",
        paper: X_TRANSFORMER,
        equations: "Table 1, baseline",
        description: "Six layers on either side: what the X-Transformer is measured against",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        ..BASE
    },
    Preset {
        name: "x-transformer-sf-sf-sf-sf-sf-sf-small",
        equations: "Table 2, sf-sf-sf-sf-sf-sf",
        description: "The layout of the classic encoder with a shallow decoder",
        encoder: "sf-sf-sf-sf-sf-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-s-sf-small",
        equations: "Table 2, s-sf-s-sf-s-sf",
        description: "Nine sublayers: a feed-forward layer after every second self-attention",
        encoder: "s-sf-s-sf-s-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-sf-sf-small",
        equations: "Table 2, s-sf-sf-sf",
        description: "Four self-attentions, the first one without a feed-forward layer",
        encoder: "s-sf-sf-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-small",
        equations: "Table 2, s-sf-s-sf",
        description: "Four self-attentions and two feed-forward layers",
        encoder: "s-sf-s-sf",
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
            dropout_percent: 20,
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
        name: "fuzzy-match-small",
        paper: "Bulte & Tezcan 2019, Neural Fuzzy Repair: Integrating Fuzzy Matches into NMT",
        equations: "Eq. 1, §3.2",
        description: "The encoder reads, behind each sentence, the translation of the most similar training sentence",
        matches: true,
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
        name: "flat-sentence-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all other sentences of the document: baseline of selective attention",
        context: Some(flat(FlatLevel::Sentence, Reach::Offline)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "flat-word-small",
        paper: SELECTIVE,
        equations: "Eq. 7",
        description: "One softmax over all words of the other sentences: baseline of selective attention",
        context: Some(flat(FlatLevel::Word, Reach::Offline)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, offline",
        description: "Sparse attention to the sentences of the whole document, then to their words: most weights are exactly zero",
        context: Some(selective(SPARSE, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-soft-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-soft, encoder, offline",
        description: "Sparse attention to sentences, softmax over the words of those that are left",
        context: Some(selective(SOFT, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-online-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, online",
        description: "Selective attention to the sentences before each one only: for text that is still being written",
        context: Some(selective(SPARSE, Reach::Online, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "selective-decoder-small",
        paper: SELECTIVE,
        equations: "Eq. 3-6, 8-9; sparse-sparse, decoder, offline",
        description: "Selective attention to the translations of all other sentences: keeps terms and names consistent",
        context: Some(selective(SPARSE, Reach::Offline, Side::Decoder)),
        memory: MemorySource::StageOne,
        ..BASE
    },
    Preset {
        name: "hierarchical-encoding-small",
        paper: HIERARCHICAL,
        equations: "§2, Eq. 1-2, Fig. 1",
        description: "Every encoder layer also reads an encoding of each sentence of the document",
        context: Some(Context::HierarchicalEncoding {
            placement: Placement::Sublayer,
            decoder: false,
        }),
        ..BASE
    },
    Preset {
        name: "conditional-small",
        paper: HIERARCHICAL,
        equations: "§3.2, Eq. 3-7",
        description: "Every word reads the words of the four sentences that matter most to it",
        context: Some(Context::Conditional {
            top_t: 4,
            placement: Placement::Gate,
        }),
        ..BASE
    },
    Preset {
        name: "hierarchical-conditional-small",
        paper: HIERARCHICAL,
        equations: "§3.3, Fig. 3, last equation",
        description: "The same, with the four sentences found by going down a tree of the document: fast for long ones",
        context: Some(tree(Placement::Gate)),
        ..BASE
    },
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
        name: "transformer",
        paper: X_TRANSFORMER,
        equations: "Table 1, baseline; Vaswani et al. 2017",
        description: "The classic Transformer in its original size",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        ..X_BASE
    },
    X_BASE,
    Preset {
        name: "x-transformer-sf-sf-sf-sf-sf-sf",
        equations: "Table 2, sf-sf-sf-sf-sf-sf",
        description: "The layout of the classic encoder with a shallow decoder",
        encoder: "sf-sf-sf-sf-sf-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-s-sf",
        equations: "Table 2, s-sf-s-sf-s-sf",
        description: "Nine sublayers: a feed-forward layer after every second self-attention",
        encoder: "s-sf-s-sf-s-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-sf-sf",
        equations: "Table 2, s-sf-sf-sf",
        description: "Four self-attentions, the first one without a feed-forward layer",
        encoder: "s-sf-sf-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf",
        equations: "Table 2, s-sf-s-sf",
        description: "Four self-attentions and two feed-forward layers",
        encoder: "s-sf-s-sf",
        ..X_BASE
    },
    Preset {
        name: "rnnsearch",
        paper: "Bahdanau et al. 2015, Neural Machine Translation by Jointly Learning to Align and Translate",
        equations: "§3, appendix A",
        description: "Recurrent encoder and decoder with additive attention, at the size of the selective paper",
        architecture: Architecture::RnnSearch,
        size: Size {
            tied_embeddings: false,
            dropout_percent: 20,
            ..PAPER
        },
        ..SELECTIVE_BASE
    },
    SELECTIVE_BASE,
    Preset {
        name: "selective",
        equations: "Eq. 3-6, 8-9; sparse-sparse, encoder, offline",
        description: "Selective attention at the size of the paper",
        context: Some(selective(SPARSE, Reach::Offline, Side::Encoder)),
        memory: MemorySource::StageOne,
        ..SELECTIVE_BASE
    },
    Preset {
        name: "hierarchical-conditional",
        paper: HIERARCHICAL,
        equations: "§1.2, §2, §3.3",
        description: "Content tree in every encoder layer and positions of word, sentence and paragraph",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        positions: Positions::MultiLevel {
            words: 256,
            sentences: 64,
            paragraphs: 512,
            counting: Counting::Restarting,
        },
        context: Some(tree(Placement::Sublayer)),
        ..X_BASE
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

/// All presets, in the order in which they should be offered.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

impl Preset {
    /// All of them, in the order in which they are shown.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        PRESETS.iter()
    }

    /// Finds a preset.
    ///
    /// # Errors
    /// [`Error::Config`] with the names there are.
    pub fn named(name: &str) -> Result<Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .copied()
            .ok_or_else(|| Error::Config {
                field: "preset",
                found: name.to_owned(),
                allowed: PRESETS
                    .iter()
                    .map(|preset| preset.name)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// Whether it is trained upon a sentence-level model.
    pub fn reads_documents(&self) -> bool {
        self.context.is_some()
    }

    /// Whether it is built upon an imported BERT.
    pub fn reads_bert(&self) -> bool {
        matches!(self.context, Some(Context::Bert { .. }))
    }

    /// The preset's configuration for a vocabulary of `vocab_size` tokens.
    pub fn config(&self, vocab_size: usize) -> ModelConfig {
        let size = self.size;
        ModelConfig {
            vocab_size,
            d_model: size.d_model,
            d_ff: size.d_ff,
            num_heads: size.num_heads,
            encoder: self.encoder.parse::<Layout>().expect("presets are tested"),
            num_decoder_layers: self.num_decoder_layers,
            dropout: f32::from(size.dropout_percent) / 100.0,
            positions: self.positions,
            norm: NormPosition::Post,
            tied_embeddings: size.tied_embeddings,
            max_tokens: size.max_tokens,
            architecture: self.architecture,
            context: self.context,
            memory: self.memory,
            warm_gate: false,
            bert: self.reads_bert().then(|| size.bert()),
            matches: self.matches,
        }
    }
}
