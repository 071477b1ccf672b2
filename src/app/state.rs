//! The state of the workbench and what commands do to it.

use std::sync::Arc;

use super::aligning::Aligning;
use super::ask::Ask;
use super::checking::CheckCommand;
use super::command::{Command, HelpPage, Page};
use super::document::DocumentPage;
use super::evaluating::Evaluate;
use super::explorer::{ExploreCommand, Explorer};
use super::find::FindCommand;
use super::merging::MergeCommand;
use super::models::{ModelState, Models};
use super::open_document::OpenDocument;
use super::project::Projects;
use super::settings::{Folders, Settings, Shipped};
use super::shared::{AUTOSAVE_AT_LEAST_SECS, AUTOSAVE_SECS, Shared};
use super::terms::TermsCommand;
use super::training::Training;
use crate::jobs::State;
use canopy_corpus::memory::TranslationMemory;

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct AppState {
    /// What all pages use.
    pub shared: Shared,
    pub document: DocumentPage,
    pub explorer: Explorer,
    pub training: Training,
    pub evaluate: Evaluate,
    pub models: Models,
    pub projects: Projects,
    pub aligning: Aligning,
    pub shows_shortcuts: bool,
    /// The page of help that is shown over the window.
    pub help: Option<HelpPage>,
    /// Whether a person is naming another machine that computes.
    pub is_naming_machine: bool,
}

impl AppState {
    pub fn new(folders: Folders, settings: Settings, shipped: Shipped) -> Self {
        Self {
            shared: Shared::new(folders, settings, shipped),
            ..Self::default()
        }
    }

    /// Advances the clock: saves what is due and removes old messages. Returns when it wants to be called again.
    pub fn tick(&mut self, now_secs: f64) -> Option<f64> {
        self.shared.now_secs = now_secs;
        self.shared
            .notices
            .retain(|notice| notice.until_secs.is_none_or(|until| until > now_secs));
        let due = self.document.dirty_since_secs.map(|since| {
            (self.document.changed_secs + AUTOSAVE_SECS).min(since + AUTOSAVE_AT_LEAST_SECS)
        });
        if due.is_some_and(|due| due <= now_secs) {
            self.document.save_project(&mut self.shared);
        }
        let due = self.document.dirty_since_secs.and(due);
        let alignment_due = self.aligning.tick_alignment(&mut self.shared);
        let form_due = self.training.tick_form(&mut self.shared);
        let times = self
            .shared
            .notices
            .iter()
            .filter_map(|notice| notice.until_secs)
            .chain(due)
            .chain(alignment_due)
            .chain(form_due);
        times
            .min_by(f64::total_cmp)
            .map(|at| (at - now_secs).max(0.0))
    }

    /// Queues everything that is not on disk yet.
    pub fn flush(&mut self) {
        self.keep_edit_for_good();
        if self.shared.is_unkept {
            self.evaluate.keep_judgement(&mut self.shared);
        }
        self.document.save_project(&mut self.shared);
        self.aligning.save_alignment(&mut self.shared);
        self.note_document();
        self.shared.save_settings();
    }

    pub fn apply(&mut self, command: Command) {
        self.carry_out(command);
        self.follow_selection();
        self.follow_margin();
        self.follow_checks();
        self.follow_search();
    }

