//! The state of the workbench and what commands do to it.

use super::aligning::Aligning;
use super::command::{Command, HelpPage};
use super::document::DocumentPage;
use super::evaluating::Evaluate;
use super::explorer::{Explorer, Present};
use super::models::Models;
use super::project::Projects;
use super::settings::{Folders, Settings, Shipped};
use super::shared::Shared;
use super::training::Training;

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct AppState {
    /// Settings, messages and requests, which all pages use.
    pub shared: Shared,
    /// The page of the document.
    pub document: DocumentPage,
    /// The explorer.
    pub explorer: Explorer,
    /// The page of trainings.
    pub training: Training,
    /// The page of evaluations.
    pub evaluate: Evaluate,
    /// The page of models.
    pub models: Models,
    /// The projects.
    pub projects: Projects,
    /// The page of alignments.
    pub aligning: Aligning,
    /// Whether the list of shortcuts is shown.
    pub shows_shortcuts: bool,
    /// The page of help that is shown over the window.
    pub help: Option<HelpPage>,
    /// Whether a person is naming another machine that computes.
    pub is_naming_machine: bool,
}

impl AppState {
    /// The state of a window that has just opened.
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
        self.document.editing.commit_edit(&self.shared);
        if self.shared.save_failed {
            self.evaluate.keep_judgement(&mut self.shared);
        }
        self.document.editing.save_project(&mut self.shared);
        self.aligning.save(&mut self.shared);
        self.document.note_document(&mut self.shared, &self.models);
        self.shared.save_settings();
    }

    /// Does what a person wants.
    pub fn apply(&mut self, command: impl Into<Command>) {
        self.execute(command.into());
        self.document.editing.follow_selection();
        self.explorer
            .follow_margin(&mut self.shared, &self.document);
        self.document.follow(&mut self.shared, &self.models);
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Window(command) => self.execute_window(command),
            Command::Document(command) => self.execute_document(command),
            Command::Explore(command) => {
                self.with_explorer(|explorer, models, work| {
                    explorer.execute(work, models, command);
                });
            }
            Command::Training(command) => {
                self.training
                    .execute(&mut self.shared, &self.models, &mut self.evaluate, command);
            }
            Command::Evaluate(command) => self.execute_evaluate(command),
            Command::Models(command) => {
                self.with_models(|models, work| models.execute(work, command));
            }
            Command::Project(command) => self.execute_project(command),
            Command::Align(command) => {
                self.aligning
                    .execute(&mut self.shared, &self.document, command);
            }
        }
    }

    /// Whether the command would do something now; menus show the others greyed out.
    pub fn is_enabled(&self, command: &Command) -> bool {
        match command {
            Command::Window(command) => self.is_enabled_window(command),
            Command::Document(command) => self.document.is_enabled(&self.models, command),
            Command::Explore(command) => self.explorer.is_enabled(command),
            Command::Align(command) => self.aligning.can_align(command),
            Command::Training(_)
            | Command::Evaluate(_)
            | Command::Models(_)
            | Command::Project(_) => true,
        }
    }

    /// Why a command would do nothing now, where that is not plain to see.
    pub fn why_not(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Document(command) => self.document.why_not(&self.models, command),
            _ => None,
        }
    }
}
