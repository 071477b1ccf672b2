//! Pictograms, which mean the same in every language: emoji, dingbats, arrows drawn as pictures.

use std::ops::Range;

use icu_properties::props::{
    EmojiModifier, ExtendedPictographic, GeneralCategory, RegionalIndicator,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Signs before it, such as `©`, `°` and `™`, are written as letters are.
const FIRST: char = '\u{2190}';
/// Squared words of Chinese and Japanese, such as `㈱` and `㎏`.
const WORDS: std::ops::RangeInclusive<char> = '\u{3200}'..='\u{33FF}';

/// Runs of pictograms with what joins and varies them, each as long as can be.
pub fn pictograms(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        let last = runs.last_mut().filter(|run| run.end == start);
        match last {
            Some(run) if is_pictogram(character) || is_joiner(character) => run.end = end,
            _ if is_pictogram(character) => runs.push(start..end),
            _ => {}
        }
    }
    runs
}

fn is_pictogram(character: char) -> bool {
    let category = || CodePointMapData::<GeneralCategory>::new().get(character);
    let is_drawn = || {
        CodePointSetData::new::<ExtendedPictographic>().contains(character)
            || CodePointSetData::new::<RegionalIndicator>().contains(character)
            || category() == GeneralCategory::OtherSymbol
    };
    character >= FIRST && !WORDS.contains(&character) && is_drawn()
}

/// Variation selectors, the zero-width joiner, tones of skin, tags of flags.
fn is_joiner(character: char) -> bool {
    matches!(
        character,
        '\u{FE0E}' | '\u{FE0F}' | '\u{200D}' | '\u{E0020}'..='\u{E007F}'
    ) || CodePointSetData::new::<EmojiModifier>().contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictograms_are_distinguished_from_letters_and_signs() {
        let found = |text: &str| {
            let runs = pictograms(text).into_iter();
            runs.map(|run| text[run].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            found("Index 🔎\u{FE0E} and 👩\u{200D}🚀!"),
            ["🔎\u{FE0E}", "👩\u{200D}🚀"]
        );
        assert_eq!(found("✅ done, 🇩🇪🇫🇷, 👍🏽"), ["✅", "🇩🇪🇫🇷", "👍🏽"]);
        for text in [
            "© 2026 A™, 20 °C → 1 ㎏",
            "“Größe” – 5 × 3 ≤ 16 €",
            "日本語、한국어",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
