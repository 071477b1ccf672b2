//! The rules of one language, and where they end segments.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fancy_regex::Regex;

use super::file::{RuleList, SrxFile, WrittenRule};
use super::pattern::translated;
use crate::error::{Error, Result};

/// The rules that apply to a language, in order.
#[derive(Debug)]
pub(crate) struct Rules {
    path: PathBuf,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    breaks: bool,
    finder: Finder,
    line: usize,
}

/// How the places of a rule are found.
#[derive(Debug)]
enum Finder {
    /// The pattern before a break, an empty group, and the pattern after it.
    Together {
        regex: Regex,
        /// The number of that group.
        place: usize,
    },
    /// The text after a break is matched first, since the text before it may be all the rest.
    Behind { after: Regex, before: Regex },
}

impl SrxFile {
    /// The rules for a language such as `de` or `pt-BR`.
    ///
    /// # Errors
    /// If the file has none for it, or one of them is in a language of patterns that the engine does not speak.
    pub(crate) fn rules(&self, language: &str) -> Result<Rules> {
        let mut rules = Vec::new();
        let mut is_mapped = false;
        for list in self.lists_for(language)? {
            is_mapped = true;
            for rule in &list.rules {
                rules.push(self.compiled(rule)?);
            }
        }
        if !is_mapped {
            let patterns = self.maps.iter().map(|map| map.pattern.as_str());
            return Err(Error::SrxLanguage {
                language: language.to_owned(),
                known: patterns.collect::<Vec<_>>().join(", "),
                path: self.path.clone(),
            });
        }
        Ok(Rules {
            path: self.path.clone(),
            rules,
        })
    }

