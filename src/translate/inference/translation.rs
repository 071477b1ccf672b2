//! The translation of one sentence, and warnings about it.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use canopy_document::is_unwritable;
use canopy_document::placeholder::{self, MAX_PLACEHOLDERS, Placeholder};
use canopy_qa::checks::localised;
use canopy_qa::checks::{are_same_numbers, are_same_signs};

/// A warning about a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Far shorter or longer than sources of this length usually become.
    LengthRatio,
    /// Words repeated over and over.
    Repetition,
    /// Too long for the model: translated in parts and joined.
    Split,
    /// The model did not come to an end; its translation was cut off.
    CutOff,
    /// More markup than the model can place, the rest of which is at the end, or an element that has lost its text.
    Markup,
    /// Other numbers than in the source.
    Numbers,
    /// Other signs than in the source, such as `≥`, `₹` and `§`.
    Signs,
    /// Characters that the model could not write are left out.
    Unwritten,
    /// The model gave nothing; the source is in its place.
    Empty,
    /// In another language than the model reads: left as it is.
    OtherLanguage,
    /// Taken over from what was translated before.
    Memory,
    /// A term is not used as the termbase has it: with it, the model finds the translation much less likely.
    Terms,
}

impl Flag {
    /// Whether a user should look at it twice.
    pub fn warns(self) -> bool {
        self != Self::Memory
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LengthRatio => "unusual length",
            Self::Repetition => "repeats itself",
            Self::Split => "translated in parts",
            Self::CutOff => "cut off",
            Self::Markup => "markup out of place",
            Self::Numbers => "other numbers",
            Self::Signs => "other signs",
            Self::Unwritten => "characters left out",
            Self::Empty => "not translated",
            Self::OtherLanguage => "in another language: left as it is",
            Self::Memory => "from the memory",
            Self::Terms => "a term is not used",
        })
    }
}

/// The translation of one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// Holds exactly the placeholders of the source, in well nested order.
    pub text: String,
    /// Sum of the tokens' log-probabilities (natural logarithm).
    pub log_prob: f32,
    /// Number of those tokens.
    pub num_tokens: usize,
    /// Doubts about it.
    pub flags: Vec<Flag>,
    /// Ids of each part of the sentence as the model wrote them, without `eos`; none where it wrote nothing.
    pub parts: Vec<Vec<u32>>,
}

