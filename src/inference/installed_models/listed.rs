//! What a catalogue tells of a model besides its files.

use serde::{Deserialize, Serialize};

use super::Installed;
use crate::corpus::is_same_language;

/// The entry of a catalogue that a model was downloaded by; another release of it is an update.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DownloadedFrom {
    pub catalogue: String,
    pub name: String,
    pub release: String,
}

/// A model of a catalogue that is to be installed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedModel {
    /// Its folder in the library, and its name.
    pub folder: String,
    /// Codes of languages.
    pub sources: Vec<String>,
    pub targets: Vec<String>,
    /// Empty if the catalogue does not tell.
    pub licence: String,
    pub from: DownloadedFrom,
    /// Whether its files are moved, not copied.
    pub is_moved: bool,
    /// Whether it takes the place of one that is there.
    pub replaces: bool,
}

impl ListedModel {
    /// Puts what the catalogue tells where the files tell nothing.
    ///
    /// # Errors
    /// The reason if the files are of other languages.
    pub(super) fn complete(&self, installed: &mut Installed) -> Result<(), String> {
        let sources = if installed.sources.is_empty() {
            std::slice::from_ref(&installed.source)
        } else {
            &installed.sources
        };
        for (listed, found) in [
            (&self.sources, sources),
            (&self.targets, &installed.targets),
        ] {
            check(listed, found)?;
        }
        // A model of several languages may name one alone.
        if self.sources.len() > sources.iter().filter(|code| !code.is_empty()).count() {
            installed.source.clone_from(&self.sources[0]);
            installed.sources = Some(self.sources.clone())
                .filter(|all| all.len() > 1)
                .unwrap_or_default();
        }
        if self.targets.len() > installed.targets.len() {
            installed.targets.clone_from(&self.targets);
        }
        if installed.licence.is_empty() {
            installed.licence.clone_from(&self.licence);
        }
        installed.name.clone_from(&self.folder);
        installed.origin = format!("{}, from {}", installed.format, self.from.catalogue);
        if self.is_moved {
            installed.copied_from = None;
        }
        installed.download = Some(self.from.clone());
        Ok(())
    }
}

/// Whether one of the listed languages is among those of the files, as far as both are known.
fn check(listed: &[String], found: &[String]) -> Result<(), String> {
    let found: Vec<&String> = found.iter().filter(|code| !code.is_empty()).collect();
    let is_found = |code: &String| found.iter().any(|other| is_same_language(code, other));
    if listed.is_empty() || found.is_empty() || listed.iter().any(is_found) {
        return Ok(());
    }
    let found: Vec<&str> = found.into_iter().map(String::as_str).collect();
    Err(format!(
        "the catalogue says that it is for {}, but its files are for {}",
        listed.join(", "),
        found.join(", ")
    ))
}
