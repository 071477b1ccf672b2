//! Lists of the language models of a server.

use super::JobId;
use super::pool::{Answerer, EventSender, Lane, Pool};
use crate::DocumentEvent;
use canopy_base::error::caught;
use canopy_qa::llm::Endpoint;

/// A server whose models are listed.
#[derive(Debug)]
pub struct ServerRequest {
    /// Number of the job.
    pub job: JobId,
    /// The server.
    pub endpoint: Endpoint,
}

/// The lane of [`ServerRequest`]s.
pub type ServerLane = Lane<ServerRequest>;

impl ServerLane {
    /// Of several servers that wait only the last one is asked.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(Lister(pool.events().clone()))
    }
}

struct Lister(EventSender);

impl Answerer for Lister {
    type Request = ServerRequest;

    fn answer(&mut self, ServerRequest { job, endpoint }: ServerRequest) {
        let models = caught(|| Ok(endpoint.models()?));
        self.0.send(DocumentEvent::ServerModels { job, models });
    }

    fn supersedes(_later: &ServerRequest, _earlier: &ServerRequest) -> bool {
        true
    }
}
