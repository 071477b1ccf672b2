//! Letters and signs that LaTeX spells as commands.

use crate::words::Words;

/// Commands that stand for a character.
const SYMBOLS: Words = Words(
    "ss=ß ae=æ AE=Æ oe=œ OE=Œ o=ø O=Ø l=ł L=Ł aa=å AA=Å i=ı dh=ð DH=Ð th=þ TH=Þ dj=đ DJ=Đ S=§ P=¶ copyright=©
     textcopyright=© textregistered=® texttrademark=™ pounds=£ euro=€ texteuro=€ ldots=… dots=… textellipsis=… textendash=–
     textemdash=— textbackslash=\\ textasciitilde=~ textasciicircum=^ textasciigrave=` textless=< textgreater=> textbar=|
     textunderscore=_ textquotedbl=\" textdegree=° glqq=„ quotedblbase=„ grqq=“ textquotedblleft=“ textquotedblright=”
     flqq=« frqq=» textbullet=•",
);

/// The commands with their characters; of several for one character the usual one comes first.
fn symbols() -> impl Iterator<Item = (&'static str, &'static str)> {
    SYMBOLS.iter().filter_map(|symbol| symbol.split_once('='))
}

/// The sign of an accent, letters, and the same with it.
const ACCENTS: [(char, &str, &str); 13] = [
    ('\'', "AEIOUYaeiouyCcLlNnRrSsZz", "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹź"),
    ('`', "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
    ('^', "AEIOUaeiouCcGgHhJjSsWwYy", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷ"),
    ('"', "AEIOUaeiouYy", "ÄËÏÖÜäëïöüŸÿ"),
    ('~', "ANOanoIUiu", "ÃÑÕãñõĨŨĩũ"),
    ('=', "AEIOUaeiou", "ĀĒĪŌŪāēīōū"),
    ('.', "CEGIZcegz", "ĊĖĠİŻċėġż"),
    ('u', "AEGIOUaegiou", "ĂĔĞĬŎŬăĕğĭŏŭ"),
    ('v', "CDENRSTZcdenrstz", "ČĎĚŇŘŠŤŽčďěňřšťž"),
    ('H', "OUou", "ŐŰőű"),
    ('c', "CGKLNRSTcgklnrst", "ÇĢĶĻŅŖŞŢçģķļņŗşţ"),
    ('k', "AEIUaeiu", "ĄĘĮŲąęįų"),
    ('r', "AUau", "ÅŮåů"),
];

/// The character that a command stands for.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    symbols()
        .find(|(command, _)| *command == name)
        .map(|(_, shown)| shown)
}

/// Whether a command puts an accent on the letter that follows.
pub(super) fn is_accent(name: char) -> bool {
    ACCENTS.iter().any(|(accent, ..)| *accent == name)
}

/// A letter with an accent.
pub(super) fn accented(accent: char, letter: char) -> Option<char> {
    let (_, plain, accented) = ACCENTS.iter().find(|(sign, ..)| *sign == accent)?;
    let place = plain.chars().position(|it| it == letter)?;
    accented.chars().nth(place)
}

/// The sign of an accent over nothing.
pub(super) fn bare_accent(accent: char) -> Option<&'static str> {
    let shown = match accent {
        '^' => "^",
        '~' => "~",
        '`' => "`",
        '\'' => "´",
        '"' => "¨",
        '=' => "¯",
        '.' => "˙",
        'u' => "˘",
        'v' => "ˇ",
        'H' => "˝",
        'c' => "¸",
        'k' => "˛",
        'r' => "˚",
        _ => return None,
    };
    Some(shown)
}

/// A character as a command, where an encoding lacks it.
pub(super) fn command(character: char) -> Option<String> {
    let mut accents = ACCENTS.iter().map(|(accent, ..)| *accent);
    let is_bare = |accent: &char| bare_accent(*accent).is_some_and(|it| it.chars().eq([character]));
    if let Some(accent) = accents.find(is_bare) {
        return Some(format!("\\{accent}{{}}"));
    }
    for (accent, plain, accented) in ACCENTS {
        if let Some(place) = accented.chars().position(|it| it == character) {
            let letter = plain.chars().nth(place)?;
            let letter = if letter == 'i' {
                "\\i".to_owned()
            } else {
                letter.to_string()
            };
            return Some(format!("\\{accent}{{{letter}}}"));
        }
    }
    let (name, _) = symbols().find(|(_, shown)| shown.chars().eq([character]))?;
    Some(format!("\\{name}{{}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_have_as_many_letters_as_accented_ones() {
        for (accent, plain, accented) in ACCENTS {
            assert_eq!(plain.chars().count(), accented.chars().count(), "{accent}");
        }
        assert_eq!(accented('"', 'o'), Some('ö'));
        assert_eq!(command('ö').as_deref(), Some("\\\"{o}"));
        assert_eq!(command('í').as_deref(), Some("\\'{\\i}"));
        assert_eq!(command('ß').as_deref(), Some("\\ss{}"));
        assert_eq!(command('я'), None);
    }
}
