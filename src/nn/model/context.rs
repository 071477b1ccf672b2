//! Layers that join a sentence's own states with those of its context.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, §3.1 and
//! Eq. 8-9; the gate is Tu et al., "Learning to Remember Translation History with a Continuous Cache", TACL 2018.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor};

use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::linear::Linear;
use super::norm::Norm;
use canopy_kernels::{DropoutSource, dropout};

/// Sizes of a [`ContextGate`].
#[derive(Config, Debug)]
pub struct ContextGateConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Whether the gate has a bias, unlike Eq. 8, that lets the own state pass at first: it can be fine-tuned from a trained model.
    #[config(default = false)]
    pub warm: bool,
}

/// `σ(2) = 0.88` of the own state passes a warm gate at first: less, and the layer learns at the cost of what is known;
/// more, and it hardly learns.
pub const WARM: f32 = 2.0;

impl ContextGateConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> ContextGate {
        let projection = || Linear::without_bias(self.d_model, self.d_model, device);
        let mut own = projection();
        own.bias = self
            .warm
            .then(|| Param::from_tensor(Tensor::full([self.d_model], WARM, device)));
        ContextGate {
            own,
            context: projection(),
        }
    }
}

/// Chooses between own state and context, feature by feature.
#[derive(Module, Debug)]
pub struct ContextGate {
    /// `W_r`, `[d_model, d_model]`, and a bias if the gate is warm
    pub own: Linear,
    /// `W_d`, `[d_model, d_model]`
    pub context: Linear,
}

impl ContextGate {
    /// `γ = σ(r W_r + d W_d)`, Eq. 8: near 1 the own state passes, near 0 the context.
    ///
    /// # Shapes
    /// - own, context, output: `[rows, d_model]`
    pub fn gate(&self, own: Tensor<2>, context: Tensor<2>) -> Tensor<2> {
        sigmoid(self.own.forward(own) + self.context.forward(context))
    }

    /// `γ ⊙ r + (1 - γ) ⊙ d`, Eq. 9.
    ///
    /// # Shapes
    /// - own, context, output: `[rows, d_model]`
    pub fn forward(&self, own: Tensor<2>, context: Tensor<2>) -> Tensor<2> {
        let gate = self.gate(own.clone(), context.clone());
        gate * (own - context.clone()) + context
    }
}

/// Sizes of a [`ContextLayer`].
#[derive(Config, Debug)]
pub struct ContextLayerConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    /// Whether the gate has a bias that lets the own state pass at first.
    #[config(default = false)]
    pub warm_gate: bool,
}

impl ContextLayerConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> ContextLayer {
        ContextLayer {
            norm_attention: Norm::new(self.d_model, device),
            feed_forward: FeedForwardConfig::new(self.d_model, self.d_ff).init(device),
            norm_ff: Norm::new(self.d_model, device),
            gate: ContextGateConfig::new(self.d_model)
                .with_warm(self.warm_gate)
                .init(device),
        }
    }
}

/// The layer after the attention to the context: norms and feed-forward layer without residuals (footnote 2), then the
/// gate.
#[derive(Module, Debug)]
pub struct ContextLayer {
    /// Norm of the attention's output.
    pub norm_attention: Norm,
    /// Feed-forward layer after it.
    pub feed_forward: FeedForward,
    /// Norm of the feed-forward layer's output.
    pub norm_ff: Norm,
    /// Joins the output with the sentence's own states.
    pub gate: ContextGate,
}

impl ContextLayer {
    /// `norm(FFN(norm(recorder)))`, §3.1.
    ///
    /// # Shapes
    /// - attended, output: `[rows, d_model]`
    pub fn context(&self, recorder: Tensor<2>, drop: &DropoutSource) -> Tensor<2> {
        let normed = self.norm_attention.forward(dropout(recorder, drop.next()));
        self.norm_ff.forward(dropout(
            self.feed_forward.forward(normed, drop),
            drop.next(),
        ))
    }

    /// # Shapes
    /// - attended: the output of the attention to the context, `[rows, d_model]`
    /// - own, output: `[rows, d_model]`
    pub fn forward(&self, recorder: Tensor<2>, own: Tensor<2>, drop: &DropoutSource) -> Tensor<2> {
        let context = self.context(recorder, drop);
        self.gate.forward(own, context)
    }
}
