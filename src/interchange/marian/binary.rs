//! Marian's binary files, such as `model.deen.intgemm.alphas.bin` of Bergamot and Firefox.
//!
//! As `src/common/binary.cpp` reads them. 8- and 16-bit matrices are `intgemm8` and `intgemm16`, which are laid out for no
//! processor: transposed, but for word vectors, and with the number they were multiplied by behind them. What was measured
//! of activations (`QuantMultA`) is not needed where they are not quantised.

use std::collections::BTreeMap;

use crate::interchange::encoder::transposed;
use crate::interchange::tensors::{Array, Numbers, numbers};

const VERSION: u64 = 1;

/// Numbers of `marian::Type`.
const INT8: u64 = 0x101;
const FLOAT16: u64 = 0x402;
const FLOAT32: u64 = 0x404;
const INTGEMM8: u64 = 0x1_0001;
const INTGEMM16: u64 = 0x1_0002;

/// The mark in the names of tensors that are statistics of activations.
const MEASURED: &str = "QuantMultA";

/// Word vectors are not transposed.
const WORDS: &str = "Wemb";

/// Whether a file begins as a binary one does.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&VERSION.to_le_bytes())
}

struct Header {
    name_length: usize,
    kind: u64,
    shape_length: usize,
    data_length: usize,
}

pub(super) fn read_binary(bytes: &[u8]) -> Result<BTreeMap<String, Array>, String> {
    let mut reader = Reader { rest: bytes };
    let version = reader.u64()?;
    if version != VERSION {
        return Err(format!("it is of version {version}; {VERSION} is read"));
    }
    let count = reader.size()?;
    // Every tensor has a header of so many bytes at least.
    if count > bytes.len() / 32 {
        return Err(cut_off());
    }
    let headers = (0..count).map(|_| {
        Ok(Header {
            name_length: reader.size()?,
            kind: reader.u64()?,
            shape_length: reader.size()?,
            data_length: reader.size()?,
        })
    });
    let headers = headers.collect::<Result<Vec<_>, String>>()?;
    let names = headers.iter().map(|header| {
        let name = reader.take(header.name_length)?;
        let name = name.strip_suffix(b"\0").unwrap_or(name);
        String::from_utf8(name.to_vec())
            .ok()
            .ok_or_else(|| "a name in it is no text".to_owned())
    });
    let names = names.collect::<Result<Vec<_>, String>>()?;
    let shapes = headers.iter().map(|header| {
        let sizes = (0..header.shape_length).map(|_| reader.size_of_axis());
        sizes.collect::<Result<Vec<_>, String>>()
    });
    let shapes = shapes.collect::<Result<Vec<_>, String>>()?;
    let padding = reader.size()?;
    reader.take(padding)?;
    let mut arrays = BTreeMap::new();
    for ((header, name), shape) in headers.iter().zip(names).zip(shapes) {
        let data = reader.take(header.data_length)?;
        if name.contains(MEASURED) {
            continue;
        }
        let array = array(&name, header.kind, shape, data);
        let array = array.map_err(|problem| format!("tensor {name}: {problem}"))?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

fn array(name: &str, kind: u64, shape: Vec<usize>, data: &[u8]) -> Result<Array, String> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &size| count.checked_mul(size));
    let outside = || format!("shape {shape:?} does not fit its bytes");
    let count = count
        .filter(|&count| count <= data.len())
        .ok_or_else(outside)?;
    // Data may be followed by padding.
    let of_width = |width: usize| data.get(..count * width).ok_or_else(outside);
    let numbers = match kind {
        FLOAT32 => numbers("f4", of_width(4)?),
        FLOAT16 => numbers("f2", of_width(2)?),
        INT8 => numbers("i1", of_width(1)?),
        INTGEMM8 => {
            let integers = of_width(1)?
                .iter()
                .map(|byte| f32::from(byte.cast_signed()));
            quantised(name, &shape, integers.collect(), &data[count..])?
        }
        INTGEMM16 => {
            let (words, _) = of_width(2)?.as_chunks::<2>();
            let integers = words
                .iter()
                .map(|&word| f32::from(i16::from_le_bytes(word)));
            quantised(name, &shape, integers.collect(), &data[2 * count..])?
        }
        other => {
            return Err(format!(
                "its numbers are of kind {other:#x}, which is laid out for one processor or not known; convert it with \
                 --gemm-type intgemm8 or float32"
            ));
        }
    };
    Ok(Array { shape, numbers })
}

