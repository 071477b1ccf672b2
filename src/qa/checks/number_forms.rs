//! Thousands and decimals as languages write them.

use std::ops::Range;

/// The marks of a language within numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    decimal: char,
    /// Between groups of three digits, as translators write it.
    group: char,
}

/// Marks of a language; none where they are unknown.
fn marks(language: &str) -> Option<Marks> {
    let code = language.to_ascii_lowercase();
    let primary = code.split(['-', '_']).next().unwrap_or_default();
    let (decimal, group) = match primary {
        "de" if code.ends_with("ch") || code.ends_with("li") => ('.', '’'),
        "es" if code.ends_with("mx") || code.ends_with("us") => ('.', ','),
        "en" | "zh" | "ja" | "ko" | "th" | "he" | "ms" | "ga" | "cy" => ('.', ','),
        "de" | "nl" | "it" | "es" | "pt" | "da" | "id" | "tr" | "el" | "ro" | "hr" | "sl"
        | "ca" | "gl" | "is" | "vi" => (',', '.'),
        "fr" | "ru" | "uk" | "be" | "pl" | "cs" | "sk" | "sv" | "nb" | "nn" | "no" | "fi"
        | "bg" | "hu" | "lt" | "lv" | "et" => (',', '\u{A0}'),
        _ => return None,
    };
    Some(Marks { decimal, group })
}

/// A number of several groups or with decimals, without its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    whole: String,
    fraction: Option<String>,
    is_grouped: bool,
}

/// A number of the source that a target reads otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misread {
    pub source: String,
    /// Bytes of the target.
    pub range: Range<usize>,
    /// As the target's language writes it.
    pub right: String,
}

/// Numbers of a source whose digits are in the target with marks by which its language reads another number, or none:
/// `1,234.56` as `1,234,56`, `2,175` as `2,175` where a comma begins decimals.
pub(super) fn misread(source: &str, target: &str, [from, to]: [&str; 2]) -> Vec<Misread> {
    let (Some(from), Some(to)) = (marks(from), marks(to)) else {
        return Vec::new();
    };
    if from.decimal == to.decimal {
        return Vec::new();
    }
    let written = runs(target);
    let mut taken = vec![false; written.len()];
    let mut wrong = Vec::new();
    for range in runs(source) {
        let text = &source[range.clone()];
        if is_labelled(source, range.start) {
            continue;
        }
        let Some(number) = Number::read(text, from).filter(|number| number.is_grouped) else {
            continue;
        };
        let digits = digits(text);
        let own = |place: &usize| {
            !taken[*place] && self::digits(&target[written[*place].clone()]) == digits
        };
        let places: Vec<usize> = (0..written.len()).filter(own).collect();
        let is_right =
            |place: &&usize| number.may_be(text, &target[written[**place].clone()], to.decimal);
        match (places.iter().find(is_right), places.first()) {
            (Some(&place), _) => taken[place] = true,
            (None, Some(&place)) => {
                taken[place] = true;
                wrong.push(Misread {
                    source: text.to_owned(),
                    range: written[place].clone(),
                    right: number.written(to),
                });
            }
            (None, None) => {}
        }
    }
    wrong.sort_by_key(|misread| misread.range.start);
    wrong
}

/// A translation whose grouped numbers have the marks of its language, wherever the language would read them otherwise.
pub fn localised(source: &str, target: &str, languages: [&str; 2]) -> Option<String> {
    let wrong = misread(source, target, languages);
    (!wrong.is_empty()).then(|| corrected(target, &wrong))
}

/// The target with all numbers right.
pub(super) fn corrected(target: &str, wrong: &[Misread]) -> String {
    let (mut text, mut end) = (String::with_capacity(target.len()), 0);
    for Misread { range, right, .. } in wrong {
        text += &target[end..range.start];
        text += right;
        end = range.end;
    }
    text + &target[end..]
}

impl Number {
    /// Reads digits with marks; none if they are no number of this language, such as a date or a version.
    fn read(text: &str, marks: Marks) -> Option<Self> {
        let (whole, fraction) = match text.split_once(marks.decimal) {
            Some((whole, fraction)) => (whole, Some(fraction.to_owned())),
            None => (text, None),
        };
        let is_space = |c: char| matches!(c, '\u{A0}' | '\u{202F}');
        let is_group = |c: char| c == marks.group || is_space(c) && is_space(marks.group);
        let groups: Vec<&str> = whole.split(is_group).collect();
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (first, rest) = groups.split_first()?;
        let is_right = is_number(first)
            && (rest.is_empty() || first.len() <= 3 && !first.starts_with('0'))
            && rest
                .iter()
                .all(|group| group.len() == 3 && is_number(group))
            && fraction.as_deref().is_none_or(is_number);
        is_right.then(|| Self {
            whole: groups.concat(),
            fraction,
            is_grouped: !rest.is_empty(),
        })
    }

