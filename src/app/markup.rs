//! Placeholders as a person edits them: `⟨1⟩bold⟨/1⟩` for a pair of tags, `⟨2/⟩` for a single one.
//!
//! Numbers start at 1. An edit must hold exactly the placeholders of its source sentence, well nested.

use std::collections::BTreeSet;
use std::fmt;

use crate::text::placeholder::{self, Placeholder};

/// One readable token; the number is the placeholder's own, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Token {
    Open(usize),
    Close(usize),
    Point(usize),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(number) => write!(f, "⟨{}⟩", number + 1),
            Self::Close(number) => write!(f, "⟨/{}⟩", number + 1),
            Self::Point(number) => write!(f, "⟨{}/⟩", number + 1),
        }
    }
}

/// A run of text or one token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Token(Token),
}

/// Splits a stored text, whose closing placeholders have no number, into runs and numbered tokens.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![];
    let mut open = vec![];
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let Some(placeholder) = Placeholder::of(character) else {
            continue;
        };
        if start < at {
            pieces.push(Piece::Text(&text[start..at]));
        }
        start = at + character.len_utf8();
        match placeholder {
            Placeholder::Open(number) => {
                open.push(number);
                pieces.push(Piece::Token(Token::Open(number)));
            }
            Placeholder::Point(number) => pieces.push(Piece::Token(Token::Point(number))),
            // A closing one without an opening one is no text we made; it is not shown.
            Placeholder::Close => {
                pieces.extend(open.pop().map(|number| Piece::Token(Token::Close(number))));
            }
        }
    }
    if start < text.len() {
        pieces.push(Piece::Text(&text[start..]));
    }
    pieces
}

/// Splits an edited text at its readable tokens.
pub fn edited_pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![];
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find('⟨').map(|at| at + from) {
        let Some((token, len)) = token(&rest[at..]) else {
            from = at + '⟨'.len_utf8();
            continue;
        };
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        pieces.push(Piece::Token(token));
        rest = &rest[at + len..];
        from = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The token at the start of `text` and its length in bytes.
fn token(text: &str) -> Option<(Token, usize)> {
    let end = text.find('⟩')?;
    let inner = &text['⟨'.len_utf8()..end];
    let number = |digits: &str| {
        digits
            .parse::<usize>()
            .ok()
            .filter(|number| (1..=256).contains(number))
            .map(|n| n - 1)
    };
    let token = if let Some(digits) = inner.strip_prefix('/') {
        Token::Close(number(digits)?)
    } else if let Some(digits) = inner.strip_suffix('/') {
        Token::Point(number(digits)?)
    } else {
        Token::Open(number(inner)?)
    };
    Some((token, end + '⟩'.len_utf8()))
}

/// A stored text with readable tokens, for the editor.
pub fn to_editable(text: &str) -> String {
    pieces(text)
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Token(token) => token.to_string(),
        })
        .collect()
}

/// What is wrong with the markup of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    Missing(Token),
    Repeated(Token),
    Unknown(Token),
    /// It closes another pair than the innermost open one.
    Crossing(Token),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(token) => write!(f, "{token} is missing"),
            Self::Repeated(token) => write!(f, "{token} stands twice"),
            Self::Unknown(token) => write!(f, "{token} does not occur in the source"),
            Self::Crossing(token) => write!(f, "{token} crosses another pair"),
        }
    }
}

/// The tokens of a source sentence, in its order.
pub fn tokens(source: &str) -> Vec<Token> {
    let token = |piece| {
        if let Piece::Token(token) = piece {
            Some(token)
        } else {
            None
        }
    };
    pieces(source).into_iter().filter_map(token).collect()
}

/// Turns an edit back into stored text.
///
/// # Errors
/// All that is wrong with its markup, in reading order.
pub fn from_editable(edited: &str, source: &str) -> Result<String, Vec<Problem>> {
    let expected = tokens(source);
    let mut problems = vec![];
    let mut seen = BTreeSet::new();
    let mut open = vec![];
    let mut text = String::new();
    for piece in edited_pieces(edited) {
        let token = match piece {
            Piece::Text(run) => {
                text.push_str(&without_placeholders(run));
                continue;
            }
            Piece::Token(token) => token,
        };
        if !expected.contains(&token) {
            problems.push(Problem::Unknown(token));
        } else if !seen.insert(token) {
            problems.push(Problem::Repeated(token));
        }
        match token {
            Token::Open(number) => {
                open.push(number);
                text.push(placeholder::open(number));
            }
            Token::Point(number) => text.push(placeholder::point(number)),
            Token::Close(number) => {
                if open.last() == Some(&number) {
                    open.pop();
                } else if let Some(depth) = open.iter().rposition(|&opened| opened == number) {
                    open.remove(depth);
                    problems.push(Problem::Crossing(token));
                } else if expected.contains(&token)
                    && edited_pieces(edited).contains(&Piece::Token(Token::Open(number)))
                {
                    // Before its opening one; without any, that one is reported as missing.
                    problems.push(Problem::Crossing(token));
                }
                text.push(placeholder::CLOSE);
            }
        }
    }
    let missing = expected
        .iter()
        .filter(|token| !seen.contains(token))
        .map(|token| Problem::Missing(*token));
    problems.extend(missing);
    if problems.is_empty() {
        Ok(folded(&text))
    } else {
        Err(problems)
    }
}

