//! The termbase of the open document: which one it is, what it says of a sentence, terms that a person adds.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::ask::Ask;
use crate::document::DocumentPage;
use crate::document::terms::{NewTerm, SourceSelection, TermsCommand};
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::Insertion;
use crate::shared::Shared;
use canopy_document::placeholder::stripped;
use canopy_qa::terms::{Stems, TargetWords, Term, TermIndex, Termbase};
use canopy_translate::inference::pair_key;

impl DocumentPage {
    pub(crate) fn apply_terms(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        command: TermsCommand,
    ) {
        match command {
            TermsCommand::Choose => shared.asks.push(Ask::Terms),
            TermsCommand::Use(paths) => self.use_terms(shared, models, paths),
            TermsCommand::Also(path) => {
                let mut paths = self.terms_paths(shared);
                paths.retain(|other| *other != path);
                paths.push(path);
                self.use_terms(shared, models, paths);
            }
            TermsCommand::SelectSource(selection) => {
                if !selection.chars.is_empty() && self.selected() != Some(selection.sentence) {
                    self.select(shared, selection.sentence);
                }
                self.terms.selected = Some(selection);
            }
            TermsCommand::SelectTarget(text) => self.terms.selected_target = text,
            TermsCommand::InsertNext => self.insert_next_term(shared),
            TermsCommand::Insert(text) => self.insert(shared, text),
            TermsCommand::New => self.begin_term(),
            TermsCommand::SetNew(new) => self.terms.new = Some(new),
            TermsCommand::AddNew => self.add_term(shared, models),
            TermsCommand::DiscardNew => self.terms.new = None,
        }
    }

    /// Uses termbases for the open document, and for those that are opened next.
    pub(crate) fn use_terms(&mut self, shared: &mut Shared, models: &Models, paths: Vec<PathBuf>) {
        shared.set(|settings| {
            for path in paths.iter().rev() {
                settings.remember_terms(path);
            }
            settings.terms.clone_from(&paths);
        });
        self.keep_terms_of_pair(shared, models, paths.clone());
        self.with_document(|document| document.terms = paths);
        if self.open.is_some() {
            self.touch(shared);
        }
        self.read_terms(shared, models);
    }

    /// Notes the termbases of the pair that is translated between, or that it has none.
    fn keep_terms_of_pair(&mut self, shared: &mut Shared, models: &Models, paths: Vec<PathBuf>) {
        let Some((from, to)) = self.languages(models) else {
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
    fn terms_paths(&self, shared: &Shared) -> Vec<PathBuf> {
        match &self.open {
            Some(document) => document.terms.clone(),
            None => shared.settings.terms.clone(),
        }
    }

    /// Reads the termbases again, if there is a model that says their languages.
    pub(crate) fn read_terms(&mut self, shared: &mut Shared, models: &Models) {
        let paths = self.terms_paths(shared);
        self.terms.paths.clone_from(&paths);
        (self.terms.index, self.terms.reading) = (None, None);
        let Some((source_language, target_language)) = self.languages(models) else {
            return;
        };
        if paths.is_empty() {
            return;
        }
        let job = shared.next_job();
        self.terms.reading = Some(job);
        shared.file_requests.push(FileRequest::ReadTerms {
            job,
            paths,
            source_language,
            target_language,
        });
    }

    pub(crate) fn terms_read(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        base: Result<Arc<TermIndex>>,
    ) {
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
            Err(error) => shared.show_error("The termbase could not be read", &error),
        }
    }

    fn insert_next_term(&mut self, shared: &mut Shared) {
        let Some(sentence) = self.selected() else {
            return;
        };
        let (Some(index), Some(document)) = (&self.terms.index, &self.open) else {
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
            Some(text) => self.insert(shared, text),
            None => shared.notify(
                NoticeKind::Hint,
                "No term to insert",
                "The translation has all terms of this sentence.",
            ),
        }
    }

    /// Opens the editor on the selected sentence, if it is not open, and writes a text where the caret is.
    fn insert(&mut self, shared: &Shared, text: String) {
        let Some(selected) = self.selected() else {
            return;
        };
        let editor = self
            .open
            .as_ref()
            .and_then(|document| document.editor.as_ref());
        if editor.is_none_or(|editor| editor.sentence != selected) {
            self.edit_selected(shared);
        }
        self.with_document(|document| {
            if let Some(editor) = &mut document.editor {
                editor.insert = Some(Insertion::Term(text));
            }
        });
    }

    fn begin_term(&mut self) {
        let Some(document) = &self.open else {
            return;
        };
        let selection = self.terms.selected.as_ref();
        let selection = selection.filter(|it| Some(it.sentence) == document.selected);
        let source = selection.map_or_else(String::new, |SourceSelection { sentence, chars }| {
            let shown = stripped(&document.document.sentences[*sentence].text);
            let chars = whole_words(&shown, chars);
            shown.chars().skip(chars.start).take(chars.len()).collect()
        });
        self.terms.new = Some(NewTerm {
            source: source.trim().to_owned(),
            target: self.terms.selected_target.trim().to_owned(),
        });
    }

    /// Adds the new term to the first termbase and keeps that on disk; where there is none yet, it begins one beside the projects.
    fn add_term(&mut self, shared: &mut Shared, models: &Models) {
        let Some(new) = self.terms.new.clone() else {
            return;
        };
        let (source, target) = (new.source.trim(), new.target.trim());
        if source.is_empty() || target.is_empty() {
            return;
        }
        let Some((from, to)) = self.languages(models) else {
            let detail = "Open a model first: it sets the languages.";
            return shared.notify(NoticeKind::Error, "The term was not added", detail);
        };
        if self.terms.reading.is_some() {
            let detail = "The termbase is still being read.";
            return shared.notify(NoticeKind::Error, "The term was not added", detail);
        }
        let paths = match (self.terms.paths.as_slice(), &self.terms.index) {
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
        self.terms.new = None;
        let job = shared.keeping_job();
        self.terms.reading = Some(job);
        shared.file_requests.push(FileRequest::AddTerm {
            job,
            paths: paths.clone(),
            languages: (from, to),
            term: Term::new(source, target),
        });
        if self.terms.paths.is_empty() {
            shared.set(|settings| {
                settings.remember_terms(&paths[0]);
                settings.terms.clone_from(&paths);
            });
            self.keep_terms_of_pair(shared, models, paths.clone());
            self.with_document(|document| document.terms.clone_from(&paths));
            self.touch(shared);
            self.terms.paths = paths;
        }
    }

    /// The termbase that translations use.
    pub(crate) fn termbase(&self) -> Option<Arc<Termbase>> {
        self.terms
            .index
            .as_ref()
            .map(|index| Arc::clone(index.base()))
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
