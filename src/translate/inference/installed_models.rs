//! Models that are installed: those that came with the program, those that were trained, and copies of those of others.
//!
//! A model of another program keeps its files, as a folder or zip file, in a folder that also holds `installed.toml`: its
//! name, its languages and where it came from, so that a list needs not read its weights.

mod adding;
mod description;
mod languages;
mod listed;

use std::path::{Path, PathBuf};

use super::language_model::{LANGUAGE_MODELS, is_language_model};
use super::translator::{foreign_description, name_of};
use crate::error::{Error, Result};
use canopy_base::file::TEMPORARY;
use canopy_models::weights::{ModelFolder, Outline};

pub use adding::{
    CopyProgress, install_known_model, install_model, install_model_while, remove_model,
};
pub use description::KnownOfModel;
use description::{Installed, read_foreign, read_installed};
pub use languages::{state_languages, stated_language};
pub use listed::DownloadedFrom;

/// The file that describes a model of another program.
pub(in crate::inference) const DESCRIPTION: &str = "installed.toml";

/// Where its files are.
const FILES: &str = "model";

/// A language that is not known, in BCP 47.
const UNKNOWN: &str = "und";

/// A model that can be opened, or that should be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstalledModel {
    /// The path that [`Translator::open`](super::Translator::open) opens.
    pub folder: PathBuf,
    /// As its description has it, or else the name of its folder.
    pub name: String,
    /// As its files have it, such as `English-Portuguese tiny`; empty if they do not.
    pub title: String,
    /// Version of the model, as its files have it; empty if they do not.
    pub version: String,
    /// Language codes; several where they can be chosen, none where they are not known.
    pub sources: Vec<String>,
    /// Codes of the languages that it translates to, likewise.
    pub targets: Vec<String>,
    /// Whether a person has stated the languages.
    pub is_stated: bool,
    /// The program whose files they are.
    pub format: String,
    /// Bytes of all its files.
    pub num_bytes: u64,
    /// None where it was not counted.
    pub num_parameters: Option<u64>,
    /// As its description names it; empty if it does not.
    pub licence: String,
    /// The text of a file of it.
    pub licence_text: Option<String>,
    /// Its maker, and the place from which it was added.
    pub origin: String,
    /// The folder or file that was copied.
    pub copied_from: Option<PathBuf>,
    /// The entry of a catalogue that it was downloaded by.
    pub download: Option<DownloadedFrom>,
    /// Whether it came with the program.
    pub is_shipped: bool,
    /// Whether it reads other sentences of the document with each sentence.
    pub reads_documents: bool,
    /// Why it cannot be opened, with file and field.
    pub problem: Option<String>,
}

impl InstalledModel {
    /// Whether it is a language model, which translates between any languages.
    pub fn is_language_model(&self) -> bool {
        let mut formats = LANGUAGE_MODELS.iter();
        formats.any(|format| self.format.starts_with(format))
    }

    /// Its languages for display, such as `en → de`.
    pub fn pair(&self) -> String {
        if self.is_language_model() && self.sources.is_empty() && self.targets.is_empty() {
            return "any → any".to_owned();
        }
        pair_of_languages(&self.sources, &self.targets)
    }

    /// Its licence for display.
    pub fn licence_or_unknown(&self) -> &str {
        match self.licence.as_str() {
            "" => "licence unknown",
            licence => licence,
        }
    }

    /// Its version for display; empty if unknown.
    pub fn version_words(&self) -> String {
        match self.version.as_str() {
            "" => String::new(),
            version => format!("version {version}"),
        }
    }

    /// Whether this names it: its name, its folder or the last part of that.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name
            || self.folder == Path::new(name)
            || self.folder.file_name().is_some_and(|it| it == name)
    }

    /// Whether a person may state its languages: nothing of it says them all.
    pub fn lacks_languages(&self) -> bool {
        let has_none = self.sources.is_empty() || self.targets.is_empty();
        let has_several = self.sources.len() > 1 || self.targets.len() > 1;
        let is_any = self.is_language_model();
        !is_any && (self.is_stated || has_none && !has_several)
    }

    /// Whether a person added it, so that it can be removed.
    pub fn is_removable(&self) -> bool {
        !self.is_shipped
    }
}

