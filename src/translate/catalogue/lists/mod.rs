//! Reading lists of models: each form in a file of its own, recognised by the content of the list.

mod argos;
mod folder;
mod hugging_face;
mod mozilla;
mod translate_locally;

use std::path::Path;

use serde_json::Value;

use super::model::{CatalogueFile, CatalogueModel, Source, is_plain_name};
use super::place::{Catalogue, Origin, folder_of};
use super::web;
use crate::error::Result;
use canopy_base::file::has_ending;

pub(super) use folder::{MOST_BYTES, read_file, read_folder};
pub use hugging_face::ONLY_GGUF;
pub(super) use hugging_face::read_repository;

/// Maximum number of models of a list: no catalogue has more.
const MOST_MODELS: usize = 100_000;

/// Models of a list, with those entries that could not be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct List {
    pub models: Vec<CatalogueModel>,
    /// Number of entries that could not be read.
    pub num_unread: usize,
}

/// Reads a list of any known form; `origin` is where it was found, which addresses in it may start from.
pub(super) fn read_list(bytes: &[u8], catalogue: &Catalogue, origin: &Origin) -> Result<List> {
    let list: Value = serde_json::from_slice(bytes)
        .map_err(|cause| catalogue.refused(format!("its list is not JSON ({cause})")))?;
    let reading = Reading { catalogue, origin };
    let mut read = if list["models"].is_object() {
        mozilla::read(&list, &reading)
    } else if list["models"].is_array() {
        translate_locally::read(&list["models"], &reading)
    } else if list.is_array() {
        argos::read(&list, &reading)
    } else {
        return Err(catalogue.refused(
            "its list has none of the known forms: that of Mozilla's registry (models by pair of languages), of translateLocally \
             (models in a row) or of Argos Translate (an array)",
        ));
    };
    if read.models.len() > MOST_MODELS {
        return Err(catalogue.refused(format!("its list has more than {MOST_MODELS} models")));
    }
    for model in &mut read.models {
        model.check(catalogue);
    }
    distinguish(&mut read.models);
    Ok(read)
}

/// Facts about the list other than its text.
pub(super) struct Reading<'a> {
    pub catalogue: &'a Catalogue,
    pub origin: &'a Origin,
}

impl Reading<'_> {
    fn model(&self) -> CatalogueModel {
        CatalogueModel {
            catalogue: self.catalogue.name.clone(),
            licence: self.catalogue.licence.clone(),
            ..CatalogueModel::default()
        }
    }

    /// The place of a file: next to a list of this machine, else at its address, relative to that of the list.
    ///
    /// # Errors
    /// The reason, if it is an address that is not followed.
    fn source(&self, address: &str) -> Result<Source, String> {
        let scheme = address.split_once("://").map(|(scheme, _)| scheme);
        let is_web = scheme
            .is_some_and(|it| it.eq_ignore_ascii_case("https") || it.eq_ignore_ascii_case("http"));
        match self.origin {
            Origin::Path(list) => {
                let folder = if list.is_dir() { list } else { folder_of(list) };
                let path = address.split_once("://").map_or(address, |(_, rest)| rest);
                if let Some(path) = file_in_folder(folder, path) {
                    return Ok(Source::Local(path));
                }
                if is_web {
                    return Ok(Source::Web(address.to_owned()));
                }
                Err(format!(
                    "its file {address} is not in the folder of the list {}",
                    folder.display()
                ))
            }
            Origin::Web(list) if is_web => {
                web::check_step(list, address).map(|()| Source::Web(address.to_owned()))
            }
            Origin::Web(_) if scheme.is_some() || address.starts_with('/') => {
                Err(format!("its address {address} is not one of https"))
            }
            Origin::Web(list) => {
                let base = list.split(['?', '#']).next().unwrap_or(list);
                let base = base.rsplit_once('/').map_or(base, |(base, _)| base);
                Ok(Source::Web(format!("{base}/{address}")))
            }
        }
    }

    /// A file of a list with its name; `path` is the path or address that the list has for it.
    fn file(&self, address: &str) -> Result<CatalogueFile, String> {
        let path = address.split(['?', '#']).next().unwrap_or(address);
        if path.split(['/', '\\']).any(|part| part == "..") {
            return Err(format!("its file {path:?} leads out of its folder"));
        }
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_gzip = has_ending(Path::new(name), "gz")
            && !has_ending(Path::new(name.trim_end_matches(".gz")), "tar");
        let name = if is_gzip {
            &name[..name.len() - 3]
        } else {
            name
        };
        if !is_plain_name(name) {
            return Err(format!(
                "its file {name:?} has no name that a file can have"
            ));
        }
        Ok(CatalogueFile {
            name: name.to_owned(),
            source: self.source(address)?,
            is_gzip,
            num_bytes: None,
            sha256: None,
        })
    }
}

