//! One update of the weights.

use std::ops::Range;
use std::time::Instant;

use burn::tensor::{FloatDType, Gradients};

use super::batch::hide_words;
use super::data::TrainingData;
use super::divergence;
use super::event::TrainingEvent;
use super::reporter::Reporter;
use super::shards::shards;
use super::trainer::Trainer;
use super::workers::Loss;
use crate::error::Result;
use crate::kernels::{DropoutSource, is_here, with_products};
use crate::model::{Batch, Model};

/// The outcome of one update.
pub(super) struct Update {
    pub loss: f32,
    learning_rate: f64,
    gradient_norm: f64,
    tokens: u64,
    pub secs: f64,
    /// Why the weights stay as they are, if they do.
    pub diverged: Option<String>,
    /// Whether it took 32 bits where 16 were asked for.
    in_full: bool,
}

impl Trainer<'_> {
    /// The next batch and what it changes; a reason to go back if it is not finite.
    pub fn step(
        &mut self,
        data: &TrainingData,
        runs: &[Range<usize>],
        reporter: &mut Reporter,
    ) -> Result<Option<String>> {
        let mut batch = data.train.batch(runs);
        let (seed, share, step) = (
            self.config.seed,
            self.config.hidden_words,
            self.progress.step + 1,
        );
        hide_words(&mut batch, share, &*data.tokenizer, seed, step);
        let shards = shards(&data.train, runs, batch, self.workers.count());
        self.progress.batch += 1;
        let device_lock = reporter.device_lock();
        let device_lock = device_lock.take();
        let update = self.update(&shards);
        drop(device_lock);
        if update.diverged.is_some() {
            return Ok(update.diverged);
        }
        if update.in_full && !self.warned_of_overflow {
            self.warned_of_overflow = true;
            reporter.warn(format!(
                "numbers of step {step} do not fit into 16 bits: it was computed in 32, as all such steps will be"
            ))?;
        }
        self.progress.target_tokens += update.tokens;
        self.progress.elapsed_secs = self.clock.elapsed_secs();
        self.clock.stepped(update.tokens, update.secs);
        reporter.report(TrainingEvent::Step {
            step,
            epoch: self.progress.epoch,
            loss: update.loss,
            learning_rate: update.learning_rate,
            gradient_norm: update.gradient_norm,
            target_tokens: self.progress.target_tokens,
            target_tokens_per_second: self.clock.speed(),
            secs: update.secs,
            elapsed_secs: self.progress.elapsed_secs,
            remaining_secs: self.clock.remaining_secs(self.config, &self.progress),
        })?;
        Ok(None)
    }

    /// One update of the weights by the parts of a batch.
    pub fn update(&mut self, shards: &[Batch]) -> Update {
        let begun = Instant::now();
        self.progress.step += 1;
        let (config, step) = (self.config, self.progress.step);
        if let Some(top_t) = self.description.model.top_t() {
            self.model.set_top_t(config.top_t_at(step, top_t));
        }
        let learning_rate = config.rate(step, self.description.model.d_model)
            * 0.5_f64.powi(self.progress.halvings.cast_signed());
        let mut products = config.precision.numbers();
        let (numbers, gradients) = loop {
            let (numbers, gradients) = self.attempt(shards, learning_rate, products);
            let (loss, gradient_norm) = numbers;
            if products.is_none() || gradient_norm.is_finite() {
                break (numbers, gradients);
            }
            // The same again: with a smaller factor, or in 32 bits if that does not help.
            if !loss.is_finite() || !self.progress.loss_scale.shrink() {
                products = None;
            }
        };
        let (loss, gradient_norm) = numbers;
        if products.is_some() {
            self.progress.loss_scale.updated();
        }
        let diverged = (!gradient_norm.is_finite())
            .then(|| divergence::reason(step, numbers, &self.model, &gradients, shards));
        Update {
            loss,
            learning_rate,
            gradient_norm,
            in_full: config.precision.numbers() != products,
            tokens: shards.iter().map(|shard| shard.labels.len() as u64).sum(),
            secs: begun.elapsed().as_secs_f64(),
            diverged,
        }
    }

    /// The loss of a batch and the length of its gradient, not a number if one of both is not finite; if both are, the weights
    /// are changed.
    fn attempt(
        &mut self,
        shards: &[Batch],
        learning_rate: f64,
        products: Option<FloatDType>,
    ) -> ((f32, f64), Gradients) {
        let (config, step) = (self.config, self.progress.step);
        let factor = self.progress.loss_scale.factor(products);
        let part_loss = |model: &Model, shard: &Batch, number: usize| {
            let dropout =
                DropoutSource::new(config.dropout, dropout_seed(config.seed, step, number));
            model.seed_masks(dropout.seed());
            let loss = with_products(products, || {
                model.loss(shard, config.label_smoothing, &dropout)
            });
            loss * factor
        };
        let (loss, mut gradients) = self.workers.gradients(&self.model, shards, part_loss);
        #[cfg(test)]
        super::injected::spoil(step, &self.model, &mut gradients);
        // A graphics card has work while it is asked for the loss. Where that is not finite in the end, the run goes back.
        let is_asked_first = products.is_some() || is_here(self.workers.device());
        let loss = match loss {
            Loss::Tensor(loss) if is_asked_first => Loss::Known(loss.into_scalar()),
            loss => loss,
        };
        if let Loss::Known(loss) = loss
            && !loss.is_finite()
        {
            return ((loss / factor, f64::NAN), gradients);
        }
        let clip_norm = (config.clip_norm > 0.0).then_some(config.clip_norm);
        let (model, scale) = (self.model.clone(), f64::from(factor));
        let optimizer = &mut self.optimizer;
        let (model, norm) =
            optimizer.update_scaled(model, &mut gradients, scale, learning_rate, clip_norm);
        self.model = model;
        let loss = loss.number() / factor;
        let norm = if loss.is_finite() { norm } else { f64::NAN };
        ((loss, norm), gradients)
    }
}

/// Of the dropout masks of a part: those of the first device do not depend on how many there are.
fn dropout_seed(seed: u64, step: usize, part: usize) -> u64 {
    seed.wrapping_mul(0x9E37_79B9)
        .wrapping_add(step as u64)
        .wrapping_add((part as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
}
