//! Syntax of Markdown dialects that `CommonMark` lacks.
//!
//! Containers and tabs (`:::`, `!!!`, `???`, `///`, `===`), line blocks, drawn tables, title blocks, examples and
//! abbreviations, lines of MDX, tags of templates, tables of contents. The parser reads a copy of the file in which these
//! are blotted out, byte for byte, so that what is between them is read as what it is; [`super::spans`] does the same
//! with what is within a line.

use std::ops::Range;

use super::grids::Grid;
use super::spans;

/// A file as the parser has to see it.
#[derive(Debug)]
pub(super) struct Dialects {
    /// As long as the file.
    pub masked: String,
    /// In order; none is in another one.
    pub codes: Vec<Code>,
    /// Titles of containers and texts of cells, which are paragraphs of their own, in order.
    pub titles: Vec<Range<usize>>,
    pub grids: Vec<Grid>,
}

/// Syntax within a line that the parser does not know.
#[derive(Debug)]
pub(super) struct Code {
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Stands for something that is not translated.
    Opaque,
    /// An attribute of what is before it.
    Tag,
    Open(&'static str),
    Close(&'static str),
    /// A mark at the beginning of a paragraph, outside of it.
    Mark,
}

/// A line without its end.
struct Line<'s> {
    start: usize,
    text: &'s str,
    /// Without the marks of quotations and the space around it.
    inner: &'s str,
}

impl Line<'_> {
    fn inner_start(&self) -> usize {
        self.start + self.text.trim_end().len() - self.inner.len()
    }

    fn inner_range(&self) -> Range<usize> {
        self.inner_start()..self.inner_start() + self.inner.len()
    }
}

struct Scanner<'s> {
    source: &'s str,
    lines: Vec<Line<'s>>,
    masked: Vec<u8>,
    codes: Vec<Code>,
    titles: Vec<Range<usize>>,
    grids: Vec<Grid>,
}

impl Dialects {
    /// Finds what the parser does not know from byte `start` on.
    pub(super) fn new(source: &str, start: usize) -> Self {
        let mut lines = Vec::new();
        let mut place = start;
        for line in source[start..].split_inclusive('\n') {
            let text = line.trim_end_matches(['\n', '\r']);
            let inner = text.trim_start_matches([' ', '\t', '>']).trim_end();
            lines.push(Line {
                start: place,
                text,
                inner,
            });
            place += line.len();
        }
        let mut scanner = Scanner {
            source,
            lines,
            masked: source.as_bytes().to_vec(),
            codes: Vec::new(),
            titles: Vec::new(),
            grids: Vec::new(),
        };
        scanner.document();
        scanner.codes.sort_by_key(|code| code.range.start);
        Self {
            // Whole characters are replaced, by ASCII.
            masked: String::from_utf8(scanner.masked).unwrap_or_else(|_| source.to_owned()),
            codes: scanner.codes,
            titles: scanner.titles,
            grids: scanner.grids,
        }
    }
}

