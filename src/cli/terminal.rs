//! Progress and results on a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// A line on standard error that is written over; silent without a terminal.
#[derive(Debug)]
pub(super) struct StatusLine {
    watched: bool,
    last: Option<Instant>,
    width: usize,
}

impl StatusLine {
    pub(crate) fn new() -> Self {
        Self {
            watched: std::io::stderr().is_terminal(),
            last: None,
            width: 0,
        }
    }

    /// Shows `text`, at most ten times a second.
    pub(crate) fn show(&mut self, text: &str) {
        let due = self
            .last
            .is_none_or(|last| last.elapsed() > Duration::from_millis(100));
        if self.watched && due {
            let width = text.chars().count();
            let blanks = " ".repeat(self.width.saturating_sub(width));
            write_stderr(&format!("\r{text}{blanks}"));
            self.width = width;
            self.last = Some(Instant::now());
        }
    }

    /// Leaves `text` standing.
    pub(crate) fn line(&mut self, text: &str) {
        self.clear();
        write_stderr(&format!("{text}\n"));
    }

    pub(crate) fn clear(&mut self) {
        if self.width > 0 {
            write_stderr(&format!("\r{}\r", " ".repeat(self.width)));
            self.width = 0;
        }
    }
}

/// Writes a result to standard output, all of it.
///
/// # Errors
/// If it cannot be written: a full disk, a pipe that was closed.
pub(super) fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Prints bytes that may not be text.
pub(super) fn print_bytes(text: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text)
        .and_then(|()| stdout.flush())
        .map_err(Error::write("standard output"))
}

/// Writes to standard error. If its reader is gone, as after Ctrl+C has ended a `tee`, the work continues all the
/// same; `eprint!` would panic.
pub(super) fn write_stderr(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}

/// A warning on standard error.
pub(super) fn warn(text: &str) {
    write_stderr(&format!("canopy: warning: {text}\n"));
}

/// How many of `all` sentences are done since `begun`, and when all will be.
pub(super) fn sentences_done(done: usize, all: usize, begun: Instant) -> String {
    let left = begun.elapsed().as_secs_f64() / done.max(1) as f64 * all.saturating_sub(done) as f64;
    format!("{done} of {all} sentences · {} left", duration(left))
}

/// A duration as people say it: `41 s`, `3:07 min`, `2:15 h`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a run"
)]
pub(super) fn duration(secs: f64) -> String {
    let secs = secs.max(0.0).round() as u64;
    match secs {
        0..60 => format!("{secs} s"),
        60..3_600 => format!("{}:{:02} min", secs / 60, secs % 60),
        _ => format!("{}:{:02} h", secs / 3_600, secs / 60 % 60),
    }
}
