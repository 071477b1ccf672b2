//! `model.bin`: version, name of the architecture, variables, and names that stand for other names.
//!
//! As `Model::load` in `src/models/model.cc` of CTranslate2 4.8 reads it, versions 1 to 6 of the file.

use std::collections::BTreeMap;

use half::{bf16, f16};

use crate::weights::not_finite;

/// Of the newest files.
const NEWEST: u32 = 6;

/// A scale of 16-bit numbers that tell none, `global_int16_scale` there.
const INT16_SCALE: f32 = 1000.0;

/// A variable of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Variable {
    pub shape: Vec<usize>,
    pub numbers: Numbers,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Numbers {
    Floats(Vec<f32>),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
}

/// The contents of a file.
#[derive(Debug)]
pub(super) struct ModelFile {
    /// Of the file's format.
    pub version: u32,
    /// Of the architecture; older files name none.
    pub specification: String,
    /// Of the architecture's variables.
    pub revision: u32,
    variables: BTreeMap<String, Variable>,
}

impl ModelFile {
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = Reader { rest: bytes };
        let version = reader.u32()?;
        if !(1..=NEWEST).contains(&version) {
            return Err(format!(
                "it is of version {version}, versions 1 to {NEWEST} are read"
            ));
        }
        let (specification, revision) = if version >= 2 {
            (reader.text()?, reader.u32()?)
        } else {
            (String::new(), 1)
        };
        let mut variables = BTreeMap::new();
        for _ in 0..reader.u32()? {
            let name = reader.text()?;
            let variable = reader.variable(version);
            let variable = variable.map_err(|problem| format!("variable {name}: {problem}"))?;
            let name = if revision == 1 {
                name_of_first_revision(name)
            } else {
                name
            };
            variables.insert(name, variable);
        }
        let mut file = Self {
            version,
            specification,
            revision,
            variables,
        };
        if version >= 3 {
            for _ in 0..reader.u32()? {
                let (alias, name) = (reader.text()?, reader.text()?);
                file.alias(&alias, &name);
            }
        }
        Ok(file)
    }

    /// Gives a variable and its scale another name, if they are there.
    pub fn rename(&mut self, from: &str, to: &str) {
        for end in ["", "_scale"] {
            if let Some(variable) = self.variables.remove(&format!("{from}{end}")) {
                self.variables.insert(format!("{to}{end}"), variable);
            }
        }
    }

    /// Lets a variable and its scale have another name too.
    pub fn alias(&mut self, alias: &str, name: &str) {
        for end in ["", "_scale"] {
            let known = self.variables.get(&format!("{name}{end}")).cloned();
            if let Some(variable) = known {
                let alias = format!("{alias}{end}");
                self.variables.entry(alias).or_insert(variable);
            }
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Names of what is still there and more than a setting.
    pub fn left(&self) -> impl Iterator<Item = &str> {
        let tensors = self.variables.iter().filter(|(name, variable)| {
            !variable.shape.is_empty() && !name.ends_with("_scale") && !is_text(name)
        });
        tensors.map(|(name, _)| name.as_str())
    }

    pub fn shape(&self, name: &str) -> Result<&[usize], String> {
        let variable = self.variables.get(name);
        let variable = variable.ok_or_else(|| format!("variable {name} is missing"))?;
        Ok(&variable.shape)
    }

    /// A setting of one number; none if it is not told.
    #[expect(
        clippy::cast_precision_loss,
        reason = "settings are small numbers or floats"
    )]
    pub fn setting(&self, name: &str) -> Option<f32> {
        match &self.variables.get(name)?.numbers {
            Numbers::Floats(numbers) => numbers.first().copied(),
            Numbers::Int8(numbers) => numbers.first().map(|&number| f32::from(number)),
            Numbers::Int16(numbers) => numbers.first().map(|&number| f32::from(number)),
            Numbers::Int32(numbers) => numbers.first().map(|&number| number as f32),
        }
    }

    /// Whether a setting of one byte is told, and which it is.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match &self.variables.get(name)?.numbers {
            Numbers::Int8(numbers) => numbers.first().map(|&number| number != 0),
            _ => None,
        }
    }

    /// A setting that is a text.
    pub fn text(&self, name: &str) -> Option<String> {
        match &self.variables.get(name)?.numbers {
            Numbers::Int8(bytes) => {
                let bytes = bytes.iter().map(|byte| byte.cast_unsigned()).collect();
                String::from_utf8(bytes).ok()
            }
            _ => None,
        }
    }

    /// Takes the floats of a variable out; what is quantised is divided by its scale, one of every row or one of all.
    pub fn take(&mut self, name: &str, expected: &[usize]) -> Result<Vec<f32>, String> {
        let found = self.shape(name)?;
        if found != expected {
            return Err(format!(
                "variable {name} has shape {found:?}, expected is {expected:?}"
            ));
        }
        let scale = self.variables.remove(&format!("{name}_scale"));
        let variable = self.variables.remove(name).expect("it has a shape");
        let (integers, usual): (Vec<f32>, _) = match variable.numbers {
            Numbers::Floats(numbers) => return finite(name, numbers),
            Numbers::Int8(numbers) => (numbers.into_iter().map(f32::from).collect(), None),
            Numbers::Int16(numbers) => {
                let numbers = numbers.into_iter().map(f32::from);
                (numbers.collect(), Some(vec![INT16_SCALE]))
            }
            Numbers::Int32(_) => return Err(format!("variable {name} is no weight")),
        };
        let told = scale.map(|scale| scale.numbers);
        let ((Some(Numbers::Floats(scales)), _) | (None, Some(scales))) = (told, usual) else {
            return Err(format!("variable {name}_scale is missing"));
        };
        let rows = expected.first().copied().unwrap_or(1).max(1);
        let columns = integers.len() / rows;
        if scales.len() != 1 && scales.len() != rows {
            return Err(format!(
                "variable {name}_scale has {} numbers, expected are 1 or {rows}",
                scales.len()
            ));
        }
        if let Some(scale) = scales
            .iter()
            .find(|scale| !scale.is_finite() || **scale == 0.0)
        {
            return Err(format!("variable {name}_scale is {scale}"));
        }
        let scale = |place: usize| {
            scales[if scales.len() == 1 {
                0
            } else {
                place / columns
            }]
        };
        let numbers = integers.into_iter().enumerate();
        let numbers = numbers.map(|(place, number)| number / scale(place));
        finite(name, numbers.collect())
    }
}

