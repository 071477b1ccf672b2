//! Finding words in source and translations, and replacing them in translations.

use std::ops::Range;

use crate::document::DocumentPage;
use crate::find::{FindCommand, Match, Side};
use crate::shared::Shared;
use canopy_document::placeholder::stripped;

impl DocumentPage {
    pub(crate) fn apply_find(&mut self, shared: &mut Shared, command: FindCommand) {
        match command {
            FindCommand::Open => self.with_document(|document| {
                document.find.is_open = true;
                document.find.wants_focus.set(());
                document.search();
            }),
            FindCommand::Close => self.with_document(|document| document.find.is_open = false),
            FindCommand::Query(query) => self.with_document(|document| {
                document.find.query = query;
                document.find.current = None;
                document.search();
                let first = document.find.next(true, document.selected);
                if document.editor.is_none() {
                    document.go_to_match(first);
                }
            }),
            FindCommand::Replacement(replacement) => {
                self.with_document(|document| document.find.replacement = replacement);
            }
            FindCommand::Options(options) => self.with_document(|document| {
                document.find.options = options;
                document.find.current = None;
                document.search();
            }),
            FindCommand::Next => self.step_to_match(shared, true),
            FindCommand::Previous => self.step_to_match(shared, false),
            FindCommand::Replace => self.replace_match(shared),
            FindCommand::ReplaceAll => self.replace_all(shared),
        }
    }

    fn step_to_match(&mut self, shared: &Shared, forwards: bool) {
        if !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| {
            document.find.is_open = true;
            document.search();
            let next = document.find.next(forwards, document.selected);
            document.go_to_match(next);
        });
    }

    fn replace_match(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        document.search();
        let here = document.find.current.map(|at| &document.find.matches[at]);
        let here = here.filter(|found| found.side == Side::Target).cloned();
        // The next one begins after what this one becomes.
        let mut from = (document.selected.unwrap_or(0), Side::Target, 0);
        if let Some(found) = here {
            let target = document.with_replaced(found.sentence, std::slice::from_ref(&found.chars));
            let len = stripped(&document.find.replacement).chars().count();
            from = (found.sentence, Side::Target, found.chars.start + len);
            if document.change(found.sentence, target) {
                self.touch(shared);
            }
        }
        self.with_document(|document| {
            document.search();
            let targets = document.find.matches.iter().enumerate();
            let targets = targets.filter(|(_, found)| found.side == Side::Target);
            let next = targets.clone().find(|(_, found)| found.key() >= from);
            let next = next.or_else(|| targets.clone().next()).map(|(at, _)| at);
            document.go_to_match(next);
        });
    }

    fn replace_all(&mut self, shared: &mut Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        document.search();
        let targets = document.find.matches.iter();
        let targets: Vec<&Match> = targets.filter(|found| found.side == Side::Target).collect();
        let of_sentences = targets.chunk_by(|left, right| left.sentence == right.sentence);
        let changes = of_sentences.map(|found| {
            let chars: Vec<Range<usize>> = found.iter().map(|found| found.chars.clone()).collect();
            let sentence = found[0].sentence;
            (sentence, document.with_replaced(sentence, &chars))
        });
        let (matches, changes) = (targets.len(), changes.collect());
        let sentences = document.change_all(changes);
        document.search();
        if sentences == 0 {
            return;
        }
        self.touch(shared);
        let matches = counted(matches, "match", "matches");
        let sentences = counted(sentences, "sentence", "sentences");
        shared.notify_of_change(
            format!("Replaced {matches} in {sentences}"),
            "Undo brings all of them back.",
        );
    }
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
