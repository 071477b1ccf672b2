//! Embedding, positions and norm before the first layer of one side, in models of other programs.

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

use super::config::{ModelConfig, Positions};
use super::counting::Place;
use super::norm::Norm;
use canopy_kernels::select_rows;

/// Learned places and a norm; it has at least one of them.
#[derive(Module, Debug)]
pub struct InputLayer {
    /// `[size, d_model]`; places after the last have its vector.
    pub positions: Option<Param<Tensor<2>>>,
    /// Norm of the sum.
    pub norm: Option<Norm>,
}

impl InputLayer {
    /// None if the configuration has neither.
    pub fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let d_model = config.d_model;
        let positions = match config.positions {
            Positions::Learned { size } => {
                let distribution = Distribution::Normal(0.0, 0.02);
                let table = Tensor::random([size, d_model], distribution, device);
                Some(Param::from_tensor(table))
            }
            _ => None,
        };
        let variant = &config.variant;
        let norm = variant
            .embedding_norm
            .then(|| Norm::new(d_model, device).with_epsilon(variant.norm_epsilon));
        (positions.is_some() || norm.is_some()).then_some(Self { positions, norm })
    }

    /// # Shapes
    /// - words, output: `[rows, d_model]`
    pub fn forward(&self, mut words: Tensor<2>, positions: &[Place]) -> Tensor<2> {
        if let Some(table) = &self.positions {
            let table = table.val();
            let last = table.dims()[0] - 1;
            let rows = positions.iter().map(|&[word, ..]| word.min(last));
            words = words + select_rows(table, &rows.collect());
        }
        match &self.norm {
            Some(norm) => norm.forward(words),
            None => words,
        }
    }
}
