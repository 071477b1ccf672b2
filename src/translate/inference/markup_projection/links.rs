//! Links between the words of a sentence and those of its translation.

use std::ops::Range;

use super::Alignment;
use super::words::{Words, word_weights};

/// The least share of a target word that a source word has which is not the first of its sources.
const LEAST: f32 = 0.3;

/// A word of the source and one of the translation that stands for it.
#[derive(Debug, Clone, PartialEq)]
pub struct WordLink {
    /// Bytes of the source without its markup.
    pub source: Range<usize>,
    /// Bytes of the translation without its markup.
    pub target: Range<usize>,
    /// From 0 to 1; all links of a target word have 1 together at most.
    pub weight: f32,
}

/// The sources of each target word, in the order of the target: the most probable one, and others that have a large share.
pub(crate) fn word_links(source: &str, target: &str, alignment: &Alignment) -> Vec<WordLink> {
    let (source, target) = (Words::new(source, &[]), Words::new(target, &[]));
    let weights = word_weights(&source, &target, alignment);
    let mut links = Vec::new();
    for (word, row) in target.ranges.iter().zip(&weights) {
        let best = row.iter().copied().fold(0.0, f32::max);
        for (place, &weight) in row.iter().enumerate() {
            let is_best = weight > 0.0 && weight >= best;
            if is_best || weight >= LEAST {
                links.push(WordLink {
                    source: source.ranges[place].clone(),
                    target: word.clone(),
                    weight,
                });
            }
        }
    }
    links
}

/// The words of a text, as links count them.
pub fn word_ranges(text: &str) -> Vec<Range<usize>> {
    Words::new(text, &[]).ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_linked_to_its_most_probable_source() {
        let (source, target) = ("Open the file", "Öffne die Datei");
        let alignment = Alignment {
            source: vec![0..4, 4..8, 8..13],
            target: vec![0..6, 6..10, 10..16],
            weights: vec![
                vec![0.9, 0.05, 0.05],
                vec![0.05, 0.9, 0.05],
                vec![0.0, 0.1, 0.9],
            ],
        };
        let links = word_links(source, target, &alignment);
        let words: Vec<(&str, &str)> = links
            .iter()
            .map(|link| (&source[link.source.clone()], &target[link.target.clone()]))
            .collect();
        assert_eq!(
            words,
            [("Open", "Öffne"), ("the", "die"), ("file", "Datei")]
        );
        assert!(links.iter().all(|link| link.weight > 0.9));
        assert_eq!(word_links("", "", &Alignment::default()), []);
    }
}
