//! Files of `torch.save` with a state dictionary: a zip file of a pickle and its storages, or, before PyTorch 1.6, several
//! pickles one after the other and then the storages.

use std::collections::BTreeMap;

use super::bytes::Bytes;
use super::packed::Packed;
use super::pickle::{PickledTensor, read_state, read_texts, skip};
use super::tensors::{Array, Numbers, numbers};

const PICKLE: &str = "data.pkl";

/// All tensors of a file by name.
pub(super) fn read_torch(bytes: &Bytes) -> Result<BTreeMap<String, Array>, String> {
    let begin = bytes.fields().array();
    let (tensors, storages) = if begin == Ok(*b"PK\x03\x04") {
        zipped(bytes)?
    } else {
        legacy(bytes)?
    };
    // A tensor may be in the file twice, as tied embeddings are, but a small file makes no large model.
    let mut left = 8 * usize::try_from(bytes.len()).unwrap_or(usize::MAX / 8);
    let array = |(name, tensor): (String, PickledTensor)| {
        let storage = storages.get(&tensor.storage);
        let storage = storage.ok_or_else(|| format!("storage {} is missing", tensor.storage));
        let array = storage.and_then(|storage| array_from_storage(&tensor, storage, &mut left));
        let array = array.map_err(|problem| format!("tensor {name}: {problem}"))?;
        Ok((name, array))
    };
    tensors.into_iter().map(array).collect()
}

type Pickled = (BTreeMap<String, PickledTensor>, BTreeMap<String, Bytes>);

fn zipped(bytes: &Bytes) -> Result<Pickled, String> {
    let most = bytes.len();
    let mut packed = Packed::within(bytes)?;
    let names = packed.names();
    let find = |name: &str| {
        let found = names.iter().find(|(_, found)| found == name);
        found.map(|&(entry, _)| entry)
    };
    let pickle = names
        .iter()
        .find(|(_, name)| name.rsplit('/').next() == Some(PICKLE));
    let (entry, name) = pickle.ok_or_else(|| format!("there is no {PICKLE} in it"))?;
    let root = name.strip_suffix(PICKLE).unwrap_or_default();
    if let Some(entry) = find(&format!("{root}byteorder"))
        && read(&packed.read(entry, 16)?)? != b"little"
    {
        return Err("its numbers are big-endian; save it on a little-endian machine".to_owned());
    }
    let (tensors, _) = read_state(&read(&packed.read(*entry, most)?)?)?;
    let mut storages = BTreeMap::new();
    for tensor in tensors.values() {
        if storages.contains_key(&tensor.storage) {
            continue;
        }
        let entry = find(&format!("{root}data/{}", tensor.storage));
        let entry = entry.ok_or_else(|| format!("storage {} is missing", tensor.storage))?;
        storages.insert(tensor.storage.clone(), packed.read(entry, most)?);
    }
    Ok((tensors, storages))
}

fn read(bytes: &Bytes) -> Result<Vec<u8>, String> {
    bytes.read().map_err(|error| error.to_string())
}

fn legacy(bytes: &Bytes) -> Result<Pickled, String> {
    /// Enough for the pickles of any model that is published; storages are not read.
    const PICKLES: u64 = 16 << 20;
    let begin = bytes.part(0..PICKLES.min(bytes.len())).expect("inside");
    let begin = read(&begin)?;
    let mut rest = begin.as_slice();
    // Magic number, version of the protocol, sizes of the writer's numbers.
    for _ in 0..3 {
        let read = skip(rest)?;
        rest = &rest[read..];
    }
    let (tensors, read) = read_state(rest)?;
    rest = &rest[read..];
    let (names, read) = read_texts(rest)?;
    let mut at = (begin.len() - rest.len() + read) as u64;
    let kinds: BTreeMap<&str, &str> = tensors
        .values()
        .map(|tensor| (tensor.storage.as_str(), tensor.kind))
        .collect();
    let mut storages = BTreeMap::new();
    for name in names {
        let cut_off = || format!("storage {name} is cut off");
        let kind = kinds.get(name.as_str());
        let kind = kind.ok_or_else(|| format!("no tensor says of what kind storage {name} is"))?;
        let after = bytes.part(at..bytes.len()).ok_or_else(cut_off)?;
        let count = after.fields().array().ok().ok_or_else(cut_off)?;
        let count = u64::try_from(i64::from_le_bytes(count));
        let length = count.ok().and_then(|it| it.checked_mul(width(kind) as u64));
        let end = length.and_then(|length| length.checked_add(8));
        let end = end.ok_or_else(cut_off)?;
        let storage = after.part(8..end).ok_or_else(cut_off)?;
        storages.insert(name, storage);
        at += end;
    }
    Ok((tensors, storages))
}