impl Translation {
    /// A text that no model wrote; what one gives it is unknown.
    pub fn written(text: String) -> Self {
        Self {
            text,
            log_prob: 0.0,
            num_tokens: 0,
            flags: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// A translation whose thousands and decimals its language does not read as other numbers; `languages` are those of
    /// source and target.
    pub(super) fn localised(mut self, source: &str, languages: [&str; 2]) -> Self {
        if let Some(text) = localised(source, &self.text, languages) {
            self.text = text;
        }
        self
    }

    /// Adds the flags that follow from the texts alone.
    pub(super) fn checked(mut self, source: &str) -> Self {
        let (from, to) = (
            placeholder::stripped(source),
            placeholder::stripped(&self.text),
        );
        if to.trim().is_empty() && !from.trim().is_empty() {
            source.clone_into(&mut self.text);
            self.flags.push(Flag::Empty);
            return self;
        }
        if unusual_length(&from, &to) {
            self.flags.push(Flag::LengthRatio);
        }
        if repeats(&to) && !repeats(&from) {
            self.flags.push(Flag::Repetition);
        }
        if !are_same_numbers(&from, &to) {
            self.flags.push(Flag::Numbers);
        }
        if !are_same_signs(&from, &to) {
            self.flags.push(Flag::Signs);
        }
        if to.contains(is_left_out) && !from.contains(is_left_out) {
            self.flags.push(Flag::Unwritten);
            self.text = self.text.replace(is_left_out, "");
        }
        self.text = with_markup_of(source, &self.text);
        let is_emptied = has_empty_pair(&self.text) && !has_empty_pair(source);
        if is_emptied || source.chars().any(is_unread) {
            self.flags.push(Flag::Markup);
        }
        self
    }
}

/// Whether a model is not to write it: what no document can hold, and what stands for bytes that are no character.
fn is_left_out(character: char) -> bool {
    let is_second_control = ('\u{80}'..='\u{9F}').contains(&character);
    is_second_control || character == char::REPLACEMENT_CHARACTER || is_unwritable(character)
}

/// Whether it is markup that the vocabulary has no token for.
fn is_unread(character: char) -> bool {
    match Placeholder::from_char(character) {
        Some(Placeholder::Open(number) | Placeholder::Point(number)) => number >= MAX_PLACEHOLDERS,
        Some(Placeholder::Close) | None => false,
    }
}

/// Whether there is an element without text.
fn has_empty_pair(text: &str) -> bool {
    let mut is_open = false;
    text.chars()
        .any(|character| match Placeholder::from_char(character) {
            Some(Placeholder::Close) => is_open,
            Some(Placeholder::Open(_)) => {
                is_open = true;
                false
            }
            Some(Placeholder::Point(_)) => {
                is_open = false;
                false
            }
            None => {
                is_open &= character.is_whitespace();
                false
            }
        })
}

/// Whether the lengths in characters differ by more than a factor of 2.5 and by more than 20.
pub(super) fn unusual_length(source: &str, target: &str) -> bool {
    let (source, target) = (source.chars().count(), target.chars().count());
    let (short, long) = (source.min(target), source.max(target));
    long - short > 20 && long * 2 > short * 5
}

/// Whether up to four words occur three times in a row, or one three-word phrase four times in all.
pub(super) fn repeats(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let in_a_row = (1..=4).any(|len| {
        words.windows(3 * len).any(|run| {
            let is_word = run[..len]
                .iter()
                .any(|word| word.chars().any(char::is_alphabetic));
            is_word && run[..len] == run[len..2 * len] && run[..len] == run[2 * len..]
        })
    });
    let mut counts: HashMap<&[&str], usize> = HashMap::new();
    for phrase in words.windows(3) {
        *counts.entry(phrase).or_default() += 1;
    }
    in_a_row || counts.values().any(|&count| count >= 4)
}

/// `target` with exactly the placeholders of `source`: surplus ones are dropped, missing ones appended.
///
/// Search keeps the markup that the vocabulary has tokens for; this catches the rest.
pub(super) fn with_markup_of(source: &str, target: &str) -> String {
    let mut missing: Vec<char> = source
        .chars()
        .filter(|&c| {
            matches!(
                Placeholder::from_char(c),
                Some(Placeholder::Open(_) | Placeholder::Point(_))
            )
        })
        .collect();
    let mut text = String::with_capacity(target.len());
    // For every pair under way whether it was kept.
    let mut open = Vec::new();
    for c in target.chars() {
        match Placeholder::from_char(c) {
            None => text.push(c),
            Some(Placeholder::Close) => {
                if open.pop() == Some(true) {
                    text.push(c);
                }
            }
            Some(kind) => {
                let kept = missing
                    .iter()
                    .position(|&other| other == c)
                    .map(|index| missing.remove(index))
                    .is_some();
                if kept {
                    text.push(c);
                }
                if matches!(kind, Placeholder::Open(_)) {
                    open.push(kept);
                }
            }
        }
    }
    text.extend(
        open.into_iter()
            .filter(|&kept| kept)
            .map(|_| placeholder::CLOSE),
    );
    for c in missing {
        text.push(c);
        if matches!(Placeholder::from_char(c), Some(Placeholder::Open(_))) {
            text.push(placeholder::CLOSE);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translation(text: &str) -> Translation {
        Translation {
            text: text.to_owned(),
            log_prob: -1.0,
            num_tokens: 3,
            flags: Vec::new(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn markup_is_neither_lost_nor_repeated() {
        let source = "a \u{E000}b\u{E200} c \u{E101}";
        let checked = |text: &str| translation(text).checked(source).text;
        assert_eq!(
            checked("x \u{E101} \u{E000}y\u{E200}"),
            "x \u{E101} \u{E000}y\u{E200}"
        );
        assert_eq!(checked("x y"), "x y\u{E000}\u{E200}\u{E101}");
        assert_eq!(
            checked("\u{E000}x\u{E200} \u{E000}y\u{E200}"),
            "\u{E000}x\u{E200} y\u{E101}"
        );
        assert_eq!(
            checked("\u{E000}x \u{E002}y"),
            "\u{E000}x y\u{E200}\u{E101}"
        );
    }

    #[test]
    fn nothing_becomes_the_source_and_says_so() {
        let empty = translation(" ").checked("Hello");
        assert_eq!(
            (empty.text.as_str(), empty.flags.as_slice()),
            ("Hello", [Flag::Empty].as_slice())
        );
    }

    #[test]
    fn what_is_lost_is_noticed() {
        let flags = |source: &str, text: &str| translation(text).checked(source).flags;
        let price = "It costs 1,250.50 EUR at 14:35.";
        assert_eq!(flags(price, "Um 14.35 Uhr kostet es 1.250,50 EUR."), []);
        let lost = [Flag::Numbers];
        assert_eq!(flags(price, "Es kostet 1.250 EUR um 14:35."), lost);
        assert_eq!(flags("1000 ways", "1,000 Wege"), [], "as the check has it");
        let bold = "Press \u{E000}Save\u{E200} now.";
        assert_eq!(flags(bold, "Jetzt \u{E000}Speichern\u{E200} wählen."), []);
        let emptied = flags(bold, "Jetzt Speichern \u{E000} \u{E200}wählen.");
        assert_eq!(emptied, [Flag::Markup]);
        let unwritten = translation("Kaffee \u{FFFD}").checked("Coffee");
        assert_eq!(unwritten.text, "Kaffee ");
        assert_eq!(unwritten.flags, [Flag::Unwritten]);
    }

    #[test]
    fn repetition_and_length_are_noticed() {
        let flags = |text: &str| {
            translation(text)
                .checked("Print the page in black and white.")
                .flags
        };
        assert_eq!(flags("Drucken Sie die Seite schwarzweiß."), []);
        assert_eq!(flags("die Seite die Seite die Seite"), [Flag::Repetition]);
        assert_eq!(flags("Ja."), [Flag::LengthRatio]);
        assert!(flags(&"Wort ".repeat(40)).contains(&Flag::LengthRatio));
    }
}
