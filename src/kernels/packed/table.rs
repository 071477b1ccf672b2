//! A matrix of burn's CPU backend as a plain table.

use burn::tensor::Tensor;

use crate::kernels::cpu::{Matrix, matrix};

/// The numbers of a tensor, which are shared with it.
#[derive(Debug, Clone)]
pub struct Table(Matrix);

impl Table {
    /// # Panics
    /// If the tensor is another device's, or learns.
    pub fn new<const D: usize>(tensor: Tensor<D>) -> Self {
        Self(matrix(tensor))
    }

    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    pub fn columns(&self) -> usize {
        self.0.columns()
    }

    /// Row by row.
    pub fn values(&self) -> &[f32] {
        self.0.values()
    }

    pub fn row(&self, row: usize) -> &[f32] {
        let columns = self.columns();
        &self.values()[row * columns..][..columns]
    }
}
