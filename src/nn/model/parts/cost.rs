//! The cost of a part, and the widths it is counted from.

use serde::Serialize;

/// Multiplications and additions for a document of `n` sentences of `m` tokens each, as coefficients; `r = n · m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// × r
    pub words: u64,
    /// × r · m: tokens of a token's own sentence, or of as many others as there are.
    pub words_in_sentence: u64,
    /// × r · n: sentences of the document.
    pub words_and_sentences: u64,
    /// × r²: tokens of the document.
    pub words_and_words: u64,
    /// × r · log₂ n: levels of the content tree.
    pub words_and_levels: u64,
    /// × n
    pub sentences: u64,
    /// Numbers kept for each token while the part computes.
    pub floats_per_word: u64,
}

impl Cost {
    /// Multiplications and additions in all.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn operations(&self, sentences: usize, words: usize) -> f64 {
        let (n, m) = (sentences as f64, words as f64);
        let r = n * m;
        self.words as f64 * r
            + self.words_in_sentence as f64 * r * m
            + self.words_and_sentences as f64 * r * n
            + self.words_and_words as f64 * r * r
            + self.words_and_levels as f64 * r * n.log2().ceil().max(1.0)
            + self.sentences as f64 * n
    }
}

/// Widths as numbers of a cost.
pub(in crate::model) struct Widths {
    pub d: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    pub norm: usize,
    /// Biases of one attention; only other programs' models have any.
    pub attention_bias: usize,
    pub gate: usize,
}

impl Widths {
    pub(crate) fn square(&self) -> usize {
        self.d * self.d
    }

    /// Width and its square.
    pub(crate) fn numbers(&self) -> (u64, u64) {
        (self.d as u64, self.square() as u64)
    }

    pub(crate) fn feed_forward(&self) -> usize {
        2 * self.d * self.d_ff + self.d_ff + self.d
    }

    pub(crate) fn source2token(&self) -> usize {
        3 * self.square() + self.d
    }

    /// Self-attention over units of some tokens; `words` is how many times the own sentence's.
    pub(crate) fn attention(&self, words: usize) -> Cost {
        Cost {
            words: 4 * self.square() as u64,
            words_in_sentence: 2 * (self.d * words) as u64,
            floats_per_word: 4 * self.d as u64,
            ..Cost::default()
        }
    }

    pub(crate) fn feed_forward_cost(&self) -> Cost {
        Cost {
            words: 2 * (self.d * self.d_ff) as u64,
            floats_per_word: (self.d_ff + self.d) as u64,
            ..Cost::default()
        }
    }
}
