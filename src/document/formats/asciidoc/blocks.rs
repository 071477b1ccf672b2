//! Finds the paragraphs of an AsciiDoc file by their lines.

use std::ops::Range;

use super::AsciiDocParagraph;
use super::inline::AsciiDocInline;
use super::tables::{Cell, Content, cells, is_separated, paragraphs};
use crate::builder::{Builder, Context, Failure};
use crate::document::ParagraphKind;

/// The lines above a block.
#[derive(Debug, Default)]
struct Next<'s> {
    /// Whether it is no text.
    is_literal: bool,
    /// Whether its lines stay lines.
    keeps_lines: bool,
    attributes: &'s str,
}

pub(super) struct AsciiDocReader<'s, 'b> {
    source: &'s str,
    builder: &'b mut Builder,
    pub paragraphs: Vec<AsciiDocParagraph>,
    lines: Vec<Range<usize>>,
    /// Attributes of the next block.
    next: Next<'s>,
    /// Whether the lines of all blocks stay lines.
    keeps_all_lines: bool,
    /// Whether what is read is in a cell.
    is_cell: bool,
    /// Whether the head of the document may still continue.
    is_head: bool,
}

impl<'s, 'b> AsciiDocReader<'s, 'b> {
    pub(super) fn new(source: &'s str, builder: &'b mut Builder) -> Self {
        Self {
            source,
            builder,
            paragraphs: Vec::new(),
            lines: Vec::new(),
            next: Next::default(),
            keeps_all_lines: false,
            is_cell: false,
            is_head: false,
        }
    }

    pub(super) fn document(&mut self, start: usize) -> Result<(), Failure> {
        self.part(start..self.source.len())
    }

    /// Reads the blocks in a part of the file.
    fn part(&mut self, part: Range<usize>) -> Result<(), Failure> {
        let mut place = part.start;
        for line in self.source[part].split_inclusive('\n') {
            self.lines.push(place..place + line.trim_end().len());
            place += line.len();
        }
        let mut at = 0;
        while at < self.lines.len() {
            at = self.block(at)?;
        }
        Ok(())
    }

