//! Numbers that one side has and the other has not.

use std::collections::BTreeMap;

use super::Problem;
use super::number_forms;
use canopy_document::placeholder;

/// Up to here languages spell numbers out, one side only as well.
const SPELT: u64 = 12;

/// Compares the digits, whatever is between thousands, decimals or the parts of a date.
pub(super) fn differ(source: &str, target: &str) -> Option<Problem> {
    let [source, target] = [source, target].map(placeholder::stripped);
    let runs = |text: &str| counted(text.split(|c: char| !c.is_numeric()));
    let (missing, added) = difference(&runs(&source), &runs(&target));
    if missing.is_empty() && added.is_empty() {
        return None;
    }
    // 1000 and 1,000: the same digits once what groups them is gone.
    let joined = |text: &str| {
        let is_group = |c: char| matches!(c, '.' | ',' | '\'' | '’' | '\u{A0}' | '\u{202F}' | ' ');
        let digits: Vec<char> = text.chars().filter(|&c| !is_group(c)).collect();
        let digits: String = digits.into_iter().collect();
        counted(digits.split(|c: char| !c.is_numeric()).map(str::to_owned))
    };
    let (still_missing, still_added) = difference(&joined(&source), &joined(&target));
    if still_missing.is_empty() && still_added.is_empty() {
        return None;
    }
    let is_spelt = |run: &String| run.parse().is_ok_and(|number: u64| number <= SPELT);
    let one_side = missing.is_empty() || added.is_empty();
    if one_side && missing.iter().chain(&added).all(is_spelt) {
        return None;
    }
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} is missing", missing.join(", ")));
    }
    if !added.is_empty() {
        parts.push(format!("{} is not in the source", added.join(", ")));
    }
    Some((parts.join(", "), None))
}

/// Thousands and decimals that the target's language reads as another number, or as none.
pub(super) fn misread(source: &str, target: &str, languages: [&str; 2]) -> Option<Problem> {
    let wrong = number_forms::misread(source, target, languages);
    let misread = wrong.iter().map(|it| {
        let written = &target[it.range.clone()];
        format!("{} is written {} here, not {written}", it.source, it.right)
    });
    let misread: Vec<String> = misread.collect();
    let repaired = || number_forms::corrected(target, &wrong);
    (!misread.is_empty()).then(|| (misread.join(", "), Some(repaired())))
}

/// Whether both sides have the same numbers, as far as languages write them alike.
pub fn are_same_numbers(source: &str, target: &str) -> bool {
    differ(source, target).is_none()
}

/// How often each run of digits occurs; the digits of all scripts count by their value.
fn counted(runs: impl Iterator<Item = impl AsRef<str>>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for run in runs {
        let run: String = run.as_ref().chars().filter_map(western).collect();
        if !run.is_empty() {
            *counts.entry(run).or_default() += 1;
        }
    }
    counts
}

/// The digit that stands for the same value: blocks of decimal digits have ten in a row.
fn western(digit: char) -> Option<char> {
    const ZEROS: [char; 14] = [
        '0', '٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '０',
    ];
    let value = |zero: char| (digit as u32).checked_sub(zero as u32);
    let values = ZEROS.into_iter().filter_map(value);
    values
        .filter(|&value| value < 10)
        .find_map(|value| char::from_digit(value, 10))
}

/// Runs that only the one and only the other has.
fn difference(
    source: &BTreeMap<String, usize>,
    target: &BTreeMap<String, usize>,
) -> (Vec<String>, Vec<String>) {
    let only = |these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| {
        let more = these
            .iter()
            .filter(|(run, count)| those.get(*run).unwrap_or(&0) < count);
        more.map(|(run, _)| run.clone()).collect()
    };
    (only(source, target), only(target, source))
}
