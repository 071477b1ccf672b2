//! Events of the training loop; nothing here draws.

use serde::{Deserialize, Serialize};

/// How warnings begin that hold until the next best validation.
pub(super) const STALLED: [&str; 2] = ["dev BLEU has not risen", "the dev loss has not fallen"];

/// The activity of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reads the corpus.
    Read,
    /// Learns the vocabulary and turns texts into ids.
    Tokenise,
    /// The model that the run begins with writes what others read in training.
    Draft,
    /// Updates weights.
    Train,
    /// Scores the development documents.
    Validate,
    /// Writes a checkpoint.
    Save,
    /// Until the run is resumed.
    Paused,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// It reached the limit of updates.
    Steps,
    /// It reached the limit of target tokens.
    TargetTokens,
    /// It reached the limit of minutes.
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
    /// The source text.
    pub source: String,
    /// The human translation.
    pub reference: String,
    /// The model's translation.
    pub translation: String,
}

/// Scores of a set by the model that a run began with, and by its best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedSet {
    /// `held-out` or `general`.
    pub name: String,
    /// Number of segments.
    pub segments: usize,
    /// Before and after, nats a target token.
    pub loss: [f32; 2],
    /// Before and after.
    pub bleu: [f64; 2],
}

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TrainingEvent {
    /// The run begins or continues.
    Started {
        /// Number of weights.
        parameters: usize,
        /// Pairs that are learnt from.
        examples: usize,
        /// Pairs that are longer than the model reads.
        skipped: usize,
        /// Name of the device.
        device: String,
        /// Updates before this session.
        step: usize,
        /// When the run ends.
        #[serde(default)]
        limits: RunLimits,
        /// Updates of the epoch under way.
        #[serde(default)]
        steps_per_epoch: usize,
    },
    /// The run does something else.
    Phase {
        /// The new activity.
        phase: Phase,
    },
    /// One update.
    Step {
        /// Updates so far.
        step: usize,
        /// Epoch under way, from 0.
        epoch: usize,
        /// Label-smoothed, nats a target token.
        loss: f32,
        /// Learning rate of the update.
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
        /// Seconds of training, pauses not counted.
        elapsed_secs: f64,
        /// Validation included; absent if the run has no limit.
        remaining_secs: Option<f64>,
    },
    /// Scores on the development documents.
    Validated {
        /// Updates so far.
        step: usize,
        /// Target tokens seen.
        target_tokens: u64,
        /// Loss, nats a target token.
        dev_loss: f32,
        /// BLEU.
        dev_bleu: f64,
        /// The best of those with as many segments.
        best: bool,
        /// Seconds of training, pauses not counted.
        elapsed_secs: f64,
        /// Documents that were scored.
        #[serde(default)]
        documents: usize,
        /// Segments that were scored.
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
        /// Updates so far.
        step: usize,
        /// Target tokens seen.
        target_tokens: u64,
        /// Seconds of training, pauses not counted.
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
        /// Updates so far.
        step: usize,
        /// The sentences with their translations.
        samples: Vec<Sample>,
    },
    /// At the end of a run that began with a trained model.
    Compared {
        /// Updates so far.
        step: usize,
        /// The sets with their scores.
        sets: Vec<ComparedSet>,
    },
    /// A checkpoint was written.
    Saved {
        /// Updates so far.
        step: usize,
        /// Folder of the checkpoint, below that of the run.
        checkpoint: String,
    },
    /// Something a person should look at.
    Warning {
        /// Text of the warning.
        message: String,
    },
    /// Numbers were not finite: the run continues from an earlier step at a smaller learning rate.
    WentBack {
        /// After which it continues.
        step: usize,
        /// How often the learning rate was halved so far.
        halvings: u32,
        /// The event in words for people.
        message: String,
    },
    /// The run ended.
    Finished {
        /// Updates so far.
        step: usize,
        /// Why it ended.
        reason: EndReason,
    },
    /// An error ended the run.
    Failed {
        /// The error's message.
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
