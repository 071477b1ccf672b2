//! Long sentences cut in two, so that the second half must be translated with the first as its context.
//!
//! Lupo et al., "Divide and Rule: Effective Pre-Training for Context-Aware Multi-Encoder Translation Models", ACL 2022: of
//! any parallel sentences this makes documents in which context is necessary, for agreement, coreference and verb frames.
//! Their middle split cuts both sides in the middle; here a pair with equally many commas, colons, semicolons and dashes on
//! both sides is cut after the one nearest to the middle, so that the halves are translations of each other.

use std::path::PathBuf;

use serde::Serialize;

use super::format::Corpus;
use super::split::Split;
use super::unit::{Unit, UnitStatus};
use super::writer::CorpusWriter;
use crate::error::Result;
use canopy_document::placeholder::stripped;

/// A corpus whose long training sentences are to be cut.
#[derive(Debug, Clone)]
pub struct Division {
    /// Folder of the corpus.
    pub corpus: PathBuf,
    /// Folder of the new corpus.
    pub output: PathBuf,
    /// Words on either side that a half has at least.
    pub half_words: usize,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// Counts of the training pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DivisionReport {
    /// Pairs that are learnt from, before the cuts.
    pub pairs: usize,
    /// Pairs cut after a mark.
    pub at_marks: usize,
    /// Pairs cut in the middle of their words.
    pub in_middle: usize,
}

impl Division {
    /// Writes the corpus; development and test documents stay as they are.
    ///
    /// # Errors
    /// If the corpus cannot be read, or the new one not written.
    pub fn run(&self) -> Result<(Corpus, DivisionReport)> {
        let corpus = Corpus::open(&self.corpus)?;
        let mut info = corpus.info().clone();
        let name = self.output.file_name().unwrap_or_default();
        info.name = name.to_string_lossy().into_owned();
        let mut writer = CorpusWriter::create(&self.output, info, self.replace)?;
        let mut report = DivisionReport::default();
        for split in Split::ALL {
            for document in corpus.documents(split)? {
                let mut document = document?;
                if split == Split::Train {
                    for paragraph in &mut document.paragraphs {
                        let units = std::mem::take(&mut paragraph.units).into_iter();
                        paragraph.units = units
                            .flat_map(|unit| self.divide(unit, &mut report))
                            .collect();
                    }
                }
                writer.add(split, document)?;
            }
        }
        Ok((writer.finish()?, report))
    }

    /// A unit, or its two halves.
    fn divide(&self, unit: Unit, report: &mut DivisionReport) -> Vec<Unit> {
        if unit.status != UnitStatus::New {
            return vec![unit];
        }
        report.pairs += 1;
        let has_markup = [&unit.source, &unit.target].map(|side| stripped(side) != **side);
        if has_markup.contains(&true) || unit.expected.is_some() {
            return vec![unit];
        }
        let sides = [Side::new(&unit.source), Side::new(&unit.target)];
        let Some((cuts, is_mark)) = cuts(&sides, self.half_words) else {
            return vec![unit];
        };
        let count = if is_mark {
            &mut report.at_marks
        } else {
            &mut report.in_middle
        };
        *count += 1;
        let [source, target] = [0, 1].map(|side| sides[side].halves(cuts[side]));
        let [(first, second), (first_target, second_target)] = [source, target];
        vec![
            Unit::new(first, first_target),
            Unit::new(second, second_target),
        ]
    }
}

/// Words of a side, and after which of them it has a mark.
struct Side<'t> {
    words: Vec<&'t str>,
    /// Numbers of words that end in a mark or are one, the last word left out.
    marks: Vec<usize>,
}

impl<'t> Side<'t> {
    fn new(text: &'t str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_mark = |word: &str| word.ends_with([',', ';', ':', '–', '—']);
        let inner = words.len().saturating_sub(1);
        let marks = (0..inner).filter(|at| is_mark(words[*at])).collect();
        Self { words, marks }
    }

    /// The first `cut` words, and the others.
    fn halves(&self, cut: usize) -> (String, String) {
        (self.words[..cut].join(" "), self.words[cut..].join(" "))
    }

    /// Whether both halves have `least` words.
    fn allows(&self, cut: usize, least: usize) -> bool {
        cut >= least && self.words.len() - cut >= least
    }
}

/// How many words of each side the first halves have, and whether marks say so; none for pairs that are too short.
fn cuts(sides: &[Side; 2], half_words: usize) -> Option<([usize; 2], bool)> {
    let least = half_words.max(1);
    let [source, target] = sides;
    let is_long = |side: &Side| side.allows(side.words.len() / 2, least);
    if !is_long(source) || !is_long(target) {
        return None;
    }
    let middle = source.words.len() / 2;
    let marked = source.marks.iter().zip(&target.marks);
    let marked = marked.filter(|_| source.marks.len() == target.marks.len());
    let marked = marked.map(|(one, other)| [one + 1, other + 1]);
    let marked =
        marked.filter(|[one, other]| source.allows(*one, least) && target.allows(*other, least));
    match marked.min_by_key(|[one, _]| one.abs_diff(middle)) {
        Some(cuts) => Some((cuts, true)),
        None => Some(([middle, target.words.len() / 2], false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn division(half_words: usize) -> Division {
        Division {
            corpus: PathBuf::new(),
            output: PathBuf::new(),
            half_words,
            replace: false,
        }
    }

    fn texts(source: &str, target: &str) -> Vec<(String, String)> {
        let unit = Unit::new(source.to_owned(), target.to_owned());
        let units = division(3).divide(unit, &mut DivisionReport::default());
        units
            .into_iter()
            .map(|unit| (unit.source, unit.target))
            .collect()
    }

    #[test]
    fn a_sentence_is_cut_behind_the_mark_that_both_sides_have() {
        assert_eq!(
            texts(
                "When the lamp is out, press the green button twice.",
                "Wenn die Lampe nicht mehr leuchtet, drücken Sie zweimal die grüne Taste."
            ),
            [
                (
                    "When the lamp is out,".to_owned(),
                    "Wenn die Lampe nicht mehr leuchtet,".to_owned()
                ),
                (
                    "press the green button twice.".to_owned(),
                    "drücken Sie zweimal die grüne Taste.".to_owned()
                )
            ]
        );
    }

    #[test]
    fn without_a_common_mark_both_sides_are_cut_in_the_middle() {
        let halves = texts(
            "one two three four five six",
            "eins zwei, drei vier fünf sechs sieben",
        );
        let (first, second) = (&halves[0], &halves[1]);
        assert_eq!((&*first.0, &*first.1), ("one two three", "eins zwei, drei"));
        assert_eq!(
            (&*second.0, &*second.1),
            ("four five six", "vier fünf sechs sieben")
        );
    }

    #[test]
    fn short_sentences_markup_and_repetitions_stay_whole() {
        assert_eq!(
            texts("one two three four five", "eins zwei drei vier fünf sechs").len(),
            1
        );
        let tag = canopy_document::placeholder::point(1);
        let marked = format!("one two {tag}three four five six");
        assert_eq!(texts(&marked, "eins zwei drei vier fünf sechs").len(), 1);
        let mut repeated = Unit::new("a b c d e f".to_owned(), "u v w x y z".to_owned());
        repeated.status = UnitStatus::Repeated;
        let mut report = DivisionReport::default();
        assert_eq!(division(3).divide(repeated, &mut report).len(), 1);
        assert_eq!(report, DivisionReport::default());
    }
}
