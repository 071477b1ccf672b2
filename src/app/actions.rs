//! The table of actions: every command that is in a menu or has a key.

use super::aligning::AlignCommand;
use super::command::{Command, Group, HelpPage, Key, Page, Scope, Shortcut};
use super::document::DocumentCommand;
use super::document::alternatives::AlternativesCommand;
use super::document::checking::CheckCommand;
use super::document::editing::{EditCommand, GoCommand};
use super::document::merging::MergeCommand;
use super::document::saving::SaveCommand;
use super::document::segments::SegmentsCommand;
use super::document::terms::TermsCommand;
use super::explorer::ExploreCommand;
use super::find::FindCommand;
use super::models::{GettingCommand, ModelsCommand};
use super::project::ProjectCommand;
use super::window::WindowCommand;
use canopy_corpus::Column;

/// A command without parameters of its own: one line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The command that it gives.
    pub command: Command,
    /// The menu that it is in.
    pub group: Group,
    /// Its name in menus and in the list of shortcuts.
    pub label: &'static str,
    /// The keys for it, if it has any.
    pub shortcut: Option<Shortcut>,
    /// Whether a menu has a line above it.
    pub begins_part: bool,
}

/// An action that is at the head of a part of its menu.
const fn part(mut action: Action) -> Action {
    action.begins_part = true;
    action
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
        begins_part: false,
    }
}

/// Commands of the panels of the document, as the table writes them.
macro_rules! panels {
    ($($name:ident: $variant:ident($command:ident),)*) => {$(
        const fn $name(command: $command) -> Command {
            Command::Document(DocumentCommand::$variant(command))
        }
    )*};
}

panels! {
    go: Go(GoCommand),
    edit: Edit(EditCommand),
    save: Save(SaveCommand),
    find: Find(FindCommand),
    terms: Terms(TermsCommand),
    segments: Segments(SegmentsCommand),
    alternatives: Alternatives(AlternativesCommand),
    check: Check(CheckCommand),
    merge: Merge(MergeCommand),
}