/// Languages of a model for display, such as `en → de`.
pub fn pair_of_languages(sources: &[String], targets: &[String]) -> String {
    let some = |codes: &[String]| match codes {
        [] => "?".to_owned(),
        few if few.len() <= 4 => few.join(", "),
        many => format!("{} languages", many.len()),
    };
    format!("{} → {}", some(sources), some(targets))
}

/// The models of a library, sorted by name, after those that came with the program. What cannot be opened has its
/// problem reported.
pub fn installed_models(library: Option<&Path>, shipped: &[PathBuf]) -> Vec<InstalledModel> {
    let shipped = shipped.iter().map(|folder| InstalledModel {
        is_shipped: true,
        ..listed(folder)
    });
    let entries = library.map(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten().flatten();
    // Those that are being copied do not count yet.
    let is_shown = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        !name.to_string_lossy().starts_with(TEMPORARY)
    };
    let entries = entries.filter(|entry| is_shown(entry) && entry.path().is_dir());
    let mut added: Vec<InstalledModel> = entries.map(|entry| listed(&entry.path())).collect();
    added.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.folder.cmp(&b.folder)));
    shipped.chain(added).collect()
}

/// Reads a model wherever it is: a model folder, an installed one, or a folder or archive of another program's.
///
/// # Errors
/// If it is no model that can be read.
pub fn described_model(path: &Path) -> Result<InstalledModel> {
    let path = place_of(path);
    if is_own(path) {
        ModelFolder::open(path)?;
        return described(path);
    }
    let read = read_foreign(&foreign_files(path))?;
    let mut installed = read_installed(path)?.unwrap_or(read);
    if !path.join(DESCRIPTION).exists() {
        installed.copied_from = None;
    }
    Ok(installed.model(path, size(path)))
}

/// Whether a path has the look of a model of another program: a folder by its files, or those of its only folder; a file by
/// its name.
pub fn may_be_model(path: &Path) -> bool {
    if path.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        let is_packed = PACKED.iter().any(|ending| name.ends_with(ending));
        return is_packed || is_weights(&name) || is_language_model(path);
    }
    let is_one = |folder: &Path| !is_own(folder) && is_foreign(folder);
    let mut folders = std::fs::read_dir(path).into_iter().flatten().flatten();
    let only = folders.next().filter(|_| folders.next().is_none());
    is_one(path) || only.is_some_and(|only| only.path().is_dir() && is_one(&only.path()))
}

/// Endings of archives that models come in.
const PACKED: [&str; 6] = [".zip", ".argosmodel", ".tar.gz", ".tgz", ".tar", ".tar.zst"];

/// The folder of a model of ours of which a file is named; else the path itself.
pub(super) fn place_of(path: &Path) -> &Path {
    let is_file = path.ends_with("model.toml") || path.ends_with("weights.safetensors");
    let folder = path.parent().filter(|folder| is_file && is_own(folder));
    folder.unwrap_or(path)
}

/// Whether it is a model folder of ours.
pub(super) fn is_own(path: &Path) -> bool {
    path.join("model.toml").is_file()
}

/// Whether it could be a model of another program: a file, or a folder with a file that only models have.
pub(super) fn is_foreign(path: &Path) -> bool {
    const FILES: [&str; 6] = [
        DESCRIPTION,
        "config.json",
        "decoder.yml",
        "model.bin",
        "metadata.json",
        "model",
    ];
    let mut entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    path.is_file()
        || FILES.iter().any(|name| path.join(name).exists())
        || entries.any(|entry| is_weights(&entry.file_name().to_string_lossy()))
}

/// Whether a file is named as the weights of Marian and Bergamot are, compressed or not.
fn is_weights(name: &str) -> bool {
    let bare = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let ends_in = |ending: &str| Path::new(bare).extension().is_some_and(|it| it == ending);
    let is_binary = ends_in("bin") && !bare.starts_with("lex.");
    ends_in("npz") || is_binary && (bare.starts_with("model.") || bare.contains(".intgemm"))
}

/// Where the files of an installed model of another program are; the path itself for any other path.
pub(super) fn foreign_files(path: &Path) -> PathBuf {
    match read_installed(path) {
        Ok(Some(installed)) => path.join(installed.files),
        _ => path.to_owned(),
    }
}