/// The edit with its markup put right: unknown and repeated tokens go, missing ones are added at the end, pairs nest.
pub fn repaired(edited: &str, source: &str) -> String {
    let expected = tokens(source);
    let mut seen = BTreeSet::new();
    let mut open: Vec<usize> = vec![];
    let mut text = String::new();
    for piece in edited_pieces(edited) {
        match piece {
            Piece::Text(run) => text.push_str(run),
            Piece::Token(token) if !expected.contains(&token) || seen.contains(&token) => {}
            Piece::Token(Token::Close(number)) => {
                let Some(depth) = open.iter().rposition(|&opened| opened == number) else {
                    continue;
                };
                // What was opened inside is closed first.
                for inner in open.drain(depth..).rev() {
                    seen.insert(Token::Close(inner));
                    text.push_str(&Token::Close(inner).to_string());
                }
            }
            Piece::Token(token) => {
                seen.insert(token);
                if let Token::Open(number) = token {
                    open.push(number);
                }
                text.push_str(&token.to_string());
            }
        }
    }
    for number in open.into_iter().rev() {
        seen.insert(Token::Close(number));
        text.push_str(&Token::Close(number).to_string());
    }
    for token in expected {
        // A pair that is missing is added whole, in the nesting of the source.
        if seen.insert(token) {
            text.push_str(&token.to_string());
        }
    }
    text
}

/// Text of a person may hold no placeholder characters, whatever was pasted.
fn without_placeholders(text: &str) -> String {
    placeholder::stripped(text)
}

/// White space as in a source sentence: single spaces, none at the ends.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.trim().chars() {
        // No-break spaces are meant; only what the editor or a paste may bring is folded.
        let space = matches!(character, ' ' | '\t' | '\n' | '\r');
        if !space {
            folded.push(character);
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::placeholder::{CLOSE, open, point};

    fn source() -> String {
        format!(
            "Click {}File {}now{CLOSE}{CLOSE} {}.",
            open(0),
            open(1),
            point(2)
        )
    }

    #[test]
    fn tokens_are_readable_and_come_back_unchanged() {
        let editable = to_editable(&source());
        assert_eq!(editable, "Click ⟨1⟩File ⟨2⟩now⟨/2⟩⟨/1⟩ ⟨3/⟩.");
        assert_eq!(from_editable(&editable, &source()), Ok(source()));
    }

    #[test]
    fn pairs_may_change_their_order_and_nesting() {
        let edited = "⟨3/⟩ ⟨2⟩jetzt⟨/2⟩ ⟨1⟩Datei⟨/1⟩";
        assert!(from_editable(edited, &source()).is_ok());
    }

    #[test]
    fn every_problem_is_named() {
        let problems = |edited| from_editable(edited, &source()).expect_err("broken markup");
        assert_eq!(
            problems("⟨1⟩⟨2⟩x⟨/1⟩⟨/2⟩⟨3/⟩"),
            [Problem::Crossing(Token::Close(0))]
        );
        assert_eq!(
            problems("⟨2⟩x⟨/2⟩⟨/1⟩⟨3/⟩"),
            [Problem::Missing(Token::Open(0))]
        );
        assert_eq!(
            problems("⟨1⟩⟨2⟩x⟨/2⟩⟨/1⟩"),
            [Problem::Missing(Token::Point(2))]
        );
        assert!(problems("⟨1⟩⟨2⟩x⟨/2⟩⟨/1⟩⟨3/⟩⟨3/⟩").contains(&Problem::Repeated(Token::Point(2))));
        assert!(problems("⟨9/⟩").contains(&Problem::Unknown(Token::Point(8))));
    }

    #[test]
    fn a_repaired_edit_is_always_valid() {
        for edited in [
            "",
            "x",
            "⟨1⟩⟨2⟩x⟨/1⟩⟨/2⟩",
            "⟨/1⟩⟨3/⟩⟨3/⟩",
            "⟨9⟩a⟨2⟩b⟨1⟩c⟨/2⟩d",
            "⟨ ⟩⟨1",
        ] {
            let repaired = repaired(edited, &source());
            assert!(
                from_editable(&repaired, &source()).is_ok(),
                "{edited} became {repaired}"
            );
        }
    }

    #[test]
    fn brackets_without_a_number_are_text() {
        assert_eq!(from_editable("a ⟨b⟩ c", ""), Ok("a ⟨b⟩ c".to_owned()));
    }

    #[test]
    fn pasted_placeholders_and_line_breaks_are_folded() {
        assert_eq!(
            from_editable(&format!(" a{}\n b ", open(0)), ""),
            Ok("a b".to_owned())
        );
    }
}
