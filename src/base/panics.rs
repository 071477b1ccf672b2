//! Panics: where they happened, and how a thread continues after one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use crate::error::{Error, Result};

/// Messages and places of the last panics, the newest at the end: a panic is caught by another thread than the one it
/// happened on where rayon hands it over, and its payload holds no place.
static LAST: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());

/// How many are kept.
const KEPT: usize = 16;

static LOG_FILE: OnceLock<PathBuf> = OnceLock::new();

/// Keeps the places of panics for [`caught`] and writes each to the log, with its backtrace. The hook that was there before
/// runs, too. Calling it again changes nothing.
pub fn record_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            record(panic);
            before(panic);
        }));
    });
}

fn record(panic: &PanicHookInfo<'_>) {
    let message = panic_message(panic.payload());
    let place = panic.location().map_or_else(String::new, |location| {
        format!("{}:{}", short_path(location.file()), location.line())
    });
    tracing::error!(
        place,
        backtrace = %std::backtrace::Backtrace::force_capture(),
        "panic: {message}"
    );
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == KEPT {
        last.pop_front();
    }
    last.push_back((message, place));
}

/// A path of a dependency from the folder of its crate on.
fn short_path(path: &str) -> &str {
    let path = path.split_once("/registry/src/").map_or(path, |(_, it)| {
        it.split_once('/')
            .map_or(it, |(_, in_registry)| in_registry)
    });
    path.trim_start_matches("./")
}

/// Where the newest panic with this message happened, such as `src/nn/model/rows.rs:120`; none if it was not recorded.
fn place_of(message: &str) -> Option<String> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let found = last.iter().rev().find(|(other, _)| other == message);
    found.map(|(_, place)| place.clone())
}

/// The message of a thread that panicked.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// Runs `work`; a panic becomes an error, so that the thread continues.
///
/// # Errors
/// The errors of `work`, and [`Error::Panicked`].
pub fn caught<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::panicked(panic_message(panic.as_ref())).into()))
}

impl Error {
    /// The error of a panic with this message, with its place if that was [recorded](record_panics).
    pub fn panicked(message: String) -> Self {
        Self::Panicked {
            place: place_of(&message),
            message,
        }
    }
}

/// Names the file that the log of this process goes to, for the messages of internal errors. The first call counts.
pub fn set_log_file(path: PathBuf) {
    // Messages know only the first log of a process.
    let _ = LOG_FILE.set(path);
}

/// The file that the log of this process goes to; none if it goes to no file.
pub fn log_file() -> Option<&'static std::path::Path> {
    LOG_FILE.get().map(PathBuf::as_path)
}

/// The end of an internal error's message: where it happened.
pub(crate) fn at(place: Option<&String>) -> String {
    place.map_or_else(String::new, |place| format!(" at {place}"))
}

/// The end of an internal error's message: where the log is.
pub(crate) fn log_note() -> String {
    log_file().map_or_else(String::new, |path| {
        format!("; the log says more: {}", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_error_names_its_message_and_its_place() {
        record_panics();
        let line = line!() + 1;
        let done: Result<()> = caught(|| panic!("no such row"));
        let error = done.expect_err("a panic");
        let message = error.to_string();
        let place = format!("internal error: no such row at src/base/panics.rs:{line};");
        assert!(message.starts_with(&place), "{message}");
    }

    #[test]
    fn the_place_is_known_where_another_thread_panics() {
        record_panics();
        let done: Result<()> = caught(|| {
            let thread = std::thread::spawn(|| panic!("of thread {}", 2));
            let panic = thread.join().expect_err("a panic");
            std::panic::resume_unwind(panic)
        });
        let message = done.expect_err("a panic").to_string();
        assert!(
            message.contains("of thread 2 at src/base/panics.rs:"),
            "{message}"
        );
    }

    #[test]
    fn a_panic_that_was_not_recorded_has_no_place() {
        let error = Error::panicked("never seen".to_owned());
        let message = error.to_string();
        assert!(
            message.starts_with("internal error: never seen;"),
            "{message}"
        );
    }

    #[test]
    fn only_the_first_line_of_a_long_message_is_shown() {
        let error = Error::panicked("first line\nBacktrace:\n  0: main".to_owned());
        let message = error.to_string();
        assert!(
            message.starts_with("internal error: first line;"),
            "{message}"
        );
        assert!(!message.contains("Backtrace"), "{message}");
    }

    #[test]
    fn the_path_of_a_dependency_begins_with_its_crate() {
        let path = "/home/user/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/burn-std-0.22.1/src/lib.rs";
        assert_eq!(short_path(path), "burn-std-0.22.1/src/lib.rs");
        assert_eq!(short_path("src/nn/lib.rs"), "src/nn/lib.rs");
    }
}
