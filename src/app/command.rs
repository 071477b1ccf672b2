//! Everything that a user can do.

use std::ops::Range;
use std::path::PathBuf;

use super::aligning::AlignCommand;
use super::document::alternatives::AlternativesCommand;
use super::document::checking::CheckCommand;
use super::document::language_model::LanguageModelCommand;
use super::document::merging::MergeCommand;
use super::document::segments::SegmentsCommand;
use super::document::terms::TermsCommand;
use super::evaluating::EvaluateCommand;
use super::explorer::ExploreCommand;
use super::find::FindCommand;
use super::machines::MachineCommand;
use super::models::ModelsCommand;
use super::project::ProjectCommand;
use super::settings::Theme;
use super::training::TrainingCommand;
use canopy_document::document::{ReadingOptions, SubtitleLayout};
use canopy_document::export::ExportFormat;
use canopy_project::Filter;
use canopy_translate::inference::{AddressChoice, DeviceChoice};

/// An action of the user, from a menu, a key or a button.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Asks for a file.
    Open,
    OpenPath(PathBuf),
    /// Files and folders that were dropped together.
    Drop(Vec<PathBuf>),
    CloseDocument,
    /// Takes over what was done on the document when it had another name.
    TakeOver,
    /// Leaves it where it is and does not ask again.
    LeaveMovedWork,
    /// Writes the translation where it was written last, or asks where.
    Save,
    /// Asks where.
    SaveAs,
    /// Writes the translation of a document, if that is still open.
    SaveTo {
        document: PathBuf,
        path: PathBuf,
        /// Whether an existing file may be replaced; the dialog has asked.
        overwrite: bool,
    },
    /// Asks where sentences with their translations shall go.
    Export(ExportFormat),
    /// Writes them there.
    ExportTo {
        document: PathBuf,
        path: PathBuf,
        format: ExportFormat,
        overwrite: bool,
    },
    Quit,
    /// Shows a folder in the system's file manager.
    ShowFolder(PathBuf),
    /// Shows the folder of work, models and the log.
    ShowDataFolder,
    Translate(Scope),
    /// Translates the drafts again, with what was edited or confirmed as their context.
    UpdateRest,
    Cancel,
    /// Shows the sentences that a filter lets through; without one all.
    Filter(Option<Filter>),
    /// Opens or closes the field for the number of a sentence.
    AskForSentence(bool),
    /// Goes to the sentence of this number, the first being 1.
    GoToNumber(usize),
    /// Shows a page of help over the window, or none.
    ShowHelp(Option<HelpPage>),
    Select(usize),
    SelectNext,
    SelectPrevious,
    SelectFirst,
    SelectLast,
    /// As many sentences further as are in view.
    PageDown,
    PageUp,
    /// The next sentence that is not confirmed.
    SelectNextOpen,
    /// The draft of which the model is least sure, then the next one in that order.
    SelectLeastSure,
    ScrollTo(usize),
    /// The sentences now in view, which are translated first.
    Visible(Range<usize>),
    /// Opens the editor on the selected sentence.
    Edit,
    EditSentence(usize),
    /// Opens the editor on the selected sentence with this translation.
    EditWith(String),
    /// The editor's text, as it changes.
    Editing(String),
    KeepEdit,
    KeepEditAndConfirm,
    RepairEdit,
    DiscardEdit,
    /// Writes the next tag that the translation lacks where the caret is, or a pair around what is selected.
    InsertTag,
    /// Confirms the selected sentence, also one that is confirmed, and selects the next one.
    Confirm,
    /// Confirms a sentence, or takes that back, and stays there.
    ToggleConfirmed(usize),
    /// Empties the target of a sentence, so that it can be translated anew.
    Clear(usize),
    ClearSelected,
    CopySource(usize),
    CopySourceSelected,
    /// Edits the selected sentence with a translation of similar sentences, the best being 0.
    UseMatch(usize),
    Undo,
    Redo,
    Find(FindCommand),
    /// Asks for a model folder.
    ChooseModel,
    OpenModel(PathBuf),
    /// Asks for a file of translations.
    ChooseMemory,
    /// Asks for a corpus or a folder of PO files.
    ChooseMemoryFolder,
    /// Takes over the existing work, or nothing.
    UseMemory(Option<PathBuf>),
    /// Looks up a memory after the first one, with a penalty in per cent; `None` removes it from the list.
    UseFurtherMemory(PathBuf, Option<u8>),
    LearnFromMemory(bool),
    Terms(TermsCommand),
    SetDevice(DeviceChoice),
    SetBeamSize(usize),
    SetAddress(Option<AddressChoice>),
    SetSubtitleLayout(SubtitleLayout),
    Segments(SegmentsCommand),
    /// Reads the open document once more in this way.
    ReadAs(ReadingOptions),
    SetTheme(Theme),
    /// Draws everything one step larger.
    ScaleUp,
    ScaleDown,
    ScaleToUsual,
    ShowShortcuts(bool),
    ToggleShortcuts,
    ToggleOutline,
    ToggleSimilar,
    ToggleHistory,
    Alternatives(AlternativesCommand),
    /// Puts a text that a sentence has had in place of its translation.
    UseVersion {
        sentence: usize,
        version: usize,
    },
    DismissNotice(u64),
    ShowPage(Page),
    Training(TrainingCommand),
    Explore(ExploreCommand),
    Evaluate(EvaluateCommand),
    Models(ModelsCommand),
    Check(CheckCommand),
    LanguageModel(LanguageModelCommand),
    Machine(MachineCommand),
    Project(ProjectCommand),
    Merge(MergeCommand),
    Align(AlignCommand),
}

