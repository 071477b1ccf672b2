//! Adam over the parameters of a module, by name.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1; weight decay as Loshchilov & Hutter, "Decoupled Weight Decay Regularization", ICLR
//! 2019, Algorithm 2, line 12.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

use super::config::TrainingConfig;
use canopy_kernels::{
    AdamStep, Adapted, Moments, adam, adam_at_once, is_adapted_at_once, square_sum,
};
use canopy_models::weights::NamedTensors;
use canopy_nn::model::Model;

/// The constants of Adam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamConstants {
    /// β₁ and β₂: decay of the mean of the gradients and of that of their squares.
    pub betas: (f64, f64),
    /// ε: added to the root of the mean of squares.
    pub epsilon: f64,
    /// By which a weight is shortened in each update, times the learning rate.
    pub weight_decay: f64,
}

impl Default for AdamConstants {
    /// Settings of Vaswani et al. 2017, §5.3.
    fn default() -> Self {
        Self {
            betas: (0.9, 0.98),
            epsilon: 1e-9,
            weight_decay: 0.0,
        }
    }
}

/// Parameters whose learning rate is another one.
#[derive(Debug, Clone)]
struct OwnRate {
    names: Arc<BTreeSet<String>>,
    /// By which the learning rate is multiplied.
    factor: f64,
}

/// The length of the gradients of a loss.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one for each update")]
pub(super) enum GradientNorm {
    Known(f64),
    /// The sum of the squares of gradients of `factor` times the loss, `[1]`, which a card may still compute.
    OnGpu {
        squares: Tensor<1>,
        factor: f64,
    },
}

/// Adam's memory: for every parameter the running means of its gradient and of the gradient's square.
#[derive(Debug, Clone, Default)]
pub struct Adam {
    /// Updates so far.
    step: i32,
    constants: AdamConstants,
    own_rate: Option<OwnRate>,
    moments: BTreeMap<String, Moments>,
}

impl Adam {
    /// This, with the constants of `config`, and its learning rate for what `model` reads beyond the sentence.
    pub(super) fn with_config(self, config: &TrainingConfig, model: &Model) -> Self {
        let adam = self.with_constants(config.adam());
        let factor = config.context_learning_rate_factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            return adam;
        }
        let names = model.context_parameters();
        adam.with_own_rate(names, factor)
    }

    /// Replaces the constants.
    #[must_use]
    pub fn with_constants(self, constants: AdamConstants) -> Self {
        Self { constants, ..self }
    }

    /// Sets the learning rate of the parameters `names` to `factor` times that of the others.
    #[must_use]
    pub fn with_own_rate(self, names: BTreeSet<String>, factor: f64) -> Self {
        let names = Arc::new(names);
        let own_rate = Some(OwnRate { names, factor });
        Self { own_rate, ..self }
    }

    /// By which the learning rate of a parameter is multiplied; none for that of most.
    fn factor_of(&self, name: &str) -> Option<f64> {
        let own = self.own_rate.as_ref()?;
        own.names.contains(name).then_some(own.factor)
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
            GradientNorm::OnGpu { squares, factor } => (squares, factor),
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
        // Nothing may shrink where the norm turns out not to be finite.
        if self.constants.weight_decay > 0.0 {
            return Err(module);
        }
        let mut collecting = Collecting {
            adam: self,
            gradients,
            adapted: Vec::new(),
            names: Vec::new(),
            stack: Vec::new(),
        };
        module.visit(&mut collecting);
        let Collecting { adapted, names, .. } = collecting;
        let all_at_once = adapted.iter().all(|it| is_adapted_at_once(&it.values));
        if adapted.is_empty() || !all_at_once {
            let moments = adapted.into_iter().map(|it| it.moments);
            self.moments.extend(names.into_iter().zip(moments));
            return Err(module);
        }
        self.step += 1;
        let step = self.next_step(learning_rate, 1.0 / factor);
        let limit = clip_norm.map(|limit| limit * factor);
        let own = names.iter().zip(&adapted).map(|(name, it)| {
            let factor = self.factor_of(name)?;
            Some((factor, it.values.clone()))
        });
        let own: Vec<Option<(f64, Tensor<1>)>> = own.collect();
        let (updated, squares) = adam_at_once(adapted, step, limit);
        let updated = updated.into_iter().zip(own);
        let updated = updated.map(|((values, moments), own)| match own {
            // A step is as long as the learning rate is large.
            Some((factor, before)) => (before.clone() + (values - before) * factor, moments),
            None => (values, moments),
        });
        let (values, moments): (VecDeque<_>, Vec<_>) = updated.unzip();
        self.moments.extend(names.into_iter().zip(moments));
        let mut placing = Placing { values, gradients };
        let norm = GradientNorm::OnGpu { squares, factor };
        Ok((module.map(&mut placing), norm))
    }

    /// Takes out those of a parameter with these values, `[numbers]`.
    fn moments_of(&mut self, name: &str, values: &Tensor<1>) -> Moments {
        let moments = self.moments.remove(name);
        moments.unwrap_or_else(|| Moments::zeros(values.dims()[0], &values.device()))
    }

    /// The constants of update number [`Self::step`].
    fn next_step(&self, learning_rate: f64, scale: f64) -> AdamStep {
        AdamStep {
            betas: self.constants.betas,
            step: self.step,
            epsilon: self.constants.epsilon,
            learning_rate,
            scale,
        }
    }

    /// All moments as named tensors.
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
    pub fn resumed(mut state: NamedTensors, step: i32, device: &Device) -> Self {
        let names: Vec<String> = state
            .keys()
            .filter_map(|name| name.strip_suffix(".first"))
            .map(str::to_owned)
            .collect();
        let moments = names.into_iter().filter_map(|name| {
            let (_, first) = state.remove(&format!("{name}.first"))?;
            let (_, second) = state.remove(&format!("{name}.second"))?;
            let moments = Moments::from_numbers(first, second, device);
            Some((name, moments))
        });
        Self {
            step,
            moments: moments.collect(),
            ..Self::default()
        }
    }
}

