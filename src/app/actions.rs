//! The table of actions: every command that is in a menu or has a key.

use super::aligning::AlignCommand;
use super::command::{Command, Group, HelpPage, Key, Page, Scope, Shortcut};
use super::document::alternatives::AlternativesCommand;
use super::document::checking::CheckCommand;
use super::document::merging::MergeCommand;
use super::document::segments::SegmentsCommand;
use super::document::terms::TermsCommand;
use super::explorer::ExploreCommand;
use super::find::FindCommand;
use super::models::{GettingCommand, ModelsCommand};
use super::project::ProjectCommand;
use canopy_corpus::Column;

/// A command without parameters of its own: one line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub command: Command,
    pub group: Group,
    pub label: &'static str,
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
        action(File, "Open…", Some(Shortcut::command(Letter('O'))), C::Open),
        part(action(
            File,
            "Save translation",
            Some(Shortcut::command(Letter('S'))),
            C::Save,
        )),
        action(
            File,
            "Save translation as…",
            Some(Shortcut::command_shift(Letter('S'))),
            C::SaveAs,
        ),
        action(
            File,
            "Merge changes from XLIFF…",
            None,
            C::Merge(MergeCommand::Choose),
        ),
        action(
            File,
            "Close document",
            Some(Shortcut::command(Letter('W'))),
            C::CloseDocument,
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
            C::Quit,
        )),
        action(Edit, "Undo", Some(Shortcut::command(Letter('Z'))), C::Undo),
        action(
            Edit,
            "Redo",
            Some(Shortcut::command_shift(Letter('Z'))),
            C::Redo,
        ),
        part(action(
            Edit,
            "Find and replace…",
            Some(Shortcut::command(Letter('F'))),
            C::Find(F::Open),
        )),
        action(
            Edit,
            "Find next",
            Some(Shortcut::plain(F3)),
            C::Find(F::Next),
        ),
        action(
            Edit,
            "Find previous",
            Some(Shortcut::shift(F3)),
            C::Find(F::Previous),
        ),
        part(action(
            Edit,
            "Edit sentence",
            Some(Shortcut::plain(Enter)),
            C::Edit,
        )),
        action(
            Edit,
            "Confirm and go to next",
            Some(Shortcut::command(Letter('D'))),
            C::Confirm,
        ),
        action(
            Edit,
            "Use best match",
            Some(Shortcut::command_alt(Letter('1'))),
            C::UseMatch(0),
        ),
        action(
            Edit,
            "Copy source to target",
            Some(Shortcut::command(Insert)),
            C::CopySourceSelected,
        ),
        action(
            Edit,
            "Clear translation",
            Some(Shortcut::command(Delete)),
            C::ClearSelected,
        ),
        part(action(
            Edit,
            "Insert next term",
            Some(Shortcut::command(Letter('I'))),
            C::Terms(TermsCommand::InsertNext),
        )),
        action(
            Edit,
            "Add term…",
            Some(Shortcut::command(Letter('K'))),
            C::Terms(TermsCommand::New),
        ),
        part(action(
            Edit,
            "Split sentence at the caret",
            Some(Shortcut::command(Letter('B'))),
            C::Segments(SegmentsCommand::Split),
        )),
        action(
            Edit,
            "Join with the next sentence",
            Some(Shortcut::command_shift(Letter('B'))),
            C::Segments(SegmentsCommand::Join),
        ),
        action(
            Edit,
            "Caret to the next word",
            Some(Shortcut::plain(Right)),
            C::Segments(SegmentsCommand::NextWord),
        ),
        action(
            Edit,
            "Caret to the previous word",
            Some(Shortcut::plain(Left)),
            C::Segments(SegmentsCommand::PreviousWord),
        ),
        part(action(
            Edit,
            "Apply suggested fix",
            Some(Shortcut::command(Letter('R'))),
            C::Check(CheckCommand::RepairSelected),
        )),
        action(
            Go,
            "Go to sentence…",
            Some(Shortcut::command(Letter('G'))),
            C::AskForSentence(true),
        ),
        action(
            Go,
            "Next sentence",
            Some(Shortcut::plain(Down)),
            C::SelectNext,
        ),
        action(
            Go,
            "Previous sentence",
            Some(Shortcut::plain(Up)),
            C::SelectPrevious,
        ),
        part(action(
            Go,
            "Page down",
            Some(Shortcut::plain(PageDown)),
            C::PageDown,
        )),
        action(Go, "Page up", Some(Shortcut::plain(PageUp)), C::PageUp),
        action(
            Go,
            "First sentence",
            Some(Shortcut::command(Home)),
            C::SelectFirst,
        ),
        action(
            Go,
            "Last sentence",
            Some(Shortcut::command(End)),
            C::SelectLast,
        ),
        part(action(
            Go,
            "Next unconfirmed sentence",
            Some(Shortcut::command(Letter('J'))),
            C::SelectNextOpen,
        )),
        action(
            Go,
            "Least certain draft",
            Some(Shortcut::command_shift(Letter('J'))),
            C::SelectLeastSure,
        ),
        action(
            Go,
            "Next finding of the checks",
            Some(Shortcut::plain(F8)),
            C::Check(CheckCommand::GoToNext),
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
        part(action(
            Translate,
            "Alternatives of the sentence",
            Some(Shortcut::command(Letter('L'))),
            C::Alternatives(AlternativesCommand::Find),
        )),
        part(action(
            Translate,
            "Retranslate drafts using my edits",
            Some(Shortcut::command(Letter('U'))),
            C::UpdateRest,
        )),
        part(action(
            Translate,
            "Cancel",
            Some(Shortcut::plain(Escape)),
            C::Cancel,
        )),
        action(
            Matches,
            "Use match 2",
            Some(Shortcut::command_alt(Letter('2'))),
            C::UseMatch(1),
        ),
        action(
            Matches,
            "Use match 3",
            Some(Shortcut::command_alt(Letter('3'))),
            C::UseMatch(2),
        ),
        action(
            Matches,
            "Use match 4",
            Some(Shortcut::command_alt(Letter('4'))),
            C::UseMatch(3),
        ),
        action(
            Matches,
            "Use match 5",
            Some(Shortcut::command_alt(Letter('5'))),
            C::UseMatch(4),
        ),
        action(
            Alternatives,
            "Use alternative 1",
            Some(Shortcut::alt(Letter('1'))),
            C::Alternatives(AlternativesCommand::Use(0)),
        ),
        action(
            Alternatives,
            "Use alternative 2",
            Some(Shortcut::alt(Letter('2'))),
            C::Alternatives(AlternativesCommand::Use(1)),
        ),
        action(
            Alternatives,
            "Use alternative 3",
            Some(Shortcut::alt(Letter('3'))),
            C::Alternatives(AlternativesCommand::Use(2)),
        ),
        action(
            Alternatives,
            "Use alternative 4",
            Some(Shortcut::alt(Letter('4'))),
            C::Alternatives(AlternativesCommand::Use(3)),
        ),
        action(
            Alternatives,
            "Use alternative 5",
            Some(Shortcut::alt(Letter('5'))),
            C::Alternatives(AlternativesCommand::Use(4)),
        ),
        action(
            Alternatives,
            "Use alternative 6",
            Some(Shortcut::alt(Letter('6'))),
            C::Alternatives(AlternativesCommand::Use(5)),
        ),
        action(
            Editor,
            "Save the edit",
            Some(Shortcut::plain(Enter)),
            C::KeepEdit,
        ),
        action(
            Editor,
            "Save, confirm and edit the next",
            Some(Shortcut::command(Enter)),
            C::KeepEditAndConfirm,
        ),
        action(
            Editor,
            "Cancel the edit",
            Some(Shortcut::plain(Escape)),
            C::DiscardEdit,
        ),
        action(
            Editor,
            "Insert next tag, or a pair around the selection",
            Some(Shortcut::command(Comma)),
            C::InsertTag,
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
        action(
            View,
            "Models",
            Some(Shortcut::command(Letter('5'))),
            C::ShowPage(Page::Models),
        ),
        action(
            View,
            "Project",
            Some(Shortcut::command(Letter('6'))),
            C::ShowPage(Page::Project),
        ),
        action(
            View,
            "Align",
            Some(Shortcut::command(Letter('7'))),
            C::ShowPage(Page::Align),
        ),
        part(action(
            View,
            "Outline",
            Some(Shortcut::plain(F9)),
            C::ToggleOutline,
        )),
        action(
            View,
            "Checks",
            Some(Shortcut::plain(F7)),
            C::Check(CheckCommand::ToggleList),
        ),
        action(
            View,
            "Translation memory matches",
            Some(Shortcut::command(Letter('M'))),
            C::ToggleSimilar,
        ),
        action(
            View,
            "History of the sentence",
            Some(Shortcut::command(Letter('H'))),
            C::ToggleHistory,
        ),
        part(action(
            View,
            "Zoom in",
            Some(Shortcut::command(Plus)),
            C::ScaleUp,
        )),
        action(
            View,
            "Zoom out",
            Some(Shortcut::command(Minus)),
            C::ScaleDown,
        ),
        action(
            View,
            "Reset zoom",
            Some(Shortcut::command(Letter('0'))),
            C::ScaleToUsual,
        ),
        action(Help, "Guide", None, C::ShowHelp(Some(HelpPage::Guide))),
        action(
            Help,
            "Keyboard shortcuts",
            Some(Shortcut::plain(F1)),
            C::ToggleShortcuts,
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
            C::ShowHelp(Some(HelpPage::Licences)),
        )),
        action(
            Help,
            "About Canopy",
            None,
            C::ShowHelp(Some(HelpPage::About)),
        ),
        action(Help, "Open data folder", None, C::ShowDataFolder),
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
