//! A translation memory: what was translated before, and the sentence of it that resembles a new one most.
//!
//! Resemblance is what translators know as a fuzzy match, in words: 1 − edit distance / length of the longer sentence,
//! Bulte & Tezcan, "Neural Fuzzy Repair: Integrating Fuzzy Matches into Neural Machine Translation", ACL 2019, Eq. 1. Only
//! the sentences that share the rarest words with the new one are compared, as they do it.
//!
//! [`Datastore`] holds decoder states of its pairs, for nearest-neighbour translation. What needs a model for it, such as
//! fine-tuning on the matches of a document, lives in `training/for_document`.

mod analysis;
mod coverage;
mod edit_distance;
mod gettext;
mod training;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::gettext::is_catalogue;
use crate::tmx::tmx_pairs;
use crate::{Corpus, Split, UnitStatus, is_same_language, visible};
use canopy_base::file::{has_ending, read_unpacked, write_atomically};
use canopy_base::lines::lines;
use canopy_document::document::{Document, Format};
use canopy_document::placeholder::folded;
use canopy_metrics::formality::EarlierForms;
use canopy_tokenize::{Side, Tokenizer};
use edit_distance::edit_distance;
use words::words;

pub use analysis::{Amount, Analysis, Band};

/// The least resemblance of a match; below it the translation has little to do with the new sentence.
pub const LEAST: f32 = 0.4;

/// Pairs that are shown to a person, and the least resemblance of one.
const SHOWN: usize = 5;
const LEAST_SHOWN: f32 = 0.5;

/// Words of a sentence that is more than a phrase which occurs anywhere.
const TELLING: usize = 4;

/// Sentences that are compared word by word.
const CANDIDATES: usize = 40;

/// A word that occurs in more than one of this many sentences finds too many of them.
const COMMON: usize = 12;

/// Number of pairs that are cut into words before they are added.
const CUT_AT_ONCE: usize = 8_192;

/// Pairs of sentences as a reader sees them, searchable by their source.
#[derive(Debug, Clone, Default)]
pub struct TranslationMemory {
    pairs: Vec<Pair>,
    /// Numbers of the pairs by their source.
    sources: FxHashMap<String, u32>,
    words: FxHashMap<String, u32>,
    /// For each word the pairs whose source has it, in order.
    places: Vec<Vec<u32>>,
    forms: EarlierForms,
}

#[derive(Debug, Clone)]
struct Pair {
    source: String,
    target: String,
    words: Vec<u32>,
    origin: Option<Arc<PairOrigin>>,
    /// Penalty of its memory, subtracted from its score, from 0 to 1.
    penalty: f32,
}

/// A pair before it is added.
struct NewPair {
    source: String,
    target: String,
    origin: Option<Arc<PairOrigin>>,
    penalty: f32,
}

/// Where a pair comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairOrigin {
    /// The name of the memory's file, or of the document in which it was confirmed.
    pub memory: String,
    /// The person who changed it last, or wrote it.
    pub author: Option<String>,
    /// When, as a reader sees it.
    pub date: Option<String>,
}

/// A pair that resembles a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Match<'m> {
    pub source: &'m str,
    pub target: &'m str,
    /// From 0 to 1.
    pub score: f32,
}

impl Pair {
    fn parts(&self) -> NewPair {
        NewPair {
            source: self.source.clone(),
            target: self.target.clone(),
            origin: self.origin.clone(),
            penalty: self.penalty,
        }
    }
}

impl PartialEq for TranslationMemory {
    fn eq(&self, other: &Self) -> bool {
        self.pairs().eq(other.pairs())
    }
}

impl TranslationMemory {
    /// Reads what was translated before: a corpus folder, a TMX file, XLIFF and other files that have their
    /// translations in them, a program's catalogue (PO, or MO) or a folder with such files, or
    /// what [`Self::save`] writes.
    ///
    /// # Errors
    /// If it cannot be read, or has other languages than these.
    pub fn read(path: &Path, source_language: &str, target_language: &str) -> Result<Self> {
        let memory = Self::read_pairs(path, (source_language, target_language))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(memory.named(&name))
    }

