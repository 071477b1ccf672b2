//! What a person at a terminal sees while they wait.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// A line on standard error that is written over; silent when nobody watches.
#[derive(Debug)]
pub(super) struct StatusLine {
    watched: bool,
    last: Option<Instant>,
    width: usize,
}

impl StatusLine {
    pub fn new() -> Self {
        Self {
            watched: std::io::stderr().is_terminal(),
            last: None,
            width: 0,
        }
    }

    /// Shows `text`, at most ten times a second.
    pub fn show(&mut self, text: &str) {
        let due = self
            .last
            .is_none_or(|last| last.elapsed() > Duration::from_millis(100));
        if self.watched && due {
            let width = text.chars().count();
            let blanks = " ".repeat(self.width.saturating_sub(width));
            eprint!("\r{text}{blanks}");
            // Progress is a courtesy: if standard error is gone, the work goes on.
            let _ = std::io::stderr().flush();
            self.width = width;
            self.last = Some(Instant::now());
        }
    }

    /// Leaves `text` standing.
    pub fn line(&mut self, text: &str) {
        self.clear();
        eprintln!("{text}");
    }

    pub fn clear(&mut self) {
        if self.width > 0 {
            eprint!("\r{}\r", " ".repeat(self.width));
            self.width = 0;
        }
    }
}

/// Writes a result to standard output, all of it.
///
/// # Errors
/// If nobody takes it: a full disk, a pipe that was closed.
pub(super) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(Error::write("standard output"))
}

/// A warning on standard error.
pub(super) fn warn(text: &str) {
    eprintln!("canopy: warning: {text}");
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
