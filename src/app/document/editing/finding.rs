//! Finds words in source and translations, and replaces them in translations.

use std::ops::Range;

use super::Editing;
use crate::find::{FindCommand, Match, Side};
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_document::placeholder::stripped;

pub(crate) fn execute(shared: &mut Shared, editing: &mut Editing, command: FindCommand) {
    match command {
        FindCommand::Open => editing.with_document(|document| {
            document.find.is_open = true;
            document.find.wants_focus.set(());
            document.search();
        }),
        FindCommand::Close => editing.with_document(|document| document.find.is_open = false),
        FindCommand::Query(query) => editing.with_document(|document| {
            document.find.query = query;
            document.find.current = None;
            document.search();
            let first = document.find.next(true, document.selected);
            if document.editor.is_none() {
                document.go_to_match(first);
            }
        }),
        FindCommand::Replacement(replacement) => {
            editing.with_document(|document| document.find.replacement = replacement);
        }
        FindCommand::Options(options) => editing.with_document(|document| {
            document.find.options = options;
            document.find.current = None;
            document.search();
        }),
        FindCommand::Next => step_to_match(shared, editing, true),
        FindCommand::Previous => step_to_match(shared, editing, false),
        FindCommand::Replace => replace_match(shared, editing),
        FindCommand::ReplaceAll => replace_all(shared, editing),
    }
}

fn step_to_match(shared: &Shared, editing: &mut Editing, forwards: bool) {
    if !editing.keep_edit(shared) {
        return;
    }
    editing.with_document(|document| {
        document.find.is_open = true;
        document.search();
        let next = document.find.next(forwards, document.selected);
        document.go_to_match(next);
    });
}

fn replace_match(shared: &Shared, editing: &mut Editing) {
    if !editing.keep_edit(shared) {
        return;
    }
    let Some(document) = &mut editing.open else {
        return;
    };
    document.search();
    let here = document.find.current.map(|at| &document.find.matches[at]);
    let here = here.filter(|found| found.side == Side::Target).cloned();
    // The next one begins after what this one becomes.
    let mut from = (document.selected.unwrap_or(0), Side::Target, 0);
    if let Some(found) = here {
        let target = document.find.replaced_in(
            document.target(found.sentence),
            std::slice::from_ref(&found.chars),
        );
        let len = stripped(&document.find.replacement).chars().count();
        from = (found.sentence, Side::Target, found.chars.start + len);
        if document.change(found.sentence, target) {
            editing.touch(shared);
        }
    }
    editing.with_document(|document| {
        document.search();
        let targets = document.find.matches.iter().enumerate();
        let targets = targets.filter(|(_, found)| found.side == Side::Target);
        let next = targets.clone().find(|(_, found)| found.key() >= from);
        let next = next.or_else(|| targets.clone().next()).map(|(at, _)| at);
        document.go_to_match(next);
    });
}

fn replace_all(shared: &mut Shared, editing: &mut Editing) {
    if !editing.keep_edit(shared) {
        return;
    }
    let Some(document) = &mut editing.open else {
        return;
    };
    document.search();
    let targets = document.find.matches.iter();
    let targets: Vec<&Match> = targets.filter(|found| found.side == Side::Target).collect();
    let of_sentences = targets.chunk_by(|left, right| left.sentence == right.sentence);
    let changes = of_sentences.map(|found| {
        let chars: Vec<Range<usize>> = found.iter().map(|found| found.chars.clone()).collect();
        let sentence = found[0].sentence;
        (
            sentence,
            document.find.replaced_in(document.target(sentence), &chars),
        )
    });
    let (matches, changes) = (targets.len(), changes.collect());
    let sentences = document.change_all(changes);
    document.search();
    if sentences == 0 {
        return;
    }
    editing.touch(shared);
    let matches = counted(matches, "match", "matches");
    let sentences = counted(sentences, "sentence", "sentences");
    shared.notify_of_change(
        format!("Replaced {matches} in {sentences}"),
        "Undo brings all of them back.",
    );
}

/// Looks for the words of the find bar in translations that have changed.
pub(crate) fn follow(editing: &mut Editing) {
    editing.with_document(OpenDocument::search_again);
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
