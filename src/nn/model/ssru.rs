//! The simpler simple recurrent unit, in place of a decoder's self-attention.
//!
//! Kim et al., "From Research to Production and Back: Ludicrously Fast Neural Machine Translation", WNGT 2019, §2.2:
//! `f = σ(x W_f + b_f)`, `c = f ∘ c' + (1 - f) ∘ x W`, `h = max(0, c)`.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::activation::{relu, sigmoid};
use burn::tensor::{Device, Tensor};

use super::linear::Linear;
use super::rows::select_rows;

/// The unit of one decoder layer.
#[derive(Module, Debug)]
pub struct Ssru {
    /// `[d_model, d_model]`, without bias.
    pub input: Linear,
    /// `[d_model, d_model]` and `[d_model]`
    pub forget: Linear,
}

impl Ssru {
    /// Initialises a unit of width `d_model` with random weights on `device`.
    pub fn new(d_model: usize, device: &Device) -> Self {
        Self {
            input: Linear::without_bias(d_model, d_model, device),
            forget: Linear::new(d_model, d_model, device),
        }
    }

    /// The candidate and the forget gate of each token.
    fn gates(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let keep = sigmoid(self.forget.forward(x.clone()));
        let added = self.input.forward(x) * (keep.clone().neg() + 1.0);
        (added, keep)
    }

    /// One word for every hypothesis; the first cell is zero.
    ///
    /// # Shapes
    /// - x, cell, outputs: `[hypotheses, d_model]`; the outputs are the states and the new cells
    pub fn step(&self, x: Tensor<2>, cell: Option<Tensor<2>>) -> (Tensor<2>, Tensor<2>) {
        let (added, keep) = self.gates(x);
        let cell = match cell {
            Some(cell) => keep * cell + added,
            None => added,
        };
        (relu(cell.clone()), cell)
    }

    /// All words of whole sentences, which cover all rows.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn forward(&self, x: Tensor<2>, sentences: &[Range<usize>]) -> Tensor<2> {
        let [rows, _] = x.dims();
        let (added, keep) = self.gates(x);
        // Only sentences that still have a word take a step: the longest come first and stay to the end.
        let mut order: Vec<&Range<usize>> = sentences.iter().collect();
        order.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
        let longest = order.first().map_or(0, |sentence| sentence.len());
        let (mut cell, mut cells) = (None::<Tensor<2>>, Vec::with_capacity(longest));
        let (mut places, mut computed) = (vec![0; rows], 0);
        for time in 0..longest {
            let active = order.partition_point(|sentence| sentence.len() > time);
            let words: Vec<usize> = order[..active]
                .iter()
                .map(|sentence| sentence.start + time)
                .collect();
            let added = select_rows(added.clone(), &words);
            let next = match cell {
                Some(cell) => select_rows(keep.clone(), &words) * cell.narrow(0, 0, active) + added,
                None => added,
            };
            for (index, row) in words.into_iter().enumerate() {
                places[row] = computed + index;
            }
            computed += active;
            cells.push(next.clone());
            cell = Some(next);
        }
        if cells.is_empty() {
            return added;
        }
        relu(select_rows(Tensor::cat(cells, 0), &places))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn whole_sentences_are_as_word_by_word() {
        let device = Device::flex();
        device.seed(7);
        let unit = Ssru::new(6, &device);
        let x = Tensor::<2>::random([7, 6], Distribution::Normal(0.0, 1.0), &device);
        let sentences = [0..2, 2..6, 6..7];
        let whole = unit.forward(x.clone(), &sentences);
        for sentence in sentences {
            let mut cell = None;
            for row in sentence {
                let (state, next) = unit.step(x.clone().narrow(0, row, 1), cell);
                cell = Some(next);
                let difference = state - whole.clone().narrow(0, row, 1);
                let difference = difference.abs().max().into_scalar::<f32>();
                assert!(difference < 1e-6, "row {row} differs by {difference}");
            }
        }
    }
}
