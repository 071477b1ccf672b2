//! Models that are installed: those that came with the program, those that were trained, and copies of those of others.
//!
//! A model of another program keeps its files, as a folder or zip file, in a folder that also holds `installed.toml`: its
//! name, its languages and where it came from, so that a list needs not read its weights.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::translator::{ForeignDescription, foreign_description};
use crate::error::{Error, Result};
use crate::text::file::write_atomically;
use crate::weights::ModelFolder;

/// The file that describes a model of another program.
const DESCRIPTION: &str = "installed.toml";

/// Where its files are.
const FILES: &str = "model";

/// A model that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledModel {
    /// The path that [`Translator::open`](super::Translator::open) opens.
    pub folder: PathBuf,
    pub name: String,
    /// Language codes; several targets if they can be chosen.
    pub source: String,
    pub targets: Vec<String>,
    /// Of all its files.
    pub num_bytes: u64,
    /// As its description names it; empty if it does not.
    pub licence: String,
    /// The text of a file of it.
    pub licence_text: Option<String>,
    /// Who or what made it, and from where it was added.
    pub origin: String,
    /// Whether it came with the program.
    pub is_shipped: bool,
}

/// The contents of `installed.toml`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Installed {
    version: u32,
    name: String,
    source: String,
    targets: Vec<String>,
    licence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    licence_text: Option<String>,
    origin: String,
    /// Of the folder or file with its files, below this one.
    files: String,
}

impl InstalledModel {
    /// Its languages for people, such as `en → de`.
    pub fn pair(&self) -> String {
        let targets = match self.targets.as_slice() {
            [] => "?".to_owned(),
            few if few.len() <= 4 => few.join(", "),
            many => format!("{} languages", many.len()),
        };
        let source = if self.source.is_empty() {
            "?"
        } else {
            &self.source
        };
        format!("{source} → {targets}")
    }

    /// Whether a person added it, so that it can be removed.
    pub fn is_removable(&self) -> bool {
        !self.is_shipped
    }
}

/// The models of a library, sorted by name, behind those that came with the program. What cannot be read is left out.
pub fn installed_models(library: Option<&Path>, shipped: &[PathBuf]) -> Vec<InstalledModel> {
    let shipped = shipped.iter().filter_map(|folder| {
        let own = described(folder)?;
        Some(InstalledModel {
            is_shipped: true,
            ..own
        })
    });
    let entries = library.map(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten().flatten();
    let mut added: Vec<InstalledModel> = entries
        .filter_map(|entry| described(&entry.path()))
        .collect();
    added.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.folder.cmp(&b.folder)));
    shipped.chain(added).collect()
}

/// Copies a model into a library: a model folder, or a folder or zip file of another program's.
///
/// # Errors
/// If it is no model that can be read, one of its name is there already, or it cannot be copied.
pub fn install_model(path: &Path, library: &Path) -> Result<InstalledModel> {
    let path = std::path::absolute(path).map_err(Error::read(path))?;
    let name = path
        .file_stem()
        .filter(|_| path.is_file())
        .or(path.file_name());
    let name = name
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    let folder = library.join(&name);
    if folder.exists() {
        return Err(Error::Exists { path: folder });
    }
    std::fs::create_dir_all(library).map_err(Error::write(library))?;
    let new = tempfile::Builder::new()
        .prefix(crate::text::file::TEMPORARY)
        .tempdir_in(library);
    let new = new.map_err(Error::write(library))?;
    if is_own(&path) {
        ModelFolder::open(&path)?;
        copy(&path, new.path())?;
    } else {
        let mut installed = read_foreign(&path)?;
        let extension = path.extension().filter(|_| path.is_file());
        installed.files = match extension {
            Some(extension) => format!("{FILES}.{}", extension.to_string_lossy()),
            None => FILES.to_owned(),
        };
        copy(&path, &new.path().join(&installed.files))?;
        let description = new.path().join(DESCRIPTION);
        let text = toml::to_string(&installed).map_err(|cause| Error::Model {
            reason: cause.to_string(),
            path: description.clone(),
        })?;
        write_atomically(&description, text.as_bytes(), true)?;
    }
    let made = new.keep();
    std::fs::rename(&made, &folder).map_err(Error::write(&folder))?;
    described(&folder).ok_or_else(|| Error::Model {
        reason: "it cannot be read back".to_owned(),
        path: folder,
    })
}

