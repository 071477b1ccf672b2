//! The find bar: words that are looked for, and the matches.

use std::ops::Range;

use super::one_shot::OneShot;

/// A command of the find bar.
#[derive(Debug, Clone, PartialEq)]
pub enum FindCommand {
    /// Opens the bar.
    Open,
    /// Closes the bar.
    Close,
    /// Looks for other words.
    Query(String),
    /// Sets the text that replaces a match.
    Replacement(String),
    /// How words are looked for, and where.
    Options(FindOptions),
    /// Goes to the next match.
    Next,
    /// Goes to the previous match.
    Previous,
    /// Replaces the current match, if it is in a translation, and goes to the next one in a translation.
    Replace,
    /// Replaces all matches in translations, as one step.
    ReplaceAll,
}

/// How words are looked for, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FindOptions {
    /// Capital and small letters are different.
    pub matches_case: bool,
    /// Matches begin and end at the edges of words.
    pub whole_words: bool,
    /// The words are a regular expression.
    pub is_regex: bool,
    /// One side alone; none looks on both.
    pub side: Option<Side>,
}

/// A side of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The text of the document.
    Source,
    /// The translation.
    Target,
}

/// A place that holds the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Index of the sentence.
    pub sentence: usize,
    /// The side that holds the words.
    pub side: Side,
    /// Characters of the text without placeholders.
    pub chars: Range<usize>,
}

impl Match {
    /// Orders matches as they are read.
    pub fn key(&self) -> (usize, Side, usize) {
        (self.sentence, self.side, self.chars.start)
    }
}

/// A match as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Characters of the text without placeholders.
    pub chars: Range<usize>,
    /// Whether it was gone to.
    pub is_current: bool,
}

/// Words looked for in a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Find {
    /// Whether the bar is shown.
    pub is_open: bool,
    /// The words that are looked for.
    pub query: String,
    /// The text that replaces a match.
    pub replacement: String,
    /// How words are looked for, and where.
    pub options: FindOptions,
    /// Why the regular expression is invalid.
    pub problem: Option<String>,
    /// In reading order, of each sentence the source's first.
    pub matches: Vec<Match>,
    /// Index of the match that was gone to.
    pub current: Option<usize>,
    /// The field is to get the keyboard.
    pub wants_focus: OneShot<()>,
    /// Revision of the targets that were searched.
    pub(super) revision: u64,
}

impl Find {
    /// The matches to mark on a side of a sentence.
    pub fn marks(&self, sentence: usize, side: Side) -> Vec<Mark> {
        if !self.is_open {
            return vec![];
        }
        let first = self
            .matches
            .partition_point(|found| (found.sentence, found.side) < (sentence, side));
        self.matches[first..]
            .iter()
            .take_while(|found| (found.sentence, found.side) == (sentence, side))
            .zip(first..)
            .map(|(found, at)| Mark {
                chars: found.chars.clone(),
                is_current: self.current == Some(at),
            })
            .collect()
    }

    /// Whether there is something to replace.
    pub fn has_targets(&self) -> bool {
        self.matches.iter().any(|found| found.side == Side::Target)
    }

    /// The match to go to from the one that was gone to, or from the selected sentence if that is another; around the end.
    pub fn next(&self, forwards: bool, selected: Option<usize>) -> Option<usize> {
        let count = self.matches.len();
        if count == 0 {
            return None;
        }
        let from = selected.unwrap_or(0);
        let here = self
            .current
            .filter(|&at| Some(self.matches[at].sentence) == selected);
        let next = match (here, forwards) {
            (Some(at), true) => at + 1,
            (Some(at), false) => at + count - 1,
            (None, true) => self.matches.partition_point(|found| found.sentence < from),
            (None, false) => {
                let behind = self.matches.partition_point(|found| found.sentence <= from);
                behind + count - 1
            }
        };
        Some(next % count)
    }
}
