//! A look at parallel texts before they become a corpus: how many pairs and documents, of which languages, and which
//! pairs do not look like translations.
//!
//! Doubtful are pairs that read the same on both sides, that are written in the script of another language, or of which one
//! side is several times as long as the other, measured by how the languages relate in the first thousand pairs; and what
//! has no counterpart. Importers that are given the same [`Doubts`] keep such pairs as context and learn nothing from them.

mod material;
mod script;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

pub use material::Material;
pub use script::Script;

use super::document_folders::FolderImport;
use super::languages::primary;
use super::split::Split;
use super::unit::UnitStatus;
use super::{tmx, tsv};
use crate::error::Result;

/// Pairs that are read before any is judged.
const FIRST: usize = 1_000;
/// One side is so many times as long as the other, and by so many characters.
const LONGER: f64 = 3.0;
const LONGER_BY: f64 = 15.0;
/// Doubtful pairs of each kind that are kept to be shown.
const SHOWN: usize = 3;
/// Documents of two folders that are looked at; of more, so many are taken evenly.
const DOCUMENTS: usize = 200;

/// Why a pair is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
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
pub struct Doubts {
    /// Characters of the target for one of the source.
    ratio: f64,
    /// The scripts of both languages, as far as they are known.
    source: Option<Script>,
    target: Option<Script>,
}

impl Doubts {
    /// Of these languages, and of some of the pairs.
    fn of(languages: &(String, String), pairs: &[(String, String)]) -> Self {
        let length = |text: &str| text.chars().count();
        let lengths = pairs.iter();
        let lengths = lengths.map(|(source, target)| (length(source), length(target)));
        let (source, target) = lengths.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let script = |language: &str, side: fn(&(String, String)) -> &str| {
            let known = Script::of_language(language);
            known.or_else(|| Script::of(pairs.iter().map(side)))
        };
        #[expect(clippy::cast_precision_loss, reason = "characters of a thousand pairs")]
        let ratio = (target.max(1) as f64) / (source.max(1) as f64);
        Self {
            ratio,
            source: script(&languages.0, |pair| &pair.0),
            target: script(&languages.1, |pair| &pair.1),
        }
    }

    /// Why this pair is doubtful, if it is.
    pub fn of_pair(&self, source: &str, target: &str) -> Option<Doubt> {
        let (source, target) = (source.trim(), target.trim());
        if source.is_empty() || target.is_empty() {
            return Some(Doubt::Empty);
        }
        if source == target {
            return Some(Doubt::Identical);
        }
        let is_other = |text: &str, expected: Option<Script>| {
            let found = Script::of([text]);
            expected.zip(found).is_some_and(|(one, other)| one != other)
        };
        if is_other(source, self.source) || is_other(target, self.target) {
            return Some(Doubt::Script);
        }
        #[expect(clippy::cast_precision_loss, reason = "characters of a sentence")]
        let [ours, theirs] = [source, target].map(|text| text.chars().count() as f64);
        let theirs = theirs / self.ratio;
        let (shorter, longer) = (ours.min(theirs), ours.max(theirs));
        (longer > LONGER * shorter && longer - shorter > LONGER_BY).then_some(Doubt::Length)
    }

    /// The status of a pair as an importer adds it.
    pub(super) fn status(&self, source: &str, target: &str) -> UnitStatus {
        match self.of_pair(source, target) {
            // The writer finds out itself what is identical.
            None | Some(Doubt::Identical) => UnitStatus::New,
            Some(_) => UnitStatus::Doubtful,
        }
    }
}

/// A doubtful pair that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulPair {
    pub doubt: Doubt,
    pub source: String,
    pub target: String,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    pub material: Material,
    /// Those of the material, or that were asked for; empty where neither says.
    pub source_language: String,
    pub target_language: String,
    /// The languages that a memory names, with how many texts each has.
    pub languages: Vec<(String, usize)>,
    pub documents: usize,
    /// Of these, by the rule that holds documents out.
    pub test_documents: usize,
    pub dev_documents: usize,
    /// Documents without a counterpart.
    pub unpaired_documents: usize,
    /// Pairs with text on both sides, doubtful ones included.
    pub pairs: usize,
    pub doubtful: BTreeMap<Doubt, usize>,
    /// Some of the doubtful pairs.
    pub examples: Vec<DoubtfulPair>,
    /// Documents that were read, where they are not all: pairs are those of these.
    pub sampled: Option<usize>,
    pub doubts: Doubts,
}

impl Survey {
    /// Pairs to learn from and to be scored on.
    pub fn sure(&self) -> usize {
        let doubtful = self.doubtful.iter();
        let doubtful = doubtful.filter(|(doubt, _)| **doubt != Doubt::Empty);
        self.pairs - doubtful.map(|(_, count)| count).sum::<usize>()
    }
}

