//! Names of headings, by which the text refers to them.

use std::ops::Range;

use crate::formats::edits::Edits;

/// The references of a file.
pub(super) struct AsciiDocNames<'s> {
    source: &'s str,
    /// Bytes of what each names.
    references: Vec<Range<usize>>,
    prefix: &'s str,
    separator: &'s str,
}

impl<'s> AsciiDocNames<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let value = |name: &str| {
            let mut lines = source.lines();
            lines.find_map(|line| line.strip_prefix(name).map(str::trim))
        };
        let mut names = Self {
            source,
            references: Vec::new(),
            prefix: value(":idprefix:").unwrap_or("_"),
            separator: value(":idseparator:").unwrap_or("_"),
        };
        for (open, ends) in [("<<", ">,"), ("xref:", "["), ("link:#", "[")] {
            for (place, _) in source.match_indices(open) {
                let start = place + open.len();
                let name = &source[start..];
                let line = &name[..name.find('\n').unwrap_or(name.len())];
                if let Some(end) = line.find(|c| ends.contains(c)) {
                    let mark = usize::from(line.starts_with('#'));
                    names.references.push(start + mark..start + end);
                }
            }
        }
        names
    }

    /// Gives a heading the name that it would lose, if it is referred to.
    pub(super) fn keep(&self, heading: &Range<usize>, edits: &mut Edits) {
        let title = &self.source[heading.clone()];
        let line = self.source[..heading.start]
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let before = self.source[..line].trim_end_matches(['\r', '\n']);
        let attributes = before.rsplit('\n').next().unwrap_or_default();
        let has_name = title.contains("[[")
            || attributes.starts_with("[[")
            || attributes.starts_with('[')
                && (attributes.contains('#') || attributes.contains("id="));
        let name = self.name(title);
        let named = |reference: &Range<usize>| &self.source[reference.clone()];
        let refers = self.references.iter().any(|it| named(it) == name);
        let by_title = self.references.iter().filter(|it| named(it) == title);
        let by_title: Vec<&Range<usize>> = by_title.collect();
        if has_name || name.is_empty() || !refers && by_title.is_empty() {
            return;
        }
        edits.replace(line..line, format!("[[{name}]]\n"));
        // The title itself is gone.
        for reference in by_title {
            edits.replace(reference.clone(), name.clone());
        }
    }

    /// The name that Asciidoctor makes of a title.
    fn name(&self, title: &str) -> String {
        let mut name = self.prefix.to_owned();
        let mut is_apart = false;
        for character in title.to_lowercase().chars() {
            match character {
                ' ' | '-' | '.' => is_apart = true,
                c if c.is_alphanumeric() || c == '_' => {
                    if std::mem::take(&mut is_apart) && name.len() > self.prefix.len() {
                        name += self.separator;
                    }
                    name.push(c);
                }
                _ => {}
            }
        }
        name
    }
}
