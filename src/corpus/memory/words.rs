//! The words of a sentence, in any script.
//!
//! Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces: their words are those of ICU's dictionaries.
//! A whole clause would be one word else, and resemble nothing but itself.

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

/// Words in lower case, and every mark by itself.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let mut segmenter = None;
    let mut rest = text.trim_start();
    // The words after the first one of the last clause without spaces.
    let mut waiting = Vec::new().into_iter();
    std::iter::from_fn(move || {
        if let Some(word) = waiting.next() {
            return Some(word);
        }
        let first = rest.chars().next()?;
        let is_within: fn(char) -> bool = if is_unspaced(first) {
            is_unspaced
        } else if first.is_alphanumeric() {
            |letter| letter.is_alphanumeric() && !is_unspaced(letter)
        } else {
            |_| false
        };
        let end = rest[first.len_utf8()..].find(|letter| !is_within(letter));
        let end = end.map_or_else(
            || {
                if is_within(first) {
                    rest.len()
                } else {
                    first.len_utf8()
                }
            },
            |end| first.len_utf8() + end,
        );
        let (clause, after) = rest.split_at(end);
        rest = after.trim_start();
        if !is_unspaced(first) {
            return Some(clause.to_lowercase());
        }
        let segmenter = segmenter.get_or_insert_with(|| {
            WordSegmenter::new_dictionary(WordBreakInvariantOptions::default())
        });
        let ends: Vec<usize> = segmenter.segment_str(clause).collect();
        let words = ends
            .windows(2)
            .map(|ends| clause[ends[0]..ends[1]].to_lowercase());
        waiting = words.collect::<Vec<_>>().into_iter();
        waiting.next()
    })
}

/// Whether a letter is of a script that puts no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        // Thai and Lao, Burmese, Khmer.
        '\u{0E00}'..='\u{0EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{A9E0}'..='\u{A9FF}'
            | '\u{AA60}'..='\u{AA7F}'
            | '\u{1780}'..='\u{17FF}'
            // Chinese characters and kana, with their marks of repetition and length.
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FF9F}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// The words without the marks.
pub(super) fn normalized_words(text: &str) -> Vec<String> {
    let is_spoken = |word: &String| word.starts_with(char::is_alphanumeric);
    words(text).filter(is_spoken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_without_spaces_are_cut_into_words_and_others_at_spaces_and_marks() {
        for (text, expected) in [
            (
                "Click “Save”, then e.g. F5. ",
                "click|“|save|”|,|then|e|.|g|.|f5|.",
            ),
            ("Größe 2,5 №3 한국어 문장", "größe|2|,|5|№|3|한국어|문장"),
            (
                "单击保存按钮,打开Excel表。",
                "单击|保存|按钮|,|打开|excel|表|。",
            ),
            ("印刷ボタン", "印刷|ボタン"),
            ("คลิกปุ่มบันทึก", "คลิก|ปุ่ม|บันทึก"),
            ("បើកឯកសារ 2", "បើក|ឯកសារ|2"),
            ("", ""),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>().join("|"), expected);
        }
    }
}
