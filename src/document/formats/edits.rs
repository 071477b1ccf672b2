//! Changes of a text, by the bytes that they replace.

use std::collections::BTreeMap;
use std::ops::Range;

/// Replacements in one text. One may be within another: the outer one, added later, was made with [`Edits::slice`].
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// By the first byte: the end, and what replaces it.
    replaced: BTreeMap<usize, (usize, String)>,
}

impl Edits {
    /// Puts `new` in the place of `range`, instead of all changes in it. Within an existing change, as damaged
    /// files may request, nothing is changed.
    pub(super) fn replace(&mut self, range: Range<usize>, new: String) {
        let before = self.replaced.range(..range.start).next_back();
        if before.is_some_and(|(_, (end, _))| *end > range.start) {
            return;
        }
        let inner: Vec<usize> = self
            .replaced
            .range(range.clone())
            .map(|(&start, _)| start)
            .collect();
        for start in inner {
            self.replaced.remove(&start);
        }
        self.replaced.insert(range.start, (range.end, new));
    }

    /// A part of the text as it is after the changes in it.
    pub(super) fn slice(&self, text: &str, range: Range<usize>) -> String {
        // Exactly as long as it becomes: to grow would take the room of a second text.
        let inner = self.replaced.range(range.clone());
        let (removed, added) = inner.fold((0, 0), |(removed, added), (start, (end, new))| {
            (removed + end - start, added + new.len())
        });
        let mut changed = String::with_capacity((range.len() + added).saturating_sub(removed));
        let mut place = range.start;
        for (&start, (end, new)) in self.replaced.range(range.clone()) {
            changed.push_str(&text[place..start]);
            changed.push_str(new);
            place = *end;
        }
        // A change may extend past the part.
        changed.push_str(text.get(place..range.end).unwrap_or_default());
        changed
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty()
    }

    /// The whole text after the changes.
    pub(super) fn applied(&self, text: &str) -> String {
        self.slice(text, 0..text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outer_change_takes_the_inner_one_with_it() {
        let text = "ab(cd)ef";
        let mut edits = Edits::default();
        edits.replace(3..5, "XY".to_owned());
        assert_eq!(edits.applied(text), "ab(XY)ef");
        let inner = edits.slice(text, 2..6);
        edits.replace(1..7, format!("-{inner}-"));
        assert_eq!(edits.applied(text), "a-(XY)-f");
        edits.replace(0..0, ">".to_owned());
        assert_eq!(edits.applied(text), ">a-(XY)-f");
        edits.replace(4..5, "inner".to_owned());
        assert_eq!(edits.applied(text), ">a-(XY)-f");
    }
}
