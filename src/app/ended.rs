//! Jobs that have ended: documents that are open, translations that are done, and failures.

use std::path::PathBuf;
use std::sync::Arc;

use crate::command::Page;
use crate::document::translations::finish_update;
use crate::error::Error;
use crate::jobs::{JobId, Project};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use crate::state::AppState;
use canopy_base::error::find;
use canopy_document::document::Document;
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::DeviceChoice;

const NOT_OPENED: &str = "The document could not be opened";

impl AppState {
    pub(super) fn document_opened(
        &mut self,
        path: PathBuf,
        document: Arc<Document>,
        project: Option<&Project>,
    ) {
        // The same document once more: what was done while it was read is not in what was read.
        self.document.editing.commit_edit(&self.shared);
        let here = self
            .document
            .editing
            .open
            .as_ref()
            .filter(|open| open.path == path);
        let place = here.and_then(OpenDocument::place);
        let here = here.map(OpenDocument::project);
        let here = here.filter(Project::has_work);
        self.close_document();
        self.document.opening = None;
        // Hints are of the past; errors stay until they are dismissed.
        self.shared
            .notices
            .retain(|notice| notice.kind == NoticeKind::Error && notice.title != NOT_OPENED);
        // The explorer, while it is empty, continues from here by itself.
        if self.shared.page != Page::Explore || self.explorer.inquiry.trace.is_some() {
            self.shared.page = Page::Document;
        }
        self.shared.settings.remember_document(&path);
        self.shared.save_settings();
        let project = here.as_ref().or(project);
        let mut open = OpenDocument::new(path, document, project);
        open.terms = match project {
            Some(project) => project.terms.iter().map(PathBuf::from).collect(),
            None => self.shared.settings.terms.clone(),
        };
        if open.source_language.is_none() && open.target_language.is_none() {
            // The languages that the program was started with.
            [open.source_language, open.target_language] = self.models.said.clone();
        }
        if let Some(place) = &place {
            open.go_to(place);
        }
        if let Some(note) = self.shared.settings.note(&open.path) {
            open.written.clone_from(&note.written);
            // The document may have become shorter.
            if place.is_none() && note.sentence < open.num_sentences() {
                open.select(note.sentence);
            }
        }
        let said = project.and_then(|project| project.reading.clone());
        let is_kept = said.unwrap_or_default() == open.document.reading;
        self.document.editing.open = Some(open);
        if !is_kept {
            self.document.editing.touch(&self.shared);
        }
        self.document.terms.selected = None;
        self.document.read_terms(&mut self.shared, &self.models);
        let path = self
            .document
            .editing
            .open
            .as_ref()
            .map(|open| open.path.clone());
        self.projects.document_of_project(
            &mut self.shared,
            &mut self.document,
            &mut self.models,
            &path.unwrap_or_default(),
        );
        self.models.is_undecided = true;
        self.with_models(Models::choose_for_document);
        self.opened_for_trace();
        let path = self
            .document
            .editing
            .open
            .as_ref()
            .map(|open| open.path.clone());
        self.translate_document_of_project(&path.unwrap_or_default());
    }

    pub(super) fn finished(&mut self, job: JobId, cancelled: bool) {
        let Some(running) = self
            .document
            .translations
            .running
            .take_if(|running| running.job == job)
        else {
            return;
        };
        self.document.translations.last_progress = Some(running.progress);
        finish_update(&mut self.shared, &mut self.document.editing, &running);
        self.with_explorer(|explorer, models, work| explorer.trace_if_shown(work, models));
        self.translated_for_trace();
        let missing = running.progress.num_sentences - running.progress.done_sentences;
        if cancelled && missing > 0 {
            let detail = format!("{missing} sentences are left; translate again to continue.");
            self.shared
                .notify(NoticeKind::Hint, "Translation cancelled", detail);
        }
        self.translated_document_of_project(cancelled);
    }

    pub(super) fn failed(&mut self, job: JobId, error: &Error) {
        self.document.trace.not_written(job);
        let running = self
            .document
            .translations
            .running
            .as_ref()
            .map(|running| running.job);
        let opening = self.document.opening.as_ref().map(|(job, _)| *job);
        if [running, opening].contains(&Some(job)) || self.models.in_use.is_opening(job) {
            self.document.translations.stop_project();
        }
        if self.models.in_use.is_opening(job) {
            self.document.translations.waiting_scope = None;
            self.document.trace.forget();
            // The worker still has the model that was open before.
            self.models.in_use.current = self.models.in_use.previous.take().unwrap_or_default();
            self.models.model_not_in_use(error);
            if matches!(find(error), Some(TranslateError::NoGpu)) {
                // Else the next start would find none either.
                self.shared
                    .set(|settings| settings.device = DeviceChoice::Auto.into());
            }
            self.shared
                .show_error("The model could not be opened", error);
        } else if let Some(running) = self
            .document
            .translations
            .running
            .take_if(|running| running.job == job)
        {
            finish_update(&mut self.shared, &mut self.document.editing, &running);
            self.document.trace.forget();
            self.shared.show_error("The translation stopped", error);
        } else if self
            .document
            .opening
            .take_if(|(opening, _)| *opening == job)
            .is_some()
        {
            self.document.trace.forget();
            self.shared.show_error(NOT_OPENED, error);
        } else if self.document.saving.ended(job) {
            self.shared.failed_to_write(error);
            self.shared
                .show_error("The translation could not be saved", error);
        } else if !self.explorer.failed(&mut self.shared, job, error)
            && !self
                .evaluate
                .failed(&mut self.shared, &mut self.training, job, error)
            && !self
                .training
                .failed(&mut self.shared, &mut self.evaluate, job, error)
            && !self.models.installing.failed(&mut self.shared, job, error)
            && !self.models.getting.failed(&mut self.shared, job, error)
            && !self.document.checking.failed(job)
            && !self.document.alternatives.failed(job, error)
        {
            self.shared.failed_to_write(error);
            let title = if self.shared.keeping.contains(&job) {
                // Once more with the next change, and before the document closes.
                self.shared.save_failed = true;
                "Your work could not be saved"
            } else {
                "The action failed"
            };
            self.shared.show_error(title, error);
        }
    }
}

/// Says why earlier work on a document is not shown.
pub(super) fn show_project_error(shared: &mut Shared, error: &Error) {
    if let Some(canopy_project::error::Error::ProjectBusy { .. }) = find(error) {
        return shared.show_error("This document is open in another window", error);
    }
    shared.show_error("Earlier work on this document could not be read", error);
    if let Some(notice) = shared.notices.last_mut() {
        notice.detail += "\nIt stays as it is; your work is kept in a new file next to it.";
    }
}
