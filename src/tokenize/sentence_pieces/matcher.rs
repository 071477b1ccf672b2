//! Symbols that a model's maker has defined, which are never cut.

use std::collections::{HashMap, HashSet};

/// Finds the longest of some symbols at the beginning of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct PrefixMatcher {
    symbols: HashSet<String>,
    /// By first character, the lengths in bytes of those that begin so, the longest first.
    lengths: HashMap<char, Vec<usize>>,
}

impl PrefixMatcher {
    pub(super) fn insert(&mut self, symbol: &str) {
        let Some(first) = symbol.chars().next() else {
            return;
        };
        let lengths = self.lengths.entry(first).or_default();
        if let Err(place) = lengths.binary_search_by(|other| symbol.len().cmp(other)) {
            lengths.insert(place, symbol.len());
        }
        self.symbols.insert(symbol.to_owned());
    }

    /// How many bytes of `text` the longest symbol is that it begins with.
    pub(super) fn longest(&self, text: &str) -> Option<usize> {
        let lengths = self.lengths.get(&text.chars().next()?)?;
        let is_symbol = |length: usize| {
            text.get(..length)
                .is_some_and(|it| self.symbols.contains(it))
        };
        lengths.iter().copied().find(|&length| is_symbol(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_symbol_is_found() {
        let mut matcher = PrefixMatcher::default();
        for symbol in ["ab", "abcd", "ä", ""] {
            matcher.insert(symbol);
        }
        let found = ["abc", "abcde", "äb", "a", "", "öb"].map(|text| matcher.longest(text));
        assert_eq!(found, [Some(2), Some(4), Some(2), None, None, None]);
    }
}
