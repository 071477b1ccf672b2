//! A translation memory that is read for a pair of languages without a model.

use std::sync::Arc;

use super::Models;
use super::memories::take_memory_of;
use crate::error::Result;
use crate::jobs::{JobId, ModelRequest, UserMemory};
use crate::language;
use crate::open_work::OpenWork;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::pair_key;

/// The memory, or the job that reads it.
#[derive(Debug, Default)]
pub(super) struct OwnMemory {
    /// Its files and the pair.
    pub(super) place: Option<(UserMemory, String)>,
    pub(super) job: Option<JobId>,
    pub(super) read: Option<Arc<TranslationMemory>>,
}

impl Models {
    /// The memory of a pair without a model.
    pub(crate) fn memory_without_model(&self) -> Option<&Arc<TranslationMemory>> {
        self.own_memory.read.as_ref()
    }

    /// Reads the memory for the pair of a document that no model translates; a model brings its own.
    pub(crate) fn read_memory_without_model(&mut self, work: &mut OpenWork<'_>) {
        let pair = work.document.pair(self).without_model();
        let Some((source, target)) = pair else {
            self.own_memory = OwnMemory::default();
            return;
        };
        let key = pair_key(&source, &target);
        take_memory_of(work.shared, work.projects, &key);
        let place = self
            .user_memory(work.shared, work.document, work.projects)
            .map(|memory| (memory, key));
        if self.own_memory.place == place {
            return;
        }
        self.own_memory = OwnMemory {
            place: place.clone(),
            ..OwnMemory::default()
        };
        self.memory_pairs = None;
        if let Some((memory, _)) = place {
            let job = work.shared.next_job();
            self.own_memory.job = Some(job);
            self.installing.requests.push(ModelRequest::ReadMemory {
                job,
                memory,
                languages: [source, target],
            });
        }
    }

    /// Whether memories are read by this job: with a model that is being opened, or without one.
    pub(crate) fn is_reading_memory(&self, job: JobId) -> bool {
        self.in_use.is_opening(job) || self.own_memory.job == Some(job)
    }

    pub(crate) fn memory_read(
        &mut self,
        work: &mut OpenWork<'_>,
        job: JobId,
        memory: Result<Arc<TranslationMemory>>,
    ) {
        let own = &mut self.own_memory;
        if own.job.take_if(|it| *it == job).is_none() {
            return;
        }
        let pairs = memory.map(|memory| {
            let pairs = memory.len();
            own.read = Some(memory);
            pairs
        });
        self.memory_opened(work, pairs);
    }
}

/// A pair for display: `English → French`.
pub fn pair_name(source: &str, target: &str) -> String {
    format!("{} → {}", language::name(source), language::name(target))
}
