//! One update of the weights.

use std::ops::Range;
use std::time::Instant;

use burn::tensor::{FloatDType, Gradients};

use super::batch::hide_words;
use super::data::TrainingData;
use super::divergence;
use super::event::TrainingEvent;
use super::optimizer::GradientNorm;
use super::reporter::Reporter;
use super::shards::shards;
use super::trainer::Trainer;
use super::workers::Loss;
use crate::error::Result;
use canopy_kernels::{DropoutSource, is_cpu, with_matmul_dtype};
use canopy_nn::model::{Batch, Model, WARM};

/// Which update it is.
#[derive(Debug, Clone, Copy)]
struct Place {
    step: usize,
    epoch: usize,
    learning_rate: f64,
    tokens: u64,
    /// Target tokens of the run, with those of this update.
    target_tokens: u64,
}

/// An update in flight: its numbers are read from the GPU when the next one is also queued, so that the GPU never waits.
pub(super) struct Started {
    place: Place,
    begun: Instant,
    shards: Vec<Batch>,
    attempt: Attempt,
}

/// One try of an update.
struct Attempt {
    products: Option<FloatDType>,
    /// By which the loss is multiplied.
    factor: f32,
    loss: Loss,
    norm: GradientNorm,
    gradients: Gradients,
    /// The weights that the gradients were computed with, where weights change before their norm is known.
    before: Option<Model>,
}

/// The outcome of one update.
pub(super) struct Update {
    place: Place,
    pub loss: f32,
    gradient_norm: f64,
    pub secs: f64,
    /// Why the run cannot continue from it, if it cannot.
    pub diverged: Option<String>,
    /// Whether it took 32 bits where 16 were requested.
    in_full: bool,
}

