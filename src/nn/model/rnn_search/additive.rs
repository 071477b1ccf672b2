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
use burn::tensor::{Device, Distribution, Tensor};

use crate::model::linear::Linear;
use canopy_kernels::{additive_alignment, additive_context};

pub use canopy_kernels::Alignment;

/// Sizes of an [`AdditiveAttention`] layer.
#[derive(Config, Debug)]
pub struct AdditiveAttentionConfig {
    /// Width of the decoder's state.
    pub d_state: usize,
    /// Width of the encoder's annotations.
    pub d_annotation: usize,
    /// Width of the layer between them.
    pub d_attention: usize,
}

impl AdditiveAttentionConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> AdditiveAttention {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (self.d_attention as f64).powf(-0.5);
        AdditiveAttention {
            state: Linear::without_bias(self.d_state, self.d_attention, device),
            annotation: Linear::without_bias(self.d_annotation, self.d_attention, device),
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

impl AdditiveAttention {
    /// `h_j U_a` of every annotation: the same for all steps of the decoder.
    ///
    /// # Shapes
    /// - annotations: `[rows, d_annotation]`
    /// - output: `[rows, d_attention]`
    pub fn project(&self, annotations: Tensor<2>) -> Tensor<2> {
        self.annotation.forward(annotations)
    }

    /// `e_j = v_a · tanh(s W_a + h_j U_a)`, `α = softmax(e)`, context `Σ α_j h_j`; without tokens the context is 0.
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
        assert_eq!(state.dims()[0], sentences.len(), "states and sentences");
        let query = self.state.forward(state);
        additive_alignment(query, projected, annotations, self.score.val(), sentences)
    }

    /// The context of [`Self::forward`] alone, faster; two sentences are the same or share no row.
    ///
    /// # Shapes
    /// - output: `[sentences, d_annotation]`
    pub fn context(
        &self,
        state: Tensor<2>,
        annotations: Tensor<2>,
        projected: Tensor<2>,
        sentences: &[Range<usize>],
    ) -> Tensor<2> {
        let query = self.state.forward(state);
        additive_context(query, projected, annotations, self.score.val(), sentences)
    }
}
