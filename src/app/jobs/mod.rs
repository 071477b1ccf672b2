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

use crate::error::{Error, Result};
use crate::training::CorpusFacts;
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::survey::Survey;
use canopy_document::document::Document;
use canopy_evaluate::evaluation::{Evaluation, ExpectedForms};
use canopy_explain::trace::TraceSource;
use canopy_explain::{ContextEdit, Explanation, Margin, ModelView, SimilarityView};
use canopy_qa::checks::Finding;
use canopy_qa::llm::Suggestion;
use canopy_qa::terms::{TermIndex, Termbase};
use canopy_train::{Estimate, TrainingEvent};
use canopy_translate::catalogue::{Look, Progress};
use canopy_translate::inference::{
    AddressChoice, DeviceChoice, InstalledModel, Leg, ModelInfo, SearchOptions, Translation,
};

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

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Notifies the worker of the sentence at the top of the window, from which it continues.
    pub fn set_first_visible(&self, sentence: usize) {
        self.first_visible.store(sentence, Ordering::Relaxed);
    }

    pub fn first_visible(&self) -> usize {
        self.first_visible.load(Ordering::Relaxed)
    }
}

/// A person's translation memories: corpus folders, TMX files or tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMemory {
    pub path: PathBuf,
    /// Memories that are looked up after the first, in their order.
    pub further: Vec<FurtherMemory>,
    /// Whether the model learns from it before each document.
    pub learns: bool,
}

/// Work for the lane that owns the model.
#[derive(Debug)]
pub enum Request {
    OpenModel {
        job: JobId,
        folder: PathBuf,
        /// Source and target, for a model of several; none takes its own.
        languages: [Option<String>; 2],
        /// The model that translates its translations further.
        second: Option<Leg>,
        device: DeviceChoice,
        memory: Option<UserMemory>,
    },
    /// `sentences` in reading order; the worker begins with the visible ones. `fixed` are translations that a person has
    /// edited or confirmed, by sentence: a bilingual model reads them. Other translations are found where `options` wants them.
    Translate {
        job: JobId,
        document: Arc<Document>,
        sentences: Vec<usize>,
        fixed: BTreeMap<usize, String>,
        terms: Option<Arc<Termbase>>,
        /// The form of address of German translations, if the user has chosen one.
        address: Option<AddressChoice>,
        options: SearchOptions,
        control: JobControl,
    },
    /// Scores the translation of a sentence and a suggestion for it; `known` are those of other sentences.
    Rank {
        job: JobId,
        document: Arc<Document>,
        sentence: usize,
        candidates: [String; 2],
        known: BTreeMap<usize, String>,
    },
    /// Traces the model over `document` and `targets`, one for each sentence or none: the sentences of `part`, or all;
    /// `top_t` is another T than the model's own.
    Trace {
        job: JobId,
        document: Arc<Document>,
        targets: Vec<Option<String>>,
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    },
    /// A question about a sentence that only the model can answer. Of several that wait only the last one is answered;
    /// one that is cancelled is not.
    Explain {
        job: JobId,
        view: ModelView,
        document: Arc<Document>,
        targets: Vec<Option<String>>,
        sentence: usize,
        /// A sentence of its context that is edited, of [`ModelView::LeaveOneOut`]; none: each is left out.
        edit: Option<ContextEdit>,
        options: SearchOptions,
        control: JobControl,
    },
    /// The sentences of a document against each other.
    Compare {
        job: JobId,
        comparison: Box<Comparison>,
    },
}

