//! Marks at the end, brackets, and spaces.

use super::Problem;
use canopy_document::placeholder;

/// Marks of one meaning in the scripts of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndMark {
    None,
    Stop,
    Question,
    Exclamation,
    Colon,
    Ellipsis,
}

impl EndMark {
    fn from_text(text: &str) -> Self {
        let text = text.trim_end();
        let text = text.trim_end_matches(|c: char| is_closing(c) || c.is_whitespace());
        if text.ends_with("...") || text.ends_with("..") {
            return Self::Ellipsis;
        }
        match text.chars().next_back() {
            Some('.' | '。' | '．' | '।' | '۔' | '։' | '።') => Self::Stop,
            Some('?' | '？' | '؟' | '\u{37E}') => Self::Question,
            Some('!' | '！') => Self::Exclamation,
            Some(':' | '：') => Self::Colon,
            Some('…' | '⋯') => Self::Ellipsis,
            _ => Self::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "no mark",
            Self::Stop => "a full stop",
            Self::Question => "a question mark",
            Self::Exclamation => "an exclamation mark",
            Self::Colon => "a colon",
            Self::Ellipsis => "an ellipsis",
        }
    }
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '“'
            | '’'
            | '‘'
            | '»'
            | '«'
            | '›'
            | '‹'
            | ')'
            | ']'
            | '}'
            | '」'
            | '』'
            | '）'
            | '】'
    )
}

/// Compares the last marks. Headings, menus and fragments make a stop or an ellipsis on one side alone common, so what counts
/// is a stop that a sentence has lost, and a question, a colon or an exclamation that is something else on the other side.
pub(super) fn end_mark(source: &str, target: &str) -> Option<Problem> {
    use EndMark as M;
    let [source, target] = [source, target].map(placeholder::stripped);
    let (expected, found) = (M::from_text(&source), M::from_text(&target));
    let is_right = match (expected, found) {
        _ if expected == found || is_thai_or_lao(&target) => true,
        (M::Stop, M::None) => source.split_whitespace().count() <= SHORT,
        (M::Exclamation, M::None | M::Colon)
        | (M::Question, _)
        | (_, M::Question)
        | (M::Colon, M::Stop | M::Ellipsis)
        | (M::Stop, M::Colon) => false,
        _ => true,
    };
    if is_right {
        return None;
    }
    let message = format!(
        "{} at the end, the source has {}",
        found.name(),
        expected.name()
    );
    Some((message, None))
}

/// Words of what may be no sentence although it ends with a stop.
const SHORT: usize = 3;

/// Whether a text ends as sentences do.
pub(super) fn is_sentence(text: &str) -> bool {
    !matches!(EndMark::from_text(text), EndMark::None | EndMark::Ellipsis)
}

/// Scripts without a mark at the end of sentences.
fn is_thai_or_lao(text: &str) -> bool {
    text.chars().any(|c| ('\u{E00}'..='\u{EFF}').contains(&c))
}

const BRACKETS: [(char, char); 7] = [
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('「', '」'),
    ('『', '』'),
    ('（', '）'),
    ('【', '】'),
];

/// Brackets that the target does not close where the source closes its own.
pub(super) fn brackets(source: &str, target: &str) -> Option<Problem> {
    let open = |text: &str, (opening, closing): (char, char)| {
        let (mut depth, mut is_broken) = (0_i64, false);
        for c in text.chars() {
            depth += i64::from(c == opening) - i64::from(c == closing);
            is_broken |= depth < 0;
        }
        is_broken || depth != 0
    };
    let broken = BRACKETS
        .into_iter()
        .find(|&pair| open(target, pair) && !open(source, pair))?;
    Some((
        format!("unmatched brackets {} {}", broken.0, broken.1),
        None,
    ))
}

/// Marks that only French has a space before.
const MARKS: [&str; 5] = [" ,", " ;", " :", " !", " ?"];

/// Two spaces in a row, and a space before a mark outside of the languages that have one there.
pub(super) fn spaces(source: &str, target: &str, language: Option<&str>) -> Option<Problem> {
    let doubled = |text: &str| text.trim().contains("  ");
    if doubled(target) && !doubled(source) {
        let mut repaired = target.to_owned();
        while doubled(&repaired) {
            repaired = repaired.replace("  ", " ");
        }
        return Some(("two spaces in a row".to_owned(), Some(repaired)));
    }
    if language == Some("fr") || language.is_none() {
        return None;
    }
    // ":-)", " :root" and the like: a mark that a letter follows belongs to what comes.
    let stands_apart = |text: &str, mark: &str| {
        text.match_indices(mark).any(|(at, mark)| {
            let next = text[at + mark.len()..].chars().next();
            next.is_none_or(char::is_whitespace)
        })
    };
    let apart = |mark: &&&str| stands_apart(target, mark) && !stands_apart(source, mark);
    let mark = MARKS.iter().find(apart)?;
    let repaired = target.replace(mark, mark.trim_start());
    Some((format!("a space before {:?}", mark.trim()), Some(repaired)))
}
