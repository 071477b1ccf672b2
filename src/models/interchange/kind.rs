//! Which program's model an archive holds, by its files.

use std::path::Path;

use super::archive::Archive;
use super::marian;
use super::seeming::{Seeming, seeming};
use crate::error::{Error, Result};

/// Programs whose translation models are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CTranslate2,
    Marian,
    HuggingFace,
}

/// Endings of the names of files that hold a model's weights, or say what it is.
const MAIN: [&str; 6] = [
    "model.bin",
    ".npz",
    ".alphas.bin",
    ".intgemm8.bin",
    "pytorch_model.bin",
    ".safetensors",
];

/// Which program made the model.
///
/// # Errors
/// If there is none, or there are several.
pub(super) fn kind(archive: &mut Archive) -> Result<Kind> {
    refuse_several(archive)?;
    let has = |archive: &Archive, name: &str| archive.find(name).is_some();
    if let Some(named) = archive.named().map(str::to_owned) {
        let is_settled = Path::new(&named).extension().is_some_and(|it| it == "npz")
            || is_marian(archive, &named)?;
        if is_settled {
            return Ok(Kind::Marian);
        }
        let others = ["model.bin", ".safetensors", ".npz", "pytorch_model.bin"];
        let is_shard = named.starts_with("pytorch_model-");
        if !is_shard && !others.iter().any(|ending| named.ends_with(ending)) {
            return Err(none(archive));
        }
    }
    let is_of_ctranslate2 = has(archive, "model.bin") && !has(archive, "pytorch_model.bin");
    let vocabularies = ["shared_vocabulary", "source_vocabulary"];
    let has_vocabulary = archive.names().any(|name| {
        let name = name.rsplit('/').next().unwrap_or(name);
        vocabularies.iter().any(|it| name.starts_with(it))
    });
    if is_of_ctranslate2 && has_vocabulary {
        Ok(Kind::CTranslate2)
    } else if has(archive, "decoder.yml")
        || has(archive, "*.npz")
        || !marian::binary_files(archive)?.is_empty()
    {
        Ok(Kind::Marian)
    } else if is_of_ctranslate2 {
        Ok(Kind::CTranslate2)
    } else if has(archive, "config.json") {
        Ok(Kind::HuggingFace)
    } else {
        Err(none(archive))
    }
}

fn is_marian(archive: &mut Archive, name: &str) -> Result<bool> {
    let files = marian::binary_files(archive)?;
    Ok(files.iter().any(|file| file == name))
}

/// The error of what is no model, with what it seems to be.
pub(super) fn none(archive: &mut Archive) -> Error {
    let Seeming { reason, other } = seeming(archive);
    Error::UnknownModel {
        reason,
        other,
        path: archive.path().to_owned(),
    }
}

/// Refuses folders side by side that each hold a model: their files would be mixed.
fn refuse_several(archive: &Archive) -> Result<()> {
    let is_main = |name: &&str| MAIN.iter().any(|ending| name.ends_with(ending));
    let folders = archive.names().filter(is_main);
    let folders = folders.map(|name| name.rsplit_once('/').map_or("", |(folder, _)| folder));
    let mut folders: Vec<&str> = folders.collect();
    let depth = |folder: &str| match folder {
        "" => 0,
        folder => 1 + folder.matches('/').count(),
    };
    let top = folders.iter().map(|folder| depth(folder)).min();
    folders.retain(|folder| Some(depth(folder)) == top);
    folders.dedup();
    if folders.len() < 2 {
        return Ok(());
    }
    let shown = folders.iter().take(4).copied().collect::<Vec<_>>();
    Err(archive.refuse(format!(
        "it holds {} models, in {}{}; name the folder of one of them{}",
        folders.len(),
        shown.join(", "),
        if folders.len() > shown.len() {
            ", …"
        } else {
            ""
        },
        if archive.path().is_dir() {
            ""
        } else {
            ", once it is unpacked"
        }
    )))
}
