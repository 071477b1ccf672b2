//! How much there is to translate, as translators are paid: repetitions, matches of a memory by bands, and the rest.

use std::collections::HashSet;
use std::ops::AddAssign;

use serde::Serialize;

use super::TranslationMemory;
use super::words::normalized_words;
use canopy_document::placeholder::folded;

/// The kind of a segment by what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Band {
    /// An equal sentence was counted earlier.
    Repeated,
    /// The memory has it.
    Exact,
    /// The memory has something that resembles it by 95 to 99 %, and so on.
    From95,
    /// The memory has something that resembles it by 85 to 94 %.
    From85,
    /// The memory has something that resembles it by 75 to 84 %.
    From75,
    /// The memory has something that resembles it by 50 to 74 %.
    From50,
    /// Nothing in the memory resembles it by half.
    New,
}

impl Band {
    /// All bands, the best known first.
    pub const ALL: [Self; 7] = [
        Self::Repeated,
        Self::Exact,
        Self::From95,
        Self::From85,
        Self::From75,
        Self::From50,
        Self::New,
    ];

    /// The translator's name for the match class.
    pub fn label(self) -> &'static str {
        match self {
            Self::Repeated => "repeated",
            Self::Exact => "100 %",
            Self::From95 => "95-99 %",
            Self::From85 => "85-94 %",
            Self::From75 => "75-84 %",
            Self::From50 => "50-74 %",
            Self::New => "new",
        }
    }

    fn from_score(score: f32) -> Self {
        match score {
            score if score >= 0.95 => Self::From95,
            score if score >= 0.85 => Self::From85,
            score if score >= 0.75 => Self::From75,
            score if score >= 0.5 => Self::From50,
            _ => Self::New,
        }
    }
}

/// Sizes of some segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Amount {
    /// Number of segments.
    pub segments: usize,
    /// Words without marks; in scripts without spaces those of a dictionary.
    pub words: usize,
    /// Characters but for spaces.
    pub characters: usize,
}

impl Amount {
    fn from_text(text: &str) -> Self {
        Self {
            segments: 1,
            words: normalized_words(text).len(),
            characters: text.chars().filter(|c| !c.is_whitespace()).count(),
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.segments += other.segments;
        self.words += other.words;
        self.characters += other.characters;
    }
}

/// Counts segments one after the other; repetitions count across all of them.
#[derive(Debug)]
pub struct Analysis<'m> {
    memory: Option<&'m TranslationMemory>,
    seen: HashSet<String>,
}

impl<'m> Analysis<'m> {
    /// Starts an analysis without segments; without a memory only repetitions are known.
    pub fn new(memory: Option<&'m TranslationMemory>) -> Self {
        Self {
            memory,
            seen: HashSet::new(),
        }
    }

    /// The band of a segment as a reader sees it, and its size; none if it has no letters.
    pub fn count(&mut self, text: &str) -> Option<(Band, Amount)> {
        let text = folded(text);
        if !text.chars().any(char::is_alphabetic) {
            return None;
        }
        let amount = Amount::from_text(&text);
        if self.seen.contains(&text) {
            return Some((Band::Repeated, amount));
        }
        let band = match self.memory {
            None => Band::New,
            Some(memory) if memory.exact(&text).is_some() => Band::Exact,
            Some(memory) => {
                let best = memory.best(&text);
                best.map_or(Band::New, |found| Band::from_score(found.score))
            }
        };
        self.seen.insert(text);
        Some((band, amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_count_once_by_the_best_that_is_known() {
        let pairs = [
            ("Open the file now.", "Jetzt die Datei öffnen."),
            ("Close it.", "Schließen."),
        ];
        let pairs = pairs.map(|(source, target)| (source.to_owned(), target.to_owned()));
        let memory = TranslationMemory::new(pairs);
        let mut analysis = Analysis::new(Some(&memory));
        let mut band = |text: &str| analysis.count(text).map(|(band, _)| band);
        assert_eq!(band("Open  the file now."), Some(Band::Exact));
        assert_eq!(band("Open the file now."), Some(Band::Repeated));
        // One word of five tokens is another one: 80 %.
        assert_eq!(band("Open the page now."), Some(Band::From75));
        assert_eq!(
            band("Something else entirely stands here."),
            Some(Band::New)
        );
        assert_eq!(band("open the file now."), Some(Band::From95));
        assert_eq!(band("12 / 3"), None);
        let (_, amount) = Analysis::new(None)
            .count("Open it, 2 times.")
            .expect("words");
        assert_eq!((amount.words, amount.characters), (4, 14));
    }
}
