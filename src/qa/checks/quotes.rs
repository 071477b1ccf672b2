//! Quotation marks by the customs of the target's language.

use super::Problem;
use canopy_document::placeholder;

/// Codes of languages, and the pairs of marks that they use.
type Custom = (&'static [&'static str], &'static [(char, char)]);

/// Marks that a language uses: opening and closing ones in pairs, the usual pair first.
const CUSTOMS: &[Custom] = &[
    (
        &["de", "cs", "sk", "sl", "bg", "is", "lt"],
        &[('„', '“'), ('»', '«'), ('‚', '‘'), ('›', '‹')],
    ),
    (&["en", "ga", "cy", "mt"], &[('“', '”'), ('‘', '’')]),
    (&["fr"], &[('«', '»'), ('“', '”'), ('‹', '›'), ('‘', '’')]),
    (
        &["es", "it", "pt", "ca", "gl", "eu", "el"],
        &[('«', '»'), ('“', '”'), ('‘', '’')],
    ),
    (
        &["pl", "ro", "hu", "hr"],
        &[('„', '”'), ('«', '»'), ('»', '«'), ('‚', '’')],
    ),
    (&["ru", "uk", "be"], &[('«', '»'), ('„', '“')]),
    (&["nl"], &[('“', '”'), ('„', '”'), ('‘', '’'), ('‚', '’')]),
    (&["sv", "fi"], &[('”', '”'), ('»', '»'), ('’', '’')]),
    (
        &["da", "nb", "nn", "no"],
        &[('«', '»'), ('»', '«'), ('„', '“'), ('“', '”'), ('‘', '’')],
    ),
];

/// All marks that only quote; an apostrophe is more than that.
const MARKS: [char; 8] = ['„', '“', '”', '«', '»', '‚', '‹', '›'];

/// The marks, with their spaces, that a language puts around what the marks `source` enclose in another one: straight ones
/// stay, and so do those that are one of several customs of the Iberian peninsula, Italy and Greece.
pub fn usual_marks(language: &str, source: (char, char)) -> [&'static str; 2] {
    const SPELT: [((char, char), [&str; 2]); 10] = [
        (('"', '"'), ["\"", "\""]),
        (('“', '”'), ["“", "”"]),
        (('„', '“'), ["„", "“"]),
        (('„', '”'), ["„", "”"]),
        (('«', '»'), ["«", "»"]),
        (('»', '«'), ["»", "«"]),
        (('”', '”'), ["”", "”"]),
        (('»', '»'), ["»", "»"]),
        (('‘', '’'), ["‘", "’"]),
        (('\'', '\''), ["'", "'"]),
    ];
    let base = language.split(['-', '_']).next().unwrap_or_default();
    let custom = CUSTOMS.iter().find(|(codes, _)| codes.contains(&base));
    let usual = match custom {
        _ if matches!(source, ('"', '"') | ('\'', '\'')) => source,
        _ if base == "fr" => return ["«\u{A0}", "\u{A0}»"],
        _ if matches!(base, "ja" | "zh") => {
            return if base == "ja" {
                ["「", "」"]
            } else {
                ["“", "”"]
            };
        }
        Some((codes, pairs)) if codes.contains(&"pt") && pairs.contains(&source) => source,
        Some((_, [first, ..])) => *first,
        _ => source,
    };
    let spelt = SPELT.iter().find(|(pair, _)| *pair == usual);
    spelt.map_or(["“", "”"], |(_, spelt)| *spelt)
}

/// Phrases in quotation marks in the source alone.
fn lost(source: &str, target: &str) -> Option<Problem> {
    const DOUBLE: [char; 10] = ['“', '”', '„', '«', '»', '"', '「', '」', '『', '』'];
    const SINGLE: [char; 5] = ['‚', '‘', '’', '‹', '›'];
    let is_double = |letter: &char| DOUBLE.contains(letter);
    // A language may quote with single marks.
    let is_any = |letter: &char| is_double(letter) || SINGLE.contains(letter);
    let quoted = source.chars().filter(is_double).count() / 2;
    let kept = target.chars().filter(is_any).count() / 2;
    let message = match quoted.saturating_sub(kept) {
        0 => return None,
        1 => "1 phrase has lost its quotation marks".to_owned(),
        count => format!("{count} phrases have lost their quotation marks"),
    };
    Some((message, None))
}

/// Marks that the language does not use, and straight ones that are not in pairs.
pub(super) fn quotes(source: &str, target: &str, language: Option<&str>) -> Option<Problem> {
    let [plain_source, plain_target] = [source, target].map(placeholder::stripped);
    let straight = |text: &str| text.matches('"').count();
    if straight(&plain_target) % 2 == 1 && straight(&plain_source) % 2 == 0 {
        return Some(("unmatched quotation marks".to_owned(), None));
    }
    let custom = CUSTOMS
        .iter()
        .find(|(codes, _)| language.is_some_and(|it| codes.contains(&it)));
    let Some((_, pairs)) = custom else {
        return lost(&plain_source, &plain_target);
    };
    let used: Vec<char> = plain_target
        .chars()
        .filter(|mark| MARKS.contains(mark))
        .collect();
    // Where a mark itself is spoken of, the source has more of one kind than of the other.
    let count = |mark: char| plain_source.matches(mark).count();
    let is_spoken_of = count('“') != count('”') || count('«') != count('»');
    let is_right = follows(&used, pairs) || is_spoken_of;
    if is_right {
        return lost(&plain_source, &plain_target);
    }
    let (open, close) = pairs.first()?;
    let message = format!("quotation marks of another language; here they are {open}…{close}");
    Some((message, repaired(target, &used, (*open, *close))))
}

/// Whether marks open and close by one of the customs each; a few may be open where a segment is a part of a quotation.
fn follows(used: &[char], pairs: &[(char, char)]) -> bool {
    let mut open: Vec<char> = Vec::new();
    for &mark in used {
        if open.last() == Some(&mark) {
            open.pop();
            continue;
        }
        let Some((_, close)) = pairs.iter().find(|(opening, _)| *opening == mark) else {
            // An end without its beginning, which is in another segment.
            if open.is_empty() && pairs.iter().any(|(_, close)| *close == mark) {
                continue;
            }
            return false;
        };
        open.push(*close);
    }
    true
}

/// The text with the usual marks in place of others, if those are double ones in pairs that do not nest.
fn repaired(target: &str, used: &[char], (open, close): (char, char)) -> Option<String> {
    let is_double = |mark: &char| matches!(mark, '„' | '“' | '”' | '«' | '»');
    let pairs = used.chunks(2).collect::<Vec<_>>();
    let is_plain = used.iter().all(is_double)
        && used.len().is_multiple_of(2)
        && pairs.iter().all(|pair| *pair == pairs[0]);
    if !is_plain || used.is_empty() {
        return None;
    }
    let mut opens = true;
    let replaced = target.chars().map(|c| {
        if !is_double(&c) {
            return c;
        }
        let mark = if opens { open } else { close };
        opens = !opens;
        mark
    });
    Some(replaced.collect())
}
