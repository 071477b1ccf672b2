//! Names of headings, by which links of the page refer to them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::document::Document;
use crate::formats::percent_decoded;

/// A heading without a name of its own.
#[derive(Debug)]
pub(super) struct Heading {
    pub paragraph: usize,
    /// The name that is made of its text.
    pub name: String,
    /// The first byte of its text, and the one after the last.
    pub start: usize,
    pub end: usize,
}

/// The headings of a file that links lead to.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    headings: Vec<Heading>,
    /// How often there has been a name.
    seen: HashMap<String, usize>,
    /// Whether the file's author gives names to headings.
    pub has_names: bool,
}

impl Anchors {
    /// Adds a heading with what it shows.
    pub(super) fn add(&mut self, mut heading: Heading, shown: &str) {
        heading.name = name(shown);
        let seen = self.seen.entry(heading.name.clone()).or_default();
        *seen += 1;
        if *seen > 1 {
            heading.name = format!("{}-{}", heading.name, *seen - 1);
        }
        self.headings.push(heading);
    }

    /// Leaves out what no link of the file leads to.
    pub(super) fn retain_linked(&mut self, source: &str) {
        if self.headings.is_empty() {
            return;
        }
        let linked = linked(source);
        let is_given = |name: &str| {
            ["id", "name"].iter().any(|attribute| {
                source.contains(&format!("{attribute}=\"{name}\""))
                    || source.contains(&format!("{attribute}='{name}'"))
            })
        };
        self.headings
            .retain(|heading| linked.contains(heading.name.as_str()) && !is_given(&heading.name));
    }

    /// Returns the edits of the translated file by which a heading that has become another one keeps its name.
    pub(super) fn written(
        &self,
        document: &Document,
        translations: &[Option<String>],
    ) -> Vec<(Range<usize>, String)> {
        let mut written = Vec::new();
        for heading in &self.headings {
            let sentences = document.paragraphs[heading.paragraph].sentences.clone();
            let is_translated = |index: usize| translations.get(index).is_some_and(Option::is_some);
            if !sentences.into_iter().any(is_translated) {
                continue;
            }
            let line = document.original[heading.end..].lines().next();
            let ends_line = line.is_none_or(|line| line.trim().is_empty());
            let name = &heading.name;
            let (at, anchor) = if self.has_names && ends_line {
                (heading.end, format!(" {{#{name}}}"))
            } else {
                (heading.start, format!("<a id=\"{name}\"></a>"))
            };
            written.push((at..at, anchor));
        }
        written
    }
}

/// The names that links of the page lead to.
fn linked(source: &str) -> HashSet<String> {
    let mut linked = HashSet::new();
    for open in ["](#", "](<#", "]: #", "]: <#", "href=\"#", "href='#"] {
        for (place, _) in source.match_indices(open) {
            let rest = &source[place + open.len()..];
            let end = rest.find(|c: char| c.is_whitespace() || ")>\"'".contains(c));
            let name = &rest[..end.unwrap_or(rest.len())];
            linked.insert(percent_decoded(name));
        }
    }
    linked
}

/// The name that GitHub makes of a heading, as most others do.
fn name(shown: &str) -> String {
    let mut name = String::new();
    for character in shown.trim().to_lowercase().chars() {
        match character {
            ' ' => name.push('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => name.push(c),
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_as_git_hub_makes_them() {
        assert_eq!(name("Getting started"), "getting-started");
        assert_eq!(name("What's new in v2.0 – API?"), "whats-new-in-v20--api");
        assert_eq!(name("Über_uns"), "über_uns");
        assert_eq!(percent_decoded("%C3%BCber_uns"), "über_uns");
    }
}
