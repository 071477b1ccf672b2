//! A translation memory that is read for a pair of languages without a model.

use std::sync::Arc;

use crate::jobs::{JobId, UserMemory};
use crate::language;
use canopy_corpus::memory::TranslationMemory;

/// The memory, or the job that reads it.
#[derive(Debug, Default)]
pub struct OwnMemory {
    /// Its files and the pair.
    pub(super) place: Option<(UserMemory, String)>,
    pub(super) job: Option<JobId>,
    pub(super) read: Option<Arc<TranslationMemory>>,
}

/// A pair for people: `English → French`.
pub fn pair_name(source: &str, target: &str) -> String {
    format!("{} → {}", language::name(source), language::name(target))
}