/// Bytes of a number.
fn width(kind: &str) -> usize {
    match kind {
        "u1" => 1,
        "f2" | "bf16" => 2,
        "f8" | "i8" => 8,
        _ => 4,
    }
}

fn array_from_storage(
    tensor: &PickledTensor,
    storage: &Bytes,
    left: &mut usize,
) -> Result<Array, String> {
    let PickledTensor {
        kind,
        offset,
        shape,
        strides,
        ..
    } = tensor;
    let width = width(kind);
    let stored = usize::try_from(storage.len()).unwrap_or(usize::MAX);
    let outside = || format!("shape {shape:?} does not fit its storage");
    if strides.len() != shape.len() {
        return Err(outside());
    }
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &size| count.checked_mul(size))
        .filter(|count| count * width <= stored && count * width <= *left)
        .ok_or_else(outside)?;
    *left -= count * width;
    let last = shape
        .iter()
        .zip(strides)
        .try_fold(*offset, |last, (&size, &stride)| {
            last.checked_add(size.saturating_sub(1).checked_mul(stride)?)
        });
    if count > 0 && last.is_none_or(|last| last >= stored / width) {
        return Err(outside());
    }
    let bytes = if is_contiguous(shape, strides) {
        storage
            .part((offset * width) as u64..((offset + count) * width) as u64)
            .ok_or_else(outside)?
    } else {
        let storage = read(storage)?;
        gathered(&storage, width, (*offset, count), shape, strides).into()
    };
    match numbers(kind, &bytes)? {
        Numbers::Other(kind) => Err(format!("its numbers are {kind}")),
        numbers => Ok(Array {
            shape: shape.clone(),
            numbers,
        }),
    }
}

fn is_contiguous(shape: &[usize], strides: &[usize]) -> bool {
    let mut expected = 1;
    shape.iter().zip(strides).rev().all(|(&size, &stride)| {
        let fits = size <= 1 || stride == expected;
        expected *= size;
        fits
    })
}

/// The numbers of a view, such as a transposed matrix; all of them are in bounds.
fn gathered(
    storage: &[u8],
    width: usize,
    (offset, count): (usize, usize),
    shape: &[usize],
    strides: &[usize],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * width);
    for number in 0..count {
        let (mut rest, mut place) = (number, offset);
        for (&size, &stride) in shape.iter().zip(strides).rev() {
            place += rest % size * stride;
            rest /= size;
        }
        bytes.extend_from_slice(&storage[place * width..][..width]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(offset: usize, shape: &[usize], strides: &[usize]) -> PickledTensor {
        PickledTensor {
            storage: "0".to_owned(),
            kind: "f4",
            offset,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
        }
    }

    fn read(tensor: &PickledTensor) -> Result<Vec<f32>, String> {
        let storage: Vec<u8> = (0..6_u8)
            .flat_map(|number| f32::from(number).to_le_bytes())
            .collect();
        let array = array_from_storage(tensor, &storage.into(), &mut 1000)?;
        match array.numbers {
            Numbers::Floats(numbers) => numbers.values().map_err(|error| error.to_string()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn views_of_a_storage_are_read_in_their_own_order() {
        let turned = read(&tensor(0, &[3, 2], &[1, 3])).expect("a transposed matrix");
        assert_eq!(turned, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        let row = read(&tensor(3, &[1, 3], &[99, 1])).expect("a row");
        assert_eq!(row, [3.0, 4.0, 5.0]);
        assert_eq!(read(&tensor(5, &[], &[])), Ok(vec![5.0]));
    }

    #[test]
    fn views_outside_their_storage_are_refused() {
        let most = usize::MAX;
        for tensor in [
            tensor(1, &[2, 3], &[3, 1]),
            tensor(0, &[2, 3], &[4, 1]),
            tensor(0, &[most, most], &[1, 1]),
            tensor(most, &[1], &[1]),
            tensor(0, &[2], &[most]),
            tensor(0, &[1000], &[0]),
            tensor(0, &[2, 3], &[1]),
        ] {
            assert!(read(&tensor).is_err(), "{tensor:?}");
        }
    }
}
