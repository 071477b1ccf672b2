//! The thread that lists the language models of a server.

use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobId, RequestThread};
use crate::error::Result;
use canopy_base::error::caught;
use canopy_qa::llm::Endpoint;

/// A server whose models are listed.
#[derive(Debug)]
pub struct ServerRequest {
    pub job: JobId,
    pub endpoint: Endpoint,
}

/// The thread of [`ServerRequest`]s.
pub type ServerThread = RequestThread<ServerRequest>;

impl ServerThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-servers", events, wake, answer_all)
    }
}

fn answer_all(inbox: &Receiver<ServerRequest>, emit: &dyn Fn(Event)) {
    while let Ok(request) = inbox.recv() {
        let ServerRequest { job, endpoint } = inbox.try_iter().last().unwrap_or(request);
        let models = caught(|| Ok(endpoint.models()?));
        emit(Event::ServerModels { job, models });
    }
}
