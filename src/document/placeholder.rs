//! Placeholders: inline markup as single characters of a sentence's text.
//!
//! They are in Unicode's private use area, so that they pass through every string function unharmed, and each is one
//! token of the vocabulary. Pairs are opened by number and closed by one common character: nesting says which pair is
//! meant, so a closing placeholder can never name the wrong one.

/// How many numbers there are for a sentence's pairs and points together.
pub const MAX_PLACEHOLDERS: usize = 16;

const OPEN: u32 = 0xE000;
const POINT: u32 = 0xE100;

/// Closes the innermost open pair.
pub const CLOSE: char = '\u{E200}';

/// The placeholder that opens pair `number`.
pub fn open(number: usize) -> char {
    character(OPEN, number)
}

/// The placeholder for the single tag or opaque span `number`.
pub fn point(number: usize) -> char {
    character(POINT, number)
}

fn character(base: u32, number: usize) -> char {
    assert!(number < 0x100, "placeholder number {number} is over 255");
    char::from_u32(base + u32::try_from(number).expect("below 256"))
        .expect("in the private use area")
}

/// The kind of a placeholder character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// The opening tag of the pair with this number.
    Open(usize),
    /// The single tag with this number.
    Point(usize),
    /// The closing tag of the innermost open pair.
    Close,
}

impl Placeholder {
    /// Reads one character; `None` if it is ordinary text.
    pub fn from_char(character: char) -> Option<Self> {
        match character as u32 {
            code @ 0xE000..=0xE0FF => Some(Self::Open((code - OPEN) as usize)),
            code @ 0xE100..=0xE1FF => Some(Self::Point((code - POINT) as usize)),
            0xE200 => Some(Self::Close),
            _ => None,
        }
    }
}

/// The text without its placeholders.
pub fn stripped(text: &str) -> String {
    text.chars()
        .filter(|&c| Placeholder::from_char(c).is_none())
        .collect()
}

/// The visible text of a text with placeholders: points as what they show, no tags, white space folded.
pub fn visible(text: &str, points: &[String]) -> String {
    if !text.contains(|character| Placeholder::from_char(character).is_some()) {
        return folded(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match Placeholder::from_char(character) {
            None => shown.push(character),
            Some(Placeholder::Point(number)) => {
                shown += points.get(number).map_or("", String::as_str);
            }
            Some(Placeholder::Open(_) | Placeholder::Close) => {}
        }
    }
    folded(&shown)
}

/// Every run of white space as one space, none at the ends.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded += word;
    }
    folded
}

/// Every placeholder character there is a token for.
pub fn all() -> impl Iterator<Item = char> {
    (0..MAX_PLACEHOLDERS)
        .map(open)
        .chain((0..MAX_PLACEHOLDERS).map(point))
        .chain([CLOSE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_shown_and_tags_are_not() {
        let points = [String::new(), "SUM".to_owned()];
        assert_eq!(
            visible("a \u{E000}b\u{E200}  \u{E101}(1) \u{E105} c\u{A0}", &points),
            "a b SUM(1) c"
        );
    }
}
