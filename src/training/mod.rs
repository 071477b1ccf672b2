//! Learning a model from a corpus: batches, loss, schedule, the loop, checkpoints.
//!
//! Emits [`TrainingEvent`]s and draws nothing; the command line and the window run the same [`train`] and steer it
//! with a [`Control`].

mod base;
mod batch;
mod bert;
mod chart;
mod checkpoint;
mod clock;
mod config;
mod control;
mod curves;
mod data;
mod event;
mod fitting;
mod follow;
mod for_document;
mod known_runs;
mod optimizer;
mod probe;
mod reporter;
mod run_folder;
mod run_state;
mod schedule;
mod sources;
mod summary;
pub mod sweep;
mod trainer;
mod turn;
mod validating;
mod validation;

pub use batch::{Example, ExampleSet};
pub use bert::BertTexts;
pub use chart::chart;
pub use checkpoint::Progress;
pub use config::{Schedule, TrainingConfig};
pub use control::{Control, Order, give_order};
pub use curves::{Curves, History, Position, Updates, Validations};
pub use data::TrainingData;
pub use event::{EndReason, Phase, RunLimits, Sample, TrainingEvent};
pub use fitting::with_fitting_batches;
pub use for_document::{
    Adaptation, LookUp, ModelQuestion, Prepared, for_document, for_sentences, looked_up, tell,
};
pub use known_runs::{known_runs, remember_run};
pub use optimizer::Adam;
pub use probe::{Estimate, probe};
pub use run_folder::{RunFolder, free_folder, is_run};
pub use run_state::{RunState, run_state};
pub use schedule::noam_rate;
pub use summary::{RunSummary, Scores};
pub use trainer::train;
pub use turn::{Turn, TurnGuard};
pub use validation::{Validation, ValidationSet};