/// The sums of the squares of every parameter's gradient, `[1]` each.
struct Squares<'a> {
    gradients: &'a Gradients,
    sums: Vec<Tensor<1>>,
}

impl Squares<'_> {
    /// Norm of all gradients together; reads from the device once.
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
        let mut step = self.step;
        step.learning_rate *= self.adam.factor_of(&name).unwrap_or(1.0);
        let decay = step.learning_rate * self.adam.constants.weight_decay;
        let values = if decay > 0.0 {
            values * (1.0 - decay)
        } else {
            values
        };
        let (values, moments) = adam(values, gradient, moments, step);
        self.adam.moments.insert(name, moments);
        let tensor = Tensor::<D>::from_inner(values.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_nn::model::Preset;

    #[derive(Module, Debug)]
    struct Two {
        one: Param<Tensor<1>>,
        other: Param<Tensor<1>>,
    }

    /// How far each of two equal parameters goes in two updates.
    fn steps(mut adam: Adam) -> [f32; 2] {
        let device = Device::flex().autodiff();
        let param = || Param::from_tensor(Tensor::from_floats([1.0], &device));
        let mut two = Two {
            one: param(),
            other: param(),
        };
        for _ in 0..2 {
            let loss = (two.one.val() + two.other.val()).square();
            (two, _) = adam.update(two, &mut loss.backward(), 1e-2, None);
        }
        [two.one, two.other].map(|it| 1.0 - it.val().into_scalar::<f32>())
    }

    #[test]
    fn some_parameters_have_a_learning_rate_of_their_own() {
        let names = BTreeSet::from(["other".to_owned()]);
        let [one, other] = steps(Adam::default().with_own_rate(names, 5.0));
        assert!((one - 0.02).abs() < 1e-4, "{one}");
        assert!((other - 5.0 * one).abs() < 1e-4, "{other}");
    }

    #[test]
    fn weights_decay_by_the_learning_rate() {
        let decaying = AdamConstants {
            weight_decay: 0.5,
            ..AdamConstants::default()
        };
        let [plain, _] = steps(Adam::default());
        let [decayed, _] = steps(Adam::default().with_constants(decaying));
        // 1 and then 0.985 are shortened by a half of 0.01.
        assert!((decayed - plain - 0.009_9).abs() < 1e-4, "{decayed}");
    }

    #[test]
    fn the_constants_are_used() {
        let slow = AdamConstants {
            epsilon: 4.0,
            ..AdamConstants::default()
        };
        let [plain, _] = steps(Adam::default());
        let [slow, _] = steps(Adam::default().with_constants(slow));
        assert!(slow < 0.6 * plain, "{slow}");
    }

    #[test]
    fn what_reads_the_context_is_what_the_sentence_level_model_has_not() {
        let device = Device::flex().autodiff();
        let names = |preset: &str| {
            let preset = Preset::named(preset).expect("there");
            let model = Model::new(&preset.config(50), &device).expect("a model");
            model.context_parameters()
        };
        assert!(names("x-transformer-small").is_empty());
        let names = names("selective-online-small");
        let has = |part: &str| names.iter().any(|name| name.contains(part));
        assert!(has("encoder.gated") && !has("sublayers") && !has("decoder.layers"));
        assert!(!has("embedding") && !has("stage_one"));
    }
}
