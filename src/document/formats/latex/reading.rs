//! Finds the paragraphs of a LaTeX file.

use std::ops::Range;

use super::commands::Environment;
use super::definitions::Definitions;
use super::scanning::math_length;
use crate::builder::{Builder, Context, Failure, MAX_DEPTH};
use crate::document::ParagraphKind;
use crate::formats::marked::{MarkedDraft, MarkedPlace};

pub(super) struct LatexReader<'s, 'b> {
    pub(super) source: &'s str,
    pub(super) builder: &'b mut Builder,
    pub places: Vec<MarkedPlace>,
    pub(super) run: MarkedDraft,
    /// Footnotes of the paragraph: paragraphs of their own that follow it.
    pub(super) notes: Vec<Range<usize>>,
    /// How many paragraphs have ended: a group that began in another one is no pair.
    pub(super) paragraph: usize,
    /// The environments that are open.
    pub(super) environments: Vec<Environment>,
    pub(super) depth: usize,
    /// Whether lines stay lines up to the end of the group.
    pub(super) obeys_lines: bool,
    pub(super) definitions: Definitions,
}

impl<'s, 'b> LatexReader<'s, 'b> {
    pub(super) fn new(source: &'s str, builder: &'b mut Builder) -> Self {
        Self {
            source,
            builder,
            places: Vec::new(),
            run: MarkedDraft::default(),
            notes: Vec::new(),
            paragraph: 0,
            environments: Vec::new(),
            depth: 0,
            obeys_lines: false,
            definitions: Definitions::new(source),
        }
    }

    /// Reads a file, or a part that another file includes.
    pub(super) fn document(&mut self, start: usize) -> Result<(), Failure> {
        let Some((begin, body)) = self.begin_of_document(start) else {
            if self.find("\\documentclass", start).is_some() {
                return Ok(());
            }
            return self.content(start..self.source.len());
        };
        for name in ["\\title", "\\subtitle"] {
            if let Some(title) = self.find(name, start).filter(|&title| title < begin) {
                let after = self.after_options(title + name.len());
                if let Some(argument) = self.argument(after, begin) {
                    self.nested(
                        argument.start + 1..argument.end - 1,
                        ParagraphKind::Title,
                        None,
                    )?;
                }
            }
        }
        self.content(body..self.source.len())
    }

    /// Where the body is said to begin, and where it does.
    fn begin_of_document(&self, start: usize) -> Option<(usize, usize)> {
        let mut from = start;
        while let Some(begin) = self.find("\\begin", from) {
            let after = begin + "\\begin".len();
            let name = self.argument(after, self.source.len());
            if let Some(name) = name
                && self.source[name.start + 1..name.end - 1].trim() == "document"
            {
                return Some((begin, name.end));
            }
            from = after;
        }
        None
    }

    /// Paragraphs in a part of the file.
    pub(super) fn content(&mut self, part: Range<usize>) -> Result<(), Failure> {
        self.inline(part)?;
        self.boundary()
    }

