//! The time that a run has taken so far and will take yet.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::checkpoint::Progress;
use super::config::TrainingConfig;

/// Updates over which the speed is averaged.
const SPEED_WINDOW: usize = 20;

/// The time of a session: since the run began or went on, without pauses.
#[derive(Debug)]
pub(super) struct Clock {
    begun: Instant,
    paused: Duration,
    /// Where the session began.
    before: Progress,
    /// Target tokens and seconds of the last updates.
    speeds: VecDeque<(u64, f64)>,
    /// Seconds of the last validation.
    validation_secs: f64,
    /// Seconds of all validations of the session, including those broken off.
    validating_secs: f64,
    /// At the end of the last validation, and what was broken off since.
    validated_secs: f64,
    /// How many times as long as a validation while training the one at the end takes; 0 if it is left out.
    final_validations: f64,
}

impl Clock {
    pub(crate) fn new(before: Progress, final_validations: f64) -> Self {
        Self {
            begun: Instant::now(),
            paused: Duration::ZERO,
            before,
            speeds: VecDeque::new(),
            validation_secs: before.validation_secs,
            validating_secs: 0.0,
            validated_secs: 0.0,
            final_validations,
        }
    }

    pub(crate) fn session_secs(&self) -> f64 {
        self.begun
            .elapsed()
            .saturating_sub(self.paused)
            .as_secs_f64()
    }

    /// Seconds of all sessions.
    pub(crate) fn elapsed_secs(&self) -> f64 {
        self.before.elapsed_secs + self.session_secs()
    }

    pub(crate) fn paused(&mut self, pause: Duration) {
        self.paused += pause;
    }

    pub(crate) fn stepped(&mut self, target_tokens: u64, secs: f64) {
        self.speeds.push_back((target_tokens, secs));
        if self.speeds.len() > SPEED_WINDOW {
            self.speeds.pop_front();
        }
    }

    /// Takes note of a validation that ended now; gives the seconds between it and the one before.
    pub(crate) fn validated(&mut self, secs: f64) -> f64 {
        let now = self.session_secs();
        let training = now - secs - self.validated_secs;
        self.validation_secs = secs;
        self.validating_secs += secs;
        self.validated_secs = now;
        training
    }

    /// Takes note of a validation that was broken off.
    pub(crate) fn broken_off(&mut self, secs: f64) {
        self.validating_secs += secs;
        self.validated_secs += secs;
    }

    /// Target tokens a second, of training alone.
    #[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
    pub(crate) fn speed(&self) -> f64 {
        let (tokens, secs) = self
            .speeds
            .iter()
            .fold((0, 0.0), |sum, speed| (sum.0 + speed.0, sum.1 + speed.1));
        tokens as f64 / secs.max(f64::MIN_POSITIVE)
    }

    /// Until the first of the run's limits; none if it has none.
    #[expect(clippy::cast_precision_loss, reason = "counts become f64")]
    pub(crate) fn remaining_secs(&self, config: &TrainingConfig, now: &Progress) -> Option<f64> {
        let session_secs = self.session_secs();
        let session_steps = (now.step - self.before.step).max(1) as f64;
        let session_tokens = (now.target_tokens - self.before.target_tokens).max(1) as f64;
        let by_steps = (config.steps > 0).then(|| config.steps.saturating_sub(now.step) as f64);
        let by_tokens = (config.target_tokens > 0).then(|| {
            let left = config.target_tokens.saturating_sub(now.target_tokens) as f64;
            left * session_steps / session_tokens
        });
        let by_counts = [by_steps, by_tokens].into_iter().flatten();
        let by_counts = by_counts.min_by(f64::total_cmp).map(|steps| {
            let pace = (session_secs - self.validating_secs) / session_steps;
            let every = config.validate_every.max(1) as f64;
            let into = now.step as f64 % every;
            let validations = ((into + steps) / every).floor();
            steps * pace + validations * self.validation_secs
        });
        let by_minutes = (config.minutes > 0.0).then_some(config.minutes * 60.0 - session_secs);
        let training = [by_counts, by_minutes].into_iter().flatten();
        let secs = training.min_by(f64::total_cmp)?.max(0.0);
        Some(secs + self.final_validations * self.validation_secs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_holds_the_validations_to_come() {
        let mut clock = Clock::new(Progress::default(), 3.0);
        clock.begun = Instant::now()
            .checked_sub(Duration::from_secs(70))
            .expect("long ago");
        clock.paused(Duration::from_secs(20));
        // 10 steps of 4 seconds, one validation of 10.
        clock.validated(10.0);
        let config = TrainingConfig {
            steps: 30,
            validate_every: 10,
            ..TrainingConfig::default()
        };
        let now = Progress {
            step: 10,
            ..Progress::default()
        };
        let left = clock.remaining_secs(&config, &now).expect("a limit");
        assert!(
            (left - (20.0 * 4.0 + 2.0 * 10.0 + 30.0)).abs() < 1.0,
            "{left}"
        );
        assert!((clock.elapsed_secs() - 50.0).abs() < 1.0);
        let endless = TrainingConfig::default();
        assert_eq!(clock.remaining_secs(&endless, &now), None);
    }

    #[test]
    fn a_validation_broken_off_is_no_training_and_one_of_an_earlier_session_is_known() {
        let before = Progress {
            step: 10,
            validation_secs: 10.0,
            ..Progress::default()
        };
        let mut clock = Clock::new(before, 0.0);
        clock.begun = Instant::now()
            .checked_sub(Duration::from_secs(25))
            .expect("long ago");
        // 5 steps of 4 seconds.
        clock.broken_off(5.0);
        let config = TrainingConfig {
            steps: 30,
            validate_every: 10,
            ..TrainingConfig::default()
        };
        let now = Progress { step: 15, ..before };
        let left = clock.remaining_secs(&config, &now).expect("a limit");
        assert!((left - (15.0 * 4.0 + 2.0 * 10.0)).abs() < 1.0, "{left}");
        assert!((clock.validated(0.0) - 20.0).abs() < 1.0);
    }
}
