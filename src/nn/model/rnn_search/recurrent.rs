//! Gated recurrent units and the bidirectional encoder.
//!
//! Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, §3.2 and
//! appendix A.1.1; the cell is Cho et al., EMNLP 2014.

use std::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::activation::{sigmoid, tanh};
use burn::tensor::{Device, Tensor, TensorData};

use crate::model::linear::Linear;
use crate::model::rows::select_rows;

/// Sizes of a [`GruCell`].
#[derive(Config, Debug)]
pub struct GruCellConfig {
    /// Width of the input.
    pub d_input: usize,
    /// Width of the state.
    pub d_hidden: usize,
    /// Whether the update gate keeps the old state, as in libraries, instead of letting the new one in.
    #[config(default = false)]
    pub update_keeps: bool,
    /// Whether the reset gate acts after the product with `U`, as in libraries, instead of before.
    #[config(default = false)]
    pub reset_after: bool,
}

impl GruCellConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> GruCell {
        let gate = || Gate {
            input: Linear::new(self.d_input, self.d_hidden, device),
            state: Linear::without_bias(self.d_hidden, self.d_hidden, device),
        };
        GruCell {
            update: gate(),
            reset: gate(),
            candidate: gate(),
            update_keeps: self.update_keeps,
            reset_after: self.reset_after,
        }
    }
}

/// `x W + b` and `h U` of one gate.
#[derive(Module, Debug)]
pub struct Gate {
    /// `[d_input, d_hidden]` and `[d_hidden]`
    pub input: Linear,
    /// `[d_hidden, d_hidden]`
    pub state: Linear,
}

/// A gated recurrent unit.
#[derive(Module, Debug)]
pub struct GruCell {
    /// How much of the state is replaced.
    pub update: Gate,
    /// How much of the old state the candidate reads.
    pub reset: Gate,
    /// The candidate for the new state.
    pub candidate: Gate,
    /// Whether the update gate keeps the old state instead of letting the new one in.
    pub update_keeps: bool,
    /// Whether the reset gate acts after the product with `U` instead of before.
    pub reset_after: bool,
}

/// `x W + b` of update gate, reset gate and candidate, each `[rows, d_hidden]`.
#[derive(Debug, Clone)]
pub struct GruInput {
    update: Tensor<2>,
    reset: Tensor<2>,
    candidate: Tensor<2>,
}

impl GruInput {
    fn select(&self, rows: &[usize]) -> Self {
        let select = |x: &Tensor<2>| select_rows(x.clone(), rows);
        Self {
            update: select(&self.update),
            reset: select(&self.reset),
            candidate: select(&self.candidate),
        }
    }
}

impl GruCell {
    /// The part of a step that does not depend on the state, for all tokens at once.
    ///
    /// # Shapes
    /// - x: `[rows, d_input]`
    pub fn project(&self, x: Tensor<2>) -> GruInput {
        GruInput {
            update: self.update.input.forward(x.clone()),
            reset: self.reset.input.forward(x.clone()),
            candidate: self.candidate.input.forward(x),
        }
    }

    /// `z = σ(x W_z + h U_z + b_z)`, `r` likewise, candidate `tanh(x W_h + b_h + (r ⊙ h) U_h)`, next state
    /// `(1 - z) ⊙ h + z ⊙ candidate`.
    ///
    /// # Shapes
    /// - h, output: `[rows, d_hidden]`
    pub fn step(&self, x: GruInput, h: Tensor<2>) -> Tensor<2> {
        let update = sigmoid(x.update + self.update.state.forward(h.clone()));
        let reset = sigmoid(x.reset + self.reset.state.forward(h.clone()));
        let remembered = if self.reset_after {
            reset * self.candidate.state.forward(h.clone())
        } else {
            self.candidate.state.forward(reset * h.clone())
        };
        let candidate = tanh(x.candidate + remembered);
        if self.update_keeps {
            update * (h - candidate.clone()) + candidate
        } else {
            update * (candidate - h.clone()) + h
        }
    }

    /// One step from the tokens `x` and the states `h`.
    ///
    /// # Shapes
    /// - x: `[rows, d_input]`; h, output: `[rows, d_hidden]`
    pub fn forward(&self, x: Tensor<2>, h: Tensor<2>) -> Tensor<2> {
        self.step(self.project(x), h)
    }