    fn line(&self, at: usize) -> &'s str {
        self.lines
            .get(at)
            .map_or("", |line| &self.source[line.clone()])
    }

    /// Reads the block that begins at a line, and says where to continue.
    fn block(&mut self, at: usize) -> Result<usize, Failure> {
        let line = self.line(at);
        if line.is_empty() {
            self.is_head = false;
            return Ok(at + 1);
        }
        if let Some(end) = self.delimited(at)? {
            return Ok(end);
        }
        if let Some(name) = attribute(line) {
            if name.trim_end_matches("-option").trim_matches('!') == "hardbreaks" {
                self.keeps_all_lines = !name.contains('!');
            }
            return Ok(at + 1);
        }
        if line.starts_with("//")
            || is_block_macro(line)
            || matches!(line, "+" | "<<<" | "'''" | "---" | "***")
        {
            return Ok(at + 1);
        }
        if line.starts_with('[') && line.ends_with(']') {
            let style = line[1..]
                .split([',', ']', '.', '#', '%'])
                .next()
                .unwrap_or_default();
            self.next.is_literal = matches!(
                style,
                "source" | "listing" | "literal" | "stem" | "latexmath" | "asciimath" | "pass"
            ) || line.starts_with("[,") && !line.contains('=');
            self.next.keeps_lines = style == "verse" || line.contains("hardbreaks");
            self.next.attributes = line;
            return Ok(at + 1);
        }
        if let Some((level, offset)) = heading(line) {
            let range = self.lines[at].clone();
            self.unit(
                range.start + offset..range.end,
                ParagraphKind::Heading,
                Some(level),
            );
            self.is_head = level == 1 && at < 20;
            return Ok(at + 1);
        }
        if self.is_head {
            // Authors and revision.
            return Ok(at + 1);
        }
        if let Some(title) = line
            .strip_prefix('.')
            .filter(|title| title.starts_with(|c: char| !c.is_whitespace() && c != '.'))
        {
            let end = self.lines[at].end;
            self.unit(end - title.len()..end, ParagraphKind::Text, None);
            return Ok(at + 1);
        }
        if std::mem::take(&mut self.next.is_literal)
            || line.starts_with([' ', '\t']) && item(line.trim_start()) == 0
        {
            return Ok(self.paragraph_end(at));
        }
        Ok(self.text(at))
    }

    fn paragraph_end(&self, at: usize) -> usize {
        (at..self.lines.len())
            .find(|&index| self.line(index).is_empty())
            .unwrap_or(self.lines.len())
    }

    /// A block between two lines of the same marks; none if no such begins here.
    fn delimited(&mut self, at: usize) -> Result<Option<usize>, Failure> {
        let line = self.line(at);
        let is_fence = line.starts_with("```");
        let first = line.chars().next().unwrap_or_default();
        let is_row =
            line.len() >= 4 && line.chars().all(|c| c == first) && "-.+/=*_".contains(first);
        let is_table = line.len() >= 4
            && line.starts_with(['|', ',', ':', '!'])
            && line[1..].bytes().all(|byte| byte == b'=');
        if !(is_row || is_fence || is_table || line == "--") {
            return Ok(None);
        }
        let close = if is_fence { "```" } else { line };
        let end = (at + 1..self.lines.len()).find(|&index| self.line(index) == close);
        let Next {
            is_literal,
            keeps_lines,
            attributes,
        } = std::mem::take(&mut self.next);
        let holds_text = line == "--" || is_row && "=*_".contains(first);
        if let Some(end) = end.filter(|_| first == '_' && keeps_lines) {
            self.separate(at + 1..end, 0);
            return Ok(Some(end + 1));
        }
        if holds_text && !is_literal {
            // What is in it is read as if it stood outside.
            return Ok(Some(at + 1));
        }
        let Some(end) = end else {
            let before = &self.source[..self.lines[at].start];
            return Err(Failure::Damaged {
                part: format!("line {}", before.split('\n').count()),
                reason: format!("the block {close} does not end"),
            });
        };
        if is_table && line.starts_with('|') && !is_separated(attributes) {
            self.table(at + 1..end, attributes)?;
        }
        Ok(Some(end + 1))
    }

    /// A list item or a paragraph.
    fn text(&mut self, at: usize) -> usize {
        let keeps_lines = std::mem::take(&mut self.next).keeps_lines || self.keeps_all_lines;
        let range = self.lines[at].clone();
        let line = self.line(at);
        let mut end = at + 1;
        while end < self.lines.len() && !self.ends_paragraph(end) {
            end += 1;
        }
        let indent = line.len() - line.trim_start().len();
        let mark = item(line.trim_start());
        let last = self.lines[end - 1].end;
        if keeps_lines && (mark > 0 || description(line).is_none()) {
            self.separate(at..end, (indent + mark).max(label(line)));
            return end;
        }
        if mark > 0 {
            let words = range.start + indent + mark..last;
            self.unit(words, ParagraphKind::ListItem, None);
            return end;
        }
        if let Some((term, text)) = description(line) {
            let words = range.start + indent..range.start + term;
            self.unit(words, ParagraphKind::ListItem, None);
            if text < line.len() || end > at + 1 {
                let start = if text < line.len() {
                    range.start + text
                } else {
                    self.lines[at + 1].start
                };
                self.unit(start..last, ParagraphKind::ListItem, None);
            }
            return end;
        }
        let label = label(line);
        self.unit(range.start + label..last, ParagraphKind::Text, None);
        end
    }

    /// Lines that stay lines; the first one begins with a mark of `mark` bytes.
    fn separate(&mut self, lines: Range<usize>, mark: usize) {
        for index in lines.clone() {
            let line = self.lines[index].clone();
            let text = &self.source[line.clone()];
            let mark = if index == lines.start { mark } else { 0 };
            let space = text[mark..].len() - text[mark..].trim_start().len();
            // What breaks the line anyway.
            let end = line.end - if text.ends_with(" +") { 2 } else { 0 };
            self.unit(
                (line.start + mark + space).min(end)..end,
                ParagraphKind::Text,
                None,
            );
        }
    }

    fn ends_paragraph(&self, at: usize) -> bool {
        let line = self.line(at);
        let inner = line.trim_start();
        let first = line.chars().next().unwrap_or_default();
        line.is_empty()
            || line == "+"
            || line == "--"
            || item(inner) > 0
            || description(line).is_some()
            || line.starts_with("//")
            || line.starts_with('[') && line.ends_with(']')
            || line.starts_with("```")
            || is_block_macro(line)
            || line.len() >= 4
                && "-.+/=*_|".contains(first)
                && line[1..]
                    .chars()
                    .all(|c| c == first || first == '|' && c == '=')
    }

    /// The cells of a table.
    fn table(&mut self, lines: Range<usize>, attributes: &str) -> Result<(), Failure> {
        for Cell { range, content } in cells(self.source, &self.lines[lines], attributes) {
            match content {
                Content::Code => {}
                Content::Blocks => self.nested(range)?,
                Content::Paragraphs => {
                    for paragraph in paragraphs(self.source, range) {
                        self.unit(paragraph, ParagraphKind::TableCell, None);
                    }
                }
            }
        }
        Ok(())
    }

    /// Blocks in a cell.
    fn nested(&mut self, range: Range<usize>) -> Result<(), Failure> {
        let text = &self.source[range.clone()];
        let start = range.end - text.trim_start().len();
        let lines = std::mem::take(&mut self.lines);
        let is_cell = std::mem::replace(&mut self.is_cell, true);
        let read = self.part(start..range.end);
        (self.lines, self.is_cell) = (lines, is_cell);
        read
    }

    fn unit(&mut self, range: Range<usize>, kind: ParagraphKind, level: Option<u8>) {
        let is_cell = self.is_cell || kind == ParagraphKind::TableCell;
        let mut inline = AsciiDocInline::new(self.source, is_cell);
        inline.add(range);
        let context = Context::new(kind, level);
        let notes = inline.notes;
        let place = inline.run.unit(self.builder, context);
        self.paragraphs.extend(place.map(|place| AsciiDocParagraph {
            place,
            is_cell,
            is_heading: level.is_some_and(|level| level > 1),
        }));
        for note in notes {
            let kind = if is_cell {
                ParagraphKind::TableCell
            } else {
                ParagraphKind::Text
            };
            self.unit(note, kind, None);
        }
    }
}