    fn written(&self, marks: Marks) -> String {
        let mut text = String::new();
        for (place, digit) in self.whole.chars().enumerate() {
            if place > 0 && (self.whole.len() - place).is_multiple_of(3) {
                text.push(marks.group);
            }
            text.push(digit);
        }
        if let Some(fraction) = &self.fraction {
            text.push(marks.decimal);
            text += fraction;
        }
        text
    }

    /// Whether a reader of a language with this decimal mark takes `target` for the number, which is `source`: with any other
    /// mark or none between groups, or, where decimals leave no doubt, as it was.
    fn may_be(&self, source: &str, target: &str, decimal: char) -> bool {
        if self.fraction.is_some() && target == source {
            return true;
        }
        let plain = match &self.fraction {
            Some(fraction) => format!("{}{decimal}{fraction}", self.whole),
            None => self.whole.clone(),
        };
        let groups = ['.', ',', '\'', '’', '\u{A0}', '\u{202F}'].into_iter();
        let mut groups = groups.filter(|&group| group != decimal);
        target == plain || groups.any(|group| self.written(Marks { decimal, group }) == target)
    }
}

/// Words after which digits with a point are no number of thousands.
const LABELS: &str =
    "version release build v kapitel abschnitt section chapter seção nr rfc iso din §";

/// Whether a word such as *version* precedes a place.
fn is_labelled(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\u{A0}', '.']);
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    LABELS.split(' ').any(|label| label == word.to_lowercase())
}

/// Digits with the marks between them.
fn runs(text: &str) -> Vec<Range<usize>> {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, &(at, character)) in characters.iter().enumerate() {
        let is_mark = matches!(character, '.' | ',' | '\'' | '’' | '\u{A0}' | '\u{202F}');
        let next = characters.get(place + 1).map(|it| it.1);
        let end = at + character.len_utf8();
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) if character.is_ascii_digit() => run.end = end,
            Some(run) if is_mark && next.is_some_and(|c| c.is_ascii_digit()) => run.end = end,
            _ if character.is_ascii_digit() => runs.push(at..end),
            _ => {}
        }
    }
    runs
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouped_numbers_are_read_by_the_marks_of_their_language() {
        let german = |source: &str, target: &str| localised(source, target, ["en", "de"]);
        for (source, target) in [
            ("$1,234.56", "1.234,56 $"),
            ("$1,234.56", "1 234,56 $"),
            ("$1,234.56", "$1,234.56"),
            ("$1,234.56", "1234,56 $"),
            ("2,175 miles", "2.175 Meilen"),
            ("2,175 miles", "2175 Meilen"),
            ("2,175 miles", "2\u{202F}175 Meilen"),
            ("3.5 km", "3.5 km"),
            ("3.5 km", "3,5 km"),
            (
                "version 2.0.1 of 12/31/2024",
                "Version 2.0.1 vom 31.12.2024",
            ),
            ("2,175 miles", "zweitausend Meilen"),
        ] {
            assert_eq!(german(source, target), None, "{target}");
        }
        for (source, target, right) in [
            ("$1,234.56", "$1,234,56", "$1.234,56"),
            ("$1,234.56", "$1.234.56", "$1.234,56"),
            ("2,175 and 1,024", "2,175 und 1,024", "2.175 und 1.024"),
            ("1,234,567", "1,234,567", "1.234.567"),
        ] {
            assert_eq!(german(source, target).as_deref(), Some(right), "{target}");
        }
        let english = localised(
            "2.175 Meilen, 1.234,5",
            "2.175 miles, 1.234,5",
            ["de", "en"],
        );
        assert_eq!(english.as_deref(), Some("2,175 miles, 1.234,5"));
        let french = localised("2,175", "2,175", ["en", "fr"]);
        assert_eq!(french.as_deref(), Some("2\u{A0}175"));
        assert_eq!(localised("2,175", "2,175", ["en", "ja"]), None);
        assert_eq!(localised("2,175", "2,175", ["", "de"]), None);
    }
}
