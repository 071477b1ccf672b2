//! The operation on the CPU: heads side by side, rows within a head side by side in the forward pass.

use std::sync::Arc;

use pulp::Arch;
use rayon::prelude::*;

use super::{SelectedAttention, SelectedWeights};
use crate::cpu::{CpuOperation, Matrix};

/// The forward pass as the backward pass needs it.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    inputs: [Matrix; 5],
    /// For each head the weights of every row.
    weights: Arc<Vec<Vec<SelectedWeights>>>,
}

impl CpuOperation<5> for SelectedAttention {
    type Saved = Saved;

    fn forward(&self, inputs: [Matrix; 5]) -> (Matrix, Saved) {
        let (rows, d_v) = (inputs[0].rows(), inputs[2].columns());
        let width = d_v / self.num_heads;
        let heads: Vec<(Vec<f32>, Vec<SelectedWeights>)> = (0..self.num_heads)
            .into_par_iter()
            .map(|number| {
                let head = self.head(number, inputs.each_ref().map(Matrix::values));
                let mut output = vec![0.0_f32; rows * width];
                let rows = output.par_chunks_exact_mut(width).enumerate();
                let weights = rows.map(|(row, output)| {
                    let chosen = &self.chosen[row * self.num_heads + number];
                    let weights = head.read(row, chosen);
                    head.context(row, chosen, &weights, output);
                    weights
                });
                let weights = weights.collect();
                (output, weights)
            })
            .collect();
        let (outputs, weights): (Vec<_>, Vec<_>) = heads.into_iter().unzip();
        (
            Matrix::from_rows(side_by_side(&outputs, width), rows),
            Saved {
                inputs,
                weights: Arc::new(weights),
            },
        )
    }

    fn backward(&self, saved: Saved, gradient: Matrix) -> [Matrix; 5] {
        let inputs = saved.inputs.each_ref().map(Matrix::values);
        let d_v = gradient.columns();
        let width = d_v / self.num_heads;
        // Rows share the keys of a head, so their gradients add up in order and only heads run side by side.
        let heads: Vec<[Vec<f32>; 5]> = (0..self.num_heads)
            .into_par_iter()
            .map(|number| {
                let head = self.head(number, inputs);
                let mut gradients = inputs.map(|input| vec![0.0_f32; input.len() / self.num_heads]);
                for (row, gradient) in gradient.values().chunks_exact(d_v).enumerate() {
                    let chosen = &self.chosen[row * self.num_heads + number];
                    let gradient = &gradient[number * width..(number + 1) * width];
                    let weights = &saved.weights[number][row];
                    Arch::new().dispatch(
                        #[inline(always)]
                        || head.backward(row, chosen, weights, gradient, &mut gradients),
                    );
                }
                gradients
            })
            .collect();
        let widths = self.head_widths([saved.inputs[0].columns(), d_v]);
        std::array::from_fn(|input| {
            let heads: Vec<&[f32]> = heads.iter().map(|head| head[input].as_slice()).collect();
            Matrix::from_rows(
                side_by_side(&heads, widths[input]),
                saved.inputs[input].rows(),
            )
        })
    }
}

/// The rows of all heads as one matrix.
fn side_by_side<T: AsRef<[f32]>>(heads: &[T], width: usize) -> Vec<f32> {
    let rows = heads
        .first()
        .map_or(0, |head| head.as_ref().len() / width.max(1));
    let mut output = Vec::with_capacity(rows * width * heads.len());
    for row in 0..rows {
        for head in heads {
            output.extend_from_slice(&head.as_ref()[row * width..(row + 1) * width]);
        }
    }
    output
}
