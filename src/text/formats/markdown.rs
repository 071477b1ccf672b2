//! Markdown (`CommonMark` with tables, strikethrough, footnotes, task lists, heading ids and front matter).
//!
//! Code blocks, HTML blocks and front matter are left as they are; tags within a paragraph mean what they mean in a page.
//! Inside a sentence that goes over several lines the
//! line breaks, and the `>` of a quote that follow them, give way to the translation's single line.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::html::elements::{Role, role};
use super::plain::TextFile;
use super::{DocumentFormat, Encoding, Kept};
use crate::text::{
    builder::{Builder, Context, Failure, MAX_DEPTH},
    document::{ParagraphKind, Syntax},
    inline::Run,
    reading::{BYTE_ORDER_MARK, check_lines},
};

/// The name of a link such as `[label][]`.
const COLLAPSED: &str = "collapsed link";

/// Markdown files.
pub(super) struct Markdown;

impl DocumentFormat for Markdown {
    fn label(&self) -> &'static str {
        "Markdown"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        builder.set_encoding(encoding);
        check_lines(&text)?;
        let start = text
            .strip_prefix(BYTE_ORDER_MARK)
            .map_or(0, |_| BYTE_ORDER_MARK.len());
        let read = read(&text, start, builder);
        builder.set_text(text, Syntax::Markdown);
        read.map(|()| TextFile::kept(encoding))
    }
}

/// Reads `source` from byte `start` on.
fn read(source: &str, start: usize, builder: &mut Builder) -> Result<(), Failure> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_GFM;
    let mut reader = Reader {
        source,
        builder,
        blocks: Vec::new(),
        pairs: Vec::new(),
        run: Run::default(),
        hidden: None,
        read_to: start,
    };
    for (event, range) in Parser::new_ext(&source[start..], options).into_offset_iter() {
        reader.event(event, range.start + start..range.end + start)?;
    }
    reader.boundary();
    Ok(())
}

struct Reader<'s, 'b> {
    source: &'s str,
    builder: &'b mut Builder,
    blocks: Vec<Block>,
    /// Names of the inline elements that are open.
    pairs: Vec<&'static str>,
    run: Run,
    /// An element whose content is not read, and how many are open inside it.
    hidden: Option<(Range<usize>, usize)>,
    /// The end of the inline content that was read last.
    read_to: usize,
}

enum Block {
    Heading { level: u8, id: Option<String> },
    ListItem,
    TableCell,
    Other,
}

impl Reader<'_, '_> {
    fn event(&mut self, event: Event, range: Range<usize>) -> Result<(), Failure> {
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
                self.blocks.push(Block::of(block));
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
                self.boundary();
                self.blocks.pop();
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
        if text != &self.source[range.clone()] {
            return self.run.decoded(text, range);
        }
        let escape = start
            .checked_sub(1)
            .filter(|before| *before >= self.read_to);
        let first = text.chars().next().filter(char::is_ascii_punctuation);
        match (escape, first) {
            (Some(backslash), Some(_)) if self.source.as_bytes()[backslash] == b'\\' => {
                self.run.decoded(&text[..1], backslash..start + 1);
                self.run.text(&text[1..], start + 1);
            }
            _ => self.run.text(text, start),
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
    fn of(tag: Tag) -> Self {
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
