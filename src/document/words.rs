//! Lists of words in the source.

/// Words with white space between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words(pub &'static str);

impl Words {
    /// No word.
    pub const NONE: Self = Self("");

    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }

    pub fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }
}
