//! The explorer: a trace, a question about it, and the answer that is shown.

mod commands;
mod document;
mod events;
mod inquiry;
mod margin;
mod present;
mod sample;
mod section;
mod select;
mod similarity;

use std::path::PathBuf;
use std::sync::Arc;

use self::margin::MarginState;
pub use events::ExploreEvent;
pub use inquiry::Inquiry;
pub use present::Present;
pub use sample::DecidedNoun;
pub use similarity::{Comparing, SimilarityState};

use crate::jobs::{Answer, ExplainRequest, JobControl, JobId, UserMemory};
use canopy_chart::charts::Theme;
use canopy_document::document::Document;
use canopy_explain::trace::{Side, TraceSource};
use canopy_explain::{ContextEdit, Heads, Order, TextPosition, ViewKind};
use canopy_metrics::similarity::Measure;

/// A command of the explorer.
#[derive(Debug, Clone, PartialEq)]
pub enum ExploreCommand {
    /// Shows this view.
    View(ViewKind),
    /// Looks at this side of the translation.
    Side(Side),
    /// Looks at the layer of this index.
    Layer(usize),
    /// Looks at these heads.
    Heads(Heads),
    /// All heads, side by side.
    EachHead,
    /// Orders sentences in this way.
    Order(Order),
    /// Selects a word or sentence.
    Select(TextPosition),
    /// All words of the sentence together.
    SelectWholeSentence,
    /// Selects the next word.
    NextWord,
    /// Selects the previous word.
    PreviousWord,
    /// Selects the next sentence.
    NextSentence,
    /// Selects the previous sentence.
    PreviousSentence,
    /// To the question before.
    Back,
    /// Traces the open document as it is now, with another T if one is given.
    Trace(Option<usize>),
    /// Opens this model and traces the open document with it.
    TraceWith(PathBuf),
    /// Traces the section of the open document that holds this sentence, or as much around it as has room.
    TraceSection(usize),
    /// Asks for the file of a trace.
    AskOpenTrace,
    /// Opens the trace in this file.
    OpenTrace(PathBuf),
    /// Shows the maps of another model's trace next to these.
    AskCompare,
    /// Compares with the trace in this file.
    CompareWith(PathBuf),
    /// Shows the maps of the open trace alone.
    StopComparing,
    /// Which folder holds a sentence encoder.
    AskEncoder,
    /// Asks for a file or a folder of another program, to make an encoder of it.
    AskEncoderToImport(bool),
    /// Makes an encoder of the other program's files there.
    ImportEncoder(PathBuf),
    /// Compares sentences with this encoder from now on.
    UseEncoder(PathBuf),
    /// Compares sentences by this.
    Measure(Measure),
    /// Stops the comparison of sentences.
    StopEncoding,
    /// Scores the translation with an edited sentence in its context.
    EditContext(ContextEdit),
    /// Stops the model's computation.
    Cancel,
    /// Runs the model once more.
    Retry,
    /// Asks where; the ending is `svg`, `png`, `csv` or `json`.
    AskSaveFigure(&'static str),
    /// Writes the figure to this file.
    SaveFigure(PathBuf),
    /// Asks where the trace shall go.
    AskSaveTrace,
    /// Writes the trace to this file.
    SaveTrace(PathBuf),
    /// Shows a sentence in its document.
    ShowInDocument(usize),
}

/// Where a trace comes from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// The open document with its targets at that time, and the model with the memory that it had.
    Document {
        /// Path of the document.
        path: PathBuf,
        /// The document.
        document: Arc<Document>,
        /// The revision of its targets.
        revision: u64,
        /// Folder of the model.
        model: PathBuf,
        /// The memory that the model had.
        memory: Option<UserMemory>,
    },
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(path), Self::File(other)) => path == other,
            (
                Self::Document {
                    document,
                    revision,
                    model,
                    memory,
                    ..
                },
                Self::Document {
                    document: other,
                    revision: other_revision,
                    model: other_model,
                    memory: other_memory,
                    ..
                },
            ) => {
                Arc::ptr_eq(document, other)
                    && (revision, model, memory) == (other_revision, other_model, other_memory)
            }
            _ => false,
        }
    }
}

/// A trace that is looked at.
#[derive(Debug, Clone)]
pub struct OpenTrace {
    /// The trace.
    pub source: Arc<TraceSource>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Work of the explorer that is under way.
#[derive(Debug, Clone, PartialEq)]
pub enum Awaited {
    /// The model reads the document once more.
    Trace {
        /// Number of the job.
        job: JobId,
        /// Document and translations that are traced.
        origin: Origin,
    },
    /// A trace is read from its file.
    File {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
        /// Whether it is shown next to the present one.
        compared: bool,
    },
}

/// Everything the explorer shows.
#[derive(Debug)]
pub struct Explorer {
    /// The trace and the questions about it.
    pub inquiry: Inquiry,
    /// Trace of the same document by another model.
    pub compared: Option<Arc<TraceSource>>,
    /// The work that is under way.
    pub awaited: Option<Awaited>,
    /// Answer to the last question that could be answered, or why the present one cannot; stays until the next one arrives.
    pub answer: Option<Result<Arc<Answer>, String>>,
    /// Counts answers, so that the window notices.
    pub revision: u64,
    /// For the lane that reads traces; the window sends and empties it.
    pub requests: Vec<ExplainRequest>,
    /// Colours of figures that are saved.
    pub theme: Theme,
    margin: MarginState,
    /// The comparison of sentences.
    pub similarity: SimilarityState,
    pending: Option<JobId>,
    /// Cancels the pending computation of the model.
    pending_control: JobControl,
    /// Progress of the model in adapting to what resembles the document, before it answers, or in leaving sentences out: done
    /// and to be done.
    pub taking_in: Option<(usize, usize)>,
    /// The model that is being opened so that the document is traced with it.
    next_model: Option<PathBuf>,
    saving: Option<JobId>,
    /// A word of the selected sentence's translation that is selected in the next trace.
    pub(crate) wanted_word: Option<String>,
}

impl Default for Explorer {
    fn default() -> Self {
        Self {
            inquiry: Inquiry::default(),
            compared: None,
            awaited: None,
            answer: None,
            revision: 0,
            requests: Vec::new(),
            theme: Theme::LIGHT,
            margin: MarginState::default(),
            similarity: SimilarityState::default(),
            pending: None,
            pending_control: JobControl::default(),
            taking_in: None,
            next_model: None,
            saving: None,
            wanted_word: None,
        }
    }
}

impl Explorer {
    /// Whether the answer that is shown is to an earlier question.
    pub fn is_behind(&self) -> bool {
        self.pending.is_some()
    }
}
