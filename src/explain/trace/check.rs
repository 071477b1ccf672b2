//! Whether a trace can be what it says: every number in its range, every reference to something that exists.

use std::collections::HashMap;

use super::map::{AttentionMap, MapInfo, MapKind, Side, Units, Visible};
use super::overview::{Overview, Trace, TracedWindow};
use super::row::{MapRow, NodeVisit};
use super::tree::TracedTree;

/// Shares are sums of 32-bit numbers, and some models compute in 16 bits.
const TOLERANCE: f32 = 0.01;

/// A problem, to be put into an error's sentence.
pub(super) type Problem = String;

/// How many there are of what rows refer to.
#[derive(Debug)]
pub(super) struct Bounds {
    source_words: usize,
    target_words: usize,
    source_sentences: usize,
    target_sentences: usize,
    /// Nodes on each level of each tree.
    trees: Vec<Vec<usize>>,
}

impl Bounds {
    pub(super) fn new(overview: &Overview) -> Self {
        Self {
            source_words: overview.count(Units::SourceWords),
            target_words: overview.count(Units::TargetWords),
            source_sentences: overview.source.len(),
            target_sentences: overview.target.len(),
            trees: overview.trees.iter().map(TracedTree::level_sizes).collect(),
        }
    }

    pub(super) fn count(&self, units: Units) -> usize {
        match units {
            Units::SourceWords => self.source_words,
            Units::TargetWords => self.target_words,
            Units::SourceSentences => self.source_sentences,
            Units::TargetSentences => self.target_sentences,
        }
    }

    fn sentences(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source_sentences,
            Side::Target => self.target_sentences,
        }
    }

    /// # Errors
    /// Checks a row.
    pub(super) fn check_row(&self, info: &MapInfo, row: &MapRow) -> Result<(), Problem> {
        let weights = || row.sentences.iter().map(|sentence| sentence.weight);
        let words = || row.words.iter().map(|&(_, weight)| weight);
        if !weights().chain(words()).chain([row.rest]).all(is_share) {
            return Err("a weight is not between 0 and 1".to_owned());
        }
        let sentences = row.sentences.iter().map(|sentence| sentence.sentence);
        if !ascends_below(sentences, self.sentences(info.keys.side())) {
            return Err("its sentences are not sentences of the document, ascending".to_owned());
        }
        let end = if info.keys.are_words() {
            self.count(info.keys)
        } else {
            0
        };
        if !ascends_below(row.words.iter().map(|&(word, _)| word), end) {
            return Err("its words are not words of the keys, ascending".to_owned());
        }
        let scores = row
            .sentences
            .iter()
            .flat_map(|sentence| [sentence.relevance, sentence.cumulative]);
        if !scores.flatten().all(f32::is_finite) {
            return Err("a relevance is not finite".to_owned());
        }
        let kept: f32 = if info.keys.are_words() {
            words().sum()
        } else {
            weights().sum()
        };
        let mass = kept + row.rest;
        if mass != 0.0 && (mass - 1.0).abs() > TOLERANCE {
            return Err(format!("its weights and rest sum to {mass}, not to 1"));
        }
        self.check_visits(row)
    }

    fn check_visits(&self, row: &MapRow) -> Result<(), Problem> {
        if row.visits.is_empty() && row.tree == 0 {
            return Ok(());
        }
        let Some(sizes) = usize::try_from(row.tree)
            .ok()
            .and_then(|tree| self.trees.get(tree))
        else {
            return Err(format!("there is no tree {}", row.tree));
        };
        let place = |visit: &NodeVisit| (visit.level, visit.node);
        let ascending = row
            .visits
            .windows(2)
            .all(|pair| place(&pair[0]) < place(&pair[1]));
        let there = |visit: &NodeVisit| {
            sizes
                .get(usize::from(visit.level))
                .is_some_and(|&size| is_below(visit.node, size))
        };
        if !ascending || !row.visits.iter().all(there) {
            return Err("its visits are not nodes of the tree, ascending".to_owned());
        }
        let number =
            |visit: &NodeVisit| visit.relevance.is_finite() && visit.cumulative.is_finite();
        if !row.visits.iter().all(number) {
            return Err("the relevance of a node is not finite".to_owned());
        }
        Ok(())
    }
}

