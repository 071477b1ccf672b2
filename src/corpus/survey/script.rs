//! The script of a text, according to its letters.

use crate::languages::primary;

/// Scripts that are distinguished. Chinese, Japanese and Korean texts share characters, and are one here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Greek letters.
    Greek,
    /// Cyrillic letters.
    Cyrillic,
    /// Armenian letters.
    Armenian,
    /// Hebrew letters.
    Hebrew,
    /// Arabic letters.
    Arabic,
    /// Devanagari.
    Devanagari,
    /// Thai letters.
    Thai,
    /// Georgian letters.
    Georgian,
    /// Chinese characters, kana or hangul.
    EastAsian,
}

/// First and last letters of blocks.
const BLOCKS: [(char, char, Script); 17] = [
    ('A', 'Z', Script::Latin),
    ('a', 'z', Script::Latin),
    ('\u{C0}', '\u{24F}', Script::Latin),
    ('\u{1E00}', '\u{1EFF}', Script::Latin),
    ('\u{370}', '\u{3FF}', Script::Greek),
    ('\u{1F00}', '\u{1FFF}', Script::Greek),
    ('\u{400}', '\u{52F}', Script::Cyrillic),
    ('\u{531}', '\u{58F}', Script::Armenian),
    ('\u{591}', '\u{5FF}', Script::Hebrew),
    ('\u{600}', '\u{77F}', Script::Arabic),
    ('\u{900}', '\u{97F}', Script::Devanagari),
    ('\u{E00}', '\u{E7F}', Script::Thai),
    ('\u{10A0}', '\u{10FF}', Script::Georgian),
    ('\u{1100}', '\u{11FF}', Script::EastAsian),
    ('\u{3040}', '\u{30FF}', Script::EastAsian),
    ('\u{3400}', '\u{9FFF}', Script::EastAsian),
    ('\u{AC00}', '\u{D7AF}', Script::EastAsian),
];

/// Languages that are written in one script.
const LANGUAGES: [(Script, &str); 9] = [
    (
        Script::Latin,
        "af ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms nb nl nn no pl pt ro sk sl sq sv tr vi",
    ),
    (Script::Greek, "el"),
    (Script::Cyrillic, "be bg mk ru uk"),
    (Script::Armenian, "hy"),
    (Script::Hebrew, "he yi"),
    (Script::Arabic, "ar fa ur"),
    (Script::Devanagari, "hi mr ne"),
    (Script::Georgian, "ka"),
    (Script::EastAsian, "ja ko zh"),
];

impl Script {
    /// The script of more than half of the letters; none if there is no such one.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let (mut counts, mut letters) = ([0_usize; 10], 0);
        for letter in texts.into_iter().flat_map(str::chars) {
            if !letter.is_alphabetic() {
                continue;
            }
            letters += 1;
            let block = BLOCKS.iter();
            let mut block = block.filter(|(first, last, _)| (*first..=*last).contains(&letter));
            if let Some((_, _, script)) = block.next() {
                counts[*script as usize] += 1;
            }
        }
        let most = BLOCKS.iter().map(|block| block.2);
        most.into_iter()
            .find(|script| 2 * counts[*script as usize] > letters)
    }

    /// The one that a language is written in; none where it is not known, or there are several.
    pub fn from_language(code: &str) -> Option<Self> {
        let code = primary(code).to_lowercase();
        let mut known = LANGUAGES.iter();
        let found = known.find(|(_, codes)| codes.split(' ').any(|known| known == code));
        found.map(|(script, _)| *script)
    }
}

/// Whether this is the code of a language that [`Script::from_language`] knows.
pub(super) fn is_known_language(code: &str) -> bool {
    Script::from_language(code).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_determine_the_script_and_marks_do_not() {
        for (text, script) in [
            ("Öffnen Sie die Datei!", Some(Script::Latin)),
            ("Откройте файл PDF", Some(Script::Cyrillic)),
            ("Ανοίξτε το αρχείο", Some(Script::Greek)),
            ("ファイルを開く", Some(Script::EastAsian)),
            ("打开文件", Some(Script::EastAsian)),
            ("1 + 2 = 3", None),
            ("да no", None),
        ] {
            assert_eq!(Script::from_texts([text]), script, "{text}");
        }
        assert_eq!(Script::from_language("de-AT"), Some(Script::Latin));
        assert_eq!(Script::from_language("sr"), None, "it has two");
    }
}
