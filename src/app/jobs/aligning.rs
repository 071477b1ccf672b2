//! The thread that aligns a document with its translation.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobId, RequestThread};
use crate::error::Result;
use canopy_base::error::caught;
use canopy_project::Alignment;

/// Work for the thread.
#[derive(Debug)]
pub struct AlignRequest {
    pub job: JobId,
    pub source: PathBuf,
    pub target: PathBuf,
    /// Where alignments are kept.
    pub kept: Option<PathBuf>,
}

/// The thread of [`AlignRequest`]s.
pub type AlignThread = RequestThread<AlignRequest>;

impl AlignThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-align", events, wake, answer)
    }
}

fn answer(inbox: &Receiver<AlignRequest>, emit: &dyn Fn(Event)) {
    while let Ok(request) = inbox.recv() {
        let AlignRequest {
            job,
            source,
            target,
            kept,
        } = request;
        let alignment = caught(|| Ok(Box::new(Alignment::open(source, target, kept)?)));
        emit(Event::Aligned { job, alignment });
    }
}
