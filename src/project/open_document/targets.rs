//! The targets of the open document's sentences, and what each has been.

use std::collections::{BTreeMap, HashSet};
use std::ops::{Index, Range};

use crate::segment_history::{append, now};
use crate::target::Target;
use crate::{Origin, State, Version};
use canopy_document::export::Provenance;

/// A target for each sentence, with all texts that it has had.
#[derive(Debug, Default)]
pub struct Targets {
    pub(super) list: Vec<Target>,
    pub(super) histories: Vec<Vec<Version>>,
    /// Counts up with every change of a target, so that the window notices.
    revisions: Vec<u32>,
    /// Sentences whose translation an update has changed, until they are reviewed.
    changed: HashSet<usize>,
}

impl Index<usize> for Targets {
    type Output = Target;

    fn index(&self, sentence: usize) -> &Target {
        &self.list[sentence]
    }
}

impl Targets {
    /// Targets that the window has not seen, after those of `before`.
    pub(super) fn after(before: &Self, list: Vec<Target>, histories: Vec<Vec<Version>>) -> Self {
        let newest = before.revisions.iter().max();
        let revision = newest.map_or(0, |newest| newest.wrapping_add(1));
        Self {
            revisions: vec![revision; list.len()],
            changed: HashSet::new(),
            list,
            histories,
        }
    }

    /// Targets and histories, which are not here any more; revisions stay.
    pub(super) fn take(&mut self) -> (Vec<Target>, Vec<Vec<Version>>) {
        let list = std::mem::take(&mut self.list);
        (list, std::mem::take(&mut self.histories))
    }

    /// Iterates over the targets in the order of the sentences.
    pub fn iter(&self) -> impl Iterator<Item = &Target> {
        self.list.iter()
    }

    /// All texts that a sentence has had, the oldest first.
    pub fn history(&self, sentence: usize) -> &[Version] {
        &self.histories[sentence]
    }

    /// Returns the revision of a sentence's target, which grows with each change.
    pub fn revision(&self, sentence: usize) -> u32 {
        self.revisions[sentence]
    }

    /// Counts up with every change of any target.
    pub fn total_revision(&self) -> u64 {
        let revisions = self.revisions.iter();
        revisions.map(|&revision| u64::from(revision)).sum()
    }

    /// Sets a target, with the origin of its text where its state does not name it; returns the one before.
    pub(super) fn replace(
        &mut self,
        sentence: usize,
        target: Target,
        origin: Option<Origin>,
    ) -> Target {
        let origin = origin.unwrap_or_else(|| target.origin());
        let version = target.version(origin, Some(now()));
        append(&mut self.histories[sentence], version);
        self.changed.remove(&sentence);
        self.count_up(sentence);
        std::mem::replace(&mut self.list[sentence], target)
    }

    /// Keeps in the history of a sentence what a person has written there and given up; the target stays the last one.
    pub(super) fn keep_discarded(&mut self, sentence: usize, written: &Target) {
        let (history, here) = (&mut self.histories[sentence], &self.list[sentence]);
        append(history, written.version(Origin::Hand, Some(now())));
        append(history, here.version(here.origin(), Some(now())));
        self.count_up(sentence);
    }

    fn count_up(&mut self, sentence: usize) {
        self.revisions[sentence] = self.revisions[sentence].wrapping_add(1);
    }

    /// Whether the last update gave a sentence another translation, and it was not reviewed since.
    pub fn is_changed(&self, sentence: usize) -> bool {
        self.changed.contains(&sentence)
    }

    pub(super) fn set_changed(&mut self, sentence: usize, is_changed: bool) {
        if is_changed {
            self.changed.insert(sentence);
        } else {
            self.changed.remove(&sentence);
        }
    }

    /// Sentences among `sentences` that a machine translation may replace; `again` includes drafts.
    pub fn translatable(&self, sentences: Range<usize>, again: bool) -> Vec<usize> {
        let wanted = |state: State| {
            if again {
                state.is_replaceable()
            } else {
                state == State::Untranslated
            }
        };
        sentences
            .filter(|&sentence| wanted(self.list[sentence].state))
            .collect()
    }

    /// Targets that a person has edited or confirmed, by sentence.
    pub fn fixed(&self) -> BTreeMap<usize, String> {
        let targets = self.list.iter().enumerate();
        targets
            .filter(|(_, target)| !target.state.is_replaceable())
            .map(|(sentence, target)| (sentence, target.text.clone()))
            .collect()
    }

    /// Sentences with an untouched machine translation.
    pub fn drafts(&self) -> Vec<usize> {
        let targets = self.list.iter().enumerate();
        let drafts = targets.filter(|(_, target)| target.state == State::Draft);
        drafts.map(|(sentence, _)| sentence).collect()
    }

    /// The draft in which the model has the least confidence, after the selected one in that order.
    pub fn next_least_sure(&self, selected: Option<usize>) -> Option<usize> {
        let key = |sentence: usize| Some((self.list[sentence].draft_confidence()?, sentence));
        let drafts = || (0..self.list.len()).filter_map(key);
        let here = selected.and_then(key);
        let next = here.and_then(|here| drafts().filter(|draft| *draft > here).min());
        next.or_else(|| drafts().min())
            .map(|(_, sentence)| sentence)
    }

    /// Texts for the saved document.
    pub fn texts(&self) -> Vec<Option<String>> {
        let text =
            |target: &Target| (target.state != State::Untranslated).then(|| target.text.clone());
        self.list.iter().map(text).collect()
    }

    /// Where they come from, for the saved document.
    pub fn provenances(&self) -> Vec<Provenance> {
        let targets = self.list.iter().zip(&self.histories);
        let provenances = targets.map(|(target, history)| Provenance {
            model: target.model.clone(),
            time: history.last().and_then(|version| version.time),
        });
        provenances.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str, confidence: u8) -> Target {
        Target {
            text: text.to_owned(),
            state: State::Draft,
            confidence: Some(confidence),
            ..Target::default()
        }
    }

    #[test]
    fn a_replaced_target_is_in_the_history_and_counts_up() {
        let list = vec![Target::default(); 2];
        let mut targets = Targets::after(&Targets::default(), list, vec![Vec::new(); 2]);
        targets.set_changed(1, true);
        let before = targets.replace(1, draft("Eins.", 90), None);
        assert_eq!(before, Target::default());
        assert!(!targets.is_changed(1), "another one is there");
        let history = targets.history(1).iter();
        assert_eq!(
            history.map(|it| it.text.as_str()).collect::<Vec<_>>(),
            ["Eins."]
        );
        assert_eq!((targets.revision(0), targets.revision(1)), (0, 1));
        assert_eq!(targets.texts(), [None, Some("Eins.".to_owned())]);
        let (list, histories) = targets.take();
        let next = Targets::after(&targets, list, histories);
        assert_eq!(next.total_revision(), 4, "the window has seen neither");
    }

    #[test]
    fn the_least_sure_draft_comes_first_and_around_the_end() {
        let list = [
            draft("a", 80),
            Target::default(),
            draft("b", 40),
            draft("c", 40),
        ];
        let targets = Targets::after(&Targets::default(), list.into(), vec![Vec::new(); 4]);
        assert_eq!(targets.drafts(), [0, 2, 3]);
        let order = [None, Some(2), Some(3), Some(0), Some(1)];
        let next = order.map(|selected| targets.next_least_sure(selected));
        assert_eq!(next, [Some(2), Some(3), Some(0), Some(2), Some(2)]);
    }
}
