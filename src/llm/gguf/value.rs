//! Values of a file's metadata.

use std::sync::Arc;

use super::cursor::{Cursor, Read};

/// A value of the metadata; numbers of all widths are held in the widest.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An integer.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
    /// A list of integers.
    Integers(Vec<i64>),
    /// A list of numbers.
    Floats(Vec<f32>),
    /// Where each text begins in the file.
    Texts(Arc<[usize]>),
}

impl Value {
    /// Its kind, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Text(_) => "a text",
            Self::Integers(_) => "a list of integers",
            Self::Floats(_) => "a list of numbers",
            Self::Texts(_) => "a list of texts",
        }
    }
}

/// The code of a text and that of a list.
const TEXT: u32 = 8;
const LIST: u32 = 9;

/// A number of the kind `code`.
enum Number {
    Integer(i64),
    Float(f64),
    Bool(bool),
}

/// Bytes of a number of the kind `code`.
fn size(code: u32) -> Read<usize> {
    Ok(match code {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return Err(format!("its kind is {code}, which GGUF does not define")),
    })
}

fn number(code: u32, from: &mut Cursor<'_>) -> Read<Number> {
    Ok(match code {
        0 => Number::Integer(i64::from(u8::from_le_bytes(from.array()?))),
        1 => Number::Integer(i64::from(i8::from_le_bytes(from.array()?))),
        2 => Number::Integer(i64::from(u16::from_le_bytes(from.array()?))),
        3 => Number::Integer(i64::from(i16::from_le_bytes(from.array()?))),
        4 => Number::Integer(i64::from(from.u32()?)),
        5 => Number::Integer(i64::from(i32::from_le_bytes(from.array()?))),
        6 => Number::Float(f64::from(f32::from_le_bytes(from.array()?))),
        7 => Number::Bool(u8::from_le_bytes(from.array()?) != 0),
        10 => {
            let value = from.u64()?;
            let value = i64::try_from(value).map_err(|error| format!("{value}: {error}"))?;
            Number::Integer(value)
        }
        11 => Number::Integer(i64::from_le_bytes(from.array()?)),
        12 => Number::Float(f64::from_le_bytes(from.array()?)),
        _ => return Err(format!("its kind is {code}, which GGUF does not define")),
    })
}

/// Reads a value after its kind.
pub(super) fn read(from: &mut Cursor<'_>) -> Read<Value> {
    let code = from.u32()?;
    match code {
        TEXT => Ok(Value::Text(from.text()?.to_owned())),
        LIST => list(from),
        _ => Ok(match number(code, from)? {
            Number::Integer(value) => Value::Integer(value),
            Number::Float(value) => Value::Float(value),
            Number::Bool(value) => Value::Bool(value),
        }),
    }
}

fn list(from: &mut Cursor<'_>) -> Read<Value> {
    let code = from.u32()?;
    match code {
        TEXT => {
            let count = from.count(size_of::<u64>())?;
            let texts: Read<Vec<usize>> = (0..count)
                .map(|_| {
                    let start = from.place();
                    from.text().map(|_| start)
                })
                .collect();
            texts.map(|starts| Value::Texts(starts.into()))
        }
        LIST => Err("it is a list of lists, which no language model has".to_owned()),
        6 | 12 => {
            let count = from.count(size(code)?)?;
            let floats: Read<Vec<f32>> = (0..count).map(|_| float(code, from)).collect();
            floats.map(Value::Floats)
        }
        _ => {
            let count = from.count(size(code)?)?;
            let integers: Read<Vec<i64>> = (0..count).map(|_| integer(code, from)).collect();
            integers.map(Value::Integers)
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "lists of numbers hold scores, which 32 bits are enough for"
)]
fn float(code: u32, from: &mut Cursor<'_>) -> Read<f32> {
    Ok(match number(code, from)? {
        Number::Float(value) => value as f32,
        Number::Integer(_) | Number::Bool(_) => 0.0,
    })
}

fn integer(code: u32, from: &mut Cursor<'_>) -> Read<i64> {
    Ok(match number(code, from)? {
        Number::Integer(value) => value,
        Number::Bool(value) => i64::from(value),
        Number::Float(_) => 0,
    })
}
