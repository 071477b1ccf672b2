//! The description with the files of a model of another program: `installed.toml`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::languages::several;
use super::{DESCRIPTION, DownloadedFrom, InstalledModel, UNKNOWN, licence_text};
use crate::error::{BaseError, Error, Result};
use crate::inference::translator::{ForeignDescription, foreign_description};

/// Facts about a model from outside its files, such as from the catalogue that lists it: they fill in what the files leave open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownOfModel {
    /// Name of its folder in the library; empty for that of the files.
    pub name: String,
    /// Title of the model, for people; empty if it is not known.
    pub title: String,
    /// Version of the model; empty if it is not known.
    pub version: String,
    /// Codes of the languages that it translates from.
    pub sources: Vec<String>,
    /// Codes of the languages that it translates to.
    pub targets: Vec<String>,
    /// Whether a person states the languages: then they win over those of the files.
    pub is_stated: bool,
    /// Empty if it is not known.
    pub licence: String,
    /// Where its files are from, such as an address; empty for the path that they are copied from.
    pub origin: String,
    /// The entry of a catalogue; its languages and those of the files are to agree.
    pub download: Option<DownloadedFrom>,
    /// Whether it takes the place of an installed one of its name.
    pub replaces: bool,
}

/// The contents of `installed.toml`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Installed {
    version: u32,
    pub name: String,
    /// As its files have it.
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    /// Version of the model, as its files have it.
    #[serde(skip_serializing_if = "String::is_empty")]
    model_version: String,
    pub source: String,
    /// All, of a model that translates from several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    pub targets: Vec<String>,
    /// Whether a person has stated the languages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stated: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<u64>,
    licence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    licence_text: Option<String>,
    origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<PathBuf>,
    /// Name of the folder or file with its files, below this one.
    pub files: String,
    /// Bytes of these files, when they were copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    download: Option<DownloadedFrom>,
}

/// The description with the files of a model of another program, if there is one.
pub(super) fn read_installed(folder: &Path) -> Result<Option<Installed>> {
    let path = folder.join(DESCRIPTION);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    let refuse = |reason: String| {
        Error::Base(BaseError::Model {
            reason,
            path: path.clone(),
        })
    };
    let installed: Installed = toml::from_str(&text).map_err(|cause| refuse(cause.to_string()))?;
    // Only what is in the folder itself.
    let is_plain = !installed.files.is_empty()
        && !installed.files.contains(['/', '\\'])
        && installed.files != "..";
    if !is_plain {
        return Err(refuse(format!(
            "files = {:?} is not the name of a file in its folder",
            installed.files
        )));
    }
    Ok(Some(installed))
}

pub(super) fn read_foreign(path: &Path) -> Result<Installed> {
    let ForeignDescription {
        name,
        sources,
        targets,
        num_parameters,
        licence,
        licence_text,
        made_by,
        stated: facts,
    } = foreign_description(path)?;
    let file = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let known = |codes: Vec<String>| -> Vec<String> {
        codes.into_iter().filter(|code| code != UNKNOWN).collect()
    };
    let sources = known(sources);
    Ok(Installed {
        version: 1,
        name,
        title: facts.title.unwrap_or_default(),
        model_version: facts.version.unwrap_or_default(),
        source: sources.first().cloned().unwrap_or_default(),
        sources: several(&sources),
        targets: known(targets),
        stated: false,
        origin: format!("{made_by}, from {file}"),
        format: made_by,
        parameters: Some(num_parameters),
        licence,
        licence_text,
        copied_from: Some(path.to_owned()),
        files: String::new(),
        bytes: None,
        download: None,
    })
}

impl Installed {
    /// Says that its files are from an archive, not from where that was unpacked.
    pub(super) fn set_archive(&mut self, path: &Path) {
        let file = path.file_name().unwrap_or(path.as_os_str());
        self.origin = format!("{}, from {}", self.format, file.to_string_lossy());
        self.copied_from = Some(path.to_owned());
    }

    /// Fills in what its files leave open.
    pub(super) fn fill(&mut self, known: &KnownOfModel) {
        let fill = |field: &mut String, known: &str| {
            if field.is_empty() || field == UNKNOWN {
                known.clone_into(field);
            }
        };
        fill(&mut self.title, &known.title);
        fill(&mut self.model_version, &known.version);
        fill(&mut self.licence, &known.licence);
        // A model of several languages may name one of them alone.
        let is_shorter = |own: usize, listed: &[String]| {
            own == 0 || known.download.is_some() && own < listed.len()
        };
        let own = self.sources.len().max(usize::from(!self.source.is_empty()));
        if is_shorter(own, &known.sources) {
            self.source = known.sources.first().cloned().unwrap_or_default();
            self.sources = several(&known.sources);
        }
        if is_shorter(self.targets.len(), &known.targets) {
            self.targets.clone_from(&known.targets);
        }
        if known.is_stated {
            self.state(&known.sources, &known.targets);
        }
        self.download.clone_from(&known.download);
        if !known.origin.is_empty() {
            self.origin = format!("{}, from {}", self.format, known.origin);
            self.copied_from = None;
        }
    }

    pub(super) fn model(self, folder: &Path, num_bytes: u64) -> InstalledModel {
        let known = |code: &String| !code.is_empty() && code != UNKNOWN;
        let sources = if self.sources.is_empty() {
            vec![self.source]
        } else {
            self.sources
        };
        // Older descriptions name the program only there.
        let format = if self.format.is_empty() {
            self.origin.split(", from ").next().unwrap_or_default()
        } else {
            &self.format
        };
        InstalledModel {
            folder: folder.to_owned(),
            name: self.name,
            title: self.title,
            version: self.model_version,
            sources: sources.into_iter().filter(known).collect(),
            targets: self.targets.into_iter().filter(known).collect(),
            is_stated: self.stated,
            format: format.to_owned(),
            num_bytes,
            num_parameters: self.parameters,
            licence: self.licence,
            licence_text: self.licence_text.or_else(|| licence_text(folder)),
            origin: self.origin,
            copied_from: self.copied_from,
            download: self.download,
            is_shipped: false,
            reads_documents: false,
            problem: None,
        }
    }
}
