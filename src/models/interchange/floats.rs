//! Weights as their files have them, read on demand.

use std::ops::Range;
use std::sync::Arc;

use half::{bf16, f16};

use super::bytes::Bytes;
use crate::error::Result;
use crate::weights::{not_finite_at, words};
use canopy_kernels::packed::{Integers, Kept};

/// Numbers that are read at a time.
const PART: usize = 1 << 16;

/// Floats of 16, 32 or 64 bits, or integers that stand for floats, in memory or in their file. Those that are compared are
/// read.
#[derive(Debug, Clone)]
pub struct Floats {
    bytes: Bytes,
    kind: FloatKind,
    /// Numbers before these of those that have scales.
    first: usize,
    /// Rows of the matrix that is transposed when it is read.
    turned: Option<usize>,
}

/// How a float is stored.
#[derive(Debug, Clone)]
pub(super) enum FloatKind {
    Half,
    Brain,
    Single,
    Double,
    /// 8 bits, each divided by a scale.
    Byte(Scales),
    /// 16 bits, each divided by a scale.
    Short(Scales),
    /// 8 bits that products are computed with as they are, see [`Integers`].
    Integer {
        multiplier: f32,
        activations: Option<f32>,
    },
}

/// The divisors of integers: one for each row of a number of columns, or one for all.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    pub columns: usize,
    pub numbers: Arc<[f32]>,
}

impl Scales {
    fn get(&self, number: usize) -> f32 {
        match *self.numbers {
            [one] => one,
            ref all => all[number / self.columns],
        }
    }
}

impl FloatKind {
    /// Bytes of a number.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Byte(_) | Self::Integer { .. } => 1,
            Self::Half | Self::Brain | Self::Short(_) => 2,
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "weights are meant as 32-bit floats"
    )]
    fn read(&self, bytes: &[u8], first: usize, values: &mut Vec<f32>) {
        match self {
            Self::Half => values.extend(words(bytes).map(|word| f16::from_le_bytes(word).to_f32())),
            Self::Brain => {
                values.extend(words(bytes).map(|word| bf16::from_le_bytes(word).to_f32()));
            }
            Self::Single => values.extend(words(bytes).map(f32::from_le_bytes)),
            Self::Double => {
                values.extend(words(bytes).map(|word| f64::from_le_bytes(word) as f32));
            }
            Self::Byte(scales) => {
                let numbers = (first..).zip(bytes);
                values.extend(
                    numbers
                        .map(|(number, byte)| f32::from(byte.cast_signed()) / scales.get(number)),
                );
            }
            Self::Short(scales) => {
                let numbers = (first..).zip(words(bytes).map(i16::from_le_bytes));
                values.extend(numbers.map(|(number, word)| f32::from(word) / scales.get(number)));
            }
            Self::Integer { multiplier, .. } => {
                let step = 1.0 / multiplier;
                let bytes = bytes.iter();
                values.extend(bytes.map(|byte| f32::from(byte.cast_signed()) * step));
            }
        }
    }
}

impl Floats {
    pub(super) fn new(bytes: Bytes, kind: FloatKind) -> Self {
        Self {
            bytes,
            kind,
            first: 0,
            turned: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        usize::try_from(self.bytes.len()).unwrap_or(usize::MAX) / self.kind.width()
    }

    /// Some of these, which are in a row.
    ///
    /// # Panics
    /// If they exceed it, or are to be transposed.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        assert!(self.turned.is_none(), "a part of what is turned");
        let place = |number: usize| (number * self.kind.width()) as u64;
        let bytes = self.bytes.part(place(range.start)..place(range.end));
        Self {
            bytes: bytes.expect("a part of them"),
            kind: self.kind.clone(),
            first: self.first + range.start,
            turned: None,
        }
    }

    /// The transposed matrix of this one, which has `rows` rows.
    pub(super) fn turned(self, rows: usize) -> Self {
        Self {
            turned: if self.turned.is_some() {
                None
            } else {
                Some(rows)
            },
            ..self
        }
    }

    /// Whether they are integers that products are computed with.
    pub(super) fn are_integers(&self) -> bool {
        matches!(self.kind, FloatKind::Integer { .. })
    }

    /// All of them.
    ///
    /// # Errors
    /// If their file cannot be read any more, or has changed.
    pub fn values(&self) -> Result<Vec<f32>> {
        let mut values = Vec::with_capacity(self.len());
        self.each_part(|_, part| {
            values.extend_from_slice(part);
            Ok(())
        })?;
        Ok(match self.turned {
            Some(rows) => transposed(&values, rows),
            None => values,
        })
    }