    /// Looks for the words of the find bar in translations that have changed.
    pub(super) fn follow_search(&mut self) {
        if let Some(document) = &mut self.document.open {
            document.search_again();
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Open => self.shared.asks.push(Ask::OpenDocument {
                folder: self.document.document_folder(&self.shared),
            }),
            Command::OpenPath(path) => self.open(path),
            Command::Drop(paths) => self.open_dropped(paths),
            Command::CloseDocument => self.close_document(),
            Command::TakeOver => self.take_over(),
            Command::LeaveMovedWork => self.leave_moved_work(),
            Command::Save => self.save_again(),
            Command::SaveAs => self.ask_where_to_save(),
            Command::SaveTo {
                document,
                path,
                overwrite,
            } => self.save_translation(&document, path, overwrite),
            Command::Export(format) => self.ask_where_to_export(format),
            Command::ExportTo {
                document,
                path,
                format,
                overwrite,
            } => self.export_translation(&document, path, format, overwrite),
            Command::Quit => self.shared.asks.push(Ask::Quit),
            Command::ShowFolder(folder) => self.shared.asks.push(Ask::ShowFolder(folder)),
            Command::ShowDataFolder => self
                .shared
                .asks
                .extend(self.shared.folders.data.clone().map(Ask::ShowFolder)),
            Command::Translate(scope) => self.translate(scope),
            Command::UpdateRest => self.update_rest(),
            Command::Cancel => self.cancel(),
            Command::Select(sentence) => self.select(sentence),
            Command::SelectNext => self.step(1),
            Command::SelectPrevious => self.step(-1),
            Command::SelectFirst => self.step(isize::MIN),
            Command::SelectLast => self.step(isize::MAX),
            Command::PageDown => self.step(self.page_of_sentences()),
            Command::PageUp => self.step(-self.page_of_sentences()),
            Command::SelectNextOpen => self.select_next_unconfirmed(),
            Command::SelectLeastSure => self.select_least_sure(),
            Command::Filter(filter) => self.filter(filter),
            Command::AskForSentence(asks) => self.document.asks_for_sentence = asks,
            Command::GoToNumber(number) => self.go_to_number(number),
            Command::ShowHelp(page) => self.help = page,
            Command::ScrollTo(sentence) => {
                self.document
                    .with_document(|document| document.scroll_to.set(sentence));
            }
            Command::Visible(sentences) => self.set_visible(&sentences),
            Command::Edit => self.edit_selected(),
            Command::EditSentence(sentence) => self.edit(sentence),
            Command::EditWith(text) => self.edit_with(&text),
            Command::Editing(text) => self.editing(text),
            Command::KeepEdit => {
                self.keep_edit();
            }
            Command::KeepEditAndConfirm => self.keep_edit_and_confirm(),
            Command::RepairEdit => self.repair_edit(),
            Command::DiscardEdit => self.discard_edit(),
            Command::InsertTag => self.insert_tag(),
            Command::Confirm => self.confirm_selected(),
            Command::ToggleConfirmed(sentence) => self.toggle_confirmed(sentence),
            Command::Clear(sentence) => self.clear(sentence),
            Command::ClearSelected => {
                if let Some(sentence) = self.document.selected() {
                    self.clear(sentence);
                }
            }
            Command::CopySource(sentence) => self.copy_source(sentence),
            Command::CopySourceSelected => {
                if let Some(sentence) = self.document.selected() {
                    self.copy_source(sentence);
                }
            }
            Command::UseMatch(place) => self.use_match(place),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Find(command) => self.apply_find(command),
            Command::ChooseModel => self.shared.asks.push(Ask::ModelFolder {
                folder: self.shared.model_folder(),
            }),
            Command::OpenModel(folder) => self.open_model(folder),
            Command::ChooseMemory => self.shared.asks.push(Ask::Memory),
            Command::ChooseMemoryFolder => self.shared.asks.push(Ask::MemoryFolder),
            Command::UseMemory(memory) => self.use_memory(memory),
            Command::UseFurtherMemory(path, penalty) => self.use_further_memory(&path, penalty),
            Command::LearnFromMemory(learns) => self.learn_from_memory(learns),
            Command::Terms(command) => self.apply_terms(command),
            Command::SetDevice(device) => self.set_device(device),
            Command::SetBeamSize(beam_size) => {
                self.shared
                    .set(|settings| settings.beam_size = beam_size.min(16));
            }
            Command::SetAddress(choice) => self.shared.set(|settings| settings.address = choice),
            Command::SetSubtitleLayout(layout) => {
                self.shared.set(|settings| settings.subtitles = layout);
            }
            Command::Segments(command) => self.apply_segments(command),
            Command::ReadAs(reading) => self.read_as(reading),
            Command::SetTheme(theme) => self.shared.set(|settings| settings.theme = theme),
            Command::ScaleUp => self.shared.scale(true),
            Command::ScaleDown => self.shared.scale(false),
            Command::ScaleToUsual => self.shared.set(|settings| settings.scale = 100),
            Command::ShowShortcuts(shows) => self.shows_shortcuts = shows,
            Command::ToggleShortcuts => self.shows_shortcuts = !self.shows_shortcuts,
            Command::ToggleOutline => {
                self.shared
                    .set(|settings| settings.shows_outline = !settings.shows_outline);
            }
            Command::ToggleSimilar => {
                self.shared
                    .set(|settings| settings.shows_similar = !settings.shows_similar);
            }
            Command::ToggleHistory => {
                self.shared
                    .set(|settings| settings.shows_history = !settings.shows_history);
            }
            Command::UseVersion { sentence, version } => self.use_version(sentence, version),
            Command::ShowPage(Page::Explore) => self.show_explorer(),
            Command::ShowPage(Page::Project) => self.show_project(),
            Command::ShowPage(page) => {
                if matches!(page, Page::Training | Page::Evaluate) {
                    self.look_for_missing();
                }
                self.shared.page = page;
            }
            Command::Explore(command) => self.apply_explore(command),
            Command::Evaluate(command) => {
                if let Some(unit) =
                    self.evaluate
                        .apply_evaluate(&mut self.shared, &mut self.training, command)
                {
                    self.trace_unit(unit);
                }
            }
            Command::Training(command) => self.training.apply_training(
                &mut self.shared,
                &self.models,
                &mut self.evaluate,
                command,
            ),
            Command::Models(command) => self.apply_models(command),
            Command::Check(command) => self.apply_check(command),
            Command::Merge(command) => self.apply_merge(command),
            Command::Align(command) => {
                self.aligning
                    .apply_align(&mut self.shared, &self.document, command);
            }
            Command::Project(command) => self.apply_project(command),
            Command::LanguageModel(command) => self.apply_language_model(command),
            Command::Machine(command) => self.apply_machine(command),
            Command::DismissNotice(id) => self.shared.notices.retain(|notice| notice.id != id),
        }
    }

