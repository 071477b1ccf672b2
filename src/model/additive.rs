//! Additive attention: the alignment model of RNNSearch.
//!
//! Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, Eq. 5-6 and
//! appendix A.1.2.

#![expect(
    clippy::struct_field_names,
    reason = "Config copies the fields of a struct of widths into a private one"
)]

use std::ops::Range;

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::{softmax, tanh};
use burn::tensor::{Device, Distribution, Tensor, TensorData};

use super::attention::projection;
use super::documents::select_rows;

/// Sizes of an [`AdditiveAttention`] layer.
#[derive(Config, Debug)]
pub struct AdditiveAttentionConfig {
    pub d_state: usize,
    pub d_annotation: usize,
    pub d_attention: usize,
}

impl AdditiveAttentionConfig {
    pub fn init(&self, device: &Device) -> AdditiveAttention {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (self.d_attention as f64).powf(-0.5);
        AdditiveAttention {
            state: projection(self.d_state, self.d_attention, device),
            annotation: projection(self.d_annotation, self.d_attention, device),
            score: Param::from_tensor(Tensor::random(
                [self.d_attention],
                Distribution::Normal(0.0, deviation),
                device,
            )),
        }
    }
}

/// A layer with one hidden layer that scores a state against every annotation.
#[derive(Module, Debug)]
pub struct AdditiveAttention {
    /// `W_a`, `[d_state, d_attention]`
    pub state: Linear,
    /// `U_a`, `[d_annotation, d_attention]`
    pub annotation: Linear,
    /// `v_a`, `[d_attention]`
    pub score: Param<Tensor<1>>,
}

/// What one state per sentence attends to; sentences are padded to the longest one.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// `[sentences, longest]`, below -1e8 where there is no word.
    pub scores: Tensor<2>,
    /// `[sentences, longest]`, 0 where there is no word.
    pub weights: Tensor<2>,
    /// `[sentences, d_annotation]`
    pub context: Tensor<2>,
}

impl AdditiveAttention {
    /// `h_j U_a` of every annotation: the same for all steps of the decoder.
    ///
    /// # Shapes
    /// - annotations: `[rows, d_annotation]`
    /// - output: `[rows, d_attention]`
    pub fn project(&self, annotations: Tensor<2>) -> Tensor<2> {
        self.annotation.forward(annotations)
    }

    /// `e_j = v_a · tanh(s W_a + h_j U_a)`, `α = softmax(e)`, context `Σ α_j h_j`; without words the context is 0.
    ///
    /// # Shapes
    /// - state: one previous decoder state for each of `sentences`, `[sentences, d_state]`
    /// - annotations: `[rows, d_annotation]`; projected: of [`Self::project`]
    pub fn forward(
        &self,
        state: Tensor<2>,
        annotations: Tensor<2>,
        projected: Tensor<2>,
        sentences: &[Range<usize>],
    ) -> Alignment {
        let ([count, _], [_, d_annotation], device) =
            (state.dims(), annotations.dims(), state.device());
        assert_eq!(
            count,
            sentences.len(),
            "{count} states for {} sentences",
            sentences.len()
        );
        let [_, d_attention] = projected.dims();
        let longest = sentences.iter().map(Range::len).max().unwrap_or(0).max(1);
        let (rows, mask) = padded(sentences, longest);
        let mask = Tensor::<2>::from_data(TensorData::new(mask, [count, longest]), &device);
        let keys = select_rows(projected, &rows).reshape([count, longest, d_attention]);
        let hidden = tanh(keys + self.state.forward(state).unsqueeze_dim(1));
        let scores = (hidden * self.score.val().unsqueeze::<3>())
            .sum_dim(2)
            .squeeze_dim::<2>(2);
        let scores = scores + (mask.clone() - 1.0) * 1e9;
        let weights = softmax(scores.clone(), 1) * mask;
        let values = select_rows(annotations, &rows).reshape([count, longest, d_annotation]);
        let context = weights
            .clone()
            .unsqueeze_dim::<3>(1)
            .matmul(values)
            .squeeze_dim(1);
        Alignment {
            scores,
            weights,
            context,
        }
    }
}

/// Rows of all sentences padded to the longest one, and which of them are words.
fn padded(sentences: &[Range<usize>], longest: usize) -> (Vec<usize>, Vec<f32>) {
    let padded = sentences.iter().flat_map(|sentence| {
        // Any row serves as padding; an empty sentence may begin where the matrix ends.
        let filler = if sentence.is_empty() {
            0
        } else {
            sentence.start
        };
        let words = sentence.clone().map(|row| (row, 1.0));
        words.chain(std::iter::repeat((filler, 0.0))).take(longest)
    });
    padded.unzip()
}
