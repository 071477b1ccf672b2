//! The training page without widgets: its runs, its corpora, the forms for new ones, the sample run.

mod bert;
mod commands;
mod corpus;
mod differences;
mod events;
mod facts;
mod forms;
mod new_run;
mod runs;
mod sample;
mod surveying;

use std::path::PathBuf;

pub use corpus::{CorpusSource, ImportState, NewCorpus, Side, SurveyState};
pub use differences::{Difference, differences};
pub use events::RunEvent;
pub use facts::{Corpora, CorpusFacts, ENOUGH_PAIRS};
pub use new_run::{NewRun, Probe, Problem, Start};
pub use runs::{ChartKey, Queued, Runs};
pub use sample::{NounScores, Sample, SampleStage};

use canopy_chart::charts::XAxis;
use canopy_train::Order;

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
    /// Gives an order to all runs of this window.
    OrderAll(Order),
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

/// Everything the training page shows.
#[derive(Debug, Default)]
pub struct Training {
    pub runs: Runs,
    pub corpora: Corpora,
    pub form: Option<NewRun>,
    /// When the form was changed last.
    form_changed_secs: f64,
    pub corpus_form: Option<NewCorpus>,
    /// The sample run, from its beginning until it is closed.
    pub sample: Option<Sample>,
}
