//! Filters: the document with some of its sentences alone, and going to one by its number.

use std::collections::HashMap;

use crate::document::DocumentPage;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_project::{Filter, Filtered};
use canopy_translate::inference::Flag;

impl DocumentPage {
    /// Shows the sentences that a filter lets through, or all.
    pub(crate) fn filter(&mut self, shared: &Shared, filter: Option<Filter>) {
        self.keep_edit_if_valid(shared);
        let findings = &self.checking.findings;
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

    /// Goes to a sentence by its number, the first being 1.
    pub(crate) fn go_to_number(&mut self, shared: &Shared, number: usize) {
        self.asks_for_sentence = false;
        let last = self.open.as_ref().map_or(0, OpenDocument::num_sentences);
        if last > 0 {
            self.go_to_sentence(shared, number.clamp(1, last) - 1);
        }
    }
}