fn finite(name: &str, numbers: Vec<f32>) -> Result<Vec<f32>, String> {
    match not_finite(name, &numbers) {
        Some(problem) => Err(format!("variable {problem}")),
        None => Ok(numbers),
    }
}

/// Settings that are texts are no tensors though they have a length.
fn is_text(name: &str) -> bool {
    ["unk_token", "bos_token", "eos_token"].contains(&name)
}

/// Names of the first revision were OpenNMT-tf's.
fn name_of_first_revision(name: String) -> String {
    let in_encoder = name.contains("encoder");
    let rules = [
        ("transformer/", ""),
        (":0", ""),
        ("w_embs", "embeddings/weight"),
        ("kernel", "weight"),
        ("LayerNorm", "layer_norm"),
        ("dense", "projection"),
        ("conv1d_", "linear_"),
        ("conv1d", "linear_0"),
        (
            "masked_multi_head",
            if in_encoder {
                "masked_multi_head"
            } else {
                "self_attention"
            },
        ),
        (
            "multi_head",
            if in_encoder {
                "self_attention"
            } else {
                "attention"
            },
        ),
    ];
    let rules = rules.into_iter();
    rules.fold(name, |name, (from, to)| name.replacen(from, to, 1))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let split = self.rest.split_at_checked(count);
        let (taken, rest) = split.ok_or_else(|| "it is cut off".to_owned())?;
        self.rest = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.u32()?).map_err(|cause| cause.to_string())
    }

    /// A length with the zero at the end, then the text.
    fn text(&mut self) -> Result<String, String> {
        let length = self.take(2)?;
        let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
        let text = self.take(length)?;
        let text = text.strip_suffix(b"\0").unwrap_or(text);
        String::from_utf8(text.to_vec())
            .ok()
            .ok_or_else(|| "a name in it is no text".to_owned())
    }

    fn variable(&mut self, version: u32) -> Result<Variable, String> {
        let rank = usize::from(self.u8()?);
        let shape = (0..rank)
            .map(|_| self.size())
            .collect::<Result<Vec<_>, _>>()?;
        let (kind, length) = if version >= 4 {
            (self.u8()?, Some(self.size()?))
        } else {
            let width = self.u8()?;
            let kind = match width {
                4 => 0,
                1 => 1,
                2 => 2,
                other => return Err(format!("its numbers have {other} bytes")),
            };
            (kind, self.size()?.checked_mul(usize::from(width)))
        };
        let width = match kind {
            0 | 3 => 4,
            1 => 1,
            2 | 4 | 5 => 2,
            other => return Err(format!("its numbers are of the unknown kind {other}")),
        };
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &size| count.checked_mul(size));
        let expected = count.and_then(|count| count.checked_mul(width));
        let (Some(length), true) = (length, length == expected) else {
            return Err(format!("shape {shape:?} does not fit its bytes"));
        };
        let bytes = self.take(length)?;
        let numbers = match kind {
            0 => Numbers::Floats(words(bytes, f32::from_le_bytes)),
            1 => Numbers::Int8(bytes.iter().map(|byte| byte.cast_signed()).collect()),
            2 => Numbers::Int16(words(bytes, i16::from_le_bytes)),
            3 => Numbers::Int32(words(bytes, i32::from_le_bytes)),
            4 => Numbers::Floats(words(bytes, |word| f16::from_le_bytes(word).to_f32())),
            _ => Numbers::Floats(words(bytes, |word| bf16::from_le_bytes(word).to_f32())),
        };
        Ok(Variable { shape, numbers })
    }
}

