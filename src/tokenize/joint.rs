//! Canopy's own vocabulary as a tokenizer: one for both sides, with placeholders.

use std::ops::Range;
use std::sync::LazyLock;

use super::tokenizer::{Decoded, Side, SpecialIds, Token, Tokenizer};
use crate::vocabulary::Vocabulary;
use canopy_document::placeholder::Placeholder;

static SPECIAL: LazyLock<SpecialIds> = LazyLock::new(|| SpecialIds {
    start: Vocabulary::BOS,
    eos: Vocabulary::EOS,
    unk: Some(Vocabulary::UNK),
    pad: Some(Vocabulary::PAD),
    source_prefix: Vec::new(),
    source_suffix: vec![Vocabulary::EOS],
    target_prefix: Vec::new(),
});

impl Default for SpecialIds {
    /// Special tokens of Canopy's own vocabulary.
    fn default() -> Self {
        SPECIAL.clone()
    }
}

impl Tokenizer for Vocabulary {
    fn special(&self) -> &SpecialIds {
        &SPECIAL
    }

    fn len(&self, _side: Side) -> usize {
        Vocabulary::len(self)
    }

    fn tokens(&self, _side: Side, text: &str) -> Vec<Token> {
        let ids = Vocabulary::encode(self, text);
        let mut tokens = Vec::with_capacity(ids.len());
        let mut place = 0;
        for id in ids {
            // A placeholder without an id was left out.
            while let Some(character) = text.get(place..).and_then(|rest| rest.chars().next())
                && Placeholder::from_char(character).is_some()
                && self.placeholder_id(character) != Some(id)
            {
                place += character.len_utf8();
            }
            let end = place + self.num_bytes(id);
            tokens.push(Token {
                id,
                range: place..end,
            });
            place = end;
        }
        whole_characters(text, tokens.iter_mut().map(|token| &mut token.range));
        tokens
    }

    fn decoded(&self, _side: Side, ids: &[u32]) -> Decoded {
        let text = Vocabulary::decode(self, ids);
        let mut place = 0;
        let range = |&id: &u32| {
            let start = place;
            place += self.num_bytes(id);
            start.min(text.len())..place.min(text.len())
        };
        let mut ranges: Vec<_> = ids.iter().map(range).collect();
        if place != text.len() {
            // Some bytes were no characters, and what stands for them is longer.
            ranges = self.ranges_by_prefix(ids);
        }
        whole_characters(&text, ranges.iter_mut());
        Decoded { text, ranges }
    }

    fn encode(&self, _side: Side, text: &str) -> Vec<u32> {
        Vocabulary::encode(self, text)
    }

    fn decode(&self, _side: Side, ids: &[u32]) -> String {
        Vocabulary::decode(self, ids)
    }

    fn token(&self, _side: Side, id: u32) -> Option<String> {
        Vocabulary::token(self, id)
    }

    fn piece(&self, _side: Side, id: u32) -> String {
        Vocabulary::piece(self, id)
    }

    fn id(&self, _side: Side, token: &str) -> Option<u32> {
        self.token_id(token)
    }

    fn placeholder_ids(&self) -> Range<u32> {
        Vocabulary::placeholder_ids(self)
    }

    fn placeholder(&self, id: u32) -> Option<Placeholder> {
        Vocabulary::placeholder(self, id)
    }
}

impl Vocabulary {
    /// How many bytes of a text an id stands for.
    fn num_bytes(&self, id: u32) -> usize {
        let is_text = id > Self::EOS && self.placeholder(id).is_none();
        let token = Vocabulary::token(self, id).unwrap_or_default();
        match (is_text, self.placeholder(id)) {
            // In the file every byte is a character.
            (true, _) => token.chars().count(),
            (false, Some(_)) => token.len(),
            (false, None) => 0,
        }
    }

    fn ranges_by_prefix(&self, ids: &[u32]) -> Vec<Range<usize>> {
        let ends = (0..=ids.len()).map(|len| Vocabulary::decode(self, &ids[..len]).len());
        let ends: Vec<usize> = ends.collect();
        ends.windows(2).map(|it| it[0].min(it[1])..it[1]).collect()
    }
}

/// Lets ranges begin and end between characters: what is a part of a character has it whole.
fn whole_characters<'a>(text: &str, ranges: impl Iterator<Item = &'a mut Range<usize>>) {
    for range in ranges {
        range.end = range.end.min(text.len());
        range.start = range.start.min(range.end);
        while !text.is_char_boundary(range.start) {
            range.start -= 1;
        }
        while !text.is_char_boundary(range.end) {
            range.end += 1;
        }
    }
}
