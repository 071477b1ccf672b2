//! Measurements in the folder of a finished run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::TrainingConfig;
use crate::error::{Error, Result};
use crate::event::TrainingEvent;
use crate::run_folder::EVENTS;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::ModelConfig;

/// The first updates of a session are slower: memory is new, kernels are chosen.
const WARM_UP_STEPS: usize = 3;

/// Figures of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Measured {
    pub parameters: Option<usize>,
    pub examples: usize,
    pub steps_per_epoch: usize,
    /// Loss of the last score of all development documents.
    dev_loss: Option<f64>,
    dev_bleu: Option<f64>,
    is_finished: bool,
    /// Seconds of the updates after the warm-up, by their numbers.
    secs: BTreeMap<usize, f64>,
    /// Target tokens seen, and the updates in which they were.
    target_tokens: u64,
    steps: usize,
}

impl Measured {
    /// # Errors
    /// If the run's events exist but cannot be read.
    pub(super) fn read(run: &Path) -> Result<Self> {
        let path = run.join(EVENTS);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
        let mut measured = Self::default();
        let mut warm = 0;
        for line in text.lines() {
            // A killed run leaves half a line.
            if let Ok(event) = serde_json::from_str(line) {
                measured.receive(event, &mut warm);
            }
        }
        Ok(measured)
    }

    fn receive(&mut self, event: TrainingEvent, warm: &mut usize) {
        match event {
            TrainingEvent::Started {
                parameters,
                examples,
                steps_per_epoch,
                step,
                ..
            } => {
                self.parameters = Some(parameters);
                self.examples = examples;
                self.is_finished = false;
                self.steps_per_epoch = steps_per_epoch;
                *warm = step + WARM_UP_STEPS;
            }
            TrainingEvent::Step {
                step,
                secs,
                target_tokens,
                ..
            } => {
                if step > *warm && secs > 0.0 {
                    self.secs.insert(step, secs);
                }
                (self.steps, self.target_tokens) = (step, target_tokens);
            }
            TrainingEvent::Validated {
                whole: true,
                dev_loss,
                dev_bleu,
                ..
            } => {
                self.dev_loss = Some(f64::from(dev_loss));
                self.dev_bleu = Some(dev_bleu);
            }
            TrainingEvent::Finished { reason, .. } => self.is_finished = !reason.is_order(),
            TrainingEvent::Failed { .. } => self.is_finished = false,
            _ => {}
        }
    }

    /// Loss of all development documents, once the run is finished.
    pub(super) fn dev_loss(&self) -> Option<f64> {
        self.dev_loss.filter(|_| self.is_finished)
    }

    /// As [`Self::dev_loss`].
    pub(super) fn dev_bleu(&self) -> Option<f64> {
        self.dev_bleu.filter(|_| self.is_finished)
    }

    /// Seconds of an epoch, without validations.
    #[expect(clippy::cast_precision_loss, reason = "counts become f64")]
    pub(super) fn epoch_secs(&self) -> Option<f64> {
        let mean = self.secs.values().sum::<f64>() / self.secs.len() as f64;
        (!self.secs.is_empty()).then_some(mean * self.steps_per_epoch as f64)
    }

    /// Returns the target tokens that training takes in a second.
    #[expect(clippy::cast_precision_loss, reason = "counts become f64")]
    pub(super) fn target_tokens_per_second(&self) -> Option<f64> {
        let of_epoch = self.tokens_per_step()? * self.steps_per_epoch as f64;
        self.epoch_secs().map(|secs| of_epoch / secs)
    }

    /// Seconds of an epoch relative to those of `other`: over the updates that both have, which with the same seed saw the
    /// same batches, unless one reads sentences and the other documents.
    pub(super) fn relative_time(&self, other: &Self) -> Option<f64> {
        if self.steps_per_epoch != other.steps_per_epoch {
            return Some(self.epoch_secs()? / other.epoch_secs()?);
        }
        let both = self.secs.iter();
        let both = both.filter_map(|(step, secs)| Some((secs, other.secs.get(step)?)));
        let (own, others) = both.fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
        (others > 0.0).then_some(own / others)
    }

    /// Target tokens of a sentence.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a mean of counts"
    )]
    pub(super) fn words(&self) -> Option<usize> {
        let of_epoch = self.tokens_per_step()? * self.steps_per_epoch as f64;
        (self.examples > 0).then(|| (of_epoch / self.examples as f64).round().max(1.0) as usize)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts become f64")]
    fn tokens_per_step(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.target_tokens as f64 / self.steps as f64)
    }
}

/// Multiplications and additions of one sentence of `words` words and its translation.
pub(super) fn operations(config: &TrainingConfig, run: &Path, words: usize) -> Option<f64> {
    let model: ModelConfig = match ModelFolder::alone(&run.join("checkpoints/last")) {
        Ok(description) => description.model,
        Err(_) => config.system().ok()?.config(config.vocab_size),
    };
    let parts = model.parts();
    let costs = parts.iter().map(|part| part.cost.operations(1, words));
    Some(costs.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EndReason;

    fn measured(steps_per_epoch: usize, secs: &[f64]) -> Measured {
        Measured {
            steps_per_epoch,
            secs: secs.iter().copied().enumerate().collect(),
            ..Measured::default()
        }
    }

    #[test]
    fn a_run_has_scores_once_it_is_finished() {
        let validated = |step, dev_bleu| TrainingEvent::Validated {
            step,
            target_tokens: 10,
            dev_loss: 2.0,
            dev_bleu,
            best: true,
            elapsed_secs: 1.0,
            documents: 1,
            segments: 1,
            whole: true,
            secs: 0.5,
        };
        let finished = |reason| TrainingEvent::Finished { step: 4, reason };
        let (mut run, mut warm) = (Measured::default(), 0);
        for event in [
            validated(2, 10.0),
            finished(EndReason::Stopped),
            validated(4, 20.0),
        ] {
            run.receive(event, &mut warm);
            assert_eq!((run.dev_loss(), run.dev_bleu()), (None, None));
        }
        run.receive(finished(EndReason::Steps), &mut warm);
        assert_eq!((run.dev_loss(), run.dev_bleu()), (Some(2.0), Some(20.0)));
    }

    #[test]
    fn the_same_batches_are_compared_update_by_update_and_others_by_the_epoch() {
        let reference = measured(10, &[1.0, 2.0, 9.0]);
        assert_eq!(
            measured(10, &[2.0, 4.0]).relative_time(&reference),
            Some(2.0)
        );
        assert_eq!(measured(20, &[1.0]).relative_time(&reference), Some(0.5));
        assert_eq!(measured(10, &[]).relative_time(&reference), None);
    }
}
