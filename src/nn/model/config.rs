//! One system is one [`ModelConfig`], saved with its weights.

use serde::{Deserialize, Serialize};

use super::bert::BertReading;
use super::context_config::{Context, LARGEST_CONTEXT, MemorySource};
use super::counting::Counting;
use super::layout::Layout;
use super::rnn_search::RnnSearchConfig;
use super::variant::{DecoderCell, Sinusoids, SpecialTokens, Variant};
use crate::error::{BaseError, Error, Result};

/// Sizes and mechanisms of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Tokens of the joint vocabulary.
    pub vocab_size: usize,
    /// Width of a state.
    pub d_model: usize,
    /// Width inside a feed-forward layer.
    pub d_ff: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Sublayers of the encoder, such as `s-sf-sf`.
    pub encoder: Layout,
    /// Number of decoder layers.
    pub num_decoder_layers: usize,
    /// Share of activations dropped in training.
    pub dropout: f32,
    /// How a token knows its place.
    pub positions: Positions,
    /// Whether norms are before or after their branches.
    pub norm: NormPosition,
    /// One matrix embeds source and target tokens and gives the logits; else there are three.
    pub tied_embeddings: bool,
    /// Longest sentence in tokens; longer ones are translated in parts.
    pub max_tokens: usize,
    /// The kind of network.
    #[serde(default)]
    pub architecture: Architecture,
    /// The context beyond the sentence; none for sentence-level systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Where the states of other sentences come from.
    #[serde(default)]
    pub memory: MemorySource,
    /// Whether the context's gate has a bias, so that it can be fine-tuned from a sentence-level model: it begins where
    /// the gate lets the sentence's own state pass. Maruf et al. 2019, Eq. 8, has none.
    #[serde(default)]
    pub warm_gate: bool,
    /// The BERT that the context reads; none where it reads none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bert: Option<BertReading>,
    /// The use of its translation memory; none if it has no memory.
    #[serde(default, alias = "matches", skip_serializing_if = "Option::is_none")]
    pub memory_use: Option<MemoryUse>,
    /// Differences from the models that are trained here.
    #[serde(default, skip_serializing_if = "Variant::is_plain")]
    pub variant: Variant,
    /// Ids of the special tokens.
    #[serde(default, skip_serializing_if = "SpecialTokens::are_own")]
    pub tokens: SpecialTokens,
    /// Sentences before each one whose translations the encoder reads after it, the nearest first, each after
    /// [`SENTENCE_BREAK`](super::SENTENCE_BREAK); 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub previous_translations: usize,
    /// Whether the encoder reads, after a sentence with *you*, the German form of address last used in the
    /// translations before it.
    #[serde(
        rename = "address_form",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub reads_formality: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The use of those sentences of a translation memory that resemble what is translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryUse {
    /// The encoder reads, after a sentence and [`SENTENCE_BREAK`](super::SENTENCE_BREAK), the translation of the most
    /// similar one: Bulte & Tezcan, ACL 2019, §3.2.
    #[serde(alias = "read")]
    FuzzyMatch,
    /// Before a document is translated, the weights learn from them for a few updates, and forget it afterwards: the
    /// instance-based adaptation of Farajian et al., WMT 2017, for each document instead of each sentence.
    #[serde(alias = "learn")]
    FineTune,
    /// While a document is translated, the next tokens of the model are mixed with those that followed similar states in
    /// them: Khandelwal et al., ICLR 2021, with the states of each document's own matches, as Deguchi et al., ACL 2023,
    /// have those of each sentence's.
    #[serde(alias = "look_up")]
    KnnMt,
}

/// The kind of network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// Attention throughout, Vaswani et al. 2017.
    #[default]
    Transformer,
    /// Recurrent, Bahdanau et al. 2015: `encoder`, `d_ff`, `num_heads`, `positions`, `norm` and `tied_embeddings` mean
    /// nothing to it.
    RnnSearch,
}

/// No size may be larger, so that the number of parameters can always be counted.
const LARGEST_SIZE: usize = 1 << 20;

