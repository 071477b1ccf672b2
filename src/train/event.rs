//! Events of the training loop; nothing here draws.

use serde::{Deserialize, Serialize};

/// How warnings begin that hold until the next best validation.
pub(super) const STALLED: [&str; 2] = ["dev BLEU has not risen", "the dev loss has not fallen"];

/// The activity of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Read,
    Tokenise,
    /// The model that the run begins with writes what others read in training.
    Draft,
    Train,
    Validate,
    Save,
    /// Until the run is resumed.
    Paused,
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
    /// The first validation is far below the model that the run began with.
    WorseThanBase,
    /// By a person, after a checkpoint.
    Stopped,
    /// By a person, at once.
    Abandoned,
}

impl EndReason {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Steps => "all steps are done",
            Self::TargetTokens => "all target tokens are seen",
            Self::Minutes => "its time is over",
            Self::Patience => "the dev loss no longer falls",
            Self::WorseThanBase => {
                "it became much worse than the model that it began with, which is kept"
            }
            Self::Stopped => "stopped",
            Self::Abandoned => "abandoned",
        }
    }

    /// Whether a person ended the run before its time.
    pub fn is_order(self) -> bool {
        matches!(self, Self::Stopped | Self::Abandoned)
    }
}

/// Limits of a run; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunLimits {
    /// Updates in all.
    pub steps: usize,
    /// Target tokens in all.
    pub target_tokens: u64,
    /// Minutes of this session, without pauses.
    pub minutes: f64,
}

/// A development sentence and what the model makes of it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    pub source: String,
    pub reference: String,
    pub translation: String,
}

/// Scores of a set by the model that a run began with, and by its best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedSet {
    /// `held-out` or `general`.
    pub name: String,
    pub segments: usize,
    /// Before and after, nats a target token.
    pub loss: [f32; 2],
    pub bleu: [f64; 2],
}

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TrainingEvent {
    /// The run begins or continues.
    Started {
        parameters: usize,
        examples: usize,
        skipped: usize,
        device: String,
        step: usize,
        #[serde(default)]
        limits: RunLimits,
        /// Updates of the epoch under way.
        #[serde(default)]
        steps_per_epoch: usize,
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
        /// Speed of training alone, over the last updates.
        target_tokens_per_second: f64,
        /// The time of the update.
        #[serde(default)]
        secs: f64,
        elapsed_secs: f64,
        /// Validation included; absent if the run has no limit.
        remaining_secs: Option<f64>,
    },
    /// Scores on the development documents.
    Validated {
        step: usize,
        target_tokens: u64,
        dev_loss: f32,
        dev_bleu: f64,
        /// The best of those with as many segments.
        best: bool,
        elapsed_secs: f64,
        #[serde(default)]
        documents: usize,
        #[serde(default)]
        segments: usize,
        /// All of the development documents, not a sample of them.
        #[serde(default = "yes")]
        whole: bool,
        /// The time of the validation.
        #[serde(default)]
        secs: f64,
    },
    /// After a validation: accuracy on what only the document decides, and how much gates let in from beyond the sentence.
    Contrasted {
        step: usize,
        target_tokens: u64,
        elapsed_secs: f64,
        /// Share of the items of the contrastive set whose right translation the model prefers, between 0 and 1; none without
        /// a set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accuracy: Option<f64>,
        /// Items of the set that were scored.
        #[serde(default)]
        items: usize,
        /// Mean of 1 − gate over words of development documents, between 0 for the sentence alone and 1 for its context alone;
        /// none where there is no gate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate_opening: Option<f64>,
    },
    /// Translations of a few development sentences, equal after every validation.
    Samples {
        step: usize,
        samples: Vec<Sample>,
    },
    /// At the end of a run that began with a trained model.
    Compared {
        step: usize,
        sets: Vec<ComparedSet>,
    },
    Saved {
        step: usize,
        checkpoint: String,
    },
    /// Something a person should look at.
    Warning {
        message: String,
    },
    /// Numbers were not finite: the run continues from an earlier step at a smaller learning rate.
    WentBack {
        /// After which it continues.
        step: usize,
        /// How often the learning rate was halved so far.
        halvings: u32,
        message: String,
    },
    Finished {
        step: usize,
        reason: EndReason,
    },
    /// An error ended the run.
    Failed {
        message: String,
    },
}

impl TrainingEvent {
    /// Whether it is one of the many that come with every update.
    pub fn is_step(&self) -> bool {
        matches!(self, Self::Step { .. })
    }

    /// Writes it to the log, without the texts of samples.
    pub(super) fn log(&self) {
        match self {
            Self::Step {
                step,
                loss,
                gradient_norm,
                learning_rate,
                target_tokens_per_second,
                secs,
                ..
            } => {
                tracing::debug!(
                    step,
                    loss,
                    gradient_norm,
                    learning_rate,
                    target_tokens_per_second,
                    secs,
                    "training step"
                );
            }
            Self::Phase { phase } => tracing::debug!(?phase, "training"),
            Self::Samples { step, samples } => {
                tracing::debug!(step, samples = samples.len(), "training: samples");
            }
            Self::Validated {
                step,
                dev_loss,
                dev_bleu,
                segments,
                secs,
                ..
            } => tracing::info!(
                step,
                dev_loss,
                dev_bleu,
                segments,
                secs,
                "training: validated"
            ),
            Self::Contrasted {
                step,
                accuracy,
                items,
                gate_opening,
                ..
            } => tracing::info!(step, accuracy, items, gate_opening, "training: contrasted"),
            Self::Saved { step, checkpoint } => {
                tracing::info!(step, checkpoint, "training: saved");
            }
            Self::Warning { message } => tracing::warn!("training: {message}"),
            Self::WentBack { step, message, .. } => {
                tracing::warn!(step, "training went back: {message}");
            }
            Self::Failed { message } => tracing::error!("training failed: {message}"),
            Self::Started { .. } | Self::Compared { .. } | Self::Finished { .. } => {
                tracing::info!(event = ?self, "training");
            }
        }
    }
}

/// Runs that say nothing of it were scored on all documents.
fn yes() -> bool {
    true
}
