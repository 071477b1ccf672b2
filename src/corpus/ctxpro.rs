//! Sets in the form of CTXPRO: subtitles with a word that only the sentences before decide.
//!
//! Wicks & Post, "Identifying Context-Dependent Translations for Evaluation Set Production", WMT 2023. A set is two files.
//! The JSON is a list of items: `src segment`, `ref segment`, `expected` (the word), `document id` (the film), `segment id`,
//! and in some sets `ante distance`. The inputs have a line for each item: up to ten sentences before it and its own, joined
//! by `<eos> `. Both may be packed by gzip.
//!
//! Each item becomes a document. The sentences before are [context](super::UnitStatus::Context), which is read and has no
//! translation; the last one is learnt and scored, and has its [word](super::Expected). Films decide what is a test: all items
//! of one are in the same split.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::format::{Corpus, CorpusInfo, ParallelDocument};
use super::split::Split;
use super::unit::{Expected, Unit, folded};
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use canopy_base::file::read_unpacked;
use canopy_base::lines::{lines, utf8};
use canopy_document::placeholder;

/// Stands between the sentences of a line.
const BREAK: &str = "<eos>";

/// The two files of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtxproFiles {
    /// The file that lists the items.
    pub items: PathBuf,
    /// The file with the subtitles of each item.
    pub inputs: PathBuf,
}

/// An import: its files, languages and folder.
#[derive(Debug, Clone)]
pub struct CtxproImport {
    /// Each with the split of all of its items; by a hash of the film if none is said.
    pub sets: Vec<(CtxproFiles, Option<Split>)>,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Sentences before an item that are kept at most.
    pub sentences: usize,
    /// Whether each item gets the sentences before another one in their place, as a control: what a system then still gets right,
    /// it has not read there.
    pub wrong_context: bool,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// Counts of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CtxproReport {
    /// Items in the corpus.
    pub items: usize,
    /// Sentences before them.
    pub context: usize,
    /// Films that the items come from.
    pub films: usize,
    /// Left out: duplicates with the same sentence, film and word.
    pub doubles: usize,
    /// Left out: the film is in development or test sets too.
    pub held_out: usize,
}

/// An item as its file has it.
#[derive(Debug, Deserialize)]
struct Item {
    #[serde(rename = "src segment")]
    source: String,
    #[serde(rename = "ref segment")]
    reference: String,
    expected: String,
    #[serde(rename = "document id")]
    film: String,
    #[serde(rename = "segment id")]
    segment: u64,
    #[serde(rename = "ante distance", default)]
    distance: Option<usize>,
}

impl CtxproImport {
    /// Reads the files and writes the corpus.
    ///
    /// # Errors
    /// If a file cannot be read, an item lacks a field, there are not as many lines as items, a line does not end with its item's
    /// sentence, or the corpus cannot be written.
    pub fn run(&self) -> Result<(Corpus, CtxproReport)> {
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let mut report = CtxproReport::default();
        let mut splits: [BTreeMap<String, ParallelDocument>; 3] = Default::default();
        let (mut films, mut held_out) = (HashSet::new(), HashSet::new());
        for (files, split) in &self.sets {
            for (item, before) in read(files)? {
                let split = split.unwrap_or_else(|| Split::for_document(&item.film));
                films.insert(item.film.clone());
                if split != Split::Train {
                    held_out.insert(item.film.clone());
                }
                let document = self.document(item, &before);
                let same = splits[split as usize].insert(document.id.clone(), document);
                report.doubles += usize::from(same.is_some());
            }
        }
        report.films = films.len();
        for (split, mut documents) in Split::ALL.into_iter().zip(splits) {
            if self.wrong_context {
                exchange(&mut documents);
            }
            for (id, document) in documents {
                let (film, _) = id.rsplit_once('#').unwrap_or((&id, ""));
                if split == Split::Train && held_out.contains(film) {
                    report.held_out += 1;
                    continue;
                }
                report.items += 1;
                report.context += document.paragraphs.len() - 1;
                writer.add(split, document)?;
            }
        }
        Ok((writer.finish()?, report))
    }

    /// The sentences before an item, the last ones if they are more than are wanted, and its own.
    fn document(&self, item: Item, before: &[String]) -> ParallelDocument {
        let first = before.len().saturating_sub(self.sentences);
        let context = before[first..].iter().cloned().map(Unit::context);
        let id = format!("{}#{}/{}", item.film, item.segment, item.expected);
        let clean = |text: &str| folded(&placeholder::stripped(text));
        let own = Unit {
            expected: Some(Expected {
                form: item.expected,
                distance: item.distance,
                origin: item.film,
            }),
            ..Unit::new(clean(&item.source), clean(&item.reference))
        };
        ParallelDocument::flat(id, context.chain([own]).map(Into::into).collect())
    }

    fn info(&self) -> CorpusInfo {
        let files = self.sets.iter().map(|(files, _)| &files.items);
        let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
        let languages = [&*self.source_language, &self.target_language];
        let origin = format!("CTXPRO: {}", files.join(", "));
        CorpusInfo::new(&self.output, languages, origin)
    }
}

/// Gives each document the sentences before the item that is half of the set farther on: of another film, unless one has half
/// of all items.
fn exchange(documents: &mut BTreeMap<String, ParallelDocument>) {
    let before = |document: &ParallelDocument| {
        let (_, context) = document.paragraphs.split_last().expect("an item");
        context.to_vec()
    };
    let mut all: Vec<_> = documents.values().map(before).collect();
    let half = all.len() / 2;
    all.rotate_left(half);
    for (document, mut context) in documents.values_mut().zip(all) {
        context.extend(document.paragraphs.pop());
        document.paragraphs = context;
    }
}

/// The items with the sentences before each.
fn read(files: &CtxproFiles) -> Result<Vec<(Item, Vec<String>)>> {
    let problem = |path: &Path, place: String, problem: String| Error::Ctxpro {
        problem,
        place,
        path: path.to_owned(),
    };
    let text = utf8(&files.items, read_unpacked(&files.items)?)?;
    let items: Vec<Value> = serde_json::from_str(&text).map_err(|cause| {
        let place = format!("line {}", cause.line());
        problem(&files.items, place, cause.to_string())
    })?;
    let inputs = lines(&files.inputs, read_unpacked(&files.inputs)?)?;
    if items.len() != inputs.len() {
        let place = format!("line {}", items.len().min(inputs.len()) + 1);
        let counts = format!("{} lines for {} items", inputs.len(), items.len());
        return Err(problem(&files.inputs, place, counts));
    }
    let mut read = Vec::with_capacity(items.len());
    for (at, (value, line)) in items.into_iter().zip(inputs).enumerate() {
        let item: Item = serde_json::from_value(value).map_err(|cause| {
            problem(&files.items, format!("item {}", at + 1), cause.to_string())
        })?;
        let sentences = line.split(BREAK);
        let mut sentences: Vec<String> = sentences
            .map(|sentence| folded(&placeholder::stripped(sentence)))
            .collect();
        let own = sentences.pop().unwrap_or_default();
        if own != folded(&placeholder::stripped(&item.source)) || own.is_empty() {
            return Err(problem(
                &files.inputs,
                format!("line {}", at + 1),
                format!("it ends with {own:?}, the item is {:?}", item.source),
            ));
        }
        sentences.retain(|sentence| !sentence.is_empty());
        read.push((item, sentences));
    }
    Ok(read)
}
