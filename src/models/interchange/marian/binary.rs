//! Marian's binary files, such as `model.deen.intgemm.alphas.bin` of Bergamot and Firefox.
//!
//! As `src/common/binary.cpp` reads them. 8- and 16-bit matrices are `intgemm8` and `intgemm16`, which are laid out for no
//! processor: transposed, but for word vectors, and with the number they were multiplied by after them. The number by which
//! the rows are multiplied that such a matrix is multiplied with has the name of the matrix with `_QuantMultA` after it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::interchange::bytes::{Bytes, Fields};
use crate::interchange::floats::{FloatKind, Floats, Scales};
use crate::interchange::tensors::{Array, Numbers, numbers};

const VERSION: u64 = 1;

/// Numbers of `marian::Type`.
const INT8: u64 = 0x101;
const FLOAT16: u64 = 0x402;
const FLOAT32: u64 = 0x404;
const INTGEMM8: u64 = 0x1_0001;
const INTGEMM16: u64 = 0x1_0002;
/// Both kinds in the Marian of Bergamot, which writes Firefox's models.
const BERGAMOT_INTGEMM8: u64 = 0x4101;
const BERGAMOT_INTGEMM16: u64 = 0x4102;

/// The end of the names of multipliers of rows.
const ACTIVATIONS: &str = "_QuantMultA";

/// Before it, of a product with a matrix that had no name when it was measured: that of the output.
const UNNAMED: &str = "none";

/// Word vectors are not transposed.
const WORDS: &str = "Wemb";

/// Whether a file begins as a binary one does.
pub(super) fn is_binary(bytes: &Bytes) -> bool {
    bytes.fields().array() == Ok(VERSION.to_le_bytes())
}

struct Header {
    name_length: usize,
    kind: u64,
    shape_length: usize,
    data_length: usize,
}

pub(super) fn read_binary(bytes: &Bytes) -> Result<BTreeMap<String, Array>, String> {
    let mut reader = Reader {
        fields: bytes.fields(),
    };
    let version = reader.u64()?;
    if version != VERSION {
        return Err(format!("it is of version {version}; {VERSION} is read"));
    }
    let count = reader.size()?;
    // Minimum size in bytes of a tensor's header.
    if count as u64 > bytes.len() / 32 {
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
        let name = reader.fields.take(header.name_length)?;
        let name = name.strip_suffix(b"\0").unwrap_or(&name);
        String::from_utf8(name.to_vec())
            .ok()
            .ok_or_else(|| "a name in it is not text".to_owned())
    });
    let names = names.collect::<Result<Vec<_>, String>>()?;
    let shapes = headers.iter().map(|header| {
        let sizes = (0..header.shape_length).map(|_| reader.size_of_axis());
        sizes.collect::<Result<Vec<_>, String>>()
    });
    let shapes = shapes.collect::<Result<Vec<_>, String>>()?;
    let padding = reader.size()?;
    reader.fields.unread(padding)?;
    let tensors = headers.iter().zip(names).zip(shapes);
    let tensors = tensors.map(|((header, name), shape)| {
        let data = reader.fields.unread(header.data_length)?;
        Ok((name, (header.kind, shape, data)))
    });
    arrays(tensors.collect::<Result<BTreeMap<_, _>, String>>()?)
}

/// Kind, shape and bytes of a tensor.
type Tensor = (u64, Vec<usize>, Bytes);

/// The tensors that are weights, with the multipliers of the others.
fn arrays(tensors: BTreeMap<String, Tensor>) -> Result<BTreeMap<String, Array>, String> {
    let (mut activations, mut weights) = (BTreeMap::new(), BTreeMap::new());
    for (name, tensor) in tensors {
        if let Some(matrix) = name.strip_suffix(ACTIVATIONS) {
            let multiplier = activation(tensor);
            let multiplier = multiplier.map_err(|problem| format!("tensor {name}: {problem}"))?;
            activations.insert(matrix.to_owned(), multiplier);
        } else {
            weights.insert(name, tensor);
        }
    }
    let arrays = weights.into_iter().map(|(name, (kind, shape, data))| {
        let of_output = || activations.get(UNNAMED).filter(|_| name.contains(WORDS));
        let multiplier = activations.get(&name).or_else(of_output).copied();
        let array = array(&name, (kind, multiplier), shape, &data);
        let array = array.map_err(|problem| format!("tensor {name}: {problem}"))?;
        Ok((name, array))
    });
    arrays.collect()
}

