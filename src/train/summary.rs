//! A summary of a run's events: where it is, how good it is, what it said.

use super::event::{ComparedSet, EndReason, Phase, RunLimits, STALLED, Sample, TrainingEvent};

/// Lines of the log that are kept.
const LOG: usize = 500;

/// Scores of one validation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Updates before the validation.
    pub step: usize,
    /// Loss, nats a target token.
    pub dev_loss: f32,
    /// BLEU.
    pub dev_bleu: f64,
    /// Documents that were scored.
    pub documents: usize,
    /// Segments that were scored.
    pub segments: usize,
}

/// A run in a few numbers, kept up to date event by event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSummary {
    /// Number of weights.
    pub parameters: usize,
    /// Pairs that are learnt from.
    pub examples: usize,
    /// Name of the device.
    pub device: String,
    /// When the run ends.
    pub limits: RunLimits,
    /// Updates of an epoch.
    pub steps_per_epoch: usize,
    /// The activity under way; none before the first.
    pub phase: Option<Phase>,
    /// Updates so far.
    pub step: usize,
    /// Epoch under way, from 0.
    pub epoch: usize,
    /// Target tokens seen.
    pub target_tokens: u64,
    /// Label-smoothed loss of the last update, nats a target token.
    pub loss: Option<f32>,
    /// After the last validation, between 0 and 1.
    pub contrastive_accuracy: Option<f64>,
    /// Likewise.
    pub gate_opening: Option<f64>,
    /// Speed of training over the last updates.
    pub target_tokens_per_second: f64,
    /// Seconds of training, pauses not counted.
    pub elapsed_secs: f64,
    /// Seconds of the sessions before this one.
    pub earlier_secs: f64,
    /// Validation included; `None` if the run has no limit.
    pub remaining_secs: Option<f64>,
    /// On the sample of development documents, or on all if the run scores no sample.
    pub last: Option<Scores>,
    /// The best of those with as many segments.
    pub best: Option<Scores>,
    /// On all development documents.
    pub whole: Option<Scores>,
    /// Development sentences as the model translates them now.
    pub samples: Vec<Sample>,
    /// Before and after, once a run that began with a trained model has ended.
    pub compared: Vec<ComparedSet>,
    /// Messages that a person should look at.
    pub warnings: Vec<String>,
    /// How often the learning rate was halved since numbers were not finite.
    pub halvings: u32,
    /// One line for everything but a step.
    pub log: Vec<String>,
    /// Why it ended; none while it runs.
    pub ended: Option<EndReason>,
    /// Message of the error that ended it.
    pub failed: Option<String>,
}

impl RunSummary {
    /// Takes the next event in.
    pub fn add(&mut self, event: &TrainingEvent) {
        if let Some(line) = self.line(event) {
            if self.log.len() == LOG {
                self.log.remove(0);
            }
            self.log.push(line);
        }
        match event {
            TrainingEvent::Started {
                parameters,
                examples,
                device,
                limits,
                steps_per_epoch,
                ..
            } => {
                self.parameters = *parameters;
                self.examples = *examples;
                self.device.clone_from(device);
                self.limits = *limits;
                self.steps_per_epoch = *steps_per_epoch;
                (self.ended, self.failed) = (None, None);
                self.earlier_secs = self.elapsed_secs;
            }
            TrainingEvent::Phase { phase } => self.phase = Some(*phase),
            TrainingEvent::Step {
                step,
                epoch,
                loss,
                target_tokens,
                target_tokens_per_second,
                elapsed_secs,
                remaining_secs,
                ..
            } => {
                (self.step, self.epoch, self.loss) = (*step, *epoch, Some(*loss));
                self.target_tokens = *target_tokens;
                self.target_tokens_per_second = *target_tokens_per_second;
                self.elapsed_secs = *elapsed_secs;
                self.remaining_secs = *remaining_secs;
            }
            TrainingEvent::Validated {
                step,
                dev_loss,
                dev_bleu,
                best,
                elapsed_secs,
                documents,
                segments,
                whole,
                ..
            } => {
                let scores = Scores {
                    step: *step,
                    dev_loss: *dev_loss,
                    dev_bleu: *dev_bleu,
                    documents: *documents,
                    segments: *segments,
                };
                self.elapsed_secs = *elapsed_secs;
                self.last = Some(scores);
                if *best {
                    self.best = Some(scores);
                    let is_over = |warning: &str| STALLED.iter().any(|it| warning.starts_with(it));
                    self.warnings.retain(|warning| !is_over(warning));
                }
                if *whole {
                    self.whole = Some(scores);
                }
            }
            TrainingEvent::Contrasted {
                accuracy,
                gate_opening,
                ..
            } => {
                self.contrastive_accuracy = accuracy.or(self.contrastive_accuracy);
                self.gate_opening = gate_opening.or(self.gate_opening);
            }
            TrainingEvent::Samples { samples, .. } => self.samples.clone_from(samples),
            TrainingEvent::Compared { sets, .. } => self.compared.clone_from(sets),
            TrainingEvent::Saved { .. } => {}
            TrainingEvent::WentBack {
                step,
                halvings,
                message,
            } => {
                (self.step, self.halvings) = (*step, *halvings);
                self.warnings.push(message.clone());
            }
            TrainingEvent::Warning { message } => {
                if !self.warnings.contains(message) {
                    self.warnings.push(message.clone());
                }
            }
            TrainingEvent::Finished { reason, .. } => self.ended = Some(*reason),
            TrainingEvent::Failed { message } => self.failed = Some(message.clone()),
        }
    }

