//! `model.bin`: version, name of the architecture, variables, and names that stand for other names.
//!
//! As `Model::load` in `src/models/model.cc` of CTranslate2 4.8 reads it, versions 1 to 6 of the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::interchange::bytes::{Bytes, Fields};
use crate::interchange::floats::{FloatKind, Floats, Scales};

/// Version of the newest files.
const NEWEST: u32 = 6;

/// Scale of 16-bit numbers without one, `global_int16_scale` there.
const INT16_SCALE: f32 = 1000.0;

/// A variable of a model, whose numbers are not read yet.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub shape: Vec<usize>,
    kind: Kind,
    bytes: Bytes,
}

/// The numbers of a variable.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Single,
    Half,
    Brain,
    Int8,
    Int16,
    Int32,
}

impl Kind {
    /// By the numbers of `DataType`.
    fn from_number(number: u8) -> Result<Self, String> {
        const KINDS: [Kind; 6] = [
            Kind::Single,
            Kind::Int8,
            Kind::Int16,
            Kind::Int32,
            Kind::Half,
            Kind::Brain,
        ];
        let kind = KINDS.get(usize::from(number)).copied();
        kind.ok_or_else(|| format!("its numbers are of the unknown kind {number}"))
    }

    /// Bytes of a number.
    fn width(self) -> usize {
        match self {
            Self::Single | Self::Int32 => 4,
            Self::Half | Self::Brain | Self::Int16 => 2,
            Self::Int8 => 1,
        }
    }

    /// None for integers.
    fn floats(self) -> Option<FloatKind> {
        match self {
            Self::Single => Some(FloatKind::Single),
            Self::Half => Some(FloatKind::Half),
            Self::Brain => Some(FloatKind::Brain),
            Self::Int8 | Self::Int16 | Self::Int32 => None,
        }
    }
}

impl Variable {
    /// The first bytes; none if there are fewer.
    fn first<const N: usize>(&self) -> Option<[u8; N]> {
        self.bytes.fields().array().ok()
    }

    /// All numbers, if they are floats.
    fn floats(&self) -> Option<Floats> {
        let kind = self.kind.floats()?;
        Some(Floats::new(self.bytes.clone(), kind))
    }
}

/// The contents of a file.
#[derive(Debug)]
pub(super) struct ModelFile {
    /// Version of the file's format.
    pub version: u32,
    /// Name of the architecture; older files have none.
    pub specification: String,
    /// Revision of the architecture's variables.
    pub revision: u32,
    variables: BTreeMap<String, Variable>,
}

impl ModelFile {
    pub(super) fn read(bytes: &Bytes) -> Result<Self, String> {
        let mut reader = Reader {
            fields: bytes.fields(),
        };
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

    /// Gives a variable and its scale another name, if they exist.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for end in ["", "_scale"] {
            if let Some(variable) = self.variables.remove(&format!("{from}{end}")) {
                self.variables.insert(format!("{to}{end}"), variable);
            }
        }
    }

    /// Lets a variable and its scale have another name too.
    pub(super) fn alias(&mut self, alias: &str, name: &str) {
        for end in ["", "_scale"] {
            let known = self.variables.get(&format!("{name}{end}")).cloned();
            if let Some(variable) = known {
                let alias = format!("{alias}{end}");
                self.variables.entry(alias).or_insert(variable);
            }
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Names of what is still there and more than a setting.
    pub(super) fn left(&self) -> impl Iterator<Item = &str> {
        let tensors = self.variables.iter().filter(|(name, variable)| {
            !variable.shape.is_empty() && !name.ends_with("_scale") && !is_text(name)
        });
        tensors.map(|(name, _)| name.as_str())
    }

    pub(super) fn shape(&self, name: &str) -> Result<&[usize], String> {
        let variable = self.variables.get(name);
        let variable = variable.ok_or_else(|| format!("variable {name} is missing"))?;
        Ok(&variable.shape)
    }

    /// A setting of one number; none if it is missing.
    pub(super) fn setting(&self, name: &str) -> Option<f32> {
        let variable = self.variables.get(name)?;
        match variable.kind {
            Kind::Int8 => variable.first().map(|[byte]| f32::from(byte.cast_signed())),
            Kind::Int16 => variable
                .first()
                .map(|word| f32::from(i16::from_le_bytes(word))),
            Kind::Int32 => variable.first().map(|word| i32::from_le_bytes(word) as f32),
            Kind::Single | Kind::Half | Kind::Brain => {
                let floats = variable.floats().filter(|floats| floats.len() > 0)?;
                floats.part(0..1).values().ok()?.first().copied()
            }
        }
    }

    /// A setting of one byte; none if it is missing.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let variable = self.variables.get(name)?;
        match variable.kind {
            Kind::Int8 => variable.first().map(|[byte]| byte != 0),
            _ => None,
        }
    }

    /// A setting that is a text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let variable = self.variables.get(name)?;
        match variable.kind {
            Kind::Int8 => String::from_utf8(variable.bytes.read().ok()?).ok(),
            _ => None,
        }
    }

    /// Takes the floats of a variable out, which stay where they are stored; what is quantised is divided by its scale, one of
    /// every row or one of all.
    pub(super) fn take(&mut self, name: &str, expected: &[usize]) -> Result<Floats, String> {
        let found = self.shape(name)?;
        if found != expected {
            return Err(format!(
                "variable {name} has shape {found:?}, expected is {expected:?}"
            ));
        }
        let scale = self.variables.remove(&format!("{name}_scale"));
        let variable = self.variables.remove(name).expect("it has a shape");
        if let Some(floats) = variable.floats() {
            return finite(name, floats);
        }
        let scales = match (scale.and_then(|scale| scale.floats()), variable.kind) {
            (Some(scales), _) => scales.values().map_err(|error| error.to_string())?,
            (None, Kind::Int16) => vec![INT16_SCALE],
            (None, _) => return Err(format!("variable {name}_scale is missing")),
        };
        let rows = expected.first().copied().unwrap_or(1).max(1);
        if scales.len() != 1 && scales.len() != rows {
            return Err(format!(
                "variable {name}_scale has {} numbers, expected are 1 or {rows}",
                scales.len()
            ));
        }
        let is_sound = |scale: &f32| scale.is_finite() && *scale != 0.0;
        if let Some(scale) = scales.iter().find(|scale| !is_sound(scale)) {
            return Err(format!("variable {name}_scale is {scale}"));
        }
        let scales = Scales {
            columns: expected.iter().product::<usize>() / rows,
            numbers: Arc::from(scales),
        };
        let kind = match variable.kind {
            Kind::Int8 => FloatKind::Byte(scales),
            Kind::Int16 => FloatKind::Short(scales),
            _ => return Err(format!("variable {name} is not a weight")),
        };
        finite(name, Floats::new(variable.bytes, kind))
    }
}

