//! Which script a character belongs to, and which letters Chinese characters take.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use icu_properties::{CodePointMapData, PropertyNamesLong};

/// Whose Chinese characters: the same code points look different in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Han {
    /// Simplified Chinese.
    Simplified,
    /// Traditional Chinese.
    Traditional,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
}

impl Han {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Simplified,
        Self::Traditional,
        Self::Japanese,
        Self::Korean,
    ];

    /// The characters that a language is written with: `zh-TW`, `ja`.
    pub fn from_language(code: &str) -> Option<Self> {
        let code = code.to_ascii_lowercase().replace('_', "-");
        let mut parts = code.split('-');
        match parts.next()? {
            "ja" => Some(Self::Japanese),
            "ko" => Some(Self::Korean),
            "yue" => Some(Self::Traditional),
            "zh" => {
                let is_traditional =
                    parts.any(|part| matches!(part, "hant" | "tw" | "hk" | "mo" | "t"));
                Some(if is_traditional {
                    Self::Traditional
                } else {
                    Self::Simplified
                })
            }
            _ => None,
        }
    }

    /// Returns the one that a text implies by its other letters: kana are Japanese, Hangul is Korean.
    pub fn from_text(text: &str) -> Option<Self> {
        text.chars().find_map(|character| match character {
            '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' => Some(Self::Japanese),
            '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7AF}' => Some(Self::Korean),
            _ => None,
        })
    }

    /// A short name, for keys.
    pub fn key(self) -> &'static str {
        match self {
            Self::Simplified => "zh-Hans",
            Self::Traditional => "zh-Hant",
            Self::Japanese => "ja",
            Self::Korean => "ko",
        }
    }
}

/// Whether a text can be set letter after letter from left to right and broken at its spaces, as Latin, Greek and
/// Cyrillic are.
pub fn is_simple(text: &str) -> bool {
    // Marks of direction are among signs that are simple.
    text.chars().all(|character| match character {
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => false,
        other => matches!(
            other,
            '\0'..='\u{058F}' | '\u{10A0}'..='\u{10FF}' | '\u{1E00}'..='\u{2E7F}' | '\u{FB00}'..='\u{FB17}'
        ),
    })
}

/// The name of a character's script, as fonts have it in their names; `None` of signs that all scripts share.
pub fn script_name(character: char) -> Option<&'static str> {
    let script = CodePointMapData::<Script>::new().get(character);
    if [Script::Common, Script::Inherited, Script::Unknown].contains(&script) {
        return None;
    }
    PropertyNamesLong::<Script>::new().get(script)
}

/// Whether each character stands for itself and lines may end between them: Chinese, Japanese and Korean.
pub fn is_ideographic(character: char) -> bool {
    matches!(
        character,
        '\u{2E80}'..='\u{A4CF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FE30}'..='\u{FE4F}'
            | '\u{FF00}'..='\u{FFEF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Whether a sign is as wide as the characters around it where these are Chinese or Japanese: it has one code point with
/// that of Latin texts (Unicode's "ambiguous" width, as far as it is punctuation).
pub(super) fn is_of_either_width(character: char) -> bool {
    matches!(
        character,
        '·' | '—' | '―' | '‘' | '’' | '“' | '”' | '‥' | '…'
    )
}

/// Which characters of a text are such signs and that wide: those of a text that is Chinese or Japanese rather than in words
/// of other scripts, but no apostrophes.
pub fn wide_signs(text: &str) -> Vec<bool> {
    let is_wide =
        |letter: char| is_ideographic(letter) && !matches!(letter, '\u{AC00}'..='\u{D7A3}');
    let is_other = |letter: char| letter.is_alphanumeric() && !is_wide(letter);
    let words = text.split(|letter: char| !is_other(letter) && letter != '’');
    let num_words = words.filter(|word| word.contains(is_other)).count();
    let num_wide = text.chars().filter(|letter| is_wide(*letter)).count();
    let letters: Vec<char> = text.chars().collect();
    let is_apostrophe = |place: usize| {
        let before = place.checked_sub(1).map(|before| letters[before]);
        let around = [before, letters.get(place + 1).copied()];
        letters[place] == '’' && around.into_iter().all(|it| it.is_some_and(is_other))
    };
    let here = |place: usize| is_of_either_width(letters[place]) && !is_apostrophe(place);
    // Two characters are about a word.
    let holds = num_wide > 0 && num_wide >= 2 * num_words;
    (0..letters.len())
        .map(|place| holds && here(place))
        .collect()
}

/// Whether a character belongs to the one before it: a mark, or a sign without a shape.
pub fn is_extending(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Mark.contains(category) || category == GeneralCategory::Format
}

/// Whether a character has no shape, but controls how others are set.
pub(super) fn is_format(character: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(character) == GeneralCategory::Format
}

/// The letters that one font serves: Chinese characters, kana and Hangul with their punctuation, else a script.
pub fn font_script(character: char) -> Option<&'static str> {
    if is_ideographic(character) {
        return Some("Han");
    }
    script_name(character)
}

/// Whether a character may join with its neighbours into one shape, so that it must be set together with them.
pub fn joins(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Letter.contains(category) || is_extending(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_is_simple_and_what_must_be_shaped_or_turned_is_not() {
        for text in ["", "Größe, naïve", "Ελληνικά", "Привет", "a “b” – c…", "ﬁ"]
        {
            assert!(is_simple(text), "{text}");
        }
        for text in [
            "שלום",
            "عربي",
            "हिन्दी",
            "ไทย",
            "中文",
            "かな",
            "한국",
            "a\u{202E}b",
        ] {
            assert!(!is_simple(text), "{text}");
        }
    }

    #[test]
    fn signs_are_as_wide_as_most_of_the_text() {
        let wide = |text: &str| -> String {
            let signs = text.chars().zip(wide_signs(text));
            signs
                .filter(|(_, is_wide)| *is_wide)
                .map(|(sign, _)| sign)
                .collect()
        };
        assert_eq!(wide("他说：“你好……”——是的"), "“……”——");
        assert_eq!(wide("请按键盘上的“Page down”键，it’s on"), "“”");
        assert_eq!(wide("Press “打开” now…"), "");
        assert_eq!(wide("한국어 “말” …"), "");
        assert_eq!(wide("“…”"), "");
    }

    #[test]
    fn characters_belong_to_scripts() {
        assert_eq!(script_name('ع'), Some("Arabic"));
        assert_eq!(script_name('क'), Some("Devanagari"));
        assert_eq!(script_name('中'), Some("Han"));
        assert_eq!(script_name('1'), None);
        assert_eq!((script_name('、'), font_script('、')), (None, Some("Han")));
        assert!(joins('ع') && joins('\u{064E}') && joins('\u{200D}'));
        assert!(!joins(' ') && !joins('(') && !joins('،'));
    }

    #[test]
    fn languages_have_their_own_chinese_characters() {
        assert_eq!(Han::from_language("zh"), Some(Han::Simplified));
        assert_eq!(Han::from_language("zh_TW"), Some(Han::Traditional));
        assert_eq!(Han::from_language("zh-Hant-HK"), Some(Han::Traditional));
        assert_eq!(Han::from_language("ja-JP"), Some(Han::Japanese));
        assert_eq!(Han::from_language("de"), None);
        assert_eq!(Han::from_text("日本の本"), Some(Han::Japanese));
        assert_eq!(Han::from_text("漢字와 한글"), Some(Han::Korean));
        assert_eq!(Han::from_text("中文"), None);
    }
}
