//! The tokenisation `zh` of sacrebleu, by Shujian Huang: Chinese characters apart, the rest as `13a`.

use super::western::punctuation_apart;
use super::{is_space, set_apart, words_of_chars};

pub(super) fn tokenize(text: &str) -> Vec<String> {
    let spaced = set_apart(text.trim_matches(is_space).chars(), is_chinese);
    words_of_chars(&punctuation_apart(spaced))
}

/// sacrebleu's table. Its entries for Extension B and the supplement were written as `\u20000` and `\u2f800`, which
/// Python reads as U+2000 and U+2F80 with a digit after them; so they include dashes, arrows and the like instead, and
/// scores depend on that.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4DB5}'
        | '\u{4E00}'..='\u{9FBB}'
        | '\u{F900}'..='\u{FA2D}'
        | '\u{FA30}'..='\u{FA6A}'
        | '\u{FA70}'..='\u{FAD9}'
        | '\u{2001}'..='\u{2A6D}'
        | '\u{2F81}'..='\u{2FA1}'
        | '\u{FF00}'..='\u{FFEF}'
        | '\u{2E80}'..='\u{2EFF}'
        | '\u{3000}'..='\u{303F}'
        | '\u{31C0}'..='\u{31EF}'
        | '\u{2F00}'..='\u{2FDF}'
        | '\u{2FF0}'..='\u{2FFF}'
        | '\u{3100}'..='\u{312F}'
        | '\u{31A0}'..='\u{31BF}'
        | '\u{FE10}'..='\u{FE1F}'
        | '\u{FE30}'..='\u{FE4F}'
        | '\u{3200}'..='\u{33FF}')
}
