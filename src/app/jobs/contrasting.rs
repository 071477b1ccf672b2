//! Models on a contrastive set, on the lane of evaluations.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::{EvaluationProgress, Event, JobControl, JobId};
use crate::EvaluateEvent;
use crate::error::Result;
use canopy_evaluate::contrastive::{
    Accuracies, ContextOptions, ContrastiveSet, SetScores, open, score,
};
use canopy_evaluate::evaluation::unique_names;
use canopy_train::DeviceLock;
use canopy_translate::inference::{DeviceChoice, Translator, described_model};

/// Which models are to choose in which set.
#[derive(Debug)]
pub struct ContrastJob {
    /// Number of the job.
    pub job: JobId,
    /// Folders of the models.
    pub models: Vec<PathBuf>,
    /// The file of the set.
    pub set: PathBuf,
    /// Beam size of the searches for translations that a model reads.
    pub beam_size: usize,
    /// The device to compute on.
    pub device: DeviceChoice,
    /// The handle that cancels the job.
    pub control: JobControl,
}

/// The choices of some models in a set.
#[derive(Debug)]
pub struct ContrastResult {
    /// The set.
    pub set: ContrastiveSet,
    /// In the order in which they were chosen.
    pub models: Vec<ContrastedModel>,
}

/// The choices of a model.
#[derive(Debug)]
pub struct ContrastedModel {
    /// Name of the model.
    pub name: String,
    /// Folder of the model.
    pub folder: PathBuf,
    /// How often it prefers the right translation.
    pub accuracies: Accuracies,
    /// Its scores of all translations of the set.
    pub scores: SetScores,
}

impl ContrastedModel {
    /// How much more probable the right translation of an item is than the most probable wrong one, in nats: right if above
    /// 0. None for an item that is too long.
    pub fn margin(&self, item: usize) -> Option<f64> {
        let scores = self.scores.items.get(item)?.as_ref()?;
        let (right, wrong) = scores.split_first()?;
        let wrong = wrong.iter().copied().reduce(f64::max)?;
        Some(right - wrong)
    }
}

/// Has each model score all translations of the set.
pub(super) fn contrast(
    request: &ContrastJob,
    device_lock: &DeviceLock,
    emit: &dyn Fn(Event),
) -> Result<Event> {
    let job = request.job;
    let set = open(&request.set, None)?;
    for folder in &request.models {
        described_model(folder)?;
    }
    let options = ContextOptions {
        before: None,
        after: None,
        gold_target_context: false,
        beam_size: request.beam_size,
    };
    let num: usize = set.items.iter().map(|item| item.candidates().count()).sum();
    let mut models = Vec::new();
    let mut device_lock = device_lock.take();
    for (model, folder) in request.models.iter().enumerate() {
        let progress = |done: usize| {
            Event::Evaluate(EvaluateEvent::Progressed {
                job,
                progress: EvaluationProgress {
                    model,
                    num_models: request.models.len(),
                    done,
                    num,
                },
            })
        };
        emit(progress(0));
        let translator = Translator::open(folder, request.device)?;
        let scores = score(&translator, &set, &options, &mut |done| {
            emit(progress(done));
            device_lock.pass();
            if request.control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        if request.control.is_cancelled() {
            return Ok(Event::Cancelled { job });
        }
        models.push(ContrastedModel {
            name: translator.info().name.clone(),
            folder: folder.clone(),
            accuracies: Accuracies::from_scores(&set, &scores.items),
            scores,
        });
    }
    let named = models.iter();
    let named: Vec<(String, PathBuf)> = named
        .map(|model| (model.name.clone(), model.folder.clone()))
        .collect();
    for (model, name) in models.iter_mut().zip(unique_names(&named)) {
        model.name = name;
    }
    Ok(Event::Evaluate(EvaluateEvent::Contrasted {
        job,
        result: Arc::new(ContrastResult { set, models }),
    }))
}
