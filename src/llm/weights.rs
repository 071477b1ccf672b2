//! Tensors in files that are mapped into memory: they stay where they are on the disk until they are computed with.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use memmap2::Mmap;

use super::blocks::Kind;

/// A tensor of a file: rows of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// How its numbers are stored.
    pub kind: Kind,
    /// Numbers of a row, as of a matrix `[rows, columns]`.
    pub columns: usize,
    /// Product of all other dimensions.
    pub rows: usize,
    /// Number of its file among those of the model.
    pub file: usize,
    /// Its bytes in the file.
    pub bytes: Range<usize>,
}

/// A file whose bytes are read from the disk when they are needed.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub bytes: Arc<Mmap>,
    pub path: PathBuf,
}

impl Mapped {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        // SAFETY: The mapping is private and read only. A program that shortens the file meanwhile ends this one with a
        // signal, as it ends every program that maps files; all offsets are checked against the length mapped here.
        #[expect(unsafe_code, reason = "a mapped file may change, as said above")]
        let bytes = unsafe { Mmap::map(&file) }.map_err(Error::read(path))?;
        Ok(Self {
            bytes: Arc::new(bytes),
            path: path.to_owned(),
        })
    }
}

/// The tensors of a model, by the names that its files give them.
#[derive(Debug)]
pub struct Weights {
    files: Vec<Mapped>,
    tensors: BTreeMap<String, Tensor>,
    /// Tensors of kinds that are not known here, and their kinds.
    unknown: BTreeMap<String, String>,
    /// The file or folder that errors name.
    path: PathBuf,
}

impl Weights {
    pub(crate) fn new(
        path: &Path,
        files: Vec<Mapped>,
        tensors: BTreeMap<String, Tensor>,
        unknown: BTreeMap<String, String>,
    ) -> Self {
        Self {
            files,
            tensors,
            unknown,
            path: path.to_owned(),
        }
    }

    /// All tensors, by name.
    pub fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }

    /// The bytes of a tensor of these.
    pub fn bytes(&self, tensor: &Tensor) -> &[u8] {
        &self.files[tensor.file].bytes[tensor.bytes.clone()]
    }

    /// Number of numbers in all tensors.
    pub fn num_parameters(&self) -> u64 {
        let tensors = self.tensors.values();
        tensors.map(|it| (it.rows * it.columns) as u64).sum()
    }

    /// An error about a tensor.
    pub(crate) fn problem(&self, name: &str, problem: impl Into<String>) -> Error {
        let file = self.tensors.get(name).map(|it| &self.files[it.file].path);
        Error::LanguageModel {
            field: name.to_owned(),
            problem: problem.into(),
            path: file.unwrap_or(&self.path).clone(),
        }
    }

    /// Whether there is a tensor of this name, of whatever kind.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name) || self.is_unknown(name)
    }

    /// Whether its numbers are of a kind that is not known here.
    pub(crate) fn is_unknown(&self, name: &str) -> bool {
        self.unknown.contains_key(name)
    }

    /// The error that a tensor is not to be had.
    pub(crate) fn missing(&self, name: &str) -> Error {
        let problem = match self.unknown.get(name) {
            Some(kind) => format!("its numbers are {kind}, which is not known here"),
            None => "it is missing".to_owned(),
        };
        self.problem(name, problem)
    }
}
