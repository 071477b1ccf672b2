//! The characters that a vocabulary can spell, and those that reach a model as bytes or as nothing known.

use std::ops::Range;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use canopy_chart::typesetting::{is_ideographic, script_name};
use canopy_document::placeholder::Placeholder;
use canopy_tokenize::{Side, Tokenizer};

/// A vocabulary as a speller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling<'t> {
    tokenizer: &'t dyn Tokenizer,
    side: Side,
    reads_points: bool,
}

impl<'t> Spelling<'t> {
    pub(crate) fn new(tokenizer: &'t dyn Tokenizer, side: Side, reads_points: bool) -> Self {
        Self {
            tokenizer,
            side,
            reads_points,
        }
    }

    /// Whether the model reads points in place of what it must not change.
    pub(crate) fn reads_points(&self) -> bool {
        self.reads_points
    }

    pub(crate) fn is_one_token(&self, text: &str) -> bool {
        self.tokenizer.encode(self.side, text).len() == 1
    }

    /// Whether the vocabulary has the character by itself.
    pub(crate) fn knows(&self, character: char) -> bool {
        let text = character.to_string();
        if self.is_of_bytes() {
            return self.is_one_token(&text);
        }
        let tokens = self.tokenizer.tokens(self.side, &text);
        !tokens.is_empty() && tokens.iter().all(|token| self.is_known(token.id))
    }

    /// Whether a word of small letters is one token after a space.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        let alone = self.is_of_bytes();
        let text = if alone {
            format!(" {word}")
        } else {
            word.to_owned()
        };
        self.is_one_token(&text)
    }

    /// The characters of a text that reach the model as bytes, or as nothing that it knows. Letters of a script that writes no
    /// spaces count where the vocabulary spells none of them: there is no word of them that could be left out.
    pub(crate) fn unspelt(&self, text: &str) -> Vec<Range<usize>> {
        if text.is_ascii() {
            return Vec::new();
        }
        let tokens = self.tokenizer.tokens(self.side, text);
        let mut counts = vec![0_u32; text.len() + 1];
        let mut unknown = vec![false; text.len() + 1];
        for token in &tokens {
            let is_known = self.is_known(token.id);
            for at in token.range.clone() {
                counts[at] += 1;
                unknown[at] |= !is_known;
            }
        }
        let is_broken = |at: usize| unknown[at] || self.is_of_bytes() && counts[at] > 1;
        let spelt = text.char_indices().filter(|&(at, _)| !is_broken(at));
        let scripts: Vec<&str> = spelt
            .filter_map(|(_, character)| script_name(character))
            .collect();
        let is_of_spelt_script =
            |character: char| script_name(character).is_some_and(|name| scripts.contains(&name));
        let characters = text.char_indices().filter(|&(at, character)| {
            is_broken(at)
                && is_keepable(character)
                && !(is_unspaced(character) && is_of_spelt_script(character))
        });
        characters
            .map(|(at, character)| at..at + character.len_utf8())
            .collect()
    }

    /// Whether every text has tokens, of bytes where there are no others: so it is with our own vocabularies.
    pub(crate) fn is_of_bytes(&self) -> bool {
        !self.tokenizer.placeholder_ids().is_empty()
    }

    fn is_known(&self, id: u32) -> bool {
        if self.tokenizer.special().unk == Some(id) {
            return false;
        }
        let is_byte = |token: String| token.len() == 6 && token.starts_with("<0x");
        self.is_of_bytes() || !self.tokenizer.token(self.side, id).is_some_and(is_byte)
    }
}

/// Whether a character can be copied: it is no space, no markup and no sign of ASCII, of which variables are made.
fn is_keepable(character: char) -> bool {
    !character.is_ascii()
        && !character.is_whitespace()
        && Placeholder::from_char(character).is_none()
}

/// Whether a script writes no spaces.
fn is_unspaced(character: char) -> bool {
    is_ideographic(character)
        || matches!(character, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

/// Whether a character joins the letter before it.
pub(super) fn is_mark(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Mark.contains(category)
}