impl Scanner<'_> {
    fn document(&mut self) {
        let mut at = self.front_matter();
        at = self.title_block(at);
        // Where the lines begin that are read as one block.
        let mut text = at;
        while at < self.lines.len() {
            let next = if self.lines[at].inner.is_empty() {
                Some(at + 1)
            } else {
                self.fence(at).or_else(|| self.block(at, text))
            };
            match next {
                Some(next) => {
                    self.spans(text..at);
                    (at, text) = (next, next);
                }
                None => at += 1,
            }
        }
        self.spans(text..at);
    }

    /// The line after the metadata at the beginning of a file.
    fn front_matter(&self) -> usize {
        let first = self.lines.first().map_or("", |line| line.text.trim_end());
        let ends = match first {
            "---" => ["---", "..."],
            "+++" => ["+++"; 2],
            _ => return 0,
        };
        let end = self
            .lines
            .iter()
            .skip(1)
            .position(|line| ends.contains(&line.text.trim_end()));
        end.map_or(0, |end| end + 2)
    }

    /// `% Title`, `% Authors`, `% Date` in the first lines.
    fn title_block(&mut self, at: usize) -> usize {
        let lines = self.lines[at..].iter();
        let count = lines
            .take_while(|line| line.text.starts_with("% "))
            .take(3)
            .count();
        for index in at..at + count {
            if index == at {
                self.mark(index, 2);
            } else {
                self.blot(index..index + 1);
            }
        }
        at + count
    }

    /// The line after the code between fences that begins at a line.
    fn fence(&self, at: usize) -> Option<usize> {
        let inner = self.lines[at].inner;
        let inner = inner[item(inner)..].trim_start();
        let mark = inner.chars().next().filter(|c| "`~".contains(*c))?;
        let count = inner.len() - inner.trim_start_matches(mark).len();
        if count < 3 || mark == '`' && inner[count..].contains('`') {
            return None;
        }
        let closes = |line: &Line| {
            let marks = line.inner.len() - line.inner.trim_start_matches(mark).len();
            marks >= count && marks == line.inner.len()
        };
        let end = self.lines[at + 1..].iter().position(closes);
        Some(end.map_or(self.lines.len(), |end| at + end + 2))
    }

    /// Blots out a block that begins at a line, or its paragraph at the line `first`; the line after it, or none if it is no
    /// such block.
    fn block(&mut self, at: usize, first: usize) -> Option<usize> {
        let inner = self.lines[at].inner;
        let range = self.lines[at].inner_range();
        if is_container(inner) {
            self.blot(at..at + 1);
            self.titles
                .extend(container_title(inner).map(|it| shifted(&it, range.start)));
            return Some(at + 1);
        }
        if inner.starts_with("///") && is_caption(inner) {
            self.blot(at..at + 1);
            if let Some(bar) = inner.find('|') {
                self.titles
                    .extend(lettered(inner, bar + 1).map(|it| shifted(&it, range.start)));
            }
            return Some(at + 1);
        }
        if let Some(title) = admonition(inner) {
            // An item, so that what is indented below it belongs to it.
            self.masked[range.clone()].fill(b' ');
            self.masked[range.start] = b'-';
            self.masked[range.start + 4] = b'.';
            self.code(range.start + 4..range.start + 5, Kind::Mark);
            if !title.is_empty() {
                self.titles.push(shifted(&title, range.start));
            }
            return Some(at + 1);
        }
        if let Some(length) = callout(inner).filter(|_| range.start > self.lines[at].start) {
            self.blot(at..at + 1);
            self.titles
                .extend(lettered(inner, length).map(|it| shifted(&it, range.start)));
            return Some(at + 1);
        }
        if is_contents(inner) || is_jsx(inner) || is_label(inner) {
            self.blot(at..at + 1);
            return Some(at + 1);
        }
        if self.is_template(at) {
            // Code between tags of its own.
            let opens =
                inner.contains("highlight") && !inner.contains('/') && !inner.contains("end");
            let ends = |line: &Line| {
                ["endhighlight", "/highlight"]
                    .iter()
                    .any(|it| line.inner.contains(it))
            };
            let end = self.lines[at..].iter().position(ends).filter(|_| opens);
            let end = at + end.unwrap_or(0) + 1;
            self.blot(at..end);
            return Some(end);
        }
        if let Some(end) = self.drawn_table(at, first) {
            return Some(end);
        }
        if at != first {
            return None;
        }
        if is_loose_definition(inner) {
            self.blot(at..at + 1);
            return Some(at + 1);
        }
        if is_module(inner) {
            return Some(self.blot_while(at, |line| !line.inner.is_empty()));
        }
        if is_grid(inner) {
            let end = self.blot_while(at, |line| line.inner.starts_with(['+', '|']));
            let lines = self.lines[at..end].iter().map(Line::inner_range);
            if let Some(grid) = Grid::read(self.source, lines) {
                self.titles.extend(grid.texts(self.source));
                self.grids.push(grid);
            }
            return Some(end);
        }
        self.marked_lines(at)
    }

    /// The line after a table whose columns are drawn with rows of hyphens.
    fn drawn_table(&mut self, at: usize, first: usize) -> Option<usize> {
        let is_row =
            |line: &Line| line.inner.len() > 4 && line.inner.chars().all(|c| "- ".contains(c));
        let has_columns = |line: &Line| is_row(line) && line.inner.contains(' ');
        if !has_columns(&self.lines[at]) || self.lines[at].inner.starts_with("- ") {
            return None;
        }
        let mut end = self.paragraph_end(at);
        let top = self.lines[first].inner;
        if first < at && is_row(&self.lines[first]) {
            // Rows of several lines are between blank ones, up to a line like the first.
            let rest = self.lines[at + 1..]
                .iter()
                .position(|line| line.inner == top);
            end = rest.map_or(end, |rest| at + rest + 2);
        }
        self.blot(first..end);
        Some(end)
    }

    fn paragraph_end(&self, at: usize) -> usize {
        let lines = self.lines[at..].iter();
        at + lines.take_while(|line| !line.inner.is_empty()).count()
    }

    /// Lines that begin with a mark that makes each of them a paragraph.
    fn marked_lines(&mut self, at: usize) -> Option<usize> {
        let next = self.lines.get(at + 1).map_or("", |line| line.inner);
        let is_table = next.contains("--") && next.chars().all(|c| "|-: ".contains(c));
        let mut end = at;
        while let Some(line) = self.lines.get(end) {
            let length = match line.inner {
                "|" if end > at => 0,
                inner if inner.starts_with("| ") && !inner[1..].contains('|') && !is_table => {
                    inner.len() - inner[1..].trim_start().len()
                }
                inner => example(inner).or_else(|| abbreviation(inner)).unwrap_or(0),
            };
            if length == 0 && line.inner != "|" {
                break;
            }
            match length {
                0 => self.blot(end..end + 1),
                _ => self.mark(end, length),
            }
            end += 1;
        }
        if end == at {
            return None;
        }
        for line in at..end {
            // The content of the lines is read as usual.
            self.spans(line..line + 1);
        }
        Some(end)
    }

    /// Whether a line is nothing but tags of a template, outside of a table.
    fn is_template(&self, at: usize) -> bool {
        let mut rest = self.lines[at].inner;
        while let Some(length) = spans::template(rest) {
            rest = rest[length..].trim_start();
        }
        let is_row = |line: Option<&Line>| line.is_some_and(|line| line.inner.starts_with('|'));
        let before = at.checked_sub(1).and_then(|before| self.lines.get(before));
        rest.is_empty() && !is_row(before) && !is_row(self.lines.get(at + 1))
    }

    fn blot_while(&mut self, at: usize, goes_on: impl Fn(&Line) -> bool) -> usize {
        let length = self.lines[at..]
            .iter()
            .take_while(|line| goes_on(line))
            .count();
        self.blot(at..at + length);
        at + length
    }

    /// Makes blank lines of lines.
    fn blot(&mut self, lines: Range<usize>) {
        for index in lines {
            self.masked[self.lines[index].inner_range()].fill(b' ');
        }
    }

    /// Makes the mark of an item of the first bytes of a line.
    fn mark(&mut self, at: usize, length: usize) {
        let start = self.lines[at].inner_start();
        let range = start..start + length;
        self.masked[range.clone()].fill(b'.');
        self.masked[start] = b'-';
        self.masked[start + 1] = b' ';
        if length > 2 {
            self.code(start + 2..range.end, Kind::Mark);
        }
    }

    fn code(&mut self, range: Range<usize>, kind: Kind) {
        self.codes.push(Code { range, kind });
    }

    /// Blots out what is within the lines of a block.
    fn spans(&mut self, lines: Range<usize>) {
        let (Some(first), Some(last)) = (
            self.lines.get(lines.start),
            self.lines.get(lines.end.saturating_sub(1)),
        ) else {
            return;
        };
        if lines.is_empty() {
            return;
        }
        let range = first.start..last.start + last.text.len();
        let known = self.codes.len();
        spans::find(self.source, range, &mut self.codes);
        for code in &self.codes[known..] {
            let mut is_line_start = false;
            for place in code.range.clone() {
                let byte = self.masked[place];
                // The marks of a quotation stay.
                is_line_start = byte == b'\n' || is_line_start && b" \t>".contains(&byte);
                if !is_line_start && byte != b'\r' {
                    self.masked[place] = b'x';
                }
            }
        }
    }
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The part of a text from `start` on without the space around it, if it holds a letter.
fn lettered(text: &str, start: usize) -> Option<Range<usize>> {
    let part = text.get(start..)?;
    let ink = part.trim_start();
    let begin = text.len() - ink.len();
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == '<' || c == ' ';
    let is_text = ink.contains(char::is_alphabetic) && !ink.chars().all(is_number);
    is_text.then(|| begin..begin + ink.trim_end().len())
}

