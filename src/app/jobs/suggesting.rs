//! The thread that sends requests to a large language model, which may take a minute for a sentence.

use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobId, RequestThread};
use crate::error::Result;
use canopy_base::error::caught;
use canopy_qa::llm::{Endpoint, Languages, Question};

/// A request for the translation of a sentence.
#[derive(Debug)]
pub struct SuggestionRequest {
    pub job: JobId,
    pub endpoint: Endpoint,
    /// English names of both languages.
    pub source: String,
    pub target: String,
    pub question: Question,
}

/// The thread of [`SuggestionRequest`]s.
pub type SuggestionThread = RequestThread<SuggestionRequest>;

impl SuggestionThread {
    /// Starts the thread, which connects to nothing before the first request; `wake` is called after every event. Of
    /// several requests that wait only the last one is answered.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-suggestions", events, wake, answer_all)
    }
}

fn answer_all(inbox: &Receiver<SuggestionRequest>, emit: &dyn Fn(Event)) {
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
        let suggestion = caught(|| Ok(Box::new(endpoint.suggest(languages, &question)?)));
        emit(Event::Suggested { job, suggestion });
    }
}
