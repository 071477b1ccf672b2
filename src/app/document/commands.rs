//! Commands of the page of the document.

use super::DocumentPage;
use super::alternatives::AlternativesCommand;
use super::checking::CheckCommand;
use super::editing::{EditCommand, GoCommand, finding};
use super::language_model::LanguageModelCommand;
use super::merging::MergeCommand;
use super::saving::SaveCommand;
use super::segments::SegmentsCommand;
use super::terms::TermsCommand;
use crate::command::{Command, Scope};
use crate::find::FindCommand;
use crate::models::Models;
use crate::state::AppState;
use canopy_document::document::{ReadingOptions, SubtitleLayout};
use canopy_translate::inference::FormalityOption;

/// A command of the page of the document, or of one of its panels.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentCommand {
    /// Closes the document.
    Close,
    /// Takes over what was done on the document when it had another name.
    TakeOver,
    /// Leaves it where it is and does not ask again.
    LeaveMovedWork,
    /// Leaves the translation in no file, without a further reminder.
    LeaveUnsaved,
    /// Reads the open document once more in this way.
    ReadAs(ReadingOptions),
    /// Translates so much of the document.
    Translate(Scope),
    /// Translates the drafts again, with what was edited or confirmed as their context.
    UpdateRest,
    /// Ends the translation under way.
    Cancel,
    /// Sets the beam size of searches.
    SetBeamSize(usize),
    /// Sets the form of address of German translations; `None` leaves it to the model.
    SetFormality(Option<FormalityOption>),
    /// Sets how much room translated subtitles have.
    SetSubtitleLayout(SubtitleLayout),
    /// Edits the selected sentence with a translation of similar sentences, the best being 0.
    UseMatch(usize),
    /// Shows the outline, or hides it.
    ToggleOutline,
    /// Shows similar sentences, or hides them.
    ToggleSimilar,
    /// Shows the history of the selected sentence, or hides it.
    ToggleHistory,
    /// Goes to a sentence.
    Go(GoCommand),
    /// Changes translations.
    Edit(EditCommand),
    /// Writes the translation.
    Save(SaveCommand),
    /// Finds and replaces.
    Find(FindCommand),
    /// A command on terms.
    Terms(TermsCommand),
    /// A command on the sentences of the document.
    Segments(SegmentsCommand),
    /// A command of the panel of alternatives.
    Alternatives(AlternativesCommand),
    /// A command on findings of the checks.
    Check(CheckCommand),
    /// A command of the language model that suggests translations.
    LanguageModel(LanguageModelCommand),
    /// A decision about another person's changes.
    Merge(MergeCommand),
}

/// Commands of panels are commands of the window.
macro_rules! panels {
    ($($variant:ident($command:ident),)*) => {$(
        impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::Document(DocumentCommand::$variant(command))
            }
        }
    )*};
}

panels! {
    Go(GoCommand),
    Edit(EditCommand),
    Save(SaveCommand),
    Find(FindCommand),
    Terms(TermsCommand),
    Segments(SegmentsCommand),
    Alternatives(AlternativesCommand),
    Check(CheckCommand),
    LanguageModel(LanguageModelCommand),
    Merge(MergeCommand),
}

impl AppState {
    pub(crate) fn execute_document(&mut self, command: DocumentCommand) {
        use DocumentCommand as C;
        let Self {
            shared,
            document,
            models,
            ..
        } = self;
        let editing = &mut document.editing;
        match command {
            C::Close => self.close_document(),
            C::TakeOver => editing.take_over(shared),
            C::LeaveMovedWork => editing.leave_moved_work(shared),
            C::LeaveUnsaved => document.reminded_of_saving(shared, models),
            C::ReadAs(reading) => document.read_as(shared, reading),
            C::Translate(scope) => self.translate(scope),
            C::UpdateRest => document.update_rest(shared, models),
            C::Cancel => document.translations.cancel(),
            C::SetBeamSize(beam_size) => {
                shared.set(|settings| settings.beam_size = beam_size.min(16));
            }
            C::SetFormality(choice) => shared.set(|settings| settings.formality = choice),
            C::SetSubtitleLayout(layout) => shared.set(|settings| settings.subtitles = layout),
            C::UseMatch(place) => document.use_match(shared, models, place),
            C::ToggleOutline => {
                shared.set(|settings| settings.shows_outline = !settings.shows_outline);
            }
            C::ToggleSimilar => {
                shared.set(|settings| settings.shows_similar = !settings.shows_similar);
            }
            C::ToggleHistory => {
                shared.set(|settings| settings.shows_history = !settings.shows_history);
            }
            C::Go(command) => document.execute_go(shared, command),
            C::Edit(command) => document.execute_edit(shared, command),
            C::Save(command) => document.saving.execute(shared, editing, models, command),
            C::Find(command) => finding::execute(shared, editing, command),
            C::Terms(command) => document.terms.execute(shared, editing, models, command),
            C::Segments(command) => document.execute_segments(shared, models, command),
            C::Alternatives(command) => document.execute_alternatives(shared, models, command),
            C::Check(command) => document.checking.execute(shared, editing, command),
            C::LanguageModel(command) => {
                let terms = &document.terms;
                document
                    .suggestions
                    .execute(shared, editing, terms, models, command);
            }
            C::Merge(command) => document.merges.execute(shared, editing, command),
        }
    }
}

impl DocumentPage {
    /// Whether the command would do something now.
    pub(crate) fn is_enabled(&self, models: &Models, command: &DocumentCommand) -> bool {
        use DocumentCommand as C;
        let open = self.editing.open.as_ref();
        let is_selected = self.editing.selected().is_some();
        match command {
            C::Close
            | C::Save(SaveCommand::Save | SaveCommand::SaveAs | SaveCommand::Export(_))
            | C::Merge(MergeCommand::Choose)
            | C::Find(FindCommand::Open) => open.is_some(),
            C::Find(FindCommand::Next | FindCommand::Previous) => {
                open.is_some_and(|open| !open.find.query.is_empty())
            }
            C::Translate(_) => {
                open.is_some_and(|open| open.num_sentences() > 0)
                    && self.translations.running.is_none()
            }
            C::UpdateRest => self.why_not(models, command).is_none(),
            C::Cancel => self.translations.is_busy(),
            C::UseMatch(_) => is_selected && self.pair(models).memory().is_some(),
            C::Alternatives(AlternativesCommand::Use(place)) => {
                self.alternatives.get(*place).is_some()
            }
            C::Alternatives(AlternativesCommand::Find)
            | C::Check(CheckCommand::GoToNext | CheckCommand::RepairSelected)
            | C::Terms(TermsCommand::New | TermsCommand::InsertNext)
            | C::Segments(_) => is_selected,
            C::Go(command) => self.editing.can_go(command),
            C::Edit(command) => self.editing.can_edit(command),
            _ => true,
        }
    }

    /// Why a command would do nothing now, where that is not plain to see.
    pub(crate) fn why_not(
        &self,
        models: &Models,
        command: &DocumentCommand,
    ) -> Option<&'static str> {
        (*command == DocumentCommand::UpdateRest)
            .then(|| self.why_no_update(models))
            .flatten()
    }
}
