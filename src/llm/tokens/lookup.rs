//! The number of a text in a list.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::texts::Texts;

const EMPTY: u32 = u32::MAX;

/// Texts of a file and where each stands among them: a table of numbers, open addressed, which holds no text itself.
pub(super) struct Lookup {
    texts: Texts,
    /// Numbers of texts; at least half of them are [`EMPTY`].
    slots: Vec<u32>,
}

impl Lookup {
    /// A table of fewer than 2³² texts; of equal ones the first is found.
    pub(crate) fn new(texts: Texts) -> Self {
        let slots = vec![EMPTY; (2 * texts.len()).next_power_of_two()];
        let mut lookup = Self { texts, slots };
        for number in 0..lookup.texts.len() {
            let text = lookup.texts.get(number).unwrap_or_default();
            let slot = lookup.slot(text);
            if lookup.slots[slot] == EMPTY {
                lookup.slots[slot] = u32::try_from(number).unwrap_or(EMPTY);
            }
        }
        lookup
    }

    /// The slot of a text, or the empty one that would be its.
    #[expect(clippy::cast_possible_truncation, reason = "the rest of a hash")]
    fn slot(&self, text: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = FxBuildHasher.hash_one(text) as usize & last;
        while self.slots[slot] != EMPTY && self.text(self.slots[slot]) != Some(text) {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// The number of a text, if it is among them.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        Some(self.slots[self.slot(text)]).filter(|number| *number != EMPTY)
    }

    /// The text of a number.
    pub(crate) fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// All texts in their order.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, open};

    #[test]
    fn every_text_is_found_by_its_first_number_and_no_other_text() {
        let words: Vec<String> = (0..1_000)
            .map(|number| format!("word{}", number % 900))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let file = open(Fixture::default().texts("words", &words));
        let texts = file.texts("words").expect("a list").expect("there");
        let lookup = Lookup::new(texts);
        for (number, word) in (0..).zip(&words) {
            assert_eq!(lookup.find(word), Some(number % 900));
            assert_eq!(lookup.text(number), Some(*word));
        }
        assert_eq!((lookup.find("word900"), lookup.find("")), (None, None));
        assert_eq!((lookup.text(1_000), lookup.len()), (None, 1_000));
        let none = open(Fixture::default().texts("words", &[]));
        let none = none.texts("words").expect("a list").expect("there");
        assert_eq!(Lookup::new(none).find("word1"), None);
    }
}