/// A multiplier of rows. That of word vectors is quantised as if it were one of them.
fn activation((kind, _, data): Tensor) -> Result<f32, String> {
    let multiplier = match kind {
        FLOAT32 => f32::from_le_bytes(data.fields().array()?),
        INTGEMM8 | BERGAMOT_INTGEMM8 => {
            let mut fields = data.fields();
            let [byte] = fields.array()?;
            f32::from(byte.cast_signed()) * (1.0 / f32::from_le_bytes(fields.array()?))
        }
        other => return Err(format!("it is of kind {other:#x}, expected is a float")),
    };
    if !multiplier.is_normal() || multiplier < 0.0 {
        return Err(format!("rows would be multiplied by {multiplier}"));
    }
    Ok(multiplier)
}

/// The weights of a tensor; integers of 8 bits come with the multiplier of rows.
fn array(
    name: &str,
    (kind, activations): (u64, Option<f32>),
    shape: Vec<usize>,
    data: &Bytes,
) -> Result<Array, String> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &size| count.checked_mul(size));
    let outside = || format!("shape {shape:?} does not fit its bytes");
    let count = count.map(|count| count as u64);
    let count = count.filter(|&count| count <= data.len());
    let count = count.ok_or_else(outside)?;
    // Data may be followed by padding.
    let of_width = |width: u64| data.part(0..count * width).ok_or_else(outside);
    let behind = |width: u64| data.part(count * width..data.len()).ok_or_else(outside);
    let numbers = match kind {
        FLOAT32 => numbers("f4", &of_width(4)?)?,
        FLOAT16 => numbers("f2", &of_width(2)?)?,
        INT8 => numbers("i1", &of_width(1)?)?,
        INTGEMM8 | BERGAMOT_INTGEMM8 => {
            let kind = FloatKind::Integer {
                multiplier: multiplier(&behind(1)?)?,
                activations,
            };
            quantised(name, &shape, Floats::new(of_width(1)?, kind))?
        }
        INTGEMM16 | BERGAMOT_INTGEMM16 => {
            let kind = FloatKind::Short(Scales {
                columns: 1,
                numbers: Arc::new([multiplier(&behind(2)?)?]),
            });
            quantised(name, &shape, Floats::new(of_width(2)?, kind))?
        }
        other => {
            return Err(format!(
                "its numbers are of kind {other:#x}, which is laid out for one processor or not known; convert it to the \
                 type intgemm8 or float32"
            ));
        }
    };
    Ok(Array { shape, numbers })
}

/// The number after integers, by which they were multiplied.
fn multiplier(behind: &Bytes) -> Result<f32, String> {
    let multiplier = f32::from_le_bytes(behind.fields().array()?);
    if !multiplier.is_normal() {
        return Err(format!("it was multiplied by {multiplier}"));
    }
    Ok(multiplier)
}

fn quantised(name: &str, shape: &[usize], integers: Floats) -> Result<Numbers, String> {
    let &[rows, columns] = shape else {
        return Err(format!("shape {shape:?} is not that of a matrix"));
    };
    Ok(Numbers::Floats(if name.contains(WORDS) || rows == 0 {
        integers
    } else {
        integers.turned(columns)
    }))
}

fn cut_off() -> String {
    "it is cut off".to_owned()
}

struct Reader {
    fields: Fields,
}

impl Reader {
    fn u64(&mut self) -> Result<u64, String> {
        self.fields.array().map(u64::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.u64()?).ok().ok_or_else(cut_off)
    }

