//! The state of the workbench and what commands do to it.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::aligning::Aligning;
use super::ask::Ask;
use super::checking::{CheckCommand, Checking};
use super::command::{Command, HelpPage, Page, Scope};
use super::evaluating::Evaluate;
use super::explorer::{ExploreCommand, Explorer};
use super::find::FindCommand;
use super::language_model::Suggestions;
use super::merging::{MergeCommand, Merges};
use super::models::Models;
use super::open_document::OpenDocument;
use super::pending_writes::PendingWrites;
use super::progress::{Progress, Running};
use super::project::Projects;
use super::segments::Recutting;
use super::settings::{Folders, Settings, Shipped};
use super::terms::{Terms, TermsCommand};
use super::training::Training;
use crate::jobs::{FileRequest, JobId, Request, State};
use canopy_base::error::{Error as BaseError, find};
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::{ModelInfo, SearchOptions};

/// After the last change.
pub(crate) const AUTOSAVE_SECS: f64 = 1.0;
/// While changes keep coming, as they do during a translation.
const AUTOSAVE_AT_LEAST_SECS: f64 = 8.0;
/// How long a message that needs no answer stays.
const NOTICE_SECS: f64 = 10.0;
/// Jobs that keep work, whose failures are distinguished.
const KEEPING: usize = 32;

/// The model, as far as the window needs to know.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelState {
    #[default]
    None,
    Opening {
        job: JobId,
        folder: PathBuf,
    },
    Open {
        info: ModelInfo,
        device_name: String,
        memory: Option<Arc<TranslationMemory>>,
    },
}

/// How important a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    Done,
    Hint,
    Error,
}

/// A message to the person at the window.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    pub id: u64,
    pub kind: NoticeKind,
    pub title: String,
    pub detail: String,
    /// When it goes by itself; errors stay until they are dismissed.
    pub until_secs: Option<f64>,
    /// Whether it reports a change that can be undone; undoing removes it.
    pub ends_with_undo: bool,
    /// A command that helps, and what its button says.
    pub button: Option<(&'static str, Command)>,
}

/// Everything the window shows.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what is shown over the window, and what is to be done yet"
)]
#[derive(Debug, Default)]
pub struct AppState {
    pub document: Option<OpenDocument>,
    /// The file that is being opened.
    pub opening: Option<(JobId, PathBuf)>,
    pub model: ModelState,
    /// Pairs of the translation memory that is in use.
    pub memory_pairs: Option<usize>,
    pub running: Option<Running>,
    /// The speed of the last translation, for the status bar.
    pub last_progress: Option<Progress>,
    pub settings: Settings,
    pub shipped: Shipped,
    pub notices: Vec<Notice>,
    pub shows_shortcuts: bool,
    /// Whether the field for the number of a sentence is shown.
    pub asks_for_sentence: bool,
    /// The page of help that is shown over the window.
    pub help: Option<HelpPage>,
    pub page: Page,
    pub training: Training,
    pub explorer: Explorer,
    pub evaluate: Evaluate,
    pub models: Models,
    pub projects: Projects,
    pub merges: Merges,
    pub aligning: Aligning,
    pub checking: Checking,
    pub suggestions: Suggestions,
    /// Whether a person is naming another machine that computes.
    pub is_naming_machine: bool,
    pub terms: Terms,
    /// For the worker; the window sends and empties it.
    pub requests: Vec<Request>,
    /// For the file thread, likewise.
    pub file_requests: Vec<FileRequest>,
    /// For the window itself, likewise.
    pub asks: Vec<Ask>,
    pub(super) folders: Folders,
    pub(super) now_secs: f64,
    /// The scope to translate once the model is there.
    pub(super) waiting_scope: Option<Scope>,
    pub(super) saving: Option<JobId>,
    pub(super) recutting: Option<Recutting>,
    /// The last jobs that write work and settings.
    pub(super) keeping: VecDeque<JobId>,
    /// Comes back when another one cannot be opened.
    pub(super) previous_model: Option<ModelState>,
    pub(super) dirty_since_secs: Option<f64>,
    changed_secs: f64,
    /// The last attempt to keep work has failed.
    pub(super) is_unkept: bool,
    pub(super) closing: PendingWrites,
    num_jobs: u64,
    num_notices: u64,
}

impl AppState {
    pub fn new(folders: Folders, settings: Settings, shipped: Shipped) -> Self {
        Self {
            settings,
            shipped,
            folders,
            ..Self::default()
        }
    }

