//! Figures in addition to loss and BLEU: how often a run's model prefers the right translations of a contrastive set, and how much
//! its gates let in from beyond the sentence.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use burn::module::Module;

use super::config::TrainingConfig;
use super::control::Order;
use super::data::TrainingData;
use super::event::TrainingEvent;
use super::reporter::Reporter;
use super::trainer::Trainer;
use super::validating::Scoring;
use crate::error::Result;
use canopy_contrast::{Accuracies, ContextOptions, ContrastiveSet, open, score};
use canopy_nn::model::Model;
use canopy_translate::inference::{ComputeDevice, ImportedModel, LoadedModel, Translator};

/// Items that are scored after each validation, at most: always the same ones, from all parts of the set.
const MOST_ITEMS: usize = 300;

/// Reads the set that a run is to be scored on; none if it names none.
///
/// # Errors
/// If it cannot be read, or is not one.
pub(super) fn set_of(config: &TrainingConfig) -> Result<Option<ContrastiveSet>> {
    if config.contrastive_set.as_os_str().is_empty() {
        return Ok(None);
    }
    let mut set = open(&config.contrastive_set, None)?;
    let every = set.items.len().div_ceil(MOST_ITEMS).max(1);
    set.items = set.items.into_iter().step_by(every).collect();
    Ok(Some(set))
}

impl Trainer<'_> {
    /// Reports how the model chooses in the contrastive set and how far its gates are open, if there is such a set or gate;
    /// an order breaks it off.
    pub(super) fn contrast(
        &mut self,
        model: &Model,
        data: &TrainingData,
        scoring: &Scoring,
        reporter: &mut Reporter,
    ) -> Result<()> {
        let has_gate = self.description.model.context.is_some();
        if scoring.contrastive().is_none() && !has_gate {
            return Ok(());
        }
        let begun = Instant::now();
        let gate_opening = has_gate.then(|| scoring.set().gate_opening(model));
        let (mut accuracy, mut items) = (None, 0);
        if let Some(set) = scoring.contrastive() {
            let Some(found) = self.accuracies(model, set, data, reporter)? else {
                self.clock.broken_off(begun.elapsed().as_secs_f64());
                return Ok(());
            };
            items = found.total.items;
            #[expect(clippy::cast_precision_loss, reason = "counts of items")]
            let share = found.total.right as f64 / items.max(1) as f64;
            accuracy = (items > 0).then_some(share);
        }
        self.clock.broken_off(begun.elapsed().as_secs_f64());
        let gate_opening = gate_opening.flatten();
        if accuracy.is_none() && gate_opening.is_none() {
            return Ok(());
        }
        reporter.report(TrainingEvent::Contrasted {
            step: self.progress.step,
            target_tokens: self.progress.target_tokens,
            elapsed_secs: self.progress.elapsed_secs,
            accuracy,
            items,
            gate_opening,
        })
    }

    /// The accuracies of the model as it is now; none if an order came.
    fn accuracies(
        &self,
        model: &Model,
        set: &ContrastiveSet,
        data: &TrainingData,
        reporter: &mut Reporter,
    ) -> Result<Option<Accuracies>> {
        let Some(device) = model.devices().into_iter().next() else {
            return Ok(None);
        };
        let device = ComputeDevice {
            device,
            name: String::new(),
            software: false,
            remote: None,
        };
        let opened = ImportedModel {
            description: self.description.clone(),
            model: model.clone(),
            tokenizer: data.tokenizer.clone(),
        };
        let translator = Translator::from(LoadedModel::new(opened, Path::new(""), device));
        let options = ContextOptions {
            before: None,
            after: None,
            gold_target_context: false,
            beam_size: 1,
        };
        let device_lock = reporter.device_lock();
        let mut device_lock = device_lock.take();
        let mut is_over = false;
        let scores = score(&translator, set, &options, &mut |_| {
            device_lock.pass();
            match reporter.order() {
                Order::Resume => ControlFlow::Continue(()),
                Order::Pause | Order::Stop | Order::Abandon => {
                    is_over = true;
                    ControlFlow::Break(())
                }
            }
        })?;
        Ok((!is_over).then(|| Accuracies::from_scores(set, &scores.items)))
    }
}
