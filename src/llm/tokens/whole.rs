//! Tokens that are looked for before all others: those of templates, and those that the file defines so.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::TokenType;
use crate::texts::Texts;

#[derive(Debug, Default)]
pub(super) struct Whole {
    ids: FxHashMap<Vec<u8>, u32>,
    /// The lengths in bytes of those that begin with a byte, ascending.
    lengths: FxHashMap<u8, Vec<usize>>,
}

impl Whole {
    pub(crate) fn from_tokens(texts: &Texts, types: &[TokenType]) -> Self {
        let mut whole = Self::default();
        for (id, (text, token_type)) in (0..).zip(texts.iter().zip(types)) {
            let types = [
                TokenType::Control,
                TokenType::UserDefined,
                TokenType::Unknown,
            ];
            let Some(first) = text.bytes().next().filter(|_| types.contains(token_type)) else {
                continue;
            };
            whole.ids.entry(text.as_bytes().to_owned()).or_insert(id);
            let lengths = whole.lengths.entry(first).or_default();
            if let Err(place) = lengths.binary_search(&text.len()) {
                lengths.insert(place, text.len());
            }
        }
        whole
    }

    /// Whole tokens that occur in a text, the longest first, in the order of their ids where several are as long.
    pub(crate) fn within(&self, text: &str) -> Vec<u32> {
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        for (start, byte) in bytes.iter().enumerate() {
            for length in self.lengths.get(byte).into_iter().flatten() {
                let Some(part) = bytes.get(start..start + length) else {
                    break;
                };
                found.extend(self.ids.get(part).map(|id| (Reverse(*length), *id)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|(_, id)| id).collect()
    }
}