/// How a token knows its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Positions {
    /// Sines of the token's place in its sentence, Vaswani et al. 2017, §3.5.
    Sinusoidal,
    /// Sines as another program lays them out.
    Sinusoids(Sinusoids),
    /// One learned vector for each place in the sentence, for each side its own; places after the last have its vector.
    Learned {
        /// Number of places with a vector.
        size: usize,
    },
    /// It does not know it.
    Unknown,
    /// Learned tables for token, sentence, paragraph and, where `headings` is not 0, the sections under three levels of headings,
    /// summed, Trankova et al. 2024, §1.2.
    ///
    /// Restarting, a place past its table counts from the beginning of the table again. Absolute, a document that
    /// does not fit the tables is read in windows, each counted from its own beginning.
    MultiLevel {
        /// Entries of the table of tokens.
        words: usize,
        /// Entries of the table of sentences.
        sentences: usize,
        /// Entries of the table of paragraphs.
        paragraphs: usize,
        /// Entries of the table of each level of headings.
        #[serde(default, skip_serializing_if = "is_zero")]
        headings: usize,
        /// Treatment of a place past its table.
        #[serde(default)]
        counting: Counting,
    },
}

impl Positions {
    /// The sines, if that is what they are.
    pub fn sinusoids(&self) -> Option<Sinusoids> {
        match self {
            Self::Sinusoidal => Some(Sinusoids::PAPER),
            Self::Sinusoids(kind) => Some(*kind),
            Self::MultiLevel { .. } | Self::Learned { .. } | Self::Unknown => None,
        }
    }
}

/// Where layer normalisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormPosition {
    /// `norm(x + sublayer(x))`, Vaswani et al. 2017.
    Post,
    /// `x + sublayer(norm(x))` with one more norm at the end, Xiong et al. 2020.
    Pre,
}

impl ModelConfig {
    /// How many sentences before each one the encoder reads translations of, or a choice that was made in them.
    pub fn translations_before(&self) -> usize {
        if self.reads_formality {
            usize::MAX
        } else {
            self.previous_translations
        }
    }

