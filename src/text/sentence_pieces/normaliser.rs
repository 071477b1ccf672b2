//! What a text goes through before it is cut.

use super::Message;

/// Stands for a space, so that pieces can hold one.
const SPACE: &str = "\u{2581}";

/// Replacements of characters, then of white space.
#[derive(Debug, Clone)]
pub(super) struct Normaliser {
    /// A trie of what is replaced, as a double array of the library darts-clone.
    trie: Vec<u32>,
    /// What stands for it, each ended by a zero.
    replacements: Vec<u8>,
    begins_with_space: bool,
    folds_spaces: bool,
    escapes_spaces: bool,
}

impl Normaliser {
    /// Of the message `NormalizerSpec`; none if its table is damaged.
    pub fn new(spec: &Message<'_>) -> Option<Self> {
        let (trie, replacements) = match spec.bytes(2) {
            None | Some([]) => (Vec::new(), Vec::new()),
            Some(table) => {
                let (size, rest) = table.split_first_chunk::<4>()?;
                let size = usize::try_from(u32::from_le_bytes(*size)).ok()?;
                let (trie, replacements) = rest.split_at_checked(size)?;
                let (words, _) = trie.as_chunks::<4>();
                let words = words.iter().map(|&word| u32::from_le_bytes(word));
                std::str::from_utf8(replacements).ok()?;
                (words.collect(), replacements.to_vec())
            }
        };
        let flag = |field| spec.number(field).is_none_or(|number| number != 0);
        Some(Self {
            trie,
            replacements,
            begins_with_space: flag(3),
            folds_spaces: flag(4),
            escapes_spaces: flag(5),
        })
    }

    pub fn normalised(&self, text: &str) -> String {
        let space = if self.escapes_spaces { SPACE } else { " " };
        let mut output = String::with_capacity(text.len() + space.len());
        let mut rest = text;
        let mut after_space = self.folds_spaces;
        while !rest.is_empty() {
            let (shown, length) = self.first(rest);
            rest = &rest[length..];
            let shown = if after_space {
                shown.trim_start_matches(' ')
            } else {
                shown
            };
            if shown.is_empty() {
                continue;
            }
            if output.is_empty() && self.begins_with_space {
                output += space;
            }
            output += &shown.replace(' ', space);
            after_space = self.folds_spaces && shown.ends_with(' ');
        }
        if self.folds_spaces {
            while output.ends_with(space) {
                output.truncate(output.len() - space.len());
            }
        }
        output
    }

    /// What stands for the beginning of a text, and how many bytes that is.
    fn first<'a>(&'a self, text: &'a str) -> (&'a str, usize) {
        if let Some((replacement, length)) = self.longest(text.as_bytes())
            && text.is_char_boundary(length)
        {
            return (replacement, length);
        }
        let length = text.chars().next().map_or(0, char::len_utf8);
        (&text[..length], length)
    }

    /// The replacement of the longest beginning that has one.
    fn longest(&self, text: &[u8]) -> Option<(&str, usize)> {
        let mut found = None;
        let mut unit = *self.trie.first()?;
        let mut place = offset(unit);
        for (index, &byte) in text.iter().enumerate() {
            place ^= usize::from(byte);
            unit = *self.trie.get(place)?;
            // The label, and the bit that a value has and a label has not.
            if unit & 0x8000_00FF != u32::from(byte) {
                break;
            }
            place ^= offset(unit);
            if unit & 0x100 != 0 {
                let value = self.trie.get(place)? & 0x7FFF_FFFF;
                found = Some((value as usize, index + 1));
            }
        }
        let (start, length) = found?;
        let text = self.replacements.get(start..)?;
        let end = text.iter().position(|&byte| byte == 0)?;
        Some((std::str::from_utf8(&text[..end]).ok()?, length))
    }
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}