    /// Advances the clock: saves what is due and removes old messages. Returns when it wants to be called again.
    pub fn tick(&mut self, now_secs: f64) -> Option<f64> {
        self.now_secs = now_secs;
        self.notices
            .retain(|notice| notice.until_secs.is_none_or(|until| until > now_secs));
        let due = self
            .dirty_since_secs
            .map(|since| (self.changed_secs + AUTOSAVE_SECS).min(since + AUTOSAVE_AT_LEAST_SECS));
        if due.is_some_and(|due| due <= now_secs) {
            self.save_project();
        }
        let due = self.dirty_since_secs.and(due);
        let alignment_due = self.tick_alignment();
        let form_due = self.tick_form();
        let times = self
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
        if self.is_unkept {
            self.keep_judgement();
        }
        self.save_project();
        self.save_alignment();
        self.note_document();
        self.save_settings();
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
        if let Some(document) = &mut self.document {
            document.search_again();
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Open => self.asks.push(Ask::OpenDocument {
                folder: self.document_folder(),
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
            Command::Quit => self.asks.push(Ask::Quit),
            Command::ShowFolder(folder) => self.asks.push(Ask::ShowFolder(folder)),
            Command::ShowDataFolder => self
                .asks
                .extend(self.folders.data.clone().map(Ask::ShowFolder)),
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
            Command::AskForSentence(asks) => self.asks_for_sentence = asks,
            Command::GoToNumber(number) => self.go_to_number(number),
            Command::ShowHelp(page) => self.help = page,
            Command::ScrollTo(sentence) => {
                self.with_document(|document| document.scroll_to.set(sentence));
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
                if let Some(sentence) = self.selected() {
                    self.clear(sentence);
                }
            }
            Command::CopySource(sentence) => self.copy_source(sentence),
            Command::CopySourceSelected => {
                if let Some(sentence) = self.selected() {
                    self.copy_source(sentence);
                }
            }
            Command::UseMatch(place) => self.use_match(place),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Find(command) => self.apply_find(command),
            Command::ChooseModel => self.asks.push(Ask::ModelFolder {
                folder: self.model_folder(),
            }),
            Command::OpenModel(folder) => self.open_model(folder),
            Command::ChooseMemory => self.asks.push(Ask::Memory),
            Command::ChooseMemoryFolder => self.asks.push(Ask::MemoryFolder),
            Command::UseMemory(memory) => self.use_memory(memory),
            Command::UseFurtherMemory(path, penalty) => self.use_further_memory(&path, penalty),
            Command::LearnFromMemory(learns) => self.learn_from_memory(learns),
            Command::Terms(command) => self.apply_terms(command),
            Command::SetDevice(device) => self.set_device(device),
            Command::SetBeamSize(beam_size) => {
                self.set(|settings| settings.beam_size = beam_size.min(16));
            }
            Command::SetAddress(choice) => self.set(|settings| settings.address = choice),
            Command::SetSubtitleLayout(layout) => {
                self.set(|settings| settings.subtitles = layout);
            }
            Command::Segments(command) => self.apply_segments(command),
            Command::ReadAs(reading) => self.read_as(reading),
            Command::SetTheme(theme) => self.set(|settings| settings.theme = theme),
            Command::ScaleUp => self.scale(true),
            Command::ScaleDown => self.scale(false),
            Command::ScaleToUsual => self.set(|settings| settings.scale = 100),
            Command::ShowShortcuts(shows) => self.shows_shortcuts = shows,
            Command::ToggleShortcuts => self.shows_shortcuts = !self.shows_shortcuts,
            Command::ToggleOutline => {
                self.set(|settings| settings.shows_outline = !settings.shows_outline);
            }
            Command::ToggleSimilar => {
                self.set(|settings| settings.shows_similar = !settings.shows_similar);
            }
            Command::ToggleHistory => {
                self.set(|settings| settings.shows_history = !settings.shows_history);
            }
            Command::UseVersion { sentence, version } => self.use_version(sentence, version),
            Command::ShowPage(Page::Explore) => self.show_explorer(),
            Command::ShowPage(Page::Project) => self.show_project(),
            Command::ShowPage(page) => {
                if matches!(page, Page::Training | Page::Evaluate) {
                    self.look_for_missing();
                }
                self.page = page;
            }
            Command::Explore(command) => self.apply_explore(command),
            Command::Evaluate(command) => self.apply_evaluate(command),
            Command::Training(command) => self.apply_training(command),
            Command::Models(command) => self.apply_models(command),
            Command::Check(command) => self.apply_check(command),
            Command::Merge(command) => self.apply_merge(command),
            Command::Align(command) => self.apply_align(command),
            Command::Project(command) => self.apply_project(command),
            Command::LanguageModel(command) => self.apply_language_model(command),
            Command::Machine(command) => self.apply_machine(command),
            Command::DismissNotice(id) => self.notices.retain(|notice| notice.id != id),
        }
    }

    /// Whether the command would do something now; menus show the others greyed out.
    pub fn is_enabled(&self, command: &Command) -> bool {
        let document = self.document.as_ref();
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
                    && self.running.is_none()
            }
            Command::UpdateRest => self.why_not(command).is_none(),
            Command::ScaleUp => self.settings.stepped_scale(true) != self.settings.scale,
            Command::ScaleDown => self.settings.stepped_scale(false) != self.settings.scale,
            Command::ScaleToUsual => self.settings.scale != 100,
            Command::Cancel => self.is_busy(),
            Command::Explore(ExploreCommand::Back) => self.explorer.can_go_back(),
            Command::ClearSelected => document.is_some_and(|open| {
                let is_translated = |it| open.target(it).state != State::Untranslated;
                open.selected.is_some_and(is_translated)
            }),
            Command::UseMatch(_) => self.selected().is_some() && self.memory().is_some(),
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
            | Command::SelectNextOpen => self.selected().is_some(),
            Command::ShowPage(Page::Project) => self.projects.open.is_some(),
            Command::Align(command) => self.can_align(command),
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
        match &self.model {
            ModelState::Open { memory, .. } if self.without_model().is_none() => memory.as_ref(),
            _ => self.memory_without_model(),
        }
    }

    /// Whether there is something to cancel.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.waiting_scope.is_some()
    }

    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    pub fn is_waiting_for_model(&self) -> bool {
        self.waiting_scope.is_some()
    }

