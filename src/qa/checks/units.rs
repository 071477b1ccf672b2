//! Units of measurement after numbers, and dates in digits.

use super::Problem;
use canopy_base::table::rows;
use canopy_document::placeholder;

/// Units that languages of Latin script write alike, with the words and signs that stand for them in other languages.
const UNITS: &str = include_str!("units.tsv");

/// Units after numbers of the source but not in the target.
pub(super) fn units(source: &str, target: &str) -> Option<Problem> {
    let [source, target] = [source, target].map(|text| placeholder::stripped(text).to_lowercase());
    // Other scripts have units of their own.
    if !target.chars().any(|c| c.is_ascii_alphabetic()) || target.chars().any(is_of_other_script) {
        return None;
    }
    let is_missing = |(unit, others): &(&str, &str)| {
        let others = || others.split('\t').any(|other| target.contains(other));
        has_unit(&source, unit) && !has_unit(&target, unit) && !others()
    };
    let (unit, _) = rows(UNITS).find(is_missing)?;
    Some((
        format!("the unit {unit} is missing behind its number"),
        None,
    ))
}

fn is_of_other_script(c: char) -> bool {
    c.is_alphabetic() && !matches!(c, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' | 'μ')
}

/// Whether a unit is after a number, with a space between them or none.
fn has_unit(text: &str, unit: &str) -> bool {
    text.match_indices(unit).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\u{A0}', '\u{202F}']);
        let after = text[at + unit.len()..].chars().next();
        before.ends_with(|c: char| c.is_ascii_digit()) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Order of the parts of a date in digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    DayFirst,
    MonthFirst,
}

/// A date of the target that its language reads as none: with a month that is no month.
pub(super) fn dates(source: &str, target: &str, language: Option<&str>) -> Option<Problem> {
    let order = match language? {
        "de" | "fr" | "es" | "it" | "pt" | "nl" | "da" | "nb" | "no" | "nn" | "fi" | "pl"
        | "cs" | "sk" | "ru" | "uk" | "tr" | "el" | "ro" | "bg" | "hr" | "sl" | "id" => {
            Order::DayFirst
        }
        "en" => Order::MonthFirst,
        _ => return None,
    };
    let [source, target] = [source, target].map(placeholder::stripped);
    let known = dates_in(&source);
    let is_wrong = |(first, second, _): &(u32, u32, &str)| {
        let month = match order {
            Order::DayFirst => *second,
            // British English has the day first: only what neither reads is wrong.
            Order::MonthFirst => (*first).min(*second),
        };
        month > 12
    };
    let found = dates_in(&target).into_iter();
    // What the source has in the same form is an example or a sample of a format.
    let mut wrong = found.filter(|date| is_wrong(date) && !known.iter().any(|it| it.2 == date.2));
    let (_, month, written) = wrong.next()?;
    Some((
        format!("{written} is not a date here: there is no month {month}"),
        None,
    ))
}

/// First and second number of dates such as 12/31/2024, and how each is written.
fn dates_in(text: &str) -> Vec<(u32, u32, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/' | '-');
    let runs = text.split(|c: char| !is_part(c));
    runs.filter_map(|run| {
        let run = run.trim_matches(['.', '/', '-']);
        let sign = run.chars().find(|c| !c.is_ascii_digit())?;
        let parts: Vec<&str> = run.split(sign).collect();
        let [first, second, year] = parts.as_slice() else {
            return None;
        };
        let is_number = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_date = is_number(first, 1..=2) && is_number(second, 1..=2) && is_number(year, 4..=4);
        let year_is_one = year.starts_with("19") || year.starts_with("20");
        let (first, second) = (first.parse().ok()?, second.parse().ok()?);
        let may_be = (1..=31).contains(&first) && (1..=31).contains(&second);
        (is_date && year_is_one && may_be).then_some((first, second, run))
    })
    .collect()
}
