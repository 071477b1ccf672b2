//! Learning a model from a corpus: batches, loss, schedule, the loop, checkpoints.
//!
//! Emits [`TrainingEvent`]s and draws nothing; the command line and the window run the same [`train`] and steer it
//! with a [`Control`].
//!
//! ```
//! use canopy_train::{Schedule, TrainingConfig};
//!
//! let config = TrainingConfig {
//!     schedule: Schedule::ConstantWithWarmup,
//!     learning_rate: 1e-4,
//!     warmup_steps: 100,
//!     ..TrainingConfig::default()
//! };
//! assert!((config.rate(50, 512) - 0.5e-4).abs() < 1e-9);
//! ```

#![warn(missing_docs, unreachable_pub)]

mod base;
mod batch;
mod bert;
mod chart;
mod checkpoint;
mod clock;
mod comparing;
mod config;
mod contrast;
mod control;
mod copies;
mod curves;
mod data;
mod device_lock;
mod divergence;
mod drafts;
pub mod error;
mod event;
mod fitting;
mod follow;
mod for_document;
#[cfg(test)]
mod injected;
mod known_runs;
mod mixed_precision;
mod optimizer;
mod probe;
mod queue;
mod recipes;
mod remote;
mod reporter;
mod run_folder;
mod run_state;
mod sample_runs;
mod schedule;
mod shards;
mod sources;
mod summary;
pub mod sweep;
mod trainer;
mod update;
mod validating;
mod validation;
mod workers;

pub use batch::{BatchLimits, Example, ExampleSet};
pub use bert::BertTexts;
pub use chart::chart;
pub use checkpoint::Progress;
pub use config::{Schedule, TrainingConfig};
pub use control::{Control, Order, give_order};
pub use curves::{Curves, History, Position, Updates, Validations};
pub use data::TrainingData;
pub use device_lock::{DeviceGuard, DeviceLock};
pub use event::{ComparedSet, EndReason, Phase, RunLimits, Sample, TrainingEvent};
pub use fitting::with_smaller_batches;
pub use for_document::{
    Adaptation, KnnRetrieval, ModelQuestion, Prepared, explain, explain_by_language_model,
    for_document, for_sentences, retrieved, with_confirmed, with_fixed,
};
pub use known_runs::{known_runs, remember_run};
pub use mixed_precision::{LossScale, MomentPrecision, ProductPrecision};
pub use optimizer::{Adam, AdamConstants};
pub use probe::{Estimate, probe};
pub use queue::{TrainingJob, TrainingReport, TrainingRequest, Trainings};
pub use recipes::{RECIPES, Recipe};
pub use remote::{RemoteTraining, TrainingState, device_of_run, train_remote};
pub use run_folder::{RunFolder, best_model, free_folder, is_run};
pub use run_state::{RunState, run_state};
pub use sample_runs::{SampleRun, sample_runs};
pub use schedule::noam_rate;
pub use summary::{RunSummary, Scores};
pub use trainer::train;
pub use validation::{Validation, ValidationSet};
