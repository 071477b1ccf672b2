//! The thread that asks a large language model, which may take a minute for a sentence.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::{Event, JobId};
use crate::error::{Error, Result, caught};
use crate::llm::{Endpoint, Languages, Question};

/// A sentence to be asked for.
#[derive(Debug)]
pub struct SuggestionRequest {
    pub job: JobId,
    pub endpoint: Endpoint,
    /// English names of both languages.
    pub source: String,
    pub target: String,
    pub question: Question,
}

/// The window's end of the thread.
#[derive(Debug)]
pub struct SuggestionThread {
    requests: Sender<SuggestionRequest>,
    _thread: JoinHandle<()>,
}

impl SuggestionThread {
    /// Starts the thread, which asks nobody before it is told to; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-suggestions".to_owned())
            .spawn(move || {
                ask_all(&inbox, &|event| {
                    // The window may already be gone; then nobody needs the event.
                    let _ = events.send(event);
                    wake();
                });
            })
            .map_err(|cause| Error::Thread { cause })?;
        Ok(Self {
            requests,
            _thread: thread,
        })
    }

    /// Of several requests that wait only the last one is answered.
    pub fn send(&self, request: SuggestionRequest) {
        // Fails only after the thread has ended, which it does when the window closes.
        let _ = self.requests.send(request);
    }
}

fn ask_all(inbox: &Receiver<SuggestionRequest>, emit: &impl Fn(Event)) {
    while let Ok(request) = inbox.recv() {
        let last = inbox.try_iter().last().unwrap_or(request);
        let SuggestionRequest {
            job,
            endpoint,
            source,
            target,
            question,
        } = last;
        let languages = Languages {
            source: &source,
            target: &target,
        };
        let suggestion = caught(|| endpoint.suggest(languages, &question).map(Box::new));
        emit(Event::Suggested { job, suggestion });
    }
}
