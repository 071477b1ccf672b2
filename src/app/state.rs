//! The state of the workbench and what commands do to it.

use std::sync::Arc;

use super::aligning::Aligning;
use super::ask::Ask;
use super::command::{Command, HelpPage, Page};
use super::document::DocumentPage;
use super::document::checking::CheckCommand;
use super::document::merging::MergeCommand;
use super::document::terms::TermsCommand;
use super::evaluating::Evaluate;
use super::explorer::{ExploreCommand, Explorer, Present};
use super::find::FindCommand;
use super::models::{ModelState, Models};
use super::open_document::OpenDocument;
use super::project::{ProjectCommand, Projects};
use super::settings::{Folders, Settings, Shipped};
use super::shared::{AUTOSAVE_AT_LEAST_SECS, AUTOSAVE_SECS, Shared};
use super::training::Training;
use super::document::saving::Form;
use crate::jobs::{Overwrite, State};
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

    /// What can be traced.
    pub fn present(&self) -> Present<'_> {
        Present::new(&self.document, &self.models, &self.projects)
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
        self.document.keep_edit_for_good(&self.shared);
        if self.shared.is_unkept {
            self.evaluate.keep_judgement(&mut self.shared);
        }
        self.document.save_project(&mut self.shared);
        self.aligning.save(&mut self.shared);
        self.document.note_document(&mut self.shared, &self.models);
        self.shared.save_settings();
    }

    pub fn apply(&mut self, command: Command) {
        self.carry_out(command);
        self.document.follow_selection();
        self.explorer
            .follow_margin(&mut self.shared, &self.document);
        self.document.follow_checks(&mut self.shared, &self.models);
        self.document.follow_search();
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
            Command::TakeOver => self.document.take_over(&self.shared),
            Command::LeaveMovedWork => self.document.leave_moved_work(&self.shared),
            Command::Save => self.document.save_again(&mut self.shared, &self.models),
            Command::SaveAs => self
                .document
                .ask_where_to_save(&mut self.shared, &self.models),
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
                self.document.write_translation(
                    &mut self.shared,
                    &self.models,
                    &document,
                    path,
                    Form::Document(overwrite),
                );
            }
            Command::Export(format) => self.document.ask_where_to_export(&mut self.shared, format),
            Command::ExportTo {
                document,
                path,
                format,
                overwrite,
            } => self.document.write_translation(
                &mut self.shared,
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
            Command::Cancel => self.document.cancel(),
            Command::Select(sentence) => self.document.select(&self.shared, sentence),
            Command::SelectNext => self.document.step(&self.shared, 1),
            Command::SelectPrevious => self.document.step(&self.shared, -1),
            Command::SelectFirst => self.document.step(&self.shared, isize::MIN),
            Command::SelectLast => self.document.step(&self.shared, isize::MAX),
            Command::PageDown => self
                .document
                .step(&self.shared, self.document.page_of_sentences()),
            Command::PageUp => self
                .document
                .step(&self.shared, -self.document.page_of_sentences()),
            Command::SelectNextOpen => self.document.select_next_unconfirmed(&self.shared),
            Command::SelectLeastSure => self.document.select_least_sure(&self.shared),
            Command::Filter(filter) => self.document.filter(&self.shared, filter),
            Command::AskForSentence(asks) => self.document.asks_for_sentence = asks,
            Command::GoToNumber(number) => self.document.go_to_number(&self.shared, number),
            Command::ShowHelp(page) => self.help = page,
            Command::ScrollTo(sentence) => {
                self.document
                    .with_document(|document| document.scroll_to.set(sentence));
            }
            Command::Visible(sentences) => self.document.set_visible(&sentences),
            Command::Edit => self.document.edit_selected(&self.shared),
            Command::EditSentence(sentence) => self.document.edit(&self.shared, sentence),
            Command::EditWith(text) => self.document.edit_with(&self.shared, &text),
            Command::Editing(text) => self.document.editing(&self.shared, text),
            Command::KeepEdit => {
                self.document.keep_edit(&self.shared);
            }
            Command::KeepEditAndConfirm => self.document.keep_edit_and_confirm(&mut self.shared),
            Command::RepairEdit => self.document.repair_edit(),
            Command::DiscardEdit => self.document.discard_edit(&self.shared),
            Command::InsertTag => self.document.insert_tag(),
            Command::Confirm => self.document.confirm_selected(&mut self.shared),
            Command::ToggleConfirmed(sentence) => {
                self.document.toggle_confirmed(&mut self.shared, sentence);
            }
            Command::Clear(sentence) => self.document.clear(&self.shared, sentence),
            Command::ClearSelected => {
                if let Some(sentence) = self.document.selected() {
                    self.document.clear(&self.shared, sentence);
                }
            }
            Command::CopySource(sentence) => self.document.copy_source(&self.shared, sentence),
            Command::CopySourceSelected => {
                if let Some(sentence) = self.document.selected() {
                    self.document.copy_source(&self.shared, sentence);
                }
            }
            Command::UseMatch(place) => {
                self.document
                    .use_match(&mut self.shared, &self.models, place);
            }
            Command::Undo => self.document.undo(&mut self.shared),
            Command::Redo => self.document.redo(&mut self.shared),
            Command::Find(command) => self.document.apply_find(&mut self.shared, command),
            Command::ChooseModel => self.shared.asks.push(Ask::ModelFolder {
                folder: self.shared.model_folder(),
            }),
            Command::OpenModel(folder) => {
                self.models.open_model(
                    &mut self.shared,
                    &mut self.document,
                    &self.projects,
                    folder,
                );
            }
            Command::ChooseMemory => self.shared.asks.push(Ask::Memory),
            Command::ChooseMemoryFolder => self.shared.asks.push(Ask::MemoryFolder),
            Command::UseMemory(memory) => self.models.use_memory(
                &mut self.shared,
                &mut self.document,
                &mut self.projects,
                memory,
            ),
            Command::UseFurtherMemory(path, penalty) => self.models.use_further_memory(
                &mut self.shared,
                &mut self.document,
                &self.projects,
                &path,
                penalty,
            ),
            Command::LearnFromMemory(learns) => self.models.learn_from_memory(
                &mut self.shared,
                &mut self.document,
                &self.projects,
                learns,
            ),
            Command::Terms(command) => {
                self.document
                    .apply_terms(&mut self.shared, &self.models, command);
            }
            Command::SetDevice(device) => {
                self.models.set_device(
                    &mut self.shared,
                    &mut self.document,
                    &self.projects,
                    device,
                );
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
            Command::UseVersion { sentence, version } => {
                self.document.use_version(&self.shared, sentence, version);
            }
            Command::ShowPage(Page::Explore) => self.explorer.show_page(
                &mut self.shared,
                &mut self.document,
                &self.models,
                &self.projects,
            ),
            Command::ShowPage(Page::Project) => self
                .projects
                .show_project(&mut self.shared, &mut self.document),
            Command::ShowPage(page) => {
                if matches!(page, Page::Training | Page::Evaluate) {
                    self.look_for_missing();
                }
                self.shared.page = page;
            }
            Command::Explore(command) => self.explorer.apply(
                &mut self.shared,
                &mut self.document,
                &mut self.models,
                &self.projects,
                command,
            ),
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
            Command::Models(command) => self.models.apply(
                &mut self.shared,
                &mut self.document,
                &self.projects,
                command,
            ),
            Command::Check(command) => self.document.apply_check(&mut self.shared, command),
            Command::Merge(command) => self.document.apply_merge(&mut self.shared, command),
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
                self.document
                    .apply_language_model(&mut self.shared, &self.models, command);
            }
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
            Command::UseMatch(_) => {
                self.document.selected().is_some() && self.document.memory(&self.models).is_some()
            }
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
            .then(|| self.document.why_no_update(&self.models))
            .flatten()
    }
}

impl DocumentPage {
    /// Looks for the words of the find bar in translations that have changed.
    pub(super) fn follow_search(&mut self) {
        if let Some(document) = &mut self.open {
            document.search_again();
        }
    }

    /// The translation memory, whichever way the model uses it.
    pub fn memory<'m>(&self, models: &'m Models) -> Option<&'m Arc<TranslationMemory>> {
        match &models.current {
            ModelState::Open { memory, .. } if self.without_model(models).is_none() => {
                memory.as_ref()
            }
            _ => models.memory_without_model(),
        }
    }
}
