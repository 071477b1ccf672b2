//! Batches for which the device has too little memory: each half of them by itself.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::document_search::Stop;
use canopy_base::device_failure::DeviceFailure;
use canopy_base::error::panic_message;

/// Does `translate` on the sentences of a batch, or on each half of them where the memory is too small for all, which burn
/// reports by a panic.
///
/// # Panics
/// As `translate` does for a sentence alone, or for any other reason.
pub(super) fn retry_smaller_on_oom(
    batch: &[usize],
    translate: &mut dyn FnMut(&[usize]) -> ControlFlow<Stop>,
) -> ControlFlow<Stop> {
    let panic = match catch_unwind(AssertUnwindSafe(|| translate(batch))) {
        Ok(flow) => return flow,
        Err(panic) => panic,
    };
    let failure = DeviceFailure::from_message(&panic_message(panic.as_ref()));
    if failure != Some(DeviceFailure::OutOfMemory) || batch.len() < 2 {
        resume_unwind(panic);
    }
    tracing::warn!(
        sentences = batch.len(),
        "the device ran out of memory; each half of the batch is searched by itself"
    );
    let (first, second) = batch.split_at(batch.len() / 2);
    retry_smaller_on_oom(first, translate)?;
    retry_smaller_on_oom(second, translate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The batches of eight sentences that are tried where there is room for `room`, and how it ends.
    fn tried(room: usize, message: &str) -> (Vec<Vec<usize>>, bool) {
        let mut tried = vec![];
        let batch: Vec<usize> = (0..8).collect();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            retry_smaller_on_oom(&batch, &mut |part| {
                tried.push(part.to_vec());
                assert!(part.len() <= room, "{message}");
                ControlFlow::Continue(())
            })
        }));
        (tried, ended.is_ok())
    }

    #[test]
    fn a_batch_that_has_no_room_is_halved_until_it_has() {
        let (parts, is_done) = tried(2, "Failed to allocate: out of memory");
        assert!(is_done);
        let done: Vec<usize> = { parts.iter() }
            .filter(|part| part.len() <= 2)
            .flatten()
            .copied()
            .collect();
        assert_eq!(done, (0..8).collect::<Vec<_>>());
        assert_eq!(parts.len(), 1 + 2 + 4);
    }

    #[test]
    fn a_sentence_without_room_and_other_failures_are_passed_on() {
        let (parts, is_done) = tried(0, "out of memory");
        assert!(!is_done);
        assert_eq!(parts.last(), Some(&vec![0]));
        let (parts, is_done) = tried(2, "Parent device is lost");
        assert_eq!((parts.len(), is_done), (1, false));
    }
}
