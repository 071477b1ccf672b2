//! The effect of fine-tuning: scores of the model that a run began with next to those of its best one,
//! on development documents and on general ones, of which it may forget something.

use std::ops::ControlFlow;

use burn::module::Module;
use burn::tensor::Device;

use super::checkpoint::{self, Before};
use super::config::TrainingConfig;
use super::control::Order;
use super::data::TrainingData;
use super::event::{ComparedSet, Phase, TrainingEvent};
use super::reporter::Reporter;
use super::trainer::Trainer;
use super::validating::Scoring;
use super::validation::{Validation, ValidationSet};
use crate::error::{BaseError, Error, Result};
use canopy_corpus::{Corpus, Split};
use canopy_kernels::packed::Quantization;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::Model;
use canopy_tokenize::ModelTokenizer;

/// The sets on which it is compared.
pub(super) struct Comparison<'a> {
    held_out: &'a ValidationSet,
    general: Option<ValidationSet>,
}

impl<'a> Comparison<'a> {
    /// None where the run begins with random weights, or with one of our own models and no general documents are named.
    ///
    /// # Errors
    /// If the general documents cannot be read, or there are none.
    pub(crate) fn new(
        config: &TrainingConfig,
        data: &TrainingData,
        scoring: &'a Scoring,
    ) -> Result<Option<Self>> {
        let is_named = !config.general.as_os_str().is_empty();
        let is_imported = matches!(data.tokenizer, ModelTokenizer::Imported(_));
        if config.from.as_os_str().is_empty() || !(is_named || is_imported) {
            return Ok(None);
        }
        let general = is_named.then(|| general(config, data)).transpose()?;
        let held_out = scoring.set();
        let has_any = general.is_some() || !held_out.is_empty();
        Ok(has_any.then_some(Self { held_out, general }))
    }
}

/// Development documents of the general corpus, or else its test or training documents.
fn general(config: &TrainingConfig, data: &TrainingData) -> Result<ValidationSet> {
    let corpus = Corpus::open(&config.general)?;
    for split in [Split::Dev, Split::Test, Split::Train] {
        let set = ValidationSet::new(&corpus, split, data.examples_of(&corpus, split)?)?;
        if !set.is_empty() {
            return Ok(set.sampled(config.validation_segments).unwrap_or(set));
        }
    }
    Err(Error::Base(BaseError::Config {
        field: "general",
        found: config.general.display().to_string(),
        allowed: "a corpus with sentence pairs".to_owned(),
    }))
}

impl Trainer<'_> {
    /// Scores the model before its first step.
    pub(crate) fn score_before(
        &mut self,
        comparison: &Comparison,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<()> {
        if self.progress.step > 0 || self.progress.before != Before::default() {
            return Ok(());
        }
        reporter.phase(Phase::Validate)?;
        let model = self.model.valid();
        let score = |set, reporter: &mut Reporter| self.scored(&model, set, data, reporter);
        let held_out = score(comparison.held_out, reporter)?;
        let general = comparison.general.as_ref();
        let general = general.map(|set| score(set, reporter)).transpose()?;
        self.progress.before = Before {
            held_out,
            general: general.flatten(),
        };
        if let Some(scores) = held_out {
            self.keep_base(scores, data, reporter)?;
        }
        Ok(())
    }

    /// Makes the model that the run began with the best one, until a validation surpasses it.
    fn keep_base(
        &mut self,
        (loss, bleu): (f32, f64),
        data: &TrainingData,
        reporter: &Reporter,
    ) -> Result<()> {
        self.progress.best_loss = Some(loss);
        self.progress.best_bleu = Some(bleu);
        self.describe(Some((loss, bleu)));
        let folder = reporter.folder.best();
        checkpoint::save(
            &folder,
            &self.description,
            &self.model,
            &data.tokenizer,
            None,
            &self.progress,
        )
    }

    /// Whether the first validation is far below the model that the run began with: fine-tuning has destroyed it.
    pub(crate) fn is_ruined(&self, validation: &Validation) -> bool {
        let before = self.progress.before.held_out;
        before.is_some_and(|before| is_far_below((validation.loss, validation.bleu), before))
    }

    /// Scores the best model of the run, and reports both scores.
    pub(crate) fn compare_with_before(
        &self,
        comparison: &Comparison,
        data: &TrainingData,
        device: &Device,
        reporter: &mut Reporter,
    ) -> Result<()> {
        reporter.phase(Phase::Validate)?;
        let best = reporter.folder.best();
        let model = if best.exists() {
            ModelFolder::open(&best)?.load(&best, device)?.0
        } else {
            self.model.valid()
        };
        let Before { held_out, general } = self.progress.before;
        let mut sets = Vec::new();
        for (name, set, before) in [
            ("held-out", Some(comparison.held_out), held_out),
            ("general", comparison.general.as_ref(), general),
        ] {
            let (Some(set), Some(before)) = (set, before) else {
                continue;
            };
            let Some(after) = self.scored(&model, set, data, reporter)? else {
                return Ok(());
            };
            sets.push(ComparedSet {
                name: name.to_owned(),
                segments: set.num_segments(),
                loss: [before.0, after.0],
                bleu: [before.1, after.1],
            });
        }
        let step = self.progress.step;
        reporter.report(TrainingEvent::Compared { step, sets })
    }

    /// Loss and BLEU; none if there is nothing to score, or an order came.
    fn scored(
        &self,
        model: &Model,
        set: &ValidationSet,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<Option<(f32, f64)>> {
        if set.is_empty() {
            return Ok(None);
        }
        let device_lock = reporter.device_lock();
        let mut device_lock = device_lock.take();
        let model = model.clone().packed_as(Quantization::None);
        let smoothing = self.config.label_smoothing;
        let validation = set.run(&model, &*data.tokenizer, smoothing, &mut || {
            device_lock.pass();
            match reporter.order() {
                Order::Resume => ControlFlow::Continue(()),
                Order::Pause | Order::Stop | Order::Abandon => ControlFlow::Break(()),
            }
        })?;
        Ok(validation.map(|validation| (validation.loss, validation.bleu)))
    }
}

/// Whether loss and BLEU are so much worse than those before that fine-tuning has destroyed the model: sound fine-tuning loses
/// little even where the texts are of another kind.
fn is_far_below((loss, bleu): (f32, f64), before: (f32, f64)) -> bool {
    const KEPT_BLEU: f64 = 0.7;
    const MORE_NATS: f32 = 0.3;
    bleu < KEPT_BLEU * before.1 && loss > before.0 + MORE_NATS
}

#[cfg(test)]
mod tests {
    use super::is_far_below;

    #[test]
    fn only_a_model_that_lost_words_and_loss_is_destroyed() {
        let base = (1.8, 43.4);
        assert!(is_far_below((9.5, 0.1), base));
        assert!(!is_far_below((1.7, 29.0), base), "another style");
        assert!(!is_far_below((2.2, 40.0), base), "a worse loss alone");
        assert!(
            !is_far_below((f32::MAX, 0.0), (4.0, 0.0)),
            "a base that knew nothing"
        );
    }
}