/// The level of a heading, from 1, and where its text begins.
fn heading(line: &str) -> Option<(u8, usize)> {
    let mark = if line.starts_with('#') { '#' } else { '=' };
    let marks = line.len() - line.trim_start_matches(mark).len();
    let text = line[marks..].trim_start();
    let is_heading = (1..=6).contains(&marks) && line[marks..].starts_with(' ') && !text.is_empty();
    is_heading.then(|| (u8::try_from(marks).unwrap_or(6), line.len() - text.len()))
}

/// The name of `:name: value`.
fn attribute(line: &str) -> Option<&str> {
    let inner = line.strip_prefix(':')?;
    let end = inner.find(':').filter(|&end| end > 0)?;
    let is_name = |c: char| c.is_alphanumeric() || "-_!".contains(c);
    let (name, value) = (&inner[..end], &inner[end + 1..]);
    let is_value = value.is_empty() || value.starts_with(' ');
    (name.chars().all(is_name) && is_value).then_some(name)
}

/// `name::target[…]` on a line of its own.
fn is_block_macro(line: &str) -> bool {
    let Some((name, rest)) = line.split_once("::") else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let target = rest
        .strip_suffix(']')
        .and_then(|rest| rest.split_once('['))
        .map(|(target, _)| target);
    name.starts_with(|c: char| is_name(c) && c != '-')
        && name.chars().all(is_name)
        && target.is_some_and(|target| target.trim() == target)
}

/// How long the mark of a list item is with the space after it; 0 without one.
fn item(line: &str) -> usize {
    let first = line.chars().next().unwrap_or_default();
    let marks = match first {
        '*' | '.' => line.len() - line.trim_start_matches(first).len(),
        '-' => 1,
        '•' => first.len_utf8(),
        '<' => {
            let digits = line[1..]
                .bytes()
                .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
                .count();
            if digits > 0 && line[1 + digits..].starts_with('>') {
                digits + 2
            } else {
                0
            }
        }
        c if c.is_ascii_alphanumeric() => {
            let end = line
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(line.len());
            let number = &line[..end];
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) || number.len() == 1;
            if is_number && line[end..].starts_with('.') {
                end + 1
            } else {
                0
            }
        }
        _ => 0,
    };
    if marks == 0
        || marks > 6 && matches!(first, '*' | '.')
        || !line[marks..].starts_with([' ', '\t'])
    {
        return 0;
    }
    let mut text = line[marks..].trim_start();
    for check in ["[ ] ", "[x] ", "[*] "] {
        text = text.strip_prefix(check).unwrap_or(text);
    }
    line.len() - text.len()
}

/// The end of a term, and where what describes it begins.
fn description(line: &str) -> Option<(usize, usize)> {
    let mut found = line
        .match_indices("::")
        .chain(line.match_indices(";;"))
        .map(|(place, _)| place);
    found.find_map(|place| {
        let marks = line[place..]
            .bytes()
            .take_while(|byte| b":;".contains(byte))
            .count();
        let rest = &line[place + marks..];
        let text = rest.trim_start();
        let ends = rest.is_empty() || text.len() < rest.len();
        let is_term = place > 0 && marks <= 4 && !line[..place].ends_with([' ', ':']);
        (ends && is_term).then(|| (place, line.len() - text.len()))
    })
}

/// How long a label such as `NOTE: ` is.
fn label(line: &str) -> usize {
    const LABELS: [&str; 5] = ["NOTE: ", "TIP: ", "IMPORTANT: ", "WARNING: ", "CAUTION: "];
    LABELS
        .iter()
        .find(|label| line.starts_with(**label))
        .map_or(0, |label| label.len())
}
