//! The termbase of the open document: which one it is, what it says of a sentence, terms that a person adds.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::ask::Ask;
use super::notices::NoticeKind;
use super::open_document::Insertion;
use super::state::AppState;
use super::terms::{NewTerm, SourceSelection, TermsCommand};
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use canopy_document::placeholder::stripped;
use canopy_qa::terms::{Stems, TargetWords, Term, TermIndex, Termbase};
use canopy_translate::inference::pair_key;

impl AppState {
    pub(super) fn apply_terms(&mut self, command: TermsCommand) {
        match command {
            TermsCommand::Choose => self.shared.asks.push(Ask::Terms),
            TermsCommand::Use(paths) => self.use_terms(paths),
            TermsCommand::Also(path) => {
                let mut paths = self.terms_paths();
                paths.retain(|other| *other != path);
                paths.push(path);
                self.use_terms(paths);
            }
            TermsCommand::SelectSource(selection) => {
                if !selection.chars.is_empty()
                    && self.document.selected() != Some(selection.sentence)
                {
                    self.select(selection.sentence);
                }
                self.document.terms.selected = Some(selection);
            }
            TermsCommand::SelectTarget(text) => self.document.terms.selected_target = text,
            TermsCommand::InsertNext => self.insert_next_term(),
            TermsCommand::Insert(text) => self.insert(text),
            TermsCommand::New => self.begin_term(),
            TermsCommand::SetNew(new) => self.document.terms.new = Some(new),
            TermsCommand::AddNew => self.add_term(),
            TermsCommand::DiscardNew => self.document.terms.new = None,
        }
    }

    /// Uses termbases for the open document, and for those that are opened next.
    pub(super) fn use_terms(&mut self, paths: Vec<PathBuf>) {
        self.shared.set(|settings| {
            for path in paths.iter().rev() {
                settings.remember_terms(path);
            }
            settings.terms.clone_from(&paths);
        });
        self.keep_terms_of_pair(paths.clone());
        self.document
            .with_document(|document| document.terms = paths);
        if self.document.open.is_some() {
            self.document.touch(&self.shared);
        }
        self.read_terms();
    }

    /// Notes the termbases of the pair that is translated between, or that it has none.
    fn keep_terms_of_pair(&mut self, paths: Vec<PathBuf>) {
        let Some((from, to)) = self.languages() else {
            return;
        };
        let key = pair_key(&from, &to);
        self.shared.set(|settings| {
            if paths.is_empty() {
                settings.termbases.remove(&key);
            } else {
                settings.termbases.insert(key, paths);
            }
        });
    }

    /// The termbases of the open document, or those that the next document gets.
    fn terms_paths(&self) -> Vec<PathBuf> {
        match &self.document.open {
            Some(document) => document.terms.clone(),
            None => self.shared.settings.terms.clone(),
        }
    }

    /// Reads the termbases again, if there is a model that says their languages.
    pub(super) fn read_terms(&mut self) {
        let paths = self.terms_paths();
        self.document.terms.paths.clone_from(&paths);
        (self.document.terms.index, self.document.terms.reading) = (None, None);
        let Some((source_language, target_language)) = self.languages() else {
            return;
        };
        if paths.is_empty() {
            return;
        }
        let job = self.shared.next_job();
        self.document.terms.reading = Some(job);
        self.shared.file_requests.push(FileRequest::ReadTerms {
            job,
            paths,
            source_language,
            target_language,
        });
    }

    pub(super) fn terms_read(&mut self, job: JobId, base: Result<Arc<TermIndex>>) {
        if self
            .document
            .terms
            .reading
            .take_if(|reading| *reading == job)
            .is_none()
        {
            return;
        }
        match base {
            Ok(index) => self.document.terms.index = Some(index),
            Err(error) => self
                .shared
                .show_error("The termbase could not be read", &error),
        }
    }

