//! Pseudo-translation: what localisers test their files with, before anybody translates them.

use super::document::{Document, Sentence};
use super::placeholder::Placeholder;

/// A translation that needs no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pseudo {
    /// Every sentence as it is.
    Identity,
    /// A longer text with every letter accented, in brackets.
    Accents,
}

impl Pseudo {
    /// A sentence's text, with all its placeholders.
    pub fn translated(self, text: &str) -> String {
        self.with(text, |_| true)
    }

    /// The translation of a sentence in letters that its file can hold: in an encoding that lacks one, another accent is
    /// taken, or none.
    pub fn translate(self, document: &Document, sentence: &Sentence) -> String {
        self.with(&sentence.text, |letter| document.encoding.holds(letter))
    }

    fn with(self, text: &str, holds: impl Fn(char) -> bool) -> String {
        match self {
            Self::Identity => text.to_owned(),
            Self::Accents => accented(text, holds),
        }
    }
}

fn accented(text: &str, holds: impl Fn(char) -> bool) -> String {
    let mut written = String::with_capacity(2 * text.len() + 2);
    written.push('[');
    for character in text.chars() {
        if Placeholder::from_char(character).is_some() || !character.is_alphabetic() {
            written.push(character);
            continue;
        }
        match accent(character)
            .into_iter()
            .chain(other_accent(character))
            .find(|&it| holds(it))
        {
            Some(accented) => {
                written.push(accented);
                if "aeiouAEIOU".contains(character) {
                    // Other languages take a third more room than English.
                    written.extend(accented.to_lowercase());
                }
            }
            None if !holds('\u{301}') => written.push(character),
            // A combining acute accent.
            None => written.extend([character, '\u{301}']),
        }
    }
    written.push(']');
    written
}

/// The letter with an accent, if there is such a character.
fn accent(letter: char) -> Option<char> {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const ACCENTED: &str = "áƀćďéƒǵĥíĵķĺḿńóṕɋŕśťúṽŵẋýžÁƁĆĎÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŽ";
    let place = PLAIN.find(letter)?;
    ACCENTED.chars().nth(place)
}

/// The accented letter that older encodings have.
fn other_accent(letter: char) -> Option<char> {
    const PLAIN: &str = "cgnszuCGNSZU";
    const ACCENTED: &str = "çğñšžüÇĞÑŠŽÜ";
    let place = PLAIN.find(letter)?;
    ACCENTED.chars().nth(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::placeholder::{CLOSE, open, point};

    #[test]
    fn accents_keep_placeholders_and_digits() {
        let text = format!("Open {}the 3 files{CLOSE}{}!", open(0), point(1));
        assert_eq!(Pseudo::Identity.translated(&text), text);
        assert_eq!(
            Pseudo::Accents.translated(&text),
            format!("[Óóṕééń {}ťĥéé 3 ƒííĺééś{CLOSE}{}!]", open(0), point(1))
        );
        assert_eq!(Pseudo::Accents.translated("日a"), "[日\u{301}áá]");
    }

    #[test]
    fn an_older_encoding_takes_what_it_has() {
        let text = "charset=windows-1252 caf\u{e9} can";
        let bytes = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"));
        let document =
            Document::from_bytes("a.txt", Format::Text, bytes.collect()).expect("a text");
        let accents = Pseudo::Accents.translate(&document, &document.sentences[0]);
        assert!(
            accents.contains("çáá") && accents.contains("ñ"),
            "{accents}"
        );
        let written = document
            .written(&[Some(accents)], None)
            .expect("in the same encoding");
        assert!(std::str::from_utf8(&written).is_err());
    }

    #[test]
    fn every_letter_of_english_changes() {
        for letter in ('a'..='z').chain('A'..='Z') {
            assert_ne!(accent(letter), Some(letter));
            assert!(accent(letter).is_some(), "{letter}");
        }
    }
}
