//! Numbers that are not finite: where they came up, and what a run does about them.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};

use super::checkpoint::{self, Progress};
use super::event::TrainingEvent;
use super::optimizer::Adam;
use super::reporter::Reporter;
use super::trainer::Trainer;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::find;
use canopy_kernels::DropoutSource;
use canopy_models::error::Error as ModelsError;
use canopy_models::weights::{Place, module_tensors, not_finite};
use canopy_nn::model::{Batch, Model, Network};

/// How often a run goes back to one and the same checkpoint.
const TRIES: u32 = 3;

/// Where a run begins: to go back to until there is a checkpoint.
pub(super) struct Beginning {
    pub model: Model,
    pub optimizer: Adam,
    pub progress: Progress,
}

impl Trainer<'_> {
    /// Goes on from the last checkpoint, or from the beginning, with half the learning rate.
    ///
    /// # Errors
    /// If that has not helped a few times.
    pub(crate) fn go_back(&mut self, reason: String, reporter: &mut Reporter) -> Result<()> {
        self.started = None;
        self.tries += 1;
        if self.tries > TRIES {
            return Err(Error::Diverged {
                reason,
                tries: TRIES,
            });
        }
        let saved = checkpoint::load(&reporter.folder.last(), self.config, self.device())?;
        let before = self.progress;
        let to = if let Some(saved) = saved {
            self.description = saved.description;
            (self.model, self.optimizer) = (saved.weights, saved.optimizer);
            saved.progress
        } else if let Some(beginning) = &self.beginning {
            self.model = beginning.model.clone();
            self.optimizer = beginning.optimizer.clone();
            beginning.progress
        } else {
            return Err(Error::Diverged { reason, tries: 0 });
        };
        self.progress = Progress {
            halvings: before.halvings + 1,
            elapsed_secs: self.clock.elapsed_secs(),
            // The folder of the best model stays what it is.
            best_bleu: before.best_bleu,
            ..to
        };
        let (step, halvings) = (to.step, self.progress.halvings);
        let place = match step {
            0 => "the beginning".to_owned(),
            _ => format!("the checkpoint of step {step}"),
        };
        reporter.report(TrainingEvent::WentBack {
            step,
            halvings,
            message: format!(
                "{reason}; training goes back to {place} with half the learning rate (try {} of {TRIES})",
                self.tries
            ),
        })
    }

    /// Returns the reason to go back if `done` failed because numbers were not finite.
    pub(crate) fn diverged(&self, done: Result<()>) -> Result<Option<String>> {
        let reason = match done {
            Ok(()) => return Ok(None),
            Err(Error::Base(BaseError::InvalidScores { sentence, found })) => {
                format!("the scores of sentence {sentence} hold {found} in validation")
            }
            Err(other) => {
                let Some(ModelsError::Weights { reason, .. }) = find(&other) else {
                    return Err(other);
                };
                let step = match &other {
                    Error::Checkpoint { step, .. } => *step,
                    _ => self.progress.step,
                };
                return Ok(Some(after(step, reason)));
            }
        };
        Ok(Some(after(self.progress.step, &reason)))
    }
}

fn after(step: usize, reason: &str) -> String {
    format!("after step {step} {reason}")
}

/// Why the loss of step `step` or the length `norm` of its gradient is not finite: the first parameter, gradient or layer
/// that is found not to be.
pub(super) fn reason(
    step: usize,
    (loss, norm): (f32, f64),
    model: &Model,
    gradients: &Gradients,
    shards: &[Batch],
) -> String {
    let what = if loss.is_finite() {
        format!("the length of the gradient of step {step} is {norm}")
    } else {
        format!("the loss of step {step} is {loss}")
    };
    let weight = module_tensors(model)
        .iter()
        .find_map(|(name, (_, values))| not_finite(name, values));
    let place = weight.or_else(|| {
        if loss.is_finite() {
            gradient(model, gradients)
        } else {
            shards.iter().find_map(|shard| layer(model, shard))
        }
    });
    match place {
        Some(place) => format!("{what}: {place}"),
        None => what,
    }
}

/// The gradient that is not finite and was computed first: that of the last such parameter.
fn gradient(model: &Model, gradients: &Gradients) -> Option<String> {
    let mut found = NotFinite {
        gradients,
        place: Place::default(),
        found: None,
        largest: (0.0, String::new()),
    };
    model.visit(&mut found);
    let (largest, name) = found.largest;
    found
        .found
        .map(|found| format!("the gradient of {found}"))
        .or_else(|| (largest > 0.0).then(|| format!("the gradient of {name} holds {largest:e}")))
}

/// The part of the model whose states are not finite and, of a Transformer, the layer where they begin.
fn layer(model: &Model, batch: &Batch) -> Option<String> {
    let drop = DropoutSource::none();
    let encoded = |model: &Model| {
        let states = model.encode(&batch.source, &drop).states;
        invalid(states)
    };
    let decoded = |model: &Model| invalid(model.scores(batch, &drop));
    let (part, found) = match encoded(model) {
        Some(found) => ("states of the encoder", found),
        None => ("scores of the decoder", decoded(model)?),
    };
    let begins = match &model.network {
        Network::Transformer(network) if part.ends_with("encoder") => {
            let count = network.encoder.sublayers.len();
            let is_invalid = |&sublayers: &usize| encoded(&cut(model, sublayers, 0)).is_some();
            match (0..count).find(is_invalid).unwrap_or(count) {
                0 => " from the embedding on".to_owned(),
                sublayers => format!(" from encoder.sublayers.{} on", sublayers - 1),
            }
        }
        Network::Transformer(network) => {
            let (sublayers, count) = (
                network.encoder.sublayers.len(),
                network.decoder.layers.len(),
            );
            let is_invalid = |&layers: &usize| decoded(&cut(model, sublayers, layers)).is_some();
            let layers = (1..count).find(is_invalid).unwrap_or(count);
            format!(" from decoder.layers.{} on", layers - 1)
        }
        Network::RnnSearch(_) => String::new(),
    };
    Some(format!(
        "the {part} hold {found}{begins}, with weights that are finite"
    ))
}

/// The first layers alone.
fn cut(model: &Model, sublayers: usize, layers: usize) -> Model {
    let mut model = model.clone();
    if let Network::Transformer(network) = &mut model.network {
        network.encoder.sublayers.truncate(sublayers);
        network.decoder.layers.truncate(layers);
    }
    model
}

/// The first number that is not finite.
fn invalid(tensor: Tensor<2>) -> Option<f32> {
    let values = tensor.into_data().try_into_vec::<f32>().ok()?;
    values.into_iter().find(|value| !value.is_finite())
}

struct NotFinite<'a> {
    gradients: &'a Gradients,
    place: Place,
    found: Option<String>,
    /// The largest of the finite numbers: their squares may be too large.
    largest: (f32, String),
}

impl ModuleVisitor for NotFinite<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = param.val().grad(self.gradients) else {
            return;
        };
        let Ok(values) = gradient.into_data().try_into_vec::<f32>() else {
            return;
        };
        let name = self.place.name();
        if let Some(problem) = not_finite(&name, &values) {
            self.found = Some(problem);
        }
        let largest = values.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if largest > self.largest.0 {
            self.largest = (largest, name);
        }
    }
}

#[cfg(test)]
mod tests;
