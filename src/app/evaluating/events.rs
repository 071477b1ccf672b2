//! Events of the thread that evaluates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Evaluated;
use crate::error::Error;
use crate::jobs::{EvaluationProgress, JobId};
use crate::notices::NoticeKind;
use crate::state::AppState;
use canopy_evaluate::evaluation::{Evaluation, ExpectedForms};

impl AppState {
    pub(crate) fn evaluating(&mut self, job: JobId, progress: EvaluationProgress) {
        let now_secs = self.shared.now_secs;
        let running = self.evaluate.running.as_mut();
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
        job: JobId,
        evaluation: Arc<Evaluation>,
        expected: Option<Arc<ExpectedForms>>,
    ) {
        let is_sample = self.training.is_sample_evaluation(job);
        let page = &mut self.evaluate;
        let Some(running) = page.running.take_if(|running| running.job == job) else {
            return;
        };
        let number = page.done.len();
        page.done.push(Evaluated {
            evaluation: evaluation.clone(),
            expected,
            models: running.models,
            // The sample can be had again at any time.
            is_unsaved: !is_sample,
        });
        page.show(number);
        if is_sample {
            self.training.sample_evaluated(number, &evaluation);
        }
        self.shared
            .notify(NoticeKind::Done, "The evaluation is complete", "");
    }

    /// The languages of a corpus are known: if it is the one of the page, models of other languages are left out.
    pub(crate) fn corpus_known(&mut self, folder: &Path) {
        if self.evaluate.corpus.as_deref() == Some(folder) {
            let chosen = std::mem::take(&mut self.evaluate.models);
            let fits =
                |model: &PathBuf| self.training.fits(&self.models, model, folder) != Some(false);
            self.evaluate.models = chosen.into_iter().filter(fits).collect();
        }
    }

    /// Returns whether the job was the evaluation.
    pub(crate) fn evaluation_ended(&mut self, job: JobId) -> bool {
        self.training.sample_not_evaluated(job);
        let running = &mut self.evaluate.running;
        running.take_if(|running| running.job == job).is_some()
    }

    pub(crate) fn evaluation_saved(&mut self, job: JobId, path: &Path) {
        let page = &mut self.evaluate;
        let Some((_, saved)) = page.saving.take_if(|(saving, _)| *saving == job) else {
            return;
        };
        let is_saved = |done: &&mut Evaluated| Arc::ptr_eq(&done.evaluation, &saved);
        if let Some(done) = page.done.iter_mut().find(is_saved) {
            done.is_unsaved = false;
        }
        self.shared
            .notify(NoticeKind::Done, "Saved", path.display().to_string());
    }

    /// Returns whether the job was one of this page.
    pub(crate) fn evaluation_failed(&mut self, job: JobId, error: &Error) -> bool {
        let saving = &mut self.evaluate.saving;
        if saving.take_if(|(saving, _)| *saving == job).is_some() {
            self.shared.show_error("It could not be saved", error);
            return true;
        }
        let exporting = &mut self.evaluate.exporting;
        if exporting.take_if(|exporting| *exporting == job).is_some() {
            self.shared
                .show_error("The votes could not be saved", error);
            return true;
        }
        let was_running = self.evaluation_ended(job);
        if was_running {
            self.shared.show_error("The evaluation stopped", error);
        }
        was_running
    }
}
