//! Lengths, and segments that are left untranslated.

use super::Problem;
use canopy_document::placeholder;

/// Minimum number of words from which an untranslated source is suspicious: names and terms stay as they are.
const IDENTICAL_WORDS: usize = 4;

/// A target that is longer than the format allows.
pub(super) fn too_long(target: &str, max_chars: Option<usize>) -> Option<Problem> {
    let length = placeholder::stripped(target).chars().count();
    let limit = max_chars.filter(|&limit| length > limit)?;
    Some((format!("{length} characters, {limit} are allowed"), None))
}

/// A target that differs from its source in length by a factor of 3 and by more than 30 characters.
pub(super) fn unusual(source: &str, target: &str) -> Option<Problem> {
    let [source, target] = [source, target].map(|text| width(&placeholder::stripped(text)));
    let (short, long) = (source.min(target), source.max(target));
    let is_unusual = long - short > 30 && long > short * 3;
    let than = if target > source { "longer" } else { "shorter" };
    is_unusual.then(|| (format!("far {than} than the source"), None))
}

/// Characters, of which an ideograph or syllable counts twice: it says as much as two letters or more.
fn width(text: &str) -> usize {
    let one = |c: char| {
        if ('\u{2E80}'..='\u{D7FF}').contains(&c) {
            2
        } else {
            1
        }
    };
    text.chars().map(one).sum()
}

/// The source once more where it has words to translate.
pub(super) fn identical(source: &str, target: &str) -> Option<Problem> {
    let [source, target] = [source, target].map(placeholder::stripped);
    let words = source.split_whitespace();
    let words = words.filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
    let is_same = source.trim() == target.trim() && words.count() >= IDENTICAL_WORDS;
    is_same.then(|| ("the translation repeats the source".to_owned(), None))
}
