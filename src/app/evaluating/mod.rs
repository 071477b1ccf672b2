//! The page of evaluations: which models are tested on what, what came of it, and blind judgement.

mod commands;
mod contrast;
mod events;
mod tracing;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use tracing::UnitTrace;

pub use contrast::{Contrast, ContrastCommand, Listed, deciding_word};
pub use events::EvaluateEvent;

use crate::error::{Error, Result};
use crate::jobs::{EvaluationProgress, EvaluationRequest, JobControl, JobId};
use canopy_corpus::Split;
use canopy_evaluate::evaluation::{Evaluation, ExpectedForms};
use canopy_metrics::judgement::{Criterion, Judgement, Vote};

/// A command of the page.
#[derive(Debug, Clone, PartialEq)]
pub enum EvaluateCommand {
    /// Takes a model in, or out again.
    ToggleModel(PathBuf),
    /// Asks for the folder of a model.
    AskModel,
    /// Adds a model that is not in the library.
    AddModel(PathBuf),
    /// Asks for the folder of a corpus.
    AskCorpus,
    /// Evaluates on this corpus.
    UseCorpus(PathBuf),
    /// Evaluates on this part of the corpus.
    UseSplit(Split),
    /// Whether units of several sentences are cut into these.
    CutSentences(bool),
    /// Begins the evaluation.
    Start,
    /// Ends the evaluation under way.
    Cancel,
    /// Shows another one of the evaluations so far.
    ShowEvaluation(usize),
    /// Shows another part of the evaluation.
    Show(EvaluateView),
    /// The system that is compared with the first one.
    Select(usize),
    /// Opens the document of a segment with the model that is looked at, and shows what it read there.
    Trace(usize),
    /// The ending is `csv`, `tex`, `json`, `svg` or `png`.
    AskSave(&'static str),
    /// Writes the scores to this file.
    Save(PathBuf),
    /// Judges the first system against the selected one.
    Judge,
    /// Asks for the file of a judgement.
    AskJudgement,
    /// Opens the judgement in this file.
    OpenJudgement(PathBuf),
    /// Votes on the document that is shown, by one criterion.
    Vote(Criterion, Vote),
    /// Shows another document of the judgement.
    GoTo(usize),
    /// Shows whose translations they were.
    Reveal,
    /// Asks where the votes shall go.
    AskExportVotes,
    /// Writes the votes to this file.
    ExportVotes(PathBuf),
    /// Closes the judgement.
    CloseJudgement,
    /// A command about contrastive sets.
    Contrast(ContrastCommand),
}

/// The part of an evaluation that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvaluateView {
    /// Scores of the whole corpus.
    #[default]
    Scores,
    /// Scores by document.
    Documents,
    /// Scores of segments of a kind, such as those of one length.
    Buckets,
    /// Largest wins and losses.
    Sentences,
    /// Words that the sentences before decide.
    Words,
}

/// An evaluation under way.
#[derive(Debug, Clone)]
pub struct Evaluating {
    /// Number of the job.
    pub job: JobId,
    /// Folders of the models.
    pub models: Vec<PathBuf>,
    /// Unit of the progress: sentences or translations.
    pub unit: &'static str,
    /// The handle that cancels the job.
    pub control: JobControl,
    /// How far it is; `None` until the first report.
    pub progress: Option<EvaluationProgress>,
    /// When it began, in seconds of the window's clock.
    pub started_secs: f64,
    /// When the last report came, in seconds of the window's clock.
    pub latest_secs: f64,
}

/// The outcome of one evaluation.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// The scores and translations.
    pub evaluation: Arc<Evaluation>,
    /// Words that the sentences before decide, for a corpus that says them.
    pub expected: Option<Arc<ExpectedForms>>,
    /// In the order of its systems.
    models: Vec<PathBuf>,
    /// Whether nothing of it is in a file.
    is_unsaved: bool,
}

/// A judgement by a person.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenJudgement {
    /// The documents and the votes on them.
    pub judgement: Judgement,
    /// Where it is kept.
    pub path: Option<PathBuf>,
    /// The document that is shown.
    pub current: usize,
    /// Whether the names of the systems are revealed.
    pub revealed: bool,
}

