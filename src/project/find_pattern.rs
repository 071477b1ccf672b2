//! Words that are found in source and translations, and what replaces them.

use std::ops::Range;

use fancy_regex::Regex;

use super::find::{Find, FindOptions, Match, Side};
use super::open_document::OpenDocument;
use super::target::Target;
use crate::State;
use canopy_document::placeholder::{Placeholder, stripped};

impl OpenDocument {
    /// Looks for the words again if a translation has changed since.
    pub fn search_again(&mut self) {
        if self.find.is_open && self.find.revision != self.targets.total_revision() {
            self.search();
        }
    }

    /// Looks for the words, and keeps the match that was gone to.
    pub fn search(&mut self) {
        let before = self.find.current.map(|at| self.find.matches[at].key());
        let pattern = Pattern::new(&self.find.query, self.find.options);
        let pattern = match pattern {
            Ok(pattern) => {
                self.find.problem = None;
                Some(pattern)
            }
            Err(problem) => {
                self.find.problem = Some(problem);
                None
            }
        };
        let only = self.find.options.side;
        let mut matches = vec![];
        for (sentence, source) in self.document.sentences.iter().enumerate() {
            let sides = [
                (Side::Source, &source.text),
                (Side::Target, &self.target(sentence).text),
            ];
            let sides = sides.into_iter();
            for (side, text) in sides.filter(|(side, _)| only.is_none_or(|only| only == *side)) {
                let found = pattern.as_ref().map(|pattern| pattern.found(text));
                let found = found.unwrap_or_default().into_iter();
                matches.extend(found.map(|chars| Match {
                    sentence,
                    side,
                    chars,
                }));
            }
        }
        self.find.current = matches.iter().position(|found| Some(found.key()) == before);
        self.find.matches = matches;
        self.find.revision = self.targets.total_revision();
    }

    /// Goes to the match of this number and selects its sentence, or to none.
    pub fn go_to_match(&mut self, at: Option<usize>) {
        self.find.current = at;
        if let Some(at) = at {
            self.select(self.find.matches[at].sentence);
        }
    }
}

impl Find {
    /// A target with what replaces the words in these places; none, if it is empty then.
    pub fn replaced_in(&self, target: &Target, chars: &[Range<usize>]) -> Target {
        let replacement = stripped(&self.replacement);
        let options = self.options;
        let keeps_case = !options.matches_case && !options.is_regex;
        let text = replaced(&target.text, chars, |found| {
            if keeps_case {
                in_case_of(found, &replacement)
            } else {
                replacement.clone()
            }
        });
        if stripped(&text).trim().is_empty() {
            return Target::default();
        }
        Target {
            text,
            state: State::Edited,
            flags: vec![],
            model: target.model.clone(),
            confidence: None,
        }
    }
}

/// The pattern to find, as the options say.
struct Pattern<'q> {
    query: &'q str,
    options: FindOptions,
    regex: Option<Regex>,
}

impl<'q> Pattern<'q> {
    /// # Errors
    /// Why the words are no regular expression, if they should be one.
    fn new(query: &'q str, options: FindOptions) -> Result<Self, String> {
        let case = if options.matches_case { "" } else { "(?i)" };
        let has_pattern = options.is_regex && !query.is_empty();
        let regex = has_pattern.then(|| Regex::new(&format!("{case}{query}")));
        let regex = regex.transpose().map_err(|problem| problem.to_string())?;
        Ok(Self {
            query,
            options,
            regex,
        })
    }

    /// Its place in a text, in characters without placeholders.
    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let shown = stripped(text);
        let found = match &self.regex {
            Some(regex) => by_regex(&shown, regex),
            None => occurrences(text, self.query),
        };
        let letters: Vec<char> = shown.chars().collect();
        let is_letter = |at: usize| letters.get(at).is_some_and(|it| it.is_alphanumeric());
        let is_whole = |chars: &Range<usize>| {
            let before = chars.start > 0 && is_letter(chars.start - 1) && is_letter(chars.start);
            let behind = chars.end > 0 && is_letter(chars.end) && is_letter(chars.end - 1);
            !before && !behind
        };
        let is_as_written = |chars: &Range<usize>| {
            let written = letters[chars.clone()].iter();
            written
                .copied()
                .map(spaced)
                .eq(self.query.chars().map(spaced))
        };
        let FindOptions {
            matches_case,
            whole_words,
            ..
        } = self.options;
        let checks_case = matches_case && self.regex.is_none();
        let found = found.into_iter();
        found
            .filter(|chars| !whole_words || is_whole(chars))
            .filter(|chars| !checks_case || is_as_written(chars))
            .collect()
    }
}

fn spaced(letter: char) -> char {
    if letter.is_whitespace() { ' ' } else { letter }
}

/// Matches of an expression that hold anything; one that takes too long has none.
fn by_regex(shown: &str, regex: &Regex) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut chars, mut bytes) = (0, 0);
    for place in regex.find_iter(shown) {
        let Ok(place) = place else { break };
        if place.range().is_empty() {
            continue;
        }
        chars += shown[bytes..place.start()].chars().count();
        let length = place.as_str().chars().count();
        found.push(chars..chars + length);
        (chars, bytes) = (chars + length, place.end());
    }
    found
}

