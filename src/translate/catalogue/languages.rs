//! Languages as catalogues write them: codes of their own, and names that do not fit them.

use isolang::Language;

use canopy_corpus::is_same_language;
use canopy_tokenize::two_letters;

/// Codes that Argos Translate has made up, and what they mean.
const OWN_CODES: [(&str, &str); 3] = [("zt", "zh-Hant"), ("pb", "pt-BR"), ("eu_n", "eu")];

/// A code as Canopy writes it: two letters where the language has such a code, script and region after it.
pub(super) fn code(written: &str) -> String {
    let written = written.trim();
    if let Some((_, meant)) = OWN_CODES.iter().find(|(own, _)| *own == written) {
        return (*meant).to_owned();
    }
    let (language, rest) = match written.find(['-', '_']) {
        Some(at) => (&written[..at], Some(&written[at + 1..])),
        None => (written, None),
    };
    let language = two_letters(language);
    match rest {
        Some(rest) => format!("{language}-{}", rest.replace('_', "-")),
        None => language,
    }
}

/// Whether this can be a code: two or three letters, perhaps with script and region.
pub(super) fn is_code(written: &str) -> bool {
    let mut parts = written.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    (2..=3).contains(&language.len())
        && language.chars().all(|c| c.is_ascii_alphabetic())
        && parts.all(|part| (1..=8).contains(&part.len()) && part.is_ascii())
}

/// The code of a language by its English name; none if no language is called so.
pub(super) fn code_of_name(name: &str) -> Option<String> {
    let plain = name.split('(').next().unwrap_or(name).trim();
    let common = match plain.to_lowercase().as_str() {
        "greek" => Some("el"),
        "slovene" => Some("sl"),
        "farsi" => Some("fa"),
        "norwegian bokmål" | "norwegian bokmal" => Some("nb"),
        "norwegian nynorsk" => Some("nn"),
        "flemish" => Some("nl"),
        "brazilian portuguese" => Some("pt-BR"),
        "malay" => Some("ms"),
        "swahili" => Some("sw"),
        "nepali" => Some("ne"),
        _ => None,
    };
    let found = || {
        let language = Language::from_name(plain)?;
        let short = language.to_639_1();
        Some(short.unwrap_or(language.to_639_3()).to_owned())
    };
    common.map(str::to_owned).or_else(found)
}

/// The language that a name means, where it is another one than that of the code; none if they may well be the same.
pub(super) fn other_language(code: &str, name: &str) -> Option<String> {
    let named = code_of_name(name)?;
    let is_same = is_same_language(&named, code)
        || is_norwegian(&named) && is_norwegian(code)
        || is_south_slavic(&named) && is_south_slavic(code);
    (!is_same).then_some(named)
}

fn is_norwegian(code: &str) -> bool {
    ["no", "nb", "nn"].contains(&code)
}

/// Codes that are used for one another.
fn is_south_slavic(code: &str) -> bool {
    ["sh", "hbs", "sr", "hr", "bs", "me", "cnr"].contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_catalogues_become_those_of_canopy() {
        let cases = [
            ("en", "en"),
            ("deu", "de"),
            ("zt", "zh-Hant"),
            ("pb", "pt-BR"),
            ("zh_hant", "zh-hant"),
            ("nb", "nb"),
        ];
        for (written, expected) in cases {
            assert_eq!(code(written), expected, "{written}");
        }
    }

    #[test]
    fn a_name_of_another_language_is_noticed() {
        assert_eq!(other_language("gl", "Arabic").as_deref(), Some("ar"));
        for (code, name) in [
            ("gl", "Galician"),
            ("el", "Greek"),
            ("zh", "Chinese (traditional)"),
            ("no", "Norwegian Bokmål"),
            ("sh", "Serbian"),
            ("sl", "Slovene"),
            ("xx", "no such language"),
        ] {
            assert_eq!(other_language(code, name), None, "{code} {name}");
        }
    }
}
