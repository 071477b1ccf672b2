//! Requests to a large language model, which may take a minute for a sentence.

use super::JobId;
use super::pool::{Answerer, EventSender, Lane, Pool};
use crate::DocumentEvent;
use canopy_base::error::caught;
use canopy_qa::llm::{Endpoint, Languages, Question};

/// A request for the translation of a sentence.
#[derive(Debug)]
pub struct SuggestionRequest {
    /// Number of the job.
    pub job: JobId,
    /// The server, and the model there.
    pub endpoint: Endpoint,
    /// English names of both languages.
    pub source: String,
    /// English name of the target language.
    pub target: String,
    /// The sentence, its context and its terms.
    pub question: Question,
}

/// The lane of [`SuggestionRequest`]s.
pub type SuggestionLane = Lane<SuggestionRequest>;

impl SuggestionLane {
    /// Connects to nothing before the first request. Of several requests that wait only the last one is answered.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(Suggester(pool.events().clone()))
    }
}

struct Suggester(EventSender);

impl Answerer for Suggester {
    type Request = SuggestionRequest;

    fn answer(&mut self, request: SuggestionRequest) {
        let SuggestionRequest {
            job,
            endpoint,
            source,
            target,
            question,
        } = request;
        let languages = Languages {
            source: &source,
            target: &target,
        };
        let suggestion = caught(|| Ok(Box::new(endpoint.suggest(languages, &question)?)));
        self.0.send(DocumentEvent::Suggested { job, suggestion });
    }

    fn supersedes(_later: &SuggestionRequest, _earlier: &SuggestionRequest) -> bool {
        true
    }
}
