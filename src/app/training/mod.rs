//! The training page without widgets: runs, the queue, the form of a new run, what is looked at.

mod bert;
mod commands;
mod corpus;
mod differences;
mod facts;
mod forms;
mod new_run;
mod sample;
mod surveying;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use corpus::{CorpusSource, ImportState, NewCorpus, Side, SurveyState};
pub use differences::{Difference, differences};
pub use facts::{CorpusFacts, ENOUGH_PAIRS};
pub use new_run::{NewRun, Probe, Problem, Start};
pub use sample::{NounScores, Sample, SampleStage};

use crate::jobs::{JobId, RunRequest, RunSnapshot, TrainingRequest};
use canopy_chart::charts::{Chart, XAxis};
use canopy_train::{Curves, Order};

/// A command of the training page.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingCommand {
    /// Begins the sample run, or shows the one that is under way.
    TrySample,
    /// Ends what is under way of it.
    StopSample,
    /// Translates the test tales with both models.
    CompareSample,
    /// Shows the scores.
    ShowSample,
    /// No longer explains it.
    CloseSample,
    /// Opens the form.
    NewRun,
    Fill(Box<NewRun>),
    /// The run of the form improves this model.
    Improve(PathBuf),
    CloseForm,
    /// Measures memory and time of what the form says.
    Probe,
    /// Begins what the form says, after the runs that wait.
    Start,
    /// Opens the form of a corpus.
    NewCorpus,
    FillCorpus(Box<NewCorpus>),
    CloseCorpus,
    /// Asks for a folder or file of the corpus to be made.
    ChooseSide(Side),
    UseSide(Side, PathBuf),
    /// Looks once more at what it is to be made of, in the languages of the form.
    LookAgain,
    StopLooking,
    /// Exchanges source and target.
    SwapSides,
    MakeCorpus,
    ChooseCorpus,
    UseCorpus(PathBuf),
    /// Asks for the folder of an imported BERT.
    ChooseBert,
    UseBert(PathBuf),
    /// Asks for a file of contexts.
    ChooseContexts,
    UseContexts(PathBuf),
    /// Asks for translations to remember along with the training pairs.
    ChooseMemory,
    UseMemory(PathBuf),
    /// Asks for a contrastive set that the run is scored on.
    ChooseContrastiveSet,
    UseContrastiveSet(PathBuf),
    /// Asks for the folder of a run outside the data folder.
    ChooseRun,
    Follow(PathBuf),
    Select(PathBuf),
    /// Draws a run over the selected one, or removes it from there.
    Compare(PathBuf, bool),
    Order(PathBuf, Order),
    /// Goes on with a run that has ended.
    GoOn(PathBuf),
    /// A form whose run begins with this one's best model.
    Continue(PathBuf),
    Rename(PathBuf, String),
    AskTrash(PathBuf),
    Trash(PathBuf),
    KeepRun,
    /// Brings the run that was deleted last back.
    Restore,
    /// Asks where.
    Export(PathBuf),
    ExportTo(PathBuf, PathBuf),
    /// Makes its model the one that the program begins with.
    Promote(PathBuf),
    ShowTable(bool),
    SetAxis(XAxis),
    SetSmoothing(f64),
    /// Asks for a file for the charts, of this ending.
    AskSaveChart(&'static str),
    SaveChart(PathBuf),
}

/// A run that waits for its turn, or has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    pub job: JobId,
    pub folder: PathBuf,
}

/// Charts of the same key are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartKey {
    runs: Vec<(PathBuf, u64)>,
    x: XAxis,
    smoothing: f64,
}

/// Everything the training page shows.
#[derive(Debug)]
pub struct Training {
    /// By name.
    pub runs: Vec<RunSnapshot>,
    /// Runs of this window, the one under way first.
    pub queue: Vec<Queued>,
    pub selected: Option<PathBuf>,
    /// Drawn over the selected run.
    pub compared: BTreeSet<PathBuf>,
    pub form: Option<NewRun>,
    pub corpus_form: Option<NewCorpus>,
    pub corpora: Vec<PathBuf>,
    /// Languages and sizes of corpora, by their folders.
    pub facts: BTreeMap<PathBuf, CorpusFacts>,
    /// When the form was changed last.
    form_changed_secs: f64,
    /// The sample run, from its beginning until it is closed.
    pub sample: Option<Sample>,
    /// The run whose deletion awaits confirmation.
    pub trashing: Option<PathBuf>,
    /// Where deleted runs were and are, the last one last.
    pub trashed: Vec<(PathBuf, PathBuf)>,
    pub shows_table: bool,
    pub x: XAxis,
    /// Weight of the past in the thick curves, in `[0, 1)`.
    pub smoothing: f64,
    /// For the training thread; the window sends and empties it.
    pub requests: Vec<TrainingRequest>,
    /// For the thread that looks after run folders, likewise.
    pub run_requests: Vec<RunRequest>,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            queue: Vec::new(),
            selected: None,
            compared: BTreeSet::new(),
            form: None,
            corpus_form: None,
            corpora: Vec::new(),
            facts: BTreeMap::new(),
            form_changed_secs: 0.0,
            sample: None,
            trashing: None,
            trashed: Vec::new(),
            shows_table: false,
            x: XAxis::Steps,
            smoothing: 0.9,
            requests: Vec::new(),
            run_requests: Vec::new(),
        }
    }
}

impl Training {
    pub fn run(&self, folder: &std::path::Path) -> Option<&RunSnapshot> {
        self.runs.iter().find(|run| run.folder == folder)
    }

    /// The run that is looked at.
    pub fn selected(&self) -> Option<&RunSnapshot> {
        self.run(self.selected.as_ref()?)
    }

    /// Runs of this window that have not begun, in their order.
    pub fn waiting(&self) -> impl Iterator<Item = &Queued> {
        self.queue.iter().skip(1)
    }

    /// Whether a run of this window computes or waits.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// A run and those compared with it.
    fn shown<'a>(&'a self, run: &'a RunSnapshot) -> Vec<&'a RunSnapshot> {
        let compared = self
            .runs
            .iter()
            .filter(|other| other.folder != run.folder && self.compared.contains(&other.folder));
        std::iter::once(run).chain(compared).collect()
    }

    /// The key of a run's charts: they are drawn again when it changes.
    pub fn chart_key(&self, run: &RunSnapshot) -> ChartKey {
        let shown = self.shown(run).into_iter();
        ChartKey {
            runs: shown
                .map(|run| (run.folder.clone(), run.revision))
                .collect(),
            x: self.x,
            smoothing: self.smoothing,
        }
    }

    /// The charts of a run, and of those compared with it.
    pub fn chart(&self, run: &RunSnapshot) -> Chart {
        let shown = self.shown(run);
        let names: Vec<String> = shown.iter().map(|run| run.name()).collect();
        let guards: Vec<_> = shown.iter().map(|run| run.curves()).collect();
        let curves: Vec<(&str, &Curves)> = names
            .iter()
            .map(String::as_str)
            .zip(guards.iter().map(|curves| &**curves))
            .collect();
        canopy_train::chart(&curves, self.x, self.smoothing)
    }
}