fn words<const N: usize, T>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (words, _) = bytes.as_chunks::<N>();
    words.iter().map(|&word| number(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &mut Vec<u8>, text: &str) {
        let length = u16::try_from(text.len() + 1).expect("short");
        bytes.extend(length.to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.push(0);
    }

    /// A file of version 6 with a weight of two rows of 8-bit numbers, its scales and another name of it.
    fn file() -> Vec<u8> {
        let mut bytes = 6_u32.to_le_bytes().to_vec();
        text(&mut bytes, "TransformerSpec");
        bytes.extend(7_u32.to_le_bytes());
        bytes.extend(2_u32.to_le_bytes());
        text(&mut bytes, "a/weight");
        bytes.push(2);
        bytes.extend([2_u32, 3].iter().flat_map(|size| size.to_le_bytes()));
        bytes.push(1);
        bytes.extend(6_u32.to_le_bytes());
        bytes.extend([1, 2, 3, 254, 0, 127]);
        text(&mut bytes, "a/weight_scale");
        bytes.push(1);
        bytes.extend(2_u32.to_le_bytes());
        bytes.push(0);
        bytes.extend(8_u32.to_le_bytes());
        bytes.extend([2.0_f32, 4.0].iter().flat_map(|scale| scale.to_le_bytes()));
        bytes.extend(1_u32.to_le_bytes());
        text(&mut bytes, "b/weight");
        text(&mut bytes, "a/weight");
        bytes
    }

    #[test]
    fn quantised_rows_are_divided_by_their_scales() {
        let mut file = ModelFile::read(&file()).expect("a sound file");
        let expected = [0.5, 1.0, 1.5, -0.5, 0.0, 31.75];
        for name in ["a/weight", "b/weight"] {
            assert_eq!(file.take(name, &[2, 3]), Ok(expected.to_vec()));
        }
        assert!(file.take("a/weight", &[2, 3]).is_err(), "taken before");
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_cut_or_changed() {
        let whole = file();
        for length in 0..whole.len() {
            assert!(ModelFile::read(&whole[..length]).is_err(), "{length} bytes");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = value;
                if let Ok(mut file) = ModelFile::read(&bytes) {
                    let _ = file.take("a/weight", &[2, 3]);
                }
            }
        }
    }

    #[test]
    fn names_of_the_first_revision_are_todays() {
        for (before, now) in [
            ("transformer/encoder/w_embs:0", "encoder/embeddings/weight"),
            (
                "transformer/decoder/dense/kernel:0",
                "decoder/projection/weight",
            ),
            (
                "transformer/encoder/layer_0/multi_head/conv1d_1/kernel:0",
                "encoder/layer_0/self_attention/linear_1/weight",
            ),
            (
                "transformer/decoder/layer_3/masked_multi_head/conv1d/bias:0",
                "decoder/layer_3/self_attention/linear_0/bias",
            ),
            (
                "transformer/decoder/layer_3/multi_head/LayerNorm/gamma:0",
                "decoder/layer_3/attention/layer_norm/gamma",
            ),
            (
                "transformer/decoder/layer_5/ffn/conv1d_1/kernel:0",
                "decoder/layer_5/ffn/linear_1/weight",
            ),
        ] {
            assert_eq!(name_of_first_revision(before.to_owned()), now);
        }
    }
}
