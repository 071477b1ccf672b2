//! Weights on a GPU.

use std::sync::Arc;

use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

use super::Gpu;
use crate::packed::Weights;

/// A linear map `x W + b` whose weights are on a GPU.
#[derive(Debug, Clone)]
pub struct GpuMatrix {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// `[inputs, outputs]`, rows padded to fours of numbers.
    pub(super) weights: wgpu::Buffer,
    /// `[outputs]`
    pub(super) bias: Option<wgpu::Buffer>,
    pub(super) has_halves: bool,
}

impl GpuMatrix {
    /// Weights `[inputs, outputs]` in 32 bits or, `in_halves`, in 16, and a bias `[outputs]` or none.
    ///
    /// # Panics
    /// As [`Gpu::room`].
    pub fn new(
        gpu: &Arc<Gpu>,
        [inputs, outputs]: [usize; 2],
        weights: Weights<'_>,
        bias: Option<&[f32]>,
        in_halves: bool,
    ) -> Self {
        let row_numbers = 4 * outputs.div_ceil(4);
        let mut padded = vec![0.0; inputs * row_numbers];
        let rows = padded.par_chunks_mut(row_numbers).enumerate();
        rows.for_each(|(row, numbers)| {
            let from = weights.values[row * weights.strides[0]..].iter();
            let from = from.step_by(weights.strides[1]);
            for (number, &value) in numbers[..outputs].iter_mut().zip(from) {
                *number = value;
            }
        });
        let weights = if in_halves {
            let mut halves = vec![f16::ZERO; padded.len()];
            halves.convert_from_f32_slice(&padded);
            let halves: &[u16] = halves.reinterpret_cast();
            gpu.filled(halves)
        } else {
            gpu.filled(&padded)
        };
        Self {
            inputs,
            outputs,
            weights,
            bias: bias.map(|bias| gpu.filled(bias)),
            has_halves: in_halves,
        }
    }

    /// Columns of the rows that it multiplies.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Columns of a product.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Keys of a datastore on a GPU, and the token that followed each.
///
/// Nearness of a state `q` and a key `k` is `q · k - |k|² / 2`: half of `|q|²` less their squared distance.
#[derive(Debug)]
pub struct GpuKeys {
    /// `[d_model, states]`
    pub(super) nearness: GpuMatrix,
    /// `[states]`
    pub(super) next: wgpu::Buffer,
}

impl GpuKeys {
    /// # Shapes
    /// - keys: `[states, d_model]`, row by row; squares: the squared length of each; next: the token that followed it
    ///
    /// # Panics
    /// As [`Gpu::room`].
    pub fn new(gpu: &Arc<Gpu>, keys: &[f32], squares: &[f32], next: &[u32]) -> Self {
        let (states, d_model) = (next.len(), keys.len() / next.len().max(1));
        let weights = Weights::transposed(keys, d_model);
        let bias: Vec<f32> = squares.iter().map(|square| -0.5 * square).collect();
        Self {
            nearness: GpuMatrix::new(gpu, [d_model, states], weights, Some(&bias), false),
            next: gpu.filled(next),
        }
    }

    /// Number of states to search.
    pub fn num_states(&self) -> usize {
        self.nearness.outputs
    }
}