/// Integers by the number behind them.
fn quantised(
    name: &str,
    shape: &[usize],
    mut integers: Vec<f32>,
    behind: &[u8],
) -> Result<Numbers, String> {
    let multiplier = behind.first_chunk::<4>().ok_or_else(cut_off)?;
    let multiplier = f32::from_le_bytes(*multiplier);
    if !multiplier.is_finite() || multiplier == 0.0 {
        return Err(format!("it was multiplied by {multiplier}"));
    }
    for number in &mut integers {
        *number /= multiplier;
    }
    let &[rows, columns] = shape else {
        return Err(format!("shape {shape:?} is no matrix"));
    };
    if !name.contains(WORDS) && rows > 0 {
        integers = transposed(&integers, columns);
    }
    Ok(Numbers::Floats(integers))
}

fn cut_off() -> String {
    "it is cut off".to_owned()
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(taken)
    }

    fn u64(&mut self) -> Result<u64, String> {
        let (number, rest) = self.rest.split_first_chunk::<8>().ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*number))
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.u64()?).ok().ok_or_else(cut_off)
    }

    fn size_of_axis(&mut self) -> Result<usize, String> {
        let (number, rest) = self.rest.split_first_chunk::<4>().ok_or_else(cut_off)?;
        self.rest = rest;
        let size = usize::try_from(i32::from_le_bytes(*number));
        size.ok()
            .ok_or_else(|| "a size in it is below 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tensors as Marian would save them.
    fn file(tensors: &[(&str, u64, [i32; 2], Vec<u8>)]) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.extend((tensors.len() as u64).to_le_bytes());
        for (name, kind, shape, data) in tensors {
            let numbers = [
                name.len() as u64 + 1,
                *kind,
                shape.len() as u64,
                data.len() as u64,
            ];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        for (name, ..) in tensors {
            bytes.extend(name.as_bytes());
            bytes.push(0);
        }
        for (_, _, shape, _) in tensors {
            bytes.extend(shape.iter().flat_map(|size| size.to_le_bytes()));
        }
        bytes.extend(3_u64.to_le_bytes());
        bytes.extend([0; 3]);
        bytes.extend(tensors.iter().flat_map(|(.., data)| data.clone()));
        bytes
    }

    fn tensors() -> Vec<(&'static str, u64, [i32; 2], Vec<u8>)> {
        let multiplied = |bytes: &[u8], by: f32| [bytes, &by.to_le_bytes(), &[0; 5]].concat();
        vec![
            (
                "Wemb",
                INTGEMM8,
                [2, 3],
                multiplied(&[1, 2, 3, 4, 255, 6], 2.0),
            ),
            (
                "a_W",
                INTGEMM8,
                [2, 3],
                multiplied(&[1, 4, 2, 5, 3, 6], 1.0),
            ),
            ("a_W_QuantMultA", FLOAT32, [1, 1], vec![0; 4]),
            ("a_b", FLOAT32, [1, 1], 1.5_f32.to_le_bytes().to_vec()),
        ]
    }

    #[test]
    fn matrices_are_divided_and_turned_and_word_vectors_only_divided() {
        let arrays = read_binary(&file(&tensors())).expect("a sound file");
        let names: Vec<&str> = arrays.keys().map(String::as_str).collect();
        assert_eq!(names, ["Wemb", "a_W", "a_b"]);
        let floats = |name: &str| arrays[name].numbers.clone();
        let words = vec![0.5, 1.0, 1.5, 2.0, -0.5, 3.0];
        assert_eq!(floats("Wemb"), Numbers::Floats(words));
        let turned = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(floats("a_W"), Numbers::Floats(turned));
        assert_eq!(arrays["a_W"].shape, [2, 3]);
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_cut_or_changed() {
        let whole = file(&tensors());
        for length in 0..whole.len() {
            assert!(read_binary(&whole[..length]).is_err(), "{length} bytes");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = value;
                let _ = read_binary(&bytes);
            }
        }
        let packed = vec![("a_W", 0x1801, [1, 1], vec![0; 4])];
        let problem = read_binary(&file(&packed)).expect_err("another kind");
        assert!(
            problem.contains("a_W") && problem.contains("0x1801"),
            "{problem}"
        );
    }
}
