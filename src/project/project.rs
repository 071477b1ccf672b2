//! The project file: target text, edits and states of one document, kept in the user's data folder under a name that
//! `project_store` gives it.
//!
//! Every target is stored with a hash of its source sentence, so that a changed document keeps what still matches. What a
//! person has done on a sentence that is gone stays too, for the day on which the sentence comes back.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::other_languages::LanguageWork;
use super::segment_history::Version;
use crate::error::{BaseError, Error, Result};
use canopy_document::document::{Document, ReadingOptions, Standing};
use canopy_translate::inference::Flag;

/// How far the work on a sentence has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Without a translation.
    #[default]
    Untranslated,
    /// From the model, not looked at.
    Draft,
    /// Changed by a person.
    Edited,
    /// Declared good by a person.
    Confirmed,
}

impl State {
    /// Whether a machine translation may replace the target text.
    pub fn is_replaceable(self) -> bool {
        matches!(self, Self::Untranslated | Self::Draft)
    }
}

/// A translation in the file of a document is work of a person, which no model replaces.
impl From<Standing> for State {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Draft | Standing::Translated => Self::Edited,
            Standing::Approved => Self::Confirmed,
        }
    }
}

/// One sentence of a project file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTarget {
    /// Index of the sentence in the document.
    pub index: usize,
    /// [`source_hash`] of the sentence it belongs to.
    pub source: String,
    /// The translation, with placeholders.
    pub text: String,
    /// How far the work on the sentence has come.
    pub state: State,
    /// Warnings of the model about its translation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// The name of the model that translated it; none if it is unknown, or no model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How likely the model's translation is to be good, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// All texts that it has had, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Version>,
}

impl SavedTarget {
    /// A person's work on a sentence whose [`source_hash`] is `source`.
    pub fn by_hand(index: usize, source: String, text: impl Into<String>, state: State) -> Self {
        Self {
            index,
            source,
            text: text.into(),
            state,
            flags: Vec::new(),
            model: None,
            confidence: None,
            history: Vec::new(),
        }
    }
}

/// The content of a project file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Version of the format.
    pub version: u32,
    /// Where the document was.
    #[serde(with = "any_path")]
    pub document: PathBuf,
    /// [`content_hash`] of the document; older versions did not know it.
    #[serde(default)]
    pub content: String,
    /// The language of the document, if a person has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_language: Option<String>,
    /// The language of `targets`; older versions did not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_language: Option<String>,
    /// The path of the model that translated last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The paths of its termbases, in the order in which they count.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "crate::one_or_several"
    )]
    pub terms: Vec<String>,
    /// How the document is read, if a person has chosen that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ReadingOptions>,
    /// The targets of the sentences that have one.
    pub targets: Vec<SavedTarget>,
    /// The work in other target languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_languages: Vec<LanguageWork>,
    /// Names of the checks that are made, if a person has chosen them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
    /// Findings that a person does not want to see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredFinding>,
}

/// A finding about a sentence, whatever its translation is now.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IgnoredFinding {
    /// [`source_hash`] of the sentence.
    pub source: String,
    /// The name of the check.
    pub check: String,
    /// The message of the finding.
    pub message: String,
}

/// The newest version that can be read, which is written of work in several languages: programs that know one alone would
/// lose the others.
pub const VERSION: u32 = 2;

/// The version that is written of work in one language.
const ONE_LANGUAGE: u32 = 1;

/// Maximum number of kept edits of sentences that are gone.
const MOST_UNMATCHED: usize = 20_000;

impl Project {
    /// Creates the work on a document in one language, with nothing but targets.
    pub fn new(document: PathBuf, content: String, targets: Vec<SavedTarget>) -> Self {
        Self {
            version: ONE_LANGUAGE,
            document,
            content,
            source_language: None,
            target_language: None,
            model: None,
            terms: Vec::new(),
            reading: None,
            targets,
            other_languages: Vec::new(),
            checks: None,
            ignored: Vec::new(),
        }
    }

