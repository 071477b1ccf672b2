//! The last writes: everything is written before the window closes, and a failure is reported while the user can still act.

use super::pending_writes::PendingWrites;
use super::state::AppState;
use crate::error::Error;
use crate::jobs::{FileRequest, JobId};

impl AppState {
    /// Whether something was or is to be written, so that closing has to wait for it.
    pub fn has_last_writes(&self) -> bool {
        let is_written = self.document.is_none() && self.keeping.is_empty();
        !is_written || self.is_unkept || self.saving.is_some() || self.dirty_since_secs.is_some()
    }

    /// Writes everything; [`is_writing_last`](Self::is_writing_last) says how long that takes.
    pub fn write_last(&mut self) {
        self.flush();
        let job = self.next_job();
        self.closing = PendingWrites {
            job: Some(job),
            failures: Vec::new(),
        };
        self.file_requests.push(FileRequest::Flush { job });
    }

    /// Whether the last writes are under way.
    pub fn is_writing_last(&self) -> bool {
        self.closing.job.is_some()
    }

    /// Failures of the last writes, for those who would lose work.
    pub fn last_failures(&self) -> &[String] {
        &self.closing.failures
    }

    pub(super) fn flushed(&mut self, job: JobId) {
        self.closing.job.take_if(|flushing| *flushing == job);
    }

    /// Keeps the failure of a file in mind until the window closes.
    pub(super) fn failed_to_write(&mut self, error: &Error) {
        if self.is_writing_last() {
            self.closing.failures.push(error.to_string());
        }
    }
}
