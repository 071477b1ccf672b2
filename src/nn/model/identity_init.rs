//! The first weights of a context that is fine-tuned from a trained model: tokens read what resembles them.
//!
//! With random weights nothing that a context layer reads is of use, so its gate closes before the layer has learnt
//! anything. All projections begin as identities instead: a sentence is the mean of its tokens, its relevance is its
//! likeness to the token, and the context is the mean of the tokens that are alike.

use burn::module::Param;
use burn::tensor::Tensor;

use super::attention::MultiHeadAttention;
use super::feed_forward::FeedForward;
use super::linear::Linear;
use super::source2token::Source2Token;

impl MultiHeadAttention {
    pub(super) fn init_identity(&mut self) {
        for projection in [
            &mut self.query,
            &mut self.key,
            &mut self.value,
            &mut self.output,
        ] {
            set_to_identity(projection);
        }
    }
}

impl Source2Token {
    /// Begins as the mean: keys of zero make all tokens alike.
    pub(super) fn average(&mut self) {
        self.key.weight = parameter(self.key.weight.val().zeros_like());
        set_to_identity(&mut self.value);
        set_to_identity(&mut self.output);
    }
}

impl FeedForward {
    /// Begins as `relu(x) - relu(-x) = x`, where it is wide enough; what is left of the width adds nothing at first.
    pub(super) fn pass_on(&mut self) {
        let inner = self.inner.weight.val();
        let [d_model, d_ff] = inner.dims();
        if d_ff < 2 * d_model {
            return;
        }
        let (one, device) = (Tensor::<2>::eye(d_model, &inner.device()), inner.device());
        let minus = one.clone().neg();
        let (mut forth, mut back) = (vec![one.clone(), minus.clone()], vec![one, minus]);
        let rest = d_ff - 2 * d_model;
        if rest > 0 {
            forth.push(inner.narrow(1, 2 * d_model, rest));
            back.push(Tensor::zeros([rest, d_model], &device));
        }
        self.inner.weight = parameter(Tensor::cat(forth, 1));
        self.outer.weight = parameter(Tensor::cat(back, 0));
        for bias in [&mut self.inner.bias, &mut self.outer.bias]
            .into_iter()
            .flatten()
        {
            *bias = parameter(bias.val().zeros_like());
        }
    }
}

/// Replaces a square map.
pub(super) fn set_to_identity(linear: &mut Linear) {
    let [d_input, d_output] = linear.weight.dims();
    assert_eq!(d_input, d_output, "only square maps can be identities");
    let one = Tensor::<2>::eye(d_input, &linear.weight.val().device());
    linear.weight = parameter(one);
}

/// A parameter that learns, whatever made the tensor.
pub(super) fn parameter<const D: usize>(tensor: Tensor<D>) -> Param<Tensor<D>> {
    Param::from_tensor(tensor.detach())
}