    fn validate_previous(&self) -> Result<()> {
        let reads_others = self.context.is_some() || self.memory_use == Some(MemoryUse::FuzzyMatch);
        let reads_others = reads_others || self.reads_formality;
        let most = if reads_others { 0 } else { LARGEST_CONTEXT };
        if self.previous_translations <= most {
            return Ok(());
        }
        Err(Error::Base(BaseError::Config {
            field: "previous_translations",
            found: self.previous_translations.to_string(),
            allowed: format!(
                "0 to {LARGEST_CONTEXT}, and 0 with a context or where the encoder reads fuzzy matches or a form of address"
            ),
        }))
    }

    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`BaseError::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            }))
        };
        if self.vocab_size < 5 {
            return refuse("vocab_size", &self.vocab_size, "at least 5");
        }
        if self.d_model == 0 || !self.d_model.is_multiple_of(2) {
            return refuse("d_model", &self.d_model, "an even number above 0");
        }
        if self.num_heads == 0 || !self.d_model.is_multiple_of(self.num_heads) {
            return refuse(
                "num_heads",
                &self.num_heads,
                &format!("a divisor of d_model, which is {}", self.d_model),
            );
        }
        if self.d_ff == 0 {
            return refuse("d_ff", &self.d_ff, "at least 1");
        }
        if self.num_decoder_layers == 0 {
            return refuse("num_decoder_layers", &self.num_decoder_layers, "at least 1");
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return refuse("dropout", &self.dropout, "0 up to, but not including, 1");
        }
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("d_model", self.d_model),
            ("d_ff", self.d_ff),
            ("num_decoder_layers", self.num_decoder_layers),
            ("max_tokens", self.max_tokens),
        ];
        if let Some((field, size)) = sizes.into_iter().find(|&(_, size)| size > LARGEST_SIZE) {
            return refuse(field, &size, &format!("at most {LARGEST_SIZE}"));
        }
        if self.max_tokens < 4 {
            return refuse("max_tokens", &self.max_tokens, "at least 4");
        }
        self.validate_previous()?;
        if let Positions::MultiLevel {
            words,
            sentences,
            paragraphs,
            headings,
            counting,
        } = self.positions
        {
            let least = match counting {
                Counting::Restarting => self.max_tokens + 1,
                Counting::Absolute => Self::least_window(self.max_tokens),
            };
            if words < least {
                return refuse(
                    "positions.words",
                    &words,
                    &format!("at least {least}, since max_tokens is {}", self.max_tokens),
                );
            }
            for (field, size) in [
                ("positions.sentences", sentences),
                ("positions.paragraphs", paragraphs),
            ] {
                if size == 0 {
                    return refuse(field, &size, "at least 1");
                }
            }
            if let Some(size) = [words, sentences, paragraphs, headings]
                .into_iter()
                .find(|&size| size > LARGEST_SIZE)
            {
                return refuse(
                    "positions",
                    &size,
                    &format!("tables of at most {LARGEST_SIZE} entries"),
                );
            }
        }
        self.validate_variant()?;
        if let Some(bert) = &self.bert {
            bert.validate()?;
        }
        match &self.context {
            None if self.bert.is_some() => refuse("bert", &"set", "none without its context"),
            Some(_) if self.architecture == Architecture::RnnSearch => {
                refuse("context", &"set", "none with architecture rnn_search")
            }
            Some(context) => context.validate(self),
            None if self.memory != MemorySource::Live => {
                refuse("memory", &"stage_one", "live without a context")
            }
            None => Ok(()),
        }
    }

    /// Refuses what cannot be built of other programs' models.
    fn validate_variant(&self) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: String| {
            Err(Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed,
            }))
        };
        let variant = &self.variant;
        if self.architecture == Architecture::RnnSearch && !variant.is_plain() {
            let allowed = "none with architecture rnn_search".to_owned();
            return refuse("variant", &"set", allowed);
        }
        if let Positions::Learned { size } = self.positions
            && !(1..=LARGEST_SIZE).contains(&size)
        {
            let allowed = format!("1 up to {LARGEST_SIZE}");
            return refuse("positions.size", &size, allowed);
        }
        if let Some(size) = variant.target_vocab_size {
            let one_table = self.tied_embeddings || variant.tied_words;
            if one_table && size != self.vocab_size || !(1..=LARGEST_SIZE).contains(&size) {
                let allowed = format!("vocab_size, or 1 up to {LARGEST_SIZE} with its own table");
                return refuse("variant.target_vocab_size", &size, allowed);
            }
        }
        if variant.tied_words && variant.tied_output && !self.tied_embeddings {
            let allowed = "true if tied_words and tied_output are".to_owned();
            return refuse("tied_embeddings", &false, allowed);
        }
        let numbers = [Some(variant.norm_epsilon), variant.embedding_scale];
        if let Some(number) = numbers
            .into_iter()
            .flatten()
            .find(|it| !(it.is_finite() && *it > 0.0))
        {
            return refuse("variant", &number, "numbers above 0".to_owned());
        }
        if variant.decoder_cell == DecoderCell::Ssru && self.bert.is_some() {
            let allowed = "none with decoder_cell ssru".to_owned();
            return refuse("bert", &"set", allowed);
        }
        let tokens = &self.tokens;
        let own = [tokens.start, tokens.end, tokens.unknown];
        let generated = own
            .iter()
            .chain(&tokens.forced_first)
            .chain(&tokens.suppressed);
        let size = self.target_vocab_size();
        if let Some(id) = generated.copied().find(|&id| id as usize >= size) {
            return refuse("tokens", &id, format!("ids below {size}"));
        }
        if let Some(id) = tokens
            .source_end
            .filter(|&id| id as usize >= self.vocab_size)
        {
            return refuse(
                "tokens.source_end",
                &id,
                format!("an id below {}", self.vocab_size),
            );
        }
        Ok(())
    }

    /// Tokens of the target vocabulary.
    pub fn target_vocab_size(&self) -> usize {
        self.variant.target_vocab_size.unwrap_or(self.vocab_size)
    }

    /// Whether target words have a table of their own.
    pub fn has_target_table(&self) -> bool {
        !self.tied_embeddings && !self.variant.tied_words
    }

    /// Whether the logits have a table of their own.
    pub fn has_output_table(&self) -> bool {
        !self.tied_embeddings && !self.variant.tied_output
    }

    /// Tokens that a table of absolute positions must have: a source sentence and a long translation of it.
    pub(super) fn least_window(max_tokens: usize) -> usize {
        3 * max_tokens + 16
    }

    /// This model without anything that reads beyond the sentence, from which a context is fine-tuned.
    #[must_use]
    pub fn sentence_level(&self) -> Self {
        Self {
            context: None,
            memory: MemorySource::Live,
            warm_gate: false,
            bert: None,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            ..self.clone()
        }
    }

    /// How many sentences a token reads in each head, where there is a choice.
    pub fn top_t(&self) -> Option<usize> {
        self.context?.mechanism().top_t()
    }

    /// Lets every token read `top_t` sentences in each head; false where there is no such choice.
    pub fn set_top_t(&mut self, top_t: usize) -> bool {
        let with_top_t = |context: Context| context.mechanism().with_top_t(top_t);
        let context = self.context.and_then(with_top_t);
        self.context = context.or(self.context);
        context.is_some()
    }

    pub(super) fn rnn_search(&self) -> RnnSearchConfig {
        RnnSearchConfig {
            vocab_size: self.vocab_size,
            d_model: self.d_model,
            num_decoder_layers: self.num_decoder_layers,
            dropout: self.dropout,
            max_tokens: self.max_tokens,
        }
    }
}
