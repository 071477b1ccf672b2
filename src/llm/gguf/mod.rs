//! Files of language models in the form of llama.cpp: metadata, then tensors, aligned for memory mapping.
//!
//! Source: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3.

mod cursor;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use cursor::{Cursor, Read};
use memmap2::Mmap;
pub use value::Value;

use super::blocks::Kind;
use super::texts::Texts;
use super::weights::{Mapped, Tensor, Weights};

const MAGIC: &[u8; 4] = b"GGUF";

/// Alignment of tensors in bytes, unless the file gives another one.
const ALIGNMENT: i64 = 32;

/// An open file; its tensors stay where they are on the disk until they are read.
#[derive(Debug)]
pub struct Gguf {
    bytes: Arc<Mmap>,
    metadata: BTreeMap<String, Value>,
    weights: Arc<Weights>,
    path: PathBuf,
}

/// A field of the file and its problem.
struct Problem(String, String);

/// For `map_err`: a problem of `field`.
fn in_field(field: impl Into<String>) -> impl FnOnce(String) -> Problem {
    move |problem| Problem(field.into(), problem)
}

impl Gguf {
    /// Opens a file and reads its metadata and the list of its tensors.
    ///
    /// # Errors
    /// [`BaseError::Read`](canopy_base::error::Error::Read); [`Error::LanguageModel`] with the field, if anything in the file contradicts its form or its length.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = Mapped::open(path)?;
        let bytes = Arc::clone(&file.bytes);
        let read = read(&bytes);
        let (metadata, tensors) = read.map_err(|Problem(field, problem)| Error::LanguageModel {
            field,
            problem,
            path: path.to_owned(),
        })?;
        let weights = Weights::new(path, vec![file], tensors, BTreeMap::new());
        Ok(Self {
            bytes,
            metadata,
            weights: Arc::new(weights),
            path: path.to_owned(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The values that the file states, by their keys, such as `general.architecture`.
    pub fn metadata(&self) -> &BTreeMap<String, Value> {
        &self.metadata
    }

    /// Its tensors.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// An error about `field` of this file.
    pub(crate) fn problem(&self, field: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::LanguageModel {
            field: field.into(),
            problem: problem.into(),
            path: self.path.clone(),
        }
    }

    fn wrong_kind(&self, key: &str, value: &Value, expected: &str) -> Error {
        self.problem(key, format!("it is {}, not {expected}", value.kind()))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&str>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(value) => Err(self.wrong_kind(key, value, "a text")),
        }
    }

    pub(crate) fn bool(&self, key: &str) -> Result<Option<bool>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(value) => Err(self.wrong_kind(key, value, "true or false")),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "networks compute in 32 bits"
    )]
    pub(crate) fn float(&self, key: &str) -> Result<Option<f32>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Float(value)) if value.is_finite() => Ok(Some(*value as f32)),
            Some(Value::Float(value)) => Err(self.problem(key, format!("it is {value}"))),
            Some(value) => Err(self.wrong_kind(key, value, "a number")),
        }
    }

    /// A count between 1 and `most`.
    pub(crate) fn count(&self, key: &str, most: usize) -> Result<Option<usize>> {
        let value = match self.metadata.get(key) {
            None => return Ok(None),
            Some(Value::Integer(value)) => *value,
            // One number for each layer; networks here have the same in all.
            Some(Value::Integers(values)) if values.windows(2).all(|pair| pair[0] == pair[1]) => {
                values.first().copied().unwrap_or_default()
            }
            Some(value) => return Err(self.wrong_kind(key, value, "an integer")),
        };
        let count = usize::try_from(value).ok();
        match count.filter(|count| (1..=most).contains(count)) {
            Some(count) => Ok(Some(count)),
            None => Err(self.problem(key, format!("it is {value}, not 1 to {most}"))),
        }
    }

    /// An id below `vocab`.
    pub(crate) fn id(&self, key: &str, vocab: usize) -> Result<Option<u32>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Integer(value)) => u32::try_from(*value)
                .ok()
                .filter(|id| (*id as usize) < vocab)
                .map(Some)
                .ok_or_else(|| self.problem(key, format!("it is {value} of {vocab} tokens"))),
            Some(value) => Err(self.wrong_kind(key, value, "an integer")),
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Option<Texts>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Texts(starts)) => Ok(Some(Texts::new(&self.bytes, starts))),
            Some(value) => Err(self.wrong_kind(key, value, "a list of texts")),
        }
    }

    pub(crate) fn floats(&self, key: &str) -> Result<Option<&[f32]>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Floats(floats)) => Ok(Some(floats)),
            Some(value) => Err(self.wrong_kind(key, value, "a list of numbers")),
        }
    }

    pub(crate) fn integers(&self, key: &str) -> Result<Option<&[i64]>> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Integers(integers)) => Ok(Some(integers)),
            Some(value) => Err(self.wrong_kind(key, value, "a list of integers")),
        }
    }

    /// A list of bytes, signed or not.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a signed byte stands for the one of the same bits"
    )]
    pub(crate) fn byte_list(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(integers) = self.integers(key)? else {
            return Ok(None);
        };
        if integers.iter().any(|it| !(-128..256).contains(it)) {
            return Err(self.problem(key, "it is no list of bytes"));
        }
        Ok(Some(integers.iter().map(|it| *it as u8).collect()))
    }

    /// `found`, or an error that says that `key` is missing.
    pub(crate) fn needed<T>(&self, key: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| self.problem(key, "it is missing"))
    }
}