/// Reads the material once. Without `languages` those that it names itself are taken. `progress` is told the share that is
/// read, and may end the look: then the result is `None`.
///
/// # Errors
/// If it cannot be read, or holds nothing in these languages.
pub fn survey(
    material: &Material,
    languages: Option<&(String, String)>,
    mut progress: impl FnMut(f64) -> ControlFlow<()>,
) -> Result<Option<Survey>> {
    let mut named = Vec::new();
    let languages = match (languages, material) {
        (Some(languages), Material::Table(_) | Material::Folders { .. }) => languages.clone(),
        (_, Material::Memory(file)) => {
            let found = tmx::languages(file, &mut |share| progress(share / 2.0))?;
            let Some(found) = found else { return Ok(None) };
            named = found;
            languages.cloned().unwrap_or_else(|| main_languages(&named))
        }
        (None, _) => material.languages()?,
    };
    let mut look = SurveyBuilder::new(languages.clone());
    let go_on = match material {
        Material::Memory(file) => tmx::look(file, &languages, &mut look, &mut |share| {
            progress(0.5 + share / 2.0)
        })?,
        Material::Table(file) => tsv::look(file, &mut look, &mut progress)?,
        Material::Folders { source, target } => FolderImport {
            source: source.clone(),
            target: target.clone(),
            source_language: languages.0,
            target_language: languages.1,
            output: std::path::PathBuf::new(),
            replace: false,
            doubts: None,
        }
        .look(DOCUMENTS, &mut look, &mut progress)?,
    };
    Ok(go_on
        .is_continue()
        .then(|| look.finish(material.clone(), named)))
}

/// The language of the first text, and of the others the most frequent one; by their main codes where these differ.
fn main_languages(named: &[(String, usize)]) -> (String, String) {
    let Some((first, _)) = named.first() else {
        return Default::default();
    };
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for (language, count) in named {
        if primary(language) != primary(first) {
            *others.entry(primary(language)).or_default() += count;
        }
    }
    // Of equally frequent ones the first by name.
    let most = others
        .iter()
        .max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)));
    match (most, named.get(1)) {
        (Some((other, _)), _) => (primary(first).to_lowercase(), other.to_lowercase()),
        (None, Some((second, _))) => (first.clone(), second.clone()),
        (None, None) => (first.clone(), String::new()),
    }
}

/// Takes in what is read, pair by pair.
pub(super) struct SurveyBuilder {
    languages: (String, String),
    /// Pairs that wait until there are enough to judge by, with the aligner's doubt.
    waiting: Vec<(String, String, bool)>,
    doubts: Option<Doubts>,
    pairs: usize,
    doubtful: BTreeMap<Doubt, usize>,
    examples: Vec<DoubtfulPair>,
    documents: usize,
    held_out: BTreeMap<Split, usize>,
    unpaired_documents: usize,
    sampled: Option<usize>,
}

impl SurveyBuilder {
    fn new(languages: (String, String)) -> Self {
        Self {
            languages,
            waiting: Vec::new(),
            doubts: None,
            pairs: 0,
            doubtful: BTreeMap::new(),
            examples: Vec::new(),
            documents: 0,
            held_out: BTreeMap::new(),
            unpaired_documents: 0,
            sampled: None,
        }
    }

    /// A document that will lie in this split.
    pub fn document(&mut self, split: Split) {
        self.documents += 1;
        *self.held_out.entry(split).or_default() += 1;
    }

    pub fn unpaired_documents(&mut self, count: usize) {
        self.unpaired_documents += count;
    }

    /// No more documents than these are read.
    pub fn sampled(&mut self, documents: usize) {
        self.sampled = Some(documents);
    }

    /// So many texts without a counterpart.
    pub fn lonely(&mut self, count: usize) {
        if count > 0 {
            *self.doubtful.entry(Doubt::Empty).or_default() += count;
        }
    }

    /// A pair as a reader sees it, and whether an aligner is sure of it.
    pub fn pair(&mut self, source: String, target: String, is_sure: bool) {
        if self.doubts.is_some() {
            self.judge(source, target, is_sure);
            return;
        }
        self.waiting.push((source, target, is_sure));
        if self.waiting.len() == FIRST {
            self.judge_waiting();
        }
    }

    fn judge_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let texts = waiting.iter();
        let texts = texts.map(|(source, target, _)| (source.clone(), target.clone()));
        let texts: Vec<_> = texts.collect();
        self.doubts = Some(Doubts::of(&self.languages, &texts));
        for (source, target, is_sure) in waiting {
            self.judge(source, target, is_sure);
        }
    }

    fn judge(&mut self, source: String, target: String, is_sure: bool) {
        let found = self.doubts.and_then(|it| it.of_pair(&source, &target));
        let found = found.or((!is_sure).then_some(Doubt::Alignment));
        self.pairs += usize::from(found != Some(Doubt::Empty));
        let Some(doubt) = found else { return };
        let count = self.doubtful.entry(doubt).or_default();
        *count += 1;
        if *count <= SHOWN {
            self.examples.push(DoubtfulPair {
                doubt,
                source,
                target,
            });
        }
    }

    fn finish(mut self, material: Material, named: Vec<(String, usize)>) -> Survey {
        if self.doubts.is_none() {
            self.judge_waiting();
        }
        let of = |split| self.held_out.get(&split).copied().unwrap_or(0);
        let mut examples = self.examples;
        examples.sort_by_key(|example| example.doubt);
        Survey {
            material,
            languages: named,
            documents: self.documents,
            test_documents: of(Split::Test),
            dev_documents: of(Split::Dev),
            unpaired_documents: self.unpaired_documents,
            pairs: self.pairs,
            doubtful: self.doubtful,
            examples,
            sampled: self.sampled,
            doubts: self.doubts.expect("they were judged"),
            source_language: self.languages.0,
            target_language: self.languages.1,
        }
    }
}

#[cfg(test)]
mod tests;
