//! The termbase of the open document: which one it is, what it says of a sentence, terms that a person adds.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::ask::DialogRequest;
use crate::document::editing::Editing;
use crate::document::terms::{NewTerm, SourceSelection, Terms, TermsCommand};
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_document::placeholder::stripped;
use canopy_qa::terms::{Stems, TargetWords, Term, TermIndex, Termbase};
use canopy_translate::inference::pair_key;

impl Terms {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        models: &Models,
        command: TermsCommand,
    ) {
        match command {
            TermsCommand::Choose => shared.asks.push(DialogRequest::Terms),
            TermsCommand::Use(paths) => self.use_files(shared, editing, models, paths),
            TermsCommand::Also(path) => {
                let mut paths = files(shared, editing);
                paths.retain(|other| *other != path);
                paths.push(path);
                self.use_files(shared, editing, models, paths);
            }
            TermsCommand::SelectSource(selection) => {
                if !selection.chars.is_empty() && editing.selected() != Some(selection.sentence) {
                    editing.select(shared, selection.sentence);
                }
                self.selected = Some(selection);
            }
            TermsCommand::SelectTarget(text) => self.selected_target = text,
            TermsCommand::InsertNext => self.insert_next(shared, editing),
            TermsCommand::Insert(text) => editing.insert_term(shared, text),
            TermsCommand::New => self.begin(editing),
            TermsCommand::SetNew(new) => self.new = Some(new),
            TermsCommand::AddNew => self.add(shared, editing, models),
            TermsCommand::DiscardNew => self.new = None,
        }
    }

    /// Uses termbases for the open document, and for those that are opened next.
    pub(crate) fn use_files(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        models: &Models,
        paths: Vec<PathBuf>,
    ) {
        shared.set(|settings| {
            for path in paths.iter().rev() {
                settings.remember_terms(path);
            }
            settings.terms.clone_from(&paths);
        });
        keep_for_pair(shared, editing, models, paths.clone());
        editing.with_document(|document| document.terms = paths);
        if editing.open.is_some() {
            editing.touch(shared);
        }
        self.read(shared, editing, models);
    }

    /// Reads the termbases again, if there is a model that says their languages.
    pub(crate) fn read(&mut self, shared: &mut Shared, editing: &Editing, models: &Models) {
        let paths = files(shared, editing);
        self.paths.clone_from(&paths);
        (self.index, self.reading) = (None, None);
        let Some((source_language, target_language)) = editing.pair(models).codes() else {
            return;
        };
        if paths.is_empty() {
            return;
        }
        let job = shared.next_job();
        self.reading = Some(job);
        shared.file_requests.push(FileRequest::ReadTerms {
            job,
            paths,
            source_language,
            target_language,
        });
    }

    pub(crate) fn was_read(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        base: Result<Arc<TermIndex>>,
    ) {
        if self.reading.take_if(|reading| *reading == job).is_none() {
            return;
        }
        match base {
            Ok(index) => self.index = Some(index),
            Err(error) => shared.show_error("The termbase could not be read", &error),
        }
    }

    fn insert_next(&mut self, shared: &mut Shared, editing: &mut Editing) {
        let Some(sentence) = editing.selected() else {
            return;
        };
        let (Some(index), Some(document)) = (&self.index, &editing.open) else {
            return;
        };
        let written = match &document.editor {
            Some(editor) if editor.sentence == sentence => editor.text.clone(),
            _ => stripped(&document.target(sentence).text),
        };
        let stems = Stems::for_language(&index.base().target_language);
        let words = TargetWords::new(&written, &stems);
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
            Some(text) => editing.insert_term(shared, text),
            None => shared.notify(
                NoticeKind::Hint,
                "No term to insert",
                "The translation has all terms of this sentence.",
            ),
        }
    }

    fn begin(&mut self, editing: &Editing) {
        let Some(document) = &editing.open else {
            return;
        };
        let selection = self.selected.as_ref();
        let selection = selection.filter(|it| Some(it.sentence) == document.selected);
        let source = selection.map_or_else(String::new, |SourceSelection { sentence, chars }| {
            let shown = stripped(&document.document.sentences[*sentence].text);
            let chars = whole_words(&shown, chars);
            shown.chars().skip(chars.start).take(chars.len()).collect()
        });
        self.new = Some(NewTerm {
            source: source.trim().to_owned(),
            target: self.selected_target.trim().to_owned(),
        });
    }

    /// Adds the new term to the first termbase and keeps that on disk; without one, it begins one beside the projects.
    fn add(&mut self, shared: &mut Shared, editing: &mut Editing, models: &Models) {
        let Some(new) = self.new.clone() else {
            return;
        };
        let (source, target) = (new.source.trim(), new.target.trim());
        if source.is_empty() || target.is_empty() {
            return;
        }
        let Some((from, to)) = editing.pair(models).codes() else {
            let detail = "Open a model first: it sets the languages.";
            return shared.notify(NoticeKind::Error, "The term was not added", detail);
        };
        if self.reading.is_some() {
            let detail = "The termbase is still being read.";
            return shared.notify(NoticeKind::Error, "The term was not added", detail);
        }
        let paths = match (self.paths.as_slice(), &self.index) {
            (paths @ [_, ..], Some(_)) => paths.to_vec(),
            ([_, ..], None) => {
                let detail =
                    "The termbase could not be read, and is not overwritten. Choose another one.";
                return shared.notify(NoticeKind::Error, "The term was not added", detail);
            }
            ([], _) => {
                let Some(data) = &shared.folders.data else {
                    let detail = "Choose a termbase first.";
                    return shared.notify(NoticeKind::Error, "The term was not added", detail);
                };
                vec![data.join("terms").join(format!("{from}-{to}.csv"))]
            }
        };
        self.new = None;
        let job = shared.new_save_job();
        self.reading = Some(job);
        shared.file_requests.push(FileRequest::AddTerm {
            job,
            paths: paths.clone(),
            languages: (from, to),
            term: Term::new(source, target),
        });
        if self.paths.is_empty() {
            shared.set(|settings| {
                settings.remember_terms(&paths[0]);
                settings.terms.clone_from(&paths);
            });
            keep_for_pair(shared, editing, models, paths.clone());
            editing.with_document(|document| document.terms.clone_from(&paths));
            editing.touch(shared);
            self.paths = paths;
        }
    }

    /// The termbase that translations use.
    pub(crate) fn termbase(&self) -> Option<Arc<Termbase>> {
        let index = self.index.as_ref()?;
        Some(Arc::clone(index.base()))
    }
}

