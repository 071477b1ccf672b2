//! Rows of numbers as 8-bit integers with a scale for each 32 or 256 of them, rounded as llama.cpp rounds them.

use crate::blocks::{Blocks, Kind, with_blocks};

/// How a kind of weights wants the rows that it is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Floats,
    /// Blocks of 32 with a half float as scale: ggml's Q8_0.
    Scaled,
    /// 8-bit blocks with a half float for the sum of each block: Q8_1.
    Summed,
    /// Blocks of 256 with sums of each `group`: Q8_K.
    Large { group: usize },
}

impl Form {
    pub(crate) fn wanted_by(kind: Kind) -> Self {
        let of_blocks = |numbers: usize, group: usize, zero: u8| match (numbers, zero) {
            (256, _) => Self::Large { group },
            (_, 0) => Self::Summed,
            _ => Self::Scaled,
        };
        with_blocks!(kind, B => of_blocks(B::NUMBERS, B::GROUP, B::ZERO), Self::Floats)
    }

    /// Numbers of a sum.
    pub(crate) fn group(self) -> usize {
        match self {
            Self::Large { group } => group,
            _ => 32,
        }
    }
}

/// Rows as integers; scales stand for 32 numbers each in all forms.
#[derive(Debug)]
pub(crate) struct Quantised {
    pub form: Form,
    pub columns: usize,
    pub bytes: Vec<i8>,
    pub scales: Vec<f32>,
    /// Sum of each group, times its scale.
    pub sums: Vec<f32>,
}

impl Quantised {
    /// Room for `rows` rows.
    pub(crate) fn new(form: Form, rows: usize, columns: usize) -> Self {
        Self {
            form,
            columns,
            bytes: vec![0; rows * columns],
            scales: vec![0.0; rows * columns / 32],
            sums: vec![0.0; rows * columns / form.group()],
        }
    }

    /// Integers, scales and sums of a row.
    pub(crate) fn row(&self, row: usize) -> (&[i8], &[f32], &[f32]) {
        let part = |each: usize| row * self.columns / each..(row + 1) * self.columns / each;
        (
            &self.bytes[part(1)],
            &self.scales[part(32)],
            &self.sums[part(self.form.group())],
        )
    }
}
