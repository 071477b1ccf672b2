//! A run on a device with too little memory, or one that is lost: smaller batches, and else an end that the run's folder
//! reports it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::event::{EndReason, TrainingEvent};
use super::run_folder::{RunFolder, is_run};
use crate::error::{BaseError, Error, Result};
use canopy_base::device_failure::{DeviceFailure, in_short};
use canopy_base::error::panic_message;
use canopy_translate::inference::gpu_is_lost;

/// Batches are not made smaller than this when the memory is too small.
const LEAST_BATCH_TOKENS: usize = 100;

/// Trains to the end as `train` does with a number of tokens in a batch, going on or not; when the memory is too small,
/// continues from the last checkpoint with smaller batches. `observe` gets the events that `run`'s folder gets.
///
/// # Errors
/// The errors of `train`; the meaning of its panic, which is the last event of the folder.
pub fn with_smaller_batches(
    run: &Path,
    (mut batch_tokens, mut resume): (usize, bool),
    observe: &mut dyn FnMut(&TrainingEvent),
    mut train: impl FnMut(usize, bool, &mut dyn FnMut(&TrainingEvent)) -> Result<EndReason>,
) -> Result<EndReason> {
    loop {
        let attempt = AssertUnwindSafe(|| train(batch_tokens, resume, &mut *observe));
        let message = match catch_unwind(attempt) {
            Ok(ended) => return ended,
            Err(panic) => panic_message(panic.as_ref()),
        };
        let fewer = batch_tokens / 2;
        let error = match DeviceFailure::from_message(&message) {
            Some(DeviceFailure::OutOfMemory) if fewer >= LEAST_BATCH_TOKENS => {
                let warning = TrainingEvent::Warning {
                    message: format!(
                        "the device ran out of memory; the run resumes from its last checkpoint with {fewer} target \
                         tokens in a batch instead of {batch_tokens}"
                    ),
                };
                record(run, &warning);
                observe(&warning);
                (batch_tokens, resume) = (fewer, true);
                continue;
            }
            Some(DeviceFailure::OutOfMemory) => {
                Error::Base(BaseError::OutOfMemory { batch_tokens })
            }
            Some(DeviceFailure::Lost) => lost(&message),
            None if gpu_is_lost() => lost(&message),
            None => Error::Base(BaseError::panicked(message)),
        };
        let message = error.to_string();
        record(run, &TrainingEvent::Failed { message });
        return Err(error);
    }
}

fn lost(message: &str) -> Error {
    Error::Base(BaseError::DeviceLost {
        message: in_short(message),
    })
}

/// Writes an event to the folder of a run that has begun; the trainer has the event if that fails.
fn record(run: &Path, event: &TrainingEvent) {
    if is_run(run)
        && let Ok(mut folder) = RunFolder::open(run, true)
    {
        let _ = folder.record(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunState, run_state};

    /// The events of a run whose device fails with `message` while a batch has more than 700 tokens, and how it ends.
    fn observed(run: &Path, message: &str) -> (Vec<TrainingEvent>, Result<EndReason>) {
        drop(RunFolder::open(run, false).expect("a new run"));
        let mut observed = Vec::new();
        let mut observe = |event: &TrainingEvent| observed.push(event.clone());
        let ended = with_smaller_batches(run, (2_500, false), &mut observe, |tokens, resume, _| {
            assert!(tokens <= 700, "{message}");
            assert!(resume, "it goes on");
            Ok(EndReason::Steps)
        });
        (observed, ended)
    }

    #[test]
    fn the_folder_records_smaller_batches() {
        let folder = tempfile::tempdir().expect("a folder");
        let (observed, ended) = observed(folder.path(), "Failed to allocate: out of memory");
        assert_eq!(ended.expect("an end"), EndReason::Steps);
        let text = std::fs::read_to_string(folder.path().join("events.jsonl")).expect("events");
        let written = text.lines().map(serde_json::from_str);
        let written: Vec<TrainingEvent> = written.collect::<Result<_, _>>().expect("events");
        assert_eq!(written, observed);
        let says = |event: &TrainingEvent, words: &str| match event {
            TrainingEvent::Warning { message } => message.contains(words),
            _ => false,
        };
        assert_eq!(observed.len(), 2);
        assert!(says(&observed[0], "1250 target tokens"), "{observed:?}");
        assert!(says(&observed[1], "625 target tokens"), "{observed:?}");
    }

    #[test]
    fn the_folder_records_that_the_device_is_lost() {
        let at_once = "Parent device is lost";
        let later = "Error while reading data: use `try_into_scalar` instead to catch the error at runtime: the staging \
                     buffer could not be mapped: Error occurred when trying to async map a buffer";
        for (message, says) in [(at_once, "device is lost"), (later, "returned no result")] {
            let folder = tempfile::tempdir().expect("a folder");
            let (observed, ended) = observed(folder.path(), message);
            assert!(
                matches!(ended, Err(Error::Base(BaseError::DeviceLost { .. }))),
                "{ended:?}"
            );
            assert_eq!(observed, []);
            let state = run_state(folder.path()).expect("readable");
            let is_recorded =
                matches!(&state, RunState::Failed { message } if message.contains(says));
            assert!(is_recorded, "{state:?}");
        }
    }
}
