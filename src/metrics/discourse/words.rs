//! Words as the labels look for them.

/// Letters, digits and underscores in a row.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |letter: char| !letter.is_alphanumeric() && letter != '_';
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Whether English has one of these words, which have spaces between them, in whatever case.
pub(crate) fn has_any(text: &str, wanted: &str) -> bool {
    words(text).any(|word| {
        wanted
            .split(' ')
            .any(|other| word.eq_ignore_ascii_case(other))
    })
}

/// A German text without the capitals that only begin a sentence: after its marks, a colon, an opening quotation mark or
/// a dash.
pub(crate) fn without_first_capitals(text: &str) -> String {
    let plain = text.char_indices().map(|(at, letter)| {
        let is_capital = letter.is_ascii_uppercase() || matches!(letter, 'Ä' | 'Ö' | 'Ü');
        if is_capital && begins_sentence(&text[..at]) {
            letter.to_lowercase().next().unwrap_or(letter)
        } else {
            letter
        }
    });
    plain.collect()
}

/// Whether a German sentence begins after this text.
pub fn begins_sentence(before: &str) -> bool {
    let text = before.trim_end();
    let Some(last) = text.chars().next_back() else {
        return before.is_empty();
    };
    if ".!?…:»“\"".contains(last) {
        return true;
    }
    let spaces = before[text.len()..].chars().count();
    let before_last = &text[..text.len() - last.len_utf8()];
    "–—-".contains(last) && spaces == 1 && before_last.ends_with(char::is_whitespace)
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