    fn lists_for(&self, language: &str) -> Result<Vec<&RuleList>> {
        let mut found = Vec::new();
        for map in &self.maps {
            let problem = |problem: String| self.problem(map.line, problem);
            let pattern = translated(&map.pattern, 0).map_err(|name| problem(lacks(&name)))?;
            // Codes of languages are the same in capitals.
            let regex = Regex::new(&format!("(?i)\\A(?:{})\\z", pattern.text));
            let regex = regex.map_err(|cause| problem(cause.to_string()))?;
            let is_match = regex.is_match(language);
            if is_match.map_err(|cause| problem(cause.to_string()))? {
                found.extend(self.lists.iter().find(|list| list.name == map.list));
                if !self.cascades {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn compiled(&self, rule: &WrittenRule) -> Result<Rule> {
        let problem = |problem: String| self.problem(rule.line, problem);
        let before = translated(&rule.before, 0).map_err(|name| problem(lacks(&name)))?;
        let place = before.groups + 1;
        let after = translated(&rule.after, place).map_err(|name| problem(lacks(&name)))?;
        let compiled = |pattern: &str| {
            Regex::new(pattern).map_err(|cause| {
                let rule = format!("{} | {}", rule.before, rule.after);
                problem(format!("the rule {rule} cannot be used: {cause}"))
            })
        };
        let (before, after) = (&before.text, &after.text);
        let finder = if reaches_far(before) && !after.is_empty() {
            Finder::Behind {
                after: compiled(after)?,
                before: compiled(&format!("(?:{before})\\z"))?,
            }
        } else {
            Finder::Together {
                regex: compiled(&format!("(?:{before})()(?:{after})"))?,
                place,
            }
        };
        Ok(Rule {
            breaks: rule.breaks,
            finder,
            line: rule.line,
        })
    }

    fn problem(&self, line: usize, problem: String) -> Error {
        Error::Srx {
            problem,
            line,
            path: self.path.clone(),
        }
    }
}

/// Whether an expression may match all of a text, and nothing after its end matters to it.
fn reaches_far(pattern: &str) -> bool {
    let looks_ahead = ["(?=", "(?!", "\\b", "\\B"];
    let has = |part: &str| pattern.contains(part);
    (has(".*") || has(".+")) && !looks_ahead.into_iter().any(has)
}

fn lacks(name: &str) -> String {
    format!("{name} is not known here; say it in another way")
}

impl Rules {
    /// The places inside `text` where a segment ends.
    ///
    /// # Errors
    /// If a rule takes too long.
    pub(crate) fn breaks(&self, text: &str) -> Result<Vec<usize>> {
        let mut decided = BTreeMap::new();
        for rule in &self.rules {
            let places = rule.places(text).map_err(|cause| Error::Srx {
                problem: format!("the rule cannot be used: {cause}"),
                line: rule.line,
                path: self.path.clone(),
            })?;
            for place in places {
                decided.entry(place).or_insert(rule.breaks);
            }
        }
        let breaks = decided.into_iter().filter(|(_, breaks)| *breaks);
        let inside = breaks.filter(|(place, _)| *place > 0 && *place < text.len());
        Ok(inside.map(|(place, _)| place).collect())
    }
}

impl Rule {
    /// Where the rule matches: from each place on once, so that matches may overlap.
    fn places(&self, text: &str) -> Result<Vec<usize>, Box<fancy_regex::Error>> {
        let (mut places, mut start) = (Vec::new(), 0);
        while start <= text.len() {
            let (first, place) = match &self.finder {
                Finder::Together { regex, place } => {
                    let Some(found) = regex.captures_from_pos(text, start)? else {
                        break;
                    };
                    let whole = found.get(0).map_or(text.len(), |whole| whole.start());
                    (whole, found.get(*place).map(|place| place.start()))
                }
                Finder::Behind { after, before } => {
                    let Some(found) = after.find_from_pos(text, start)? else {
                        break;
                    };
                    let place = found.start();
                    let is_behind = before.is_match(&text[..place])?;
                    (place, is_behind.then_some(place))
                }
            };
            places.extend(place);
            start = first + text[first..].chars().next().map_or(1, char::len_utf8);
        }
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const FILE: &str = r#"<?xml version="1.0"?>
<srx xmlns="http://www.lisa.org/srx20" version="2.0">
<header segmentsubflows="yes" cascade="CASCADE"/>
<body><languagerules>
<languagerule languagerulename="German">
<rule break="no"><beforebreak>\bz\.\s?B\.</beforebreak><afterbreak>\s</afterbreak></rule>
</languagerule>
<languagerule languagerulename="Any">
<rule break="no"><beforebreak>&#x5B;0-9]+\.</beforebreak><afterbreak>\s\p{Lu}</afterbreak></rule>
<rule break="yes"><beforebreak>[.?!]+</beforebreak><afterbreak>\s</afterbreak></rule>
</languagerule>
</languagerules><maprules>
<languagemap languagepattern="DE.*" languagerulename="German"/>
<languagemap languagepattern=".*" languagerulename="Any"/>
</maprules></body></srx>"#;

    fn rules(file: &str, language: &str) -> Result<Rules> {
        SrxFile::parse(Path::new("a.srx"), file)?.rules(language)
    }

    #[test]
    fn the_first_rule_that_matches_decides_and_lists_cascade() {
        let cascading = FILE.replace("CASCADE", "yes");
        let german = rules(&cascading, "de-AT").expect("rules");
        let text = "Es ist z. B. hier. Am 3. Mai. Ende.";
        assert_eq!(german.breaks(text).expect("places"), [9, 18, 29]);
        let english = rules(&cascading, "en").expect("rules");
        assert_eq!(english.breaks(text).expect("places"), [9, 12, 18, 29]);
        let first = rules(&FILE.replace("CASCADE", "no"), "de").expect("rules");
        assert_eq!(first.breaks(text).expect("places"), [0; 0]);
    }

    #[test]
    fn a_rule_that_reaches_far_finds_all_its_places() {
        let file = FILE.replace(
            r"[.?!]+</beforebreak><afterbreak>\s",
            r"a.*</beforebreak><afterbreak>b",
        );
        let found = rules(&file, "en")
            .expect("rules")
            .breaks("b a b b. c b")
            .expect("places");
        assert_eq!(found, [4, 6, 11]);
    }

    #[test]
    fn problems_are_reported_with_their_line() {
        let message = |file: &str, language: &str| {
            let error = rules(file, language).expect_err("a problem");
            error.to_string()
        };
        let wrong = FILE.replace(r"[.?!]+", r"\X");
        let expected = "\"a.srx\", line 10: \\X is not known here";
        assert!(
            message(&wrong, "en").contains(expected),
            "{}",
            message(&wrong, "en")
        );
        let wrong = FILE.replace(r"[.?!]+", r"(a");
        assert!(
            message(&wrong, "en").contains("line 10"),
            "{}",
            message(&wrong, "en")
        );
        let unmapped = FILE.replace("\".*\"", "\"fr\"");
        assert!(message(&unmapped, "en").contains("DE.*, fr"));
        assert!(rules(&unmapped, "DE").is_ok());
        let nameless = FILE.replace("languagerulename=\"Any\"/>", "languagerulename=\"All\"/>");
        assert!(message(&nameless, "en").contains("line 14"));
        assert!(message("<tmx/>", "en").contains("this is not SRX"));
        assert!(message("<srx><body>", "en").contains("line 1"));
    }

    #[test]
    #[ignore = "needs CANOPY_SRX, a folder with files of other tools"]
    fn files_of_other_tools_are_read_for_every_language() {
        let folder = std::env::var_os("CANOPY_SRX").expect("CANOPY_SRX");
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let file = SrxFile::open(&path).expect("an SRX file");
            let languages = "be br ca cs da de el en eo es fa fi fr ga gl is it ja km ko lt lv ml nl pl pt ro ru sk sl sr sv ta \
                             th tl uk zh";
            for language in languages.split(' ') {
                let rules = file.rules(language);
                assert!(
                    rules.is_ok(),
                    "{language}: {}",
                    rules.expect_err("a problem")
                );
            }
        }
    }
}
