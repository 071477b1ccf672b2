//! ContraPro: Müller et al., "A Large-Scale Test Set for the Evaluation of Context-Aware Pronoun Translation in Neural
//! Machine Translation", WMT 2018.
//!
//! A list of items with `document id`, `segment id` (a line from 1), `src segment`, `ref segment`, `src pronoun`,
//! `ref pronoun`, `ante distance`, `intrasegmental` and `errors`, each with `contrastive` and `replacement`. The
//! documents are OpenSubtitles', one sentence a line; `document id` is the file's name in the target language.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Place, read_as_many, stem};
use crate::error::{Error, Result};
use crate::set::{Contrast, ContrastiveSet, Item, SetDocument};
use canopy_base::lines::read_lines;

/// `documents` is where the documents are, if not in `documents/` next to the set.
pub(super) fn read(
    items: &[Value],
    path: &Path,
    documents: Option<&Path>,
) -> Result<ContrastiveSet> {
    let beside = path.with_file_name("documents");
    let files = DocumentFiles::below(documents.unwrap_or(&beside), path)?;
    let mut set = ContrastiveSet {
        name: stem(path),
        about: "ContraPro's format (Müller et al., WMT 2018)".to_owned(),
        ..ContrastiveSet::default()
    };
    let mut known: HashMap<String, usize> = HashMap::new();
    for (index, value) in items.iter().enumerate() {
        let place = Place {
            path,
            item: (index + 1).to_string(),
        };
        let (mut item, source) = item(value, &place)?;
        let document = place.text(value, "document id")?;
        let line = place.count(value, "segment id")?;
        item.document = if let Some(&number) = known.get(&document) {
            number
        } else {
            set.documents.push(files.read(&document, &place)?);
            known.insert(document.clone(), set.documents.len() - 1);
            set.documents.len() - 1
        };
        let sentences = &set.documents[item.document].sentences;
        // Its sister for French counts from 0: the content of the line says which it is.
        let candidates = [line.checked_sub(1), Some(line)].into_iter().flatten();
        let is_there = |line: &usize| {
            let sentence = sentences.get(*line);
            sentence.is_some_and(|sentence| bare(&sentence.source) == bare(&source))
        };
        let found = candidates.clone().find(is_there);
        item.sentence = found.ok_or_else(|| {
            place.problem(format!(
                "line {line} of document {document:?} is not its sentence {source:?}"
            ))
        })?;
        set.items.push(item);
    }
    Ok(set)
}

/// An item without its place in the document, and its source sentence.
fn item(value: &Value, place: &Place) -> Result<(Item, String)> {
    let contrast = |error: &Value| {
        Ok(Contrast {
            text: place.text(error, "contrastive")?,
            replacement: place.optional_text(error, "replacement")?,
        })
    };
    let errors = place.list(value, "errors")?.iter();
    let source_pronoun = place.text(value, "src pronoun")?.to_lowercase();
    let pronoun = place.text(value, "ref pronoun")?.to_lowercase();
    let distance = place.count(value, "ante distance")?;
    let item = Item {
        id: place.item.clone(),
        correct: place.text(value, "ref segment")?,
        contrasts: errors.map(contrast).collect::<Result<_>>()?,
        category: Some(format!("{source_pronoun}:{pronoun}")),
        pronoun: Some(pronoun),
        distance: Some(distance),
        intrasegmental: value.get("intrasegmental").and_then(Value::as_bool),
        antecedent: place.optional_text(value, "ref ante phrase")?,
        ..Item::default()
    };
    Ok((item, place.text(value, "src segment")?))
}

/// A sentence without white space and quotation marks, which scripts change: two copies of it are compared so.
fn bare(text: &str) -> String {
    let kept = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '´');
    text.chars().filter(kept).collect()
}

/// The files below a folder, by name.
struct DocumentFiles {
    folder: PathBuf,
    by_name: HashMap<String, PathBuf>,
}

impl DocumentFiles {
    fn below(folder: &Path, set: &Path) -> Result<Self> {
        if !folder.is_dir() {
            return Err(Error::NoSetDocuments {
                folder: folder.to_owned(),
                path: set.to_owned(),
            });
        }
        let mut by_name = HashMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(Error::read(&folder))? {
                let path = entry.map_err(Error::read(&folder))?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(name) = path.file_name() {
                    by_name.insert(name.to_string_lossy().into_owned(), path);
                }
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            by_name,
        })
    }

    /// Both sides of a document.
    fn read(&self, id: &str, place: &Place) -> Result<SetDocument> {
        let target = self.by_name.get(id).ok_or_else(|| {
            let folder = self.folder.display();
            place.problem(format!("document {id:?} is not below {folder}"))
        })?;
        let source = self.other_side(target).ok_or_else(|| {
            place.problem(format!(
                "document {id:?} is not there in one other language"
            ))
        })?;
        let targets = read_lines(target)?;
        let sources = read_as_many(&source, targets.len(), target)?;
        Ok(SetDocument::from_lines(
            id.to_owned(),
            sources,
            targets.into_iter().map(Some),
        ))
    }

    /// The one file with the same stem in the same folder.
    fn other_side(&self, target: &Path) -> Option<PathBuf> {
        let is_other = |path: &&PathBuf| {
            path.as_path() != target
                && path.parent() == target.parent()
                && path.file_stem() == target.file_stem()
        };
        let mut others = self.by_name.values().filter(is_other);
        let found = others.next()?;
        others.next().is_none().then(|| found.clone())
    }
}
