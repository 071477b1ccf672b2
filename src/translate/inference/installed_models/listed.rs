//! Facts about a model from the catalogue that lists it.

use serde::{Deserialize, Serialize};

use super::KnownOfModel;
use super::description::Installed;
use canopy_corpus::is_same_language;

/// The entry of a catalogue that a model was downloaded by; another release of it is an update.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DownloadedFrom {
    /// Name of the catalogue.
    pub catalogue: String,
    /// Name of the model there.
    pub name: String,
    /// Its release: a hash or a version.
    pub release: String,
}

impl KnownOfModel {
    /// Whether the languages of a catalogue and those of the files are the same, as far as both are known.
    ///
    /// # Errors
    /// The reason if they are not.
    pub(super) fn check(&self, installed: &Installed) -> Result<(), String> {
        if self.download.is_none() {
            return Ok(());
        }
        let sources = if installed.sources.is_empty() {
            std::slice::from_ref(&installed.source)
        } else {
            &installed.sources
        };
        agree(&self.sources, sources)?;
        agree(&self.targets, &installed.targets)
    }
}

fn agree(listed: &[String], found: &[String]) -> Result<(), String> {
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