impl Trainer<'_> {
    /// Starts the update by the next batch, and ends the one before if that was still on its way; a reason to go back if the
    /// one that ended is not finite.
    pub(crate) fn step(
        &mut self,
        data: &TrainingData,
        runs: &[Range<usize>],
        reporter: &mut Reporter,
    ) -> Result<Option<String>> {
        let (seed, share, step) = (
            self.config.seed,
            self.config.hidden_words,
            self.progress.step + 1,
        );
        let drawn = data.drawn(runs, step);
        let (examples, runs) = drawn
            .as_ref()
            .map_or((&data.train, runs), |(examples, runs)| (examples, runs));
        let mut batch = examples.batch(runs);
        hide_words(&mut batch, share, &*data.tokenizer, seed, step);
        let shards = shards(examples, runs, batch, self.workers.count());
        self.progress.batch += 1;
        let device_lock = reporter.device_lock();
        let device_lock = device_lock.take();
        let started = self.start(shards);
        let ended = if matches!(started.attempt.norm, GradientNorm::OnGpu { .. }) {
            self.started.replace(started)
        } else {
            Some(started)
        };
        let ended = ended.map(|started| self.finish(started));
        drop(device_lock);
        self.report_update(ended, reporter)
    }

    /// Ends the update that is on its way, if one is; a reason to go back if it is not finite.
    pub(crate) fn settle(&mut self, reporter: &mut Reporter) -> Result<Option<String>> {
        let Some(started) = self.started.take() else {
            return Ok(None);
        };
        let device_lock = reporter.device_lock();
        let device_lock = device_lock.take();
        let ended = self.finish(started);
        drop(device_lock);
        self.report_update(Some(ended), reporter)
    }

    fn report_update(
        &mut self,
        ended: Option<Update>,
        reporter: &mut Reporter,
    ) -> Result<Option<String>> {
        let Some(update) = ended else {
            return Ok(None);
        };
        if update.diverged.is_some() {
            return Ok(update.diverged);
        }
        let place = update.place;
        if update.in_full && !self.warned_of_overflow {
            self.warned_of_overflow = true;
            let step = place.step;
            reporter.warn(format!(
                "numbers of step {step} do not fit into 16 bits: it was computed in 32, as all such steps will be"
            ))?;
        }
        self.progress.elapsed_secs = self.clock.elapsed_secs();
        self.clock.stepped(place.tokens, update.secs);
        reporter.report(TrainingEvent::Step {
            step: place.step,
            epoch: place.epoch,
            loss: update.loss,
            learning_rate: place.learning_rate,
            gradient_norm: update.gradient_norm,
            target_tokens: place.target_tokens,
            target_tokens_per_second: self.clock.speed(),
            secs: update.secs,
            elapsed_secs: self.progress.elapsed_secs,
            remaining_secs: self.clock.remaining_secs(self.config, &self.progress),
        })?;
        Ok(None)
    }

    /// One update of the weights by the parts of a batch.
    pub(crate) fn update(&mut self, shards: &[Batch]) -> Update {
        let started = self.start(shards.to_vec());
        self.finish(started)
    }

    fn start(&mut self, shards: Vec<Batch>) -> Started {
        let begun = Instant::now();
        let tokens = shards.iter().map(|shard| shard.labels.len() as u64).sum();
        self.progress.step += 1;
        self.progress.target_tokens += tokens;
        let (config, progress) = (self.config, &self.progress);
        if let Some(top_t) = self.description.model.top_t() {
            self.model
                .network
                .set_top_t(config.top_t_at(progress.step, top_t));
        }
        if (1..=config.gate_opening_steps).contains(&progress.step) {
            #[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
            let part = f64::from(WARM) / config.gate_opening_steps as f64;
            self.model = self.model.clone().with_gates_opened(part);
        }
        let rate = config.rate(progress.step, self.description.model.d_model);
        let place = Place {
            step: progress.step,
            epoch: progress.epoch,
            learning_rate: rate * 0.5_f64.powi(progress.halvings.cast_signed()),
            tokens,
            target_tokens: progress.target_tokens,
        };
        let attempt = self.attempt(&shards, place, config.precision.numbers());
        Started {
            place,
            begun,
            shards,
            attempt,
        }
    }

    fn finish(&mut self, started: Started) -> Update {
        let (place, shards) = (started.place, started.shards);
        let mut attempt = started.attempt;
        let (numbers, products, gradients, before) = loop {
            let Attempt {
                products,
                factor,
                loss,
                norm,
                gradients,
                before,
            } = attempt;
            let loss = loss.number() / factor;
            let norm = self.optimizer.finish(norm);
            if products.is_none() || norm.is_finite() {
                let norm = if loss.is_finite() { norm } else { f64::NAN };
                break ((loss, norm), products, gradients, before);
            }
            // The same again: with a smaller factor, or in 32 bits if that does not help.
            let scale = &mut self.progress.loss_scale;
            let is_smaller = scale.factor(products) < factor;
            let helps = loss.is_finite() && (is_smaller || scale.shrink());
            attempt = self.attempt(&shards, place, products.filter(|_| helps));
        };
        if products.is_some() {
            self.progress.loss_scale.updated();
        }
        let (loss, gradient_norm) = numbers;
        let diverged = (!gradient_norm.is_finite()).then(|| {
            let model = before.as_ref().unwrap_or(&self.model);
            divergence::reason(place.step, numbers, model, &gradients, &shards)
        });
        let begun = self
            .ended
            .map_or(started.begun, |ended| ended.max(started.begun));
        let now = Instant::now();
        self.ended = Some(now);
        Update {
            place,
            loss,
            gradient_norm,
            secs: now.duration_since(begun).as_secs_f64(),
            diverged,
            in_full: self.config.precision.numbers() != products,
        }
    }

    /// Computes the gradients of a batch and changes the weights by them; not where their length, or a loss that is known, is not
    /// finite.
    fn attempt(&mut self, shards: &[Batch], place: Place, products: Option<FloatDType>) -> Attempt {
        let config = self.config;
        let factor = self.progress.loss_scale.factor(products);
        let part_loss = |model: &Model, shard: &Batch, number: usize| {
            let seed = dropout_seed(config.seed, place.step, number);
            let dropout = DropoutSource::new(config.dropout, seed);
            let dropout = dropout.with_attention(config.attention_dropout);
            model.seed_masks(dropout.seed());
            let loss = with_matmul_dtype(products, || {
                model.loss(shard, config.label_smoothing, &dropout)
            });
            loss * factor
        };
        let (loss, mut gradients) = self.workers.gradients(&self.model, shards, part_loss);
        #[cfg(test)]
        super::injected::spoil(place.step, &self.model, &mut gradients);
        // The GPU has work while the loss is read. Where that is not finite in the end, the run goes back.
        let loss = match loss {
            Loss::Tensor(loss) if is_cpu(self.workers.device()) => Loss::Known(loss.into_scalar()),
            loss => loss,
        };
        let is_finite = !matches!(loss, Loss::Known(loss) if !loss.is_finite());
        let (norm, before) = if is_finite {
            self.change(&mut gradients, place.learning_rate, factor)
        } else {
            (GradientNorm::Known(f64::NAN), None)
        };
        Attempt {
            products,
            factor,
            loss,
            norm,
            gradients,
            before,
        }
    }

    /// Changes the weights; the model before, where that is done before the norm is known.
    fn change(
        &mut self,
        gradients: &mut Gradients,
        learning_rate: f64,
        factor: f32,
    ) -> (GradientNorm, Option<Model>) {
        let clip_norm = (self.config.clip_norm > 0.0).then_some(self.config.clip_norm);
        let (model, scale) = (self.model.clone(), f64::from(factor));
        let (model, norm) = self
            .optimizer
            .start(model, gradients, scale, learning_rate, clip_norm);
        let before = std::mem::replace(&mut self.model, model);
        let is_on_gpu = matches!(norm, GradientNorm::OnGpu { .. });
        (norm, is_on_gpu.then_some(before))
    }
}

/// Seed of the dropout masks of a part: those of the first device do not depend on how many there are.
fn dropout_seed(seed: u64, step: usize, part: usize) -> u64 {
    seed.wrapping_mul(0x9E37_79B9)
        .wrapping_add(step as u64)
        .wrapping_add((part as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
}
