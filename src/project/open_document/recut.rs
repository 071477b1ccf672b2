//! Other sentences in the open document: splits and joins, done, undone and done again.

use std::ops::Range;
use std::sync::Arc;

use super::{OpenDocument, Targets};
use crate::history::{Cutting, Recut};
use crate::other_language::retargeted;
use crate::segment_history::{absorb, append, now};
use crate::target::Target;
use crate::{State, Version};
use canopy_document::document::{Document, Markup, Sentence};
use canopy_document::placeholder::{self, Placeholder};

impl OpenDocument {
    /// Takes a document with the same text and other sentences in one place; `false` if the text is another one. Targets stay
    /// where their sentences do.
    pub fn recut(&mut self, document: Arc<Document>) -> bool {
        let file = Arc::clone(&document);
        let document = retargeted(&document, self.target_language.as_deref());
        let (old, new) = (&self.document.sentences, &document.sentences);
        if self.document.original != document.original {
            return false;
        }
        let is_same = |(a, b): &(&Sentence, &Sentence)| a.range == b.range && a.text == b.text;
        let first = old.iter().zip(new).take_while(is_same).count();
        let shorter = old.len().min(new.len()) - first;
        let ends = old.iter().rev().zip(new.iter().rev()).take(shorter);
        let last = ends.take_while(is_same).count();
        let (before, after) = (first..old.len() - last, first..new.len() - last);
        let targets = self.replaced(before.clone()).targets(&new[after.clone()]);
        let recut = Recut {
            first,
            before: Cutting {
                document: Arc::clone(&self.document),
                targets: self.targets.list[before].to_vec(),
            },
            after: Cutting { document, targets },
        };
        self.exchange(first, recut.before.targets.len(), &recut.after);
        self.history.record_recut(recut);
        self.declared = self.declared.take().map(|_| file);
        true
    }

    /// Takes another document, in which those of `cutting` stand for `count` sentences from `first` on.
    pub(super) fn exchange(&mut self, first: usize, count: usize, cutting: &Cutting) {
        let carried = self.replaced(first..first + count).histories(cutting);
        let (mut targets, mut histories) = self.targets.take();
        targets.splice(first..first + count, cutting.targets.iter().cloned());
        histories.splice(first..first + count, carried);
        let document = Arc::clone(&cutting.document);
        self.rebuild(document, targets, histories);
        let last = self.num_sentences().saturating_sub(1);
        self.selected = (self.num_sentences() > 0).then_some(first.min(last));
    }

    fn replaced(&self, sentences: Range<usize>) -> Replaced<'_> {
        Replaced {
            document: &self.document,
            targets: &self.targets,
            sentences,
        }
    }
}

/// Sentences in whose place others come, and the work on them.
struct Replaced<'a> {
    document: &'a Document,
    targets: &'a Targets,
    sentences: Range<usize>,
}

impl Replaced<'_> {
    /// The targets for the sentences that take their place: each goes to the first one that has a part of its sentence. What a
    /// machine wrote for a sentence that is cut is dropped; it can write it anew.
    fn targets(&self, new: &[Sentence]) -> Vec<Target> {
        let mut targets = vec![Target::default(); new.len()];
        for index in self.sentences.clone() {
            let (old, target) = (&self.document.sentences[index], &self.targets[index]);
            let overlaps = |sentence: &&Sentence| {
                sentence.range.start < old.range.end && old.range.start < sentence.range.end
            };
            let owner = new.iter().position(|sentence| overlaps(&sentence));
            let is_cut = new.iter().filter(overlaps).count() > 1;
            let is_kept = !(is_cut && target.state.is_replaceable());
            let Some(owner) = owner.filter(|_| is_kept && target.state != State::Untranslated)
            else {
                continue;
            };
            let text = moved(&target.text, old, &new[owner]);
            let joined = &mut targets[owner];
            let is_machine = target.state.is_replaceable()
                && (joined.text.is_empty() || joined.state == State::Draft);
            joined.state = if is_machine {
                State::Draft
            } else {
                State::Edited
            };
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            joined.text += &text;
            joined.model = joined.model.take().or_else(|| target.model.clone());
        }
        targets
    }

    /// The histories of the sentences of `cutting` that take the place of these: all that the sentences have been of which each
    /// has a part, and what it is now.
    fn histories(&self, cutting: &Cutting) -> Vec<Vec<Version>> {
        let new = &cutting.document.sentences[self.sentences.start..];
        let history = |(sentence, target): (&Sentence, &Target)| {
            let mut history = Vec::new();
            for index in self.sentences.clone() {
                let old = &self.document.sentences[index].range;
                if sentence.range.start < old.end && old.start < sentence.range.end {
                    absorb(&mut history, self.targets.history(index));
                }
            }
            if target.state != State::Untranslated {
                append(&mut history, target.version(target.origin(), Some(now())));
            }
            history
        };
        new.iter().zip(&cutting.targets).map(history).collect()
    }
}

/// A translation of one sentence as one of another that has the same markup under other numbers.
fn moved(text: &str, from: &Sentence, to: &Sentence) -> String {
    let number = |number: usize| {
        let markup = from.markup.get(number)?;
        to.markup.iter().position(|other| other == markup)
    };
    let mut moved = String::with_capacity(text.len());
    // Whether the pairs that are open have come along.
    let mut open = Vec::new();
    for character in text.chars() {
        match Placeholder::from_char(character) {
            None => moved.push(character),
            Some(Placeholder::Point(old)) => moved.extend(number(old).map(placeholder::point)),
            Some(Placeholder::Open(old)) => {
                let new = number(old).filter(|&new| matches!(to.markup[new], Markup::Pair { .. }));
                moved.extend(new.map(placeholder::open));
                open.push(new.is_some());
            }
            Some(Placeholder::Close) => {
                if open.pop() == Some(true) {
                    moved.push(placeholder::CLOSE);
                }
            }
        }
    }
    moved
}
