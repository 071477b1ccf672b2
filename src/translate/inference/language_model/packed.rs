//! Language models in zip files. They are unpacked before they are opened: weights stay on the disk until they are needed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use canopy_llm::LanguageModel;
use canopy_models::interchange::{Archive, EachPart};
use tempfile::TempDir;

const CONFIG: &str = "config.json";

/// A zip file with a language model: a folder of Hugging Face, or a GGUF file.
pub(in crate::inference) struct PackedLanguageModel {
    archive: Archive,
    /// Its folder or file in the archive; empty where the uppermost folder is it.
    place: String,
}

impl PackedLanguageModel {
    /// The language model in a zip file; none if there is none, or the path is another file.
    pub(crate) fn find(path: &Path) -> Option<Self> {
        let is_zip = path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("zip"));
        if !is_zip || !path.is_file() {
            return None;
        }
        let mut archive = Archive::open(path).ok()?;
        let config = archive.bytes(CONFIG);
        let is_folder = config.is_ok_and(|text| LanguageModel::is_config(&text));
        let folder = archive.find(CONFIG).filter(|_| is_folder);
        let folder = folder.and_then(|name| name.strip_suffix(CONFIG));
        let has_weights = archive.find("*.safetensors").is_some();
        let file = archive.find("*.gguf");
        let place = match (folder, file) {
            (Some(folder), _) if has_weights => folder,
            (_, Some(file)) => file,
            (folder, None) => folder?,
        };
        let place = place.to_owned();
        Some(Self { archive, place })
    }

    /// Bytes of all files.
    pub(crate) fn num_bytes(&mut self) -> u64 {
        self.archive.num_bytes()
    }

    /// Writes all files below a folder; gives the file or folder of the model there, or none if `each` breaks it off.
    ///
    /// # Errors
    /// If the archive is damaged, unpacks to far more than it is, or cannot be written.
    pub(crate) fn unpack(&mut self, folder: &Path, each: EachPart<'_>) -> Result<Option<PathBuf>> {
        let unpacked = self.archive.unpack(folder, each)?;
        Ok(unpacked
            .is_continue()
            .then(|| folder.join(self.place.trim_end_matches('/'))))
    }
}

/// The files of a language model on the disk: where they are, or where those of a zip file were unpacked, which are deleted with
/// this.
#[derive(Debug)]
pub struct LanguageModelFiles {
    path: PathBuf,
    _unpacked: Option<TempDir>,
}

impl LanguageModelFiles {
    /// Unpacks a zip file with a language model into a temporary folder; any other path stays as it is.
    ///
    /// # Errors
    /// If the zip file is damaged, or there is no room for its files.
    pub fn unpack(path: &Path) -> Result<Self> {
        let Some(mut packed) = PackedLanguageModel::find(path) else {
            return Ok(Self {
                path: path.to_owned(),
                _unpacked: None,
            });
        };
        let _entered = ::tracing::info_span!("unpack language model", ?path).entered();
        let place = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("canopy-model-")
            .tempdir_in(&place)
            .map_err(Error::write(&place))?;
        let found = packed.unpack(folder.path(), &mut |_| ControlFlow::Continue(()))?;
        Ok(Self {
            path: found.unwrap_or_else(|| folder.path().to_owned()),
            _unpacked: Some(folder),
        })
    }

    /// The GGUF file, or the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
