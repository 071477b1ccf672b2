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
    /// Changes the form.
    Fill(Box<NewRun>),
    /// The run of the form improves this model.
    Improve(PathBuf),
    /// Closes the form.
    CloseForm,
    /// Measures memory and time of what the form says.
    Probe,
    /// Begins what the form says, after the runs that wait.
    Start,
    /// Opens the form of a corpus.
    NewCorpus,
    /// Changes the form of the corpus.
    FillCorpus(Box<NewCorpus>),
    /// Closes the form of the corpus.
    CloseCorpus,
    /// Asks for a folder or file of the corpus to be made.
    ChooseSide(Side),
    /// Takes a folder or file for a part of the corpus to be made.
    UseSide(Side, PathBuf),
    /// Looks once more at what it is to be made of, in the languages of the form.
    LookAgain,
    /// Stops looking at what the corpus is to be made of.
    StopLooking,
    /// Exchanges source and target.
    SwapSides,
    /// Makes the corpus of the form.
    MakeCorpus,
    /// Asks for the folder of a corpus.
    ChooseCorpus,
    /// Trains on the corpus in this folder.
    UseCorpus(PathBuf),
    /// Asks for the folder of an imported BERT.
    ChooseBert,
    /// Begins with the imported BERT in this folder.
    UseBert(PathBuf),
    /// Asks for a file of contexts.
    ChooseContexts,
    /// Takes contexts from this file.
    UseContexts(PathBuf),
    /// Asks for translations to remember along with the training pairs.
    ChooseMemory,
    /// Remembers these translations along with the training pairs.
    UseMemory(PathBuf),
    /// Asks for a contrastive set that the run is scored on.
    ChooseContrastiveSet,
    /// Scores the run on this contrastive set.
    UseContrastiveSet(PathBuf),
    /// Asks for the folder of a run outside the data folder.
    ChooseRun,
    /// Follows the run in this folder, and looks at it.
    Follow(PathBuf),
    /// Looks at the run in this folder.
    Select(PathBuf),
    /// Draws a run over the selected one, or removes it from there.
    Compare(PathBuf, bool),
    /// Gives an order to a run.
    Order(PathBuf, Order),
    /// Gives an order to all runs of this window.
    OrderAll(Order),
    /// Goes on with a run that has ended.
    GoOn(PathBuf),
    /// A form whose run begins with this one's best model.
    Continue(PathBuf),
    /// Gives a run another name.
    Rename(PathBuf, String),
    /// Asks whether to delete a run.
    AskTrash(PathBuf),
    /// Moves a run to the trash.
    Trash(PathBuf),
    /// Leaves the run whose deletion was asked about.
    KeepRun,
    /// Brings the run that was deleted last back.
    Restore,
    /// Asks where.
    Export(PathBuf),
    /// Writes the model of a run, the first path, to the second.
    ExportTo(PathBuf, PathBuf),
    /// Makes its model the one that the program begins with.
    Promote(PathBuf),
    /// Shows the table of runs, or the curves.
    ShowTable(bool),
    /// Sets the axis of the curves.
    SetAxis(XAxis),
    /// Sets the weight of the past in the thick curves, in `[0, 1)`.
    SetSmoothing(f64),
    /// Asks for a file for the charts, of this ending.
    AskSaveChart(&'static str),
    /// Writes the charts to this file.
    SaveChart(PathBuf),
}

/// Everything the training page shows.
#[derive(Debug, Default)]
pub struct Training {
    /// The runs.
    pub runs: Runs,
    /// The corpora.
    pub corpora: Corpora,
    /// The form of a run, if it is open.
    pub form: Option<NewRun>,
    /// When the form was changed last.
    form_changed_secs: f64,
    /// The form of a corpus, if it is open.
    pub corpus_form: Option<NewCorpus>,
    /// The sample run, from its beginning until it is closed.
    pub sample: Option<Sample>,
}
