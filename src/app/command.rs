//! Everything a person can ask for, with its label and shortcut in one table.

use std::path::PathBuf;

use super::evaluating::EvaluateCommand;
use super::explorer::ExploreCommand;
use super::find::FindCommand;
use super::settings::Theme;
use super::terms::TermsCommand;
use super::training::TrainingCommand;
use crate::inference::DeviceChoice;
use crate::text::document::SubtitleLayout;
use crate::text::export::ExportFormat;

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
    /// Leaves that where it is and asks no more.
    LeaveElsewhere,
    /// Asks for a place.
    SaveAs,
    /// Writes the translation of a document, if that is still open.
    SaveTo {
        document: PathBuf,
        path: PathBuf,
        /// Whether what is there may be replaced; the dialog has asked.
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
    Translate(Scope),
    /// Translates the drafts again, with what was edited or confirmed as their context.
    UpdateRest,
    Cancel,
    Select(usize),
    SelectNext,
    SelectPrevious,
    /// The next sentence that is not confirmed.
    SelectNextOpen,
    ScrollTo(usize),
    /// The sentences now in view, which are translated first.
    Visible(usize),
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
    /// Confirms the selected sentence, also one that is confirmed, and goes on.
    Confirm,
    /// Confirms a sentence, or takes that back, and stays there.
    ToggleConfirmed(usize),
    /// Empties the target of a sentence, so that it can be translated anew.
    Clear(usize),
    ClearSelected,
    CopySource(usize),
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
    /// Takes over what stands there, or nothing.
    UseMemory(Option<PathBuf>),
    LearnFromMemory(bool),
    Terms(TermsCommand),
    SetDevice(DeviceChoice),
    SetBeamSize(usize),
    SetSubtitleLayout(SubtitleLayout),
    SetTheme(Theme),
    ShowShortcuts(bool),
    ToggleShortcuts,
    ToggleOutline,
    ToggleSimilar,
    DismissNotice(u64),
    ShowPage(Page),
    Training(TrainingCommand),
    Explore(ExploreCommand),
    Evaluate(EvaluateCommand),
}

/// A page of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    #[default]
    Document,
    Explore,
    Training,
    Evaluate,
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
    F1,
    F9,
}

/// A key with modifiers; `command` is Ctrl, on macOS ⌘.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortcut {
    pub command: bool,
    pub shift: bool,
    pub key: Key,
}

impl Shortcut {
    const fn plain(key: Key) -> Self {
        Self {
            command: false,
            shift: false,
            key,
        }
    }

    const fn command(key: Key) -> Self {
        Self {
            command: true,
            shift: false,
            key,
        }
    }

    const fn command_shift(key: Key) -> Self {
        Self {
            command: true,
            shift: true,
            key,
        }
    }
}

/// Where an action stands in menus and in the list of shortcuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    File,
    Edit,
    Translate,
    /// Only while a target sentence is in the editor.
    Editor,
    /// On the page of traces.
    Explore,
    View,
}

impl Group {
    pub const ALL: [Self; 6] = [
        Self::File,
        Self::Edit,
        Self::Translate,
        Self::Editor,
        Self::Explore,
        Self::View,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Translate => "Translate",
            Self::Editor => "While editing a sentence",
            Self::Explore => "While exploring",
            Self::View => "View",
        }
    }
}

/// A command without parameters of its own: one line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub command: Command,
    pub group: Group,
    pub label: &'static str,
    pub shortcut: Option<Shortcut>,
}

const fn action(
    group: Group,
    label: &'static str,
    shortcut: Option<Shortcut>,
    command: Command,
) -> Action {
    Action {
        command,
        group,
        label,
        shortcut,
    }
}