    fn size_of_axis(&mut self) -> Result<usize, String> {
        let size = usize::try_from(i32::from_le_bytes(self.fields.array()?));
        size.ok()
            .ok_or_else(|| "a size in it is below 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_kernels::packed::Kept;

    /// Tensors as Marian saves them: each begins at a multiple of 256 bytes.
    fn file(tensors: &[(&str, u64, [i32; 2], Vec<u8>)]) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.extend((tensors.len() as u64).to_le_bytes());
        for (name, kind, shape, data) in tensors {
            let numbers = [
                name.len() as u64 + 1,
                *kind,
                shape.len() as u64,
                data.len().next_multiple_of(256) as u64,
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
        let padding = ((bytes.len() + 8) / 256 + 1) * 256 - bytes.len() - 8;
        bytes.extend((padding as u64).to_le_bytes());
        bytes.resize(bytes.len() + padding, 0);
        for (.., data) in tensors {
            bytes.extend(data);
            bytes.resize(bytes.len().next_multiple_of(256), 0);
        }
        bytes
    }

    /// Files of Bergamot hold a scale of activations of `Wemb`, quantised like words.
    fn tensors(integers: u64) -> Vec<(&'static str, u64, [i32; 2], Vec<u8>)> {
        let multiplied = |bytes: &[u8], by: f32| [bytes, &by.to_le_bytes()].concat();
        let words = multiplied(&[1, 2, 3, 4, 255, 6], 2.0);
        let matrix = multiplied(&[1, 4, 2, 5, 3, 6], 1.0);
        vec![
            ("Wemb", integers, [2, 3], words),
            (
                "Wemb_QuantMultA",
                integers,
                [1, 1],
                multiplied(&[127], 10.0),
            ),
            ("a_W", integers, [2, 3], matrix),
            (
                "a_W_QuantMultA",
                FLOAT32,
                [1, 1],
                8.5_f32.to_le_bytes().to_vec(),
            ),
            ("a_b", FLOAT32, [1, 1], 1.5_f32.to_le_bytes().to_vec()),
        ]
    }

    #[test]
    fn matrices_are_divided_and_turned_and_word_vectors_only_divided() {
        for integers in [INTGEMM8, BERGAMOT_INTGEMM8] {
            let arrays = read_binary(&file(&tensors(integers)).into()).expect("a sound file");
            let names: Vec<&str> = arrays.keys().map(String::as_str).collect();
            assert_eq!(names, ["Wemb", "a_W", "a_b"]);
            let floats = |name: &str| match &arrays[name].numbers {
                Numbers::Floats(floats) => floats.values().expect("in memory"),
                other => panic!("{other:?}"),
            };
            assert_eq!(floats("Wemb"), [0.5, 1.0, 1.5, 2.0, -0.5, 3.0]);
            assert_eq!(floats("a_W"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            assert_eq!(arrays["a_W"].shape, [2, 3]);
            let kept = |name: &str| match &arrays[name].numbers {
                Numbers::Floats(floats) => match floats.kept().expect("in memory") {
                    Kept::Integers(integers) => integers,
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            };
            let (words, matrix) = (kept("Wemb"), kept("a_W"));
            assert_eq!(words.bytes, [1, 2, 3, 4, -1, 6]);
            assert_eq!((words.multiplier, words.is_turned), (2.0, false));
            assert_eq!(words.activations, Some(127.0 * (1.0 / 10.0)));
            assert_eq!(matrix.bytes, [1, 4, 2, 5, 3, 6]);
            assert_eq!((matrix.multiplier, matrix.is_turned), (1.0, true));
            assert_eq!(matrix.activations, Some(8.5));
        }
    }

    #[test]
    fn multipliers_that_are_none_are_refused_by_name() {
        for (place, name, expected) in [
            (1, "Wemb_QuantMultA", "rows would be multiplied by inf"),
            (3, "a_W_QuantMultA", "rows would be multiplied by 0"),
            (2, "a_W", "it was multiplied by 0"),
        ] {
            let mut tensors = tensors(BERGAMOT_INTGEMM8);
            let length = tensors[place].3.len();
            tensors[place].3[length - 4..].fill(0);
            let problem = read_binary(&file(&tensors).into()).expect_err("no multiplier");
            assert_eq!(problem, format!("tensor {name}: {expected}"));
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_cut_or_changed() {
        let whole = file(&tensors(BERGAMOT_INTGEMM8));
        // What follows the last number is padding.
        for length in 0..=whole.len() - 256 {
            let cut = whole[..length].to_vec();
            assert!(read_binary(&cut.into()).is_err(), "{length} bytes");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = value;
                let _ = read_binary(&bytes.into());
            }
        }
        let packed = vec![("a_W", 0x1801, [1, 1], vec![0; 4])];
        let problem = read_binary(&file(&packed).into()).expect_err("another kind");
        assert!(
            problem.contains("a_W") && problem.contains("0x1801"),
            "{problem}"
        );
    }
}
