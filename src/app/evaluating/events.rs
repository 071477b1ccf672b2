//! Events of evaluations.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Evaluate, Evaluated};
use crate::error::Error;
use crate::jobs::{ContrastResult, EvaluationProgress, JobId};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use crate::training::Training;
use canopy_evaluate::evaluation::{Evaluation, ExpectedForms};

/// A report to the page of evaluations.
#[derive(Debug)]
pub enum EvaluateEvent {
    /// An evaluation has come further.
    Progressed {
        /// Number of the job.
        job: JobId,
        /// How far it is.
        progress: EvaluationProgress,
    },
    /// An evaluation is done.
    Evaluated {
        /// Number of the job.
        job: JobId,
        /// Its outcome.
        evaluation: Arc<Evaluation>,
        /// How often translations have the words that earlier sentences decide, where the corpus names such words.
        expected: Option<Arc<ExpectedForms>>,
    },
    /// The choices of models in a contrastive set.
    Contrasted {
        /// Number of the job.
        job: JobId,
        /// The choices.
        result: Arc<ContrastResult>,
    },
    /// Scores or charts are in a file.
    Saved {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
}

impl Evaluate {
    pub(crate) fn handle(
        &mut self,
        shared: &mut Shared,
        training: &mut Training,
        event: EvaluateEvent,
    ) {
        use EvaluateEvent as E;
        match event {
            E::Progressed { job, progress } => self.evaluating(shared, job, progress),
            E::Evaluated {
                job,
                evaluation,
                expected,
            } => self.evaluated(shared, training, job, evaluation, expected),
            E::Contrasted { job, result } => self.contrasted(shared, job, result),
            E::Saved { job, path } => self.evaluation_saved(shared, job, &path),
        }
    }

    pub(crate) fn evaluating(&mut self, shared: &Shared, job: JobId, progress: EvaluationProgress) {
        let now_secs = shared.now_secs;
        let running = self.running.as_mut();
        if let Some(running) = running.filter(|running| running.job == job) {
            if running.progress.is_none() {
                // What came before was reading.
                running.started_secs = now_secs;
            }
            running.progress = Some(progress);
            running.latest_secs = now_secs;
        }
    }

    pub(crate) fn evaluated(
        &mut self,
        shared: &mut Shared,
        training: &mut Training,
        job: JobId,
        evaluation: Arc<Evaluation>,
        expected: Option<Arc<ExpectedForms>>,
    ) {
        let sample = training.sample.as_mut();
        let sample = sample.filter(|sample| sample.is_compared_by(job));
        let Some(running) = self.running.take_if(|running| running.job == job) else {
            return;
        };
        let number = self.done.len();
        self.done.push(Evaluated {
            evaluation: evaluation.clone(),
            expected,
            models: running.models,
            // The sample can be had again at any time.
            is_unsaved: sample.is_none(),
        });
        self.show(number);
        if let Some(sample) = sample {
            sample.evaluated(number, &evaluation);
        }
        shared.notify(NoticeKind::Done, "The evaluation is complete", "");
    }

    /// The languages of a corpus are known: if it is the one of the page, models of other languages are left out.
    pub(crate) fn corpus_known(&mut self, models: &Models, training: &Training, folder: &Path) {
        if self.corpus.as_deref() == Some(folder) {
            let chosen = std::mem::take(&mut self.models);
            let fits =
                |model: &PathBuf| training.corpora.fits(models, model, folder) != Some(false);
            self.models = chosen.into_iter().filter(fits).collect();
        }
    }

    /// Returns whether the job was the evaluation.
    pub(crate) fn evaluation_ended(&mut self, training: &mut Training, job: JobId) -> bool {
        if let Some(sample) = &mut training.sample {
            sample.not_evaluated(job);
        }
        let running = &mut self.running;
        running.take_if(|running| running.job == job).is_some()
    }

    pub(crate) fn evaluation_saved(&mut self, shared: &mut Shared, job: JobId, path: &Path) {
        let Some((_, saved)) = self.saving.take_if(|(saving, _)| *saving == job) else {
            return;
        };
        let is_saved = |done: &&mut Evaluated| Arc::ptr_eq(&done.evaluation, &saved);
        if let Some(done) = self.done.iter_mut().find(is_saved) {
            done.is_unsaved = false;
        }
        shared.notify(NoticeKind::Done, "Saved", path.display().to_string());
    }

    /// Returns whether the job was one of this page.
    pub(crate) fn failed(
        &mut self,
        shared: &mut Shared,
        training: &mut Training,
        job: JobId,
        error: &Error,
    ) -> bool {
        let saving = &mut self.saving;
        if saving.take_if(|(saving, _)| *saving == job).is_some() {
            shared.show_error("It could not be saved", error);
            return true;
        }
        let exporting = &mut self.exporting;
        if exporting.take_if(|exporting| *exporting == job).is_some() {
            shared.show_error("The votes could not be saved", error);
            return true;
        }
        let was_running = self.evaluation_ended(training, job);
        if was_running {
            shared.show_error("The evaluation stopped", error);
        }
        was_running
    }
}
