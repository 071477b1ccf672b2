//! The termbase of the open document: which one it is, what it says of a sentence, terms that a person adds.

use std::path::PathBuf;
use std::sync::Arc;

use super::ask::Ask;
use super::state::{AppState, NoticeKind};
use super::terms::{NewTerm, SourceSelection, TermsCommand};
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use crate::terms::{Stems, TargetWords, Term, TermIndex, Termbase};
use crate::text::placeholder::stripped;

impl AppState {
    pub(super) fn apply_terms(&mut self, command: TermsCommand) {
        match command {
            TermsCommand::Choose => self.asks.push(Ask::Terms),
            TermsCommand::Use(path) => self.use_terms(path),
            TermsCommand::SelectSource(selection) => self.terms.selected = Some(selection),
            TermsCommand::SelectTarget(text) => self.terms.selected_target = text,
            TermsCommand::InsertNext => self.insert_next_term(),
            TermsCommand::Insert(text) => self.insert(text),
            TermsCommand::New => self.begin_term(),
            TermsCommand::SetNew(new) => self.terms.new = Some(new),
            TermsCommand::AddNew => self.add_term(),
            TermsCommand::DiscardNew => self.terms.new = None,
        }
    }

    /// Uses a termbase for the open document, and for those that are opened next.
    pub(super) fn use_terms(&mut self, path: Option<PathBuf>) {
        self.set(|settings| {
            if let Some(path) = &path {
                settings.remember_terms(path);
            }
            settings.terms.clone_from(&path);
        });
        self.with_document(|document| document.terms.clone_from(&path));
        if self.document.is_some() {
            self.touch();
        }
        self.read_terms();
    }

    /// The termbase of the open document, or the one that the next document gets.
    fn terms_path(&self) -> Option<PathBuf> {
        match &self.document {
            Some(document) => document.terms.clone(),
            None => self.settings.terms.clone(),
        }
    }

    /// Reads the termbase again, if there is a model that says its languages.
    pub(super) fn read_terms(&mut self) {
        let path = self.terms_path();
        self.terms.path.clone_from(&path);
        (self.terms.index, self.terms.reading) = (None, None);
        let (Some(path), Some((source_language, target_language))) = (path, self.languages())
        else {
            return;
        };
        let job = self.next_job();
        self.terms.reading = Some(job);
        self.file_requests.push(FileRequest::ReadTerms {
            job,
            path,
            source_language,
            target_language,
        });
    }

    pub(super) fn terms_read(&mut self, job: JobId, base: Result<Arc<TermIndex>>) {
        if self
            .terms
            .reading
            .take_if(|reading| *reading == job)
            .is_none()
        {
            return;
        }
        match base {
            Ok(index) => self.terms.index = Some(index),
            Err(error) => self.show_error("The termbase could not be read", &error),
        }
    }

    fn insert_next_term(&mut self) {
        let Some(sentence) = self.selected() else {
            return;
        };
        let (Some(index), Some(document)) = (&self.terms.index, &self.document) else {
            return;
        };
        let written = match &document.editor {
            Some(editor) if editor.sentence == sentence => editor.text.clone(),
            _ => stripped(&document.target(sentence).text),
        };
        let stems = Stems::of(&index.base().target_language);
        let words = TargetWords::of(&written, &stems);
        let matches = index.find(&document.document.sentences[sentence].text);
        let lacking = matches.iter().find_map(|found| {
            let is_used = index
                .terms(found)
                .flat_map(|it| &it.targets)
                .any(|it| words.has(it));
            let mut terms = index.terms(found).filter(|_| !is_used);
            terms.find_map(|term| term.target().map(str::to_owned))
        });
        match lacking {
            Some(text) => self.insert(text),
            None => self.notify(
                NoticeKind::Hint,
                "No term to insert",
                "The translation has all terms of this sentence.",
            ),
        }
    }

    /// Opens the editor on the selected sentence, if it is not open, and writes a text where the caret is.
    fn insert(&mut self, text: String) {
        let Some(selected) = self.selected() else {
            return;
        };
        let editor = self
            .document
            .as_ref()
            .and_then(|document| document.editor.as_ref());
        if editor.is_none_or(|editor| editor.sentence != selected) {
            self.edit_selected();
        }
        self.with_document(|document| {
            if let Some(editor) = &mut document.editor {
                editor.insert = Some(text);
            }
        });
    }

    fn begin_term(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let selection = self.terms.selected.as_ref();
        let selection = selection.filter(|it| Some(it.sentence) == document.selected);
        let source = selection.map_or_else(String::new, |SourceSelection { sentence, chars }| {
            let shown = stripped(&document.document.sentences[*sentence].text);
            shown.chars().skip(chars.start).take(chars.len()).collect()
        });
        self.terms.new = Some(NewTerm {
            source: source.trim().to_owned(),
            target: self.terms.selected_target.trim().to_owned(),
        });
    }

    /// Adds the new term to the termbase and keeps that on disk; where there is none yet, it begins one beside the projects.
    fn add_term(&mut self) {
        let Some(new) = self.terms.new.clone() else {
            return;
        };
        let (source, target) = (new.source.trim(), new.target.trim());
        if source.is_empty() || target.is_empty() {
            return;
        }
        let Some((from, to)) = self.languages() else {
            let detail = "Open a model first: it says the languages.";
            return self.notify(NoticeKind::Error, "The term was not added", detail);
        };
        if self.terms.reading.is_some() {
            let detail = "The termbase is still being read.";
            return self.notify(NoticeKind::Error, "The term was not added", detail);
        }
        let path = match (&self.terms.path, &self.terms.index) {
            (Some(path), Some(_)) => path.clone(),
            (Some(_), None) => {
                let detail =
                    "The termbase could not be read, and is not overwritten. Choose another one.";
                return self.notify(NoticeKind::Error, "The term was not added", detail);
            }
            (None, _) => {
                let Some(data) = &self.folders.data else {
                    let detail = "Choose a termbase first.";
                    return self.notify(NoticeKind::Error, "The term was not added", detail);
                };
                data.join("terms").join(format!("{from}-{to}.csv"))
            }
        };
        self.terms.new = None;
        let job = self.keeping_job();
        self.terms.reading = Some(job);
        self.file_requests.push(FileRequest::AddTerm {
            job,
            path: path.clone(),
            languages: (from, to),
            term: Term::new(source, target),
        });
        if self.terms.path.is_none() {
            self.set(|settings| {
                settings.remember_terms(&path);
                settings.terms = Some(path.clone());
            });
            self.with_document(|document| document.terms = Some(path.clone()));
            self.touch();
            self.terms.path = Some(path);
        }
    }

    /// The termbase that translations use.
    pub(super) fn termbase(&self) -> Option<Arc<Termbase>> {
        self.terms
            .index
            .as_ref()
            .map(|index| Arc::clone(index.base()))
    }
}
