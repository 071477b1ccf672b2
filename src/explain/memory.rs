//! The memory's share in the words of a translation: the pairs in which the same word followed a similar state
//! of the decoder, and how much say they had.
//!
//! Khandelwal et al., "Nearest Neighbor Machine Translation", ICLR 2021, Eq. 2 and 3.

use std::fmt::Write;

use serde::Serialize;

use super::context::{ContextSentence, ShadedWord};

/// Pairs that are shown.
pub(super) const SHOWN: usize = 8;

/// Pairs that give less are not shown.
const LEAST: f32 = 0.0005;

/// A word that owes more of its probability to the memory is marked in text.
const MARKED: f32 = 0.1;

/// One sentence's translation, and the pairs that its words were found in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryView {
    /// Name of the model.
    pub model: String,
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// The source text.
    pub source: String,
    /// Subwords of the translation.
    pub words: Vec<MemoryWord>,
    /// Pairs of the memory in which one of these words followed.
    pub pairs: Vec<MemoryPair>,
    /// The selected word.
    pub selected: Option<usize>,
}

/// A subword, and what was looked up for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryWord {
    /// The subword for display.
    pub label: String,
    /// Whether a space precedes it.
    pub begins: bool,
    /// Share of the memory in the word's probability, whichever words it speaks for, in `[0, 1]`.
    pub weight: f32,
    /// Its probability by the model alone, and with the memory.
    pub alone: f32,
    /// Its probability with the memory.
    pub mixed: f32,
    /// Where this very word followed.
    pub agreeing: Vec<AgreeingWord>,
}

/// A place in a pair that spoke for a word.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AgreeingWord {
    /// Its place in [`MemoryView::pairs`].
    pub pair: usize,
    /// Its place in the pair's translation.
    pub word: usize,
    /// Share of the probability that comes from here.
    pub weight: f32,
}

/// A pair of the memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryPair {
    /// The source of the pair.
    pub source: String,
    /// Subwords of its translation, with its end.
    pub words: Vec<PairWord>,
}

/// A subword of the translation of a pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairWord {
    /// The subword for display.
    pub label: String,
    /// Whether a space precedes it.
    pub begins: bool,
}

impl MemoryPair {
    /// As text, without its end.
    pub fn translation(&self) -> String {
        let mut text = String::new();
        let words = self
            .words
            .split_last()
            .map_or(&[][..], |(_end, words)| words);
        for word in words {
            if word.begins && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&word.label);
        }
        text
    }
}

impl MemoryWord {
    /// Share of the probability that comes from pairs in which this word followed.
    pub fn agreeing(&self) -> f32 {
        self.agreeing.iter().map(|place| place.weight).sum()
    }
}

impl MemoryView {
    /// The selected words: one of them or all.
    pub fn selected_words(&self) -> &[MemoryWord] {
        self.selected
            .and_then(|word| self.words.get(word..=word))
            .unwrap_or(&self.words)
    }

    /// Mean over the selected words: share of their probability that comes from pairs in which they followed,
    /// and that spoke for other words.
    pub fn shares(&self) -> (f32, f32) {
        let words = self.selected_words();
        let count = words.len().max(1) as f32;
        let agreeing = words.iter().map(MemoryWord::agreeing).sum::<f32>() / count;
        let whole = words.iter().map(|word| word.weight).sum::<f32>() / count;
        (agreeing, (whole - agreeing).max(0.0))
    }

    /// The query, and the memory's share in its probability.
    pub fn query(&self) -> String {
        let sentence = self.sentence + 1;
        let selected = self
            .selected
            .and_then(|word| Some((word + 1, self.words.get(word)?)));
        if let Some((number, word)) = selected {
            let (label, alone, mixed) = (&word.label, word.alone, word.mixed);
            return format!(
                "word {number} “{label}” of sentence {sentence} · probability {alone:.2} by the model alone, {mixed:.2} with its memory"
            );
        }
        let (agreeing, other) = self.shares();
        format!(
            "sentence {sentence} · {agreeing:.2} of its words’ probability comes from pairs that have them, {other:.2} spoke for other words"
        )
    }