/// Whether a line begins or ends a container, or is a directive: `:::note`, `::name[text]`.
fn is_container(line: &str) -> bool {
    let name = line.trim_start_matches(':');
    let count = line.len() - name.len();
    count > 2 || count == 2 && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// How long `[!note]-` is.
fn callout(line: &str) -> Option<usize> {
    let inner = line.strip_prefix("[!")?;
    let end = inner.find(']')?;
    let rest = &inner[end + 1..];
    let is_name = |c: char| c.is_alphanumeric() || "-_|".contains(c);
    let length = end + 3 + usize::from(rest.starts_with(['+', '-']));
    inner[..end].chars().all(is_name).then_some(length)
}

/// Whether a line is a target, or includes a file: `(name)=`, `--8<-- "a.md"`.
fn is_label(line: &str) -> bool {
    let name = line.strip_prefix('(').and_then(|it| it.strip_suffix(")="));
    let is_name = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
    name.is_some_and(|name| name.chars().all(is_name)) || line.starts_with("--8<--")
}

/// The title of `:::name[Title]`, `::: name Title` or `:::{name} Title`.
fn container_title(line: &str) -> Option<Range<usize>> {
    let rest = line.trim_start_matches(':').trim_start();
    let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let after = match rest.strip_prefix('{') {
        Some(inner) => inner.split_once('}')?.1,
        None => rest.trim_start_matches(is_name),
    };
    let start = line.len() - after.len();
    if let Some(inner) = after.strip_prefix('[') {
        let end = inner.rfind(']')?;
        return lettered(&line[..start + 1 + end], start + 1);
    }
    let end = after.find(" {").unwrap_or(after.len());
    let title = after[..end].trim_end_matches([':', ' ']);
    if title.trim_start().starts_with('{') {
        return None;
    }
    lettered(&line[..start + title.len()], start)
}

/// Whether a line is `/// name`, `/// name | title` or `///`.
fn is_caption(line: &str) -> bool {
    let rest = line.trim_start_matches('/');
    let name = rest.split('|').next().unwrap_or_default().trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    name.chars().all(is_name) && (rest.is_empty() || rest.starts_with(' '))
}

/// The title of `!!! note "Title"`, `??? note` or `=== "Title"`, if it is such a line; an empty one if it has none.
fn admonition(line: &str) -> Option<Range<usize>> {
    let marks = ["!!!+ ", "!!! ", "???+ ", "??? ", "===+ ", "===! ", "=== "];
    let mark = marks.iter().find(|mark| line.starts_with(**mark))?;
    let is_tab = mark.starts_with('=');
    let rest = line[mark.len()..].trim_start();
    let is_class = |c: char| c.is_ascii_alphanumeric() || "-_ |".contains(c);
    let classes = rest.find('"').unwrap_or(rest.len());
    let quoted = &rest[classes..];
    let is_whole = quoted.is_empty() || quoted.len() > 1 && quoted.ends_with('"');
    if !rest[..classes].chars().all(is_class) || !is_whole || is_tab != (classes == 0) {
        return None;
    }
    if quoted.is_empty() {
        return Some(0..0);
    }
    let end = line.len() - 1;
    Some(lettered(&line[..end], line.len() - quoted.len() + 1).unwrap_or(0..0))
}

/// Whether a line stands for the table of contents.
fn is_contents(line: &str) -> bool {
    let name = line.trim_matches(|c| "[]{}_$:^ ".contains(c));
    name.eq_ignore_ascii_case("toc") && line.starts_with(['[', '{', '$'])
}

/// Whether a line is a tag of a component.
fn is_jsx(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('<').and_then(|it| it.strip_suffix('>')) else {
        return false;
    };
    let name = inner.trim_start_matches('/');
    name.starts_with(|c: char| c.is_ascii_uppercase()) && !inner.contains(['<', '>'])
}

/// Whether a line is the definition of a link with quotes in the quotes of its title.
fn is_loose_definition(line: &str) -> bool {
    let Some((label, rest)) = line.strip_prefix('[').and_then(|it| it.split_once("]: ")) else {
        return false;
    };
    let Some((_, title)) = rest.trim_start().split_once(' ') else {
        return false;
    };
    let title = title.trim();
    let inner = title.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    !label.starts_with('^') && !label.contains(']') && inner.is_some_and(|it| it.contains('"'))
}

/// Whether a line begins the statements of a module.
fn is_module(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("import ") {
        let is_quoted = |text: &str| text.trim_end_matches(';').ends_with(['\'', '"']);
        let is_named = rest.contains(" from \'") || rest.contains(" from \"");
        return (is_named || rest.starts_with(['\'', '"'])) && is_quoted(rest)
            || rest.ends_with('{');
    }
    let Some(rest) = line.strip_prefix("export ") else {
        return false;
    };
    [
        "const ",
        "let ",
        "var ",
        "default ",
        "function ",
        "async ",
        "class ",
        "{",
        "* from ",
    ]
    .iter()
    .any(|word| rest.starts_with(word))
}

/// Whether a line is the border of a table that is drawn.
fn is_grid(line: &str) -> bool {
    line.len() > 2 && line.starts_with('+') && line.ends_with('+') && {
        line.chars().all(|c| "+-=:".contains(c)) && line.contains(['-', '='])
    }
}

/// How long the mark of an item is, with the space after it.
pub(super) fn item(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match line[digits..].chars().next() {
        Some('-' | '*' | '+') if digits == 0 => 1,
        Some('.' | ')') if digits > 0 => digits + 1,
        _ => return 0,
    };
    let rest = line[mark..].trim_start();
    if rest.len() == line.len() - mark {
        0
    } else {
        line.len() - rest.len()
    }
}

/// How long `(@name) ` or `#. ` is.
fn example(line: &str) -> Option<usize> {
    if line.starts_with("#. ") {
        return Some(3);
    }
    let inner = line.strip_prefix("(@")?;
    let end = inner.find(") ")?;
    let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
    inner[..end].chars().all(is_name).then_some(end + 4)
}

/// How long `*[abbreviation]: ` is.
fn abbreviation(line: &str) -> Option<usize> {
    let inner = line.strip_prefix("*[")?;
    let end = inner.find("]:")?;
    let rest = &inner[end + 2..];
    Some(line.len() - rest.trim_start().len())
}
