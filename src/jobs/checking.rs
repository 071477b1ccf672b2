//! The thread that checks translations, so that the window never waits for a long document.

use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobId, RequestThread};
use crate::checks::{Checks, Pair};
use crate::error::{Result, caught};

/// Work for the thread: the sentences of a document with their translations.
#[derive(Debug)]
pub struct CheckRequest {
    pub job: JobId,
    pub pairs: Vec<Pair>,
    pub checks: Checks,
}

/// The thread of [`CheckRequest`]s.
pub type CheckThread = RequestThread<CheckRequest>;

impl CheckThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-checks", events, wake, check_all)
    }
}

fn check_all(inbox: &Receiver<CheckRequest>, emit: &dyn Fn(Event)) {
    while let Ok(CheckRequest { job, pairs, checks }) = inbox.recv() {
        let found = caught(|| Ok(checks.run(&pairs)));
        emit(match found {
            Ok(findings) => Event::Checked { job, findings },
            Err(error) => Event::Failed { job, error },
        });
    }
}
