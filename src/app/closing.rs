//! The last writes: everything is written before the window closes, and a failure is reported while the user can still act.

use super::pending_writes::PendingWrites;
use super::state::AppState;
use crate::jobs::FileRequest;

impl AppState {
    /// Whether something was or is to be written, so that closing has to wait for it.
    pub fn has_last_writes(&self) -> bool {
        let is_written = self.document.open.is_none() && self.shared.keeping.is_empty();
        !is_written
            || self.shared.is_unkept
            || self.document.saving.is_some()
            || self.document.dirty_since_secs.is_some()
    }

    /// Writes everything; [`is_writing_last`](Self::is_writing_last) says how long that takes.
    pub fn write_last(&mut self) {
        self.flush();
        let job = self.shared.next_job();
        self.shared.closing = PendingWrites {
            job: Some(job),
            failures: Vec::new(),
        };
        self.shared.file_requests.push(FileRequest::Flush { job });
    }
}
