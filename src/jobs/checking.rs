//! The thread that checks translations, so that the window never waits for a long document.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::{Event, JobId};
use crate::checks::{Checks, Pair};
use crate::error::{Error, Result, caught};

/// Work for the thread: the sentences of a document with their translations.
#[derive(Debug)]
pub struct CheckRequest {
    pub job: JobId,
    pub pairs: Vec<Pair>,
    pub checks: Checks,
}

/// The window's end of the thread.
#[derive(Debug)]
pub struct CheckThread {
    requests: Sender<CheckRequest>,
    _thread: JoinHandle<()>,
}

impl CheckThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let (requests, inbox) = channel::<CheckRequest>();
        let thread = std::thread::Builder::new()
            .name("canopy-checks".to_owned())
            .spawn(move || {
                while let Ok(CheckRequest { job, pairs, checks }) = inbox.recv() {
                    let found = caught(|| Ok(checks.run(&pairs)));
                    // The window may already be gone; then nobody needs the event.
                    let _ = events.send(match found {
                        Ok(findings) => Event::Checked { job, findings },
                        Err(error) => Event::Failed { job, error },
                    });
                    wake();
                }
            })
            .map_err(|cause| Error::Thread { cause })?;
        Ok(Self {
            requests,
            _thread: thread,
        })
    }

    pub fn send(&self, request: CheckRequest) {
        // Fails only after the thread has ended, which it does when the window closes.
        let _ = self.requests.send(request);
    }
}
