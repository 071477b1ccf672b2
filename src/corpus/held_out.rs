//! Sources that are kept for development and tests, and whether a training source is one of them or nearly.
//!
//! Texts are compared without markup, marks and case. A training source resembles a held-out one if it has at least
//! [`SHARE`] of the character 5-grams of it (its containment, Broder 1997). A source with this many of them has one of the
//! rarest, too: only these are indexed.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Characters of a gram.
const GRAM: usize = 5;
/// The least share of a held-out source's grams that a source like it has.
pub(crate) const SHARE: f64 = 0.7;
/// Grams of the shortest held-out source that another text is compared with: short ones are in everything.
const LEAST: usize = 20;

/// In what way a source is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The texts are the same.
    Equal,
    /// They have most of their grams in common.
    Alike,
}

/// Held-out sources, until all are known.
#[derive(Debug, Default)]
pub(super) struct HeldOutBuilder {
    /// Plain texts.
    texts: HashSet<String>,
}

impl HeldOutBuilder {
    /// Adds a source text.
    pub(crate) fn add(&mut self, source: &str) {
        let text = plain(source);
        if !text.is_empty() {
            self.texts.insert(text);
        }
    }

    /// Returns the finished index of all added sources.
    pub(crate) fn finish(self) -> HeldOut {
        let mut texts: Vec<String> = self.texts.into_iter().collect();
        texts.sort_unstable();
        let long = texts.iter().map(|text| grams(text));
        let long: Vec<Vec<u64>> = long.filter(|grams| grams.len() >= LEAST).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for gram in long.iter().flatten() {
            *counts.entry(*gram).or_default() += 1;
        }
        let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
        for (number, grams) in long.iter().enumerate() {
            let mut rarest = grams.clone();
            rarest.sort_unstable_by_key(|gram| (counts[gram], *gram));
            let enough = grams.len() - needed(grams.len()) + 1;
            for gram in &rarest[..enough] {
                index.entry(*gram).or_default().push(number);
            }
        }
        HeldOut {
            texts: texts.into_iter().collect(),
            grams: long,
            index,
        }
    }
}

/// All held-out sources.
#[derive(Debug)]
pub(super) struct HeldOut {
    texts: HashSet<String>,
    /// Grams of those that are long enough, each list sorted.
    grams: Vec<Vec<u64>>,
    /// By gram, the places in `grams` of those of which it is one of the rarest.
    index: HashMap<u64, Vec<usize>>,
}

impl HeldOut {
    /// How many different sources there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether this source is one of them, or resembles one.
    pub(crate) fn likeness(&self, source: &str) -> Option<Likeness> {
        let text = plain(source);
        if self.texts.contains(&text) {
            return Some(Likeness::Equal);
        }
        let ours = grams(&text);
        let mut compared = HashSet::new();
        let found = ours
            .iter()
            .filter_map(|gram| self.index.get(gram))
            .flatten();
        let mut found = found.filter(|number| compared.insert(**number));
        found
            .any(|number| {
                let theirs = &self.grams[*number];
                in_common(&ours, theirs) >= needed(theirs.len())
            })
            .then_some(Likeness::Alike)
    }
}

/// Number of grams that is [`SHARE`] of a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "grams of a sentence"
)]
fn needed(grams: usize) -> usize {
    (SHARE * grams as f64).ceil() as usize
}

/// Letters and digits in lower case, with a space for all between them.
fn plain(text: &str) -> String {
    let runs = text.split(|letter: char| !letter.is_alphanumeric());
    let runs: Vec<String> = runs
        .filter(|run| !run.is_empty())
        .map(str::to_lowercase)
        .collect();
    runs.join(" ")
}

/// The different grams of a text as hashes, sorted.
fn grams(text: &str) -> Vec<u64> {
    let letters: Vec<char> = text.chars().collect();
    let windows = letters.windows(GRAM).map(|window| {
        let mut hasher = DefaultHasher::new();
        window.hash(&mut hasher);
        hasher.finish()
    });
    let mut grams: Vec<u64> = windows.collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Elements of both of two sorted lists.
fn in_common(ours: &[u64], theirs: &[u64]) -> usize {
    let has = |gram: &&u64| ours.binary_search(gram).is_ok();
    theirs.iter().filter(has).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out() -> HeldOut {
        let mut builder = HeldOutBuilder::default();
        for text in [
            "Choose File - Print to print the whole document.",
            "Printing",
            "The brochure is printed on both sides of the paper.",
        ] {
            builder.add(text);
        }
        builder.finish()
    }

    #[test]
    fn marks_and_case_make_no_other_source() {
        let held_out = held_out();
        assert_eq!(held_out.len(), 3);
        for text in [
            "choose FILE – Print to print the whole document",
            "printing!",
        ] {
            assert_eq!(held_out.likeness(text), Some(Likeness::Equal), "{text}");
        }
    }

    #[test]
    fn a_source_that_holds_most_of_a_held_out_one_resembles_it() {
        let held_out = held_out();
        for text in [
            "Choose File - Print to print the whole page.",
            "First, choose File - Print to print the whole document. Then wait until it is done.",
        ] {
            assert_eq!(held_out.likeness(text), Some(Likeness::Alike), "{text}");
        }
        for text in [
            "Choose Edit - Find to look for a word.",
            "Printing takes a while.",
            "both sides of the paper",
            "",
        ] {
            assert_eq!(held_out.likeness(text), None, "{text}");
        }
    }
}