/// Deletes a model of a library, and nothing else.
///
/// # Errors
/// If it is not one, or cannot be deleted.
pub fn remove_model(folder: &Path, library: &Path) -> Result<()> {
    if folder.parent() != Some(library) || described(folder).is_none() {
        return Err(Error::Model {
            reason: format!("it is no model of {}", library.display()),
            path: folder.to_owned(),
        });
    }
    std::fs::remove_dir_all(folder).map_err(Error::write(folder))
}

/// Whether it is a model folder of ours.
pub(super) fn is_own(path: &Path) -> bool {
    path.join("model.toml").is_file()
}

/// Whether it could be a model of another program: a zip file, or a folder that is neither a run nor empty.
pub(super) fn is_foreign(path: &Path) -> bool {
    const FILES: [&str; 6] = [
        DESCRIPTION,
        "config.json",
        "decoder.yml",
        "model.bin",
        "metadata.json",
        "model",
    ];
    path.is_file() || FILES.iter().any(|name| path.join(name).exists()) || has_npz(path)
}

fn has_npz(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.path().extension().is_some_and(|it| it == "npz"))
}

/// Where the files of an installed model of another program are; the path itself if it is none.
pub(super) fn foreign_files(path: &Path) -> PathBuf {
    match read_installed(path) {
        Some(installed) => path.join(installed.files),
        None => path.to_owned(),
    }
}

/// The files of a model of another program, if that is what is there: the path itself, or those that were installed there.
pub fn imported_files(path: &Path) -> Option<PathBuf> {
    (!is_own(path) && is_foreign(path)).then(|| foreign_files(path))
}

fn read_installed(folder: &Path) -> Option<Installed> {
    let text = std::fs::read_to_string(folder.join(DESCRIPTION)).ok()?;
    let installed: Installed = toml::from_str(&text).ok()?;
    // Only what lies in the folder itself.
    let is_plain = !installed.files.is_empty()
        && !installed.files.contains(['/', '\\'])
        && installed.files != "..";
    is_plain.then_some(installed)
}

fn read_foreign(path: &Path) -> Result<Installed> {
    let ForeignDescription {
        name,
        source,
        targets,
        licence,
        licence_text,
        made_by,
    } = foreign_description(path)?;
    let file = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    Ok(Installed {
        version: 1,
        name,
        source,
        targets,
        licence,
        licence_text,
        origin: format!("{made_by}, from {file}"),
        files: String::new(),
    })
}

fn described(folder: &Path) -> Option<InstalledModel> {
    let num_bytes = size(folder);
    if let Some(installed) = read_installed(folder) {
        return Some(InstalledModel {
            folder: folder.to_owned(),
            name: installed.name,
            source: installed.source,
            targets: installed.targets,
            num_bytes,
            licence: installed.licence,
            licence_text: installed.licence_text,
            origin: installed.origin,
            is_shipped: false,
        });
    }
    let own = ModelFolder::alone(folder).ok()?;
    Some(InstalledModel {
        folder: folder.to_owned(),
        name: own.name,
        source: own.languages.source,
        targets: vec![own.languages.target],
        num_bytes,
        licence: own.licence,
        licence_text: None,
        origin: match own.training.corpus.as_str() {
            "" => "Canopy".to_owned(),
            corpus => format!("Canopy, trained on {corpus}"),
        },
        is_shipped: false,
    })
}

/// Bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size_of = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(it) if it.is_dir() => size(&entry.path()),
        Ok(it) => it.len(),
        Err(_) => 0,
    };
    entries.map(size_of).sum()
}

/// Copies a file, or a folder with the files in it; links are followed once.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        std::fs::copy(from, to).map_err(Error::write(to))?;
        return Ok(());
    }
    std::fs::create_dir_all(to).map_err(Error::write(to))?;
    for entry in std::fs::read_dir(from).map_err(Error::read(from))? {
        let entry = entry.map_err(Error::read(from))?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !is_hidden {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
