//! Rows of a matrix by their numbers.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::kernels;

/// Row numbers as a tensor `[rows]`.
pub(super) fn indices(
    rows: impl ExactSizeIterator<Item = usize>,
    device: &Device,
) -> Tensor<1, Int> {
    let len = rows.len();
    let rows: Vec<i32> = rows
        .map(|row| i32::try_from(row).expect("rows fit 31 bits"))
        .collect();
    Tensor::from_data(TensorData::new(rows, [len]), device)
}

/// The named rows of `x`.
///
/// # Shapes
/// - x: `[rows, d_model]`
/// - output: `[numbers, d_model]`
pub(super) fn select_rows(x: Tensor<2>, numbers: &[usize]) -> Tensor<2> {
    kernels::select_rows(x, &numbers.iter().copied().collect())
}
