//! Alignments of documents with their translations.

use std::path::PathBuf;

use super::JobId;
use super::pool::{Answerer, EventSender, Lane, Pool};
use crate::AlignEvent;
use canopy_base::error::caught;
use canopy_project::Alignment;

/// Two documents to be aligned.
#[derive(Debug)]
pub struct AlignRequest {
    /// Number of the job.
    pub job: JobId,
    /// The source document.
    pub source: PathBuf,
    /// The target document.
    pub target: PathBuf,
    /// Where alignments are kept.
    pub kept: Option<PathBuf>,
}

/// The lane of [`AlignRequest`]s.
pub type AlignLane = Lane<AlignRequest>;

impl AlignLane {
    /// Opens the lane in `pool`.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(Aligner(pool.events().clone()))
    }
}

struct Aligner(EventSender);

impl Answerer for Aligner {
    type Request = AlignRequest;

    fn answer(&mut self, request: AlignRequest) {
        let AlignRequest {
            job,
            source,
            target,
            kept,
        } = request;
        let alignment = caught(|| Ok(Box::new(Alignment::open(source, target, kept)?)));
        self.0.send(AlignEvent::Aligned { job, alignment });
    }
}
