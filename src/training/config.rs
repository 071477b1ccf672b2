//! What a training run is told, as it stands in the run folder's `config.toml`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Settings of one run; every field but `corpus` has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    /// Corpus folder.
    pub corpus: PathBuf,
    /// Name of the system.
    pub preset: String,
    /// Tokens of the joint vocabulary, if the corpus has none yet.
    pub vocab_size: usize,
    /// Decides initial weights, order of the data and dropout.
    pub seed: u64,
    /// Target tokens in a batch.
    pub batch_tokens: usize,
    /// Updates until the learning rate reaches its peak.
    pub warmup_steps: usize,
    /// Multiplies the Noam schedule.
    pub learning_rate_factor: f64,
    /// Share of the probability spread over the whole vocabulary, in `[0, 1)`.
    pub label_smoothing: f32,
    /// Share of activations dropped, in `[0, 1)`.
    pub dropout: f32,
    /// Largest common norm of the gradients; 0 for no limit.
    pub clip_norm: f64,
    /// Updates between validations.
    pub validate_every: usize,
    /// Updates between checkpoints.
    pub checkpoint_every: usize,
    /// How many of the last checkpoints' models are kept to be averaged; 0 for none.
    pub keep_checkpoints: usize,
    /// Updates in all; 0 for no limit.
    pub steps: usize,
    /// Minutes of this session; 0 for no limit.
    pub minutes: f64,
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            corpus: PathBuf::new(),
            preset: "x-transformer-small".to_owned(),
            vocab_size: 8_000,
            seed: 1,
            batch_tokens: 2_500,
            warmup_steps: 1_000,
            learning_rate_factor: 1.0,
            label_smoothing: 0.1,
            dropout: 0.1,
            clip_norm: 2.0,
            validate_every: 500,
            checkpoint_every: 250,
            keep_checkpoints: 4,
            steps: 0,
            minutes: 0.0,
        }
    }
}

impl TrainingConfig {
    /// Refuses values that cannot be trained with.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            })
        };
        let share = "0 up to, but not including, 1";
        if self.corpus.as_os_str().is_empty() {
            return refuse("corpus", &"missing", "the folder of a corpus");
        }
        if self.batch_tokens == 0 {
            return refuse("batch_tokens", &self.batch_tokens, "at least 1");
        }
        if self.validate_every == 0 {
            return refuse("validate_every", &self.validate_every, "at least 1");
        }
        if self.checkpoint_every == 0 {
            return refuse("checkpoint_every", &self.checkpoint_every, "at least 1");
        }
        if !(0.0..1.0).contains(&self.label_smoothing) {
            return refuse("label_smoothing", &self.label_smoothing, share);
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return refuse("dropout", &self.dropout, share);
        }
        if !(self.learning_rate_factor > 0.0 && self.learning_rate_factor.is_finite()) {
            return refuse(
                "learning_rate_factor",
                &self.learning_rate_factor,
                "a number above 0",
            );
        }
        if self.clip_norm.is_nan() || self.clip_norm < 0.0 {
            return refuse("clip_norm", &self.clip_norm, "0 or a number above it");
        }
        if self.minutes.is_nan() || self.minutes < 0.0 {
            return refuse("minutes", &self.minutes, "0 or a number above it");
        }
        Ok(())
    }
}
