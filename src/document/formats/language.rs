//! Languages as files name them.

use super::escaped_attribute;
use crate::words::Words;

/// A language as Office says it.
#[derive(Debug)]
pub(super) struct WordLanguage {
    /// With its country, where a program wants one.
    pub code: String,
    /// The attribute of `w:lang` for text in its script.
    pub word_attribute: &'static str,
    /// Whether it was given with its country.
    names_country: bool,
}

impl WordLanguage {
    pub(super) fn new(language: &str) -> Self {
        let (main, country) = parts(language);
        let names_country = country.is_some();
        let code = match country.or_else(|| usual_country(&main).map(str::to_owned)) {
            Some(country) => format!("{main}-{country}"),
            None => main.clone(),
        };
        let word_attribute = match main.as_str() {
            "zh" | "ja" | "ko" => "eastAsia",
            "ar" | "he" | "fa" | "ur" | "ps" | "yi" | "dv" | "ug" | "sd" | "hi" | "th" => "bidi",
            _ => "val",
        };
        Self {
            code,
            word_attribute,
            names_country,
        }
    }

    /// Returns the code to write where a file names another language; none where it says this one, if only with its country.
    pub(super) fn instead_of(&self, said: &str) -> Option<String> {
        let is_same = !self.names_country && parts(said).0 == parts(&self.code).0;
        (!is_same && said != self.code).then(|| escaped_attribute(&self.code))
    }
}

/// Returns the code to write where a file names a language: none where it says this one already, or a variety of it while
/// the requested language names none.
pub(super) fn instead_of(said: &str, language: &str) -> Option<String> {
    let names_variety = language.contains(['-', '_']);
    let is_same = !names_variety && parts(said).0 == parts(language).0;
    (!is_same && said != language).then(|| language.to_owned())
}

/// The language alone and its country: `pt` and `BR` of `pt_br`.
pub(super) fn parts(language: &str) -> (String, Option<String>) {
    let mut parts = language.split(['-', '_']);
    let main = parts.next().unwrap_or_default().to_ascii_lowercase();
    let country = parts.find(|part| {
        part.len() == 2 || part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit())
    });
    (main, country.map(str::to_ascii_uppercase))
}

/// Whether the script that a language is usually written with, or that its code names, runs from right to left.
pub fn is_right_to_left(language: &str) -> bool {
    let code = language.to_ascii_lowercase();
    let mut parts = code.split(['-', '_']);
    let main = parts.next().unwrap_or_default();
    match parts.find(|part| part.len() == 4) {
        Some(script) => matches!(
            script,
            "arab" | "hebr" | "syrc" | "thaa" | "nkoo" | "adlm" | "rohg" | "samr" | "mand"
        ),
        None => Words(
            "ar arc ary arz azb ckb dv fa glk he iw ji ks lrc mzn nqo pnb prs ps sd syr ug ur yi",
        )
        .contains(main),
    }
}

/// The country that Office means by a language without one.
pub(super) fn usual_country(language: &str) -> Option<&'static str> {
    const CODES: Words = Words(
        "ar-SA bg-BG ca-ES es-ES eu-ES gl-ES cs-CZ da-DK de-DE el-GR en-US et-EE fa-IR fi-FI fr-FR he-IL hi-IN hr-HR hu-HU
         id-ID it-IT ja-JP ko-KR lt-LT lv-LV nb-NO nn-NO nl-NL pl-PL pt-PT ro-RO ru-RU sk-SK sl-SI sr-RS sv-SE th-TH tr-TR
         uk-UA vi-VN zh-CN",
    );
    let mut codes = CODES.iter().filter_map(|code| code.split_once('-'));
    codes
        .find(|(own, _)| *own == language)
        .map(|(_, country)| country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_gets_its_country() {
        assert_eq!(WordLanguage::new("de").code, "de-DE");
        assert_eq!(WordLanguage::new("pt_br").code, "pt-BR");
        assert_eq!(WordLanguage::new("zh-Hant-TW").code, "zh-TW");
        assert_eq!(WordLanguage::new("la").code, "la");
        assert_eq!(WordLanguage::new("ja").word_attribute, "eastAsia");
        assert_eq!(WordLanguage::new("en").instead_of("en-GB"), None);
        let american = WordLanguage::new("en-US").instead_of("en-GB");
        assert_eq!(american.as_deref(), Some("en-US"));
    }
}
