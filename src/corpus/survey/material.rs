//! Material of a person: a translation memory, a table, or two folders of documents.

use std::path::{Path, PathBuf};

use super::script::is_known_language;

/// Parallel texts that are no corpus yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Material {
    /// A TMX file.
    Memory(PathBuf),
    /// A file with source and target on a line, and a tab between them.
    Table(PathBuf),
    /// Folders of documents in two languages.
    Folders {
        /// Folder of the sources.
        source: PathBuf,
        /// Folder of the translations.
        target: PathBuf,
    },
}

impl Material {
    /// A file by its ending.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_lowercase();
        match ending.as_str() {
            "tmx" => Some(Self::Memory(path.to_owned())),
            "tsv" | "tab" => Some(Self::Table(path.to_owned())),
            _ => None,
        }
    }

    /// Two folders. The one whose name says English is the source, else the first by name: they come in any order.
    pub fn from_folders(one: &Path, other: &Path) -> Self {
        let mut both = [one.to_owned(), other.to_owned()];
        both.sort_by_key(|folder| (language_of(folder).as_deref() != Some("en"), folder.clone()));
        let [source, target] = both;
        Self::Folders { source, target }
    }

    /// A name for the corpus that is made of it.
    pub fn name(&self) -> String {
        let lossy = |name: Option<&std::ffi::OsStr>| {
            name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        match self {
            Self::Memory(file) | Self::Table(file) => lossy(file.file_stem()),
            Self::Folders { source, target } => match (source.parent(), target.parent()) {
                (Some(one), Some(other)) if one == other && one.file_name().is_some() => {
                    lossy(one.file_name())
                }
                _ => lossy(source.file_name()),
            },
        }
    }
}

/// The language in a folder's name: `en`, `docs-de`, `pt_BR`.
pub(super) fn language_of(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    codes_in(&name).last()
}

/// Codes of known languages among the parts of a name.
pub(super) fn codes_in(name: &str) -> impl Iterator<Item = String> {
    let parts = name.split(['.', '_', '-', ' ']);
    let codes = parts.filter(|part| is_known_language(part));
    codes.map(str::to_lowercase)
}