    /// Reads a project file; `None` if there is none yet.
    ///
    /// # Errors
    /// If it cannot be read or is no project file of this or an older version.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => {
                return Err(Error::Base(BaseError::Read {
                    path: path.to_owned(),
                    cause,
                }));
            }
        };
        let broken = |reason: String| Error::Project {
            reason,
            path: path.to_owned(),
        };
        let project: Self =
            serde_json::from_slice(&bytes).map_err(|cause| broken(cause.to_string()))?;
        if project.version > VERSION {
            return Err(broken(format!(
                "version {} is newer than this program",
                project.version
            )));
        }
        Ok(Some(project))
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// If serialisation fails, which plain data does not.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let version = if self.other_languages.is_empty() {
            ONE_LANGUAGE
        } else {
            VERSION
        };
        let written = Self {
            version,
            ..self.clone()
        };
        serde_json::to_vec_pretty(&written).map_err(|cause| Error::Project {
            reason: cause.to_string(),
            path: path.to_owned(),
        })
    }

    /// The saved target of every sentence of `document` that still matches; the same place wins over another one.
    pub fn matched(&self, document: &Document) -> Vec<Option<&SavedTarget>> {
        let hashes = document
            .sentences
            .iter()
            .map(|sentence| source_hash(&sentence.text))
            .collect::<Vec<_>>();
        let mut matched = vec![None; hashes.len()];
        let mut moved: HashMap<&str, VecDeque<&SavedTarget>> = HashMap::new();
        for target in &self.targets {
            let is_here = hashes.get(target.index) == Some(&target.source);
            if is_here && matched[target.index].is_none() {
                matched[target.index] = Some(target);
            } else {
                moved.entry(&target.source).or_default().push_back(target);
            }
        }
        for (slot, hash) in matched.iter_mut().zip(&hashes) {
            if slot.is_none() {
                *slot = moved.get_mut(hash.as_str()).and_then(VecDeque::pop_front);
            }
        }
        matched
    }

    /// Targets that are not `matched`: those that a person has edited or confirmed, then others that have a history, both in the
    /// order of the file.
    pub fn unmatched(&self, matched: &[Option<&SavedTarget>]) -> Vec<SavedTarget> {
        let matched: HashSet<*const SavedTarget> = matched
            .iter()
            .flatten()
            .map(|&target| std::ptr::from_ref(target))
            .collect();
        let is_gone = |target: &&SavedTarget| !matched.contains(&std::ptr::from_ref(*target));
        let gone = self.targets.iter().filter(is_gone);
        let (drafts, by_people): (Vec<_>, Vec<_>) =
            gone.partition(|target| target.state.is_replaceable());
        let drafts = drafts
            .into_iter()
            .filter(|target| !target.history.is_empty());
        let kept = by_people.into_iter().chain(drafts);
        kept.take(MOST_UNMATCHED).cloned().collect()
    }
}

/// Names what is in a document, whatever its path.
pub fn content_hash(document: &Document) -> String {
    hex(document.original.as_bytes())
}

/// Names a source sentence by its text.
pub fn source_hash(text: &str) -> String {
    hex(text.as_bytes())
}

/// The first 16 hexadecimal digits of SHA-256.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .take(8)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Paths as text, and those that are no Unicode as their numbers: another text would be another path.
mod any_path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Numbers(OsString),
    }

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.as_os_str().serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => text.into(),
            Written::Numbers(name) => name.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_of_before_are_read_and_new_ones_name_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page.json");
        let old = r#"{"version": 1, "document": "page.html", "targets": [
            {"index": 0, "source": "0011223344556677", "text": "Drucken", "state": "draft"}]}"#;
        std::fs::write(&path, old).expect("written");
        let mut project = Project::read(&path).expect("readable").expect("there");
        assert_eq!(project.targets[0].model, None);
        project.targets[0].model = Some("opus-mt-en-de".to_owned());
        let bytes = project.to_bytes(&path).expect("bytes");
        std::fs::write(&path, bytes).expect("written");
        let again = Project::read(&path).expect("readable").expect("there");
        assert_eq!(again, project);
    }
}
