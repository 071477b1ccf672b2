//! Markdown: `CommonMark` with tables, strikethrough, footnotes, task and definition lists, heading ids, front matter, and
//! what its dialects add (see [`dialects`]).
//!
//! Code blocks, HTML blocks and front matter are left as they are; tags within a paragraph mean what they mean in a page.
//! Inside a sentence that goes over several lines the
//! line breaks, and the `>` of a quote that follow them, give way to the translation's single line.

mod anchors;
mod dialects;
mod grids;
mod spans;

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::html::elements::{Role, role};
use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::{
    builder::{Builder, Context, Failure, MAX_DEPTH},
    document::{Document, ParagraphKind, Syntax},
    inline::Run,
    reading::begin_text,
    view::Translation,
};
use anchors::{Anchors, Heading};
use dialects::{Dialects, Kind, item};
use grids::Grid;

/// The name of a link such as `[label][]`.
const COLLAPSED: &str = "collapsed link";

/// Markdown files.
pub(super) struct Markdown;

impl DocumentFormat for Markdown {
    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let start = begin_text(&text, encoding, builder)?;
        let read = read(&text, start, builder);
        builder.set_text(text, Syntax::Markdown);
        let (anchors, grids) = read?;
        Ok(Box::new(MarkdownFile {
            encoding,
            anchors,
            grids,
        }))
    }
}

/// A file, which is the document's text but for the names of its headings and the tables that are drawn.
#[derive(Debug)]
struct MarkdownFile {
    encoding: Encoding,
    anchors: Anchors,
    grids: Vec<Grid>,
}

impl WriteBack for MarkdownFile {
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let translations = translation.changed();
        let mut edits = self.anchors.written(document, &translations);
        let grids = self.grids.iter();
        edits.extend(grids.flat_map(|grid| grid.written(document, &translations)));
        edits.sort_by_key(|(range, _)| range.start);
        let (mut written, mut place) = (String::new(), 0);
        for (range, text) in edits {
            written += &document.translated_part(place..range.start, &translations);
            written += &text;
            place = range.end;
        }
        written += &document.translated_part(place..document.original.len(), &translations);
        self.encoding.encode(&written)
    }
}

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS)
    .union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS)
    .union(Options::ENABLE_GFM);

/// Reads `source` from byte `start` on.
fn read(
    source: &str,
    start: usize,
    builder: &mut Builder,
) -> Result<(Anchors, Vec<Grid>), Failure> {
    let dialects = Dialects::new(source, start);
    let mut reader = MarkdownReader {
        source,
        dialects: &dialects,
        next_code: 0,
        next_title: 0,
        builder,
        blocks: Vec::new(),
        pairs: Vec::new(),
        run: Run::default(),
        hidden: None,
        read_to: start,
        heading: None,
        anchors: Anchors::default(),
    };
    for (event, range) in Parser::new_ext(&dialects.masked[start..], OPTIONS).into_offset_iter() {
        let range = range.start + start..range.end + start;
        reader.titles(range.start)?;
        reader.event(event, range)?;
    }
    reader.boundary();
    reader.titles(source.len())?;
    reader.anchors.retain_linked(source);
    let anchors = reader.anchors;
    Ok((anchors, dialects.grids))
}

struct MarkdownReader<'s, 'b> {
    source: &'s str,
    dialects: &'s Dialects,
    next_code: usize,
    next_title: usize,
    builder: &'b mut Builder,
    blocks: Vec<Block>,
    /// Names of the inline elements that are open.
    pairs: Vec<&'static str>,
    run: Run,
    /// An element whose content is not read, and how many are open inside it.
    hidden: Option<(Range<usize>, usize)>,
    /// The end of the inline content that was read last.
    read_to: usize,
    /// The shown text of the heading that is read, and its bytes.
    heading: Option<(String, Range<usize>)>,
    anchors: Anchors,
}

enum Block {
    Heading { level: u8, id: Option<String> },
    ListItem,
    TableCell,
    Other,
}

impl MarkdownReader<'_, '_> {
    /// Reads the titles of containers and the cells of drawn tables before byte `end`.
    fn titles(&mut self, end: usize) -> Result<(), Failure> {
        if self.hidden.is_some() || self.run.holds_letter() {
            return Ok(());
        }
        while let Some(title) = self.dialects.titles.get(self.next_title) {
            if title.start >= end {
                break;
            }
            self.next_title += 1;
            let is_cell = self
                .dialects
                .grids
                .iter()
                .any(|grid| grid.holds(title.start));
            self.blocks.push(if is_cell {
                Block::TableCell
            } else {
                Block::Other
            });
            let run = std::mem::take(&mut self.run);
            let events = Parser::new_ext(&self.source[title.clone()], OPTIONS).into_offset_iter();
            for (event, range) in events {
                self.event(event, range.start + title.start..range.end + title.start)?;
            }
            self.boundary();
            self.blocks.pop();
            self.run = run;
        }
        Ok(())
    }

