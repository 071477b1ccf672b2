//! The state of the workbench and what commands do to it.

use super::aligning::Aligning;
use super::ask::Ask;
use super::command::{Command, HelpPage, Page};
use super::document::DocumentPage;
use super::document::alternatives::AlternativesCommand;
use super::document::checking::CheckCommand;
use super::document::editing::finding;
use super::document::merging::MergeCommand;
use super::document::saving::{self, Form};
use super::document::terms::TermsCommand;
use super::evaluating::Evaluate;
use super::explorer::{ExploreCommand, Explorer, Present};
use super::find::FindCommand;
use super::models::Models;
use super::project::{ProjectCommand, Projects};
use super::settings::{Folders, Settings, Shipped};
use super::shared::Shared;
use super::training::Training;
use crate::jobs::{Overwrite, State};

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct AppState {
    /// Settings, messages and requests, which all pages use.
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

    /// The present work, which can be traced.
    pub fn present(&self) -> Present<'_> {
        Present::new(&self.document, &self.models, &self.projects)
    }

    /// Advances the clock: saves what is due and removes old messages. Returns when it wants to be called again.
    pub fn tick(&mut self, now_secs: f64) -> Option<f64> {
        self.shared.now_secs = now_secs;
        self.shared
            .notices
            .retain(|notice| notice.until_secs.is_none_or(|until| until > now_secs));
        let due = self.document.editing.due_secs();
        if due.is_some_and(|due| due <= now_secs) {
            self.document.editing.save_project(&mut self.shared);
        }
        let due = self.document.editing.due_secs();
        let alignment_due = self.aligning.tick(&mut self.shared);
        let form_due = self.training.tick(&mut self.shared);
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
        self.document.editing.keep_edit_for_good(&self.shared);
        if self.shared.is_unkept {
            self.evaluate.keep_judgement(&mut self.shared);
        }
        self.document.editing.save_project(&mut self.shared);
        self.aligning.save(&mut self.shared);
        self.document.note_document(&mut self.shared, &self.models);
        self.shared.save_settings();
    }

    pub fn apply(&mut self, command: Command) {
        self.execute(command);
        self.document.editing.follow_selection();
        self.explorer
            .follow_margin(&mut self.shared, &self.document);
        self.document.follow(&mut self.shared, &self.models);
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    fn execute(&mut self, command: Command) {
        match command {
            Command::Open => self.shared.asks.push(Ask::OpenDocument {
                folder: self.document.editing.document_folder(&self.shared),
            }),
            Command::OpenPath(path) => self.open(path),
            Command::Drop(paths) => self.open_dropped(paths),
            Command::CloseDocument => self.close_document(),
            Command::TakeOver => self.document.editing.take_over(&self.shared),
            Command::LeaveMovedWork => self.document.editing.leave_moved_work(&self.shared),
            Command::Save => self.document.saving.save_again(
                &mut self.shared,
                &mut self.document.editing,
                &self.models,
            ),
            Command::SaveAs => {
                saving::ask_where(&mut self.shared, &mut self.document.editing, &self.models);
            }
            Command::SaveTo {
                document,
                path,
                overwrite,
            } => {
                let overwrite = if overwrite {
                    Overwrite::Any
                } else {
                    Overwrite::Nothing
                };
                self.document.saving.write(
                    &mut self.shared,
                    &mut self.document.editing,
                    &self.models,
                    &document,
                    path,
                    Form::Document(overwrite),
                );
            }
            Command::Export(format) => {
                saving::ask_where_to_export(&mut self.shared, &mut self.document.editing, format);
            }
            Command::ExportTo {
                document,
                path,
                format,
                overwrite,
            } => self.document.saving.write(
                &mut self.shared,
                &mut self.document.editing,
                &self.models,
                &document,
                path,
                Form::Export(format, overwrite),
            ),
            Command::Quit => self.shared.asks.push(Ask::Quit),
            Command::ShowFolder(folder) => self.shared.asks.push(Ask::ShowFolder(folder)),
            Command::ShowDataFolder => self
                .shared
                .asks
                .extend(self.shared.folders.data.clone().map(Ask::ShowFolder)),
            Command::Translate(scope) => self.translate(scope),
            Command::UpdateRest => self.document.update_rest(&mut self.shared, &self.models),
            Command::Cancel => self.document.translations.cancel(),
            Command::Select(sentence) => self.document.editing.select(&self.shared, sentence),
            Command::SelectNext => self.document.editing.step(&self.shared, 1),
            Command::SelectPrevious => self.document.editing.step(&self.shared, -1),
            Command::SelectFirst => self.document.editing.step(&self.shared, isize::MIN),
            Command::SelectLast => self.document.editing.step(&self.shared, isize::MAX),
            Command::PageDown => self
                .document
                .editing
                .step(&self.shared, self.document.editing.page_of_sentences()),
            Command::PageUp => self
                .document
                .editing
                .step(&self.shared, -self.document.editing.page_of_sentences()),
            Command::SelectNextOpen => self.document.editing.select_next_unconfirmed(&self.shared),
            Command::SelectLeastSure => self.document.editing.select_least_sure(&self.shared),
            Command::Filter(filter) => {
                self.document.editing.filter(
                    &self.shared,
                    &self.document.checking.findings,
                    filter,
                );
            }
            Command::AskForSentence(asks) => self.document.editing.asks_for_sentence = asks,
            Command::GoToNumber(number) => self.document.editing.go_to_number(&self.shared, number),
            Command::ShowHelp(page) => self.help = page,
            Command::ScrollTo(sentence) => {
                self.document
                    .editing
                    .with_document(|document| document.scroll_to.set(sentence));
            }
            Command::Visible(sentences) => self.document.set_visible(&sentences),
            Command::Edit => self.document.editing.edit_selected(&self.shared),
            Command::EditSentence(sentence) => self.document.editing.edit(&self.shared, sentence),
            Command::EditWith(text) => self.document.editing.edit_with(&self.shared, &text),
            Command::Editing(text) => self.document.editing.set_text(&self.shared, text),
            Command::KeepEdit => {
                self.document.editing.keep_edit(&self.shared);
            }
            Command::KeepEditAndConfirm => self
                .document
                .editing
                .keep_edit_and_confirm(&mut self.shared),
            Command::RepairEdit => self.document.editing.repair_edit(),
            Command::DiscardEdit => self.document.editing.discard_edit(&self.shared),
            Command::InsertTag => self.document.editing.insert_tag(),
            Command::Confirm => self.document.editing.confirm_selected(&mut self.shared),
            Command::ToggleConfirmed(sentence) => {
                self.document
                    .editing
                    .toggle_confirmed(&mut self.shared, sentence);
            }
            Command::Clear(sentence) => self.document.editing.clear(&self.shared, sentence),
            Command::ClearSelected => {
                if let Some(sentence) = self.document.editing.selected() {
                    self.document.editing.clear(&self.shared, sentence);
                }
            }
            Command::CopySource(sentence) => {
                self.document.editing.copy_source(&self.shared, sentence);
            }
            Command::CopySourceSelected => {
                if let Some(sentence) = self.document.editing.selected() {
                    self.document.editing.copy_source(&self.shared, sentence);
                }
            }
            Command::UseMatch(place) => {
                self.document
                    .use_match(&mut self.shared, &self.models, place);
            }
            Command::Undo => self.document.undo(&mut self.shared),
            Command::Redo => self.document.redo(&mut self.shared),
            Command::Find(command) => {
                finding::apply(&mut self.shared, &mut self.document.editing, command);
            }
            Command::ChooseModel => self.shared.asks.push(Ask::ModelFolder {
                folder: self.shared.model_folder(),
            }),
            Command::OpenModel(folder) => {
                self.with_models(|models, work| models.open_model(work, folder));
            }
            Command::ChooseMemory => self.shared.asks.push(Ask::Memory),
            Command::ChooseMemoryFolder => self.shared.asks.push(Ask::MemoryFolder),
            Command::UseMemory(memory) => self.models.use_memory(
                &mut self.shared,
                &mut self.document,
                &mut self.projects,
                memory,
            ),
            Command::UseFurtherMemory(path, penalty) => {
                self.with_models(|models, work| models.use_further_memory(work, &path, penalty));
            }
            Command::LearnFromMemory(learns) => {
                self.with_models(|models, work| models.learn_from_memory(work, learns));
            }
            Command::Terms(command) => {
                self.document.terms.apply(
                    &mut self.shared,
                    &mut self.document.editing,
                    &self.models,
                    command,
                );
            }
            Command::SetDevice(device) => {
                self.with_models(|models, work| models.set_device(work, device));
            }
            Command::SetBeamSize(beam_size) => {
                self.shared
                    .set(|settings| settings.beam_size = beam_size.min(16));
            }
            Command::SetAddress(choice) => self.shared.set(|settings| settings.address = choice),
            Command::SetSubtitleLayout(layout) => {
                self.shared.set(|settings| settings.subtitles = layout);
            }
            Command::Segments(command) => {
                self.document
                    .apply_segments(&mut self.shared, &self.models, command);
            }
            Command::ReadAs(reading) => self.document.read_as(&mut self.shared, reading),
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
            Command::Alternatives(command) => {
                self.document
                    .apply_alternatives(&mut self.shared, &self.models, command);
            }
            Command::UseVersion { sentence, version } => {
                self.document
                    .editing
                    .use_version(&self.shared, sentence, version);
            }
            Command::ShowPage(Page::Explore) => {
                self.with_explorer(|explorer, models, work| explorer.show_page(work, models));
            }
            Command::ShowPage(Page::Project) => self
                .projects
                .show_project(&mut self.shared, &mut self.document),
            Command::ShowPage(page) => {
                if matches!(page, Page::Training | Page::Evaluate) {
                    self.look_for_missing();
                }
                self.shared.page = page;
            }
            Command::Explore(command) => {
                self.with_explorer(|explorer, models, work| explorer.apply(work, models, command));
            }
            Command::Evaluate(command) => {
                if let Some(unit) =
                    self.evaluate
                        .apply(&mut self.shared, &mut self.training, command)
                {
                    self.trace_unit(unit);
                }
            }
            Command::Training(command) => {
                self.training
                    .apply(&mut self.shared, &self.models, &mut self.evaluate, command);
            }
            Command::Models(command) => {
                self.with_models(|models, work| models.apply(work, command));
            }
            Command::Check(command) => {
                self.document
                    .checking
                    .apply(&mut self.shared, &mut self.document.editing, command);
            }
            Command::Merge(command) => {
                self.document
                    .merges
                    .apply(&mut self.shared, &mut self.document.editing, command);
            }
            Command::Align(command) => {
                self.aligning
                    .apply(&mut self.shared, &self.document, command);
            }
            Command::Project(ProjectCommand::TranslateAll) => self.translate_project(),
            Command::Project(command) => self.projects.apply(
                &mut self.shared,
                &mut self.document,
                &mut self.models,
                command,
            ),
            Command::LanguageModel(command) => {
                self.document.suggestions.apply(
                    &mut self.shared,
                    &mut self.document.editing,
                    &self.document.terms,
                    &self.models,
                    command,
                );
            }
            Command::Machine(command) => self.apply_machine(command),
            Command::DismissNotice(id) => self.shared.notices.retain(|notice| notice.id != id),
        }
    }

    /// Whether the command would do something now; menus show the others greyed out.
    pub fn is_enabled(&self, command: &Command) -> bool {
        let document = self.document.editing.open.as_ref();
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
                    && self.document.translations.running.is_none()
            }
            Command::UpdateRest => self.why_not(command).is_none(),
            Command::ScaleUp => {
                self.shared.settings.stepped_scale(true) != self.shared.settings.scale
            }
            Command::ScaleDown => {
                self.shared.settings.stepped_scale(false) != self.shared.settings.scale
            }
            Command::ScaleToUsual => self.shared.settings.scale != 100,
            Command::Cancel => self.document.translations.is_busy(),
            Command::Explore(ExploreCommand::Back) => self.explorer.inquiry.can_go_back(),
            Command::ClearSelected => document.is_some_and(|open| {
                let is_translated = |it| open.target(it).state != State::Untranslated;
                open.selected.is_some_and(is_translated)
            }),
            Command::UseMatch(_) => {
                self.document.editing.selected().is_some()
                    && self.document.pair(&self.models).memory().is_some()
            }
            Command::Alternatives(AlternativesCommand::Use(place)) => {
                self.document.alternatives.get(*place).is_some()
            }
            Command::Undo => document.is_some_and(|open| open.history.can_undo()),
            Command::Redo => document.is_some_and(|open| open.history.can_redo()),
            Command::Edit
            | Command::Alternatives(AlternativesCommand::Find)
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
            | Command::SelectNextOpen => self.document.editing.selected().is_some(),
            Command::ShowPage(Page::Project) => self.projects.open.is_some(),
            Command::Align(command) => self.aligning.can_align(command),
            Command::SelectLeastSure => {
                document.is_some_and(|open| open.progress.has_confidences())
            }
            _ => true,
        }
    }

    /// Why a command would do nothing now, where that is not plain to see.
    pub fn why_not(&self, command: &Command) -> Option<&'static str> {
        (*command == Command::UpdateRest)
            .then(|| self.document.why_no_update(&self.models))
            .flatten()
    }
}