/// A page of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    #[default]
    Document,
    Explore,
    Training,
    Evaluate,
    Models,
    /// Only while a project is open.
    Project,
    /// Only while documents are being aligned.
    Align,
}

impl Page {
    /// In their order in the window.
    pub const ALL: [Self; 7] = [
        Self::Document,
        Self::Explore,
        Self::Training,
        Self::Evaluate,
        Self::Models,
        Self::Project,
        Self::Align,
    ];
}

/// A page of help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpPage {
    Guide,
    About,
    Licences,
}

/// How much to translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Document,
    Section(usize),
    /// The section of the selected sentence.
    SelectedSection,
    Sentence(usize),
    SelectedSentence,
}

/// A key as the table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Letter(char),
    Enter,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Delete,
    Insert,
    Home,
    End,
    PageUp,
    PageDown,
    Plus,
    Minus,
    Comma,
    F1,
    F3,
    F7,
    F8,
    F9,
}

/// A key with modifiers; `command` is Ctrl, on macOS ⌘, `alt` there ⌥.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortcut {
    pub command: bool,
    pub shift: bool,
    pub alt: bool,
    pub key: Key,
}

impl Shortcut {
    pub(super) const fn plain(key: Key) -> Self {
        Self {
            command: false,
            shift: false,
            alt: false,
            key,
        }
    }

    pub(super) const fn shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn command(key: Key) -> Self {
        Self {
            command: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn command_shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::command(key)
        }
    }

    pub(super) const fn alt(key: Key) -> Self {
        Self {
            alt: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn command_alt(key: Key) -> Self {
        Self {
            alt: true,
            ..Self::command(key)
        }
    }
}

/// The place of an action in menus and in the list of shortcuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    File,
    Edit,
    /// Ways through the document, a menu within that of edits.
    Go,
    Translate,
    /// The second and further matches of the memory; the list of shortcuts alone has them.
    Matches,
    /// Alternatives that are listed, likewise.
    Alternatives,
    /// Only while a target sentence is in the editor.
    Editor,
    /// On the page of traces.
    Explore,
    /// On the page of alignments.
    Align,
    View,
    Help,
}

impl Group {
    pub const ALL: [Self; 11] = [
        Self::File,
        Self::Edit,
        Self::Go,
        Self::Translate,
        Self::Matches,
        Self::Alternatives,
        Self::Editor,
        Self::Explore,
        Self::Align,
        Self::View,
        Self::Help,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Go => "Go to",
            Self::Translate => "Translate",
            Self::Matches => "Translation memory matches",
            Self::Alternatives => "Alternatives of the sentence",
            Self::Editor => "While editing a sentence",
            Self::Explore => "While exploring",
            Self::Align => "While aligning",
            Self::View => "View",
            Self::Help => "Help",
        }
    }
}
