//! When a run is scored, on what, and what follows from the scores.

use std::ops::ControlFlow;
use std::time::Instant;

use burn::module::Module;

use super::checkpoint;
use super::config::TrainingConfig;
use super::contrast;
use super::control::Order;
use super::data::TrainingData;
use super::event::{Phase, STALLED, TrainingEvent};
use super::reporter::Reporter;
use super::trainer::Trainer;
use super::validation::{Validation, ValidationSet};
use crate::error::{BaseError, Error, Result};
use canopy_contrast::ContrastiveSet;
use canopy_corpus::Split;
use canopy_kernels::packed::Quantization;
use canopy_nn::model::Model;

/// Validations without a better BLEU between two warnings of it.
const BLEU_PATIENCE: usize = 3;

/// Shorter validations do not matter.
const LONG_SECS: f64 = 1.0;

/// The development documents.
pub(super) struct Scoring {
    every: usize,
    whole: ValidationSet,
    sample: Option<ValidationSet>,
    contrastive: Option<ContrastiveSet>,
}

impl Scoring {
    pub(crate) fn new(
        config: &TrainingConfig,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<Self> {
        let whole = ValidationSet::new(&data.corpus, Split::Dev, data.examples(Split::Dev)?)?;
        if whole.is_empty() {
            let message = "the corpus has no development documents: no BLEU is computed, and the best checkpoint cannot be chosen";
            reporter.warn(message.to_owned())?;
        }
        Ok(Self {
            every: config.validate_every,
            sample: whole.sampled(config.validation_segments),
            whole,
            contrastive: contrast::set_of(config)?,
        })
    }

    /// The set that is scored while training.
    pub(crate) fn set(&self) -> &ValidationSet {
        self.sample.as_ref().unwrap_or(&self.whole)
    }

    /// The contrastive set that is scored with it, if there is one.
    pub(crate) fn contrastive(&self) -> Option<&ContrastiveSet> {
        self.contrastive.as_ref()
    }

    /// The set that is also scored at the end; none if it has been scored all the time.
    pub(crate) fn whole_at_end(&self) -> Option<&ValidationSet> {
        (self.validates() && self.sample.is_some()).then_some(&self.whole)
    }

    fn validates(&self) -> bool {
        self.every > 0 && !self.whole.is_empty()
    }

    /// How many times as much is scored at the end as at other times.
    #[expect(clippy::cast_precision_loss, reason = "segment counts become f64")]
    pub(crate) fn final_validations(&self) -> f64 {
        let times = |whole: &ValidationSet| {
            whole.num_segments() as f64 / self.set().num_segments().max(1) as f64
        };
        self.whole_at_end().map_or(0.0, times)
    }
}

impl Trainer<'_> {
    pub(crate) fn validation_is_due(&self, at_end: bool, scoring: &Scoring) -> bool {
        let step = self.progress.step;
        scoring.validates()
            && step > self.progress.validated
            && (at_end || step.is_multiple_of(scoring.every))
    }

    /// Scores what is scored while training, and keeps the best model; an order breaks it off, and it stays due.
    pub(crate) fn validate(
        &mut self,
        data: &TrainingData,
        scoring: &Scoring,
        reporter: &mut Reporter,
    ) -> Result<()> {
        reporter.phase(Phase::Validate)?;
        let set = scoring.set();
        if let Some((validation, secs)) = self.scores(set, data, reporter)? {
            let training_secs = self.clock.validated(secs);
            self.progress.validation_secs = secs;
            if self.progress.validated == 0 && self.is_ruined(&validation) {
                self.progress.is_worse = true;
                reporter.warn(self.ruin(&validation))?;
            }
            self.progress.validated = self.progress.step;
            let best = self.compare(&validation, scoring);
            if best {
                checkpoint::save(
                    &reporter.folder.best(),
                    &self.description,
                    &self.model,
                    &data.tokenizer,
                    None,
                    &self.progress,
                )?;
            }
            let whole = scoring.sample.is_none();
            self.report(&validation, set, (best, whole, secs), reporter)?;
            reporter.report(TrainingEvent::Samples {
                step: self.progress.step,
                samples: set.samples(&validation),
            })?;
            let model = self.as_it_translates();
            self.contrast(&model, data, scoring, reporter)?;
            self.warn(secs, training_secs, reporter)?;
        }
        reporter.phase(Phase::Train)
    }

