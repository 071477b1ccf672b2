//! An estimate of a run's memory and time, from a few of its updates.

use std::ops::Range;

use burn::tensor::Device;
use serde::Serialize;

use super::base::{Base, Start};
use super::batch::Example;
use super::bert::{BertBase, BertTexts};
use super::config::TrainingConfig;
use super::control::{Control, Order};
use super::data::TrainingData;
use super::shards::shards;
use super::trainer::Trainer;
use super::workers::Workers;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::Corpus;
use canopy_nn::model::{Batch, ModelConfig};

/// An estimate of a run's memory and time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Number of weights.
    pub parameters: usize,
    /// Time of an update with a batch of average size.
    pub seconds_per_step: f64,
    /// Speed of training.
    pub target_tokens_per_second: f64,
    /// Memory for the model, its gradients, the optimiser and the largest batch, about.
    pub peak_bytes: u64,
    /// Updates of an epoch.
    pub steps_per_epoch: usize,
    /// Until the first of the limits, without validations; absent if there is none.
    pub total_secs: Option<f64>,
}

/// Trains a few updates on real batches, the largest among them, and keeps nothing but the vocabulary, if the corpus had
/// none. None if `control` says to end.
///
/// # Errors
/// As those of a run that begins.
pub fn probe(
    config: &TrainingConfig,
    device: &Device,
    control: &Control,
) -> Result<Option<Estimate>> {
    config.validate()?;
    let preset = config.system()?;
    let corpus = Corpus::open(&config.corpus)?;
    config.check_precision(device)?;
    let device = device.clone().autodiff();
    let base = Base::open(config, &preset, (false, &corpus), &device)?;
    let tokenizer = base.as_ref().map(|base| base.tokenizer.clone());
    let max_tokens = base.as_ref().map_or_else(
        || preset.config(config.vocab_size).max_tokens,
        |base| base.config.max_tokens,
    );
    let known = base.as_ref().map(|base| &base.description);
    let has_one = known.is_some_and(|known| known.pieces.is_some());
    let bert = BertBase::open(config, &preset, has_one, &device)?;
    let texts = BertTexts::for_run(config, &preset, &corpus, known, bert.as_ref())?;
    let data = TrainingData::open_with(config, tokenizer, max_tokens, texts)?;
    if data.train.num_counted() == 0 {
        return Err(Error::Base(BaseError::NothingToLearn {
            path: config.corpus.clone(),
        }));
    }
    let start = Start::new(config, &preset, &data, &device, None, (base, bert))?;
    let workers = Workers::new(&device, config.devices)?;
    let mut trainer = Trainer::new(config, start, workers);
    let mut batches = trainer.batches(&data);
    batches.sort_by_key(|runs| num_rows(&data, runs));
    let batch = |number: usize| data.train.batch(&batches[number]);
    let (largest, middle) = (batch(batches.len() - 1), batch(batches.len() / 2));
    let parts = |number: usize| {
        let whole = batch(number);
        shards(&data.train, &batches[number], whole, config.devices)
    };
    let numbers = [batches.len() / 2, batches.len() - 1, batches.len() / 2];
    let mut timed = None;
    // The first updates of a program are slower than all others.
    for parts in numbers.map(parts) {
        if control.order() >= Order::Stop {
            return Ok(None);
        }
        let _turn = control.device_lock().take();
        timed = Some(trainer.update(&parts).secs);
    }
    let seconds_per_step = timed.expect("three updates");
    let model = &trainer.description.model;
    let tokens = data.train.examples.iter().filter(|example| example.counts);
    let tokens: usize = tokens.map(Example::target_tokens).sum();
    Ok(Some(Estimate {
        parameters: model.num_parameters(),
        seconds_per_step,
        target_tokens_per_second: ratio(middle.labels.len(), 1) / seconds_per_step,
        peak_bytes: training_bytes(model, &largest),
        steps_per_epoch: batches.len(),
        total_secs: total_secs(config, seconds_per_step, ratio(tokens, batches.len())),
    }))
}

fn num_rows(data: &TrainingData, runs: &[Range<usize>]) -> usize {
    let examples = runs.iter().cloned().flatten();
    let rows = examples.map(|number| data.train.examples[number].both_rows());
    rows.sum()
}

fn total_secs(config: &TrainingConfig, seconds_per_step: f64, tokens_per_step: f64) -> Option<f64> {
    let limits = config.limits();
    let by_steps = (limits.steps > 0).then(|| ratio(limits.steps, 1) * seconds_per_step);
    #[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
    let by_tokens = (limits.target_tokens > 0)
        .then(|| limits.target_tokens as f64 / tokens_per_step * seconds_per_step);
    let by_minutes = (limits.minutes > 0.0).then_some(limits.minutes * 60.0);
    let all = [by_steps, by_tokens, by_minutes].into_iter().flatten();
    all.min_by(f64::total_cmp)
}

#[expect(clippy::cast_precision_loss, reason = "counts become f64")]
fn ratio(count: usize, of: usize) -> f64 {
    count as f64 / of.max(1) as f64
}

/// Parameters, their gradients, Adam's two moments and the next parameters; for every row what each part computes, kept
/// for the way back, and the scores of the vocabulary.
fn training_bytes(model: &ModelConfig, batch: &Batch) -> u64 {
    /// Every number is computed in a few steps, some of which are kept. These are chosen to fit what was measured.
    const KEPT: u64 = 2;
    const KEPT_SCORES: usize = 3;
    const BYTES_PER_PARAMETER: usize = 24;
    let parts = model.parts();
    let floats: u64 = parts.iter().map(|part| part.cost.floats_per_word).sum();
    let rows = batch.source.ids.len().max(batch.target.ids.len()) as u64;
    let scores = batch.labels.len() * model.vocab_size * KEPT_SCORES;
    (BYTES_PER_PARAMETER * model.num_parameters()) as u64
        + 4 * (scores as u64 + KEPT * floats * rows)
}