    fn event(&mut self, event: Event, range: Range<usize>) -> Result<(), Failure> {
        self.note_heading(&event, &range);
        if let Some((_, depth)) = &mut self.hidden {
            match event {
                Event::Start(_) => *depth += 1,
                Event::End(_) if *depth > 0 => *depth -= 1,
                Event::End(end) => self.end_hidden(end),
                _ => {}
            }
            return Ok(());
        }
        let end = range.end;
        match event {
            Event::Start(tag) => return self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range),
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => self.run.opaque(range),
            Event::InlineHtml(tag) => self.inline_html(&tag, range),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => self.run.tag(range),
            Event::SoftBreak if self.is_in_code(range.start) => {}
            Event::SoftBreak => self.run.text(&self.source[range.clone()], range.start),
            Event::HardBreak => self.run.line_break(range),
            Event::Html(_) | Event::Rule => self.boundary(),
        }
        self.read_to = end;
        Ok(())
    }

    fn start(&mut self, tag: Tag, range: Range<usize>) -> Result<(), Failure> {
        let offset = range.start;
        let open = |length: usize| offset..offset + length;
        self.read_to = offset;
        match tag {
            Tag::Emphasis => self.open("emphasis", open(1)),
            Tag::Strong => self.open("strong", open(2)),
            Tag::Strikethrough => self.open("strikethrough", open(tildes(&self.source[offset..]))),
            Tag::Link {
                link_type: LinkType::Autolink | LinkType::Email,
                ..
            }
            | Tag::Image { .. } => {
                self.hidden = Some((range, 0));
            }
            Tag::Link {
                link_type: LinkType::Collapsed | LinkType::CollapsedUnknown,
                ..
            } => {
                self.open(COLLAPSED, open(1));
            }
            Tag::Link { .. } => self.open("link", open(1)),
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => {
                self.boundary();
                self.hidden = Some((range, 0));
            }
            block => {
                self.boundary();
                self.blocks.push(Block::from_tag(block));
            }
        }
        if self.blocks.len() + self.pairs.len() > MAX_DEPTH {
            Err(Failure::too_deep(self.source, offset))
        } else {
            Ok(())
        }
    }

    fn open(&mut self, name: &'static str, range: Range<usize>) {
        self.read_to = range.end;
        self.pairs.push(name);
        self.run.open(name, range);
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        let end = range.end;
        let close = match tag {
            TagEnd::Emphasis => range.end - 1..range.end,
            TagEnd::Strong => range.end - 2..range.end,
            TagEnd::Strikethrough => range.end - tildes(&self.source[range.clone()])..range.end,
            // pulldown-cmark leaves out the brackets of `[label][]`.
            TagEnd::Link
                if self.pairs.last() == Some(&COLLAPSED)
                    && self.source[end..].starts_with("[]") =>
            {
                self.read_to..end + 2
            }
            TagEnd::Link => self.read_to..end,
            _ => {
                let count = self.builder.paragraph_count();
                self.boundary();
                self.blocks.pop();
                if matches!(tag, TagEnd::Heading(_)) {
                    self.end_heading(count);
                }
                return;
            }
        };
        if let Some(name) = self.pairs.pop() {
            self.run.close(name, close);
        }
    }

    /// A tag of HTML in a paragraph, as a page has it.
    fn inline_html(&mut self, tag: &str, range: Range<usize>) {
        let closes = tag.starts_with("</");
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let name = name.map(str::to_ascii_lowercase).next().unwrap_or_default();
        // Not a name that Markdown gives.
        let element = format!("<{name}");
        match role(&name) {
            _ if name.is_empty() || tag.ends_with("/>") && name != "br" => self.run.tag(range),
            Role::LineBreak => self.run.line_break(range),
            Role::Inline | Role::Code if !closes => self.run.open(&element, range),
            Role::Inline => self.run.close(&element, range),
            Role::Code => self.run.close_opaque(&element, range),
            _ => self.run.tag(range),
        }
    }

    fn end_hidden(&mut self, tag: TagEnd) {
        let Some((range, _)) = self.hidden.take() else {
            return;
        };
        self.read_to = range.end;
        if matches!(tag, TagEnd::Link | TagEnd::Image) {
            self.run.opaque(range);
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let start = range.start;
        if text != &self.source[range.clone()] && text != &self.dialects.masked[range.clone()] {
            return self.run.decoded(text, range);
        }
        let escape = start
            .checked_sub(1)
            .filter(|before| *before >= self.read_to);
        let first = text.chars().next().filter(char::is_ascii_punctuation);
        match (escape, first) {
            (Some(backslash), Some(_)) if self.source.as_bytes()[backslash] == b'\\' => {
                self.run.decoded(&text[..1], backslash..start + 1);
                self.plain(start + 1..range.end);
            }
            _ => self.plain(range),
        }
    }

    /// Text that stands for itself, but for the codes in it.
    fn plain(&mut self, range: Range<usize>) {
        let (source, mut place) = (self.source, range.start);
        while let Some(code) = self.dialects.codes.get(self.next_code) {
            let Range { start, end } = code.range;
            if end <= place {
                self.next_code += 1;
                continue;
            }
            if start >= range.end || place >= range.end {
                break;
            }
            if place <= start {
                self.run.text(&source[place..start], place);
                match code.kind {
                    Kind::Opaque => {
                        let lines = self.whole_lines(start..end);
                        self.run.opaque(lines);
                    }
                    Kind::Tag => self.run.tag(start..end),
                    Kind::Open(name) => self.run.open(name, start..end),
                    Kind::Close(name) => self.run.close(name, start..end),
                    Kind::Mark => {}
                }
            }
            place = end.min(range.end);
        }
        if place < range.end {
            self.run.text(&source[place..range.end], place);
        }
    }

    /// A formula with the line ends around it, where it is in lines of its own: within a line many programs see none.
    fn whole_lines(&self, code: Range<usize>) -> Range<usize> {
        let source = self.source;
        let is_margin = |c: char| " \t>".contains(c);
        let before = source[..code.start].trim_end_matches(is_margin);
        let after = source[code.end..].trim_start_matches([' ', '\t', '\r']);
        if !source[code.clone()].starts_with("$$") || !after.starts_with('\n') {
            return code;
        }
        let next = after[1..].trim_start_matches(is_margin);
        let seen = self.dialects.masked[source.len() - next.len()..]
            .lines()
            .next();
        let seen = seen.unwrap_or_default().trim();
        let ends = seen.is_empty() || item(seen) > 0 || seen.starts_with(['#', '|', '`', '~', '<']);
        let start = match before.strip_suffix('\n') {
            Some(line) if self.run.holds_letter() => line.trim_end_matches('\r').len(),
            Some(_) => code.start,
            None => return code,
        };
        let end = if ends {
            code.end
        } else {
            source.len() - next.len()
        };
        start..end
    }

    /// Whether a byte is within a code that goes over several lines.
    fn is_in_code(&self, place: usize) -> bool {
        let codes = self.dialects.codes[self.next_code..].iter();
        let mut near = codes.take_while(|code| code.range.start < place);
        near.any(|code| place < code.range.end)
    }

    /// Follows what a heading shows.
    fn note_heading(&mut self, event: &Event, range: &Range<usize>) {
        match event {
            Event::Start(Tag::Heading { id, .. }) => {
                self.anchors.has_names |= id.is_some();
                self.heading = id
                    .is_none()
                    .then(|| (String::new(), range.end..range.start));
            }
            Event::End(TagEnd::Heading(_)) => {}
            _ => {
                let Some((shown, bytes)) = &mut self.heading else {
                    return;
                };
                *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
                if let Event::Text(text) | Event::Code(text) = event {
                    *shown += text;
                }
            }
        }
    }

    /// Ends a heading, which may have become a paragraph since there were `count`.
    fn end_heading(&mut self, count: usize) {
        let Some((shown, bytes)) = self.heading.take() else {
            return;
        };
        if self.builder.paragraph_count() > count {
            let heading = Heading {
                paragraph: count,
                name: String::new(),
                start: bytes.start,
                end: bytes.end,
            };
            self.anchors.add(heading, &shown);
        }
    }

    fn boundary(&mut self) {
        if self.run.holds_letter() {
            let context = self.context();
            self.builder.paragraph(&self.run, context);
        }
        self.run.clear();
        self.pairs.clear();
    }

    fn context(&mut self) -> Context {
        let mut context = Context::default();
        for block in self.blocks.iter_mut().rev() {
            context.kind = match block {
                Block::Heading { level, id } => {
                    (context.level, context.id) = (Some(*level), id.take());
                    ParagraphKind::Heading
                }
                Block::ListItem => ParagraphKind::ListItem,
                Block::TableCell => ParagraphKind::TableCell,
                Block::Other => continue,
            };
            break;
        }
        context
    }
}

impl Block {
    fn from_tag(tag: Tag) -> Self {
        match tag {
            Tag::Heading { level, id, .. } => Self::Heading {
                level: level_number(level),
                id: id.map(|id| id.to_string()),
            },
            Tag::Item => Self::ListItem,
            Tag::TableCell => Self::TableCell,
            _ => Self::Other,
        }
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// `~` or `~~`.
fn tildes(text: &str) -> usize {
    if text.starts_with("~~") { 2 } else { 1 }
}
