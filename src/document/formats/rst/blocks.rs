//! Finds the paragraphs of a reStructuredText file by their lines.

use std::ops::Range;

use super::RstParagraph;
use super::inline::RstInline;
use super::spelling::enumerator;
use super::tables::{self, Table};
use crate::builder::{Builder, Context, Failure, MAX_DEPTH};
use crate::document::ParagraphKind;
use crate::words::Words;

/// A line without the space around it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub range: Range<usize>,
    /// The column in which it begins.
    pub indent: usize,
}

impl Line {
    fn is_blank(&self) -> bool {
        self.range.is_empty()
    }
}

pub(super) struct RstReader<'s, 'b> {
    source: &'s str,
    builder: &'b mut Builder,
    pub paragraphs: Vec<RstParagraph>,
    pub tables: Vec<Table>,
    /// Marks of titles, and whether they are above, too, in the order of their levels.
    levels: Vec<(char, bool)>,
    kind: ParagraphKind,
    depth: usize,
}

impl<'s, 'b> RstReader<'s, 'b> {
    pub(super) fn new(source: &'s str, builder: &'b mut Builder) -> Self {
        Self {
            source,
            builder,
            paragraphs: Vec::new(),
            tables: Vec::new(),
            levels: Vec::new(),
            kind: ParagraphKind::Text,
            depth: 0,
        }
    }

    pub(super) fn document(&mut self, start: usize) -> Result<(), Failure> {
        let mut lines = Vec::new();
        let mut place = start;
        for line in self.source[start..].split_inclusive('\n') {
            let content = line.trim_start_matches([' ', '\t', '\u{C}']);
            let indent = line.len() - content.len();
            let begin = place + indent;
            lines.push(Line {
                range: begin..begin + content.trim_end().len(),
                indent: columns(&line[..indent]),
            });
            place += line.len();
        }
        self.blocks(&lines)
    }

