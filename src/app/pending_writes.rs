//! The state of the last writes before the window closes.

use crate::jobs::JobId;

/// How far the last writes are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PendingWrites {
    /// Under way.
    pub(super) job: Option<JobId>,
    /// Failures since they began.
    pub(super) failures: Vec<String>,
}