    fn read_pairs(path: &Path, languages: (&str, &str)) -> Result<Self> {
        let (source_language, target_language) = languages;
        let catalogues = match path.is_dir() {
            true if !Corpus::is_one(path) => gettext::catalogues_below(path)?,
            false if is_catalogue(path) => vec![path.to_owned()],
            _ => Vec::new(),
        };
        if !catalogues.is_empty() {
            gettext::catalogue_pairs(&catalogues, languages).map(Self::new)
        } else if path.is_dir() {
            let corpus = Corpus::open(path)?;
            let info = corpus.info();
            let fits = is_same_language(&info.source_language, source_language)
                && is_same_language(&info.target_language, target_language);
            if !fits {
                return Err(Error::MemoryLanguages {
                    has: format!("{} to {}", info.source_language, info.target_language),
                    expected: format!("{source_language} to {target_language}"),
                    path: path.to_owned(),
                });
            }
            Self::of_corpus(&corpus, &Split::ALL)
        } else if Format::from_path(path).is_some_and(Format::is_bilingual) {
            let document = Document::open(path, None)?;
            match &document.target_language {
                Some(language) if !is_same_language(language, target_language) => {
                    Err(Error::MemoryLanguages {
                        has: format!("a translation to {language}"),
                        expected: format!("{source_language} to {target_language}"),
                        path: path.to_owned(),
                    })
                }
                _ => Ok(Self::new(document.known_pairs())),
            }
        } else if has_ending(path, "tmx") {
            tmx_pairs(path, source_language, target_language).map(Self::with_origins)
        } else {
            Self::open(path)
        }
    }

