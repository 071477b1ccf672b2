//! Which sentence is selected, and which ones are shown: all, or those that a filter lets through.

use std::collections::HashMap;

use super::Editing;
use crate::jobs::State;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_project::{Filter, Filtered};
use canopy_qa::checks::Finding;
use canopy_translate::inference::Flag;

impl Editing {
    pub(crate) fn select(&mut self, shared: &Shared, sentence: usize) {
        let Some(document) = &self.open else {
            return;
        };
        let edits_other = document
            .editor
            .as_ref()
            .is_some_and(|editor| editor.sentence != sentence);
        // An edit with broken markup stays open and says why.
        if edits_other && !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| document.selected = Some(sentence));
    }

    pub(crate) fn step(&mut self, shared: &Shared, by: isize) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        if document.num_sentences() == 0 {
            return;
        }
        let next = document
            .selected
            .map_or(0, |selected| document.shown_from(selected, by));
        document.select(next);
    }

    pub(crate) fn select_next_unconfirmed(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        let from = document.selected.map_or(0, |selected| selected + 1);
        let unconfirmed = |&sentence: &usize| document.target(sentence).state != State::Confirmed;
        let next = (from..document.num_sentences())
            .chain(0..from.min(document.num_sentences()))
            .find(unconfirmed);
        if let Some(next) = next {
            document.select(next);
        }
    }

    pub(crate) fn select_least_sure(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| {
            if let Some(next) = document.targets.next_least_sure(document.selected) {
                document.select(next);
            }
        });
    }

    /// Selects a sentence and brings it into view.
    pub(crate) fn go_to_sentence(&mut self, shared: &Shared, sentence: usize) {
        self.select(shared, sentence);
        if self.selected() == Some(sentence) {
            self.with_document(|document| document.scroll_to.set(sentence));
        }
    }

    /// Goes to the next sentence without a translation, from the selected one on.
    pub(crate) fn go_to_untranslated(&mut self, shared: &Shared) {
        let Some(open) = &self.open else {
            return;
        };
        let is_open = |&it: &usize| open.target(it).state == State::Untranslated;
        let behind = open.selected.map_or(0, |selected| selected + 1);
        let mut sentences = (behind..open.num_sentences()).chain(0..behind);
        if let Some(sentence) = sentences.find(is_open) {
            self.go_to_sentence(shared, sentence);
        }
    }

    /// Goes to a sentence by its number, the first being 1.
    pub(crate) fn go_to_number(&mut self, shared: &Shared, number: usize) {
        self.asks_for_sentence = false;
        let last = self.open.as_ref().map_or(0, OpenDocument::num_sentences);
        if last > 0 {
            self.go_to_sentence(shared, number.clamp(1, last) - 1);
        }
    }

    /// Shows the sentences that a filter lets through, or all.
    pub(crate) fn filter(&mut self, shared: &Shared, findings: &[Finding], filter: Option<Filter>) {
        self.keep_edit_if_valid(shared);
        let Some(open) = &mut self.open else {
            return;
        };
        let Some(filter) = filter else {
            open.filtered = None;
            open.scroll_to.set(open.selected);
            return;
        };
        let mut times: HashMap<&str, usize> = HashMap::new();
        for sentence in &open.document.sentences {
            *times.entry(sentence.text.as_str()).or_default() += 1;
        }
        let is_shown = |sentence: usize| {
            let target = open.target(sentence);
            match filter {
                Filter::State(state) => target.state == state,
                Filter::Warnings => {
                    let at = findings.binary_search_by_key(&sentence, |it| it.segment);
                    at.is_ok() || target.flags.iter().any(|flag| flag.warns())
                }
                Filter::Matches => target.flags.contains(&Flag::Memory),
                Filter::Repetitions => times[open.document.sentences[sentence].text.as_str()] > 1,
            }
        };
        let shown = (0..open.num_sentences()).map(is_shown).collect();
        let filtered = Filtered::new(filter, shown);
        let is_selected = open.selected.is_some_and(|it| filtered.shows(it));
        let first = (0..open.num_sentences()).find(|it| filtered.shows(*it));
        if !is_selected && first.is_some() {
            open.selected = first;
        }
        open.filtered = Some(filtered);
        open.scroll_to.set(open.selected);
    }

    /// Shows all sentences again where one is gone to that the filter hides.
    pub(crate) fn follow_selection(&mut self) {
        self.with_document(|open| {
            if open.scroll_to.get().is_some_and(|it| !open.shows(it)) {
                open.filtered = None;
            }
        });
    }

    /// How many sentences a page is: one of those in view stays there.
    pub(crate) fn page_of_sentences(&self) -> isize {
        let visible = self.open.as_ref().map_or(0, |open| open.num_visible);
        isize::try_from(visible.saturating_sub(1)).map_or(1, |page| page.max(1))
    }
}
