//! Frequencies of words in the training documents.

use std::collections::HashMap;

use super::format::Corpus;
use super::split::Split;
use super::unit::Unit;
use crate::error::Result;

/// Words of the training documents' source side with their counts, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordCounts(HashMap<String, usize>);

impl WordCounts {
    /// Counts the words of all training documents.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn from_training(corpus: &Corpus) -> Result<Self> {
        let mut counts = Self::default();
        for document in corpus.documents(Split::Train)? {
            let paragraphs = document?.paragraphs.into_iter();
            let units = paragraphs.flat_map(|paragraph| paragraph.units);
            units.for_each(|unit: Unit| counts.add(&unit.visible_source()));
        }
        Ok(counts)
    }

    fn add(&mut self, text: &str) {
        for word in words(text) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// How often the rarest word of a text occurs; none of a text without words, or if nothing was counted.
    pub fn rarest(&self, text: &str) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let counts = words(text).map(|word| self.0.get(&word).copied().unwrap_or(0));
        counts.min()
    }
}

/// Runs of letters, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let runs = text.split(|letter: char| !letter.is_alphabetic());
    runs.filter(|run| !run.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_word_counts_whatever_its_case() {
        let mut counts = WordCounts::default();
        assert_eq!(counts.rarest("Open"), None);
        counts.add("Open the file, the folder.");
        counts.add("Open it.");
        assert_eq!(counts.rarest("open THE 12!"), Some(2));
        assert_eq!(counts.rarest("the file"), Some(1));
        assert_eq!(counts.rarest("the window"), Some(0));
        assert_eq!(counts.rarest("12 + 3"), None);
    }
}
