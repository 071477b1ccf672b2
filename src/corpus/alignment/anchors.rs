//! Anchors: what reads the same in every language, such as numbers, addresses, names and code.
//!
//! After Simard, Foster & Isabelle, "Using Cognates to Align Sentences in Bilingual Corpora", TMI 1992, who count words
//! that are alike. Here they must be equal, and count by how rare they are in both documents: a word in every second
//! paragraph says nothing.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::markup::Side;

/// Gain of one shared anchor at most, and cost of one that only one side has if it is a number.
const MOST_SHARED: f64 = 3.0;
const MISSING_NUMBER: f64 = 0.7;
/// Gain or cost of all anchors of a bead at most.
pub(super) const MOST_GAINED: f64 = 8.0;
const MOST_LOST: f64 = 3.0;

/// The anchors of a text, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchors(BTreeSet<Anchor>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Anchor {
    hash: u64,
    is_number: bool,
}

impl Anchors {
    /// Words, and what markup shows and points to.
    pub(super) fn from_side(side: &Side) -> Self {
        let mut anchors = Self::default();
        for word in side.visible().split_whitespace() {
            anchors.add_word(word);
        }
        let tags = side.markup.iter().flat_map(|mark| &mark.tags.starts);
        for (name, value) in tags.flat_map(|tag| &tag.attributes) {
            // A class is the same all over a page.
            if name != "class" {
                anchors.add(value, false);
            }
        }
        anchors
    }

    /// Adds the id of a paragraph in its file.
    pub(super) fn add_id(&mut self, id: &str) {
        self.add(&format!("#{id}"), false);
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    fn add_word(&mut self, word: &str) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let has_digit = word.contains(|c: char| c.is_ascii_digit());
        if has_digit && !word.contains(char::is_alphabetic) {
            // 1,000.5 is 1.000,5 in other languages.
            let digits: String = word.chars().filter(char::is_ascii_digit).collect();
            self.add(&digits, true);
        } else if has_digit || word.chars().count() >= 3 {
            self.add(&word.to_lowercase(), false);
        }
    }

    fn add(&mut self, text: &str, is_number: bool) {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        self.0.insert(Anchor {
            hash: hasher.finish(),
            is_number,
        });
    }
}

/// Weights of the anchors of two documents.
#[derive(Debug)]
pub(super) struct Weights {
    /// Number of texts that hold the anchor.
    texts: HashMap<Anchor, u32>,
    all: f64,
}

impl Weights {
    pub(super) fn from_texts<'a>(texts: impl Iterator<Item = &'a Anchors>) -> Self {
        let mut weights = Self {
            texts: HashMap::new(),
            all: 0.0,
        };
        for text in texts {
            weights.all += 1.0;
            for anchor in &text.0 {
                *weights.texts.entry(*anchor).or_default() += 1;
            }
        }
        weights
    }

    /// Log of the factor by which the anchors raise the probability that these texts belong together.
    pub(super) fn gain(&self, source: &Anchors, target: &Anchors) -> f64 {
        let shared = source.0.intersection(&target.0);
        let gained: f64 = shared.map(|anchor| self.weight(anchor)).sum();
        let missing = source.0.symmetric_difference(&target.0);
        let missing = missing
            .filter(|anchor| anchor.is_number)
            .map(|_| MISSING_NUMBER);
        gained.min(MOST_GAINED) - missing.sum::<f64>().min(MOST_LOST)
    }

    /// The logarithm of one over the share of texts that have it, both sides of a lone pair counted as one.
    fn weight(&self, anchor: &Anchor) -> f64 {
        let texts = self
            .texts
            .get(anchor)
            .copied()
            .map_or(2.0, f64::from)
            .max(2.0);
        (self.all / texts).ln().clamp(0.0, MOST_SHARED)
    }
}
