//! The settings of the open project while a person changes them.

use std::path::PathBuf;

use super::{ProjectCommand, Projects, Taking};
use crate::ask::DialogRequest;
use crate::document::DocumentPage;
use crate::document::terms::TermsCommand;
use crate::jobs::ProjectRequest;
use crate::models::ModelsCommand;
use crate::shared::Shared;
use crate::state::AppState;
use canopy_corpus::is_same_language;
use canopy_project::{MAX_PENALTY, ProjectMemory, ProjectSettings};

/// A step on the way to other settings; nothing is kept before [`Self::Keep`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsCommand {
    /// Shows those that the project has.
    Show,
    /// Takes what a person has changed.
    Fill(Box<ProjectSettings>),
    /// Asks for one more memory.
    AskMemory,
    /// Adds a memory.
    AddMemory(PathBuf),
    /// Moves the memory of this number down by a number of rows.
    MoveMemory(usize, isize),
    /// Removes the memory of this number.
    RemoveMemory(usize),
    /// Opens the dialog for one more termbase.
    AskTerms,
    /// Adds a termbase.
    AddTerms(PathBuf),
    /// Moves the termbase of this number so many rows down.
    MoveTerms(usize, isize),
    /// Removes the termbase of this number.
    RemoveTerms(usize),
    /// Keeps the settings.
    Keep,
    /// Gives the changes up.
    Discard,
}

impl Projects {
    pub(super) fn change_project_settings(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        command: SettingsCommand,
    ) {
        use SettingsCommand as S;
        if command == S::Show {
            let open = self.open.as_ref();
            self.settings = open.map(|status| ProjectSettings::from_head(&status.project.head));
            return;
        }
        let Some(settings) = &mut self.settings else {
            return;
        };
        match command {
            S::Show => {}
            S::Fill(filled) => *settings = *filled,
            S::AskMemory => shared.asks.push(DialogRequest::ProjectMemory),
            S::AddMemory(path) => {
                let path = path.to_string_lossy().into_owned();
                settings.memories.push(ProjectMemory { path, penalty: 0 });
            }
            S::MoveMemory(number, by) => shift(&mut settings.memories, number, by),
            S::RemoveMemory(number) => {
                if number < settings.memories.len() {
                    settings.memories.remove(number);
                }
            }
            S::AskTerms => shared.asks.push(DialogRequest::ProjectTerms),
            S::AddTerms(path) => settings.terms.push(path.to_string_lossy().into_owned()),
            S::MoveTerms(number, by) => shift(&mut settings.terms, number, by),
            S::RemoveTerms(number) => {
                if number < settings.terms.len() {
                    settings.terms.remove(number);
                }
            }
            S::Keep => self.keep_project_settings(shared, document),
            S::Discard => self.settings = None,
        }
    }

    fn keep_project_settings(&mut self, shared: &mut Shared, document: &mut DocumentPage) {
        let Some(mut settings) = self.settings.take() else {
            return;
        };
        for memory in &mut settings.memories {
            memory.penalty = memory.penalty.min(MAX_PENALTY);
        }
        // The document takes over what the head says; its own work is written first.
        document.editing.keep_edit_if_valid(shared);
        document.editing.save_project(shared);
        self.taking = Some(Taking::Settings);
        self.request_project(shared, |job, folder| ProjectRequest::Configure {
            job,
            folder,
            settings: Box::new(settings),
        });
    }
}

impl AppState {
    /// After the project has taken other settings: its model, its memories and its termbases are used from now on.
    pub(super) fn use_project_settings(&mut self) {
        let Some(status) = &self.projects.open else {
            return;
        };
        let terms = status.project.terms();
        let head = &status.project.head;
        let target = head.model.is_none().then(|| head.target_language.clone());
        let open = self.document.editing.open.as_ref();
        if open.is_some_and(|open| status.project.has(&open.path)) {
            self.apply(TermsCommand::Use(terms));
        }
        self.projects
            .use_project_model(&mut self.shared, &mut self.document, &mut self.models);
        let Some(target) = target else {
            return;
        };
        let now = self.document.languages(&self.models);
        if now.is_some_and(|(_, now)| !is_same_language(&now, &target)) {
            self.apply(ModelsCommand::TranslateTo(target));
        }
    }
}

/// Moves an item so many places down, if there is a place.
fn shift<T>(list: &mut [T], number: usize, by: isize) {
    let to = number.saturating_add_signed(by);
    if number.max(to) < list.len() {
        list.swap(number, to);
    }
}

impl From<SettingsCommand> for ProjectCommand {
    fn from(command: SettingsCommand) -> Self {
        Self::Settings(command)
    }
}
