//! Differences of other programs' Transformers from those that are trained here.

use serde::{Deserialize, Serialize};

/// Stands between sentences that an encoder of ours reads as one sequence: the id of `bos`, which no source sentence holds.
pub const SENTENCE_BREAK: u32 = 2;

/// Differences of a Transformer of another program; the default has none.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a difference of its own"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variant {
    /// Whether the projections of attention have biases.
    pub attention_bias: bool,
    /// The function between the two maps of a feed-forward layer.
    pub activation: Activation,
    /// Factor of the word vectors before places are added; none for √d_model, Vaswani et al. 2017, §3.4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_scale: Option<f32>,
    /// Whether words with their places are normalised before the first layer.
    pub embedding_norm: bool,
    /// ε of every layer normalisation.
    pub norm_epsilon: f32,
    /// Whether every word of the vocabulary has a bias on its score.
    pub output_bias: bool,
    /// The first sublayer of a decoder layer.
    pub decoder_cell: DecoderCell,
    /// Tokens of the target vocabulary, if it is another one than that of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_vocab_size: Option<usize>,
    /// Without `tied_embeddings`: whether source and target words have one table nevertheless.
    pub tied_words: bool,
    /// Without `tied_embeddings`: whether the target words' table gives the logits nevertheless.
    pub tied_output: bool,
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            attention_bias: false,
            activation: Activation::default(),
            embedding_scale: None,
            embedding_norm: false,
            norm_epsilon: Self::EPSILON,
            output_bias: false,
            decoder_cell: DecoderCell::default(),
            target_vocab_size: None,
            tied_words: false,
            tied_output: false,
        }
    }
}

impl Variant {
    /// ε of the models that are trained here.
    pub const EPSILON: f32 = 1e-5;

    /// Whether nothing differs from the models that are trained here.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// The function between the two maps of a feed-forward layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `max(0, x)`
    #[default]
    Relu,
    /// `x σ(x)`, also called silu.
    Swish,
    /// `x Φ(x)` by the error function, Hendrycks & Gimpel 2016.
    Gelu,
    /// Its approximation by tanh.
    GeluTanh,
    /// Its approximation `x σ(1.702 x)`.
    GeluSigmoid,
    /// `tanh x`
    Tanh,
    /// `σ(x)`
    Sigmoid,
}

/// The sublayer by which a decoder layer reads the previous tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecoderCell {
    /// Causal self-attention, Vaswani et al. 2017.
    #[default]
    SelfAttention,
    /// The simpler simple recurrent unit, Kim et al. 2019.
    Ssru,
}

/// Sines and cosines of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sinusoids {
    /// Where sines and cosines are.
    pub columns: SineColumns,
    /// How frequencies fall.
    pub frequencies: SineFrequencies,
    /// The number of the first place.
    #[serde(default)]
    pub first: usize,
}

impl Sinusoids {
    /// Positions of Vaswani et al. 2017, §3.5.
    pub const PAPER: Self = Self {
        columns: SineColumns::Alternating,
        frequencies: SineFrequencies::Paper,
        first: 0,
    };
}

/// Which columns are sines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SineColumns {
    /// Every other one.
    Alternating,
    /// The first half; the second are cosines.
    Halves,
}

/// Frequencies of column pair `k` among `d_model / 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SineFrequencies {
    /// `10000^(-2k / d_model)`, Vaswani et al. 2017, §3.5; also Hugging Face's Marian.
    Paper,
    /// `10000^(-k / (d_model / 2 - 1))`, tensor2tensor; also Marian itself, fairseq and OpenNMT-tf.
    Tensor2tensor,
}

/// Ids of a vocabulary that are no words, and what a search does with them; the default is [our own
/// vocabulary's](canopy_tokenize::vocabulary::Vocabulary).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpecialTokens {
    /// Stands before the first word of a translation.
    pub start: u32,
    /// Whether that is a zero vector, whatever the table says.
    pub zero_start: bool,
    /// Ends a translation.
    pub end: u32,
    /// Stands after the last word of a source sentence; none if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_end: Option<u32>,
    /// Stands for what the vocabulary lacks.
    pub unknown: u32,
    /// The first word of every translation: the token of its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_first: Option<u32>,
    /// Never generated.
    pub suppressed: Vec<u32>,
    /// Whether what is left after that is made to sum to one again.
    pub renormalised: bool,
    /// Tokens after which a translation is ended; none for as many as its source lets expect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
    /// The limit for each hundred tokens of the source; none for that of [`Self::search`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_for_hundred: Option<usize>,
    /// How the model's own program searches.
    pub search: SearchRule,
}