fn finite(name: &str, numbers: Floats) -> Result<Floats, String> {
    let problem = numbers.not_finite(name);
    match problem.map_err(|error| error.to_string())? {
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

struct Reader {
    fields: Fields,
}

impl Reader {
    fn u8(&mut self) -> Result<u8, String> {
        let [byte] = self.fields.array()?;
        Ok(byte)
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.fields.array().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.u32()?).map_err(|cause| cause.to_string())
    }

    /// A length with the zero at the end, then the text.
    fn text(&mut self) -> Result<String, String> {
        let length = u16::from_le_bytes(self.fields.array()?);
        let text = self.fields.take(usize::from(length))?;
        let text = text.strip_suffix(b"\0").unwrap_or(&text);
        String::from_utf8(text.to_vec())
            .ok()
            .ok_or_else(|| "a name in it is not text".to_owned())
    }

    fn variable(&mut self, version: u32) -> Result<Variable, String> {
        let rank = usize::from(self.u8()?);
        let shape = (0..rank)
            .map(|_| self.size())
            .collect::<Result<Vec<_>, _>>()?;
        let (kind, length) = if version >= 4 {
            (Kind::from_number(self.u8()?)?, Some(self.size()?))
        } else {
            let width = self.u8()?;
            let kind = match width {
                4 => Kind::Single,
                1 => Kind::Int8,
                2 => Kind::Int16,
                other => return Err(format!("its numbers have {other} bytes")),
            };
            (kind, self.size()?.checked_mul(usize::from(width)))
        };
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &size| count.checked_mul(size));
        let expected = count.and_then(|count| count.checked_mul(kind.width()));
        let (Some(length), true) = (length, length == expected) else {
            return Err(format!("shape {shape:?} does not fit its bytes"));
        };
        let bytes = self.fields.unread(length)?;
        Ok(Variable { shape, kind, bytes })
    }
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
        let mut file = ModelFile::read(&file().into()).expect("a sound file");
        let expected = [0.5, 1.0, 1.5, -0.5, 0.0, 31.75];
        for name in ["a/weight", "b/weight"] {
            let floats = file.take(name, &[2, 3]).expect("a matrix");
            assert_eq!(floats.values().expect("in memory"), expected);
        }
        assert!(file.take("a/weight", &[2, 3]).is_err(), "taken before");
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_cut_or_changed() {
        let whole = file();
        for length in 0..whole.len() {
            let cut = whole[..length].to_vec();
            assert!(ModelFile::read(&cut.into()).is_err(), "{length} bytes");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = value;
                if let Ok(mut file) = ModelFile::read(&bytes.into()) {
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
