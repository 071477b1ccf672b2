//! Adam over the parameters of a module, by name.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with β₁ 0.9, β₂ 0.98, ε 1e-9 as in Vaswani et al. 2017, §5.3.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

use super::mixed_precision::MomentPrecision;
use crate::kernels::{AdamStep, Moments, adam, square_sum};
use crate::weights::NamedTensors;

const BETAS: (f64, f64) = (0.9, 0.98);
const EPSILON: f64 = 1e-9;

/// Adam's memory: for every parameter the running means of its gradient and of the gradient's square.
#[derive(Debug, Clone, Default)]
pub struct Adam {
    /// Updates so far.
    step: i32,
    precision: MomentPrecision,
    moments: BTreeMap<String, Moments>,
}

impl Adam {
    /// Before the first update.
    pub fn new(precision: MomentPrecision) -> Self {
        Self {
            precision,
            ..Self::default()
        }
    }

    /// One update with gradients of a loss; gives the new module and the gradients' norm before clipping.
    ///
    /// Gradients whose common norm exceeds `clip_norm` are scaled down to it (Pascanu et al., ICML 2013). Where the norm is
    /// not finite, module, gradients and memory stay as they are.
    pub fn update<M: Module>(
        &mut self,
        module: M,
        gradients: &mut Gradients,
        learning_rate: f64,
        clip_norm: Option<f64>,
    ) -> (M, f64) {
        self.update_scaled(module, gradients, 1.0, learning_rate, clip_norm)
    }

    /// [`Self::update`] with gradients of `factor` times the loss; the norm is that of the loss itself.
    pub fn update_scaled<M: Module>(
        &mut self,
        module: M,
        gradients: &mut Gradients,
        factor: f64,
        learning_rate: f64,
        clip_norm: Option<f64>,
    ) -> (M, f64) {
        let mut squares = Squares {
            gradients,
            sums: Vec::new(),
        };
        module.visit(&mut squares);
        let norm = squares.norm() / factor;
        if !norm.is_finite() {
            return (module, norm);
        }
        let scale = clip_norm.map_or(1.0, |limit| (limit / norm.max(f64::MIN_POSITIVE)).min(1.0));
        self.step += 1;
        let step = AdamStep {
            betas: BETAS,
            step: self.step,
            epsilon: EPSILON,
            learning_rate,
            scale: scale / factor,
        };
        let mut update = Update {
            adam: self,
            gradients,
            step,
            stack: Vec::new(),
        };
        (module.map(&mut update), norm)
    }

    /// All of it as named tensors, in 32 bits.
    pub fn state(&self) -> NamedTensors {
        let mut state = NamedTensors::new();
        for (name, moments) in &self.moments {
            let (first, second) = moments.to_numbers();
            let shape = vec![first.len()];
            state.insert(format!("{name}.first"), (shape.clone(), first));
            state.insert(format!("{name}.second"), (shape, second));
        }
        state
    }

    /// Takes up where [`Self::state`] was taken, after `step` updates; a name without its other half is left out.
    pub fn resumed(
        mut state: NamedTensors,
        step: i32,
        precision: MomentPrecision,
        device: &Device,
    ) -> Self {
        let names: Vec<String> = state
            .keys()
            .filter_map(|name| name.strip_suffix(".first"))
            .map(str::to_owned)
            .collect();
        let moments = names.into_iter().filter_map(|name| {
            let (_, first) = state.remove(&format!("{name}.first"))?;
            let (_, second) = state.remove(&format!("{name}.second"))?;
            let moments = Moments::from_numbers(first, second, precision.is_8_bits(), device);
            Some((name, moments))
        });
        Self {
            step,
            precision,
            moments: moments.collect(),
        }
    }
}

/// The sums of the squares of every parameter's gradient, `[1]` each.
struct Squares<'a> {
    gradients: &'a Gradients,
    sums: Vec<Tensor<1>>,
}

impl Squares<'_> {
    /// Of all gradients together; the device is asked once.
    fn norm(self) -> f64 {
        if self.sums.is_empty() {
            return 0.0;
        }
        let sums = Tensor::cat(self.sums, 0).into_data();
        sums.iter::<f64>().sum::<f64>().sqrt()
    }
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.val().grad(self.gradients) {
            self.sums.push(square_sum(gradient.flatten(0, D - 1)));
        }
    }
}

struct Update<'a> {
    adam: &'a mut Adam,
    gradients: &'a mut Gradients,
    step: AdamStep,
    stack: Vec<String>,
}

impl ModuleMapper for Update<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.stack.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.stack.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(gradient) = param.val().grad_remove(self.gradients) else {
            return param;
        };
        let (id, tensor, mapper) = param.consume();
        let shape = tensor.shape();
        let name = self.stack.join(".");
        let (values, gradient) = (tensor.inner().flatten(0, D - 1), gradient.flatten(0, D - 1));
        let moments = self.adam.moments.remove(&name);
        let moments = moments.unwrap_or_else(|| {
            let in_8_bits = self.adam.precision.is_8_bits();
            Moments::zeros(shape.num_elements(), in_8_bits, &gradient.device())
        });
        let (values, moments) = adam(values, gradient, moments, self.step);
        self.adam.moments.insert(name, moments);
        let tensor = Tensor::<D>::from_inner(values.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}
