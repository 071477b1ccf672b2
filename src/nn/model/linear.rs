//! Linear maps.

use burn::module::{Module, Param};
use burn::nn::LinearConfig;
use burn::tensor::{Device, Tensor};

use canopy_kernels::linear;

/// `x W + b`, or `x W` without bias; in 16 bits where a training says so.
#[derive(Module, Debug)]
pub struct Linear {
    /// `[inputs, outputs]`
    pub weight: Param<Tensor<2>>,
    /// `[outputs]`
    pub bias: Option<Param<Tensor<1>>>,
}

impl Linear {
    /// Uniform random weights and biases of up to `1 / √inputs`.
    pub fn new(inputs: usize, outputs: usize, device: &Device) -> Self {
        Self::from_config(&LinearConfig::new(inputs, outputs), device)
    }

    /// A projection without bias.
    pub fn without_bias(inputs: usize, outputs: usize, device: &Device) -> Self {
        Self::from_config(&LinearConfig::new(inputs, outputs).with_bias(false), device)
    }

    fn from_config(config: &LinearConfig, device: &Device) -> Self {
        let burn::nn::Linear { weight, bias } = config.init(device);
        Self { weight, bias }
    }

    /// # Shapes
    /// - x: `[rows, inputs]`; output: `[rows, outputs]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        linear(x, self.weight.val(), self.bias.as_ref().map(Param::val))
    }
}
