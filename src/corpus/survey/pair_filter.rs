//! Pairs that do not look like translations.

use super::script::Script;
use crate::unit::UnitStatus;

/// One side is this many times as long as the other, and longer by this many characters.
const LONGER: f64 = 3.0;
const LONGER_BY: f64 = 15.0;

/// Why a pair is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairDefect {
    /// One side has nothing.
    Empty,
    /// Both sides read the same.
    Identical,
    /// One side is several times as long as the other.
    Length,
    /// A side is written in the script of another language.
    Script,
    /// Neither structure nor length says that the sides belong together.
    Alignment,
}

/// The measure by which pairs are judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFilter {
    /// Characters of the target for one of the source.
    ratio: f64,
    /// The scripts of both languages, as far as they are known.
    source: Option<Script>,
    target: Option<Script>,
}

impl PairFilter {
    /// A filter for these languages, fitted to some of the pairs.
    pub(crate) fn fit(languages: &(String, String), pairs: &[(String, String)]) -> Self {
        let length = |text: &str| text.chars().count();
        let lengths = pairs.iter();
        let lengths = lengths.map(|(source, target)| (length(source), length(target)));
        let (source, target) = lengths.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let script = |language: &str, side: fn(&(String, String)) -> &str| {
            let known = Script::from_language(language);
            known.or_else(|| Script::from_texts(pairs.iter().map(side)))
        };
        let ratio = (target.max(1) as f64) / (source.max(1) as f64);
        Self {
            ratio,
            source: script(&languages.0, |pair| &pair.0),
            target: script(&languages.1, |pair| &pair.1),
        }
    }

    /// Why this pair is doubtful, if it is.
    pub fn defect(&self, source: &str, target: &str) -> Option<PairDefect> {
        let (source, target) = (source.trim(), target.trim());
        if source.is_empty() || target.is_empty() {
            return Some(PairDefect::Empty);
        }
        if source == target {
            return Some(PairDefect::Identical);
        }
        let is_other = |text: &str, expected: Option<Script>| {
            let found = Script::from_texts([text]);
            expected.zip(found).is_some_and(|(one, other)| one != other)
        };
        if is_other(source, self.source) || is_other(target, self.target) {
            return Some(PairDefect::Script);
        }
        let [ours, theirs] = [source, target].map(|text| text.chars().count() as f64);
        let theirs = theirs / self.ratio;
        let (shorter, longer) = (ours.min(theirs), ours.max(theirs));
        (longer > LONGER * shorter && longer - shorter > LONGER_BY).then_some(PairDefect::Length)
    }

    /// The status of a pair as an importer adds it.
    pub(crate) fn status(&self, source: &str, target: &str) -> UnitStatus {
        match self.defect(source, target) {
            // The writer finds out itself what is identical.
            None | Some(PairDefect::Identical) => UnitStatus::New,
            Some(_) => UnitStatus::Doubtful,
        }
    }
}
