//! Words of texts, between which tags are placed, and how much they have to do with each other.

use std::ops::Range;

use super::Alignment;

/// A text cut into words and signs; white space between them belongs to none.
#[derive(Debug, Clone)]
pub(super) struct Words<'t> {
    pub text: &'t str,
    pub ranges: Vec<Range<usize>>,
}

impl<'t> Words<'t> {
    /// Cuts at white space, before and after signs, between characters of scripts without spaces, and at `boundaries`.
    pub(crate) fn new(text: &'t str, boundaries: &[usize]) -> Self {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut previous: Option<char> = None;
        for (at, character) in text.char_indices() {
            let end = at + character.len_utf8();
            let joins = previous.is_some_and(|before| is_joined(before, character));
            match ranges.last_mut() {
                _ if character.is_whitespace() => {}
                Some(last) if joins && !boundaries.contains(&at) => last.end = end,
                _ => ranges.push(at..end),
            }
            previous = Some(character);
        }
        Self { text, ranges }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn word(&self, index: usize) -> &'t str {
        &self.text[self.ranges[index].clone()]
    }

    /// The words within some bytes.
    pub(crate) fn within(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.ranges.partition_point(|word| word.start < bytes.start);
        let end = self.ranges.partition_point(|word| word.end <= bytes.end);
        start..end.max(start)
    }
}

fn is_joined(before: char, character: char) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "'’_\u{301}".contains(c) || is_mark(c);
    is_part(before) && is_part(character) && !is_unspaced(before) && !is_unspaced(character)
}

/// Marks that join the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36F | 0x591..=0x5C7 | 0x64B..=0x65F | 0x900..=0x903 | 0x93A..=0x94F | 0x981..=0xD4D)
}

/// Characters of scripts that write no spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// How much each target word has to do with each source word: a row a target word, which sums to 1.
pub(super) fn word_weights(source: &Words, target: &Words, alignment: &Alignment) -> Vec<Vec<f32>> {
    let shares = |words: &Words, tokens: &[Range<usize>]| -> Vec<Vec<(usize, f32)>> {
        tokens.iter().map(|token| shares_of(words, token)).collect()
    };
    let source_shares = shares(source, &alignment.source);
    let target_shares = shares(target, &alignment.target);
    let mut weights = vec![vec![0.0_f32; source.len()]; target.len()];
    for (row, words) in alignment.weights.iter().zip(&target_shares) {
        for &(word, share) in words {
            for (&weight, sources) in row.iter().zip(&source_shares) {
                // What is no number says nothing.
                let weight = if weight.is_finite() {
                    weight.max(0.0)
                } else {
                    0.0
                };
                for &(other, part) in sources {
                    weights[word][other] += weight * share * part;
                }
            }
        }
    }
    let (num_source, num_target) = (source.len(), target.len());
    for (place, row) in weights.iter_mut().enumerate() {
        // Nothing is known of this word: its place in the sentence decides.
        if num_source > 0 && row.iter().all(|&weight| weight <= 0.0) {
            row[place * num_source / num_target.max(1)] = 1.0;
        }
    }
    trust_equal_words(source, target, &mut weights);
    balance(&mut weights);
    weights
}

/// The words that a token is a part of, with its share in each.
fn shares_of(words: &Words, token: &Range<usize>) -> Vec<(usize, f32)> {
    let first = words.ranges.partition_point(|word| word.end <= token.start);
    let touched = words.ranges[first..]
        .iter()
        .take_while(|word| word.start < token.end);
    let overlap = |word: &Range<usize>| word.end.min(token.end) - word.start.max(token.start);
    let lengths: Vec<usize> = touched.map(overlap).collect();
    let sum: usize = lengths.iter().sum();
    let share = |length: usize| length as f32 / sum as f32;
    (first..)
        .zip(lengths)
        .map(|(word, length)| (word, share(length)))
        .collect()
}

/// Squares the weights, since attention is less sure than what it points to, and normalises columns and rows in turn (Sinkhorn
/// & Knopp 1967): a target word that looks at words which others look at more belongs to none of them.
fn balance(weights: &mut [Vec<f32>]) {
    /// Probability of unrelated words.
    const LEAST: f32 = 1e-6;
    const ROUNDS: usize = 3;
    for weight in weights.iter_mut().flatten() {
        *weight = (*weight + LEAST).powi(2);
    }
    for _ in 0..ROUNDS {
        for column in 0..weights.first().map_or(0, Vec::len) {
            let sum: f32 = weights.iter().map(|row| row[column]).sum();
            for row in weights.iter_mut() {
                row[column] /= sum;
            }
        }
        for row in weights.iter_mut() {
            let sum: f32 = row.iter().sum();
            for weight in row {
                *weight /= sum;
            }
        }
    }
}

/// A number or name that occurs once on both sides is the translation of itself.
fn trust_equal_words(source: &Words, target: &Words, weights: &mut [Vec<f32>]) {
    let is_name = |word: &str| {
        let mut letters = word.chars();
        let is_capital = letters.next().is_some_and(char::is_uppercase) && letters.next().is_some();
        let is_number = || word.chars().any(|c| c.is_ascii_digit());
        is_capital || is_number() || word.chars().skip(1).any(char::is_uppercase)
    };
    for (place, row) in weights.iter_mut().enumerate() {
        let word = target.word(place);
        if !is_name(word) {
            continue;
        }
        let places = |words: &Words| {
            (0..words.len())
                .filter(|&other| words.word(other) == word)
                .collect::<Vec<_>>()
        };
        if let ([other], [_]) = (places(source).as_slice(), places(target).as_slice()) {
            row.fill(0.0);
            row[*other] = 1.0;
        }
    }
}
