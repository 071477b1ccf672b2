//! Adam over the parameters of a module, by name.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with β₁ 0.9, β₂ 0.98, ε 1e-9 as in Vaswani et al. 2017, §5.3.

use std::collections::{BTreeMap, VecDeque};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

use super::mixed_precision::MomentPrecision;
use crate::kernels::{
    AdamStep, Adapted, Moments, adam, adam_at_once, is_adapted_at_once, square_sum,
};
use crate::weights::NamedTensors;

const BETAS: (f64, f64) = (0.9, 0.98);
const EPSILON: f64 = 1e-9;

/// The length of the gradients of a loss.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one for each update")]
pub(super) enum GradientNorm {
    Known(f64),
    /// The sum of the squares of gradients of `factor` times the loss, `[1]`, which a card may still compute.
    OnCard {
        squares: Tensor<1>,
        factor: f64,
    },
}

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
        let (module, norm) = self.start(module, gradients, factor, learning_rate, clip_norm);
        (module, self.finish(norm))
    }

    /// [`Self::update_scaled`] without waiting for a card; the norm is for [`Self::finish`].
    pub(super) fn start<M: Module>(
        &mut self,
        module: M,
        gradients: &mut Gradients,
        factor: f64,
        learning_rate: f64,
        clip_norm: Option<f64>,
    ) -> (M, GradientNorm) {
        let module = match self.update_at_once(module, gradients, factor, learning_rate, clip_norm)
        {
            Ok(started) => return started,
            Err(module) => module,
        };
        let mut squares = Squares {
            gradients,
            sums: Vec::new(),
        };
        module.visit(&mut squares);
        let norm = squares.norm() / factor;
        if !norm.is_finite() {
            return (module, GradientNorm::Known(norm));
        }
        let scale = clip_norm.map_or(1.0, |limit| (limit / norm.max(f64::MIN_POSITIVE)).min(1.0));
        self.step += 1;
        let step = self.next_step(learning_rate, scale / factor);
        let mut update = Update {
            adam: self,
            gradients,
            step,
            stack: Vec::new(),
        };
        (module.map(&mut update), GradientNorm::Known(norm))
    }

    /// Waits for the norm of an update, which counts no longer if that is not finite.
    pub(super) fn finish(&mut self, norm: GradientNorm) -> f64 {
        let (squares, factor) = match norm {
            GradientNorm::Known(norm) => return norm,
            GradientNorm::OnCard { squares, factor } => (squares, factor),
        };
        let norm = f64::from(squares.into_scalar::<f32>()).sqrt() / factor;
        if !norm.is_finite() {
            self.step -= 1;
        }
        norm
    }

    /// [`Self::start`] in one operation of a graphics card that has kernels for it; the module, where none has.
    fn update_at_once<M: Module>(
        &mut self,
        module: M,
        gradients: &Gradients,
        factor: f64,
        learning_rate: f64,
        clip_norm: Option<f64>,
    ) -> Result<(M, GradientNorm), M> {
        let mut collecting = Collecting {
            adam: self,
            gradients,
            adapted: Vec::new(),
            names: Vec::new(),
            stack: Vec::new(),
        };
        module.visit(&mut collecting);
        let Collecting { adapted, names, .. } = collecting;
        let all = adapted.iter();
        if adapted.is_empty()
            || !all
                .clone()
                .all(|it| is_adapted_at_once(&it.values, &it.moments))
        {
            let moments = adapted.into_iter().map(|it| it.moments);
            self.moments.extend(names.into_iter().zip(moments));
            return Err(module);
        }
        self.step += 1;
        let step = self.next_step(learning_rate, 1.0 / factor);
        let limit = clip_norm.map(|limit| limit * factor);
        let (updated, squares) = adam_at_once(adapted, step, limit);
        let (values, moments): (VecDeque<_>, Vec<_>) = updated.into_iter().unzip();
        self.moments.extend(names.into_iter().zip(moments));
        let mut placing = Placing { values, gradients };
        let norm = GradientNorm::OnCard { squares, factor };
        Ok((module.map(&mut placing), norm))
    }

    /// Takes out those of a parameter with these values, `[numbers]`.
    fn moments_of(&mut self, name: &str, values: &Tensor<1>) -> Moments {
        let moments = self.moments.remove(name);
        moments.unwrap_or_else(|| {
            let in_8_bits = self.precision.is_8_bits();
            Moments::zeros(values.dims()[0], in_8_bits, &values.device())
        })
    }

    /// The constants of update number [`Self::step`].
    fn next_step(&self, learning_rate: f64, scale: f64) -> AdamStep {
        AdamStep {
            betas: BETAS,
            step: self.step,
            epsilon: EPSILON,
            learning_rate,
            scale,
        }
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

/// Takes every parameter that has a gradient, flat, and its moments out of [`Adam`].
struct Collecting<'a> {
    adam: &'a mut Adam,
    gradients: &'a Gradients,
    adapted: Vec<Adapted>,
    names: Vec<String>,
    stack: Vec<String>,
}

impl ModuleVisitor for Collecting<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.stack.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.stack.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let Some(gradient) = tensor.grad(self.gradients) else {
            return;
        };
        let name = self.stack.join(".");
        let values = tensor.inner().flatten(0, D - 1);
        let moments = self.adam.moments_of(&name, &values);
        let gradient = gradient.flatten(0, D - 1);
        self.adapted.push(Adapted {
            values,
            gradient,
            moments,
        });
        self.names.push(name);
    }
}

/// Puts values in the place of every parameter that has a gradient, in order.
struct Placing<'a> {
    values: VecDeque<Tensor<1>>,
    gradients: &'a Gradients,
}

impl ModuleMapper for Placing<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if param.val().grad(self.gradients).is_none() {
            return param;
        }
        let values = self.values.pop_front().expect("one for each gradient");
        let (id, tensor, mapper) = param.consume();
        let values = Tensor::<D>::from_inner(values.reshape(tensor.shape()));
        Param::from_mapped_value(id, values.require_grad(), mapper)
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
        let moments = self.adam.moments_of(&name, &values);
        let (values, moments) = adam(values, gradient, moments, self.step);
        self.adam.moments.insert(name, moments);
        let tensor = Tensor::<D>::from_inner(values.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}