type Contents = (BTreeMap<String, Value>, BTreeMap<String, Tensor>);

fn read(bytes: &[u8]) -> Result<Contents, Problem> {
    let mut from = Cursor::new(bytes);
    let magic = from.take(MAGIC.len()).map_err(in_field("beginning"))?;
    if magic != MAGIC {
        return Err(in_field("beginning")("this is no GGUF file".to_owned()));
    }
    let version = from.u32().map_err(in_field("version"))?;
    if !(2..=3).contains(&version) {
        let is_swapped = (2..=3).contains(&version.swap_bytes());
        let hint = if is_swapped { ", big-endian" } else { "" };
        return Err(in_field("version")(format!(
            "it is {version}{hint}; 2 and 3, little-endian, are known"
        )));
    }
    // Lengths, dimensions, kind and offset of a nameless tensor; key length, kind and value of metadata.
    let num_tensors = from
        .count(8 + 4 + 4 + 8)
        .map_err(in_field("number of tensors"))?;
    let num_values = from
        .count(8 + 4 + 1)
        .map_err(in_field("number of metadata"))?;
    let mut metadata = BTreeMap::new();
    for number in 0..num_values {
        let key = from.text().map_err(in_field(format!("key {number}")))?;
        let value = value::read(&mut from).map_err(in_field(key))?;
        if metadata.insert(key.to_owned(), value).is_some() {
            return Err(in_field(key)("it occurs twice".to_owned()));
        }
    }
    let alignment = alignment(&metadata).map_err(in_field("general.alignment"))?;
    let mut declared = Vec::new();
    for number in 0..num_tensors {
        let name = from
            .text()
            .map_err(in_field(format!("name of tensor {number}")))?;
        let tensor = Declared::read(&mut from).map_err(in_field(name))?;
        declared.push((name, tensor));
    }
    let start = from.place().next_multiple_of(alignment);
    let mut tensors = BTreeMap::new();
    for (name, tensor) in declared {
        let tensor = tensor.within(start, bytes.len(), alignment);
        let tensor = tensor.map_err(in_field(name))?;
        if tensors.insert(name.to_owned(), tensor).is_some() {
            return Err(in_field(name)("this tensor occurs twice".to_owned()));
        }
    }
    Ok((metadata, tensors))
}

fn alignment(metadata: &BTreeMap<String, Value>) -> Read<usize> {
    let alignment = match metadata.get("general.alignment") {
        None => ALIGNMENT,
        Some(Value::Integer(value)) => *value,
        Some(value) => return Err(format!("it is {}, not an integer", value.kind())),
    };
    usize::try_from(alignment)
        .ok()
        .filter(|it| it.is_power_of_two() && *it <= 1 << 20)
        .ok_or_else(|| format!("it is {alignment}, not a power of two"))
}

/// An entry of the list of tensors.
struct Declared {
    kind: Kind,
    shape: Vec<u64>,
    offset: u64,
}

impl Declared {
    fn read(from: &mut Cursor<'_>) -> Read<Self> {
        let num_dimensions = from.u32()?;
        if !(1..=4).contains(&num_dimensions) {
            return Err(format!("it has {num_dimensions} dimensions, not 1 to 4"));
        }
        let shape: Read<Vec<u64>> = (0..num_dimensions).map(|_| from.u64()).collect();
        let (shape, code) = (shape?, from.u32()?);
        let kind = Kind::from_code(code)
            .ok_or_else(|| format!("its numbers are of kind {code}, which is not known here"))?;
        let offset = from.u64()?;
        Ok(Self {
            kind,
            shape,
            offset,
        })
    }

    /// The tensor, if it lies in a file of `length` bytes whose tensors begin at `start`.
    fn within(&self, start: usize, length: usize, alignment: usize) -> Read<Tensor> {
        let (kind, shape) = (self.kind, &self.shape);
        let size = |count: u64| usize::try_from(count).ok();
        let columns = size(shape[0]).unwrap_or(usize::MAX);
        if columns == 0 || !columns.is_multiple_of(kind.numbers()) {
            return Err(format!(
                "its rows of {columns} numbers are no whole blocks of {}",
                kind.numbers()
            ));
        }
        let rows = shape[1..].iter().try_fold(1_usize, |rows, &count| {
            rows.checked_mul(size(count)?).filter(|rows| *rows > 0)
        });
        let end = || {
            let rows = rows?;
            let bytes = (columns / kind.numbers()).checked_mul(kind.bytes())?;
            let bytes = bytes.checked_mul(rows)?;
            let start = start.checked_add(size(self.offset)?)?;
            let end = start.checked_add(bytes).filter(|end| *end <= length)?;
            Some((rows, start..end))
        };
        let (rows, bytes) = end().ok_or_else(|| {
            format!(
                "its shape {shape:?} at offset {} does not fit in a file of {length} bytes",
                self.offset
            )
        })?;
        if !bytes.start.is_multiple_of(alignment) {
            return Err(format!(
                "its offset {} is no multiple of {alignment}",
                self.offset
            ));
        }
        Ok(Tensor {
            kind,
            columns,
            rows,
            file: 0,
            bytes,
        })
    }
}
