//! Messages to the person at the window, and how failures are put in words.

use std::io::ErrorKind;

use super::command::Command;
use super::hint::hint;
use canopy_base::error::{Error as BaseError, find};

/// How important a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something is done.
    Done,
    /// Advice.
    Hint,
    /// A failure.
    Error,
}

/// A message to the person at the window.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Its number.
    pub id: u64,
    /// How important it is.
    pub kind: NoticeKind,
    /// The message in short.
    pub title: String,
    /// More about it; may be empty.
    pub detail: String,
    /// When it goes by itself; errors stay until they are dismissed.
    pub until_secs: Option<f64>,
    /// Whether it reports a change that can be undone; undoing removes it.
    pub ends_with_undo: bool,
    /// A command that helps, and what its button says.
    pub button: Option<(&'static str, Command)>,
}

/// A failure without the numbers of the system.
pub(super) fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let message = error.to_string();
    // Not one that an error of another crate names as its cause: that says more.
    let base = find::<BaseError>(error).filter(|base| base.to_string() == message);
    let Some(base @ (BaseError::Read { path, cause } | BaseError::Write { path, cause })) = base
    else {
        return without_number(&message) + hint(error);
    };
    let path = path.display();
    let is_read = matches!(base, BaseError::Read { .. });
    match cause.kind() {
        ErrorKind::NotFound if is_read => format!("The file {path} does not exist."),
        ErrorKind::NotFound => format!("The folder for {path} does not exist."),
        ErrorKind::PermissionDenied if is_read => format!("No permission to read {path}."),
        ErrorKind::PermissionDenied => format!("No permission to write {path}."),
        ErrorKind::AlreadyExists => format!("{path} already exists."),
        ErrorKind::StorageFull => format!("No space is left for {path}."),
        _ => without_number(&message),
    }
}

/// Text without ` (os error 2)`.
fn without_number(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" (os error ") else {
        return text.to_owned();
    };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{}", without_number(after))
}

#[cfg(test)]
mod word_tests {
    use super::*;

    #[test]
    fn failures_of_the_system_are_reported_in_words() {
        let read = |kind: ErrorKind| {
            crate::error::Error::Base(BaseError::Read {
                path: "nothere.docx".into(),
                cause: kind.into(),
            })
        };
        assert_eq!(
            in_words(&read(ErrorKind::NotFound)),
            "The file nothere.docx does not exist."
        );
        assert_eq!(
            in_words(&read(ErrorKind::PermissionDenied)),
            "No permission to read nothere.docx."
        );
        assert_eq!(
            without_number("refused (os error 111): at home (os error 2)"),
            "refused: at home"
        );
    }

    #[test]
    fn an_error_that_says_more_than_its_cause_keeps_its_words() {
        let cause = BaseError::Read {
            path: "corpus".into(),
            cause: ErrorKind::NotFound.into(),
        };
        let error = canopy_train::error::Error::CorpusGone {
            path: "run".into(),
            cause: Box::new(cause.into()),
        };
        let words = in_words(&crate::error::Error::from(error));
        assert!(words.starts_with("the corpus of the run"), "{words}");
    }
}
