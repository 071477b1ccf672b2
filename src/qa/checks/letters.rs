//! Capital letters, and words twice in a row.

use super::Problem;
use super::punctuation::is_sentence;
use canopy_document::placeholder;

/// Words that are right twice in a row ("…, die die …", "que que").
const DOUBLED: &[(&str, &[&str])] = &[
    ("de", &["der", "die", "das", "sie", "ihr", "den", "dem"]),
    ("en", &["had", "that", "is", "do"]),
    ("fr", &["nous", "vous"]),
    ("nl", &["die", "dat", "je"]),
    ("id", &[]),
];

/// Languages that write reduplication as a word twice.
const REDUPLICATING: [&str; 4] = ["id", "ms", "tl", "haw"];

/// A first letter of another case than the source's, where both begin with words of letters.
pub(super) fn capital(source: &str, target: &str, language: Option<&str>) -> Option<Problem> {
    let [source, target] = [source, target].map(placeholder::stripped);
    let first = |text: &str| text.trim_start().chars().next();
    let (expected, found) = (first(&source)?, first(&target)?);
    // A name such as iPhone, a command or a key: not plain words.
    let is_plain = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        word.chars().skip(1).all(char::is_lowercase) && word.chars().count() > 1
    };
    // Labels and formulas begin as they like.
    if !is_plain(&source) || !is_plain(&target) || !is_sentence(&source) {
        return None;
    }
    // German nouns are capital at the beginning of what is no sentence.
    let is_lost = expected.is_uppercase() && found.is_lowercase();
    let is_added =
        expected.is_lowercase() && found.is_uppercase() && !matches!(language, Some("de" | "lb"));
    let message = match (is_lost, is_added) {
        (true, _) => "it begins with a small letter",
        (_, true) => "it begins with a capital letter",
        _ => return None,
    };
    let other: String = if is_lost {
        found.to_uppercase().collect()
    } else {
        found.to_lowercase().collect()
    };
    // Markup may be before the letter, so only an unmarked text is repaired.
    let repaired = target
        .strip_prefix(found)
        .map(|rest| format!("{other}{rest}"));
    Some((message.to_owned(), repaired))
}

/// A word that follows itself, where no word of the source does.
pub(super) fn repeated_word(source: &str, target: &str, language: Option<&str>) -> Option<Problem> {
    if language.is_some_and(|language| REDUPLICATING.contains(&language))
        || repeated(source, &[]).is_some()
    {
        return None;
    }
    let own = DOUBLED.iter().find(|(code, _)| Some(*code) == language);
    let word = repeated(target, own.map_or(&[], |(_, words)| words))?;
    Some((format!("{word:?} is repeated"), None))
}

fn repeated<'t>(text: &'t str, allowed: &[&str]) -> Option<&'t str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &str| {
        word.chars().count() > 1
            && word
                .chars()
                .all(|c| c.is_alphabetic() || c == '\'' || c == '’')
    };
    let twice = words.windows(2).find(|pair| {
        let lower = pair[0].to_lowercase();
        let next = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
        is_word(pair[0]) && lower == next.to_lowercase() && !allowed.contains(&lower.as_str())
    });
    twice.map(|pair| pair[0])
}
