//! Rows of a matrix by a list of their numbers.

use burn::tensor::Tensor;

use canopy_kernels as kernels;

/// The named rows of `x`.
///
/// # Shapes
/// - x: `[rows, d_model]`
/// - output: `[numbers, d_model]`
pub(super) fn select_rows(x: Tensor<2>, numbers: &[usize]) -> Tensor<2> {
    kernels::select_rows(x, &numbers.iter().copied().collect())
}
