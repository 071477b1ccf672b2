//! Files of safetensors: a header in JSON that says where each tensor lies behind it.
//!
//! Source: <https://github.com/huggingface/safetensors>, section "Format".

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use serde::Deserialize;

use crate::blocks::Kind;
use crate::weights::{Mapped, Tensor};

/// Bytes of a header.
const MOST_BYTES: u64 = 100_000_000;

/// The key of what is no tensor.
const METADATA: &str = "__metadata__";

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// Tensors of a file by their names; the kinds of those whose numbers are not known here.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub tensors: BTreeMap<String, Tensor>,
    pub unknown: BTreeMap<String, String>,
}

/// Reads the header of the model's file of this number.
///
/// # Errors
/// [`Error::LanguageModel`] with the tensor, if the header contradicts its form or the file's length.
pub(super) fn read(file: &Mapped, number: usize) -> Result<Contents> {
    let refuse = |field: &str, problem: String| Error::LanguageModel {
        field: field.to_owned(),
        problem,
        path: file.path.clone(),
    };
    let in_header = |problem: String| refuse("header", problem);
    let bytes: &[u8] = &file.bytes;
    let (length, rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| in_header(format!("the file has {} bytes", bytes.len())))?;
    let length = u64::from_le_bytes(*length);
    let header = usize::try_from(length.min(MOST_BYTES + 1)).ok();
    let parts = header.and_then(|length| rest.split_at_checked(length));
    let Some((header, data)) = parts.filter(|_| length <= MOST_BYTES) else {
        return Err(in_header(format!(
            "it has {length} bytes in a file of {}",
            bytes.len()
        )));
    };
    let start = bytes.len() - data.len();
    let entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|error| in_header(error.to_string()))?;
    let mut contents = Contents::default();
    for (name, entry) in entries {
        if name == METADATA {
            continue;
        }
        let entry: Entry =
            serde_json::from_value(entry).map_err(|error| refuse(&name, error.to_string()))?;
        let Some(kind) = kind(&entry.dtype) else {
            contents.unknown.insert(name, entry.dtype);
            continue;
        };
        let tensor = tensor(&entry, kind, data.len());
        let mut tensor = tensor.map_err(|problem| refuse(&name, problem))?;
        tensor.file = number;
        tensor.bytes = tensor.bytes.start + start..tensor.bytes.end + start;
        contents.tensors.insert(name, tensor);
    }
    Ok(contents)
}

fn kind(dtype: &str) -> Option<Kind> {
    match dtype {
        "F32" => Some(Kind::F32),
        "F16" => Some(Kind::F16),
        "BF16" => Some(Kind::BF16),
        _ => None,
    }
}

/// The tensor, its bytes counted from the end of the header.
fn tensor(entry: &Entry, kind: Kind, length: usize) -> Result<Tensor, String> {
    let Entry {
        shape,
        data_offsets: [begin, end],
        ..
    } = entry;
    let size = |count: &u64| usize::try_from(*count).ok().filter(|count| *count > 0);
    let columns = shape.last().map_or(Some(1), size);
    let rows = shape.split_last().map_or(&[][..], |(_, rest)| rest);
    let rows = rows
        .iter()
        .try_fold(1_usize, |rows, count| rows.checked_mul(size(count)?));
    let bytes = || {
        let numbers = rows?.checked_mul(columns?)?;
        let [begin, end] = [size_of_offset(*begin)?, size_of_offset(*end)?];
        let is_whole = end.checked_sub(begin) == numbers.checked_mul(kind.bytes());
        (is_whole && end <= length).then_some(begin..end)
    };
    let (Some(bytes), Some(rows), Some(columns)) = (bytes(), rows, columns) else {
        return Err(format!(
            "its shape {shape:?} of {} does not fit bytes {begin} to {end} of {length}",
            entry.dtype
        ));
    };
    Ok(Tensor {
        kind,
        columns,
        rows,
        file: 0,
        bytes,
    })
}

fn size_of_offset(offset: u64) -> Option<usize> {
    usize::try_from(offset).ok()
}
