//! The plural forms of languages: how gettext chooses them, and what CLDR calls them.
//!
//! Rules as `msginit` of gettext writes them; for other languages, those of the Unicode CLDR (44) for whole numbers.

use super::plural_expression::PluralRule;
use crate::formats::language;
use crate::words::Words;

/// A line for each family: languages, CLDR's names of the forms in the order of the rule, the rule.
const FAMILIES: &str = "\
ja ko zh vi th id ms lo km my jv su bo dz wo yo ig to | other | nplurals=1; plural=0;
fr pt-BR hy kab ln mg pa ti wa am bn fa gu hi kn zu oc ak bho guw nso si | one other | nplurals=2; plural=(n > 1);
ru uk be | one few many | nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);
sr hr bs sh | one few other | nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);
cs sk | one few other | nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;
pl | one few many | nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);
lt | one few other | nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);
lv | one other zero | nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);
ro mo | one few other | nplurals=3; plural=(n==1 ? 0 : n==0 || (n%100 > 0 && n%100 < 20) ? 1 : 2);
sl | one two few other | nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);
ga | one two few many other | nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4);
ar | zero one two few many other | nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);
cy | zero one two few many other | nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5);
mt | one few many other | nplurals=4; plural=(n==1 ? 0 : n==0 || ( n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20 ) ? 2 : 3);
gd | one two few other | nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;
he iw | one two other | nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);
is mk | one other | nplurals=2; plural=(n%10!=1 || n%100==11);";

/// Every other language: English, German, Spanish and most.
const OTHERS: Family = Family {
    languages: Words::NONE,
    categories: Words("one other"),
    rule: "nplurals=2; plural=(n != 1);",
};

/// How languages say numbers of things.
struct Family {
    languages: Words,
    categories: Words,
    rule: &'static str,
}

impl Family {
    fn read(line: &'static str) -> Option<Self> {
        let (languages, rest) = line.split_once(" | ")?;
        let (categories, rule) = rest.split_once(" | ")?;
        Some(Self {
            languages: Words(languages),
            categories: Words(categories),
            rule,
        })
    }
}

fn family(language: &str) -> Family {
    let (main, country) = language::parts(language);
    let full = country.map(|country| format!("{main}-{country}"));
    let is_it = |name: &str| name == main || full.as_deref() == Some(name);
    let mut families = FAMILIES.lines().filter_map(Family::read);
    let found = families.find(|family| family.languages.iter().any(is_it));
    found.unwrap_or(OTHERS)
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
    let mut categories: Vec<&str> = family(language).categories.iter().collect();
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
        let families: Vec<Family> = FAMILIES.lines().filter_map(Family::read).collect();
        assert_eq!(families.len(), 17);
        for family in families.iter().chain([&OTHERS]) {
            let rule = PluralRule::parse(family.rule).expect("a rule");
            assert_eq!(
                rule.num_forms,
                family.categories.iter().count(),
                "{}",
                family.rule
            );
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
