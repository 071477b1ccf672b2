//! Words as scorers count them.
//!
//! The tokenisation `13a` of NIST's mteval-v13a, in the form that sacrebleu (Post, WMT 2018) made the standard.

/// The words and punctuation marks of a text, as `13a` has them.
pub fn tokenize_13a(text: &str) -> Vec<String> {
    let text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    let text = decoded(text);
    let padded: Vec<char> = std::iter::once(' ')
        .chain(text.chars())
        .chain(std::iter::once(' '))
        .collect();
    let separate = symbols_apart(&padded);
    // Three substitutions one after the other, each from left to right without overlap.
    let separate = split_pairs(
        &separate,
        |c| !c.is_ascii_digit(),
        is_stop,
        [false, true, true],
    );
    let separate = split_pairs(
        &separate,
        is_stop,
        |c| !c.is_ascii_digit(),
        [true, true, false],
    );
    let separate = split_pairs(
        &separate,
        |c| c.is_ascii_digit(),
        |c| c == '-',
        [false, true, true],
    );
    let words = separate
        .split(|&c| is_space(c))
        .filter(|word| !word.is_empty());
    words.map(|word| word.iter().collect()).collect()
}

fn decoded(text: String) -> String {
    if !text.contains('&') {
        return text;
    }
    text.replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | ',')
}

/// ASCII punctuation except `'`, `,`, `-` and `.`.
fn is_symbol(character: char) -> bool {
    matches!(character, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

fn symbols_apart(text: &[char]) -> Vec<char> {
    let mut apart = Vec::with_capacity(text.len() * 2);
    for &character in text {
        if is_symbol(character) {
            apart.extend([' ', character, ' ']);
        } else {
            apart.push(character);
        }
    }
    apart
}

/// Puts spaces before, between and after each pair of characters, as `spaces` says.
fn split_pairs(
    text: &[char],
    first: impl Fn(char) -> bool,
    second: impl Fn(char) -> bool,
    spaces: [bool; 3],
) -> Vec<char> {
    let mut split = Vec::with_capacity(text.len() * 2);
    let space = |wanted: bool| wanted.then_some(' ');
    let mut rest = text;
    while let [left, after @ ..] = rest {
        match after {
            [right, after @ ..] if first(*left) && second(*right) => {
                split.extend(space(spaces[0]));
                split.push(*left);
                split.extend(space(spaces[1]));
                split.push(*right);
                split.extend(space(spaces[2]));
                rest = after;
            }
            _ => {
                split.push(*left);
                rest = after;
            }
        }
    }
    split
}

/// White space as Python's `str.split` sees it: Unicode's and four control characters.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1C}'..='\u{1F}')
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