    /// Scores all development documents at the end.
    pub(crate) fn score(
        &mut self,
        whole: &ValidationSet,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<()> {
        reporter.phase(Phase::Validate)?;
        if let Some((validation, secs)) = self.scores(whole, data, reporter)? {
            self.progress.scored = self.progress.step;
            self.describe(Some((validation.loss, validation.bleu)));
            self.report(&validation, whole, (false, true, secs), reporter)?;
        }
        reporter.phase(Phase::Train)
    }

    /// The model without gradients, as it will translate.
    fn as_it_translates(&self) -> Model {
        let mut model = self.model.valid();
        if let Some(top_t) = self.description.model.top_t() {
            // However far it is narrowed.
            model.network.set_top_t(top_t);
        }
        model.packed_as(Quantization::None)
    }

    /// Scores, and the seconds they took; none if an order came.
    fn scores(
        &mut self,
        set: &ValidationSet,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<Option<(Validation, f64)>> {
        let begun = Instant::now();
        let device_lock = reporter.device_lock();
        let mut device_lock = device_lock.take();
        let model = self.as_it_translates();
        let validation = set.run(
            &model,
            &*data.tokenizer,
            self.config.label_smoothing,
            &mut || {
                device_lock.pass();
                match reporter.order() {
                    Order::Resume => ControlFlow::Continue(()),
                    Order::Pause | Order::Stop | Order::Abandon => ControlFlow::Break(()),
                }
            },
        )?;
        let secs = begun.elapsed().as_secs_f64();
        match &validation {
            None => self.clock.broken_off(secs),
            Some(validation) if !validation.loss.is_finite() => {
                return Err(Error::Base(BaseError::InvalidScores {
                    sentence: "of the development documents".to_owned(),
                    found: validation.loss,
                }));
            }
            Some(_) => {}
        }
        Ok(validation.map(|validation| (validation, secs)))
    }

    /// Counts the validation; whether BLEU is the best so far.
    fn compare(&mut self, validation: &Validation, scoring: &Scoring) -> bool {
        let progress = &mut self.progress;
        let loss_falls = progress.best_loss.is_none_or(|best| validation.loss < best);
        let best = progress
            .best_bleu
            .is_none_or(|best| validation.bleu > best || (validation.bleu >= best && loss_falls));
        if best {
            progress.best_bleu = Some(validation.bleu);
        }
        // What is scored only because a session ends does not change when the run ends.
        if progress.step.is_multiple_of(scoring.every) {
            progress.bleu_stalled = if best { 0 } else { progress.bleu_stalled + 1 };
            if loss_falls {
                (progress.best_loss, progress.stalled) = (Some(validation.loss), 0);
            } else {
                progress.stalled += 1;
            }
        }
        self.describe(Some((validation.loss, validation.bleu)));
        best
    }

    /// The warning that the run has destroyed what it began with.
    fn ruin(&self, validation: &Validation) -> String {
        let (_, before) = self.progress.before.held_out.unwrap_or_default();
        let config = self.config;
        format!(
            "the first validation is far below the model that the run began with (BLEU {before:.1} → {:.1}): the run ends and \
             that model stays the best one; lower learning_rate ({}), dropout ({}) or label_smoothing ({})",
            validation.bleu, config.learning_rate, config.dropout, config.label_smoothing
        )
    }

    fn report(
        &mut self,
        validation: &Validation,
        set: &ValidationSet,
        (best, whole, secs): (bool, bool, f64),
        reporter: &mut Reporter,
    ) -> Result<()> {
        self.progress.elapsed_secs = self.clock.elapsed_secs();
        reporter.report(TrainingEvent::Validated {
            step: self.progress.step,
            target_tokens: self.progress.target_tokens,
            dev_loss: validation.loss,
            dev_bleu: validation.bleu,
            best,
            elapsed_secs: self.progress.elapsed_secs,
            documents: set.num_documents(),
            segments: set.num_segments(),
            whole,
            secs,
        })
    }

    fn warn(&mut self, secs: f64, training_secs: f64, reporter: &mut Reporter) -> Result<()> {
        let (stalled, patience) = (self.progress.stalled, self.config.patience);
        if patience > 0 && stalled > 0 {
            reporter.warn(format!(
                "{} in {stalled} of {patience} validations; then the run ends",
                STALLED[1]
            ))?;
        }
        let stalled = self.progress.bleu_stalled;
        if stalled > 0 && stalled.is_multiple_of(BLEU_PATIENCE) {
            reporter.warn(format!("{} for {stalled} validations", STALLED[0]))?;
        }
        if secs > training_secs.max(LONG_SECS) && !self.warned_of_validation {
            self.warned_of_validation = true;
            reporter.warn(format!(
                "validation took {secs:.0} s, the training before it {training_secs:.0} s; raise validate_every or lower \
                 validation_segments"
            ))?;
        }
        Ok(())
    }
}
