//! Sentences in capitals, which vocabularies cut into letters.

use canopy_document::placeholder::Placeholder;

/// Letters from which on two words in capitals are words, not abbreviations.
const MIN_LETTERS: usize = 6;

/// A sentence in capitals as it is usually written; none if it has small letters, is code or may be an abbreviation. `is_word` says
/// whether a single word, in small letters, is one.
pub(super) fn lowered(text: &str, is_word: &dyn Fn(&str) -> bool) -> Option<String> {
    if text.contains(|c: char| c.is_lowercase() || "=_{}<>\\".contains(c)) {
        return None;
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().nth(1).is_some() && word.chars().any(char::is_uppercase))
        .collect();
    let num_letters: usize = words.iter().map(|word| word.chars().count()).sum();
    let is_sentence = match words.as_slice() {
        [] => false,
        [word] => num_letters >= MIN_LETTERS && is_word(&word.to_lowercase()),
        _ => num_letters >= MIN_LETTERS,
    };
    if !is_sentence {
        return None;
    }
    let mut is_first = true;
    let lowered = text.chars().map(|character| {
        if character.is_uppercase() && std::mem::take(&mut is_first) {
            return character.to_string();
        }
        character.to_lowercase().to_string()
    });
    Some(lowered.collect())
}

/// A text in capitals, placeholders aside, as a language writes them.
pub(super) fn raised(text: &str, language: &str) -> String {
    let is_turkic = matches!(language.split(['-', '_']).next(), Some("tr" | "az"));
    let mut raised = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if Placeholder::from_char(character).is_some() => raised.push(character),
            'i' if is_turkic => raised.push('İ'),
            _ => raised.extend(character.to_uppercase()),
        }
    }
    raised
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_in_capitals_are_lowered_and_abbreviations_are_not() {
        let lowered = |text: &str| lowered(text, &|word| word == "contents");
        for (text, expected) in [
            ("SAVE THE FILE NOW", Some("Save the file now")),
            ("DO NOT OPEN!", Some("Do not open!")),
            ("CONTENTS", Some("Contents")),
            ("ÖFFNEN UND SPEICHERN", Some("Öffnen und speichern")),
            ("\u{E000}SAVE\u{E200} ALL", Some("\u{E000}Save\u{E200} all")),
            ("UNESCO", None),
            ("PDF", None),
            ("LATHE = TRUE", None),
            ("IT, UK", None),
            ("Save ALL FILES", None),
            ("北京 大学", None),
            ("12:30", None),
        ] {
            assert_eq!(lowered(text).as_deref(), expected, "{text}");
        }
        assert_eq!(
            raised("Größe \u{E000}i\u{E200}", "de"),
            "GRÖSSE \u{E000}I\u{E200}"
        );
        assert_eq!(raised("bildir", "tr-TR"), "BİLDİR");
    }
}
