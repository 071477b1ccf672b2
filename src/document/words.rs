//! Lists of words in the source.

/// Words with white space between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words(pub &'static str);

impl Words {
    /// No word.
    pub(crate) const NONE: Self = Self("");

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }

    pub(crate) fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }
}
