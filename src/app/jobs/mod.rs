//! Background jobs on the threads of three [`Pools`]: one computes with the model in use, one works on files, one has runs that
//! last.
//!
//! [`Request`]s, [`TrainingRequest`]s and [`FileRequest`]s go in, [`Event`]s come out; nothing here knows what a window is.

pub mod aligning;
pub mod catalogues;
pub mod checking;
pub mod comparing;
mod contrasting;
pub mod evaluations;
pub mod explaining;
pub mod files;
pub mod fonts;
mod llm_models;
pub mod models;
pub mod pool;
mod pools;
pub mod projects;
mod run_files;
pub mod runs;
pub mod suggesting;
pub mod trainings;
pub mod worker;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub use aligning::{AlignLane, AlignRequest};
pub use canopy_base::JobId;
pub use canopy_project::{
    Alignment, AlignmentFormat, DocumentStatus, DocumentWork, FurtherMemory, Head, LanguageWork,
    MergedWork, Origin, Project, ProjectFolder, ProjectMemory, ProjectSettings, ProjectStatus,
    SavedTarget, State, Version, WrittenAlignment,
};
pub use canopy_project::{batch, project, project_folder, project_merge, segment_history};
pub use catalogues::{CatalogueLanes, CatalogueRequest};
pub use checking::{CheckLane, CheckRequest};
pub use comparing::Comparison;
pub use contrasting::{ContrastJob, ContrastResult, ContrastedModel};
pub use evaluations::{EvaluationJob, EvaluationLane, EvaluationProgress, EvaluationRequest};
pub use explaining::{Answer, ExplainLane, ExplainRequest};
pub use files::{FileLane, FileRequest, Overwrite};
pub use fonts::FontFinder;
pub use llm_models::{ServerLane, ServerRequest};
pub use models::{ModelLane, ModelRequest};
pub use pool::Pool;
pub use pools::{PoolFolders, Pools};
pub use projects::{ProjectLane, ProjectRequest, TakenWork};
pub use runs::{CorpusImport, RunFolders, RunRequest, RunSnapshot};
pub use suggesting::{SuggestionLane, SuggestionRequest};
pub use trainings::{TrainingJob, TrainingRequest, Trainings};
pub use worker::Worker;

pub use crate::events::Event;
use canopy_document::document::Document;
use canopy_explain::{ContextEdit, ModelView};
use canopy_qa::terms::Termbase;
use canopy_translate::inference::{DeviceChoice, FormalityOption, Leg, SearchOptions};

/// Settings that the window may change while a translation runs.
#[derive(Debug, Clone, Default)]
pub struct JobControl {
    cancelled: Arc<AtomicBool>,
    first_visible: Arc<AtomicUsize>,
}

impl JobControl {
    /// Stops the worker at the next sentence.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the worker is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Notifies the worker of the sentence at the top of the window, from which it continues.
    pub fn set_first_visible(&self, sentence: usize) {
        self.first_visible.store(sentence, Ordering::Relaxed);
    }

    /// Index of the sentence at the top of the window.
    pub fn first_visible(&self) -> usize {
        self.first_visible.load(Ordering::Relaxed)
    }
}

/// A person's translation memories: corpus folders, TMX files or tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMemory {
    /// The memory that is looked up first.
    pub path: PathBuf,
    /// Memories that are looked up after the first, in their order.
    pub further: Vec<FurtherMemory>,
    /// Whether the model learns from it before each document.
    pub learns: bool,
}

/// Work for the lane that owns the model.
#[derive(Debug)]
pub enum Request {
    /// Opens a model.
    OpenModel {
        /// Number of the job.
        job: JobId,
        /// Folder of the model.
        folder: PathBuf,
        /// Source and target, for a model of several; none takes its own.
        languages: [Option<String>; 2],
        /// The model that translates its translations further.
        second: Option<Leg>,
        /// The device to compute on.
        device: DeviceChoice,
        /// The memory that it translates with.
        memory: Option<UserMemory>,
    },
    /// `sentences` in reading order; the worker begins with the visible ones. `fixed` are translations that a person has
    /// edited or confirmed, by sentence: a bilingual model reads them. Other translations are found where `options` wants them.
    Translate {
        /// Number of the job.
        job: JobId,
        /// The document.
        document: Arc<Document>,
        /// Indices of the sentences to be translated.
        sentences: Vec<usize>,
        /// Translations by a person, by the indices of their sentences.
        fixed: BTreeMap<usize, String>,
        /// The terms that translations use.
        terms: Option<Arc<Termbase>>,
        /// The form of address of German translations, if the user has chosen one.
        formality: Option<FormalityOption>,
        /// Settings of the search.
        options: SearchOptions,
        /// The handle that cancels the job.
        control: JobControl,
    },
    /// Scores the translation of a sentence and a suggestion for it; `known` are those of other sentences.
    Rank {
        /// Number of the job.
        job: JobId,
        /// The document.
        document: Arc<Document>,
        /// Index of the sentence.
        sentence: usize,
        /// Its translation and the suggestion.
        candidates: [String; 2],
        /// Translations of other sentences, by their indices.
        known: BTreeMap<usize, String>,
    },
    /// Traces the model over `document` and `targets`, one for each sentence or none: the sentences of `part`, or all;
    /// `top_t` is another T than the model's own.
    Trace {
        /// Number of the job.
        job: JobId,
        /// The document.
        document: Arc<Document>,
        /// Its translations, by sentence.
        targets: Vec<Option<String>>,
        /// The sentences that are traced; `None` traces all.
        part: Option<Range<usize>>,
        /// T instead of the model's own.
        top_t: Option<usize>,
    },
    /// A question about a sentence that only the model can answer. Of several that wait only the last one is answered;
    /// one that is cancelled is not.
    Explain {
        /// Number of the job.
        job: JobId,
        /// The view to compute.
        view: ModelView,
        /// The document.
        document: Arc<Document>,
        /// Its translations, by sentence.
        targets: Vec<Option<String>>,
        /// Index of the sentence.
        sentence: usize,
        /// A sentence of its context that is edited, of [`ModelView::LeaveOneOut`]; none: each is left out.
        edit: Option<ContextEdit>,
        /// Settings of the search.
        options: SearchOptions,
        /// The handle that cancels the job.
        control: JobControl,
    },
    /// The sentences of a document against each other.
    Compare {
        /// Number of the job.
        job: JobId,
        /// Sentences that are compared, and the way.
        comparison: Box<Comparison>,
    },
}
