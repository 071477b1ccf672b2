//! A look at parallel texts before they become a corpus: how many pairs and documents, of which languages, and which
//! pairs do not look like translations.
//!
//! Doubtful are pairs that read the same on both sides, that are written in the script of another language, or of which one
//! side is several times as long as the other, measured by how the languages relate in the first thousand pairs; and what
//! has no counterpart. Importers that are given the same [`PairFilter`] keep such pairs as context and learn nothing from them.

mod builder;
mod material;
mod pair_filter;
mod script;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) use builder::SurveyBuilder;
pub use builder::{DoubtfulPair, Survey};
pub use material::Material;
pub use pair_filter::{PairDefect, PairFilter};
pub use script::Script;

use material::{codes_in, language_of};

use super::document_folders::FolderImport;
use super::languages::primary;
use super::{tmx, tsv};
use crate::error::Result;

/// Maximum number of documents of two folders that are looked at, an evenly spread sample.
const DOCUMENTS: usize = 200;

/// Reads the material once. Without `languages`, uses those that it names itself. `progress` gets the share that is
/// read, and may end it: then the result is `None`.
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
        (None, _) => stated_languages(material)?,
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
            filter: None,
        }
        .look(DOCUMENTS, &mut look, &mut progress)?,
    };
    Ok(go_on
        .is_continue()
        .then(|| look.finish(material.clone(), named)))
}

/// The languages that names or a first line state; empty where they do not. A memory is read for them.
fn stated_languages(material: &Material) -> Result<(String, String)> {
    Ok(match material {
        Material::Memory(_) => Default::default(),
        Material::Table(file) => {
            if let Some(languages) = tsv::header(file)? {
                languages
            } else {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                let mut codes = codes_in(&stem);
                match (codes.next(), codes.next()) {
                    (Some(source), Some(target)) => (source, target),
                    _ => Default::default(),
                }
            }
        }
        Material::Folders { source, target } => {
            let language = |folder: &Path| language_of(folder).unwrap_or_default();
            (language(source), language(target))
        }
    })
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
    // The first by name of equally frequent ones.
    let most = others
        .iter()
        .max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)));
    match (most, named.get(1)) {
        (Some((other, _)), _) => (primary(first).to_lowercase(), other.to_lowercase()),
        (None, Some((second, _))) => (first.clone(), second.clone()),
        (None, None) => (first.clone(), String::new()),
    }
}

#[cfg(test)]
mod tests;
