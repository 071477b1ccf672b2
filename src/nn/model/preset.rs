//! A system at a size, by name.

use super::bert::{BertConfig, BertReading};
use super::config::{Architecture, MemoryUse, ModelConfig, NormPosition, Positions};
use super::context_config::{Context, MemorySource};
use super::layout::Layout;
use super::pooling::Pooling;
use super::variant::{SpecialTokens, Variant};
use crate::error::{BaseError, Error, Result};

/// A named system at a named size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Name of the system, such as `selective`.
    pub name: &'static str,
    /// Author, year and title of the paper.
    pub paper: &'static str,
    /// Its place in the paper.
    pub equations: &'static str,
    /// One sentence for the user who chooses.
    pub description: &'static str,
    pub(super) size: Size,
    pub(super) encoder: &'static str,
    pub(super) num_decoder_layers: usize,
    pub(super) architecture: Architecture,
    pub(super) positions: Positions,
    pub(super) context: Option<Context>,
    pub(super) memory: MemorySource,
    /// The use of its translation memory.
    pub memory_use: Option<MemoryUse>,
    /// Sentences before each one whose translations the encoder reads.
    pub previous_translations: usize,
    /// Whether the encoder reads the form of address last used before a sentence.
    pub reads_formality: bool,
}

/// Widths and vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) d_model: usize,
    pub(super) d_ff: usize,
    pub(super) num_heads: usize,
    pub(super) tied_embeddings: bool,
    pub(super) max_tokens: usize,
}

impl Size {
    /// The BERT that systems of this size are described with, until one is named: MiniLM for the small ones, else
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
pub(super) const SMALL: Size = Size {
    d_model: 256,
    d_ff: 1024,
    num_heads: 4,
    tied_embeddings: true,
    max_tokens: 160,
};

/// For a minute on two CPU cores, and a few dozen tokens.
pub(super) const TINY: Size = Size {
    d_model: 48,
    d_ff: 96,
    num_heads: 2,
    tied_embeddings: true,
    max_tokens: 32,
};

/// The size of the papers.
pub(super) const PAPER: Size = Size {
    d_model: 512,
    d_ff: 2048,
    num_heads: 8,
    ..SMALL
};

pub(super) const X_TRANSFORMER: &str = "Liu & Chen 2022, X-Transformer";

/// The encoder and decoder of small document-level systems.
pub(super) const BASE: Preset = Preset {
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
    memory_use: None,
    previous_translations: 0,
    reads_formality: false,
};

impl Preset {
    /// Whether it is fine-tuned from a sentence-level model.
    pub fn reads_documents(&self) -> bool {
        self.context.is_some()
    }

    /// Width of its network.
    pub fn d_model(&self) -> usize {
        self.size.d_model
    }

    /// Whether it needs an imported BERT.
    pub fn reads_bert(&self) -> bool {
        self.context.is_some_and(|context| context.bert().is_some())
    }

    /// This preset with another context of its kind.
    ///
    /// # Errors
    /// [`BaseError::Config`] if it is of another kind.
    pub fn restructured(self, structure: Context) -> Result<Self> {
        let kind = std::mem::discriminant::<Context>;
        let context = self.context;
        if context.is_some_and(|own| kind(&own) == kind(&structure)) {
            return Ok(Self {
                context: Some(structure),
                ..self
            });
        }
        Err(Error::Base(BaseError::Config {
            field: "structure",
            found: format!("{structure:?}"),
            allowed: match context {
                Some(own) => format!("the kind that {} has, as {own:?}", self.name),
                None => format!("none: {} reads sentences alone", self.name),
            },
        }))
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
            // Training says how much.
            dropout: 0.1,
            positions: self.positions,
            norm: NormPosition::Post,
            tied_embeddings: size.tied_embeddings,
            max_tokens: size.max_tokens,
            architecture: self.architecture,
            context: self.context,
            memory: self.memory,
            warm_gate: false,
            bert: self.reads_bert().then(|| size.bert()),
            memory_use: self.memory_use,
            previous_translations: self.previous_translations,
            reads_formality: self.reads_formality,
            variant: Variant::default(),
            tokens: SpecialTokens::default(),
        }
    }
}
