//! Language codes as files name them: `en`, `en-US`, `EN_us`, `zh-Hant`.

use canopy_tokenize::two_letters;

/// Whether a text marked `found` is in language `wanted`: the same code, or one is the other with a region or script.
pub fn is_same_language(found: &str, wanted: &str) -> bool {
    let [found, wanted] = [found, wanted].map(normal);
    let extends = |long: &str, short: &str| {
        long.strip_prefix(short)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    extends(&found, &wanted) || extends(&wanted, &found)
}

/// The code without region and script: `en` of `en-US`.
pub(super) fn primary(code: &str) -> &str {
    let code = code.trim();
    code.split(['-', '_', '@']).next().unwrap_or(code)
}

/// Whether both codes are written the same but for case and `_`.
pub(super) fn is_same_code(found: &str, wanted: &str) -> bool {
    normal(found) == normal(wanted)
}

/// `page` of `page.en`, `page_en-US` or `page-en`, if `language` is English; `None` if the name says nothing of it.
pub(super) fn without_language<'a>(name: &'a str, language: &str) -> Option<&'a str> {
    let separators = name
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '_' | '-'));
    let mut cuts = separators.map(|(at, _)| (&name[..at], &name[at + 1..]));
    let (stem, _) = cuts.find(|(stem, code)| !stem.is_empty() && is_code(code, language))?;
    Some(stem)
}

/// Whether `text` is the code of `language`, with at most a region or script.
pub(super) fn is_code(text: &str, language: &str) -> bool {
    let code = normal(text);
    let Some((_, tail)) = code.split_once('-') else {
        return is_same_language(&code, language);
    };
    let is_region =
        tail.len() == 2 || tail.len() == 3 && tail.bytes().all(|byte| byte.is_ascii_digit());
    (is_region || tail.len() == 4) && is_same_language(&code, language)
}

/// With two letters where ISO 639-1 has them, and without what gettext writes after an `@`: `sr@latin`, `ca@valencia`.
fn normal(code: &str) -> String {
    let code = code.split_once('@').map_or(code, |(code, _)| code);
    let code = code.trim().replace('_', "-").to_ascii_lowercase();
    let (language, rest) = code.split_at(code.find('-').unwrap_or(code.len()));
    two_letters(language) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_match_by_their_beginning() {
        for (found, wanted) in [
            ("en", "en"),
            ("en-US", "en"),
            ("EN_gb", "en"),
            ("en", "en-US"),
            ("zh-Hant-TW", "zh"),
            ("ca@valencia", "ca"),
            ("sr_RS@latin", "sr"),
            ("eng", "en"),
            ("de", "deu_Latn"),
        ] {
            assert!(is_same_language(found, wanted), "{found} {wanted}");
        }
        for (found, wanted) in [("en-US", "en-GB"), ("enm", "en"), ("", "en"), ("de", "en")] {
            assert!(!is_same_language(found, wanted), "{found} {wanted}");
        }
    }

    #[test]
    fn a_language_is_cut_off_the_end_of_a_name() {
        for name in ["page.en", "page_en", "page-EN", "page.en-US", "page_en_us"] {
            assert_eq!(without_language(name, "en"), Some("page"), "{name}");
        }
        for name in ["page", "open", "page.de", "en", ".en", "page-en-route"] {
            assert_eq!(without_language(name, "en"), None, "{name}");
        }
        assert_eq!(without_language("a.b_de", "de-AT"), Some("a.b"));
    }
}
