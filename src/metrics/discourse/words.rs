//! Words as the labels look for them.

/// Letters, digits and underscores in a row.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |letter: char| !letter.is_alphanumeric() && letter != '_';
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Whether English has one of these words, in whatever case.
pub(super) fn has_any(text: &str, wanted: &[&str]) -> bool {
    words(text).any(|word| wanted.iter().any(|other| word.eq_ignore_ascii_case(other)))
}

/// A German text without the capitals that only begin a sentence: behind its marks, a colon, an opening quotation mark or
/// a dash.
pub(super) fn without_first_capitals(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let plain = letters.iter().enumerate().map(|(at, &letter)| {
        let is_capital = letter.is_ascii_uppercase() || matches!(letter, 'Ä' | 'Ö' | 'Ü');
        if is_capital && begins_sentence(&letters[..at]) {
            letter.to_lowercase().next().unwrap_or(letter)
        } else {
            letter
        }
    });
    plain.collect()
}

/// Whether a sentence begins behind these letters.
fn begins_sentence(before: &[char]) -> bool {
    let behind_spaces = before.iter().rposition(|letter| !letter.is_whitespace());
    let Some(last) = behind_spaces else {
        return before.is_empty();
    };
    if ".!?…:»“\"".contains(before[last]) {
        return true;
    }
    let is_dash = "–—-".contains(before[last]) && before.len() == last + 2;
    is_dash && last > 0 && before[last - 1].is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_within_a_sentence_stay() {
        for (text, plain) in [
            (
                "Ihr seid da. Ihr wisst, dass Ihr",
                "ihr seid da. ihr wisst, dass Ihr",
            ),
            ("Er sagte: »Ihr – Ihr dort!«", "er sagte: »ihr – ihr dort!«"),
            ("Ja -Ihr", "ja -Ihr"),
            ("Über", "über"),
            ("  Ihr", "  Ihr"),
        ] {
            assert_eq!(without_first_capitals(text), plain);
        }
    }
}
