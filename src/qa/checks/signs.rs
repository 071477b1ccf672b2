//! Signs such as `≥`, `₹` and `§`, which mean something else when they are another one.

use std::collections::BTreeMap;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::Problem;
use canopy_document::placeholder;

/// In each row a sign with what else says the same; words are in small letters and may be parts of words.
const EQUALS: &str = include_str!("signs.tsv");

/// Signs of one text that the other has not, in any other words either.
pub(super) fn differ(source: &str, target: &str) -> Option<Problem> {
    if source.is_ascii() && target.is_ascii() {
        return None;
    }
    let texts = [source, target].map(|text| placeholder::stripped(text).to_lowercase());
    let [own, other] = [&texts[0], &texts[1]].map(|text| signs(text));
    let lacking = |these: &BTreeMap<char, usize>, those: &BTreeMap<char, usize>, text: &str| {
        let only = these.keys().filter(|sign| !those.contains_key(sign));
        let only = only.filter(|sign| !says(text, **sign));
        only.copied().collect::<Vec<char>>()
    };
    let missing = lacking(&own, &other, &texts[1]);
    let added = lacking(&other, &own, &texts[0]);
    // Languages may say in words what a sign says, as for arrows between names of menus.
    let changed = !missing.is_empty() && !added.is_empty();
    let missing: Vec<char> = missing
        .into_iter()
        .filter(|sign| changed || is_strict(*sign))
        .collect();
    if missing.is_empty() && added.is_empty() {
        return None;
    }
    let list = |signs: &[char]| {
        signs
            .iter()
            .map(char::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} is missing", list(&missing)));
    }
    if !added.is_empty() {
        parts.push(format!("{} is not in the source", list(&added)));
    }
    let repaired = match (missing.as_slice(), added.as_slice()) {
        (&[right], &[wrong]) if own[&right] == other[&wrong] => {
            Some(target.replace(wrong, &right.to_string()))
        }
        _ => None,
    };
    Some((parts.join(", "), repaired))
}

/// Whether both sides have the same signs, as far as languages use them alike.
pub fn are_same_signs(source: &str, target: &str) -> bool {
    differ(source, target).is_none()
}

/// Whether a text says what a sign says.
fn says(text: &str, sign: char) -> bool {
    let is_it = |cell: &str| cell.starts_with(sign) && cell.chars().count() == 1;
    let mut kin = EQUALS.lines().filter(|row| row.split('\t').any(is_it));
    kin.any(|row| row.split('\t').any(|cell| text.contains(cell)))
}

/// How often each sign occurs.
fn signs(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for character in text
        .chars()
        .filter(|&c| is_sign(c) && c != char::REPLACEMENT_CHARACTER)
    {
        *counts.entry(character).or_default() += 1;
    }
    counts
}

fn is_sign(character: char) -> bool {
    let category = || CodePointMapData::<GeneralCategory>::new().get(character);
    match character {
        '$' | '§' | '¶' | '†' | '‡' | 'µ' | '‰' | '⁇' => true,
        // Superscripts and letters of signs are text.
        _ if character.is_ascii() || ('\u{FE00}'..='\u{FE0F}').contains(&character) => false,
        _ => matches!(
            category(),
            GeneralCategory::MathSymbol
                | GeneralCategory::CurrencySymbol
                | GeneralCategory::OtherSymbol
        ),
    }
}

/// Whether no language has words for it that are usual in a sentence.
fn is_strict(sign: char) -> bool {
    match sign {
        '$' | '€' | '£' | '¥' | '©' | '®' | '™' | '°' | '×' | '÷' | '→' | '←' | '⇒' | '−' | '⁄'
        | '¬' | '∼' | '≈' | '±' | '¦' | '·' | '•' | '§' | '¶' => false,
        _ => {
            !('\u{2190}'..='\u{21FF}').contains(&sign) && !('\u{2500}'..='\u{25FF}').contains(&sign)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_sign_is_found_and_put_right() {
        for (source, target, message, right) in [
            (
                "The value is ≥ 5.",
                "Der Wert ist ∥ 5.",
                "≥ is missing, ∥ is not in the source",
                Some("Der Wert ist ≥ 5."),
            ),
            (
                "It costs ₹500.",
                "Es kostet €500.",
                "₹ is missing, € is not in the source",
                Some("Es kostet ₹500."),
            ),
            (
                "It is 20 ℃.",
                "Es ist 20 €.",
                "℃ is missing, € is not in the source",
                Some("Es ist 20 ℃."),
            ),
            ("x ≥ 5", "x 5", "≥ is missing", None),
            ("See 5.", "Siehe °5.", "° is not in the source", None),
            (
                "a ≥ b ≠ c",
                "a ∥ b ∥ c",
                "≠ ≥ is missing, ∥ is not in the source",
                None,
            ),
        ] {
            let (found, repaired) = differ(source, target).expect(source);
            assert_eq!(
                (found.as_str(), repaired.as_deref()),
                (message, right),
                "{source}"
            );
        }
    }

    #[test]
    fn words_that_say_the_same_are_right() {
        for (source, target) in [
            ("It costs $5.", "Es kostet 5 Dollar."),
            ("5 EUR", "5 €"),
            ("20 ℃", "20 °C"),
            ("90 degrees", "90°"),
            ("x <= 5", "x ≤ 5"),
            ("File → Save", "Datei – Speichern"),
            ("File > Save", "Datei ▸ Speichern"),
            ("5 x 3", "5 × 3"),
            ("µm", "μm"),
            ("-5", "−5"),
            ("© 2024", "2024"),
            ("“Größe” – 5 % ½", "„size“ — 5% 1/2"),
        ] {
            assert_eq!(differ(source, target), None, "{source}");
        }
    }
}
