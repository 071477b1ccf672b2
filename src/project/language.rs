//! Names of languages: those in common use, then those of ISO 639.

use isolang::Language;

use canopy_base::table::{row, rows};

/// Where a word in common use says more than ISO 639 does, or says it shorter.
const NAMES: &str = include_str!("languages.tsv");

/// Names of scripts and regions, as codes write them.
const PARTS: &str = include_str!("scripts_and_regions.tsv");

/// The English name of a language; its code if it has none.
pub fn name(code: &str) -> String {
    let mut parts = code.split(['-', '_', '@']);
    let language = parts.next().unwrap_or_default().to_lowercase();
    let parts: Vec<&str> = parts.map(part_name).collect();
    let Some(name) = row(NAMES, &language).or_else(|| iso_name(&language)) else {
        return code.to_owned();
    };
    if parts.is_empty() {
        return name.to_owned();
    }
    format!("{name} ({})", parts.join(", "))
}

/// Languages in common use of which a word of the name begins so; else the one of this code. Without a text all in common use.
pub fn like(wanted: &str) -> Vec<(String, String)> {
    let wanted = wanted.trim().to_lowercase();
    let fits = |code: &str, name: &str| {
        let mut words = name.split(' ');
        code == wanted || words.any(|word| word.to_lowercase().starts_with(&wanted))
    };
    let common = rows(NAMES).filter(|(code, _)| !["qaa", "und"].contains(code));
    let common = common.filter(|(code, name)| fits(code, name));
    let mut found: Vec<(String, String)> = common
        .map(|(code, name)| (code.to_owned(), name.to_owned()))
        .collect();
    let is_new = !found.iter().any(|(code, _)| *code == wanted);
    if is_new && (2..=8).contains(&wanted.len()) && name(&wanted) != wanted {
        found.push((in_usual_case(&wanted), name(&wanted)));
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found
}

/// A code in lower case as files spell it: `pt-BR`, `zh-Hant`.
fn in_usual_case(code: &str) -> String {
    let parts = code.split('-').enumerate().map(|(number, part)| {
        let (first, rest) = part.split_at_checked(1).unwrap_or((part, ""));
        match (number, part.len()) {
            (1.., 2) => part.to_ascii_uppercase(),
            (1.., 4) => first.to_ascii_uppercase() + rest,
            _ => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("-")
}

/// As ISO 639 has it, without remarks such as "(macrolanguage)".
fn iso_name(language: &str) -> Option<&'static str> {
    let found = Language::from_639_1(language).or_else(|| Language::from_639_3(language))?;
    let name = found.to_name();
    Some(name.split(" (").next().unwrap_or(name))
}

fn part_name(part: &str) -> &str {
    row(PARTS, &part.to_ascii_lowercase()).unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::{like, name};

    #[test]
    fn languages_are_found_by_the_beginning_of_a_word_or_the_code() {
        let codes = |wanted| -> Vec<String> {
            let found = like(wanted).into_iter();
            found.map(|(code, _)| code).collect()
        };
        assert_eq!(codes("port"), ["pt"]);
        assert_eq!(codes("de"), ["de"]);
        assert_eq!(codes("sw"), ["sw", "sv"]);
        assert_eq!(codes("yue"), ["yue"]);
        assert_eq!(codes("pt-br"), ["pt-BR"]);
        assert_eq!(codes("zh-hant"), ["zh-Hant"]);
        assert!(codes("").len() > 30 && codes("xyzzy").is_empty());
    }

    #[test]
    fn languages_have_english_names() {
        for (code, expected) in [
            ("en", "English"),
            ("el", "Greek"),
            ("sw", "Swahili"),
            ("yue", "Yue Chinese"),
            ("zh-Hant", "Chinese (traditional)"),
            ("pt-BR", "Portuguese (Brazil)"),
            ("und", "Unknown language"),
            ("xx-yy", "xx-yy"),
        ] {
            assert_eq!(name(code), expected);
        }
    }
}
