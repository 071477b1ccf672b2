//! Placeholders as a person edits them: `⟨1⟩bold⟨/1⟩` for a pair of tags, `⟨2/⟩` for a single one.
//!
//! Numbers start at 1. An edit must hold exactly the placeholders of its source sentence, well nested. Text that reads like
//! one has a backslash in front, `\⟨1⟩`, and backslashes in front of one in the text are doubled.

use std::collections::BTreeSet;
use std::fmt;

use super::placeholder::{self, Placeholder};

/// One readable token; the number is the placeholder's own, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Token {
    /// The opening tag of a pair.
    Open(usize),
    /// The closing tag of a pair.
    Close(usize),
    /// A single tag.
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
    /// Text without tokens.
    Text(&'a str),
    /// One token.
    Token(Token),
}

/// Splits a stored text, whose closing placeholders have no number, into runs and numbered tokens.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![];
    let mut open = vec![];
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let Some(placeholder) = Placeholder::from_char(character) else {
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

/// Splits an edited text at its readable tokens; runs of text are as they are written, with their backslashes.
pub fn edited_pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![];
    let (mut start, mut from) = (0, 0);
    while let Some(at) = text[from..].find(BRACKET).map(|at| at + from) {
        let run = &text[start..at];
        match token(&text[at..]) {
            Some((token, len)) if backslashes(run).is_multiple_of(2) => {
                if !run.is_empty() {
                    pieces.push(Piece::Text(run));
                }
                pieces.push(Piece::Token(token));
                start = at + len;
                from = start;
            }
            _ => from = at + BRACKET.len_utf8(),
        }
    }
    if start < text.len() {
        pieces.push(Piece::Text(&text[start..]));
    }
    pieces
}

/// The first character of every token.
const BRACKET: char = '⟨';

/// How many backslashes a run ends in.
fn backslashes(run: &str) -> usize {
    run.len() - run.trim_end_matches('\\').len()
}

/// The token at the start of `text` and its length in bytes.
fn token(text: &str) -> Option<(Token, usize)> {
    let end = text.find('⟩')?;
    let inner = &text[BRACKET.len_utf8()..end];
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
    let len = end + '⟩'.len_utf8();
    // Neither `⟨01⟩` nor `⟨+1⟩`.
    (token.to_string() == text[..len]).then_some((token, len))
}

/// A run of an edited text without the backslashes that only keep it from being read as tokens; a token follows it or not.
fn unescaped(run: &str, is_before_token: bool) -> String {
    let mut text = String::with_capacity(run.len());
    let mut rest = run;
    while let Some(at) = rest.find(BRACKET) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        if token(after).is_some() {
            let kept = backslashes(before) / 2;
            text.truncate(text.len() - backslashes(before) + kept);
        }
        text.push(BRACKET);
        rest = &after[BRACKET.len_utf8()..];
    }
    let doubled = if is_before_token {
        backslashes(rest)
    } else {
        0
    };
    text.push_str(&rest[..rest.len() - doubled / 2]);
    text
}

/// A text for the editor under construction: runs and tokens in, with backslashes where a run could be read as tokens.
#[derive(Default)]
struct Editable {
    written: String,
    /// Characters since the last token.
    run: String,
}

impl Editable {
    fn token(&mut self, token: Token) {
        self.end_run();
        let doubled = backslashes(&self.written);
        self.written.push_str(&"\\".repeat(doubled));
        self.written.push_str(&token.to_string());
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        for (at, character) in run.char_indices() {
            if character == BRACKET && token(&run[at..]).is_some() {
                let doubled = backslashes(&run[..at]);
                self.written.push_str(&"\\".repeat(doubled + 1));
            }
            self.written.push(character);
        }
    }

    fn finish(mut self) -> String {
        self.end_run();
        self.written
    }
}

/// A stored text with readable tokens, for the editor.
pub fn to_editable(text: &str) -> String {
    let mut editable = Editable::default();
    for piece in pieces(text) {
        match piece {
            Piece::Text(run) => editable.run.push_str(run),
            Piece::Token(token) => editable.token(token),
        }
    }
    editable.finish()
}