    fn text(&self, line: &Line) -> &'s str {
        &self.source[line.range.clone()]
    }

    fn blocks(&mut self, lines: &[Line]) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH / 8 {
            let offset = lines.first().map_or(0, |line| line.range.start);
            return Err(Failure::too_deep(self.source, offset));
        }
        let mut place = 0;
        while place < lines.len() {
            place = if lines[place].is_blank() {
                place + 1
            } else {
                self.block(lines, place)?
            };
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads the block that begins at a line, and says where to continue.
    fn block(&mut self, lines: &[Line], at: usize) -> Result<usize, Failure> {
        let text = self.text(&lines[at]);
        let indent = lines[at].indent;
        let base = lines
            .iter()
            .filter(|line| !line.is_blank())
            .map(|line| line.indent)
            .min()
            .unwrap_or(0);
        if indent > base {
            let end = extent(lines, at, |line| line.indent > base);
            self.blocks(&lines[at..end])?;
            return Ok(end);
        }
        if let Some(end) = self.table(lines, at) {
            return Ok(end);
        }
        if let Some(end) = self.title(lines, at) {
            return Ok(end);
        }
        if is_row(text) && text.len() >= 4 {
            return Ok(at + 1);
        }
        if text == ".." || text.starts_with(".. ") {
            let end = extent(lines, at + 1, |line| line.indent > indent);
            self.explicit(&lines[at..end])?;
            return Ok(end);
        }
        if text.starts_with("__ ") || text.starts_with(">>>") {
            return Ok(paragraph_end(lines, at));
        }
        if let Some(end) = self.item(lines, at)? {
            return Ok(end);
        }
        if text == "|" || text.starts_with("| ") {
            return Ok(self.line_block(lines, at));
        }
        let next_indent = lines
            .get(at + 1)
            .filter(|line| !line.is_blank())
            .map(|line| line.indent);
        if next_indent.is_some_and(|next| next > indent) {
            return self.definition(lines, at);
        }
        Ok(self.paragraph(lines, at))
    }

    fn paragraph(&mut self, lines: &[Line], at: usize) -> usize {
        let end = paragraph_end(lines, at);
        let literal = self.unit(&lines[at..end], self.kind, None, Vec::new());
        if literal {
            literal_end(self.source, lines, end, lines[at].indent)
        } else {
            end
        }
    }

    /// Makes a paragraph of lines; whether it says that what follows is literal.
    fn unit(
        &mut self,
        lines: &[Line],
        kind: ParagraphKind,
        level: Option<u8>,
        marks: Vec<Range<usize>>,
    ) -> bool {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return false;
        };
        let mut range = first.range.start..last.range.end;
        let text = &self.source[range.clone()];
        let is_literal = level.is_none() && text.ends_with("::") && !text.ends_with("\\::");
        if is_literal {
            range.end -= text.len() - text.trim_end_matches("::").trim_end().len();
        }
        let mut inline = RstInline::new(self.source);
        inline.add(range);
        let context = Context::new(kind, level);
        let references = inline.references;
        if let Some(place) = inline.run.unit(self.builder, context) {
            self.paragraphs.push(RstParagraph {
                place,
                references,
                lines: marks,
                is_title: level.is_some(),
            });
        }
        is_literal
    }

    /// One part of a line as a paragraph.
    fn words(&mut self, range: Range<usize>, kind: ParagraphKind) {
        let line = Line { range, indent: 0 };
        // What would be a literal block is not one here.
        self.unit(&[line], kind, None, Vec::new());
    }

    fn title(&mut self, lines: &[Line], at: usize) -> Option<usize> {
        let text = self.text(&lines[at]);
        let line = |index: usize| lines.get(index).filter(|line| !line.is_blank());
        let mark = text.chars().next()?;
        if is_row(text) {
            let (title, below) = (line(at + 1)?, line(at + 2)?);
            if self.text(below) != text || is_row(self.text(title)) {
                return None;
            }
            let level = self.level(mark, true);
            let marks = vec![lines[at].range.clone(), below.range.clone()];
            self.unit(
                std::slice::from_ref(title),
                ParagraphKind::Heading,
                Some(level),
                marks,
            );
            return Some(at + 3);
        }
        let below = line(at + 1)?;
        let row = self.text(below);
        let is_long = row.len() >= 4 || row.len() >= tables::width(text);
        if !is_row(row) || !is_long || below.indent != lines[at].indent || row == "::" {
            return None;
        }
        let level = self.level(row.chars().next()?, false);
        let marks = vec![below.range.clone()];
        self.unit(&lines[at..=at], ParagraphKind::Heading, Some(level), marks);
        Some(at + 2)
    }

    fn level(&mut self, mark: char, is_above: bool) -> u8 {
        let known = self
            .levels
            .iter()
            .position(|level| *level == (mark, is_above));
        let level = known.unwrap_or_else(|| {
            self.levels.push((mark, is_above));
            self.levels.len() - 1
        });
        u8::try_from(level + 1).unwrap_or(6).min(6)
    }

    fn table(&mut self, lines: &[Line], at: usize) -> Option<usize> {
        let (source, first) = (self.source, self.text(&lines[at]));
        let end = if tables::is_grid_border(first) {
            paragraph_end(lines, at)
        } else if tables::is_simple_border(first) {
            let borders = (at + 1..lines.len())
                .filter(|&index| tables::is_simple_border(self.text(&lines[index])));
            let ends = |&index: &usize| lines.get(index + 1).is_none_or(Line::is_blank);
            borders.into_iter().find(ends)? + 1
        } else {
            return None;
        };
        let table = Table::read(source, &lines[at..end], self.builder);
        self.tables.extend(table);
        Some(end)
    }

    /// An item of a list, a field or an option.
    fn item(&mut self, lines: &[Line], at: usize) -> Result<Option<usize>, Failure> {
        let text = self.text(&lines[at]);
        let indent = lines[at].indent;
        let (length, kind) = if let Some(length) = bullet(text) {
            (length, ParagraphKind::ListItem)
        } else if enumerator(text) > 0 && self.is_enumerated(lines, at) {
            (enumerator(text), ParagraphKind::ListItem)
        } else if let Some(length) = field(text) {
            if is_about_document(&text[1..]) && indent == 0 {
                return Ok(Some(extent(lines, at + 1, |line| line.indent > indent)));
            }
            (length, ParagraphKind::Text)
        } else if let Some(length) = option(text) {
            (length, ParagraphKind::Text)
        } else {
            return Ok(None);
        };
        let end = extent(lines, at + 1, |line| line.indent > indent);
        let kind = std::mem::replace(&mut self.kind, kind);
        self.body(&lines[at], length, &lines[at + 1..end])?;
        self.kind = kind;
        Ok(Some(end))
    }

    /// Blocks whose first line begins with a mark of `length` bytes.
    fn body(&mut self, first: &Line, length: usize, rest: &[Line]) -> Result<(), Failure> {
        let start = first.range.start + length;
        let ink = rest.iter().filter(|line| !line.is_blank());
        let least = ink.map(|line| line.indent).min().unwrap_or(usize::MAX);
        let head = Line {
            range: start.min(first.range.end)..first.range.end,
            // The next line of its paragraph begins in the column of the body, wherever the first one does.
            indent: match rest.first() {
                Some(next) if !next.is_blank() => next.indent,
                _ => least.min(first.indent + length),
            },
        };
        let lines: Vec<Line> = std::iter::once(head).chain(rest.iter().cloned()).collect();
        self.blocks(&lines)
    }

    /// Whether what looks like a number begins an item: the next line does not continue at the margin.
    fn is_enumerated(&self, lines: &[Line], at: usize) -> bool {
        let Some(next) = lines.get(at + 1).filter(|line| !line.is_blank()) else {
            return true;
        };
        next.indent > lines[at].indent || enumerator(self.text(next)) > 0
    }

    /// Lines that stay lines.
    fn line_block(&mut self, lines: &[Line], at: usize) -> usize {
        let end = paragraph_end(lines, at);
        for line in &lines[at..end] {
            let text = self.text(line);
            let inner = text.strip_prefix('|').map(str::trim_start);
            let mark = inner.map_or(0, |inner| text.len() - inner.len());
            self.words(line.range.start + mark..line.range.end, ParagraphKind::Text);
        }
        end
    }

    fn definition(&mut self, lines: &[Line], at: usize) -> Result<usize, Failure> {
        let indent = lines[at].indent;
        let term = &lines[at];
        if self.text(term).ends_with("::") {
            return Ok(self.paragraph(lines, at));
        }
        let mut range = term.range.clone();
        if let Some(classifier) = self.text(term).find(" : ") {
            range.end = range.start + classifier;
        }
        self.words(range, ParagraphKind::Text);
        let end = extent(lines, at + 1, |line| line.indent > indent);
        self.blocks(&lines[at + 1..end])?;
        Ok(end)
    }

    /// Reads explicit markup: a directive, a footnote, a target or a comment.
    fn explicit(&mut self, lines: &[Line]) -> Result<(), Failure> {
        let first = &lines[0];
        let text = self.text(first);
        let inner = text[2..].trim_start();
        let offset = text.len() - inner.len();
        if let Some(label) = inner.strip_prefix('[') {
            let end = label.find("] ").map(|end| offset + 1 + end + 2);
            return match end {
                Some(length) => self.body(first, length, &lines[1..]),
                None if inner.ends_with(']') => self.blocks(&lines[1..]),
                None => Ok(()),
            };
        }
        if let Some(name) = inner.strip_prefix('|') {
            let Some(end) = name.find("| replace:: ") else {
                return Ok(());
            };
            let length = offset + 1 + end + "| replace:: ".len();
            return self.body(first, length, &lines[1..]);
        }
        let Some((name, arguments)) = inner.split_once("::") else {
            return Ok(());
        };
        let is_name = |c: char| c.is_alphanumeric() || "-_+:.".contains(c);
        if name.is_empty()
            || !name.trim_end().chars().all(is_name)
            || !(arguments.is_empty() || arguments.starts_with(' '))
        {
            return Ok(());
        }
        let start = first.range.end - arguments.trim_start().len();
        self.directive(name.trim_end(), start..first.range.end, &lines[1..])
    }

    fn directive(
        &mut self,
        name: &str,
        arguments: Range<usize>,
        lines: &[Line],
    ) -> Result<(), Failure> {
        let options = lines
            .iter()
            .take_while(|line| field(self.text(line)).is_some() && self.text(line).starts_with(':'))
            .count();
        let content = &lines[options..];
        let first = Line {
            range: arguments.clone(),
            indent: 0,
        };
        match directive(name) {
            Directive::Text => self.body(&first, 0, content),
            Directive::Titled => {
                if !arguments.is_empty() {
                    self.words(arguments, ParagraphKind::Text);
                }
                self.blocks(content)
            }
            Directive::Versioned => {
                let text = self.text(&first);
                let version = text.find(' ').map_or(text.len(), |end| end + 1);
                self.body(&first, version, content)
            }
            Directive::Content => self.blocks(content),
            Directive::Other => Ok(()),
        }
    }
}