    fn insert_next_term(&mut self) {
        let Some(sentence) = self.document.selected() else {
            return;
        };
        let (Some(index), Some(document)) = (&self.document.terms.index, &self.document.open)
        else {
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
            Some(text) => self.insert(text),
            None => self.shared.notify(
                NoticeKind::Hint,
                "No term to insert",
                "The translation has all terms of this sentence.",
            ),
        }
    }

    /// Opens the editor on the selected sentence, if it is not open, and writes a text where the caret is.
    fn insert(&mut self, text: String) {
        let Some(selected) = self.document.selected() else {
            return;
        };
        let editor = self
            .document
            .open
            .as_ref()
            .and_then(|document| document.editor.as_ref());
        if editor.is_none_or(|editor| editor.sentence != selected) {
            self.edit_selected();
        }
        self.document.with_document(|document| {
            if let Some(editor) = &mut document.editor {
                editor.insert = Some(Insertion::Term(text));
            }
        });
    }

    fn begin_term(&mut self) {
        let Some(document) = &self.document.open else {
            return;
        };
        let selection = self.document.terms.selected.as_ref();
        let selection = selection.filter(|it| Some(it.sentence) == document.selected);
        let source = selection.map_or_else(String::new, |SourceSelection { sentence, chars }| {
            let shown = stripped(&document.document.sentences[*sentence].text);
            let chars = whole_words(&shown, chars);
            shown.chars().skip(chars.start).take(chars.len()).collect()
        });
        self.document.terms.new = Some(NewTerm {
            source: source.trim().to_owned(),
            target: self.document.terms.selected_target.trim().to_owned(),
        });
    }

    /// Adds the new term to the first termbase and keeps that on disk; where there is none yet, it begins one beside the projects.
    fn add_term(&mut self) {
        let Some(new) = self.document.terms.new.clone() else {
            return;
        };
        let (source, target) = (new.source.trim(), new.target.trim());
        if source.is_empty() || target.is_empty() {
            return;
        }
        let Some((from, to)) = self.languages() else {
            let detail = "Open a model first: it sets the languages.";
            return self
                .shared
                .notify(NoticeKind::Error, "The term was not added", detail);
        };
        if self.document.terms.reading.is_some() {
            let detail = "The termbase is still being read.";
            return self
                .shared
                .notify(NoticeKind::Error, "The term was not added", detail);
        }
        let paths = match (
            self.document.terms.paths.as_slice(),
            &self.document.terms.index,
        ) {
            (paths @ [_, ..], Some(_)) => paths.to_vec(),
            ([_, ..], None) => {
                let detail =
                    "The termbase could not be read, and is not overwritten. Choose another one.";
                return self
                    .shared
                    .notify(NoticeKind::Error, "The term was not added", detail);
            }
            ([], _) => {
                let Some(data) = &self.shared.folders.data else {
                    let detail = "Choose a termbase first.";
                    return self
                        .shared
                        .notify(NoticeKind::Error, "The term was not added", detail);
                };
                vec![data.join("terms").join(format!("{from}-{to}.csv"))]
            }
        };
        self.document.terms.new = None;
        let job = self.shared.keeping_job();
        self.document.terms.reading = Some(job);
        self.shared.file_requests.push(FileRequest::AddTerm {
            job,
            paths: paths.clone(),
            languages: (from, to),
            term: Term::new(source, target),
        });
        if self.document.terms.paths.is_empty() {
            self.shared.set(|settings| {
                settings.remember_terms(&paths[0]);
                settings.terms.clone_from(&paths);
            });
            self.keep_terms_of_pair(paths.clone());
            self.document
                .with_document(|document| document.terms.clone_from(&paths));
            self.document.touch(&self.shared);
            self.document.terms.paths = paths;
        }
    }

    /// The termbase that translations use.
    pub(super) fn termbase(&self) -> Option<Arc<Termbase>> {
        self.document
            .terms
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
