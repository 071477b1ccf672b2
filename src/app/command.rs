//! Everything that a user can do.

use super::aligning::AlignCommand;
use super::document::DocumentCommand;
use super::evaluating::EvaluateCommand;
use super::explorer::ExploreCommand;
use super::models::ModelsCommand;
use super::project::ProjectCommand;
use super::training::TrainingCommand;
use super::window::WindowCommand;

/// An action of the user, from a menu, a key or a button: of the window itself, or of one of its pages, which has its commands
/// in a folder of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Window(WindowCommand),
    Document(DocumentCommand),
    Explore(ExploreCommand),
    Training(TrainingCommand),
    Evaluate(EvaluateCommand),
    Models(ModelsCommand),
    Project(ProjectCommand),
    Align(AlignCommand),
}

macro_rules! pages {
    ($($variant:ident($command:ident),)*) => {$(
        impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::$variant(command)
            }
        }
    )*};
}

pages! {
    Window(WindowCommand),
    Document(DocumentCommand),
    Explore(ExploreCommand),
    Training(TrainingCommand),
    Evaluate(EvaluateCommand),
    Models(ModelsCommand),
    Project(ProjectCommand),
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