impl CatalogueModel {
    /// Notes what makes a listed model impossible to install.
    fn check(&mut self, catalogue: &Catalogue) {
        if !self.has_plain_name() {
            let reason = format!("its name {:?} is not allowed for a model", self.name);
            self.problem.get_or_insert(reason);
        }
        if self.problem.is_none() && self.files.is_empty() {
            self.problem = Some(format!(
                "the list of {} names no file of it",
                catalogue.name
            ));
        }
        self.num_bytes = self.num_bytes.or_else(|| self.bytes_here());
        let mut seen = Vec::new();
        for file in &self.files {
            if seen.contains(&&file.name) {
                let reason = format!("two of its files are called {}", file.name);
                self.problem.get_or_insert(reason);
            }
            seen.push(&file.name);
        }
    }
}

impl CatalogueModel {
    /// Bytes of its files, if all of them are on this machine.
    fn bytes_here(&self) -> Option<u64> {
        let size = |file: &CatalogueFile| match &file.source {
            Source::Local(path) => std::fs::metadata(path)
                .ok()
                .filter(std::fs::Metadata::is_file),
            Source::Web(_) => None,
        };
        let sizes = self
            .files
            .iter()
            .map(|file| size(file).map(|about| about.len()));
        sizes.sum::<Option<u64>>().filter(|bytes| *bytes > 0)
    }
}

/// A file that is where a path says, seen from a folder, or at least by its name there; never one outside of it.
fn file_in_folder(folder: &Path, path: &str) -> Option<std::path::PathBuf> {
    let path = path.trim_start_matches("./");
    let parts: Vec<&str> = path.split('/').collect();
    let is_inside =
        |parts: &[&str]| !parts.is_empty() && parts.iter().all(|part| is_plain_name(part));
    (0..parts.len())
        .map(|from| &parts[from..])
        .filter(|parts| is_inside(parts))
        .map(|parts| folder.join(parts.join("/")))
        .find(|path| path.exists())
}

/// Gives models of one name numbers: `en-de-tiny`, `en-de-tiny-2`.
fn distinguish(models: &mut [CatalogueModel]) {
    let mut counts = std::collections::HashMap::<String, usize>::new();
    for model in models {
        let count = counts.entry(model.name.to_lowercase()).or_default();
        *count += 1;
        if *count > 1 {
            model.name = format!("{}-{count}", model.name);
        }
    }
}

/// A text of a list, without blanks around it; none if it is empty or no text.
fn text<'a>(entry: &'a Value, key: &str) -> Option<&'a str> {
    entry[key]
        .as_str()
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

/// A hash of 64 hexadecimal digits; something else is a flaw.
fn sha256(text: Option<&str>) -> Result<Option<String>, String> {
    let Some(text) = text else {
        return Ok(None);
    };
    let is_hash = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    if is_hash {
        Ok(Some(text.to_lowercase()))
    } else {
        Err(format!("its SHA-256 is {text:?}, which is not valid"))
    }
}
