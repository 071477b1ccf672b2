//! A safetensors file whose tensors are read one at a time.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::tensor::{Dtype, TensorInfo};

use super::kept::KeptTensors;
use super::kept_file::KeptFile;
use super::outline::Header;
use super::tensors::{SCALES, current_name, not_finite_at};
use crate::error::{Error, Result};
use canopy_kernels::packed::Kept;

/// Bytes that are read at a time.
const PART: usize = 1 << 18;

/// An open file of 8-, 16- or 32-bit numbers. Its tensors can be read as long as it is not changed; one that takes its name
/// changes nothing.
#[derive(Debug)]
pub(super) struct TensorFile {
    file: KeptFile,
    /// By the names that parameters have now.
    tensors: BTreeMap<String, Stored>,
}

/// Where a tensor is in its file.
#[derive(Debug)]
struct Stored {
    shape: Vec<usize>,
    kind: Kind,
    bytes: Range<u64>,
}

#[derive(Debug)]
enum Kind {
    Floats,
    Halves,
    /// With the scale of each row.
    Bytes(Vec<f32>),
}

impl Kind {
    /// Bytes of a number.
    fn width(&self) -> usize {
        match self {
            Self::Floats => 4,
            Self::Halves => 2,
            Self::Bytes(_) => 1,
        }
    }
}

impl Stored {
    fn columns(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

impl TensorFile {
    /// Reads what the file says of its tensors.
    ///
    /// # Errors
    /// If the file is missing, truncated or holds numbers of another kind.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let Header {
            file,
            metadata,
            data,
        } = Header::read(path)?;
        let mut opened = Self {
            file: KeptFile::new(file, path)?,
            tensors: BTreeMap::new(),
        };
        let infos = metadata.tensors();
        let names = infos.keys().filter(|name| !name.ends_with(SCALES));
        for name in names {
            let stored = opened.stored(name, &infos, data)?;
            opened.tensors.insert(current_name(name), stored);
        }
        Ok(opened)
    }

    /// Whether matrices have 8 bits.
    pub(super) fn is_in_8_bits(&self) -> bool {
        let mut tensors = self.tensors.values();
        tensors.any(|stored| matches!(stored.kind, Kind::Bytes(_)))
    }

    fn stored(
        &self,
        name: &str,
        infos: &HashMap<String, &TensorInfo>,
        data: u64,
    ) -> Result<Stored> {
        let float = |info: &TensorInfo| match info.dtype {
            Dtype::F32 => Ok(Kind::Floats),
            Dtype::F16 => Ok(Kind::Halves),
            other => Err(self.refuse(format!(
                "{name} holds {other:?} numbers, not 8-bit matrices, or 16- or 32-bit floats"
            ))),
        };
        let bytes = |info: &TensorInfo| {
            let (first, end) = info.data_offsets;
            data + first as u64..data + end as u64
        };
        let info = infos[name];
        let mut stored = Stored {
            shape: info.shape.clone(),
            kind: Kind::Floats,
            bytes: bytes(info),
        };
        if info.dtype != Dtype::I8 {
            stored.kind = float(info)?;
            return Ok(stored);
        }
        let scales = infos.get(&format!("{name}{SCALES}"));
        let scales = scales.ok_or_else(|| self.refuse(format!("{name} has no scales")))?;
        let scales = Stored {
            shape: scales.shape.clone(),
            kind: float(scales)?,
            bytes: bytes(scales),
        };
        let mut values = Vec::new();
        self.each_part(&scales, |part| {
            values.extend_from_slice(part);
            Ok(())
        })?;
        match stored.shape[..] {
            [rows, columns] if rows == values.len() && columns > 0 => {
                stored.kind = Kind::Bytes(values);
                Ok(stored)
            }
            _ => Err(self.refuse(format!("{name} has not one scale for each row"))),
        }
    }

    fn refuse(&self, reason: String) -> Error {
        Error::Weights {
            reason,
            path: self.file.path().to_owned(),
        }
    }

    /// Over all tensors.
    pub(super) fn num_parameters(&self) -> usize {
        let shapes = self.tensors.values().map(|stored| &stored.shape);
        shapes.map(|shape| shape.iter().product::<usize>()).sum()
    }

    /// The numbers of a tensor, some at a time.
    fn each_part(&self, stored: &Stored, mut each: impl FnMut(&[f32]) -> Result<()>) -> Result<()> {
        let columns = stored.columns();
        let part = match &stored.kind {
            // Whole rows.
            Kind::Bytes(_) => columns * (PART / columns).max(1),
            Kind::Floats | Kind::Halves => PART,
        };
        let all: usize = stored.shape.iter().product();
        let mut values = vec![0.0; all.min(part / stored.kind.width())];
        let mut halves = Vec::new();
        let mut first_row = 0;
        self.file.each_bytes(stored.bytes.clone(), part, |bytes| {
            let values = &mut values[..bytes.len() / stored.kind.width()];
            match &stored.kind {
                Kind::Floats => {
                    let numbers = values.iter_mut().zip(words(bytes));
                    numbers.for_each(|(value, word)| *value = f32::from_le_bytes(word));
                }
                Kind::Halves => {
                    halves.clear();
                    halves.extend(words(bytes).map(f16::from_le_bytes));
                    halves.convert_to_f32_slice(values);
                }
                Kind::Bytes(scales) => {
                    let rows = values.chunks_exact_mut(columns);
                    let rows = rows.zip(bytes.chunks_exact(columns));
                    let rows = rows.zip(&scales[first_row..]);
                    for ((values, bytes), scale) in rows {
                        let numbers = values.iter_mut().zip(bytes);
                        numbers.for_each(|(value, byte)| {
                            *value = f32::from(byte.cast_signed()) * scale;
                        });
                        first_row += 1;
                    }
                }
            }
            each(values)
        })
    }
}

impl KeptTensors for TensorFile {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|stored| stored.shape.as_slice())
    }

    fn values(&self, name: &str) -> Result<Vec<f32>> {
        let stored = &self.tensors[name];
        let mut values = Vec::with_capacity(stored.shape.iter().product());
        self.each_part(stored, |part| {
            values.extend_from_slice(part);
            Ok(())
        })?;
        Ok(values)
    }

    fn kept(&self, name: &str) -> Result<Kept> {
        let stored = &self.tensors[name];
        let bytes = stored.bytes.clone();
        Ok(match &stored.kind {
            Kind::Floats => Kept::Floats(self.values(name)?),
            Kind::Halves => {
                let mut halves = Vec::with_capacity(stored.shape.iter().product());
                self.file.each_bytes(bytes, PART, |bytes| {
                    halves.extend(words(bytes).map(f16::from_le_bytes));
                    Ok(())
                })?;
                Kept::Halves(halves)
            }
            Kind::Bytes(scales) => {
                let mut numbers = Vec::with_capacity(stored.shape.iter().product());
                self.file.each_bytes(bytes, PART, |bytes| {
                    numbers.extend(bytes.iter().map(|byte| byte.cast_signed()));
                    Ok(())
                })?;
                Kept::Bytes {
                    bytes: numbers,
                    scales: scales.clone(),
                }
            }
        })
    }

    fn check_finite(&self, name: &str) -> Result<()> {
        let stored = &self.tensors[name];
        let all = stored.shape.iter().product();
        let mut before = 0;
        self.each_part(stored, |part| {
            if let Some(problem) = not_finite_at(name, part, (before, all)) {
                return Err(self.refuse(problem));
            }
            before += part.len();
            Ok(())
        })
    }
}

/// Little-endian words, one after the other.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    let (words, _) = bytes.as_chunks::<N>();
    words.iter().copied()
}
