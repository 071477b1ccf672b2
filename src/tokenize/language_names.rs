//! Languages as people and models name them: `English`, `Chinese (traditional)`, `opus-mt-en-pt_br`, `vocab.enpt.spm`.

use isolang::Language;

use super::languages::{has_two_letters, two_letters};
use canopy_base::table::rows;

/// Meanings of words that ISO 639 does not have: a row's kind (code, name or variant), the word, the code.
const MEANINGS: &str = include_str!("language_names.tsv");

/// The code for a word of a kind, in small letters.
fn meaning(kind: &str, word: &str) -> Option<&'static str> {
    let mut rows = rows(MEANINGS).filter(|(found, _)| *found == kind);
    rows.find_map(|(_, cells)| cells.strip_prefix(word)?.strip_prefix('\t'))
}

/// Languages that are written in more than one script.
const OF_SEVERAL_SCRIPTS: [&str; 12] = [
    "az", "ks", "kk", "ku", "mn", "ms", "pa", "sd", "sh", "sr", "uz", "zh",
];

/// Regions that are written in small letters, too, after these languages.
const SMALL_REGIONS: [(&str, &[&str]); 7] = [
    ("de", &["at", "ch"]),
    ("en", &["us", "gb", "au", "ca"]),
    ("es", &["mx", "ar", "es"]),
    ("fr", &["ca", "be", "ch"]),
    ("nl", &["be"]),
    ("pt", &["br", "pt"]),
    ("zh", &["cn", "tw", "hk"]),
];

/// Words in the names of models that are codes of languages as well.
const WORDS: [&str; 26] = [
    "all", "and", "avg", "base", "been", "best", "beta", "big", "data", "fast", "for", "last",
    "lite", "low", "max", "mid", "mul", "nano", "new", "old", "the", "then", "test", "tiny", "und",
    "var",
];

/// The other languages of models whose names write two codes as one word.
const JOINED: &str = "ar az be bg bn bs ca cs da de el es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko \
    lt lv mk ml mr ms mt nb ne nl nn no pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh";

/// A code in BCP 47: `pt-BR` of `pt_br`, `zh-Hant` of `zho_Hant`, `en` of `eng_Latn`. A script stays where the language has
/// several.
pub fn language_code(code: &str) -> String {
    let mut parts = code.trim().split(['-', '_', '@']);
    let first = parts.next().unwrap_or_default().to_lowercase();
    let other = meaning("code", &first);
    let mut whole = other.map_or_else(|| two_letters(&first), str::to_owned);
    let language = whole.clone();
    for part in parts {
        let is_word = part.chars().all(|c| c.is_ascii_alphanumeric());
        let small = part.to_lowercase();
        let part = match (meaning("variant", &small), part.len()) {
            (Some(variant), _) => variant.to_owned(),
            (None, 2) => part.to_uppercase(),
            (None, 3) if part.bytes().all(|byte| byte.is_ascii_digit()) => part.to_owned(),
            (None, 4) => small[..1].to_uppercase() + &small[1..],
            _ => continue,
        };
        let is_left_out = part.len() == 4 && !OF_SEVERAL_SCRIPTS.contains(&language.as_str());
        if is_word && !is_left_out {
            whole = format!("{whole}-{part}");
        }
    }
    whole
}

/// The code of a language by its English name, such as `English` or `Portuguese (Brazil)`, or by a code.
pub fn language_called(name: &str) -> Option<String> {
    let name = name.trim().to_lowercase();
    if let Some(code) = meaning("name", &name) {
        return Some(code.to_owned());
    }
    // A language is named En, and one Ga.
    if has_two_letters(name.split(['-', '_', '@']).next().unwrap_or_default()) {
        return Some(language_code(&name));
    }
    let (main, more) = name.split_once('(').unwrap_or((&name, ""));
    let main = main.trim();
    let variant = more.trim_end_matches(')').trim();
    let variant = meaning("variant", variant);
    let found = named_by_iso(main).or_else(|| {
        let code = main.split(['-', '_', '@']).next()?;
        is_code(code).then(|| language_code(main))
    })?;
    Some(match variant {
        Some(variant) => language_code(&format!("{found}-{variant}")),
        None => found,
    })
}

fn named_by_iso(name: &str) -> Option<String> {
    if let Some(code) = meaning("name", name) {
        return Some(code.to_owned());
    }
    let name = name.to_owned();
    let is_it = move |known: &str| {
        let known = known.to_lowercase();
        let known = known.split_once('(').map_or(&*known, |(known, _)| known);
        known.trim().trim_start_matches("modern ") == name
    };
    let mut found: Vec<Language> = Language::match_names(is_it).collect();
    found.sort_by_key(|language| language.to_639_1().is_none());
    let code = found.first()?;
    Some(code.to_639_1().unwrap_or(code.to_639_3()).to_owned())
}