    /// Whether the command would do something now; menus show the others greyed out.
    pub fn is_enabled(&self, command: &Command) -> bool {
        let document = self.document.open.as_ref();
        match command {
            Command::Save
            | Command::SaveAs
            | Command::Export(_)
            | Command::CloseDocument
            | Command::Merge(MergeCommand::Choose)
            | Command::Filter(_)
            | Command::AskForSentence(_)
            | Command::Find(FindCommand::Open) => document.is_some(),
            Command::Find(FindCommand::Next | FindCommand::Previous) => {
                document.is_some_and(|document| !document.find.query.is_empty())
            }
            Command::Translate(_) => {
                document.is_some_and(|document| document.num_sentences() > 0)
                    && self.document.running.is_none()
            }
            Command::UpdateRest => self.why_not(command).is_none(),
            Command::ScaleUp => {
                self.shared.settings.stepped_scale(true) != self.shared.settings.scale
            }
            Command::ScaleDown => {
                self.shared.settings.stepped_scale(false) != self.shared.settings.scale
            }
            Command::ScaleToUsual => self.shared.settings.scale != 100,
            Command::Cancel => self.document.is_busy(),
            Command::Explore(ExploreCommand::Back) => self.explorer.can_go_back(),
            Command::ClearSelected => document.is_some_and(|open| {
                let is_translated = |it| open.target(it).state != State::Untranslated;
                open.selected.is_some_and(is_translated)
            }),
            Command::UseMatch(_) => self.document.selected().is_some() && self.memory().is_some(),
            Command::Undo => document.is_some_and(OpenDocument::can_undo),
            Command::Redo => document.is_some_and(OpenDocument::can_redo),
            Command::Edit
            | Command::Check(CheckCommand::GoToNext | CheckCommand::RepairSelected)
            | Command::Terms(TermsCommand::New | TermsCommand::InsertNext)
            | Command::Segments(_)
            | Command::Confirm
            | Command::CopySourceSelected
            | Command::SelectNext
            | Command::SelectPrevious
            | Command::SelectFirst
            | Command::SelectLast
            | Command::PageDown
            | Command::PageUp
            | Command::SelectNextOpen => self.document.selected().is_some(),
            Command::ShowPage(Page::Project) => self.projects.open.is_some(),
            Command::Align(command) => self.aligning.can_align(command),
            Command::SelectLeastSure => document.is_some_and(OpenDocument::has_confidences),
            _ => true,
        }
    }

    /// Why a command would do nothing now, where that is not plain to see.
    pub fn why_not(&self, command: &Command) -> Option<&'static str> {
        (*command == Command::UpdateRest)
            .then(|| self.why_no_update())
            .flatten()
    }

    /// The translation memory, whichever way the model uses it.
    pub fn memory(&self) -> Option<&Arc<TranslationMemory>> {
        match &self.models.current {
            ModelState::Open { memory, .. } if self.without_model().is_none() => memory.as_ref(),
            _ => self.memory_without_model(),
        }
    }
}