    pub fn search_options(&self) -> SearchOptions {
        SearchOptions {
            beam_size: self.settings.beam_size,
            ..SearchOptions::default()
        }
    }

    pub(super) fn next_job(&mut self) -> JobId {
        self.num_jobs += 1;
        JobId(self.num_jobs)
    }

    /// A job without which work or settings would be lost.
    pub(super) fn keeping_job(&mut self) -> JobId {
        let job = self.next_job();
        if self.keeping.len() == KEEPING {
            self.keeping.pop_front();
        }
        self.keeping.push_back(job);
        job
    }

    pub(super) fn notify(
        &mut self,
        kind: NoticeKind,
        title: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.num_notices += 1;
        let until_secs = (kind != NoticeKind::Error).then_some(self.now_secs + NOTICE_SECS);
        let (title, detail) = (title.into(), detail.into());
        // The same message twice says no more than once.
        self.notices
            .retain(|notice| notice.title != title || notice.detail != detail);
        self.notices.push(Notice {
            id: self.num_notices,
            kind,
            title,
            detail,
            until_secs,
            ends_with_undo: false,
            button: None,
        });
    }

    /// Reports a change, until it is undone.
    pub(super) fn notify_of_change(&mut self, title: impl Into<String>, detail: impl Into<String>) {
        self.notify(NoticeKind::Done, title, detail);
        if let Some(notice) = self.notices.last_mut() {
            notice.ends_with_undo = true;
        }
    }

    /// Gives the last message a button.
    pub(super) fn with_button(&mut self, label: &'static str, command: Command) {
        if let Some(notice) = self.notices.last_mut() {
            notice.button = Some((label, command));
        }
    }