/// A report of a job.
#[derive(Debug)]
pub enum Event {
    ModelOpened {
        job: JobId,
        info: ModelInfo,
        device_name: String,
        /// The model's own and the user's pairs.
        memory: Option<Arc<TranslationMemory>>,
    },
    /// A translation memory that cannot be read, while others can; comes before [`Self::MemoryOpened`] or [`Self::MemoryRead`].
    MemoryLeftOut {
        job: JobId,
        error: Error,
    },
    /// Number of pairs in the translation memories, before the model that reads them is open; or why they cannot be used.
    MemoryOpened {
        job: JobId,
        pairs: Result<usize>,
    },
    /// Steps of adapting to the memory's matches for the document, done and to be done, before anything is
    /// translated.
    Adapting {
        job: JobId,
        done: usize,
        num: usize,
    },
    /// Drafts of what other sentences read, before sentences are translated: numbers done and to be done.
    Drafted {
        job: JobId,
        done: usize,
        num: usize,
    },
    SentenceTranslated {
        job: JobId,
        index: usize,
        translation: Translation,
    },
    /// Other translations of a sentence, whose own comes next; the likeliest first.
    OthersFound {
        job: JobId,
        translations: Vec<Translation>,
    },
    /// Tokens that a language model has read and written in search of other translations.
    TokensComputed {
        job: JobId,
        tokens: usize,
    },
    /// The device failed; what is left is translated on `device_name`, the CPU.
    CpuTookOver {
        job: JobId,
        device_name: String,
        error: Error,
    },
    /// An event of a run; it ends with `Finished` or `Failed`.
    Training {
        job: JobId,
        event: TrainingEvent,
    },
    /// Something about the runs that are followed is new; all of them, with the corpora that were made in the window.
    RunsSeen {
        runs: Vec<RunSnapshot>,
        corpora: Vec<PathBuf>,
    },
    Probed {
        job: JobId,
        estimate: Estimate,
    },
    /// A run has another name, and so another folder.
    Renamed {
        folder: PathBuf,
        to: PathBuf,
    },
    /// A run was moved to the trash.
    Trashed {
        folder: PathBuf,
        to: PathBuf,
    },
    /// The model of a run is in a folder of its own.
    Exported {
        to: PathBuf,
        promote: bool,
    },
    /// There is no dictionary for the check of spelling.
    NotSpelled {
        job: JobId,
        reason: String,
    },
    /// Findings of the quality checks, in the order of the sentences.
    Checked {
        job: JobId,
        findings: Vec<Finding>,
    },
    /// A translation memory that was requested without a model.
    MemoryRead {
        job: JobId,
        memory: Result<Arc<TranslationMemory>>,
    },
    /// All installed models.
    ModelsListed {
        models: Vec<InstalledModel>,
    },
    /// A model at a path, or why the path has none.
    ModelInspected {
        job: JobId,
        path: PathBuf,
        model: Result<Box<InstalledModel>>,
    },
    /// Bytes of a model that are copied, and their total.
    ModelCopied {
        job: JobId,
        done: u64,
        total: u64,
    },
    ModelAdded {
        job: JobId,
        model: Box<InstalledModel>,
    },
    /// A person has stated its languages.
    ModelStated {
        job: JobId,
        folder: PathBuf,
    },
    ModelRemoved {
        job: JobId,
        folder: PathBuf,
    },
    /// The models of catalogues; `arrived` are bytes of those whose download was broken off, by catalogue and name.
    CataloguesRead {
        job: JobId,
        look: Box<Look>,
        arrived: BTreeMap<(String, String), u64>,
    },
    ModelDownloading {
        job: JobId,
        progress: Progress,
    },
    /// A model of a catalogue is installed.
    ModelDownloaded {
        job: JobId,
        model: Box<InstalledModel>,
    },
    /// Bytes that are kept for the next attempt.
    DownloadCancelled {
        job: JobId,
        arrived: u64,
    },
    /// So much of what a corpus is made of is read, in `[0, 1]`.
    CorpusRead {
        job: JobId,
        share: f64,
    },
    /// Found in what is to become a corpus.
    Surveyed {
        job: JobId,
        survey: Box<Survey>,
    },
    CorpusMade {
        job: JobId,
        folder: PathBuf,
        pairs: usize,
    },
    Traced {
        job: JobId,
        source: Arc<TraceSource>,
    },
    Explained {
        job: JobId,
        explanation: Result<Box<Explanation>>,
    },
    /// A suggestion of a large language model.
    Suggested {
        job: JobId,
        suggestion: Result<Box<Suggestion>>,
    },
    /// Number of encoded sentences.
    Comparing {
        job: JobId,
        done: usize,
        num: usize,
    },
    Compared {
        job: JobId,
        view: Arc<SimilarityView>,
    },
    /// The mean log-probability of a token of the translation of a sentence, and of the suggestion for it.
    Ranked {
        job: JobId,
        mean_log_probs: Option<[f32; 2]>,
    },
    TraceOpened {
        job: JobId,
        path: PathBuf,
        source: Arc<TraceSource>,
    },
    Answered {
        job: JobId,
        answer: Result<Arc<Answer>>,
    },
    /// The margin of the document; `None` if the trace has no attention to other sentences.
    Margin {
        job: JobId,
        margin: Option<Box<Margin>>,
    },
    Evaluating {
        job: JobId,
        progress: EvaluationProgress,
    },
    Evaluated {
        job: JobId,
        evaluation: Arc<Evaluation>,
        /// How often translations have the words that earlier sentences decide, where the corpus names such words.
        expected: Option<Arc<ExpectedForms>>,
    },
    /// The choices of models in a contrastive set.
    Contrasted {
        job: JobId,
        result: Arc<ContrastResult>,
    },
    EvaluationSaved {
        job: JobId,
        path: PathBuf,
    },
    /// A figure, its numbers or a trace.
    ExplanationSaved {
        job: JobId,
        path: PathBuf,
    },
    Finished {
        job: JobId,
    },
    Cancelled {
        job: JobId,
    },
    /// `project_error` says why saved work could not be used.
    DocumentOpened {
        job: JobId,
        path: PathBuf,
        document: Arc<Document>,
        project: Option<Project>,
        project_error: Option<Error>,
    },
    /// The document that was just opened was worked on at another path, perhaps before it was renamed.
    MovedWork {
        path: PathBuf,
        project: Project,
    },
    /// A file for the exchange of translations, or why it cannot be read.
    ExchangeRead {
        job: JobId,
        file: Result<Arc<Document>>,
    },
    /// The document that was just opened belongs to the project in this folder.
    InProject {
        path: PathBuf,
        folder: PathBuf,
    },
    /// How far a project folder is, or why it cannot be opened.
    ProjectSeen {
        job: JobId,
        status: Result<Box<ProjectStatus>>,
    },
    /// Another person had changed the work on a document; the saved file has both versions.
    WorkMerged {
        path: PathBuf,
        merged: Box<MergedWork>,
    },
    /// Two documents are aligned.
    Aligned {
        job: JobId,
        alignment: Result<Box<Alignment>>,
    },
    /// The translations of a project were written to files.
    ProjectExported {
        job: JobId,
        files: Result<Vec<PathBuf>>,
    },
    /// All earlier writes are done, or their failures reported.
    Flushed {
        job: JobId,
    },
    /// A document with other sentences in one place, or why it stays as it is.
    Recut {
        job: JobId,
        document: Result<Arc<Document>>,
    },
    /// A termbase that was requested, or to which a term was added.
    TermsRead {
        job: JobId,
        index: Result<Arc<TermIndex>>,
    },
    /// A translation is in its file.
    TranslationSaved {
        job: JobId,
        path: PathBuf,
        /// Names the bytes of the file.
        digest: String,
        /// Language of the translation, where it is known.
        language: Option<String>,
    },
    /// The language models of a server.
    ServerModels {
        job: JobId,
        models: Result<Vec<String>>,
    },
    /// Languages and sizes of a corpus.
    CorpusSeen {
        folder: PathBuf,
        facts: CorpusFacts,
    },
    /// A sentence encoder was made of another program's files.
    EncoderImported {
        job: JobId,
        folder: PathBuf,
    },
    /// Paths that are not there.
    PathsMissing {
        paths: Vec<PathBuf>,
    },
    /// Another program has written into the file of the translation: it stays as it is.
    TranslationChanged {
        job: JobId,
        path: PathBuf,
    },
    /// Something else that a person wanted in a file.
    DocumentSaved {
        job: JobId,
        path: PathBuf,
    },
    Failed {
        job: JobId,
        error: Error,
    },
}
