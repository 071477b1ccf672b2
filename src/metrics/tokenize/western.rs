//! The tokenisation `13a` of NIST's mteval-v13a, in the form that sacrebleu (Post, WMT 2018) made the standard.

use super::{set_apart, split_pairs, unescaped, words_of_chars};

/// The words and punctuation marks of a text, as `13a` has them.
pub fn tokenize_13a(text: &str) -> Vec<String> {
    let text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    let padded = format!(" {} ", unescaped(&text));
    words_of_chars(&punctuation_apart(padded.chars()))
}

/// Rules that most tokenisers have in common: ASCII symbols apart, stops and commas too unless they are between digits, and
/// hyphens after digits.
pub(super) fn punctuation_apart(text: impl IntoIterator<Item = char>) -> Vec<char> {
    numbers_together(&set_apart(text, is_symbol))
}

/// The second half of [`punctuation_apart`]: three substitutions, one after the other.
pub(super) fn numbers_together(text: &[char]) -> Vec<char> {
    let split = split_pairs(text, |c| !c.is_ascii_digit(), is_stop, [false, true, true]);
    let split = split_pairs(
        &split,
        is_stop,
        |c| !c.is_ascii_digit(),
        [true, true, false],
    );
    split_pairs(
        &split,
        |c| c.is_ascii_digit(),
        |c| c == '-',
        [false, true, true],
    )
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | ',')
}

/// ASCII punctuation except `'`, `,`, `-` and `.`.
pub(super) fn is_symbol(character: char) -> bool {
    matches!(character, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        tokenize_13a(text).join(" ")
    }

    #[test]
    fn words_are_split_as_sacrebleu_does() {
        // sacrebleu 2.6.0: Tokenizer13a()(text)
        for (text, words) in [
            (
                "Klicken Sie auf „OK“ – oder drücken Sie (Strg)+Umschalt.",
                "Klicken Sie auf „OK“ – oder drücken Sie ( Strg ) + Umschalt .",
            ),
            (
                "3,5 Mio. €, 1.000-mal z.B. am 3.10.2026",
                "3,5 Mio . € , 1.000 - mal z . B . am 3.10.2026",
            ),
            (
                "a..b,,c.,d 5.,6 .5 5.",
                "a . . b , , c . , d 5 . , 6 . 5 5 .",
            ),
            (
                "x &amp;lt; y &quot;z&quot; &gt;&#39; <skipped>",
                "x < y \" z \" > & # 39 ;",
            ),
            (
                "it's  a well-known 10-20 rule",
                "it's a well-known 10 - 20 rule",
            ),
            ("Zeile-\numbruch\nhier", "Zeileumbruch hier"),
            (
                "«Größe»…\u{A0}100 % \u{2028} ½² ٣.٤ 日本語。",
                "«Größe»… 100 % ½² ٣ . ٤ 日本語。",
            ),
            ("", ""),
            ("  . ", "."),
            (
                "http://a.b/c?d=e&f=[g]{h}~^_`|\\@#$",
                "http : / / a . b / c ? d = e & f = [ g ] { h } ~ ^ _ ` | \\ @ # $",
            ),
        ] {
            assert_eq!(joined(text), words, "{text:?}");
        }
    }
}
