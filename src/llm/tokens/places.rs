//! Where in a text its tokens stand.

use std::ops::Range;

use super::{TokenType, Tokenizer};

/// Bytes of a text that a tokenizer may write otherwise, in a row.
const CHANGED: usize = 8;

impl Tokenizer {
    /// The bytes of a prompt that each of its ids stands for. A space that the tokenizer has put before a text is none of them;
    /// what it has changed belongs to the next token that is as the prompt has it.
    pub fn places(&self, prompt: &str, ids: &[u32]) -> Vec<Range<usize>> {
        let mut end = 0;
        let place = |id: &u32| {
            let Some((text, token_type)) = self.token(*id) else {
                return end..end;
            };
            let rest = &prompt.as_bytes()[end..];
            let start = end;
            let (bytes, changed) = match token_type {
                // A special token that the prompt does not name stands before it.
                TokenType::Control | TokenType::Unknown => (text.as_bytes().to_owned(), 0),
                _ => (self.bytes(*id), CHANGED),
            };
            let added = bytes.strip_prefix(b" ").filter(|_| !rest.starts_with(b" "));
            let bytes = added.unwrap_or(&bytes);
            let near = rest.get(..bytes.len() + changed).unwrap_or(rest);
            let place = near.windows(bytes.len().max(1)).position(|it| it == bytes);
            if let Some(place) = place {
                end += place + bytes.len();
            }
            start..end
        };
        ids.iter().map(place).collect()
    }
}
