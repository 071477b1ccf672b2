//! The position-wise feed-forward layer.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, Eq. 2: `relu(x W₁ + b₁) W₂ + b₂`; other programs put other
//! functions in the middle.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::activation::{sigmoid, silu, tanh};
use burn::tensor::{Device, Tensor};

use super::config::ModelConfig;
use super::linear::Linear;
use super::variant::Activation;
use canopy_kernels::{DropoutSource, dropout, gelu, relu_dropout};

/// Sizes of a [`FeedForward`] layer.
#[derive(Config, Debug)]
pub struct FeedForwardConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    /// The function between the two maps.
    #[config(default = "Activation::Relu")]
    pub activation: Activation,
}

impl FeedForwardConfig {
    /// Configuration of a Transformer's layer.
    pub(super) fn from_model(config: &ModelConfig) -> Self {
        Self::new(config.d_model, config.d_ff).with_activation(config.variant.activation)
    }

    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> FeedForward {
        FeedForward {
            inner: Linear::new(self.d_model, self.d_ff, device),
            outer: Linear::new(self.d_ff, self.d_model, device),
            activation: self.activation,
        }
    }
}

/// Two linear maps with a function, most often a rectifier, between them.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// `[d_model, d_ff]` and `[d_ff]`
    pub inner: Linear,
    /// `[d_ff, d_model]` and `[d_model]`
    pub outer: Linear,
    /// The function between the two maps.
    #[module(skip)]
    pub activation: Activation,
}

impl FeedForward {
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn forward(&self, x: Tensor<2>, drop: &DropoutSource) -> Tensor<2> {
        let inner = self.inner.forward(x);
        let inner = match self.activation {
            Activation::Relu => relu_dropout(inner, drop.next()),
            other => dropout(other.apply(inner), drop.next()),
        };
        self.outer.forward(inner)
    }
}

impl Activation {
    /// # Shapes
    /// - x, output: `[rows, columns]`
    pub fn apply(self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Relu => relu_dropout(x, None),
            Self::Swish => silu(x),
            Self::Gelu => gelu(x),
            Self::GeluTanh => {
                let inner =
                    (x.clone().powi_scalar(3) * 0.044_715 + x.clone()) * ROOT_OF_TWO_OVER_PI;
                x * (tanh(inner) + 1.0) * 0.5
            }
            Self::GeluSigmoid => x.clone() * sigmoid(x * 1.702),
            Self::Tanh => tanh(x),
            Self::Sigmoid => sigmoid(x),
        }
    }
}

const ROOT_OF_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_have_their_known_values() {
        let device = Device::flex();
        let x = || Tensor::<2>::from_data([[-1.0_f32, 0.0, 2.0]], &device);
        for (activation, expected) in [
            (Activation::Relu, [0.0_f32, 0.0, 2.0]),
            (Activation::Swish, [-0.268_941, 0.0, 1.761_594]),
            (Activation::Gelu, [-0.158_655, 0.0, 1.954_5]),
            (Activation::GeluTanh, [-0.158_808, 0.0, 1.954_598]),
            (Activation::GeluSigmoid, [-0.154_204, 0.0, 1.935_659]),
            (Activation::Tanh, [-0.761_594, 0.0, 0.964_028]),
            (Activation::Sigmoid, [0.268_941, 0.5, 0.880_797]),
        ] {
            let found = activation.apply(x()).into_data().try_into_vec::<f32>();
            for (found, expected) in found.expect("floats").into_iter().zip(expected) {
                assert!((found - expected).abs() < 2e-6, "{activation:?}: {found}");
            }
        }
    }
}
