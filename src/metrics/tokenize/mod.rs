//! Words as scorers count them.

mod chinese;
mod international;
mod moses;
mod tercom;
mod truecase;
mod western;

pub use moses::{MosesLanguage, tokenize_moses};
pub use tercom::{TercomOptions, tokenize_tercom};
pub use truecase::Truecaser;
pub use western::tokenize_13a;

/// How BLEU and others find the words of a text; all but the last as sacrebleu has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// Words are separated by white space.
    None,
    /// `mteval-v13a`, for Western languages.
    #[default]
    V13a,
    /// `mteval-v14` international: every Unicode punctuation mark and symbol apart, except between digits.
    International,
    /// Every character a word.
    Char,
    /// Chinese characters apart, the rest as `13a`.
    Chinese,
}

impl Tokenizer {
    /// As signatures call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::V13a => "13a",
            Self::International => "intl",
            Self::Char => "char",
            Self::Chinese => "zh",
        }
    }

    /// The words of a text.
    pub fn words(self, text: &str) -> Vec<String> {
        match self {
            Self::None => words_between_spaces(text),
            Self::V13a => western::tokenize_13a(text),
            Self::International => international::tokenize(text),
            Self::Char => text
                .chars()
                .filter(|&c| !is_space(c))
                .map(String::from)
                .collect(),
            Self::Chinese => chinese::tokenize(text),
        }
    }

    /// The words of a text without the white space at its end, in lower case if wanted.
    pub(super) fn words_of(self, text: &str, lowercase: bool) -> Vec<String> {
        if lowercase {
            self.words(text.to_lowercase().trim_end_matches(is_space))
        } else {
            self.words(text.trim_end_matches(is_space))
        }
    }
}

fn words_between_spaces(text: &str) -> Vec<String> {
    let words = text.split(is_space).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The words of a text in characters.
fn words_of_chars(text: &[char]) -> Vec<String> {
    let words = text.split(|&c| is_space(c)).filter(|word| !word.is_empty());
    words.map(|word| word.iter().collect()).collect()
}

/// White space as Python's `str.split` sees it: Unicode's and four control characters.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1C}'..='\u{1F}')
}

/// Puts a space before and after some characters.
fn set_apart(text: impl IntoIterator<Item = char>, apart: impl Fn(char) -> bool) -> Vec<char> {
    let mut spaced = Vec::new();
    for character in text {
        if apart(character) {
            spaced.extend([' ', character, ' ']);
        } else {
            spaced.push(character);
        }
    }
    spaced
}

/// Puts spaces before, between and after each pair of characters, as `spaces` says: from left to right without overlap,
/// as a substitution by a regular expression does.
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

/// XML's escapes for `"`, `&`, `<` and `>` as these characters.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
}