    /// For a terminal: the pairs that gave most, their words that gave something in brackets.
    pub fn text(&self) -> String {
        let own = |word: &ShadedWord| word.weight.is_some_and(|weight| weight > MARKED);
        let mut text = format!(
            "{}\n\n       {}\n       {}\n",
            self.query(),
            self.source,
            self.translation().running(own)
        );
        let spoke = self.spoke();
        // Writing to a string does not fail.
        for (source, pair) in spoke.iter().take(SHOWN) {
            let running = pair.running(|word| word.weight > Some(0.0));
            let _ = write!(text, "\n{:.3}  {source}\n       {running}\n", pair.weight);
        }
        if spoke.is_empty() {
            text.push_str("\n       nothing in the memory spoke for it\n");
        }
        if spoke.len() > SHOWN {
            let rest: f32 = spoke[SHOWN..].iter().map(|(_, pair)| pair.weight).sum();
            let _ = writeln!(text, "\n{rest:.3}  in {} other pairs", spoke.len() - SHOWN);
        }
        text
    }

    /// The translation, each word with the share that comes from the memory.
    pub fn translation(&self) -> ContextSentence {
        let words = self
            .words
            .iter()
            .enumerate()
            .map(|(place, word)| ShadedWord {
                text: word.label.clone(),
                begins: word.begins && place > 0,
                weight: Some(word.agreeing()),
            });
        ContextSentence {
            sentence: self.sentence,
            weight: self.shares().0,
            words: words.collect(),
        }
    }

    /// The pairs that contributed to the selected words, those with the most weight first: source, and
    /// translation with the weight of each word. That of a word is its share of another one's probability, that of a
    /// pair the mean over the selected words.
    pub fn spoke(&self) -> Vec<(&str, ContextSentence)> {
        let words = self.selected_words();
        let mut weights: Vec<Vec<f32>> = self
            .pairs
            .iter()
            .map(|pair| vec![0.0; pair.words.len()])
            .collect();
        let selected = words.len();
        for place in words.iter().flat_map(|word| &word.agreeing) {
            weights[place.pair][place.word] += place.weight;
        }
        let pairs = self.pairs.iter().zip(weights).map(|(pair, weights)| {
            let words = pair.words.iter().zip(&weights).enumerate();
            let words = words.map(|(place, (word, &weight))| ShadedWord {
                text: word.label.clone(),
                begins: word.begins && place > 0,
                weight: Some(weight),
            });
            let translation = ContextSentence {
                sentence: 0,
                weight: weights.iter().sum::<f32>() / selected as f32,
                words: words.collect(),
            };
            (pair.source.as_str(), translation)
        });
        let mut pairs: Vec<_> = pairs.filter(|(_, pair)| pair.weight >= LEAST).collect();
        pairs.sort_by(|left, right| right.1.weight.total_cmp(&left.1.weight));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(label: &str, weight: f32, agreeing: &[(usize, usize, f32)]) -> MemoryWord {
        let agreeing =
            agreeing
                .iter()
                .map(|&(pair, word, weight)| AgreeingWord { pair, word, weight });
        MemoryWord {
            label: label.to_owned(),
            begins: true,
            weight,
            alone: 0.5,
            mixed: 0.5,
            agreeing: agreeing.collect(),
        }
    }

    fn pair(source: &str, target: &str) -> MemoryPair {
        let words = target.split(' ').map(|label| PairWord {
            label: label.to_owned(),
            begins: true,
        });
        MemoryPair {
            source: source.to_owned(),
            words: words.collect(),
        }
    }

    #[test]
    fn pairs_are_ranked_by_their_share_of_the_selected_words() {
        let mut view = MemoryView {
            model: "m".to_owned(),
            sentence: 4,
            source: "Close the window".to_owned(),
            words: vec![
                word("das", 0.6, &[(0, 0, 0.1), (1, 1, 0.2)]),
                word("Fenster", 0.4, &[(0, 1, 0.4)]),
            ],
            pairs: vec![pair("the window", "das Fenster"), pair("in it", "in das")],
            selected: None,
        };
        let found = |view: &MemoryView| -> Vec<(String, f32)> {
            let spoke = view.spoke().into_iter();
            spoke
                .map(|(source, pair)| (source.to_owned(), pair.weight))
                .collect()
        };
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        let all = found(&view);
        assert!(near(all[0].1, 0.25) && near(all[1].1, 0.1), "{all:?}");
        let (agreeing, other) = view.shares();
        assert!(
            near(agreeing, 0.35) && near(other, 0.15),
            "{agreeing} {other}"
        );
        view.selected = Some(0);
        let one = found(&view);
        assert_eq!(
            one,
            [("in it".to_owned(), 0.2), ("the window".to_owned(), 0.1)]
        );
        view.selected = Some(1);
        assert_eq!(found(&view), [("the window".to_owned(), 0.4)]);
        let weights: Vec<Option<f32>> = view.spoke()[0]
            .1
            .words
            .iter()
            .map(|word| word.weight)
            .collect();
        assert_eq!(weights, [Some(0.0), Some(0.4)]);
    }
}
