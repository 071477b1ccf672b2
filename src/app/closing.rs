//! The last writes: everything is written before the window closes, and a failure is reported while the user can still act.

use super::state::AppState;
use super::training::NewCorpus;
use crate::jobs::{FileRequest, JobId};

/// How far the last writes are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LastWrites {
    /// Under way.
    pub(super) job: Option<JobId>,
    /// Failures since they began.
    pub(super) failures: Vec<String>,
}

impl AppState {
    /// Whether something was or is to be written, so that closing has to wait for it.
    pub fn has_last_writes(&self) -> bool {
        let is_written = self.document.editing.open.is_none() && self.shared.keeping.is_empty();
        !is_written
            || self.shared.save_failed
            || self.document.saving.is_running()
            || self.document.editing.is_dirty()
    }

    /// Writes everything; [`is_writing_last`](Self::is_writing_last) says how long that takes.
    pub(super) fn write_last(&mut self) {
        self.flush();
        let job = self.shared.next_job();
        self.shared.closing = LastWrites {
            job: Some(job),
            failures: Vec::new(),
        };
        self.shared.file_requests.push(FileRequest::Flush { job });
    }

    /// Work that would be lost if the window closed now. Runs are not: they resume from a checkpoint.
    pub fn lost_by_closing(&self) -> Option<&'static str> {
        let corpus = self.training.corpus_form.as_ref();
        let is_made = corpus.is_some_and(NewCorpus::is_importing);
        if self.evaluate.running.is_some() {
            Some("An evaluation is under way")
        } else if is_made {
            Some("A corpus is being made")
        } else if self.projects.is_exporting() {
            Some("The translations of a project are being written")
        } else if self.models.installing.adding.is_some() {
            Some("A model is being added")
        } else {
            let has_unsaved = self.evaluate.has_unsaved();
            has_unsaved.then_some("The scores of an evaluation are not saved")
        }
    }
}