    /// The files that [`Self::read`] reads.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
        if !path.is_dir() {
            Ok(vec![path.to_owned()])
        } else if Corpus::is_one(path) {
            let files = Split::ALL.map(|split| path.join(split.file_name()));
            Ok(files.to_vec())
        } else {
            gettext::catalogues_below(path)
        }
    }

    /// Adds pairs of source and target; the first of several with the same source.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs = pairs.into_iter();
        Self::of_pairs(pairs.map(|(source, target)| NewPair {
            source,
            target,
            origin: None,
            penalty: 0.0,
        }))
    }

    /// Adds pairs of source and target with their origin; the first of several with the same source.
    pub fn with_origins(pairs: impl IntoIterator<Item = (String, String, PairOrigin)>) -> Self {
        let pairs = pairs.into_iter();
        Self::of_pairs(pairs.map(|(source, target, origin)| NewPair {
            source,
            target,
            origin: Some(origin.into()),
            penalty: 0.0,
        }))
    }

    fn of_pairs(mut pairs: impl Iterator<Item = NewPair>) -> Self {
        let mut memory = Self::default();
        loop {
            let part: Vec<_> = pairs.by_ref().take(CUT_AT_ONCE).collect();
            if part.is_empty() {
                return memory;
            }
            let words = part.par_iter().map(|pair| words(&pair.source).collect());
            let words: Vec<Vec<String>> = words.collect();
            for (pair, words) in part.into_iter().zip(words) {
                memory.take_in(pair, words);
            }
        }
    }

    /// Pairs of unknown origin are of the memory of this name.
    fn named(mut self, name: &str) -> Self {
        let origin = Arc::new(PairOrigin {
            memory: name.to_owned(),
            ..PairOrigin::default()
        });
        for pair in &mut self.pairs {
            pair.origin.get_or_insert_with(|| Arc::clone(&origin));
        }
        self
    }

    /// Takes so much, from 0 to 1, from the scores of all pairs: those of a memory that is trusted less. What is exact in it
    /// is a fuzzy match then.
    #[must_use]
    pub fn with_penalty(mut self, penalty: f32) -> Self {
        for pair in &mut self.pairs {
            pair.penalty = penalty;
        }
        self
    }

    /// Adds a pair; among pairs with the same source the one with the smallest penalty stays, or else the first one.
    fn take_in(&mut self, new: NewPair, words: Vec<String>) {
        let NewPair {
            source,
            target,
            origin,
            penalty,
        } = new;
        if target.trim().is_empty() {
            return;
        }
        if let Some(&number) = self.sources.get(&source) {
            let known = &mut self.pairs[number as usize];
            if penalty < known.penalty {
                (known.target, known.origin, known.penalty) = (target, origin, penalty);
            }
            return;
        }
        let number = u32::try_from(self.pairs.len()).expect("fewer than 2³² pairs");
        self.sources.insert(source.clone(), number);
        let words = words.into_iter().map(|word| self.add(word, number));
        let words = words.collect();
        self.pairs.push(Pair {
            source,
            target,
            words,
            origin,
            penalty,
        });
    }

    /// The pairs of some splits of a corpus, those that stand there for the first time and are not the same in both
    /// languages.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn of_corpus(corpus: &Corpus, splits: &[Split]) -> Result<Self> {
        let mut pairs = Vec::new();
        for &split in splits {
            for document in corpus.documents(split)? {
                let document = document?;
                let units = document.paragraphs.iter().flat_map(|it| &it.units);
                let new = units.filter(|unit| unit.status == UnitStatus::New);
                pairs.extend(new.map(|unit| (unit.visible_source(), unit.visible_target())));
            }
        }
        Ok(Self::new(pairs))
    }

    /// These pairs and, where they have none with the same source, or one of a memory with a larger penalty, those of `other`.
    #[must_use]
    pub fn before(&self, other: &Self) -> Self {
        let all = self.pairs.iter().chain(&other.pairs);
        Self::of_pairs(all.map(Pair::parts)).with_forms(self.forms.clone())
    }

    /// Sets the forms of address of the documents that the memory comes from.
    #[must_use]
    pub fn with_forms(self, forms: EarlierForms) -> Self {
        Self { forms, ..self }
    }

    /// The form of address in the documents that it comes from, if known.
    pub fn forms(&self) -> &EarlierForms {
        &self.forms
    }

    /// The pairs that reveal nothing of `other`: whose source neither is one of its sources, but for case and marks, nor has
    /// a longer one within itself.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let excluded: HashSet<Vec<String>> = other
            .pairs
            .iter()
            .map(|it| normalized_words(&it.source))
            .collect();
        let lengths: BTreeSet<usize> = excluded.iter().map(Vec::len).collect();
        let is_excluded = |pair: &&Pair| {
            let own = normalized_words(&pair.source);
            let mut within = lengths
                .range(TELLING..)
                .flat_map(|&length| own.windows(length));
            excluded.contains(&own) || within.any(|words| excluded.contains(words))
        };
        let kept = self.pairs.iter().filter(|pair| !is_excluded(pair));
        Self::of_pairs(kept.map(Pair::parts))
    }

    fn add(&mut self, word: String, pair: u32) -> u32 {
        let next = u32::try_from(self.places.len()).expect("fewer than 2³² words");
        let id = *self.words.entry(word).or_insert(next);
        if id == next {
            self.places.push(Vec::new());
        }
        let places = &mut self.places[id as usize];
        if places.last() != Some(&pair) {
            places.push(pair);
        }
        id
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All pairs, source and target.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.map(|pair| (pair.source.as_str(), pair.target.as_str()))
    }

    /// The translation of exactly this sentence, but for kinds of white space, in a memory without a penalty.
    pub fn exact(&self, source: &str) -> Option<&str> {
        let number = *self.sources.get(&folded(source))?;
        let pair = &self.pairs[number as usize];
        (pair.penalty <= 0.0).then_some(pair.target.as_str())
    }

    /// Where the pair of exactly this source comes from, if that is known.
    pub fn origin(&self, source: &str) -> Option<&PairOrigin> {
        let number = *self.sources.get(&folded(source))?;
        self.pairs[number as usize].origin.as_deref()
    }

    /// The most similar pair; of equally similar ones the first.
    pub fn best(&self, source: &str) -> Option<Match<'_>> {
        self.find(source, false)
    }

    /// The best match among pairs with another source, from which a sentence of the memory itself learns.
    pub fn best_other(&self, source: &str) -> Option<Match<'_>> {
        self.find(source, true)
    }

    /// Up to `count` pairs that resemble a sentence by `least` at least, the most similar first.
    pub fn similar(&self, source: &str, count: usize, least: f32) -> Vec<Match<'_>> {
        let mut found = self.matches(source);
        found.retain(|found| found.score >= least);
        found.sort_by(|left, right| right.score.total_cmp(&left.score));
        found.truncate(count);
        found
    }

    /// The few pairs that help a person to translate a sentence: those that resemble it by half.
    pub fn to_show(&self, source: &str) -> Vec<Match<'_>> {
        self.similar(source, SHOWN, LEAST_SHOWN)
    }

    fn find(&self, source: &str, other: bool) -> Option<Match<'_>> {
        let source = &folded(source);
        let mut best: Option<Match<'_>> = None;
        let found = self.matches(source).into_iter();
        for found in found.filter(|found| !other || found.source != source) {
            if found.score >= LEAST && best.is_none_or(|best| found.score > best.score) {
                best = Some(found);
            }
        }
        best
    }

    /// The candidates for a sentence, in order.
    fn matches(&self, source: &str) -> Vec<Match<'_>> {
        let source = &folded(source);
        let own = self.numbers(source);
        let mut candidates = self.candidates(&own, CANDIDATES);
        // A short sentence shares its words with more pairs than are compared.
        if let Some(&same) = self.sources.get(source)
            && let Err(place) = candidates.binary_search(&same)
        {
            candidates.insert(place, same);
        }
        let candidates = candidates.into_iter();
        let candidates = candidates.map(|number| &self.pairs[number as usize]);
        let scored = candidates.map(|pair| {
            let longer = own.len().max(pair.words.len());
            let score = 1.0 - edit_distance(&own, &pair.words) as f32 / longer as f32;
            // What differs in marks or case alone is less than the same.
            let score = if pair.source == *source {
                1.0
            } else {
                score.min(0.99)
            };
            Match {
                source: &pair.source,
                target: &pair.target,
                score: (score - pair.penalty).max(0.0),
            }
        });
        scored.collect()
    }

    /// The words of a sentence; unknown ones are all the same, which no pair has.
    fn numbers(&self, source: &str) -> Vec<u32> {
        let unknown = u32::try_from(self.places.len()).expect("fewer than 2³² words");
        words(source)
            .map(|word| self.words.get(&word).copied().unwrap_or(unknown))
            .collect()
    }

    /// Whether a word that occurs in `pairs` pairs finds few enough of them.
    fn is_rare(&self, places: usize) -> bool {
        places * COMMON <= self.pairs.len()
    }

    /// Information of a word that occurs in a number of pairs.
    fn rarity(&self, places: usize) -> f32 {
        (self.pairs.len() as f32 / places.max(1) as f32)
            .ln()
            .max(1e-3)
    }

    /// The `count` pairs that share the rarest words with these, in order.
    fn candidates(&self, words: &[u32], count: usize) -> Vec<u32> {
        let mut distinct: Vec<u32> = words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut weights: FxHashMap<u32, f32> = FxHashMap::default();
        let mut add = |places: &[u32]| {
            let weight = self.rarity(places.len());
            for &pair in places {
                *weights.entry(pair).or_default() += weight;
            }
        };
        let places = distinct
            .iter()
            .filter_map(|&word| self.places.get(word as usize));
        let (rare, common): (Vec<_>, Vec<_>) =
            places.partition(|places| self.is_rare(places.len()));
        let used = if rare.is_empty() { common } else { rare };
        for places in used {
            add(places);
        }
        let mut found: Vec<(u32, f32)> = weights.into_iter().collect();
        found.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        found.truncate(count);
        let mut numbers: Vec<u32> = found.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Writes a pair a line, source and target with a tab between them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for Pair { source, target, .. } in &self.pairs {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}\t{}", visible(source, &[]), visible(target, &[]));
        }
        if !has_ending(path, "gz") {
            return Ok(write_atomically(path, text.as_bytes(), true)?);
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packed
            .write_all(text.as_bytes())
            .and_then(|()| packed.finish());
        Ok(write_atomically(
            path,
            &packed.map_err(Error::write(path))?,
            true,
        )?)
    }

    /// Reads what [`Self::save`] writes.
    ///
    /// # Errors
    /// If the file cannot be read or a line has not two columns.
    pub fn open(path: &Path) -> Result<Self> {
        let lines = lines(path, read_unpacked(path)?)?;
        let pairs = lines.par_iter().enumerate().map(|(index, text)| {
            let mut columns = text.split('\t').map(|column| visible(column, &[]));
            match (columns.next(), columns.next(), columns.next()) {
                (Some(source), Some(target), None) => Ok((source, target)),
                _ => Err(Error::Memory {
                    line: index + 1,
                    path: path.to_owned(),
                }),
            }
        });
        // All of them, so that the first wrong line is reported.
        let pairs: Vec<Result<_>> = pairs.collect();
        Ok(Self::new(pairs.into_iter().collect::<Result<Vec<_>>>()?))
    }
}

