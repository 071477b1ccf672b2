//! A matrix as a plain table: of burn's CPU backend, or as a file keeps it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use half::f16;
use half::slice::HalfFloatSliceExt;

use super::PackedMatrix;
use crate::cpu::{self, Matrix, matrix};

/// Rows of numbers.
#[derive(Debug, Clone)]
pub struct Table {
    rows: usize,
    columns: usize,
    numbers: Numbers,
}

#[derive(Debug, Clone)]
enum Numbers {
    /// Shared with a tensor.
    Tensor(Matrix),
    Kept(Kept),
    /// The weights of the outputs of a matrix that is packed as floats.
    Packed(Arc<PackedMatrix>),
}

/// Numbers as a file keeps them, row by row.
#[derive(Debug, Clone)]
pub enum Kept {
    /// 32 bits each.
    Floats(Vec<f32>),
    /// 16 bits each.
    Halves(Vec<f16>),
    /// Each times the scale of its row.
    Bytes {
        /// The integers, row by row.
        bytes: Vec<i8>,
        /// The scale of each row.
        scales: Vec<f32>,
    },
    /// Integers with one multiplier for all.
    Integers(Integers),
}

/// A matrix of 8-bit integers with one multiplier for all, as Marian stores it.
#[derive(Debug, Clone)]
pub struct Integers {
    /// The integers.
    pub bytes: Vec<i8>,
    /// Weights were multiplied by it before they were rounded.
    pub multiplier: f32,
    /// The multiplier of the rows that the matrix is multiplied with; none if each row has one of its own.
    pub activations: Option<f32>,
    /// Whether the bytes are stored column by column.
    pub is_turned: bool,
}

impl Table {
    /// The numbers of a tensor, which are shared with it if it is on the CPU, and else read.
    ///
    /// # Panics
    /// If the tensor learns.
    pub fn new<const D: usize>(tensor: Tensor<D>) -> Self {
        if !cpu::is_cpu(&tensor.device()) {
            let columns = tensor.dims()[D - 1];
            let values = tensor.into_data().try_into_vec();
            let values: Vec<f32> = values.expect("weights are 32-bit floats");
            let rows = values.len() / columns.max(1);
            return Self::kept(Kept::Floats(values), [rows, columns]);
        }
        let matrix = matrix(tensor);
        Self {
            rows: matrix.rows(),
            columns: matrix.columns(),
            numbers: Numbers::Tensor(matrix),
        }
    }

    /// The weights of each output of a matrix, which are shared with it; none if they are bytes.
    pub fn from_outputs(matrix: &Arc<PackedMatrix>) -> Option<Self> {
        matrix.floats()?;
        Some(Self {
            rows: matrix.outputs(),
            columns: matrix.inputs(),
            numbers: Numbers::Packed(Arc::clone(matrix)),
        })
    }

    /// Whether its numbers are shared with a tensor.
    pub fn is_of_tensor(&self) -> bool {
        matches!(self.numbers, Numbers::Tensor(_))
    }

    /// Rows of `columns` numbers.
    ///
    /// # Panics
    /// If their number differs.
    pub fn kept(kept: Kept, [rows, columns]: [usize; 2]) -> Self {
        let found = match &kept {
            Kept::Floats(values) => values.len(),
            Kept::Halves(values) => values.len(),
            Kept::Bytes { bytes, scales } => {
                assert_eq!(scales.len(), rows, "a scale for each row");
                bytes.len()
            }
            Kept::Integers(integers) => integers.bytes.len(),
        };
        assert_eq!(found, rows * columns, "{rows} rows of {columns} numbers");
        Self {
            rows,
            columns,
            numbers: Numbers::Kept(kept),
        }
    }

    /// The table in 16 bits, if its numbers are floats with a single owner and 16 bits hold them.
    #[must_use]
    pub fn in_halves(self) -> Self {
        let Numbers::Kept(Kept::Floats(floats)) = &self.numbers else {
            return self;
        };
        let mut halves = vec![f16::ZERO; floats.len()];
        halves.convert_from_f32_slice(floats);
        if halves.iter().all(|half| half.is_finite()) {
            return Self::kept(Kept::Halves(halves), [self.rows, self.columns]);
        }
        self
    }

