//! The plural forms of languages: how gettext chooses them, and what CLDR calls them.
//!
//! Rules as `msginit` of gettext writes them; for other languages, those of the Unicode CLDR (44) for whole numbers.

use super::plural_expression::PluralRule;
use crate::formats::language;

/// How languages say numbers of things.
struct Family {
    languages: &'static [&'static str],
    rule: &'static str,
    /// CLDR's names of the forms, in the order of the rule.
    categories: &'static [&'static str],
}

const FAMILIES: [Family; 17] = [
    Family {
        languages: &[
            "ja", "ko", "zh", "vi", "th", "id", "ms", "lo", "km", "my", "jv", "su", "bo", "dz",
            "wo", "yo", "ig", "to",
        ],
        rule: "nplurals=1; plural=0;",
        categories: &["other"],
    },
    Family {
        languages: &[
            "fr", "pt-BR", "hy", "kab", "ln", "mg", "pa", "ti", "wa", "am", "bn", "fa", "gu", "hi",
            "kn", "zu", "oc", "ak", "bho", "guw", "nso", "si",
        ],
        rule: "nplurals=2; plural=(n > 1);",
        categories: &["one", "other"],
    },
    Family {
        languages: &["ru", "uk", "be"],
        rule: "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
        categories: &["one", "few", "many"],
    },
    Family {
        languages: &["sr", "hr", "bs", "sh"],
        rule: "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
        categories: &["one", "few", "other"],
    },
    Family {
        languages: &["cs", "sk"],
        rule: "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
        categories: &["one", "few", "other"],
    },
    Family {
        languages: &["pl"],
        rule: "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
        categories: &["one", "few", "many"],
    },
    Family {
        languages: &["lt"],
        rule: "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
        categories: &["one", "few", "other"],
    },
    Family {
        languages: &["lv"],
        rule: "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
        categories: &["one", "other", "zero"],
    },
    Family {
        languages: &["ro", "mo"],
        rule: "nplurals=3; plural=(n==1 ? 0 : n==0 || (n%100 > 0 && n%100 < 20) ? 1 : 2);",
        categories: &["one", "few", "other"],
    },
    Family {
        languages: &["sl"],
        rule: "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
        categories: &["one", "two", "few", "other"],
    },
    Family {
        languages: &["ga"],
        rule: "nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4);",
        categories: &["one", "two", "few", "many", "other"],
    },
    Family {
        languages: &["ar"],
        rule: "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
        categories: &["zero", "one", "two", "few", "many", "other"],
    },
    Family {
        languages: &["cy"],
        rule: "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5);",
        categories: &["zero", "one", "two", "few", "many", "other"],
    },
    Family {
        languages: &["mt"],
        rule: "nplurals=4; plural=(n==1 ? 0 : n==0 || ( n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20 ) ? 2 : 3);",
        categories: &["one", "few", "many", "other"],
    },
    Family {
        languages: &["gd"],
        rule: "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;",
        categories: &["one", "two", "few", "other"],
    },
    Family {
        languages: &["he", "iw"],
        rule: "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);",
        categories: &["one", "two", "other"],
    },
    Family {
        languages: &["is", "mk"],
        rule: "nplurals=2; plural=(n%10!=1 || n%100==11);",
        categories: &["one", "other"],
    },
];

/// Every other language: English, German, Spanish and most.
const OTHERS: Family = Family {
    languages: &[],
    rule: "nplurals=2; plural=(n != 1);",
    categories: &["one", "other"],
};

fn family(language: &str) -> &'static Family {
    let (main, country) = language::parts(language);
    let full = country.map(|country| format!("{main}-{country}"));
    let is_it = |name: &&str| *name == main || full.as_deref() == Some(*name);
    FAMILIES
        .iter()
        .find(|family| family.languages.iter().any(&is_it))
        .unwrap_or(&OTHERS)
}

/// The `Plural-Forms` of a language, as PO files have it.
pub(super) fn header(language: &str) -> &'static str {
    family(language).rule
}

pub(super) fn rule(language: &str) -> Option<PluralRule> {
    PluralRule::parse(header(language))
}

/// CLDR's names of a language's plural forms; `other` is one of them.
pub(super) fn categories(language: &str) -> Vec<&'static str> {
    let mut categories = family(language).categories.to_vec();
    if !categories.contains(&"other") {
        categories.push("other");
    }
    categories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_as_many_names_as_forms() {
        for family in FAMILIES.iter().chain([&OTHERS]) {
            let rule = PluralRule::parse(family.rule).expect("a rule");
            assert_eq!(rule.num_forms, family.categories.len(), "{}", family.rule);
            for form in 0..rule.num_forms {
                assert_ne!(rule.examples(form), "", "{} {form}", family.rule);
            }
        }
    }

    #[test]
    fn languages_are_found_with_and_without_their_country() {
        assert_eq!(categories("de_DE"), ["one", "other"]);
        assert_eq!(categories("pl"), ["one", "few", "many", "other"]);
        assert!(header("pt_BR").contains("n > 1") && header("pt_PT").contains("n != 1"));
        assert!(header("zh-Hant-TW").contains("nplurals=1"));
        assert_eq!(rule("ar").map(|rule| rule.num_forms), Some(6));
    }
}