impl OpenJudgement {
    /// # Errors
    /// If it cannot be read or is no judgement.
    fn open(path: PathBuf) -> Result<Self> {
        #[derive(Deserialize)]
        struct Names {
            #[serde(default)]
            revealed: bool,
        }
        let judgement = Judgement::open(&path)?;
        let bytes = std::fs::read(&path).map_err(Error::read(&path))?;
        let names = serde_json::from_slice::<Names>(&bytes);
        Ok(Self {
            current: judgement.next_open().unwrap_or(0),
            judgement,
            path: Some(path),
            revealed: names.is_ok_and(|names| names.revealed),
        })
    }

    /// The judgement, and whether the systems were revealed, which closes it.
    fn to_bytes(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct File<'a> {
            #[serde(flatten)]
            judgement: &'a Judgement,
            revealed: bool,
        }
        let file = File {
            judgement: &self.judgement,
            revealed: self.revealed,
        };
        serde_json::to_vec_pretty(&file).expect("plain data becomes JSON")
    }
}

/// Everything the page shows.
#[derive(Debug, Default)]
pub struct Evaluate {
    /// In the order in which they were chosen; the first one is what the others are compared with.
    pub models: Vec<PathBuf>,
    /// Models that are not in the library.
    pub added: Vec<PathBuf>,
    /// The corpus that is chosen.
    pub corpus: Option<PathBuf>,
    /// The part of the corpus that is evaluated on.
    pub split: TestSplit,
    /// Whether units of several sentences are cut into these.
    pub cut_sentences: bool,
    /// The evaluation under way.
    pub running: Option<Evaluating>,
    /// Outcomes of the evaluations so far, the oldest first.
    pub done: Vec<Evaluated>,
    /// Index of the one that is shown.
    pub shown: usize,
    /// The part of it that is shown.
    pub view: EvaluateView,
    /// Index of the system that is compared with the first one.
    pub selected: usize,
    /// The judgement that is open.
    pub judgement: Option<OpenJudgement>,
    /// The contrastive set and the choices in it.
    pub contrast: Contrast,
    /// For the lane of evaluations; the window sends and empties it.
    pub requests: Vec<EvaluationRequest>,
    saving: Option<(JobId, Arc<Evaluation>)>,
    /// The last export of votes.
    exporting: Option<JobId>,
}

/// [`Split::Test`] by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestSplit(pub Split);

impl Default for TestSplit {
    fn default() -> Self {
        Self(Split::Test)
    }
}

impl Evaluate {
    /// Why nothing can be evaluated now, whatever the models are to be tried on.
    fn why_not(&self) -> Option<&'static str> {
        if self.running.is_some() {
            Some("An evaluation is under way.")
        } else if self.models.is_empty() {
            Some("Choose one or more models.")
        } else {
            None
        }
    }

    /// The evaluation that is shown.
    pub fn evaluation(&self) -> Option<&Evaluation> {
        let shown = self.done.get(self.shown)?;
        Some(&shown.evaluation)
    }

    /// The words of the evaluation that is shown that the sentences before decide.
    pub fn expected(&self) -> Option<&ExpectedForms> {
        self.done.get(self.shown)?.expected.as_deref()
    }

    /// Whether there are scores that are in no file.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.done.iter().any(|done| done.is_unsaved)
    }

    /// Stops the evaluation under way.
    pub(crate) fn cancel(&self) {
        if let Some(running) = &self.running {
            running.control.cancel();
        }
    }

    /// Shows another one of the evaluations, in place of a judgement.
    pub(crate) fn show_evaluation(&mut self, number: usize) {
        self.show(number);
        self.judgement = None;
    }

    /// Shows another one of the evaluations, from its first view.
    fn show(&mut self, number: usize) {
        if let Some(done) = self.done.get(number) {
            self.shown = number;
            self.selected = usize::from(done.evaluation.comparison.systems.len() > 1);
            self.view = EvaluateView::Scores;
            self.contrast.is_shown = false;
        }
    }
}

impl Evaluating {
    /// Share of all sentences of all models, in `[0, 1]`.
    #[expect(clippy::cast_precision_loss, reason = "counts become a share")]
    pub fn share(&self) -> f32 {
        let Some(progress) = self.progress else {
            return 0.0;
        };
        let own = progress.done as f32 / progress.num.max(1) as f32;
        (progress.model as f32 + own) / progress.num_models.max(1) as f32
    }

    /// Seconds that are left, once there is something to go by.
    pub fn remaining_secs(&self) -> Option<f64> {
        let share = f64::from(self.share());
        let spent = self.latest_secs - self.started_secs;
        (share > 0.01 && spent > 1.0).then(|| spent / share * (1.0 - share))
    }
}