/// The suffix that an encoder of `max_tokens` reads after a sentence of `own` tokens: `sentence_break`, and as many
/// tokens of
/// the match's translation as there is room for, with one kept for the end. Nothing without a match.
pub fn fuzzy_suffix(
    found: Option<Match<'_>>,
    own: usize,
    tokenizer: &dyn Tokenizer,
    (sentence_break, max_tokens): (u32, usize),
) -> Vec<u32> {
    let room = max_tokens.saturating_sub(own + 2);
    let Some(found) = found.filter(|_| room > 0) else {
        return Vec::new();
    };
    let target = tokenizer
        .encode(Side::Target, found.target)
        .into_iter()
        .take(room);
    std::iter::once(sentence_break).chain(target).collect()
}

/// The suffix of a sentence of `own` tokens, for an encoder that reads `max_tokens`, where it reads the `translations`
/// of those before it, the nearest first: each after `sentence_break`, as many as there is room for, the farthest cut off.
pub fn previous_suffix<'i>(
    translations: impl IntoIterator<Item = &'i [u32]>,
    own: usize,
    (sentence_break, max_tokens): (u32, usize),
) -> Vec<u32> {
    let room = max_tokens.saturating_sub(own + 1);
    let mut suffix = Vec::new();
    for ids in translations {
        // A break with nothing after it says nothing.
        if suffix.len() + 1 >= room {
            break;
        }
        suffix.push(sentence_break);
        let left = room - suffix.len();
        suffix.extend(ids.iter().take(left));
    }
    suffix
}

/// The suffix of a sentence of `own` tokens where the encoder reads a side constraint after it: all of that or nothing.
pub fn constraint_suffix(constraint: Option<Vec<u32>>, own: usize, max_tokens: usize) -> Vec<u32> {
    let fits = |ids: &Vec<u32>| own + ids.len() < max_tokens;
    constraint.filter(fits).unwrap_or_default()
}

/// The words without the marks.
fn normalized_words(text: &str) -> Vec<String> {
    let is_spoken = |word: &String| word.starts_with(char::is_alphanumeric);
    words(text).filter(is_spoken).collect()
}

#[cfg(test)]
mod tests;
