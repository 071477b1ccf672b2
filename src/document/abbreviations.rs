//! Full stops that do not end a sentence: abbreviations, initials, ordinal numbers.
//!
//! The lists follow the sentence-break suppressions of CLDR, sorted by what may follow and without what is also a common
//! word; those of Dutch and Polish, which CLDR has not, the dictionaries of these languages.

use super::segment::is_opening;
use super::words::Words;
use canopy_base::table::rows;

const TABLE: &str = include_str!("abbreviations.tsv");
/// Languages whose lists hold where the language is not known.
const UNASKED: [&str; 2] = ["en", "de"];

/// The words of a list, of the languages for which `is_wanted`.
fn list(name: &str, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    let rows = rows(TABLE).filter(move |(language, _)| is_wanted(language));
    let words = rows.filter_map(move |(_, cells)| cells.strip_prefix(name)?.strip_prefix('\t'));
    words.flat_map(str::split_ascii_whitespace)
}

/// Whether the sentence continues after `before`, which ends in a full stop, with `next`.
pub(super) fn continues(before: &str, next: &str, language: Option<&str>) -> bool {
    let next_word = next
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_next = |word: &str| word == next_word;
    let begins_sentence = list("starters", |_| true).any(is_next);
    let before_number = next_word.starts_with(|c: char| c.is_numeric());

    let tails = tails(before);
    let listed = |name: &str| {
        let is_wanted = |known: &str| match language {
            Some(code) => is_language(code, known),
            None => UNASKED.contains(&known),
        };
        list(name, is_wanted).any(|entry| tails.iter().any(|tail| is_entry(tail, entry)))
    };
    if listed("always") || before_number && listed("number") || !begins_sentence && listed("unless")
    {
        return true;
    }
    let word = tails[0].as_str();
    if word.ends_with('.') || is_initials(word) {
        return !begins_sentence;
    }
    if is_single_letter(word) {
        // `z. B.`: only the last full stop decides.
        return next_word.chars().count() == 1 && next[next_word.len()..].starts_with('.');
    }
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let noun = next_word.starts_with(char::is_uppercase) && !begins_sentence;
        let is_german = || match language {
            Some(code) => is_language(code, "de") && (word.len() < 3 || is_determined(&tails)),
            None => is_determined(&tails),
        };
        return list("ordinals", |_| true).any(is_next) || noun && is_german();
    }
    false
}

/// Whether the last word, a number, follows an article of German or what is in its place.
fn is_determined([last, two, three]: &[String; 3]) -> bool {
    const WORDS: Words =
        Words("der die das den dem des am im vom zum zur beim ins ans ein mein dein sein unser");
    const STEMS: Words = Words("ein kein mein dein sein ihr unser dies jed jen");
    const ENDINGS: Words = Words("e er es en em");
    let before = two.strip_suffix(last.as_str()).unwrap_or_default();
    let word = before.to_lowercase();
    let is_inflected = || {
        let rest = STEMS.iter().filter_map(|stem| word.strip_prefix(stem));
        rest.into_iter().any(|ending| ENDINGS.contains(ending))
    };
    // "I am 12."
    let is_english = word == "am" && three.starts_with('I') && three.len() == two.len() + 1;
    !is_english && (WORDS.contains(&word) || is_inflected())
}

/// The last one, two and three words of `text` without their spaces and the final full stop: `B`, `z.B`, `,z.B`.
fn tails(text: &str) -> [String; 3] {
    let ends_word =
        |c: char| c.is_whitespace() || is_opening(c) || matches!(c, '-' | '–' | '—' | '/' | ',');
    let mut rest = &text[..text.len() - 1];
    let mut tail = String::new();
    [(); 3].map(|()| {
        let start = rest.rfind(ends_word).map_or(0, |at| {
            at + rest[at..].chars().next().map_or(0, char::len_utf8)
        });
        tail.insert_str(0, &rest[start..]);
        rest = rest[..start].trim_end();
        tail.clone()
    })
}

fn is_entry(word: &str, entry: &str) -> bool {
    let mut characters = word.chars();
    let lowered = characters.next().map(char::to_lowercase);
    word == entry || lowered.is_some_and(|first| first.chain(characters).eq(entry.chars()))
}

/// `J`, `U.S`, `J.R.R`: capital letters with full stops between them.
fn is_initials(word: &str) -> bool {
    word.split('.')
        .all(|part| is_single_letter(part) && part.starts_with(char::is_uppercase) && part != "Ǝ")
}

fn is_single_letter(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
}

fn is_language(code: &str, language: &str) -> bool {
    let code = code.as_bytes();
    code.len() >= 2
        && code[..2].eq_ignore_ascii_case(language.as_bytes())
        && code.get(2).is_none_or(|b| !b.is_ascii_alphabetic())
}
