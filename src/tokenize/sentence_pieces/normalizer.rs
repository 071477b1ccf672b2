//! The normalisation of a text before it is cut, by the model's own table.

use super::matcher::PrefixMatcher;
use super::message::Message;

/// Stands for a space, so that pieces can hold one.
pub(super) const SPACE: &str = "\u{2581}";

/// Replacements of characters, then of white space.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the file's own flags"
)]
pub(super) struct Normalizer {
    /// A trie of what is replaced, as a double array of the library darts-clone.
    trie: Vec<u32>,
    /// The replacements, each ended by a zero.
    replacements: Vec<u8>,
    pub adds_dummy_prefix: bool,
    pub removes_extra_spaces: bool,
    escapes_spaces: bool,
    /// Whether a space belongs to the word before it.
    space_is_suffix: bool,
}

/// A normalised text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Normalized {
    pub text: String,
    /// For each of its bytes, and for its end, the byte of the original that it comes from.
    pub origin: Vec<usize>,
}

impl Normalized {
    fn push(&mut self, text: &str, origin: usize) {
        self.text += text;
        self.origin.resize(self.text.len(), origin);
    }
}

impl Normalizer {
    /// Normaliser of the message `NormalizerSpec`; none if its table is damaged.
    pub(super) fn new(spec: &Message<'_>, space_is_suffix: bool) -> Option<Self> {
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
            adds_dummy_prefix: flag(3),
            removes_extra_spaces: flag(4),
            escapes_spaces: flag(5),
            space_is_suffix,
        })
    }

    /// Whether it replaces characters at all.
    pub(super) fn has_table(&self) -> bool {
        !self.trie.is_empty()
    }

    /// `kept` are symbols that pass as they are.
    pub(super) fn normalized(&self, text: &str, kept: &PrefixMatcher) -> Normalized {
        let space = if self.escapes_spaces { SPACE } else { " " };
        let mut normalized = Normalized::default();
        let mut place = 0;
        while self.removes_extra_spaces && place < text.len() {
            let (shown, length) = self.first(&text[place..], kept);
            if shown != " " {
                break;
            }
            place += length;
        }
        if place == text.len() {
            normalized.origin.push(place);
            return normalized;
        }
        if self.adds_dummy_prefix && !self.space_is_suffix {
            normalized.push(space, place);
        }
        let mut after_space = self.removes_extra_spaces;
        while place < text.len() {
            let (mut shown, length) = self.first(&text[place..], kept);
            if after_space {
                shown = shown.trim_start_matches(' ');
            }
            if !shown.is_empty() {
                normalized.push(&shown.replace(' ', space), place);
                after_space = shown.ends_with(' ');
            }
            place += length;
            after_space &= self.removes_extra_spaces;
        }
        let mut end = place;
        while self.removes_extra_spaces && normalized.text.ends_with(space) {
            let length = normalized.text.len() - space.len();
            end = normalized.origin[length];
            normalized.text.truncate(length);
            normalized.origin.truncate(length);
        }
        if self.adds_dummy_prefix && self.space_is_suffix {
            normalized.push(space, end);
        }
        normalized.origin.push(end);
        normalized
    }

    /// The replacement of the longest known prefix of a text, and the length of that prefix in bytes.
    fn first<'a>(&'a self, text: &'a str, kept: &PrefixMatcher) -> (&'a str, usize) {
        if let Some(length) = kept.longest(text) {
            return (&text[..length], length);
        }
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
            let Some(&next) = self.trie.get(place) else {
                break;
            };
            unit = next;
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
