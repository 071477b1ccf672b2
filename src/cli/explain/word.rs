//! A word that is named by its text or its number.

use super::ordinal;
use crate::error::{Error, Result};
use canopy_explain::error::Error as ExplainError;

/// Place of the first whole word that equals `word`, in lower case.
fn place_of_word(word: &str, tokens: &[String]) -> Option<usize> {
    let goes_on = |token: &&String| token.starts_with(char::is_alphanumeric);
    let is_word = |&start: &usize| {
        let (first, rest) = (&tokens[start], &tokens[start + 1..]);
        let pieces = std::iter::once(first).chain(rest.iter().take_while(goes_on));
        let pieces = pieces.map(|piece| piece.trim_start_matches('▁').to_lowercase());
        pieces.collect::<String>() == word
    };
    let mut starts =
        (0..tokens.len()).filter(|&place| place == 0 || tokens[place].starts_with('▁'));
    let start = starts.find(is_word).filter(|_| !word.is_empty())?;
    // A word may begin with a space alone.
    Some(start + usize::from(tokens[start] == "▁"))
}

/// Place of a word in its sentence: its number, or the first subword of the first word with this text.
pub(super) fn place_in_sentence(word: &str, tokens: &[String], sentence: usize) -> Result<usize> {
    if let Ok(place) = ordinal(word) {
        return Ok(place);
    }
    let bare = |token: &String| token.trim_start_matches('▁').to_lowercase();
    let lower = word.to_lowercase();
    let found = place_of_word(&lower, tokens);
    let whole = |start: usize| {
        let mut joined = String::new();
        for (place, token) in tokens.iter().enumerate().skip(start) {
            if place > start && (token.starts_with('▁') || joined.len() >= lower.len()) {
                break;
            }
            joined += &bare(token);
        }
        joined == lower
    };
    // What is no word of its own: a piece of one, or one after punctuation.
    let found = found.or_else(|| tokens.iter().position(|token| bare(token) == lower));
    let found = found.or_else(|| (0..tokens.len()).find(|&start| whole(start)));
    found.ok_or_else(|| {
        Error::from(ExplainError::NotInTrace {
            requested: format!("word {word:?}"),
            there: format!(
                "sentence {} has {}",
                sentence + 1,
                tokens
                    .iter()
                    .map(|token| token.trim_start_matches('▁'))
                    .collect::<Vec<_>>()
                    .join(" ")
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_not_a_piece_of_another_one() {
        let place = |word: &str, tokens: &str| {
            let tokens: Vec<String> = tokens.split(' ').map(str::to_owned).collect();
            place_in_sentence(word, &tokens, 0).ok()
        };
        let tokens = "▁Open ing ▁spl it s ▁it . ▁open ▁( file ) ▁ Ö ffnen";
        assert_eq!(place("it", tokens), Some(5));
        assert_eq!(place("Open", tokens), Some(7));
        assert_eq!(place("opening", tokens), Some(0));
        assert_eq!(place("splits", tokens), Some(2));
        assert_eq!(place("öffnen", tokens), Some(12));
        // No words of their own.
        assert_eq!(place("file", tokens), Some(9));
        assert_eq!(place("ing", tokens), Some(1));
        assert_eq!(place("3", tokens), Some(2));
        assert_eq!(place("no", tokens), None);
    }
}
