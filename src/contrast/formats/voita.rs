//! Voita et al., "When a Good Translation is Wrong in Context: Context-Aware Machine Translation Improves on Deixis,
//! Ellipsis, and Lexical Cohesion", ACL 2019: the consistency sets.
//!
//! A list of items: `src`, sentences with ` _eos ` between them; `dst`, translations of the same form that differ in the
//! last sentence; `true_ind`, which of them is right, from 0; `ctx_dist`, where there is one. `scoring_data/*.src` and
//! `*.dst` hold the same, a line for each translation, without saying which is right. Texts are tokenised, and stay so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Place, read_as_many, stem};
use crate::error::{Error, Result};
use crate::set::{Contrast, ContrastiveSet, Item, SetDocument};
use canopy_base::lines::read_lines;

const BREAK: &str = "_eos";

pub(super) fn read(items: &[Value], path: &Path) -> Result<ContrastiveSet> {
    let name = stem(path);
    let mut set = ContrastiveSet {
        about: "the consistency sets of Voita et al., ACL 2019; tokenised texts".to_owned(),
        needs_target_context: name.starts_with("deixis") || name.starts_with("lex_cohesion"),
        name,
        ..ContrastiveSet::default()
    };
    for (index, value) in items.iter().enumerate() {
        let place = Place {
            path,
            item: (index + 1).to_string(),
        };
        let source = sentences(&place.text(value, "src")?);
        let texts = place.texts(value, "dst")?;
        let right = place.count(value, "true_ind")?;
        let candidates: Vec<Vec<String>> = texts.iter().map(|text| sentences(text)).collect();
        if right >= candidates.len() || candidates.len() < 2 {
            let count = candidates.len();
            return Err(place.problem(format!(
                "\"true_ind\" is {right}, \"dst\" has {count} translations"
            )));
        }
        let context = source.len() - 1;
        for (number, candidate) in candidates.iter().enumerate() {
            let (number, found, expected) = (number + 1, candidate.len(), source.len());
            if found != expected {
                return Err(place.problem(format!(
                    "translation {number} has {found} sentences, \"src\" has {expected}"
                )));
            }
            if candidate[..context] != candidates[right][..context] {
                return Err(place.problem(format!(
                    "translation {number} differs from the right one before its last sentence"
                )));
            }
        }
        let wrong = candidates.iter().enumerate();
        let wrong = wrong.filter(|(number, _)| *number != right);
        set.items.push(Item {
            id: place.item.clone(),
            document: set.documents.len(),
            sentence: context,
            correct: candidates[right][context].clone(),
            contrasts: wrong
                .map(|(_, candidate)| Contrast {
                    text: candidate[context].clone(),
                    replacement: None,
                })
                .collect(),
            distance: match value.get("ctx_dist") {
                Some(distance) if !distance.is_null() => Some(place.count(value, "ctx_dist")?),
                _ => None,
            },
            ..Item::default()
        });
        set.documents.push(SetDocument::from_lines(
            place.item,
            source,
            candidates[right].iter().cloned().map(Some),
        ));
    }
    Ok(set)
}

/// A set by one of its plain files; the JSON says which translations are right, and must hold the same lines.
pub(super) fn open_lines(path: &Path) -> Result<ContrastiveSet> {
    let json = json_of(path).ok_or_else(|| Error::ContrastiveSet {
        problem: format!(
            "the lines do not say which translation is right, and {}.json is neither in the same folder nor in the one above",
            stem(path)
        ),
        path: path.to_owned(),
    })?;
    let (sources, targets) = (path.with_extension("src"), path.with_extension("dst"));
    let source_lines = read_lines(&sources)?;
    read_as_many(&targets, source_lines.len(), &sources)?;
    let set = super::open(&json, None)?;
    let candidates = |item: &Item| item.contrasts.len() + 1;
    let expected: usize = set.items.iter().map(candidates).sum();
    let mut lines = source_lines.iter();
    for item in &set.items {
        let source = set.documents[item.document].sentences.iter();
        let source: Vec<&str> = source.map(|sentence| sentence.source.as_str()).collect();
        for line in lines.by_ref().take(candidates(item)) {
            if sentences(line) != source {
                return Err(Error::ContrastiveItem {
                    problem: format!("{} has other sentences: {line:?}", sources.display()),
                    item: item.id.clone(),
                    path: json,
                });
            }
        }
    }
    if source_lines.len() != expected {
        return Err(Error::ContrastiveSet {
            problem: format!(
                "{} lines, but {} holds {expected} translations",
                source_lines.len(),
                json.display()
            ),
            path: sources,
        });
    }
    Ok(set)
}

fn json_of(path: &Path) -> Option<PathBuf> {
    let name = path.with_extension("json");
    let above = path.parent()?.parent()?.join(name.file_name()?);
    [name, above].into_iter().find(|path| path.exists())
}

fn sentences(text: &str) -> Vec<String> {
    let sentences = text.split(BREAK);
    sentences
        .map(|sentence| sentence.trim().to_owned())
        .collect()
}