    pub(super) fn inline(&mut self, part: Range<usize>) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH / 4 {
            return Err(Failure::too_deep(self.source, part.start));
        }
        let mut place = part.start;
        let obeys_lines = self.obeys_lines;
        while place < part.end {
            place = self.step(place, part.end)?;
        }
        self.obeys_lines = obeys_lines;
        self.depth -= 1;
        Ok(())
    }

    /// A part that is a paragraph of its own.
    pub(super) fn nested(
        &mut self,
        part: Range<usize>,
        kind: ParagraphKind,
        level: Option<u8>,
    ) -> Result<(), Failure> {
        let run = std::mem::take(&mut self.run);
        let notes = std::mem::take(&mut self.notes);
        let paragraph = self.paragraph;
        let environments = std::mem::take(&mut self.environments);
        self.inline(part)?;
        self.flush(Context::new(kind, level))?;
        (self.run, self.notes) = (run, notes);
        (self.paragraph, self.environments) = (paragraph, environments);
        Ok(())
    }

    pub(super) fn boundary(&mut self) -> Result<(), Failure> {
        let kind = match self.environments.last() {
            Some(Environment::Table) => ParagraphKind::TableCell,
            Some(Environment::List) => ParagraphKind::ListItem,
            _ => ParagraphKind::Text,
        };
        self.flush(Context::new(kind, None))
    }

    /// Makes a paragraph of what has been collected.
    pub(super) fn flush(&mut self, context: Context) -> Result<(), Failure> {
        let run = std::mem::take(&mut self.run);
        self.places.extend(run.unit(self.builder, context));
        self.paragraph += 1;
        for note in std::mem::take(&mut self.notes) {
            self.nested(note, ParagraphKind::Text, None)?;
        }
        Ok(())
    }

    /// Reads what begins at a byte, and says where to continue.
    pub(super) fn step(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let source = self.source;
        let rest = &source[place..end];
        let decoded = |this: &mut Self, shown: &str, length: usize| {
            this.run.decoded(shown, place..place + length);
            Ok(place + length)
        };
        match rest.as_bytes()[0] {
            b'\\' => return self.command(place, end),
            b'%' => return self.comment(place, end),
            b'\n' | b'\r' if self.is_blank_line(place, end) => {
                self.boundary()?;
                return Ok(place + 1);
            }
            b'\n' | b'\r'
                if self.obeys_lines || self.environments.last() == Some(&Environment::Lines) =>
            {
                self.boundary()?;
                return Ok(place + 1);
            }
            b'{' if rest.starts_with("{}") => return decoded(self, "", 2),
            b'{' if matches!(rest.get(..3), Some("{[}" | "{]}" | "{*}")) => {
                return decoded(self, &rest[1..2], 3);
            }
            b'{' => {
                if let Some(group) = self
                    .group(place, b'{', b'}')
                    .filter(|group| group.end <= end)
                {
                    let declarations = self.declarations(group.start + 1, group.end - 1);
                    return self.pair("group", group.start..declarations, group.end - 1..group.end);
                }
                self.run.point("brace", place..place + 1);
            }
            b'}' => {
                self.run.point("brace", place..place + 1);
            }
            b'$' => {
                let length = math_length(rest);
                if length > 0 {
                    self.run
                        .opaque("math", &rest[..length], place..place + length);
                    return Ok(place + length);
                }
                self.run.text(source, place..place + 1);
            }
            b'&' => self.boundary()?,
            b'~' => return decoded(self, "\u{A0}", 1),
            b'`' if rest.starts_with("``") => return decoded(self, "“", 2),
            b'`' => return decoded(self, "‘", 1),
            b'\'' if rest.starts_with("''") => return decoded(self, "”", 2),
            b'-' if rest.starts_with("---") => return decoded(self, "—", 3),
            b'-' if rest.starts_with("--") => return decoded(self, "–", 2),
            _ => {
                let special = |c: char| "\\%\n\r{}$&~`'-".contains(c);
                let first = rest.chars().next().map_or(1, char::len_utf8);
                let length = rest[first..]
                    .find(special)
                    .map_or(rest.len(), |found| found + first);
                self.run.text(source, place..place + length);
                return Ok(place + length);
            }
        }
        Ok(place + 1)
    }

    /// A comment goes up to the first word of the next line.
    pub(super) fn comment(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let rest = &self.source[place..end];
        let line = rest.find('\n').map_or(rest.len(), |found| found + 1);
        let next = rest[line..].trim_start_matches([' ', '\t']);
        let range = place..end - next.len();
        if !self.run.is_empty() {
            self.run.hidden("comment", range.clone());
        }
        if next.starts_with(['\n', '\r']) {
            // The next line is blank.
            self.boundary()?;
        }
        Ok(range.end)
    }

    /// Words between two codes.
    pub(super) fn pair(
        &mut self,
        name: &str,
        open: Range<usize>,
        close: Range<usize>,
    ) -> Result<usize, Failure> {
        let paragraph = self.paragraph;
        let begun = self.run.open(name, open.clone());
        self.inline(open.end..close.start)?;
        if self.paragraph == paragraph {
            self.run.close(begun, name, close.clone());
        } else if !self.run.is_empty() {
            self.run.point(name, close.clone());
        }
        Ok(close.end)
    }
}