/// Notes the termbases of the pair that is translated between, or that it has none.
fn keep_for_pair(shared: &mut Shared, editing: &Editing, models: &Models, paths: Vec<PathBuf>) {
    let Some((from, to)) = editing.pair(models).codes() else {
        return;
    };
    let key = pair_key(&from, &to);
    shared.set(|settings| {
        if paths.is_empty() {
            settings.termbases.remove(&key);
        } else {
            settings.termbases.insert(key, paths);
        }
    });
}

/// The termbases of the open document, or those that the next document gets.
fn files(shared: &Shared, editing: &Editing) -> Vec<PathBuf> {
    match &editing.open {
        Some(document) => document.terms.clone(),
        None => shared.settings.terms.clone(),
    }
}

/// A selection with the rest of the words that it cuts.
fn whole_words(text: &str, chars: &Range<usize>) -> Range<usize> {
    if chars.is_empty() {
        return chars.clone();
    }
    let letters: Vec<char> = text.chars().collect();
    let is_within = |at: usize| {
        let is_letter = |at: usize| letters.get(at).is_some_and(|it| it.is_alphanumeric());
        at > 0 && is_letter(at - 1) && is_letter(at)
    };
    let (mut start, mut end) = (chars.start, chars.end.min(letters.len()));
    while is_within(start) {
        start -= 1;
    }
    while is_within(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::whole_words;

    #[test]
    fn a_selection_takes_the_words_that_it_cuts() {
        let text = "A Framework, then.";
        for (chars, whole) in [
            (2..9, 2..11),
            (4..6, 2..11),
            (2..11, 2..11),
            (0..1, 0..1),
            (3..3, 3..3),
        ] {
            assert_eq!(whole_words(text, &chars), whole);
        }
    }
}