/// Statements about a model of another program in addition to its files.
pub(super) struct StatedModel {
    pub name: String,
    /// Source and target; an unknown one is `None`.
    pub languages: [Option<String>; 2],
    /// Whether a person states them: then they win over those of the files.
    pub is_stated: bool,
}

/// Name and languages of an installed model of another program, whose copied files have another name.
pub(super) fn stated_model(path: &Path) -> Option<StatedModel> {
    let installed = read_installed(path).ok()??;
    let known = |code: &String| !code.is_empty() && code != UNKNOWN;
    // The requested one of several is taken.
    let source = Some(installed.source).filter(|code| known(code) && installed.sources.is_empty());
    let target = Some(installed.targets)
        .filter(|targets| targets.len() == 1)
        .and_then(|targets| targets.into_iter().find(known));
    Some(StatedModel {
        name: installed.name,
        languages: [source, target],
        is_stated: installed.stated,
    })
}

/// The files of a model of another program, if the path is one: the path itself, or the installed files.
pub fn imported_files(path: &Path) -> Option<PathBuf> {
    (!is_own(path) && is_foreign(path)).then(|| foreign_files(path))
}

/// A folder of a library, whatever is wrong with it.
fn listed(folder: &Path) -> InstalledModel {
    let broken = |error: &Error| InstalledModel {
        folder: folder.to_owned(),
        name: name_of(folder),
        num_bytes: size(folder),
        problem: Some(error.to_string()),
        ..InstalledModel::default()
    };
    described(folder).unwrap_or_else(|error| broken(&error))
}

/// The description in a folder, with any problem of its files.
fn described(folder: &Path) -> Result<InstalledModel> {
    let num_bytes = size(folder);
    if let Some(installed) = read_installed(folder)? {
        let problem = problem_of(&installed, &folder.join(&installed.files));
        return Ok(InstalledModel {
            problem,
            ..installed.model(folder, num_bytes)
        });
    }
    let own = ModelFolder::alone(folder)?;
    let outline = Outline::read(&ModelFolder::weights_path(folder));
    Ok(InstalledModel {
        folder: folder.to_owned(),
        name: own.name,
        title: String::new(),
        version: String::new(),
        sources: vec![own.languages.source],
        targets: vec![own.languages.target],
        is_stated: false,
        format: "Canopy".to_owned(),
        num_bytes,
        num_parameters: outline.as_ref().ok().map(|outline| outline.num_parameters),
        licence: own.licence,
        licence_text: licence_text(folder),
        origin: match own.training.corpus.as_str() {
            "" => "Canopy".to_owned(),
            corpus => format!("Canopy, trained on {corpus}"),
        },
        copied_from: None,
        download: None,
        is_shipped: false,
        reads_documents: own.model.context.is_some(),
        problem: outline.err().map(|error| error.to_string()),
    })
}

/// Files that are as large as they were are taken to be what they were: reading them takes long.
fn problem_of(installed: &Installed, files: &Path) -> Option<String> {
    let is_same = installed.bytes.is_none_or(|bytes| bytes == size(files));
    if files.exists() && is_same {
        return None;
    }
    let read = foreign_description(files);
    read.err().map(|error| error.to_string())
}

/// The text of a folder's licence, if it has one.
pub(super) fn licence_text(folder: &Path) -> Option<String> {
    const FILES: [&str; 4] = ["LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE"];
    let mut texts = FILES
        .iter()
        .map(|name| std::fs::read_to_string(folder.join(name)));
    texts.find_map(std::result::Result::ok)
}

/// Bytes of a file, or of all files below a folder; links to folders are not followed, they may form a circle.
fn size(path: &Path) -> u64 {
    let Ok(about) = std::fs::metadata(path) else {
        return 0;
    };
    if !about.is_dir() {
        return about.len();
    }
    files_in(path).map(|path| size(&path)).sum()
}

/// Files of a folder, without hidden ones and links to folders.
fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        let is_hidden = name.to_string_lossy().starts_with('.');
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let is_left_out = is_hidden || is_link && path.is_dir();
        (!is_left_out).then_some(path)
    })
}