/// A problem of the markup of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The source has it and the edit has not.
    Missing(Token),
    /// The edit has it more than once.
    Repeated(Token),
    /// The source does not have it.
    Unknown(Token),
    /// It closes another pair than the innermost open one.
    Crossing(Token),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(token) => write!(f, "{token} is missing"),
            Self::Repeated(token) => write!(f, "{token} occurs twice"),
            Self::Unknown(token) => write!(
                f,
                "{token} does not occur in the source (\\{token} is text that reads so)"
            ),
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
    let mut pieces = edited_pieces(edited).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let token = match piece {
            Piece::Text(run) => {
                let run = unescaped(run, pieces.peek().is_some());
                text.push_str(&without_placeholders(&run));
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

/// A text that stands for itself, not for the translation of another, as it is stored.
///
/// # Errors
/// The first thing that is wrong with its markup.
pub fn parsed(editable: &str) -> Result<String, Problem> {
    let token = |piece| match piece {
        Piece::Token(Token::Open(number)) => Some(placeholder::open(number)),
        Piece::Token(Token::Point(number)) => Some(placeholder::point(number)),
        Piece::Token(Token::Close(_)) => Some(placeholder::CLOSE),
        Piece::Text(_) => None,
    };
    let own: String = edited_pieces(editable)
        .into_iter()
        .filter_map(token)
        .collect();
    let stored = from_editable(editable, &own).map_err(|problems| problems[0])?;
    let mut open = vec![];
    for token in tokens(&stored) {
        match token {
            Token::Open(number) => open.push(number),
            Token::Close(_) => drop(open.pop()),
            Token::Point(_) => {}
        }
    }
    match open.first() {
        Some(&number) => Err(Problem::Missing(Token::Close(number))),
        None => Ok(stored),
    }
}

/// The edit with its markup put right: unknown and repeated tokens go, missing ones are added at the end, pairs nest.
pub fn repaired(edited: &str, source: &str) -> String {
    let expected = tokens(source);
    let mut seen = BTreeSet::new();
    let mut open: Vec<usize> = vec![];
    let mut editable = Editable::default();
    let mut pieces = edited_pieces(edited).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(run) => {
                let run = unescaped(run, pieces.peek().is_some());
                editable.run.push_str(&run);
            }
            Piece::Token(token) if !expected.contains(&token) || seen.contains(&token) => {}
            Piece::Token(Token::Close(number)) => {
                let Some(depth) = open.iter().rposition(|&opened| opened == number) else {
                    continue;
                };
                // What was opened inside is closed first.
                for inner in open.drain(depth..).rev() {
                    seen.insert(Token::Close(inner));
                    editable.token(Token::Close(inner));
                }
            }
            Piece::Token(token) => {
                seen.insert(token);
                if let Token::Open(number) = token {
                    open.push(number);
                }
                editable.token(token);
            }
        }
    }
    for number in open.into_iter().rev() {
        seen.insert(Token::Close(number));
        editable.token(Token::Close(number));
    }
    for token in expected {
        // A pair that is missing is added whole, in the nesting of the source.
        if seen.insert(token) {
            editable.token(token);
        }
    }
    editable.finish()
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

    #[test]
    fn a_text_of_its_own_is_read_with_its_markup() {
        let text = "Press ⟨1⟩Save⟨/1⟩ in ⟨2/⟩, not \\⟨3⟩.";
        let stored = parsed(text).expect("well nested");
        assert_eq!(to_editable(&stored), text);
        assert!(parsed("⟨1⟩Save").is_err() && parsed("⟨1⟩a ⟨2⟩b⟨/1⟩⟨/2⟩").is_err());
    }
    use crate::placeholder::{CLOSE, open, point};

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
            "x\\",
            "\\⟨1⟩\\\\⟨9⟩⟨1⟩",
        ] {
            let repaired = repaired(edited, &source());
            assert!(
                from_editable(&repaired, &source()).is_ok(),
                "{edited} became {repaired}"
            );
        }
    }

    #[test]
    fn text_that_reads_like_a_token_stays_text() {
        let (open, point) = (open(0), point(1));
        for text in [
            "⟨1⟩".to_owned(),
            "a ⟨2/⟩ b ⟨/1⟩ c".to_owned(),
            "\\⟨1⟩ \\\\⟨1⟩ \\ \\⟨x⟩".to_owned(),
            format!("⟨1⟩{open}⟨/1⟩{CLOSE}⟨{point}⟩"),
            format!("\\{open}\\\\{CLOSE}\\"),
            format!("⟨1{point}⟩⟨2/⟩"),
        ] {
            let editable = to_editable(&text);
            assert_eq!(
                from_editable(&editable, &text),
                Ok(text.clone()),
                "{editable}"
            );
            assert_eq!(repaired(&editable, &text), editable, "{text}");
            // What is shown is all that was written.
            let shown = edited_pieces(&editable)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(run) => run.to_owned(),
                    Piece::Token(token) => token.to_string(),
                });
            assert_eq!(shown.collect::<String>(), editable);
        }
        assert_eq!(to_editable("⟨1⟩"), "\\⟨1⟩");
        assert_eq!(to_editable("⟨b⟩ C:\\"), "⟨b⟩ C:\\");
        assert_eq!(from_editable("⟨01⟩ ⟨+1⟩", ""), Ok("⟨01⟩ ⟨+1⟩".to_owned()));
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