    /// The integers that stand for its numbers, if they have one multiplier.
    pub fn integers(&self) -> Option<&Integers> {
        match &self.numbers {
            Numbers::Kept(Kept::Integers(integers)) => Some(integers),
            _ => None,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row by row.
    pub fn values(&self) -> Cow<'_, [f32]> {
        match &self.numbers {
            Numbers::Tensor(matrix) => Cow::Borrowed(matrix.values()),
            Numbers::Kept(Kept::Floats(values)) => Cow::Borrowed(values),
            Numbers::Kept(_) | Numbers::Packed(_) => {
                let mut values = Vec::with_capacity(self.rows * self.columns);
                self.extend(0..self.rows, &mut values);
                Cow::Owned(values)
            }
        }
    }

    /// The numbers of a row, in `values` if they are not kept as floats.
    pub fn row<'t>(&'t self, row: usize, values: &'t mut Vec<f32>) -> &'t [f32] {
        let numbers = row * self.columns..(row + 1) * self.columns;
        match &self.numbers {
            Numbers::Tensor(matrix) => &matrix.values()[numbers],
            Numbers::Kept(Kept::Floats(floats)) => &floats[numbers],
            Numbers::Kept(_) | Numbers::Packed(_) => {
                values.clear();
                self.extend(row..row + 1, values);
                values
            }
        }
    }

    /// Adds the numbers of some rows to `values`.
    pub fn extend(&self, rows: Range<usize>, values: &mut Vec<f32>) {
        let numbers = rows.start * self.columns..rows.end * self.columns;
        match &self.numbers {
            Numbers::Tensor(matrix) => values.extend_from_slice(&matrix.values()[numbers]),
            Numbers::Kept(Kept::Floats(floats)) => values.extend_from_slice(&floats[numbers]),
            Numbers::Packed(matrix) => {
                let panels = matrix.floats().expect("floats, as when it was made");
                for row in rows {
                    panels.extend(row, values);
                }
            }
            Numbers::Kept(Kept::Halves(halves)) => {
                let first = values.len();
                values.resize(first + numbers.len(), 0.0);
                halves[numbers].convert_to_f32_slice(&mut values[first..]);
            }
            Numbers::Kept(Kept::Bytes { bytes, scales }) => {
                let bytes = bytes[numbers].chunks_exact(self.columns.max(1));
                values.extend(bytes.zip(&scales[rows]).flat_map(|(row, scale)| {
                    let row = row.iter();
                    row.map(move |&byte| f32::from(byte) * scale)
                }));
            }
            Numbers::Kept(Kept::Integers(integers)) => {
                let step = 1.0 / integers.multiplier;
                let number = |byte: &i8| f32::from(*byte) * step;
                if integers.is_turned {
                    values.extend(rows.flat_map(|row| {
                        let row = integers.bytes.iter().skip(row).step_by(self.rows);
                        row.map(number)
                    }));
                } else {
                    values.extend(integers.bytes[numbers].iter().map(number));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Quantization;

    #[test]
    fn rows_are_the_numbers_that_were_kept() {
        let values = [0.5_f32, -2.0, 0.25, 64.0, -1.0, 3.0];
        let bytes = Kept::Bytes {
            bytes: vec![1, -4, 127, 2, -1, 3],
            scales: vec![0.5, 0.25, 1.0],
        };
        let scaled = [0.5, -2.0, 31.75, 0.5, -1.0, 3.0];
        let halves = values.map(f16::from_f32).to_vec();
        for (kept, expected) in [
            (Kept::Floats(values.to_vec()), values),
            (Kept::Halves(halves), values),
            (bytes, scaled),
        ] {
            let table = Table::kept(kept, [3, 2]);
            assert_eq!(*table.values(), expected);
            let mut row = vec![7.0];
            table.extend(1..2, &mut row);
            assert_eq!(row, [7.0, expected[2], expected[3]]);
            assert_eq!(table.row(2, &mut row), &expected[4..]);
            assert_eq!(*table.in_halves().values(), expected);
        }
        let table = Table::kept(Kept::Floats(values.to_vec()), [3, 2]);
        let [floats, bytes] = [Quantization::None, Quantization::Int8]
            .map(|how| Arc::new(PackedMatrix::transposed(&table, Some(&[9.0; 3]), how)));
        let shared = Table::from_outputs(&floats).expect("floats");
        assert_eq!((shared.rows(), shared.columns()), (3, 2));
        assert_eq!(*shared.values(), values);
        assert_eq!(shared.row(1, &mut Vec::new()), &values[2..4]);
        if bytes.num_bytes() < floats.num_bytes() {
            assert!(Table::from_outputs(&bytes).is_none(), "they are rounded");
        }
        let integers = |bytes: [i8; 6], is_turned| Integers {
            bytes: bytes.to_vec(),
            multiplier: 2.0,
            activations: None,
            is_turned,
        };
        for integers in [
            integers([1, 4, 2, 5, 3, -6], true),
            integers([1, 2, 3, 4, 5, -6], false),
        ] {
            let sizes = if integers.is_turned { [2, 3] } else { [3, 2] };
            let table = Table::kept(Kept::Integers(integers), sizes);
            assert_eq!(*table.values(), [0.5, 1.0, 1.5, 2.0, 2.5, -3.0]);
        }
        let large = Table::kept(Kept::Floats(vec![70_000.0, 1.0]), [1, 2]);
        assert_eq!(*large.in_halves().values(), [70_000.0, 1.0]);
    }
}
