//! How a running translation gets on: counts, speed, time left.

use crate::jobs::{JobControl, JobId};

/// A translation that runs.
#[derive(Debug)]
pub struct Running {
    /// Number of the job.
    pub job: JobId,
    /// The handle that cancels it.
    pub control: JobControl,
    /// How far it is.
    pub progress: Progress,
    /// Preparation before the sentences, with how much of it is done and to be done.
    pub preparing: Option<(Preparation, usize, usize)>,
    /// Whether drafts are translated again, as one step that can be undone.
    pub updates: bool,
    /// The name of the model.
    pub model: String,
}

/// A step before sentences are translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Steps of adapting to the memory's matches for the document.
    Adapting,
    /// Drafts that other sentences read.
    Drafting,
}

/// Counts and times of one translation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Sentences to be translated.
    pub num_sentences: usize,
    /// Words of these sentences.
    pub num_words: usize,
    /// Sentences that are translated.
    pub done_sentences: usize,
    /// Words that are translated.
    pub done_words: usize,
    /// When it began, in seconds of the window's clock.
    pub started_secs: f64,
    /// When the last sentence was translated, in seconds of the window's clock.
    pub latest_secs: f64,
}

impl Progress {
    /// The share of the words that is translated, in `[0, 1]`.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f32")]
    pub fn fraction(&self) -> f32 {
        self.done_words as f32 / self.num_words.max(1) as f32
    }

    /// Seconds from the beginning to the last translated sentence.
    pub fn elapsed_secs(&self) -> f64 {
        (self.latest_secs - self.started_secs).max(0.0)
    }

    /// Sentences and words a second; `None` until something is measured.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    pub fn rates(&self) -> Option<(f64, f64)> {
        let elapsed = self.elapsed_secs();
        (self.done_sentences > 0 && elapsed > 0.05).then(|| {
            (
                self.done_sentences as f64 / elapsed,
                self.done_words as f64 / elapsed,
            )
        })
    }

    /// Seconds until the end at the speed so far; `None` until something is measured.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    pub fn remaining_secs(&self) -> Option<f64> {
        let (_, words_per_sec) = self.rates()?;
        Some(self.num_words.saturating_sub(self.done_words) as f64 / words_per_sec.max(1e-9))
    }
}

/// A duration as people say it: `8 s`, `3 min`, `1 h 20 min`.
pub fn duration(secs: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds, not negative"
    )]
    let secs = secs.max(0.0).round() as u64;
    match secs {
        0..60 => format!("{secs} s"),
        60..3600 => format!("{} min", secs.div_ceil(60)),
        _ => format!("{} h {} min", secs / 3600, secs % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_follows_the_words() {
        let progress = Progress {
            num_sentences: 4,
            num_words: 100,
            done_sentences: 1,
            done_words: 25,
            started_secs: 10.0,
            latest_secs: 15.0,
        };
        assert_eq!(progress.rates(), Some((0.2, 5.0)));
        assert_eq!(progress.remaining_secs(), Some(15.0));
        assert_eq!(duration(15.0), "15 s");
        assert_eq!(duration(61.0), "2 min");
    }
}