    /// Reports a failure, until it is dismissed.
    pub fn show_error(&mut self, title: &str, error: &(impl std::error::Error + 'static)) {
        let detail = in_words(error);
        let mut characters = detail.chars();
        let detail = characters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(characters).collect()
        });
        self.notify(NoticeKind::Error, title, detail);
    }

    /// Notes that the project file is out of date.
    pub(super) fn touch(&mut self) {
        self.changed_secs = self.now_secs;
        self.dirty_since_secs.get_or_insert(self.now_secs);
    }

    pub(super) fn save_settings(&mut self) {
        let Some(path) = self.folders.settings_file() else {
            return;
        };
        let job = self.keeping_job();
        self.file_requests.push(FileRequest::Write {
            job,
            path,
            bytes: self.settings.to_bytes(),
        });
    }

    /// Where work, models and runs of the user lie.
    pub fn data_folder(&self) -> Option<&Path> {
        self.folders.data.as_deref()
    }

    /// Where settings lie.
    pub fn config_folder(&self) -> Option<&Path> {
        self.folders.config.as_deref()
    }

    pub fn selected(&self) -> Option<usize> {
        self.document.as_ref()?.selected
    }

    pub(super) fn save_project(&mut self) {
        let again = std::mem::take(&mut self.is_unkept);
        let dirty = self.dirty_since_secs.take().is_some() || again;
        let (Some(document), Some(data), true) = (&self.document, &self.folders.data, dirty) else {
            return;
        };
        let (data_folder, project) = (data.clone(), document.project());
        let job = self.keeping_job();
        self.file_requests.push(FileRequest::SaveProject {
            job,
            data_folder,
            project,
        });
    }

    pub(super) fn set(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        change(&mut self.settings);
        if before != self.settings {
            self.save_settings();
        }
    }

    fn scale(&mut self, larger: bool) {
        self.set(|settings| settings.scale = settings.stepped_scale(larger));
    }

    pub(super) fn with_document(&mut self, change: impl FnOnce(&mut OpenDocument)) {
        if let Some(document) = &mut self.document {
            change(document);
        }
    }

    pub(super) fn document_folder(&self) -> Option<PathBuf> {
        let current = self.document.as_ref().map(|document| &document.path);
        current
            .or(self.settings.recent_documents.first())
            .and_then(|path| path.parent())
            .map(Path::to_owned)
    }

    pub(super) fn model_folder(&self) -> Option<PathBuf> {
        let recent = self
            .settings
            .recent_models
            .first()
            .or(self.shipped.models.first());
        recent
            .and_then(|folder| folder.parent())
            .map(Path::to_owned)
    }
}

/// A failure without the numbers of the system.
pub(super) fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let message = error.to_string();
    // Not one that an error of another crate names as its cause: that says more.
    let base = find::<BaseError>(error).filter(|base| base.to_string() == message);
    let Some(base @ (BaseError::Read { path, cause } | BaseError::Write { path, cause })) = base
    else {
        return without_number(&message) + hint(error);
    };
    let path = path.display();
    let is_read = matches!(base, BaseError::Read { .. });
    match cause.kind() {
        ErrorKind::NotFound if is_read => format!("The file {path} does not exist."),
        ErrorKind::NotFound => format!("The folder for {path} does not exist."),
        ErrorKind::PermissionDenied if is_read => format!("No permission to read {path}."),
        ErrorKind::PermissionDenied => format!("No permission to write {path}."),
        ErrorKind::AlreadyExists => format!("{path} already exists."),
        ErrorKind::StorageFull => format!("No space is left for {path}."),
        _ => without_number(&message),
    }
}

/// The place in the window that helps with an error. Messages of libraries name none, since other programs use them, too.
fn hint(error: &(dyn std::error::Error + 'static)) -> &'static str {
    match find::<BaseError>(error) {
        Some(BaseError::NoModel) => "; choose one in the Model menu",
        Some(BaseError::NoStarterModel) => "; choose another model in the Model menu",
        Some(BaseError::RemoteKey { .. }) => "; give it in the device menu",
        _ => "",
    }
}

/// Text without ` (os error 2)`.
fn without_number(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" (os error ") else {
        return text.to_owned();
    };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{}", without_number(after))
}

#[cfg(test)]
mod word_tests {
    use super::*;

    #[test]
    fn failures_of_the_system_are_reported_in_words() {
        let read = |kind: ErrorKind| {
            crate::error::Error::Base(BaseError::Read {
                path: "nothere.docx".into(),
                cause: kind.into(),
            })
        };
        assert_eq!(
            in_words(&read(ErrorKind::NotFound)),
            "The file nothere.docx does not exist."
        );
        assert_eq!(
            in_words(&read(ErrorKind::PermissionDenied)),
            "No permission to read nothere.docx."
        );
        assert_eq!(
            without_number("refused (os error 111): at home (os error 2)"),
            "refused: at home"
        );
    }

    #[test]
    fn an_error_that_says_more_than_its_cause_keeps_its_words() {
        let cause = BaseError::Read {
            path: "corpus".into(),
            cause: ErrorKind::NotFound.into(),
        };
        let error = canopy_train::error::Error::CorpusGone {
            path: "run".into(),
            cause: Box::new(cause.into()),
        };
        let words = in_words(&crate::error::Error::from(error));
        assert!(words.starts_with("the corpus of the run"), "{words}");
    }
}
