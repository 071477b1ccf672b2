//! Everything that a user can do.

use derive_more::From;

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
#[derive(Debug, Clone, PartialEq, From)]
pub enum Command {
    /// A command of the window itself.
    Window(WindowCommand),
    /// A command of the page of the document.
    Document(DocumentCommand),
    /// A command of the explorer.
    Explore(ExploreCommand),
    /// A command of the page of trainings.
    Training(TrainingCommand),
    /// A command of the page of evaluations.
    Evaluate(EvaluateCommand),
    /// A command of the page of models.
    Models(ModelsCommand),
    /// A command on a project.
    Project(ProjectCommand),
    /// A command of the page of alignments.
    Align(AlignCommand),
}

/// A page of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// The open document and its translation.
    #[default]
    Document,
    /// The explorer of traces.
    Explore,
    /// Runs and corpora.
    Training,
    /// Evaluations of models.
    Evaluate,
    /// Installed models and those of catalogues.
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
    /// The user's guide.
    Guide,
    /// The program and its version.
    About,
    /// The licences of the program and of what it is built from.
    Licences,
}

/// How much to translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole document.
    Document,
    /// The section of this index.
    Section(usize),
    /// The section of the selected sentence.
    SelectedSection,
    /// The sentence of this index.
    Sentence(usize),
    /// The selected sentence.
    SelectedSentence,
}

/// A key as the table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A letter or digit, in upper case.
    Letter(char),
    /// The Enter key.
    Enter,
    /// The Escape key.
    Escape,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The Delete key.
    Delete,
    /// The Insert key.
    Insert,
    /// The Home key.
    Home,
    /// The End key.
    End,
    /// The Page Up key.
    PageUp,
    /// The Page Down key.
    PageDown,
    /// The plus sign.
    Plus,
    /// The minus sign.
    Minus,
    /// The comma.
    Comma,
    /// The F1 key.
    F1,
    /// The F3 key.
    F3,
    /// The F7 key.
    F7,
    /// The F8 key.
    F8,
    /// The F9 key.
    F9,
}

/// A key with modifiers; `command` is Ctrl, on macOS ⌘, `alt` there ⌥.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// Whether Ctrl is held, on macOS ⌘.
    pub command: bool,
    /// Whether Shift is held.
    pub shift: bool,
    /// Whether Alt is held, on macOS ⌥.
    pub alt: bool,
    /// The key itself.
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
    /// Documents, projects and the program.
    File,
    /// Changes of translations.
    Edit,
    /// Ways through the document, a menu within that of edits.
    Go,
    /// Translations by the model.
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
    /// Pages, panels and appearance.
    View,
    /// The guide, shortcuts and licences.
    Help,
}

impl Group {
    /// All groups, in the order of the list of shortcuts.
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

    /// The heading of the group.
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