    /// The state after every token of every sentence, read from its beginning or from its end; the first state is 0.
    ///
    /// # Shapes
    /// - x: `[rows, d_input]`
    /// - output: `[rows, d_hidden]`; rows of no sentence are 0
    fn run(&self, x: Tensor<2>, sentences: &[Range<usize>], backwards: bool) -> Tensor<2> {
        let ([rows, _], device) = (x.dims(), x.device());
        let [_, d_hidden] = self.update.state.weight.dims();
        let longest = sentences.iter().map(Range::len).max().unwrap_or(0);
        let word = |sentence: &Range<usize>, time: usize| {
            if backwards {
                sentence.end - 1 - time
            } else {
                sentence.start + time
            }
        };
        let inputs = self.project(x);
        // Only sentences that still have a token take a step: the longest come first and stay to the end.
        let mut order: Vec<&Range<usize>> = sentences.iter().collect();
        order.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
        let mut h = Tensor::zeros([order.len(), d_hidden], &device);
        let mut states = Vec::with_capacity(longest + 1);
        // Which of all computed states belongs to each row; the last one is 0.
        let mut positions = vec![None; rows];
        let mut num_states = 0;
        for time in 0..longest {
            let active = order.partition_point(|sentence| sentence.len() > time);
            let words: Vec<usize> = order[..active]
                .iter()
                .map(|sentence| word(sentence, time))
                .collect();
            h = self.step(inputs.select(&words), h.narrow(0, 0, active));
            states.push(h.clone());
            for (index, row) in words.into_iter().enumerate() {
                positions[row] = Some(num_states + index);
            }
            num_states += active;
        }
        states.push(Tensor::from_data(
            TensorData::new(vec![0.0_f32; d_hidden], [1, d_hidden]),
            &device,
        ));
        let positions: Vec<usize> = positions
            .into_iter()
            .map(|position| position.unwrap_or(num_states))
            .collect();
        select_rows(Tensor::cat(states, 0), &positions)
    }
}

/// Sizes of a [`BidirectionalEncoder`].
#[derive(Config, Debug)]
pub struct BidirectionalEncoderConfig {
    /// Width of the input.
    pub d_input: usize,
    /// Width of the state of either direction.
    pub d_hidden: usize,
}

impl BidirectionalEncoderConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> BidirectionalEncoder {
        let cell = GruCellConfig::new(self.d_input, self.d_hidden);
        BidirectionalEncoder {
            forward: cell.init(device),
            backward: cell.init(device),
        }
    }
}

/// One unit that reads a sentence from its beginning and one that reads it from its end.
#[derive(Module, Debug)]
pub struct BidirectionalEncoder {
    /// Reads from the beginning.
    pub forward: GruCell,
    /// Reads from the end.
    pub backward: GruCell,
}

impl BidirectionalEncoder {
    /// `h_j = [forward state; backward state]` of every token, §3.2.
    ///
    /// # Shapes
    /// - x: `[rows, d_input]`
    /// - output: `[rows, 2 · d_hidden]`; rows of no sentence are 0
    pub fn encode(&self, x: Tensor<2>, sentences: &[Range<usize>]) -> Tensor<2> {
        let forward = self.forward.run(x.clone(), sentences, false);
        Tensor::cat(vec![forward, self.backward.run(x, sentences, true)], 1)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn sentences_of_a_batch_do_not_see_each_other_or_what_lies_between() {
        let device = Device::flex();
        device.seed(31);
        let encoder = BidirectionalEncoderConfig::new(5, 3).init(&device);
        let words = Tensor::<2>::random([12, 5], Distribution::Normal(0.0, 1.0), &device);
        let together = encoder.encode(words.clone(), &[0..2, 3..8, 9..9, 9..12]);
        for sentence in [0..2, 3..8, 9..12] {
            let alone = words.clone().narrow(0, sentence.start, sentence.len());
            let want = encoder.encode(alone, std::slice::from_ref(&(0..sentence.len())));
            let got = together.clone().narrow(0, sentence.start, sentence.len());
            let difference = (got - want).abs().max().into_scalar::<f32>();
            assert!(difference < 1e-6, "{sentence:?} differs by {difference}");
        }
    }
}
