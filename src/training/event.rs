//! What the training loop tells; nothing here draws.

use serde::{Deserialize, Serialize};

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Read,
    Tokenise,
    Train,
    Validate,
    Save,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    Steps,
    TargetTokens,
    Minutes,
    /// The dev loss no longer falls.
    Patience,
    Stopped,
}

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TrainingEvent {
    /// The run begins or goes on.
    Started {
        parameters: usize,
        examples: usize,
        skipped: usize,
        device: String,
        step: usize,
    },
    Phase {
        phase: Phase,
    },
    /// One update.
    Step {
        step: usize,
        epoch: usize,
        /// Label-smoothed, nats a target token.
        loss: f32,
        learning_rate: f64,
        /// Before clipping.
        gradient_norm: f64,
        /// Seen since the run's first step.
        target_tokens: u64,
        /// Of training alone, over the last updates.
        target_tokens_per_second: f64,
        elapsed_secs: f64,
        /// Absent if the run has no limit.
        remaining_secs: Option<f64>,
    },
    /// Scores on the development documents.
    Validated {
        step: usize,
        target_tokens: u64,
        dev_loss: f32,
        dev_bleu: f64,
        best: bool,
        elapsed_secs: f64,
    },
    Saved {
        step: usize,
        checkpoint: String,
    },
    /// Something a person should look at.
    Warning {
        message: String,
    },
    Finished {
        step: usize,
        reason: EndReason,
    },
}
