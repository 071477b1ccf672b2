//! A folder as a catalogue, for an office without internet: lists of any form in it, and its models.

use std::fs;
use std::path::{Path, PathBuf};

use super::{List, read_list};
use crate::catalogue::model::{CatalogueFile, CatalogueModel, Source};
use crate::catalogue::place::{Catalogue, Origin};
use crate::error::{Error, Result};
use crate::inference::{described_model, may_be_model};
use canopy_base::file::has_ending;

/// Bytes of a list, at most.
pub(in crate::catalogue) const MOST_BYTES: u64 = 64 << 20;

/// Reads the lists of a folder, then its other models.
pub(in crate::catalogue) fn read_folder(folder: &Path, catalogue: &Catalogue) -> Result<List> {
    let mut all = List::default();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(Error::read(folder))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let is_list = |path: &&PathBuf| path.is_file() && has_ending(path, "json");
    for path in paths.iter().filter(is_list) {
        // Other files of JSON are in folders, too.
        if let Ok(list) = read_file(path, catalogue) {
            all.models.extend(list.models);
            all.num_unread += list.num_unread;
        }
    }
    let is_one = |path: &Path| path.join("model.toml").is_file() || may_be_model(path);
    let listed: Vec<PathBuf> = all.models.iter().flat_map(files_of).collect();
    for path in paths
        .iter()
        .filter(|path| is_one(path) && !listed.contains(path))
    {
        all.models.push(local(path, catalogue));
    }
    if all.models.is_empty() && is_one(folder) {
        all.models.push(local(folder, catalogue));
    }
    if all.models.is_empty() {
        return Err(catalogue.refused("this folder has neither a list of models nor a model"));
    }
    Ok(all)
}

/// Reads a list that is a file.
pub(in crate::catalogue) fn read_file(path: &Path, catalogue: &Catalogue) -> Result<List> {
    let size = fs::metadata(path).map_err(Error::read(path))?.len();
    if size > MOST_BYTES {
        return Err(catalogue.refused(format!("its list is larger than {MOST_BYTES} bytes")));
    }
    let bytes = fs::read(path).map_err(Error::read(path))?;
    read_list(&bytes, catalogue, &Origin::Path(path.to_owned()))
}

fn files_of(model: &CatalogueModel) -> impl Iterator<Item = PathBuf> + '_ {
    model.files.iter().filter_map(|file| match &file.source {
        Source::Local(path) => Some(path.clone()),
        Source::Web(_) => None,
    })
}

/// A model of a folder.
fn local(path: &Path, catalogue: &Catalogue) -> CatalogueModel {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let mut model = CatalogueModel {
        name: name.replace(' ', "-"),
        catalogue: catalogue.name.clone(),
        licence: catalogue.licence.clone(),
        is_archive: true,
        files: vec![CatalogueFile {
            name: name.into_owned(),
            source: Source::Local(path.to_owned()),
            is_gzip: false,
            num_bytes: None,
            sha256: None,
        }],
        ..CatalogueModel::default()
    };
    match described_model(path) {
        Ok(found) => {
            (model.sources, model.targets) = (found.sources, found.targets);
            model.kind = found.format;
            model.num_bytes = Some(found.num_bytes);
            model.num_parameters = found.num_parameters;
            if !found.licence.is_empty() {
                model.licence = found.licence;
            }
        }
        Err(error) => model.problem = Some(error.to_string()),
    }
    model.check(catalogue);
    model
}
