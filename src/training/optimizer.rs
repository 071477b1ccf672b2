//! Adam over the parameters of a module, by name.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with β₁ 0.9, β₂ 0.98, ε 1e-9 as in Vaswani et al. 2017, §5.3.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor, TensorData};

use crate::weights::NamedTensors;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.98;
const EPSILON: f64 = 1e-9;

/// Adam's memory: for every parameter the running means of its gradient and of the gradient's square.
#[derive(Debug, Clone, Default)]
pub struct Adam {
    /// Updates so far.
    step: i32,
    moments: BTreeMap<String, (Tensor<1>, Tensor<1>)>,
}

impl Adam {
    /// One update with gradients of `loss`; gives the new module and the gradients' norm before clipping.
    ///
    /// Gradients whose common norm exceeds `clip_norm` are scaled down to it (Pascanu et al., ICML 2013).
    pub fn update<M: Module>(
        &mut self,
        module: M,
        gradients: &mut Gradients,
        learning_rate: f64,
        clip_norm: Option<f64>,
    ) -> (M, f64) {
        let mut norm = SquaredNorm {
            gradients,
            sum: 0.0,
        };
        module.visit(&mut norm);
        let norm = norm.sum.sqrt();
        let scale = clip_norm.map_or(1.0, |limit| (limit / norm.max(f64::MIN_POSITIVE)).min(1.0));
        self.step += 1;
        let mut update = Update {
            adam: self,
            gradients,
            learning_rate,
            scale,
            stack: Vec::new(),
        };
        (module.map(&mut update), norm)
    }

    /// All of it as named tensors.
    pub fn state(&self) -> NamedTensors {
        let numbers = |tensor: &Tensor<1>| {
            tensor
                .to_data()
                .try_into_vec::<f32>()
                .expect("moments are 32-bit floats")
        };
        let mut state = NamedTensors::new();
        for (name, (first, second)) in &self.moments {
            let shape = first.dims().to_vec();
            state.insert(format!("{name}.first"), (shape.clone(), numbers(first)));
            state.insert(format!("{name}.second"), (shape, numbers(second)));
        }
        state
    }

    /// Takes up where [`Self::state`] was taken, after `step` updates; a name without its other half is left out.
    pub fn resumed(mut state: NamedTensors, step: i32, device: &Device) -> Self {
        let names: Vec<String> = state
            .keys()
            .filter_map(|name| name.strip_suffix(".first"))
            .map(str::to_owned)
            .collect();
        let tensor = |(shape, values): (Vec<usize>, Vec<f32>)| {
            Tensor::<1>::from_data(TensorData::new(values, shape), device)
        };
        let moments = names.into_iter().filter_map(|name| {
            let first = state.remove(&format!("{name}.first"))?;
            let second = state.remove(&format!("{name}.second"))?;
            Some((name, (tensor(first), tensor(second))))
        });
        Self {
            step,
            moments: moments.collect(),
        }
    }
}

struct SquaredNorm<'a> {
    gradients: &'a Gradients,
    sum: f64,
}

impl ModuleVisitor for SquaredNorm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.val().grad(self.gradients) {
            self.sum += f64::from(gradient.square().sum().into_scalar::<f32>());
        }
    }
}

struct Update<'a> {
    adam: &'a mut Adam,
    gradients: &'a mut Gradients,
    learning_rate: f64,
    scale: f64,
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
        let gradient: Tensor<1> = gradient.flatten::<1>(0, D - 1) * self.scale;
        let name = self.stack.join(".");
        let (first, second) = match self.adam.moments.remove(&name) {
            Some((first, second)) => (
                first * BETA_1 + gradient.clone() * (1.0 - BETA_1),
                second * BETA_2 + gradient.square() * (1.0 - BETA_2),
            ),
            None => (
                gradient.clone() * (1.0 - BETA_1),
                gradient.square() * (1.0 - BETA_2),
            ),
        };
        let (bias_1, bias_2) = (
            1.0 - BETA_1.powi(self.adam.step),
            1.0 - BETA_2.powi(self.adam.step),
        );
        let direction = first.clone() / ((second.clone() / bias_2).sqrt() + EPSILON);
        let values =
            tensor.inner().flatten::<1>(0, D - 1) - direction * (self.learning_rate / bias_1);
        self.adam.moments.insert(name, (first, second));
        let tensor = Tensor::<D>::from_inner(values.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}
