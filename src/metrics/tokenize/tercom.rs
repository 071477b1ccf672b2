//! The words of TER, as Tercom's `Normalizer` and sacrebleu have them.

use super::western::{is_symbol, numbers_together};
use super::{is_space, set_apart, unescaped};

/// Preparation of a text before TER counts its words; nothing but lower case is Tercom's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "Tercom's switches")]
pub struct TercomOptions {
    /// Sets punctuation marks apart and reads XML's escapes.
    pub normalized: bool,
    /// Drops punctuation marks.
    pub no_punct: bool,
    /// Lets the two options above act on Chinese and Japanese too.
    pub asian_support: bool,
    /// Distinguishes upper and lower case.
    pub case_sensitive: bool,
}

/// The words of a text for TER.
pub fn tokenize_tercom(text: &str, options: TercomOptions) -> Vec<String> {
    let text = text.trim_end_matches(is_space);
    let mut text = if options.case_sensitive {
        text.to_owned()
    } else {
        text.to_lowercase()
    };
    if options.normalized && !text.is_empty() {
        text = normalized(&text);
        if options.asian_support {
            text = set_apart(text.chars(), |c| is_asian(c) || is_asian_punctuation(c))
                .into_iter()
                .collect();
        }
    }
    if options.no_punct {
        text.retain(|c| !(is_punctuation(c) || options.asian_support && is_asian_punctuation(c)));
    }
    super::words_between_spaces(&text)
}

fn normalized(text: &str) -> String {
    let text = text.replace("\n-", "").replace('\n', " ");
    let padded = format!(" {} ", unescaped(&text));
    let symbols = set_apart(padded.chars(), is_symbol);
    let possessives = symbols
        .into_iter()
        .collect::<String>()
        .replace("'s ", " 's ");
    let possessives: Vec<char> = possessives.chars().collect();
    numbers_together(&possessives).into_iter().collect()
}

fn is_punctuation(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')'
    )
}

/// Ideographs, strokes, radicals and enclosed letters. Tercom means to set runs of kana apart too, but its rule as
/// sacrebleu writes it can never match, for the text begins with a space; so kana stay together.
fn is_asian(character: char) -> bool {
    matches!(character,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{31C0}'..='\u{31EF}'
        | '\u{2E80}'..='\u{2EFF}'
        | '\u{3200}'..='\u{3F22}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}')
}

fn is_asian_punctuation(character: char) -> bool {
    matches!(character,
        '\u{3001}' | '\u{3002}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301F}'
        | '\u{FF61}'..='\u{FF65}'
        | '\u{30FB}'
        | '\u{FF0E}' | '\u{FF0C}' | '\u{FF1F}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF01}' | '\u{FF02}' | '\u{FF08}'
        | '\u{FF09}')
}