    /// The values in their stored form, if [`Kept`] can hold it.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub(super) fn kept(&self) -> Result<Kept> {
        if let FloatKind::Integer {
            multiplier,
            activations,
        } = self.kind
        {
            let mut bytes = Vec::with_capacity(self.len());
            self.bytes.each_part(PART, |part| {
                bytes.extend(part.iter().map(|byte| byte.cast_signed()));
                Ok(())
            })?;
            return Ok(Kept::Integers(Integers {
                bytes,
                multiplier,
                activations,
                is_turned: self.turned.is_some(),
            }));
        }
        if self.turned.is_some() || !matches!(self.kind, FloatKind::Half) {
            return self.values().map(Kept::Floats);
        }
        let mut halves = Vec::with_capacity(self.len());
        self.bytes.each_part(2 * PART, |bytes| {
            halves.extend(words(bytes).map(f16::from_le_bytes));
            Ok(())
        })?;
        Ok(Kept::Halves(halves))
    }

    /// Describes the first number of a tensor that is not finite; none if all are finite.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub(super) fn not_finite(&self, name: &str) -> Result<Option<String>> {
        let (all, mut problem) = (self.len(), None);
        self.each_part(|before, part| {
            if problem.is_none() {
                problem = not_finite_at(name, part, (before, all));
            }
            Ok(())
        })?;
        Ok(problem)
    }

    /// Whether both are the same numbers; those of one place are not read.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub(super) fn equals(&self, other: &Self) -> Result<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let same_kind = match (&self.kind, &other.kind) {
            (FloatKind::Byte(own), FloatKind::Byte(others))
            | (FloatKind::Short(own), FloatKind::Short(others)) => own.numbers == others.numbers,
            (
                FloatKind::Integer { multiplier, .. },
                FloatKind::Integer {
                    multiplier: other, ..
                },
            ) => multiplier.to_bits() == other.to_bits(),
            (own, others) => std::mem::discriminant(own) == std::mem::discriminant(others),
        };
        if same_kind && self.turned == other.turned && self.bytes.is_same(&other.bytes) {
            return Ok(true);
        }
        Ok(self.values()? == other.values()?)
    }

    /// The numbers as the file has them, with the count of those before, some at a time.
    fn each_part(&self, mut each: impl FnMut(usize, &[f32]) -> Result<()>) -> Result<()> {
        let (mut before, mut values) = (0, Vec::with_capacity(PART.min(self.len())));
        self.bytes.each_part(PART * self.kind.width(), |bytes| {
            values.clear();
            self.kind.read(bytes, self.first + before, &mut values);
            each(before, &values)?;
            before += values.len();
            Ok(())
        })
    }
}

/// `[columns, rows]` of a matrix `[rows, columns]`.
fn transposed(numbers: &[f32], rows: usize) -> Vec<f32> {
    let columns = numbers.len() / rows.max(1);
    let places = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
    places.map(|place| numbers[place]).collect()
}

impl PartialEq for Floats {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_the_scales_of_their_rows_and_turn() {
        let scales = Scales {
            columns: 2,
            numbers: Arc::new([1.0, 2.0, 4.0]),
        };
        let bytes = [1, 2, 3, 254, 8, 0_u8];
        let all = Floats::new(bytes.to_vec().into(), FloatKind::Byte(scales));
        let values = |floats: &Floats| floats.values().expect("in memory");
        assert_eq!(values(&all), [1.0, 2.0, 1.5, -1.0, 2.0, 0.0]);
        let last = all.part(2..6);
        assert_eq!(values(&last), [1.5, -1.0, 2.0, 0.0]);
        assert_eq!(values(&last.clone().turned(2)), [1.5, 2.0, -1.0, 0.0]);
        assert_eq!(values(&last.clone().turned(2).turned(2)), values(&last));
        assert!(last == all.part(2..6) && last != all.part(0..4));
    }

    #[test]
    fn floats_of_all_sizes_are_read_and_a_number_that_is_not_finite_is_named() {
        let numbers = [0.5, -2.0, 3.0_f32];
        let bytes = |of: &dyn Fn(f32) -> Vec<u8>| numbers.iter().flat_map(|&x| of(x)).collect();
        let cases: [(FloatKind, Vec<u8>); 4] = [
            (
                FloatKind::Half,
                bytes(&|x| f16::from_f32(x).to_le_bytes().into()),
            ),
            (
                FloatKind::Brain,
                bytes(&|x| bf16::from_f32(x).to_le_bytes().into()),
            ),
            (FloatKind::Single, bytes(&|x| x.to_le_bytes().into())),
            (
                FloatKind::Double,
                bytes(&|x| f64::from(x).to_le_bytes().into()),
            ),
        ];
        for (kind, bytes) in cases {
            let floats = Floats::new(bytes.into(), kind);
            assert_eq!(floats.values().expect("in memory"), numbers);
            assert_eq!(floats.not_finite("w").expect("in memory"), None);
        }
        let mut many = vec![0; 4 * (PART + 3)];
        many[4 * PART + 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        let many = Floats::new(many.into(), FloatKind::Single);
        let place = many.not_finite("w").expect("in memory");
        let expected = format!("w holds NaN (number {} of {})", PART + 2, PART + 3);
        assert_eq!(place, Some(expected));
    }
}