/// The way in which a program searches, so that its models give the same translations here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchRule {
    /// A beam stays full until as many translations have ended as it has places; they are compared by the length penalty
    /// of Wu et al. 2016, and those that were cut off come last.
    #[default]
    Canopy,
    /// The search continues until the best unfinished one would be worse than the worst of as many finished ones as the
    /// beam has places; log-probabilities are divided by the number of tokens, the end counted.
    HuggingFace,
    /// As here, but log-probabilities are divided by the number of tokens, the end counted, and what was cut off is no worse.
    CTranslate2,
    /// A translation that ends leaves its place empty; log-probabilities are divided by the number of tokens, the end
    /// counted, and a translation may have three times as many tokens as its source.
    Marian,
}

impl Default for SpecialTokens {
    fn default() -> Self {
        Self {
            start: 2,
            zero_start: false,
            end: 3,
            source_end: Some(3),
            unknown: 1,
            forced_first: None,
            suppressed: Vec::new(),
            renormalised: false,
            most: None,
            most_for_hundred: None,
            search: SearchRule::default(),
        }
    }
}

impl SpecialTokens {
    /// The id between sentences which an encoder reads as one sequence: `bos` of our own vocabulary, which no
    /// source sentence holds, and the end of a sentence in those of others.
    pub fn sentence_break(&self) -> u32 {
        self.known_break().unwrap_or(self.unknown)
    }

    /// The token between sentences, if no source sentence holds it.
    pub fn known_break(&self) -> Option<u32> {
        if self.are_own() {
            return Some(SENTENCE_BREAK);
        }
        self.source_end
    }

    /// Whether these are those of our own vocabulary.
    pub fn are_own(&self) -> bool {
        *self == Self::default()
    }

    /// Lets `log_probs`, of what may follow `len` words of a translation, keep what may be generated.
    pub(super) fn constrain(&self, log_probs: &mut [f32], len: usize) {
        if let (Some(first), 0) = (self.forced_first, len) {
            log_probs.fill(f32::NEG_INFINITY);
            log_probs[first as usize] = 0.0;
            return;
        }
        for &id in &self.suppressed {
            log_probs[id as usize] = f32::NEG_INFINITY;
        }
        if self.renormalised {
            let largest = log_probs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = log_probs.iter().map(|x| (x - largest).exp()).sum();
            let shift = largest + sum.ln();
            for log_prob in log_probs.iter_mut() {
                *log_prob -= shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_tokenize::vocabulary::Vocabulary;

    #[test]
    fn own_tokens_are_those_of_our_vocabulary() {
        let own = SpecialTokens::default();
        let found = [own.start, own.end, own.unknown];
        let expected = [Vocabulary::BOS, Vocabulary::EOS, Vocabulary::UNK];
        assert_eq!((found, own.source_end), (expected, Some(Vocabulary::EOS)));
    }

    #[test]
    fn suppressed_words_lose_their_probability_and_a_forced_one_takes_all() {
        let mut tokens = SpecialTokens {
            suppressed: vec![1],
            renormalised: true,
            ..SpecialTokens::default()
        };
        let mut row = [0.5_f32, 0.25, 0.25].map(f32::ln);
        tokens.constrain(&mut row, 0);
        let sum: f32 = row.iter().map(|x| x.exp()).sum();
        assert!(row[1] == f32::NEG_INFINITY && (sum - 1.0).abs() < 1e-6);
        tokens.forced_first = Some(2);
        tokens.constrain(&mut row, 1);
        assert!(row[0].is_finite(), "only the first word is forced");
        tokens.constrain(&mut row, 0);
        assert_eq!(
            row.map(f32::to_bits),
            [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0].map(f32::to_bits)
        );
    }
}