/// All actions, in the order of the menus.
pub static ACTIONS: &[Action] = {
    use AlignCommand as A;
    use Command as C;
    use ExploreCommand as E;
    use FindCommand as F;
    use Group::{
        Align, Alternatives, Edit, Editor, Explore, File, Go, Help, Matches, Translate, View,
    };
    use Key::{
        Comma, Delete, Down, End, Enter, Escape, F1, F3, F7, F8, F9, Home, Insert, Left, Letter,
        Minus, PageDown, PageUp, Plus, Right, Up,
    };
    &[
        action(
            File,
            "Open…",
            Some(Shortcut::command(Letter('O'))),
            C::Window(WindowCommand::Open),
        ),
        part(action(
            File,
            "Save translation",
            Some(Shortcut::command(Letter('S'))),
            save(SaveCommand::Save),
        )),
        action(
            File,
            "Save translation as…",
            Some(Shortcut::command_shift(Letter('S'))),
            save(SaveCommand::SaveAs),
        ),
        action(
            File,
            "Merge changes from XLIFF…",
            None,
            merge(MergeCommand::Choose),
        ),
        action(
            File,
            "Close document",
            Some(Shortcut::command(Letter('W'))),
            C::Document(DocumentCommand::Close),
        ),
        part(action(
            File,
            "New project…",
            None,
            C::Project(ProjectCommand::New),
        )),
        action(
            File,
            "Open project…",
            Some(Shortcut::command_shift(Letter('O'))),
            C::Project(ProjectCommand::Choose),
        ),
        action(File, "Align two documents…", None, C::Align(A::Show)),
        part(action(
            File,
            "Quit",
            Some(Shortcut::command(Letter('Q'))),
            C::Window(WindowCommand::Quit),
        )),
        action(
            Edit,
            "Undo",
            Some(Shortcut::command(Letter('Z'))),
            edit(EditCommand::Undo),
        ),
        action(
            Edit,
            "Redo",
            Some(Shortcut::command_shift(Letter('Z'))),
            edit(EditCommand::Redo),
        ),
        part(action(
            Edit,
            "Find and replace…",
            Some(Shortcut::command(Letter('F'))),
            find(F::Open),
        )),
        action(Edit, "Find next", Some(Shortcut::plain(F3)), find(F::Next)),
        action(
            Edit,
            "Find previous",
            Some(Shortcut::shift(F3)),
            find(F::Previous),
        ),
        part(action(
            Edit,
            "Edit sentence",
            Some(Shortcut::plain(Enter)),
            edit(EditCommand::StartSelected),
        )),
        action(
            Edit,
            "Confirm and go to next",
            Some(Shortcut::command(Letter('D'))),
            edit(EditCommand::Confirm),
        ),
        action(
            Edit,
            "Use best match",
            Some(Shortcut::command_alt(Letter('1'))),
            C::Document(DocumentCommand::UseMatch(0)),
        ),
        action(
            Edit,
            "Copy source to target",
            Some(Shortcut::command(Insert)),
            edit(EditCommand::CopySourceSelected),
        ),
        action(
            Edit,
            "Clear translation",
            Some(Shortcut::command(Delete)),
            edit(EditCommand::ClearSelected),
        ),
        part(action(
            Edit,
            "Insert next term",
            Some(Shortcut::command(Letter('I'))),
            terms(TermsCommand::InsertNext),
        )),
        action(
            Edit,
            "Add term…",
            Some(Shortcut::command(Letter('K'))),
            terms(TermsCommand::New),
        ),
        part(action(
            Edit,
            "Split sentence at the caret",
            Some(Shortcut::command(Letter('B'))),
            segments(SegmentsCommand::Split),
        )),
        action(
            Edit,
            "Join with the next sentence",
            Some(Shortcut::command_shift(Letter('B'))),
            segments(SegmentsCommand::Join),
        ),
        action(
            Edit,
            "Caret to the next word",
            Some(Shortcut::plain(Right)),
            segments(SegmentsCommand::NextWord),
        ),
        action(
            Edit,
            "Caret to the previous word",
            Some(Shortcut::plain(Left)),
            segments(SegmentsCommand::PreviousWord),
        ),
        part(action(
            Edit,
            "Apply suggested fix",
            Some(Shortcut::command(Letter('R'))),
            check(CheckCommand::RepairSelected),
        )),
        action(
            Go,
            "Go to sentence…",
            Some(Shortcut::command(Letter('G'))),
            go(GoCommand::AskForNumber(true)),
        ),
        action(
            Go,
            "Next sentence",
            Some(Shortcut::plain(Down)),
            go(GoCommand::Next),
        ),
        action(
            Go,
            "Previous sentence",
            Some(Shortcut::plain(Up)),
            go(GoCommand::Previous),
        ),
        part(action(
            Go,
            "Page down",
            Some(Shortcut::plain(PageDown)),
            go(GoCommand::PageDown),
        )),
        action(
            Go,
            "Page up",
            Some(Shortcut::plain(PageUp)),
            go(GoCommand::PageUp),
        ),
        action(
            Go,
            "First sentence",
            Some(Shortcut::command(Home)),
            go(GoCommand::First),
        ),
        action(
            Go,
            "Last sentence",
            Some(Shortcut::command(End)),
            go(GoCommand::Last),
        ),
        part(action(
            Go,
            "Next unconfirmed sentence",
            Some(Shortcut::command(Letter('J'))),
            go(GoCommand::NextUnconfirmed),
        )),
        action(
            Go,
            "Least certain draft",
            Some(Shortcut::command_shift(Letter('J'))),
            go(GoCommand::LeastSure),
        ),
        action(
            Go,
            "Next finding of the checks",
            Some(Shortcut::plain(F8)),
            check(CheckCommand::GoToNext),
        ),
        action(
            Translate,
            "Translate document",
            Some(Shortcut::command(Enter)),
            C::Document(DocumentCommand::Translate(Scope::Document)),
        ),
        action(
            Translate,
            "Translate section",
            Some(Shortcut::command_shift(Letter('T'))),
            C::Document(DocumentCommand::Translate(Scope::SelectedSection)),
        ),
        action(
            Translate,
            "Translate sentence",
            Some(Shortcut::command(Letter('T'))),
            C::Document(DocumentCommand::Translate(Scope::SelectedSentence)),
        ),
        part(action(
            Translate,
            "Alternatives of the sentence",
            Some(Shortcut::command(Letter('L'))),
            alternatives(AlternativesCommand::Find),
        )),
        part(action(
            Translate,
            "Retranslate drafts using my edits",
            Some(Shortcut::command(Letter('U'))),
            C::Document(DocumentCommand::UpdateRest),
        )),
        part(action(
            Translate,
            "Cancel",
            Some(Shortcut::plain(Escape)),
            C::Document(DocumentCommand::Cancel),
        )),
        action(
            Matches,
            "Use match 2",
            Some(Shortcut::command_alt(Letter('2'))),
            C::Document(DocumentCommand::UseMatch(1)),
        ),
        action(
            Matches,
            "Use match 3",
            Some(Shortcut::command_alt(Letter('3'))),
            C::Document(DocumentCommand::UseMatch(2)),
        ),
        action(
            Matches,
            "Use match 4",
            Some(Shortcut::command_alt(Letter('4'))),
            C::Document(DocumentCommand::UseMatch(3)),
        ),
        action(
            Matches,
            "Use match 5",
            Some(Shortcut::command_alt(Letter('5'))),
            C::Document(DocumentCommand::UseMatch(4)),
        ),
        action(
            Alternatives,
            "Use alternative 1",
            Some(Shortcut::alt(Letter('1'))),
            alternatives(AlternativesCommand::Use(0)),
        ),
        action(
            Alternatives,
            "Use alternative 2",
            Some(Shortcut::alt(Letter('2'))),
            alternatives(AlternativesCommand::Use(1)),
        ),
        action(
            Alternatives,
            "Use alternative 3",
            Some(Shortcut::alt(Letter('3'))),
            alternatives(AlternativesCommand::Use(2)),
        ),
        action(
            Alternatives,
            "Use alternative 4",
            Some(Shortcut::alt(Letter('4'))),
            alternatives(AlternativesCommand::Use(3)),
        ),
        action(
            Alternatives,
            "Use alternative 5",
            Some(Shortcut::alt(Letter('5'))),
            alternatives(AlternativesCommand::Use(4)),
        ),
        action(
            Alternatives,
            "Use alternative 6",
            Some(Shortcut::alt(Letter('6'))),
            alternatives(AlternativesCommand::Use(5)),
        ),
        action(
            Editor,
            "Save the edit",
            Some(Shortcut::plain(Enter)),
            edit(EditCommand::Keep),
        ),
        action(
            Editor,
            "Save, confirm and edit the next",
            Some(Shortcut::command(Enter)),
            edit(EditCommand::KeepAndConfirm),
        ),
        action(
            Editor,
            "Cancel the edit",
            Some(Shortcut::plain(Escape)),
            edit(EditCommand::Discard),
        ),
        action(
            Editor,
            "Insert next tag, or a pair around the selection",
            Some(Shortcut::command(Comma)),
            edit(EditCommand::InsertTag),
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
            Align,
            "Next row",
            Some(Shortcut::plain(Down)),
            C::Align(A::SelectNext),
        ),
        action(
            Align,
            "Previous row",
            Some(Shortcut::plain(Up)),
            C::Align(A::SelectPrevious),
        ),
        action(
            Align,
            "Source side",
            Some(Shortcut::plain(Left)),
            C::Align(A::SelectColumn(Column::Source)),
        ),
        action(
            Align,
            "Target side",
            Some(Shortcut::plain(Right)),
            C::Align(A::SelectColumn(Column::Target)),
        ),
        action(
            Align,
            "Next row to review",
            Some(Shortcut::command(Letter('J'))),
            C::Align(A::SelectNextOpen),
        ),
        action(
            Align,
            "Accept and next",
            Some(Shortcut::plain(Enter)),
            C::Align(A::ToggleRight),
        ),
        action(
            Align,
            "Leave out",
            Some(Shortcut::plain(Delete)),
            C::Align(A::ToggleLeftOut),
        ),
        action(
            Align,
            "Join with next",
            Some(Shortcut::plain(Letter('J'))),
            C::Align(A::Join),
        ),
        action(
            Align,
            "Split",
            Some(Shortcut::plain(Letter('S'))),
            C::Align(A::Split),
        ),
        action(
            Align,
            "Move first sentence up",
            Some(Shortcut::command(Up)),
            C::Align(A::MoveUp),
        ),
        action(
            Align,
            "Move last sentence down",
            Some(Shortcut::command(Down)),
            C::Align(A::MoveDown),
        ),
        action(
            Align,
            "Gap here",
            Some(Shortcut::plain(Letter('G'))),
            C::Align(A::PushDown),
        ),
        action(
            Align,
            "Close the gap",
            Some(Shortcut::plain(Letter('C'))),
            C::Align(A::PullUp),
        ),
        action(
            Align,
            "Align from here",
            Some(Shortcut::plain(Letter('A'))),
            C::Align(A::AlignAgain),
        ),
        action(
            Align,
            "Undo",
            Some(Shortcut::command(Letter('Z'))),
            C::Align(A::Undo),
        ),
        action(
            Align,
            "Redo",
            Some(Shortcut::command_shift(Letter('Z'))),
            C::Align(A::Redo),
        ),
        action(
            Align,
            "Save pairs…",
            Some(Shortcut::command(Letter('S'))),
            C::Align(A::SaveAs),
        ),
        action(
            View,
            "Document",
            Some(Shortcut::command(Letter('1'))),
            C::Window(WindowCommand::ShowPage(Page::Document)),
        ),
        action(
            View,
            "Explore",
            Some(Shortcut::command(Letter('2'))),
            C::Window(WindowCommand::ShowPage(Page::Explore)),
        ),
        action(
            View,
            "Training",
            Some(Shortcut::command(Letter('3'))),
            C::Window(WindowCommand::ShowPage(Page::Training)),
        ),
        action(
            View,
            "Evaluate",
            Some(Shortcut::command(Letter('4'))),
            C::Window(WindowCommand::ShowPage(Page::Evaluate)),
        ),
        action(
            View,
            "Models",
            Some(Shortcut::command(Letter('5'))),
            C::Window(WindowCommand::ShowPage(Page::Models)),
        ),
        action(
            View,
            "Project",
            Some(Shortcut::command(Letter('6'))),
            C::Window(WindowCommand::ShowPage(Page::Project)),
        ),
        action(
            View,
            "Align",
            Some(Shortcut::command(Letter('7'))),
            C::Window(WindowCommand::ShowPage(Page::Align)),
        ),
        part(action(
            View,
            "Outline",
            Some(Shortcut::plain(F9)),
            C::Document(DocumentCommand::ToggleOutline),
        )),
        action(
            View,
            "Checks",
            Some(Shortcut::plain(F7)),
            check(CheckCommand::ToggleList),
        ),
        action(
            View,
            "Translation memory matches",
            Some(Shortcut::command(Letter('M'))),
            C::Document(DocumentCommand::ToggleSimilar),
        ),
        action(
            View,
            "History of the sentence",
            Some(Shortcut::command(Letter('H'))),
            C::Document(DocumentCommand::ToggleHistory),
        ),
        part(action(
            View,
            "Zoom in",
            Some(Shortcut::command(Plus)),
            C::Window(WindowCommand::ScaleUp),
        )),
        action(
            View,
            "Zoom out",
            Some(Shortcut::command(Minus)),
            C::Window(WindowCommand::ScaleDown),
        ),
        action(
            View,
            "Reset zoom",
            Some(Shortcut::command(Letter('0'))),
            C::Window(WindowCommand::ScaleToUsual),
        ),
        action(
            Help,
            "Guide",
            None,
            C::Window(WindowCommand::ShowHelp(Some(HelpPage::Guide))),
        ),
        action(
            Help,
            "Keyboard shortcuts",
            Some(Shortcut::plain(F1)),
            C::Window(WindowCommand::ToggleShortcuts),
        ),
        part(action(
            Help,
            "Get models…",
            None,
            C::Models(ModelsCommand::Get(GettingCommand::Open {
                from: None,
                to: None,
            })),
        )),
        part(action(
            Help,
            "Licences",
            None,
            C::Window(WindowCommand::ShowHelp(Some(HelpPage::Licences))),
        )),
        action(
            Help,
            "About Canopy",
            None,
            C::Window(WindowCommand::ShowHelp(Some(HelpPage::About))),
        ),
        action(
            Help,
            "Open data folder",
            None,
            C::Window(WindowCommand::ShowDataFolder),
        ),
    ]
};

/// The action of a command.
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
        use Group::{
            Align, Alternatives, Edit, Editor, Explore, File, Go, Help, Matches, Translate, View,
        };
        for together in [
            [File, View, Help, Edit, Go, Translate, Matches, Alternatives].as_slice(),
            &[Editor],
            &[File, View, Help, Explore],
            &[View, Help, Align],
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
