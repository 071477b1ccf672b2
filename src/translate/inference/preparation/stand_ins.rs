//! The words that a model without placeholders reads in place of what it cannot spell.

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::kept::{Kind, Span};
use super::spelling::Spelling;

/// Names that such models copy, for words of other scripts and for blanks.
const NAMES: [&str; 6] = ["X", "Y", "Z", "X2", "Y2", "Z2"];

/// The stand-ins of a sentence, each name once.
#[derive(Debug, Default)]
pub(super) struct StandIns {
    num_names: usize,
}

impl StandIns {
    /// The word that is read in place of a span, which shows `own`; empty where nothing can replace it.
    pub(crate) fn stand_in(
        &mut self,
        text: &str,
        span: &Span,
        own: &str,
        spelling: &Spelling<'_>,
    ) -> String {
        match span.kind {
            Kind::Name => own.to_owned(),
            Kind::Blank if !own.starts_with(['_', '＿']) => String::new(),
            Kind::Blank => self.name(text),
            Kind::Pictogram | Kind::Unspelt => {
                let plain = plain(own);
                let is_spelt = spelling.unspelt(&plain).is_empty();
                if is_spelt && plain.chars().any(char::is_alphanumeric) {
                    return plain;
                }
                // A sign is a noun in "press ⌘ to", and none in "≥ 5" and "File ► Save".
                let next = text[span.range.end..].trim_start().chars().next();
                if own.chars().any(char::is_alphabetic) || next.is_some_and(char::is_lowercase) {
                    return self.name(text);
                }
                String::new()
            }
        }
    }

    /// The next name that is not in the text itself.
    fn name(&mut self, text: &str) -> String {
        let is_free = |name: &&&str| {
            !text
                .split(|c: char| !c.is_alphanumeric())
                .any(|it| it == **name)
        };
        let free = NAMES[self.num_names.min(NAMES.len())..].iter().enumerate();
        let mut free = free.filter(|(_, name)| is_free(name));
        let Some((place, name)) = free.next() else {
            return String::new();
        };
        self.num_names += place + 1;
        (*name).to_owned()
    }
}

/// A word in letters of ASCII, digits and signs: without accents, `Ł` as `L`, digits out of their signs; what has no such
/// letter is left out.
fn plain(text: &str) -> String {
    const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
    let mut plain = String::new();
    for character in NFKD.normalize(text).chars() {
        match character {
            _ if character.is_ascii() => plain.push(character),
            _ => plain += &latin(character),
        }
    }
    plain.trim().to_owned()
}

/// The usual Latin letters for one of Latin without decomposition, of Cyrillic or of Greek.
fn latin(character: char) -> String {
    const LETTERS: [(&str, &[&str]); 3] = [
        (
            "æœøđðłßþıŋħ",
            &["ae", "oe", "o", "d", "d", "l", "ss", "th", "i", "n", "h"],
        ),
        (
            "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґў",
            &[
                "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p",
                "r", "s", "t", "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu",
                "ya", "i", "i", "e", "g", "u",
            ],
        ),
        (
            "αβγδεζηθικλμνξοπρσςτυφχψω",
            &[
                "a", "b", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p",
                "r", "s", "s", "t", "y", "f", "ch", "ps", "o",
            ],
        ),
    ];
    let small: Vec<char> = character.to_lowercase().collect();
    let is_capital = character.is_uppercase();
    let found = LETTERS.iter().find_map(|(letters, spelt)| {
        let place = letters.chars().position(|letter| small == [letter])?;
        spelt.get(place).copied()
    });
    let mut spelt = found.unwrap_or_default().chars();
    match spelt.next() {
        Some(first) if is_capital => first.to_ascii_uppercase().to_string() + spelt.as_str(),
        _ => found.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_latin_letters_where_there_are_some() {
        for (text, expected) in [
            ("São", "Sao"),
            ("Łódź", "Lodz"),
            ("Дмитрий Иванов", "Dmitrii Ivanov"),
            ("Σωκράτης", "Sokratis"),
            ("₹500", "500"),
            ("z₁", "z1"),
            ("北京", ""),
            ("≥", ""),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
