//! Counting n-grams of any order, of words or of characters.
//!
//! Every different n-gram of a few texts gets a number; that of an (n + 1)-gram is found by the number of its first n
//! items and its last item, so that an n-gram costs one look-up however long it is.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The n-grams of some texts, all of one order; begins with order 1.
#[derive(Debug)]
pub(super) struct Ngrams {
    /// `[texts, items]`
    items: Vec<Vec<u32>>,
    /// The number of the n-gram that begins at each place, `[texts, items + 1 - order]`.
    grams: Vec<Vec<u32>>,
    order: usize,
    distinct: usize,
}

impl Ngrams {
    /// Takes texts as numbers of words or characters.
    pub(crate) fn new(items: Vec<Vec<u32>>) -> Self {
        let mut ngrams = Self {
            grams: items.iter().map(|text| vec![0; text.len() + 1]).collect(),
            items,
            order: 0,
            distinct: 0,
        };
        ngrams.longer();
        ngrams
    }

    /// Texts of words, each a list of words.
    pub(crate) fn from_words<'a>(texts: impl Iterator<Item = &'a [String]>) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut number = |word: &'a String| {
            let next = number_of(numbers.len());
            *numbers.entry(word).or_insert(next)
        };
        Self::new(
            texts
                .map(|words| words.iter().map(&mut number).collect())
                .collect(),
        )
    }

    /// Texts of characters.
    pub(crate) fn from_chars<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self::new(
            texts
                .map(|text| text.chars().map(u32::from).collect())
                .collect(),
        )
    }

    /// Goes on to n-grams with one item more.
    pub(crate) fn longer(&mut self) {
        let mut numbers: HashMap<u64, u32, BuildHasherDefault<PairHasher>> = HashMap::default();
        for (grams, items) in self.grams.iter_mut().zip(&self.items) {
            let last = items.iter().skip(self.order);
            let mut longer = 0;
            for (place, &item) in last.enumerate() {
                let pair = u64::from(grams[place]) << 32 | u64::from(item);
                let next = number_of(numbers.len());
                grams[place] = *numbers.entry(pair).or_insert(next);
                longer += 1;
            }
            grams.truncate(longer);
        }
        self.order += 1;
        self.distinct = numbers.len();
    }

    /// How many n-grams a text has.
    pub(crate) fn total(&self, text: usize) -> i64 {
        super::metric::sum_of(self.grams[text].len())
    }

    /// How often a text has each n-gram.
    pub(crate) fn counts(&self, text: usize) -> Vec<u32> {
        let mut counts = vec![0; self.distinct];
        for &gram in &self.grams[text] {
            counts[gram as usize] += 1;
        }
        counts
    }

    /// How many different n-grams a text has.
    pub(crate) fn distinct(&self, text: usize) -> i64 {
        let counts = self.counts(text);
        super::metric::sum_of(counts.iter().filter(|&&count| count > 0).count())
    }
}

/// How many n-grams two texts have in common, each as often as both have it.
pub(super) fn common(left: &[u32], right: &[u32]) -> i64 {
    let both = left.iter().zip(right);
    both.map(|(left, right)| i64::from(*left.min(right))).sum()
}

fn number_of(len: usize) -> u32 {
    u32::try_from(len).expect("fewer than 2^32 n-grams in a segment")
}

/// Multiplies: keys are pairs of numbers that we gave ourselves, so nothing stronger is needed.
#[derive(Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn write_u64(&mut self, pair: u64) {
        let mixed = (pair ^ pair >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only pairs are hashed");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ngrams_are_counted_as_they_stand() {
        let mut ngrams = Ngrams::from_chars(["abab", "ab", ""].into_iter());
        assert_eq!([0, 1, 2].map(|text| ngrams.total(text)), [4, 2, 0]);
        assert_eq!(common(&ngrams.counts(0), &ngrams.counts(1)), 2);
        ngrams.longer();
        assert_eq!([0, 1, 2].map(|text| ngrams.total(text)), [3, 1, 0]);
        assert_eq!(ngrams.distinct(0), 2);
        assert_eq!(common(&ngrams.counts(0), &ngrams.counts(1)), 1);
        for _ in 0..4 {
            ngrams.longer();
        }
        assert_eq!([0, 1, 2].map(|text| ngrams.total(text)), [0, 0, 0]);
    }
}
