//! Named numbers, as another program stored them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, Metadata};

use super::bytes::Bytes;
use super::floats::{FloatKind, Floats};
use crate::error::{Error, Result};
use crate::weights::words;

/// Numbers of any rank, the last axis fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The numbers, row by row.
    pub numbers: Numbers,
}

/// Numbers, of the kinds that weights come in.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Floats of 16, 32 or 64 bits, where they are stored.
    Floats(Floats),
    /// Bytes, of which quantised weights are made.
    Bytes(Vec<u8>),
    /// Integers of 32 or 64 bits.
    Integers(Vec<i64>),
    /// Not read; the name of the kind in the file.
    Other(String),
}

impl Numbers {
    fn kind(&self) -> &str {
        match self {
            Self::Floats(_) => "floats",
            Self::Bytes(_) => "bytes",
            Self::Integers(_) => "integers",
            Self::Other(kind) => kind,
        }
    }
}

/// The arrays of a model by name; a caller that needs one takes it out.
#[derive(Debug)]
pub struct Tensors {
    path: PathBuf,
    arrays: BTreeMap<String, Array>,
}

impl Tensors {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            arrays: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, arrays: BTreeMap<String, Array>) -> Result<()> {
        for (name, array) in arrays {
            if self.arrays.contains_key(&name) {
                return Err(self.refuse(format!("two files have a tensor {name}")));
            }
            self.arrays.insert(name, array);
        }
        Ok(())
    }

    /// The remaining tensors, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Array)> {
        let arrays = self.arrays.iter();
        arrays.map(|(name, array)| (name.as_str(), array))
    }

    /// Returns whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The shape of a tensor that has not been taken yet; sizes that no configuration has are read off one.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn shape(&self, name: &str) -> Result<&[usize]> {
        let array = self.arrays.get(name);
        let array = array.ok_or_else(|| self.refuse(format!("tensor {name} is missing")))?;
        Ok(&array.shape)
    }

    /// Takes floats out and reads them.
    ///
    /// # Errors
    /// As [`Self::take_unread`].
    pub fn take_floats(&mut self, name: &str, expected: &[usize]) -> Result<Vec<f32>> {
        self.take_unread(name, expected)?.values()
    }

    /// Takes floats out, which stay where they are stored.
    ///
    /// # Errors
    /// If there is no such tensor, it has another shape or other numbers, or one of them is not finite.
    pub fn take_unread(&mut self, name: &str, expected: &[usize]) -> Result<Floats> {
        match self.take(name, expected)? {
            Numbers::Floats(numbers) => match numbers.not_finite(name)? {
                Some(problem) => Err(self.refuse(format!("tensor {problem}"))),
                None => Ok(numbers),
            },
            other => Err(self.unlike(name, &other, "floats")),
        }
    }

    /// Takes bytes out.
    ///
    /// # Errors
    /// If there is no such tensor, or it has another shape or other numbers.
    pub fn take_bytes(&mut self, name: &str, expected: &[usize]) -> Result<Vec<u8>> {
        match self.take(name, expected)? {
            Numbers::Bytes(numbers) => Ok(numbers),
            other => Err(self.unlike(name, &other, "bytes")),
        }
    }

    /// Takes integers out.
    ///
    /// # Errors
    /// If there is no such tensor, or it has another shape or other numbers.
    pub fn take_integers(&mut self, name: &str, expected: &[usize]) -> Result<Vec<i64>> {
        match self.take(name, expected)? {
            Numbers::Integers(numbers) => Ok(numbers),
            other => Err(self.unlike(name, &other, "integers")),
        }
    }

    fn take(&mut self, name: &str, expected: &[usize]) -> Result<Numbers> {
        let found = self.shape(name)?;
        if found != expected {
            let reason = format!("tensor {name} has shape {found:?}, expected is {expected:?}");
            return Err(self.refuse(reason));
        }
        let array = self.arrays.remove(name).expect("it has a shape");
        Ok(array.numbers)
    }

    fn unlike(&self, name: &str, found: &Numbers, expected: &str) -> Error {
        let kind = found.kind();
        self.refuse(format!(
            "tensor {name} holds {kind}, expected are {expected}"
        ))
    }

    pub(super) fn refuse(&self, reason: String) -> Error {
        Error::Foreign {
            reason,
            path: self.path.clone(),
        }
    }
}

pub(super) fn read_safetensors(bytes: &Bytes) -> Result<BTreeMap<String, Array>, String> {
    let (metadata, data) = safetensors_header(bytes)?;
    let tensors = metadata.tensors();
    let arrays = tensors.into_iter().map(|(name, info)| {
        let kind = match info.dtype {
            Dtype::F16 => "f2",
            Dtype::BF16 => "bf16",
            Dtype::F32 => "f4",
            Dtype::F64 => "f8",
            Dtype::U8 => "u1",
            Dtype::I32 => "i4",
            Dtype::I64 => "i8",
            other => &format!("{other:?}"),
        };
        let (first, end) = info.data_offsets;
        let part = data.part(first as u64..end as u64);
        let part = part.ok_or_else(|| format!("tensor {name} is cut off"))?;
        let array = Array {
            shape: info.shape.clone(),
            numbers: numbers(kind, &part)?,
        };
        Ok((name, array))
    });
    arrays.collect()
}

/// The header of a file with the bytes after it.
fn safetensors_header(bytes: &Bytes) -> Result<(Metadata, Bytes), String> {
    let mut fields = bytes.fields();
    let size = u64::from_le_bytes(fields.array()?);
    let size = usize::try_from(size).map_err(|error| error.to_string())?;
    let metadata: Metadata = serde_json::from_slice(&fields.take(size)?)
        .map_err(|error| format!("its header is damaged: {error}"))?;
    let (first, length) = (8 + size as u64, metadata.data_len() as u64);
    match bytes.part(first..bytes.len()) {
        Some(data) if data.len() == length => Ok((metadata, data)),
        _ => Err(format!(
            "it has {} bytes and should have {}",
            bytes.len(),
            first + length
        )),
    }
}

/// Little-endian numbers of a kind by its name in NumPy; floats are not read yet.
pub(super) fn numbers(kind: &str, bytes: &Bytes) -> Result<Numbers, String> {
    let floats = |kind| Ok(Numbers::Floats(Floats::new(bytes.clone(), kind)));
    let read = || bytes.read().map_err(|error| error.to_string());
    match kind {
        "f2" => floats(FloatKind::Half),
        "bf16" => floats(FloatKind::Brain),
        "f4" => floats(FloatKind::Single),
        "f8" => floats(FloatKind::Double),
        // A text, where bytes have a sign.
        "u1" | "i1" => read().map(Numbers::Bytes),
        "i4" => read().map(|bytes| {
            let numbers = words(&bytes).map(|word| i32::from_le_bytes(word).into());
            Numbers::Integers(numbers.collect())
        }),
        "i8" => {
            read().map(|bytes| Numbers::Integers(words(&bytes).map(i64::from_le_bytes).collect()))
        }
        other => Ok(Numbers::Other(other.to_owned())),
    }
}
