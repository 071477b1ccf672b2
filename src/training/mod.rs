//! Learning a model from a corpus: batches, loss, schedule, the loop, checkpoints.
//!
//! Emits [`TrainingEvent`]s and draws nothing; the command line and the window run the same [`train`].

mod batch;
mod chart;
mod checkpoint;
mod config;
mod curves;
mod data;
mod event;
mod follow;
mod optimizer;
mod run_folder;
mod schedule;
mod trainer;
mod validation;

pub use batch::{Example, ExampleSet};
pub use chart::chart;
pub use checkpoint::Progress;
pub use config::{Schedule, TrainingConfig};
pub use curves::{Curves, History, Position, Updates, Validations};
pub use data::TrainingData;
pub use event::{EndReason, Phase, TrainingEvent};
pub use optimizer::Adam;
pub use run_folder::RunFolder;
pub use schedule::noam_rate;
pub use trainer::train;
pub use validation::{Validation, Validator};