/// A directive by the place of its text.
enum Directive {
    /// After its name and below.
    Text,
    /// As a title, with the lines that it is the title of.
    Titled,
    /// After the number of a version.
    Versioned,
    Content,
    Other,
}

fn directive(name: &str) -> Directive {
    match name.to_ascii_lowercase().as_str() {
        "note" | "warning" | "tip" | "important" | "caution" | "danger" | "hint" | "error"
        | "attention" | "seealso" | "todo" | "rubric" | "centered" | "epigraph" | "highlights"
        | "pull-quote" | "title" => Directive::Text,
        "admonition" | "topic" | "sidebar" | "table" | "list-table" | "tab-item" | "dropdown"
        | "card" | "grid-item-card" | "details" | "collapse" => Directive::Titled,
        "versionadded" | "versionchanged" | "deprecated" | "deprecated-removed"
        | "versionremoved" => Directive::Versioned,
        "figure" | "container" | "compound" | "glossary" | "only" | "ifconfig" | "hlist"
        | "tab-set" | "grid" | "grid-item" | "header" | "footer" | "class" | "function"
        | "method" | "attribute" | "data" | "module" | "exception" | "option" | "confval"
        | "envvar" | "cmdoption" | "describe" | "object" | "property" | "classmethod"
        | "staticmethod" => Directive::Content,
        // Signatures of a program's parts, with a text about each.
        other if other.contains(':') => Directive::Content,
        _ => Directive::Other,
    }
}