    /// How much of the run is done, in `[0, 1]`: of the limit that is nearest.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a share of a bar"
    )]
    pub fn share(&self) -> Option<f32> {
        let of = |done: f64, all: f64| (all > 0.0).then(|| (done / all) as f32);
        let shares = [
            of(self.step as f64, self.limits.steps as f64),
            of(self.target_tokens as f64, self.limits.target_tokens as f64),
            of(
                (self.elapsed_secs - self.earlier_secs).max(0.0),
                self.limits.minutes * 60.0,
            ),
        ];
        shares
            .into_iter()
            .flatten()
            .max_by(f32::total_cmp)
            .map(|share| share.min(1.0))
    }

    fn line(&self, event: &TrainingEvent) -> Option<String> {
        let step = self.step;
        match event {
            TrainingEvent::Started {
                parameters,
                examples,
                device,
                step,
                ..
            } => Some(format!(
                "step {step}: started on {device}, {parameters} parameters, {examples} sentence pairs"
            )),
            TrainingEvent::Validated {
                step,
                dev_loss,
                dev_bleu,
                best,
                segments,
                whole,
                ..
            } => {
                let what = if *whole { "all" } else { "a sample of" };
                let mark = if *best { ", the best so far" } else { "" };
                Some(format!(
                    "step {step}: BLEU {dev_bleu:.2}, loss {dev_loss:.3} on {what} {segments} development segments{mark}"
                ))
            }
            TrainingEvent::Contrasted {
                step,
                accuracy,
                items,
                gate_opening,
                ..
            } => {
                let accuracy = accuracy.map(|share| {
                    format!("{:.1} % of {items} contrastive items right", 100.0 * share)
                });
                let opening =
                    gate_opening.map(|share| format!("gates {:.1} % open", 100.0 * share));
                let parts: Vec<String> = accuracy.into_iter().chain(opening).collect();
                Some(format!("step {step}: {}", parts.join(", ")))
            }
            TrainingEvent::Compared { step, sets } => {
                let line = |set: &ComparedSet| {
                    let ([before, after], [less, more]) = (set.bleu, set.loss);
                    format!(
                        "{} ({} segments): BLEU {before:.2} before, {after:.2} after, loss {less:.3} before, {more:.3} after",
                        set.name, set.segments
                    )
                };
                let lines: Vec<String> = sets.iter().map(line).collect();
                Some(format!("step {step}: {}", lines.join("; ")))
            }
            TrainingEvent::Saved { step, checkpoint } => {
                Some(format!("step {step}: saved as {checkpoint}"))
            }
            TrainingEvent::Phase {
                phase: Phase::Paused,
            } => Some(format!("step {step}: paused")),
            TrainingEvent::Warning { message } | TrainingEvent::WentBack { message, .. } => {
                Some(format!("step {step}: warning: {message}"))
            }
            TrainingEvent::Finished { step, reason } => {
                Some(format!("step {step}: ended, {}", reason.words()))
            }
            TrainingEvent::Failed { message } => Some(format!("step {step}: failed: {message}")),
            TrainingEvent::Phase { .. }
            | TrainingEvent::Step { .. }
            | TrainingEvent::Samples { .. } => None,
        }
    }
}