/// The places of `query` in `text`, in characters without placeholders; letters of either case are alike, and so is all
/// white space.
fn occurrences(text: &str, query: &str) -> Vec<Range<usize>> {
    let query: Vec<char> = query.chars().flat_map(folded).collect();
    let shown = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_none());
    let letters: Vec<(char, usize)> = shown
        .enumerate()
        .flat_map(|(at, letter)| folded(letter).map(move |letter| (letter, at)))
        .collect();
    let (mut found, mut from) = (vec![], 0);
    while !query.is_empty() && from + query.len() <= letters.len() {
        let window = &letters[from..from + query.len()];
        if window.iter().map(|(letter, _)| letter).eq(&query) {
            found.push(window[0].1..window[query.len() - 1].1 + 1);
            from += query.len();
        } else {
            from += 1;
        }
    }
    found
}

fn folded(letter: char) -> impl Iterator<Item = char> {
    let letter = if letter.is_whitespace() { ' ' } else { letter };
    letter.to_lowercase()
}

/// A replacement in small letters with the capitals of the word that it stands for: `Lar` for `Casa`, `LAR` for `CASA`.
fn in_case_of(found: &str, replacement: &str) -> String {
    let mut letters = found.chars().filter(|it| it.is_alphabetic());
    let (first, second) = (letters.next(), letters.next());
    let is_upper = |letter: Option<char>| letter.is_some_and(char::is_uppercase);
    let is_small = replacement.to_lowercase() == replacement;
    if !is_small || !is_upper(first) || second.is_none() {
        return replacement.to_owned();
    }
    if is_upper(second) && letters.all(char::is_uppercase) {
        return replacement.to_uppercase();
    }
    let mut rest = replacement.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}

/// The text with what `replacement` makes of them in these places; placeholders among them stay, after it.
fn replaced(text: &str, chars: &[Range<usize>], replacement: impl Fn(&str) -> String) -> String {
    let plain: Vec<char> = stripped(text).chars().collect();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for character in text.chars() {
        if Placeholder::from_char(character).is_some() {
            result.push(character);
            continue;
        }
        match chars.iter().find(|range| range.contains(&at)) {
            Some(range) if range.start == at => {
                let found = plain.get(range.clone()).unwrap_or_default();
                result += &replacement(&found.iter().collect::<String>());
            }
            Some(_) => {}
            None => result.push(character),
        }
        at += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::placeholder::{CLOSE, open};

    #[test]
    fn a_replacement_takes_the_capitals_of_what_it_replaces() {
        for (found, replacement, expected) in [
            ("casa", "lar", "lar"),
            ("Casa", "lar", "Lar"),
            ("CASA", "lar", "LAR"),
            ("Casa", "LAR", "LAR"),
            ("I", "ii", "ii"),
        ] {
            assert_eq!(in_case_of(found, replacement), expected);
        }
    }

    #[test]
    fn words_are_found_across_markup_in_either_case() {
        let places = |text: &str, query: &str| -> Vec<(usize, usize)> {
            let found = occurrences(text, query).into_iter();
            found.map(|chars| (chars.start, chars.end)).collect()
        };
        let text = format!("Öffne {}Datei{CLOSE}\u{a0}– öffne.", open(0));
        assert_eq!(places(&text, "ÖFFNE"), [(0, 5), (14, 19)]);
        assert_eq!(places(&text, "datei –"), [(6, 13)]);
        assert_eq!(places("aaa", "aa"), [(0, 2)]);
        // Becomes two characters in lower case.
        assert_eq!(places("İstanbul", "stanbul"), [(1, 8)]);
        for (text, query) in [("", "a"), ("a", ""), ("a", "ab")] {
            assert!(occurrences(text, query).is_empty(), "{query:?} in {text:?}");
        }
    }

    #[test]
    fn options_say_how_words_are_looked_for() {
        let places = |text: &str, query: &str, options: FindOptions| -> Vec<(usize, usize)> {
            let pattern = Pattern::new(query, options).expect("a pattern");
            let found = pattern.found(text).into_iter();
            found.map(|chars| (chars.start, chars.end)).collect()
        };
        let usual = FindOptions::default();
        let text = "Textdokument, Dokument, DOKUMENT";
        let all = [(4, 12), (14, 22), (24, 32)];
        assert_eq!(places(text, "Dokument", usual), all);
        let whole_words = FindOptions {
            whole_words: true,
            ..usual
        };
        assert_eq!(places(text, "Dokument", whole_words), all[1..]);
        let matches_case = FindOptions {
            matches_case: true,
            ..usual
        };
        assert_eq!(places(text, "Dokument", matches_case), [(14, 22)]);
        let is_regex = FindOptions {
            is_regex: true,
            ..usual
        };
        let text = format!("Ö{}1{CLOSE}2 und 345", open(0));
        assert_eq!(places(&text, r"\d+", is_regex), [(1, 3), (8, 11)]);
        assert!(Pattern::new("(", is_regex).is_err());
        assert!(places("a", "", is_regex).is_empty());
    }

    #[test]
    fn what_is_replaced_keeps_its_markup() {
        let text = format!("Klicke {}Datei{CLOSE} an.", open(0));
        let chars = occurrences(&text, "e datei a");
        let expected = format!("Klickt X{}{CLOSE}n.", open(0));
        assert_eq!(replaced(&text, &chars, |_| "t X".to_owned()), expected);
        let twice = occurrences("Ton in Ton", "ton");
        assert_eq!(
            replaced("Ton in Ton", &twice, |_| "Farbe".to_owned()),
            "Farbe in Farbe"
        );
    }
}
