//! The numbers in a run's `events.jsonl`, as columns; follows a run that is still going on.

use std::path::Path;

use serde::Deserialize;

use super::follow::Lines;
use super::summary::RunSummary;
use crate::error::{Error, Result};
use canopy_chart::charts::XAxis;

/// Where on each horizontal axis points are; the columns are equally long.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Position {
    /// Updates of the optimiser.
    pub steps: Vec<f64>,
    /// Minutes since the run's first step.
    pub minutes: Vec<f64>,
    /// Target tokens seen.
    pub target_tokens: Vec<f64>,
}

impl Position {
    /// Returns the column of an axis.
    pub fn on(&self, axis: XAxis) -> &[f64] {
        match axis {
            XAxis::Steps => &self.steps,
            XAxis::Minutes => &self.minutes,
            XAxis::Tokens => &self.target_tokens,
        }
    }
}

/// One value an update; NaN where the run reported none, or one that is not finite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Updates {
    /// Where each value is.
    pub at: Position,
    /// Label-smoothed, nats a target token.
    pub loss: Vec<f64>,
    /// Learning rate of the update.
    pub learning_rate: Vec<f64>,
    /// Before clipping.
    pub gradient_norm: Vec<f64>,
    /// Speed of training.
    pub target_tokens_per_second: Vec<f64>,
}

/// One value a validation; NaN as in [`Updates`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Validations {
    /// Where each value is.
    pub at: Position,
    /// Loss of the development documents, nats a target token.
    pub dev_loss: Vec<f64>,
    /// BLEU of the development documents.
    pub dev_bleu: Vec<f64>,
    /// The run called it the best so far.
    pub best: Vec<bool>,
}

/// One value after a validation; NaN as in [`Updates`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contrasts {
    /// Where each value is.
    pub at: Position,
    /// Per cent of the items of the contrastive set.
    pub accuracy: Vec<f64>,
    /// Per cent that gates let in from beyond the sentence.
    pub gate_opening: Vec<f64>,
}

/// The events of a run so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// The updates.
    pub updates: Updates,
    /// The validations.
    pub validations: Validations,
    /// Accuracy on the contrastive set and opening of the gates.
    pub contrasts: Contrasts,
    /// The run in a few numbers.
    pub summary: RunSummary,
    /// Lines that this version does not understand.
    pub foreign_lines: usize,
    is_known: bool,
}

/// Any event of any version: what is not there is absent, what is not known is passed over.
///
/// Unlike [`TrainingEvent`], which a run writes, this one takes `null` for a number: so JSON has NaN.
#[derive(Debug, Deserialize)]
struct Line {
    event: String,
    step: Option<usize>,
    target_tokens: Option<f64>,
    elapsed_secs: Option<f64>,
    loss: Option<f64>,
    learning_rate: Option<f64>,
    gradient_norm: Option<f64>,
    target_tokens_per_second: Option<f64>,
    dev_loss: Option<f64>,
    dev_bleu: Option<f64>,
    accuracy: Option<f64>,
    gate_opening: Option<f64>,
    #[serde(default)]
    best: bool,
    #[serde(default)]
    whole: bool,
}

/// Follows the events of a run.
#[derive(Debug)]
pub struct Curves {
    lines: Lines,
    /// Changes whenever something new was read.
    pub revision: u64,
    /// The events so far.
    pub history: History,
}

impl Curves {
    /// Follows a run, by its folder or its `events.jsonl`; neither needs to be there yet. Reads nothing so far.
    pub fn follow(run: &Path) -> Self {
        let is_file = run.extension().is_some_and(|end| end == "jsonl");
        let path = if is_file {
            run.to_owned()
        } else {
            run.join("events.jsonl")
        };
        Self {
            lines: Lines::new(path),
            revision: 0,
            history: History::default(),
        }
    }

    /// Reads a run as it is now.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(run: &Path) -> Result<Self> {
        let mut curves = Self::follow(run);
        curves.poll()?;
        if !curves.history.is_known {
            return Err(Error::NoEvents {
                path: run.to_owned(),
            });
        }
        Ok(curves)
    }

    /// The file that is followed.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Reads the lines that were completed since the last time; says whether there were any.
    ///
    /// If the file has become another one, what was read before is forgotten.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn poll(&mut self) -> Result<bool> {
        let mut changed = self.lines.begin_again_if_replaced()?;
        if changed {
            self.history = History::default();
        }
        let history = &mut self.history;
        let read = self.lines.read_new(|line| {
            history.take(line);
            changed = true;
        });
        self.revision += u64::from(changed);
        read.map(|()| changed)
    }
}

