//! All documents of a project, translated one after the other: each is opened, translated and kept.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::command::Scope;
use crate::jobs::DocumentStatus;
use crate::notices::NoticeKind;
use crate::state::AppState;

/// The documents under way.
#[derive(Debug, Default)]
pub(crate) struct Translating {
    /// The one that is open, or being opened.
    current: PathBuf,
    waiting: VecDeque<PathBuf>,
    done: usize,
}

impl AppState {
    pub(crate) fn translate_project(&mut self) {
        if self.document.translations.is_busy() {
            return;
        }
        self.document.editing.keep_edit_if_valid(&self.shared);
        let Some(status) = &self.projects.open else {
            return;
        };
        let open = self.document.editing.open.as_ref();
        let is_left = |row: &&DocumentStatus| {
            let path = status.project.path(&row.document);
            let here = open.filter(|open| open.path == path);
            let untranslated =
                here.map_or(row.untranslated, |open| open.progress.counts().untranslated);
            untranslated > 0 && row.problem.is_none()
        };
        let left = status.documents.iter().filter(is_left);
        let waiting: VecDeque<PathBuf> =
            left.map(|row| status.project.path(&row.document)).collect();
        if waiting.is_empty() {
            return self
                .shared
                .notify(NoticeKind::Hint, "All documents are translated", "");
        }
        self.document.translations.batch = Some(Translating {
            waiting,
            ..Translating::default()
        });
        self.translate_next_document();
    }

    /// Opens the next document, or reports that there are no more.
    fn translate_next_document(&mut self) {
        let Some(translating) = &mut self.document.translations.batch else {
            return;
        };
        let Some(path) = translating.waiting.pop_front() else {
            let title = match translating.done {
                1 => "1 document is translated".to_owned(),
                count => format!("{count} documents are translated"),
            };
            self.document.translations.batch = None;
            self.shared.notify(NoticeKind::Done, title, "");
            return self
                .projects
                .show_project(&mut self.shared, &mut self.document);
        };
        translating.current.clone_from(&path);
        let is_open = self
            .document
            .editing
            .open
            .as_ref()
            .is_some_and(|open| open.path == path);
        if is_open {
            self.translate_document_of_project(&path);
        } else {
            self.open(path);
        }
    }

    /// After a document was opened, or was open already: translates it if it is the next one.
    pub(crate) fn translate_document_of_project(&mut self, path: &Path) {
        let Some(translating) = &self.document.translations.batch else {
            return;
        };
        if translating.current != path {
            // A person has opened another one.
            self.document.translations.batch = None;
            return;
        }
        let open = self.document.editing.open.as_ref();
        let is_left = open.is_some_and(|open| open.progress.counts().untranslated > 0);
        if !is_left {
            return self.translate_next_document();
        }
        self.translate(Scope::Document);
        if !self.document.translations.is_busy() {
            // There is no model for it, which is reported.
            self.document.translations.batch = None;
        }
    }

    /// After a translation has ended.
    pub(crate) fn translated_document_of_project(&mut self, is_cancelled: bool) {
        let Some(translating) = &mut self.document.translations.batch else {
            return;
        };
        if is_cancelled {
            self.document.translations.batch = None;
            return;
        }
        translating.done += 1;
        self.translate_next_document();
    }
}
