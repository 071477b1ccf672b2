//! Layer normalisation with its parameters.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::config::{ModelConfig, NormPosition};
use super::variant::Variant;
use canopy_kernels::{Dropout, DropoutSource, dropout};

/// γ and β of one layer normalisation.
#[derive(Module, Debug)]
pub struct Norm {
    /// `[d_model]`
    pub gamma: Param<Tensor<1>>,
    /// `[d_model]`
    pub beta: Param<Tensor<1>>,
    /// Added to the variance; others use other values.
    pub epsilon: f32,
}

impl Norm {
    /// Creates a norm over `d_model` features that scales by 1 and shifts by 0.
    pub fn new(d_model: usize, device: &Device) -> Self {
        Self {
            gamma: Param::from_tensor(Tensor::ones([d_model], device)),
            beta: Param::from_tensor(Tensor::zeros([d_model], device)),
            epsilon: Variant::EPSILON,
        }
    }

    /// A norm of a Transformer's layer.
    pub(super) fn from_config(config: &ModelConfig, device: &Device) -> Self {
        Self::new(config.d_model, device).with_epsilon(config.variant.norm_epsilon)
    }

    /// Replaces ε, which is added to the variance.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f32) -> Self {
        Self { epsilon, ..self }
    }

    /// Normalises every row of `x` `[rows, d_model]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        canopy_kernels::layer_norm(x, self.gamma.val(), self.beta.val(), self.epsilon)
    }

    /// `norm(x + dropout(branch))`, both `[rows, d_model]`.
    pub fn add(&self, x: Tensor<2>, branch: Tensor<2>, mask: Option<Dropout>) -> Tensor<2> {
        let (gamma, beta) = (self.gamma.val(), self.beta.val());
        canopy_kernels::add_norm(x, branch, mask, gamma, beta, self.epsilon)
    }

    /// `x` and what `branch` makes of it: `norm(x + branch(x))`, Vaswani et al. 2017, or `x + branch(norm(x))`, Xiong et al.
    /// 2020, with dropout on the branch.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn residual(
        &self,
        position: NormPosition,
        x: Tensor<2>,
        drop: &DropoutSource,
        branch: impl FnOnce(Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        match position {
            NormPosition::Post => {
                let branch = branch(x.clone());
                self.add(x, branch, drop.next())
            }
            NormPosition::Pre => {
                let branch = branch(self.forward(x.clone()));
                x + dropout(branch, drop.next())
            }
        }
    }
}