impl History {
    /// Index of the best validation: the last that the run called the best.
    pub fn best(&self) -> Option<usize> {
        self.validations.best.iter().rposition(|best| *best)
    }

    /// The last step with an event.
    pub fn step(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a step that was read as a whole number"
        )]
        let last = |at: &Position| at.steps.last().map_or(0, |step| *step as usize);
        last(&self.updates.at).max(last(&self.validations.at))
    }

    fn take(&mut self, line: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Line>(line) else {
            self.foreign_lines += 1;
            return;
        };
        if self.take_event(event).is_none() {
            self.foreign_lines += 1;
            return;
        }
        if let Ok(event) = serde_json::from_slice(line) {
            self.summary.add(&event);
        }
        self.is_known = true;
    }

    /// None if the event is of an unknown kind, or lacks what its kind needs.
    fn take_event(&mut self, event: Line) -> Option<()> {
        match event.event.as_str() {
            "started" | "went_back" => {
                // What was done after the last checkpoint before a run was killed is done again.
                self.forget_from(event.step.unwrap_or(0).saturating_add(1));
            }
            "step" => {
                let step = event.step?;
                if step <= self.step_of_updates() {
                    self.forget_from(step);
                }
                self.updates.push(step, &event);
            }
            // The score of all documents, after the same step's score of a sample of them.
            "validated" if event.whole && self.is_validated(event.step?) => {}
            "validated" => {
                let step = event.step?;
                // A run killed after it, but before it was saved again, scores the same step once more.
                self.validations.forget_from(step);
                self.validations.push(step, &event);
            }
            "contrasted" => {
                let step = event.step?;
                self.contrasts.forget_from(step);
                self.contrasts.push(step, &event);
            }
            "phase" | "samples" | "compared" | "saved" | "warning" | "finished" | "failed" => {}
            _ => return None,
        }
        Some(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a step that was read as a whole number"
    )]
    fn step_of_updates(&self) -> usize {
        let last = self.updates.at.steps.last();
        last.map_or(0, |step| *step as usize)
    }

    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 steps")]
    fn is_validated(&self, step: usize) -> bool {
        self.validations.at.steps.last() == Some(&(step as f64))
    }

    fn forget_from(&mut self, step: usize) {
        let updates = &mut self.updates;
        let kept = updates.at.truncate_before(step);
        for column in [
            &mut updates.loss,
            &mut updates.learning_rate,
            &mut updates.gradient_norm,
            &mut updates.target_tokens_per_second,
        ] {
            column.truncate(kept);
        }
        self.validations.forget_from(step);
        self.contrasts.forget_from(step);
    }
}

impl Contrasts {
    fn push(&mut self, step: usize, event: &Line) {
        let per_cent = |share: Option<f64>| share.map_or(f64::NAN, |share| 100.0 * share);
        self.at.push(step, event);
        self.accuracy.push(per_cent(event.accuracy));
        self.gate_opening.push(per_cent(event.gate_opening));
    }

    fn forget_from(&mut self, step: usize) {
        let kept = self.at.truncate_before(step);
        self.accuracy.truncate(kept);
        self.gate_opening.truncate(kept);
    }
}

impl Position {
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 steps")]
    fn push(&mut self, step: usize, event: &Line) {
        self.steps.push(step as f64);
        self.minutes.push(event.elapsed_secs.unwrap_or(0.0) / 60.0);
        self.target_tokens.push(event.target_tokens.unwrap_or(0.0));
    }

    /// Keeps the points before `step`; returns how many.
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 steps")]
    fn truncate_before(&mut self, step: usize) -> usize {
        let kept = self.steps.partition_point(|at| *at < step as f64);
        self.steps.truncate(kept);
        self.minutes.truncate(kept);
        self.target_tokens.truncate(kept);
        kept
    }
}

impl Updates {
    fn push(&mut self, step: usize, event: &Line) {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        self.at.push(step, event);
        self.loss.push(number(event.loss));
        self.learning_rate.push(number(event.learning_rate));
        self.gradient_norm.push(number(event.gradient_norm));
        let speed = number(event.target_tokens_per_second);
        self.target_tokens_per_second.push(speed);
    }
}

impl Validations {
    fn push(&mut self, step: usize, event: &Line) {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        self.at.push(step, event);
        self.dev_loss.push(number(event.dev_loss));
        self.dev_bleu.push(number(event.dev_bleu));
        self.best.push(event.best);
    }

    fn forget_from(&mut self, step: usize) {
        let kept = self.at.truncate_before(step);
        self.dev_loss.truncate(kept);
        self.dev_bleu.truncate(kept);
        self.best.truncate(kept);
    }
}

#[cfg(test)]
pub(super) mod tests;
