//! NumPy's files: npz, a zip file of npy, each an array after a short header.
//!
//! The header is a Python dictionary, such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }`; see
//! `numpy.lib.format`, versions 1 to 3. The crate `npyz` parses it as a nested Python literal, so that a hostile file can
//! exhaust the stack; only the three flat values are looked for here.

use std::collections::BTreeMap;

use super::bytes::Bytes;
use super::packed::Packed;
use super::tensors::{Array, Numbers, numbers};

const MAGIC: &[u8] = b"\x93NUMPY";

pub(super) fn read_npz(bytes: &Bytes) -> Result<BTreeMap<String, Array>, String> {
    let mut packed = Packed::within(bytes)?;
    let names = packed.names().into_iter();
    let arrays = names.map(|(entry, file)| {
        let name = file.strip_suffix(".npy").unwrap_or(&file);
        let array = packed
            .read(entry, u64::MAX)
            .and_then(|bytes| read_npy(&bytes));
        let array = array.map_err(|problem| format!("tensor {name}: {problem}"))?;
        Ok((name.to_owned(), array))
    });
    arrays.collect()
}

fn read_npy(bytes: &Bytes) -> Result<Array, String> {
    let damaged = || "its npy header is damaged".to_owned();
    let (header, data) = split(bytes).ok_or_else(damaged)?;
    let header = header.as_str();
    let kind = value(header, "descr").ok_or_else(damaged)?;
    let shape = value(header, "shape").and_then(sizes).ok_or_else(damaged)?;
    let columns_first = value(header, "fortran_order").ok_or_else(damaged)? == "True";
    if kind.contains('O') {
        return Err(
            "it holds Python objects, which are pickled, and reading them can run any program; save it as an array of \
             numbers"
                .to_owned(),
        );
    }
    if columns_first && shape.len() > 1 {
        return Err(
            "its columns come first (fortran_order); save it after numpy.ascontiguousarray"
                .to_owned(),
        );
    }
    let little_endian = kind.trim_start_matches(['<', '|']);
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &size| count.checked_mul(size));
    let (numbers, width) = match numbers(little_endian, &data)? {
        Numbers::Other(_) => {
            return Ok(Array {
                shape,
                numbers: Numbers::Other(kind.to_owned()),
            });
        }
        known => (known, width(little_endian)),
    };
    let expected = count.and_then(|count| count.checked_mul(width));
    if expected.map(|bytes| bytes as u64) != Some(data.len()) {
        let found = data.len();
        return Err(format!(
            "shape {shape:?} of {kind} does not fit its {found} bytes"
        ));
    }
    Ok(Array { shape, numbers })
}

/// Bytes of a number whose kind ends in them, such as `f4`.
fn width(kind: &str) -> usize {
    kind[1..].parse().unwrap_or(1)
}

/// Header and data.
fn split(bytes: &Bytes) -> Option<(String, Bytes)> {
    let mut fields = bytes.fields();
    let magic: [u8; MAGIC.len()] = fields.array().ok()?;
    if magic != MAGIC {
        return None;
    }
    let [version, _] = fields.array().ok()?;
    let length = match version {
        1 => usize::from(u16::from_le_bytes(fields.array().ok()?)),
        2 | 3 => usize::try_from(u32::from_le_bytes(fields.array().ok()?)).ok()?,
        _ => return None,
    };
    let header = String::from_utf8(fields.take(length).ok()?).ok()?;
    Some((header, fields.rest()))
}

/// The value of a key: the content of quotes, brackets with theirs, or a word.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    let rest = rest.trim_start();
    match rest.chars().next()? {
        '\'' => rest[1..].split('\'').next(),
        '(' => rest.find(')').map(|end| &rest[..=end]),
        '[' => rest.find(']').map(|end| &rest[..=end]),
        _ => rest.split([',', '}']).next().map(str::trim),
    }
}

/// The sizes in `(3, 5)`, `(3,)` or `()`.
fn sizes(tuple: &str) -> Option<Vec<usize>> {
    let inside = tuple.strip_prefix('(')?.strip_suffix(')')?;
    let sizes = inside.split(',').map(str::trim);
    sizes
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().ok())
        .collect()
}
