//! From left to right or from right to left: the Unicode Bidirectional Algorithm (UAX #9), of crate `unicode-bidi`.

use icu_properties::CodePointMapData;
use icu_properties::props::BidiMirroringGlyph;
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

use canopy_document::is_right_to_left;

/// Where the lines of a text begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Lines begin on the left, as in Latin script.
    #[default]
    LeftToRight,
    /// Lines begin on the right, as in Arabic and Hebrew script.
    RightToLeft,
}

impl Direction {
    /// The direction of the script that a language is usually written with.
    pub fn from_language(code: &str) -> Self {
        if is_right_to_left(code) {
            Self::RightToLeft
        } else {
            Self::LeftToRight
        }
    }

    /// The direction of a text: that of its first letter that has one.
    pub fn from_first_strong(text: &str) -> Option<Self> {
        text.chars()
            .find_map(|character| match bidi_class(character) {
                BidiClass::L => Some(Self::LeftToRight),
                BidiClass::R | BidiClass::AL => Some(Self::RightToLeft),
                _ => None,
            })
    }

    /// The direction of a text in a language: the language's, if anything in the text runs that way.
    pub fn from_text(text: &str, language: Option<&str>) -> Self {
        let of_language = language.map(Self::from_language);
        if of_language == Some(Self::RightToLeft) && has_right_to_left(text) {
            return Self::RightToLeft;
        }
        Self::from_first_strong(text)
            .or(of_language)
            .unwrap_or_default()
    }

    fn level(self) -> Level {
        match self {
            Self::LeftToRight => Level::ltr(),
            Self::RightToLeft => Level::rtl(),
        }
    }
}

fn has_right_to_left(text: &str) -> bool {
    let is_right = |character| matches!(bidi_class(character), BidiClass::R | BidiClass::AL);
    text.chars().any(is_right)
}

/// The embedding level of every character of a paragraph: odd ones run from right to left.
pub fn levels(text: &str, direction: Direction) -> Vec<u8> {
    if direction == Direction::LeftToRight && text.is_ascii() {
        return vec![0; text.len()];
    }
    let info = BidiInfo::new(text, Some(direction.level()));
    let bytes = text.char_indices().map(|(at, _)| at);
    bytes.map(|at| info.levels[at].number()).collect()
}

/// The order of the parts of a line from left to right, by their levels: rule L2.
pub fn visual_order(levels: &[u8]) -> Vec<usize> {
    let levels: Vec<Level> = levels
        .iter()
        .map(|level| Level::new(*level).unwrap_or_else(|_| Level::ltr()))
        .collect();
    BidiInfo::reorder_visual(&levels)
}

/// Returns the character that stands for another where text runs from right to left: `)` for `(`. Rule L4.
pub fn mirrored(character: char) -> char {
    let glyph = CodePointMapData::<BidiMirroringGlyph>::new().get(character);
    glyph.mirroring_glyph.unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_and_texts_have_a_direction() {
        use Direction::{LeftToRight, RightToLeft};
        assert_eq!(Direction::from_language("ar-EG"), RightToLeft);
        assert_eq!(Direction::from_language("he"), RightToLeft);
        assert_eq!(Direction::from_language("az_Arab"), RightToLeft);
        assert_eq!(Direction::from_language("ks-Deva"), LeftToRight);
        assert_eq!(Direction::from_language("de"), LeftToRight);
        assert_eq!(Direction::from_first_strong("123 שלום"), Some(RightToLeft));
        assert_eq!(Direction::from_first_strong("123"), None);
        assert_eq!(
            Direction::from_text("LibreOffice هو برنامج", Some("ar")),
            RightToLeft
        );
        assert_eq!(Direction::from_text("LibreOffice", Some("ar")), LeftToRight);
        assert_eq!(Direction::from_text("123", Some("ar")), RightToLeft);
        assert_eq!(Direction::from_text("LibreOffice הוא", None), LeftToRight);
    }

    #[test]
    fn numbers_run_on_within_text_from_the_right() {
        let text = "אב 12 ג";
        let levels = levels(text, Direction::RightToLeft);
        assert_eq!(levels, [1, 1, 1, 2, 2, 1, 1]);
        let order = visual_order(&levels);
        assert_eq!(order, [6, 5, 3, 4, 2, 1, 0]);
        assert_eq!(mirrored('('), ')');
        assert_eq!(mirrored('a'), 'a');
    }
}