impl MapInfo {
    /// # Errors
    /// If the threshold is no share, or such a map has other queries or keys.
    fn check(&self) -> Result<(), Problem> {
        use Units::{SourceSentences, SourceWords, TargetWords};
        if !is_share(self.threshold) {
            return Err(format!("a threshold is {}", self.threshold));
        }
        let units = (self.queries, self.keys);
        let is_known = match self.kind {
            MapKind::EncoderSelf => units == (SourceWords, SourceWords),
            MapKind::SentenceEncoding => units == (SourceSentences, SourceWords),
            MapKind::Cross => units == (TargetWords, SourceWords),
            MapKind::Context => self.queries.side() == Side::Source,
            MapKind::DecoderContext => self.queries.side() == Side::Target,
        };
        if is_known {
            Ok(())
        } else {
            Err(format!(
                "{}: it cannot have such queries or keys",
                self.title()
            ))
        }
    }

    /// Whether it shows what was read of other sentences.
    fn is_of_others(&self) -> bool {
        match self.kind {
            MapKind::Context | MapKind::DecoderContext => true,
            MapKind::EncoderSelf => self.visible != Visible::Own,
            MapKind::SentenceEncoding | MapKind::Cross => false,
        }
    }
}

/// # Errors
/// If one of the maps is wrong, or maps that are queried together, such as the heads of a layer, differ in queries or keys.
pub(super) fn check_maps<'a>(maps: impl Iterator<Item = &'a MapInfo>) -> Result<(), Problem> {
    let mut first = HashMap::new();
    for info in maps {
        info.check()?;
        let units = (info.queries, info.keys);
        let key = (info.layer, info.queries.side());
        if info.is_of_others() && *first.entry(key).or_insert(units) != units {
            return Err(format!(
                "{}: its queries or keys differ from those of the other heads",
                info.title()
            ));
        }
    }
    Ok(())
}

impl Overview {
    /// # Errors
    /// Checks the map.
    pub(super) fn check(&self) -> Result<(), Problem> {
        if !self.target.is_empty() && self.target.len() != self.source.len() {
            return Err(format!(
                "{} sentences have {} translations",
                self.source.len(),
                self.target.len()
            ));
        }
        let later =
            |(number, parent): (usize, Option<usize>)| parent.is_none_or(|parent| parent < number);
        let parents = self.sections.iter().map(|section| section.parent);
        if !parents.enumerate().all(later) {
            return Err("a section comes before the one it is part of".to_owned());
        }
        let mut sentences = self.source.iter().chain(&self.target);
        if !sentences.all(|sentence| sentence.section < self.sections.len()) {
            return Err("a sentence is in a section that is not there".to_owned());
        }
        let ordered = |window: &TracedWindow| {
            window.first <= window.own && window.own < window.end && window.end <= self.source.len()
        };
        if !self.windows.iter().all(ordered) {
            return Err("a window is not a run of sentences".to_owned());
        }
        if let Some(part) = &self.part
            && (part.start >= part.end || part.end > self.source.len())
        {
            return Err("the traced part is not a run of sentences".to_owned());
        }
        for tree in &self.trees {
            let there = |&leaf: &u32| is_below(leaf, self.source.len());
            let leaves = &tree.leaves;
            if leaves.is_empty() || !leaves.is_sorted() || !leaves.iter().all(there) {
                return Err("the leaves of a tree are not sentences, ascending".to_owned());
            }
        }
        for gate in &self.gates {
            let words = self.words(gate.side).num_words();
            for values in [&gate.mean, &gate.min, &gate.max] {
                if values.len() != words || !values.iter().copied().all(is_share) {
                    return Err(format!(
                        "{}, layer {}: not {words} values between 0 and 1",
                        gate.name, gate.layer
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Trace {
    /// # Errors
    /// Checks the trace; problems name their place.
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.overview.check()?;
        check_maps(self.maps.iter().map(|map| &map.info))?;
        let bounds = Bounds::new(&self.overview);
        for AttentionMap { info, rows } in &self.maps {
            let expected = bounds.count(info.queries);
            if rows.len() != expected {
                return Err(format!(
                    "{}: {} rows, not {expected}",
                    info.title(),
                    rows.len()
                ));
            }
            for (number, row) in rows.iter().enumerate() {
                bounds
                    .check_row(info, row)
                    .map_err(|problem| row_problem(info, number, &problem))?;
            }
        }
        Ok(())
    }
}

pub(super) fn row_problem(info: &MapInfo, row: usize, problem: &str) -> Problem {
    format!("{}, query {}: {problem}", info.title(), row + 1)
}

/// Not so for NaN.
fn is_share(share: f32) -> bool {
    (0.0..=1.0 + TOLERANCE).contains(&share)
}

fn is_below(number: u32, end: usize) -> bool {
    usize::try_from(number).is_ok_and(|number| number < end)
}

fn ascends_below(numbers: impl Iterator<Item = u32>, end: usize) -> bool {
    let mut least = 0_u64;
    for number in numbers {
        if u64::from(number) < least || !is_below(number, end) {
            return false;
        }
        least = u64::from(number) + 1;
    }
    true
}
