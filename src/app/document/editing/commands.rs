//! Commands that go through the document, and those that edit it.

use std::ops::Range;

use super::Editing;
use crate::document::DocumentPage;
use crate::jobs::State;
use crate::shared::Shared;
use canopy_project::Filter;

/// A way through the document.
#[derive(Debug, Clone, PartialEq)]
pub enum GoCommand {
    /// Selects the sentence of this index.
    Select(usize),
    /// Selects the next sentence.
    Next,
    /// Selects the previous sentence.
    Previous,
    /// Selects the first sentence.
    First,
    /// Selects the last sentence.
    Last,
    /// As many sentences further as are in view.
    PageDown,
    /// As many sentences back as are in view.
    PageUp,
    /// The next sentence that is not confirmed.
    NextUnconfirmed,
    /// The draft of which the model is least sure, then the next one in that order.
    LeastSure,
    /// Shows the sentences that a filter lets through; without one all.
    Filter(Option<Filter>),
    /// Opens or closes the field for the number of a sentence.
    AskForNumber(bool),
    /// Goes to the sentence of this number, the first being 1.
    ToNumber(usize),
    /// Brings the sentence of this index into view.
    ScrollTo(usize),
    /// The sentences now in view, which are translated first.
    Visible(Range<usize>),
}

/// A change of translations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditCommand {
    /// Opens the editor on a sentence.
    Start(usize),
    /// Opens the editor on the selected sentence.
    StartSelected,
    /// Opens the editor on the selected sentence with this translation.
    StartWith(String),
    /// The editor's text, as it changes.
    Write(String),
    /// Keeps the editor's text as the translation.
    Keep,
    /// Keeps the editor's text, and confirms it.
    KeepAndConfirm,
    /// Puts the tags of the editor's text right.
    Repair,
    /// Closes the editor and leaves the translation as it is.
    Discard,
    /// Writes the next tag that the translation lacks where the caret is, or a pair around what is selected.
    InsertTag,
    /// Confirms the selected sentence, also one that is confirmed, and selects the next one.
    Confirm,
    /// Confirms a sentence, or takes that back, and stays there.
    ToggleConfirmed(usize),
    /// Empties the target of a sentence, so that it can be translated anew.
    Clear(usize),
    /// Empties the target of the selected sentence.
    ClearSelected,
    /// Takes the source of a sentence as its translation.
    CopySource(usize),
    /// Takes the source of the selected sentence as its translation.
    CopySourceSelected,
    /// Puts a text that a sentence has had in place of its translation.
    UseVersion {
        /// Index of the sentence.
        sentence: usize,
        /// Index of the text in the sentence's history.
        version: usize,
    },
    /// Takes the last change back.
    Undo,
    /// Makes the change again that was taken back last.
    Redo,
}

impl DocumentPage {
    pub(crate) fn execute_go(&mut self, shared: &Shared, command: GoCommand) {
        use GoCommand as C;
        let editing = &mut self.editing;
        match command {
            C::Select(sentence) => editing.select(shared, sentence),
            C::Next => editing.step(shared, 1),
            C::Previous => editing.step(shared, -1),
            C::First => editing.step(shared, isize::MIN),
            C::Last => editing.step(shared, isize::MAX),
            C::PageDown => editing.step(shared, editing.page_of_sentences()),
            C::PageUp => editing.step(shared, -editing.page_of_sentences()),
            C::NextUnconfirmed => editing.select_next_unconfirmed(shared),
            C::LeastSure => editing.select_least_sure(shared),
            C::Filter(filter) => editing.filter(shared, &self.checking.findings, filter),
            C::AskForNumber(asks) => editing.asks_for_sentence = asks,
            C::ToNumber(number) => editing.go_to_number(shared, number),
            C::ScrollTo(sentence) => {
                editing.with_document(|document| document.scroll_to.set(sentence));
            }
            C::Visible(sentences) => self.set_visible(&sentences),
        }
    }

    pub(crate) fn execute_edit(&mut self, shared: &mut Shared, command: EditCommand) {
        use EditCommand as C;
        let editing = &mut self.editing;
        match command {
            C::Start(sentence) => editing.edit(shared, sentence),
            C::StartSelected => editing.edit_selected(shared),
            C::StartWith(text) => editing.edit_with(shared, &text),
            C::Write(text) => editing.set_text(shared, text),
            C::Keep => {
                editing.keep_edit(shared);
            }
            C::KeepAndConfirm => editing.keep_edit_and_confirm(shared),
            C::Repair => editing.repair_edit(),
            C::Discard => editing.discard_edit(shared),
            C::InsertTag => editing.insert_tag(),
            C::Confirm => editing.confirm_selected(shared),
            C::ToggleConfirmed(sentence) => editing.toggle_confirmed(shared, sentence),
            C::Clear(sentence) => editing.clear(shared, sentence),
            C::ClearSelected => {
                if let Some(sentence) = editing.selected() {
                    editing.clear(shared, sentence);
                }
            }
            C::CopySource(sentence) => editing.copy_source(shared, sentence),
            C::CopySourceSelected => {
                if let Some(sentence) = editing.selected() {
                    editing.copy_source(shared, sentence);
                }
            }
            C::UseVersion { sentence, version } => editing.use_version(shared, sentence, version),
            C::Undo => self.undo(shared),
            C::Redo => self.redo(shared),
        }
    }
}

impl Editing {
    /// Whether the command would go anywhere now.
    pub(crate) fn can_go(&self, command: &GoCommand) -> bool {
        use GoCommand as C;
        match command {
            C::Filter(_) | C::AskForNumber(_) => self.open.is_some(),
            C::Next
            | C::Previous
            | C::First
            | C::Last
            | C::PageDown
            | C::PageUp
            | C::NextUnconfirmed => self.selected().is_some(),
            C::LeastSure => {
                let open = self.open.as_ref();
                open.is_some_and(|open| open.progress.has_confidences())
            }
            _ => true,
        }
    }

    /// Whether the command would change something now.
    pub(crate) fn can_edit(&self, command: &EditCommand) -> bool {
        use EditCommand as C;
        let open = self.open.as_ref();
        match command {
            C::ClearSelected => open.is_some_and(|open| {
                let is_translated = |it| open.target(it).state != State::Untranslated;
                open.selected.is_some_and(is_translated)
            }),
            C::Undo => open.is_some_and(|open| open.history.can_undo()),
            C::Redo => open.is_some_and(|open| open.history.can_redo()),
            C::StartSelected | C::Confirm | C::CopySourceSelected => self.selected().is_some(),
            _ => true,
        }
    }
}