/// The line after the last one, from `from` on, that is blank or fulfils `belongs`.
fn extent(lines: &[Line], from: usize, belongs: impl Fn(&Line) -> bool) -> usize {
    let mut end = from;
    for (index, line) in lines.iter().enumerate().skip(from) {
        if line.is_blank() {
            continue;
        }
        if !belongs(line) {
            break;
        }
        end = index + 1;
    }
    end
}

fn paragraph_end(lines: &[Line], at: usize) -> usize {
    let length = lines[at..].iter().position(Line::is_blank);
    length.map_or(lines.len(), |length| at + length)
}

/// The end of the literal block that follows a paragraph.
fn literal_end(source: &str, lines: &[Line], at: usize, indent: usize) -> usize {
    let Some(first) = (at..lines.len()).find(|&index| !lines[index].is_blank()) else {
        return at;
    };
    if lines[first].indent > indent {
        return extent(lines, first, |line| line.indent > indent);
    }
    // Lines at the margin are literal if all of them begin with the same mark.
    let mark = |line: &Line| {
        source[line.range.clone()]
            .chars()
            .next()
            .filter(char::is_ascii_punctuation)
    };
    match mark(&lines[first]) {
        Some(quote) => {
            let length = lines[first..]
                .iter()
                .take_while(|line| mark(line) == Some(quote))
                .count();
            first + length
        }
        None => at,
    }
}

/// Whether a line is one mark again and again.
fn is_row(text: &str) -> bool {
    let first = text.chars().next();
    text.len() >= 2
        && first
            .is_some_and(|first| first.is_ascii_punctuation() && text.chars().all(|c| c == first))
        && text != "::"
        && text != ".."
}

fn columns(space: &str) -> usize {
    space.chars().fold(0, |column, c| {
        if c == '\t' {
            (column / 8 + 1) * 8
        } else {
            column + 1
        }
    })
}

/// How long the mark of a list item is with the space after it.
fn bullet(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(['*', '+', '-', '•', '‣', '⁃'])?;
    let inner = rest.trim_start_matches([' ', '\t']);
    (inner.is_empty() || inner.len() < rest.len()).then_some(text.len() - inner.len())
}

/// How long the `:name:` of a field is with the space after it.
fn field(text: &str) -> Option<usize> {
    let inner = text.strip_prefix(':')?;
    let mut ends = inner.match_indices(':').map(|(place, _)| place);
    let end = ends.find(|&end| {
        end > 0
            && !inner[..end].ends_with('\\')
            && (inner.len() == end + 1 || inner[end + 1..].starts_with([' ', '\t']))
    })?;
    if inner.starts_with(' ') || inner[..end].contains('`') {
        return None;
    }
    let rest = &inner[end + 1..];
    Some(text.len() - rest.trim_start().len())
}

/// Fields that are no text.
fn is_about_document(name: &str) -> bool {
    const NAMES: Words = Words(
        "author authors organization contact version status date copyright orphan tocdepth nosearch nocomments revision
         address",
    );
    let name = name
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    NAMES.contains(&name)
}

/// How long the options are that a line describes, with the space after them.
fn option(text: &str) -> Option<usize> {
    let is_option = text.starts_with("--")
        && text[2..].starts_with(|c: char| c.is_ascii_alphabetic())
        || text.starts_with(['-', '/'])
            && text[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    if !is_option {
        return None;
    }
    let Some(gap) = text.find("  ") else {
        return (!text.contains(' ')).then_some(text.len());
    };
    // Prose begins with no option.
    let is_part = |part: &str| {
        part.starts_with(['-', '/', '<'])
            || part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_=<>".contains(c))
    };
    let parts = text[..gap]
        .split([' ', ',', '='])
        .filter(|part| !part.is_empty());
    let rest = text[gap..].trim_start();
    parts
        .into_iter()
        .all(is_part)
        .then_some(text.len() - rest.len())
}
