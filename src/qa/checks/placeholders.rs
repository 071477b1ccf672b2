//! Tags and variables that must come through a translation untouched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fancy_regex::Regex;

use super::Problem;
use canopy_document::placeholder::Placeholder;

/// Compares the placeholders of markup and their nesting.
pub(super) fn tags(source: &str, target: &str) -> Option<Problem> {
    let kinds = |text: &str| {
        let mut counts: BTreeMap<(bool, usize), usize> = BTreeMap::new();
        for placeholder in text.chars().filter_map(Placeholder::from_char) {
            match placeholder {
                Placeholder::Open(number) => *counts.entry((true, number)).or_default() += 1,
                Placeholder::Point(number) => *counts.entry((false, number)).or_default() += 1,
                Placeholder::Close => {}
            }
        }
        counts
    };
    let (expected, found) = (kinds(source), kinds(target));
    let count =
        |counts: &BTreeMap<(bool, usize), usize>, key| counts.get(key).copied().unwrap_or(0);
    let missing = expected
        .keys()
        .filter(|key| count(&found, key) < expected[key])
        .count();
    let added = found
        .keys()
        .filter(|key| count(&expected, key) < found[key])
        .count();
    let message = match (missing, added) {
        (0, 0) if is_nested(target) => return None,
        (0, 0) => "tags are not nested".to_owned(),
        (missing, 0) => format!("{} missing", tags_of(missing)),
        (0, added) => format!("{} too many", tags_of(added)),
        (missing, added) => format!("{} missing, {added} too many", tags_of(missing)),
    };
    Some((message, None))
}

fn tags_of(count: usize) -> String {
    match count {
        1 => "a tag".to_owned(),
        count => format!("{count} tags"),
    }
}

/// Whether every pair that is opened is closed, and the reverse.
fn is_nested(text: &str) -> bool {
    let mut open = 0_usize;
    for placeholder in text.chars().filter_map(Placeholder::from_char) {
        match placeholder {
            Placeholder::Open(_) => open += 1,
            Placeholder::Point(_) => {}
            Placeholder::Close => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
        }
    }
    open == 0
}

/// Code of templates (`{{- x}}`, `{% x %}`, `<%= x %>`), printf (`%s`, `%1$d`, `%(name)s`), braces (`{name}`, `{0}`, `${HOME}`)
/// and addresses.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\{\{[^{}]*\}\}|\{%[^%]*%\}|<%[^%]*%>|%(?:\d+\$|\([A-Za-z_]\w*\))?[-+0#]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j)?[@sdiufFeEgGxXoc](?![A-Za-z])|\$?\{\{?[A-Za-z_0-9.]+\}?\}|\$[A-Za-z_]\w*\b|https?://[^\s<>\x22]*[\w/]",
    )
    .expect("a valid expression")
});

/// Compares the variables that a program fills in.
pub(super) fn variables(source: &str, target: &str) -> Option<Problem> {
    let (expected, found) = (variables_of(source), variables_of(target));
    if expected.is_empty() && found.is_empty() {
        return None;
    }
    let less = |these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| -> Vec<String> {
        let fewer = these
            .iter()
            .filter(|(name, count)| those.get(*name).unwrap_or(&0) < count);
        fewer.map(|(name, _)| name.clone()).collect()
    };
    let (missing, added) = (less(&expected, &found), less(&found, &expected));
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} is missing", missing.join(" ")));
    }
    if !added.is_empty() {
        parts.push(format!("{} is not in the source", added.join(" ")));
    }
    (!parts.is_empty()).then(|| (parts.join(", "), None))
}

fn variables_of(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    // An expression that gives up on a text finds nothing more there.
    for found in VARIABLE.find_iter(text).map_while(Result::ok) {
        // "100 % der" and "5%d" are no variables: a number precedes.
        let before = text[..found.start()].chars().next_back();
        let is_percentage = found.as_str().starts_with('%') && before.is_some_and(char::is_numeric);
        if !is_percentage {
            *counts.entry(found.as_str().to_owned()).or_default() += 1;
        }
    }
    counts
}