/// All actions, in the order of the menus.
pub static ACTIONS: &[Action] = {
    use Command as C;
    use ExploreCommand as E;
    use FindCommand as F;
    use Group::{Edit, Editor, Explore, File, Translate, View};
    use Key::{Delete, Down, Enter, Escape, F1, F9, Left, Letter, Right, Up};
    &[
        action(File, "Open…", Some(Shortcut::command(Letter('O'))), C::Open),
        action(
            File,
            "Save translation as…",
            Some(Shortcut::command(Letter('S'))),
            C::SaveAs,
        ),
        action(
            File,
            "Close document",
            Some(Shortcut::command(Letter('W'))),
            C::CloseDocument,
        ),
        action(
            File,
            "Try a sample run",
            None,
            C::Training(TrainingCommand::TrySample),
        ),
        action(File, "Quit", Some(Shortcut::command(Letter('Q'))), C::Quit),
        action(Edit, "Undo", Some(Shortcut::command(Letter('Z'))), C::Undo),
        action(
            Edit,
            "Redo",
            Some(Shortcut::command_shift(Letter('Z'))),
            C::Redo,
        ),
        action(
            Edit,
            "Find and replace…",
            Some(Shortcut::command(Letter('F'))),
            C::Find(F::Open),
        ),
        action(
            Edit,
            "Find next",
            Some(Shortcut::command(Letter('G'))),
            C::Find(F::Next),
        ),
        action(
            Edit,
            "Find previous",
            Some(Shortcut::command_shift(Letter('G'))),
            C::Find(F::Previous),
        ),
        action(Edit, "Edit sentence", Some(Shortcut::plain(Enter)), C::Edit),
        action(
            Edit,
            "Confirm and go on",
            Some(Shortcut::command(Letter('D'))),
            C::Confirm,
        ),
        action(
            Edit,
            "Clear translation",
            Some(Shortcut::command(Delete)),
            C::ClearSelected,
        ),
        action(
            Edit,
            "Insert next term",
            Some(Shortcut::command(Letter('I'))),
            C::Terms(TermsCommand::InsertNext),
        ),
        action(
            Edit,
            "Add term…",
            Some(Shortcut::command(Letter('K'))),
            C::Terms(TermsCommand::New),
        ),
        action(
            Edit,
            "Next sentence",
            Some(Shortcut::plain(Down)),
            C::SelectNext,
        ),
        action(
            Edit,
            "Previous sentence",
            Some(Shortcut::plain(Up)),
            C::SelectPrevious,
        ),
        action(
            Edit,
            "Next unconfirmed sentence",
            Some(Shortcut::command(Letter('J'))),
            C::SelectNextOpen,
        ),
        action(
            Translate,
            "Translate document",
            Some(Shortcut::command(Enter)),
            C::Translate(Scope::Document),
        ),
        action(
            Translate,
            "Translate section",
            Some(Shortcut::command_shift(Letter('T'))),
            C::Translate(Scope::SelectedSection),
        ),
        action(
            Translate,
            "Translate sentence",
            Some(Shortcut::command(Letter('T'))),
            C::Translate(Scope::SelectedSentence),
        ),
        action(
            Translate,
            "Update the rest",
            Some(Shortcut::command(Letter('U'))),
            C::UpdateRest,
        ),
        action(
            Translate,
            "Cancel",
            Some(Shortcut::plain(Escape)),
            C::Cancel,
        ),
        action(
            Editor,
            "Keep the edit",
            Some(Shortcut::plain(Enter)),
            C::KeepEdit,
        ),
        action(
            Editor,
            "Keep, confirm and edit the next",
            Some(Shortcut::command(Enter)),
            C::KeepEditAndConfirm,
        ),
        action(
            Editor,
            "Discard the edit",
            Some(Shortcut::plain(Escape)),
            C::DiscardEdit,
        ),
        action(
            Explore,
            "Next word",
            Some(Shortcut::plain(Right)),
            C::Explore(E::NextWord),
        ),
        action(
            Explore,
            "Previous word",
            Some(Shortcut::plain(Left)),
            C::Explore(E::PreviousWord),
        ),
        action(
            Explore,
            "Next sentence",
            Some(Shortcut::plain(Down)),
            C::Explore(E::NextSentence),
        ),
        action(
            Explore,
            "Previous sentence",
            Some(Shortcut::plain(Up)),
            C::Explore(E::PreviousSentence),
        ),
        action(
            Explore,
            "All words of the sentence",
            Some(Shortcut::plain(Enter)),
            C::Explore(E::SelectWholeSentence),
        ),
        action(
            Explore,
            "Back",
            Some(Shortcut::plain(Escape)),
            C::Explore(E::Back),
        ),
        action(
            View,
            "Document",
            Some(Shortcut::command(Letter('1'))),
            C::ShowPage(Page::Document),
        ),
        action(
            View,
            "Explore",
            Some(Shortcut::command(Letter('2'))),
            C::ShowPage(Page::Explore),
        ),
        action(
            View,
            "Training",
            Some(Shortcut::command(Letter('3'))),
            C::ShowPage(Page::Training),
        ),
        action(
            View,
            "Evaluate",
            Some(Shortcut::command(Letter('4'))),
            C::ShowPage(Page::Evaluate),
        ),
        action(View, "Outline", Some(Shortcut::plain(F9)), C::ToggleOutline),
        action(
            View,
            "Similar sentences",
            Some(Shortcut::command(Letter('M'))),
            C::ToggleSimilar,
        ),
        action(
            View,
            "Keyboard shortcuts",
            Some(Shortcut::plain(F1)),
            C::ToggleShortcuts,
        ),
    ]
};

/// The action that carries out a command.
pub fn action_for(command: &Command) -> Option<&'static Action> {
    ACTIONS.iter().find(|action| action.command == *command)
}

/// The label of a command of the table.
pub fn label_of(command: &Command) -> &'static str {
    action_for(command).map_or("", |action| action.label)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_shortcut_means_two_things() {
        use Group::{Edit, Editor, Explore, File, Translate, View};
        for together in [
            [File, View, Edit, Translate].as_slice(),
            &[Editor],
            &[File, View, Explore],
        ] {
            let mut seen = HashSet::new();
            let actions = ACTIONS.iter();
            for action in actions.filter(|action| together.contains(&action.group)) {
                assert!(
                    action.shortcut.is_none_or(|shortcut| seen.insert(shortcut)),
                    "{}",
                    action.label
                );
            }
        }
    }
}