/// Whether this is the code of a language, in small letters and without region.
fn is_code(code: &str) -> bool {
    let is_other = meaning("code", code).is_some();
    match code.len() {
        2 => has_two_letters(code) || is_other,
        3 => is_other || Language::from_639_3(code).is_some(),
        _ => false,
    }
}

/// The languages of a word of two codes, such as `enpt` or `engpor`.
pub fn pair_of_letters(word: &str) -> Option<[String; 2]> {
    let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_word || !matches!(word.len(), 4 | 6) || WORDS.contains(&word) {
        return None;
    }
    let (source, target) = word.split_at(word.len() / 2);
    // Only three-letter codes that have two letters as well: words of six letters are common.
    let known = |code: &str| has_two_letters(&two_letters(code)) && is_code(code);
    let is_pair = known(source) && known(target) && source != target;
    is_pair.then(|| [source, target].map(language_code))
}

/// The languages in the name of a model, such as `opus-mt-en-de`, `translate-en_pt-1_0`, `en-pt_BR` or
/// `enpt-1693087644`.
pub fn pair_in_name(name: &str) -> Option<[String; 2]> {
    let parts: Vec<&str> = name.split(['-', '_', '.', ' ', '@']).collect();
    let small: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
    let small: Vec<&str> = small.iter().map(String::as_str).collect();
    two_codes(&parts, true)
        .or_else(|| two_codes(&parts, false))
        .or_else(|| two_codes(&small, false))
        .or_else(|| joined(small.first()?))
}

/// The last two codes in a row, each with its script or region.
fn two_codes(parts: &[&str], with_regions: bool) -> Option<[String; 2]> {
    let at = |place: usize| {
        let code = *parts.get(place)?;
        // After "opus" it is machine translation, not Maltese.
        let is_mt = code == "mt" && place > 0 && parts[place - 1] == "opus";
        if !is_code(code) || WORDS.contains(&code) || is_mt {
            return None;
        }
        let variants = parts[place + 1..].iter();
        let variants = variants.take_while(|part| is_variant(code, part, with_regions));
        let end = place + 1 + variants.count();
        Some((language_code(&parts[place..end].join("-")), end))
    };
    let is_region = |place: usize| {
        let before = place.checked_sub(1).map(|before| parts[before]);
        before.is_some_and(|code| is_code(code) && is_variant(code, parts[place], with_regions))
    };
    let places = (0..parts.len()).rev().filter(|&place| !is_region(place));
    places.into_iter().find_map(|place| {
        let (source, end) = at(place)?;
        let (target, _) = at(end)?;
        Some([source, target])
    })
}

fn is_variant(language: &str, part: &str, with_regions: bool) -> bool {
    let is_script = part.len() >= 4 && meaning("variant", &part.to_ascii_lowercase()).is_some();
    let is_large = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_small = SMALL_REGIONS
        .iter()
        .any(|(known, regions)| *known == language && regions.contains(&part));
    is_script || part == "419" || with_regions && (is_large || is_small)
}

/// Codes of a name that begins with two of them as one word, one of them English: other words look like two codes, too.
fn joined(word: &str) -> Option<[String; 2]> {
    let pair = pair_of_letters(word)?;
    let is_known = |code: &String| JOINED.split(' ').any(|known| known == code);
    let [source, target] = &pair;
    let is_pair = source == "en" && is_known(target) || target == "en" && is_known(source);
    is_pair.then_some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_give_their_languages() {
        let cases: Vec<(&str, &str)> = rows(include_str!("language_names_cases.tsv")).collect();
        assert_eq!(cases.len(), 53);
        for (kind, cells) in cases {
            let (read, expected) = cells.split_once('\t').expect("three cells");
            let found = match kind {
                "code" => Some(language_code(read)),
                "name" => language_called(read),
                _ => pair_in_name(read).map(|pair| pair.join(" ")),
            };
            assert_eq!(found.as_deref(), Some(expected), "{read}");
        }
        assert_eq!(language_called("Klingonish"), None);
        assert_eq!(language_called(""), None);
    }

    #[test]
    fn other_names_give_no_languages() {
        for name in [
            "my-model",
            "base",
            "tiny",
            "test-base",
            "opus-mt-en-ROMANCE",
            "opus-mt-mul-en",
            "opus-mt-en-ine",
            "my-big-model",
            "then",
            "model",
            "task",
            "m2m100_418M",
            "nllb-200-distilled-600M",
            "starter",
            "",
        ] {
            assert_eq!(pair_in_name(name), None, "{name}");
        }
        assert_eq!(
            pair_of_letters("enpt"),
            Some(["en", "pt"].map(str::to_owned))
        );
        assert_eq!(
            pair_of_letters("engpor"),
            Some(["en", "pt"].map(str::to_owned))
        );
        for word in [
            "base", "tiny", "vocab", "model", "target", "intgemm", "50", "s2t",
        ] {
            assert_eq!(pair_of_letters(word), None, "{word}");
        }
    }
}
