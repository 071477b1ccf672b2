//! Weights on a graphics card.

use std::sync::Arc;

use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

use super::Card;
use crate::packed::Weights;

/// A linear map `x W + b` whose weights are on a graphics card.
#[derive(Debug, Clone)]
pub struct CardMatrix {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// `[inputs, outputs]`, rows padded to fours of numbers.
    pub(super) weights: wgpu::Buffer,
    /// `[outputs]`
    pub(super) bias: Option<wgpu::Buffer>,
    pub(super) has_halves: bool,
}

impl CardMatrix {
    /// Weights `[inputs, outputs]` in 32 bits or, `in_halves`, in 16, and a bias `[outputs]` or none.
    ///
    /// # Panics
    /// As [`Card::room`].
    pub fn new(
        card: &Arc<Card>,
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
            card.filled(halves)
        } else {
            card.filled(&padded)
        };
        Self {
            inputs,
            outputs,
            weights,
            bias: bias.map(|bias| card.filled(bias)),
            has_halves: in_halves,
        }
    }

    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Keys of a datastore on a graphics card, and the token that followed each.
///
/// Nearness of a state `q` and a key `k` is `q · k - |k|² / 2`: half of `|q|²` less their squared distance.
#[derive(Debug)]
pub struct CardKeys {
    /// `[d_model, states]`
    pub(super) nearness: CardMatrix,
    /// `[states]`
    pub(super) next: wgpu::Buffer,
}

impl CardKeys {
    /// # Shapes
    /// - keys: `[states, d_model]`, row by row; squares: the squared length of each; next: the token that followed it
    ///
    /// # Panics
    /// As [`Card::room`].
    pub fn new(card: &Arc<Card>, keys: &[f32], squares: &[f32], next: &[u32]) -> Self {
        let (states, d_model) = (next.len(), keys.len() / next.len().max(1));
        let weights = Weights::transposed(keys, d_model);
        let bias: Vec<f32> = squares.iter().map(|square| -0.5 * square).collect();
        Self {
            nearness: CardMatrix::new(card, [d_model, states], weights, Some(&bias), false),
            next: card.filled(next),
        }
    }

    pub fn num_states(&self) -> usize {
        self.nearness.outputs
    }
}
