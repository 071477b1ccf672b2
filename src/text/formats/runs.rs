//! Paragraphs made of runs: stretches of text with one look each, as Office has them.
//!
//! A document, a presentation and a workbook spell them alike. What they call things is a [`Dialect`]; how the pieces of
//! a paragraph become a unit, and the unit's translation runs again, stands here once. The look that most letters of a
//! paragraph have goes without saying; stretches that look otherwise are pairs of codes.

use std::collections::HashMap;
use std::ops::Range;

use super::edits::Edits;
use super::xml::{Id, Kind, Xml, escaped};
use crate::text::builder::{Builder, Context};
use crate::text::view::{Draft, Part};

/// The elements of a paragraph in a kind of file.
pub(super) trait Dialect {
    /// A child of the paragraph, or of what stands around runs in it.
    fn child(&self, xml: &Xml, id: Id) -> Child;

    /// A child of a run.
    fn run_child(&self, xml: &Xml, id: Id) -> RunChild;

    /// Whether a property changes nothing that is seen.
    fn is_invisible(&self, name: &str) -> bool;

    /// Whether `xml:space` must say that space counts.
    fn trims_space(&self) -> bool;

    /// The name of the element that holds text.
    fn text_element(&self) -> &'static str {
        "t"
    }

    /// The first character of `text` that is spelt as an escape, by its bytes.
    fn escape(&self, text: &str) -> Option<Range<usize>> {
        let _ = text;
        None
    }

    /// Whether the end of a line in the file ends a line for the reader.
    fn keeps_lines(&self) -> bool {
        false
    }
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Child {
    Run,
    /// Text without a run around it.
    BareText,
    /// Stands before or after the content and stays there.
    Properties,
    /// Has runs in it; `name` says what it does to them, and the content lies in this child element if there is one named.
    Wrapper {
        name: &'static str,
        content: Option<&'static str>,
    },
    /// Nothing a reader sees, at this place in the text.
    Point(&'static str),
    LineBreak,
    /// Words that are not translated.
    Opaque(&'static str, String),
    /// An element that only a program needs, and only until it opens the file.
    Dropped,
}

/// A part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunChild {
    Text,
    Properties,
    Point(&'static str),
    LineBreak,
    Opaque(&'static str, String),
    /// Nobody who translates needs it.
    Hidden(&'static str),
    FieldBegin,
    FieldMiddle,
    FieldEnd,
    /// The instruction of a field.
    Instruction,
    Dropped,
}

/// A piece of a paragraph, in order.
#[derive(Debug)]
enum Event {
    Text {
        text: String,
        piece: Piece,
    },
    Open {
        name: &'static str,
        piece: Piece,
    },
    Close {
        name: &'static str,
        piece: Piece,
    },
    Point {
        name: &'static str,
        piece: Piece,
    },
    Hidden {
        name: &'static str,
        piece: Piece,
    },
    LineBreak {
        piece: Piece,
    },
    Opaque {
        name: &'static str,
        shown: String,
        piece: Piece,
    },
    Field {
        mark: RunChild,
        instruction: String,
        piece: Piece,
    },
}

/// Bytes of the part, in a run with these properties or beside runs.
#[derive(Debug, Clone)]
struct Piece {
    bytes: Range<usize>,
    in_run: bool,
    /// Of the run.
    properties: Option<Id>,
}

impl Piece {
    fn beside_runs(bytes: Range<usize>) -> Self {
        Self {
            bytes,
            in_run: false,
            properties: None,
        }
    }
}

/// The source of a code in the file.
#[derive(Debug)]
enum Code {
    /// From here on text has these properties.
    Look(Option<Id>),
    LookEnd,
    Pieces(Vec<Piece>),
    /// A character of text.
    Character(char),
    /// The same as an escape.
    Escape(String),
}

/// A paragraph in its file.
#[derive(Debug)]
pub(super) struct Place {
    pub unit: usize,
    /// The bytes that the unit's runs take.
    bytes: Range<usize>,
    /// The properties of most of its text.
    base: Option<Id>,
    codes: Vec<Code>,
    /// The prefix of names, with its colon.
    prefix: String,
    /// Whether text stands without a run around it where nothing about it is special.
    is_bare: bool,
}

/// Fields that go over several paragraphs: how many are open.
#[derive(Debug, Default)]
pub(super) struct OpenFields(usize);

/// A paragraph that was collected but is no unit yet.
pub(super) struct Collected {
    pub draft: Draft,
    place: Place,
}

impl Collected {
    /// Makes a unit of it.
    pub fn unit(self, builder: &mut Builder, context: Context) -> Place {
        let unit = builder.unit(self.draft, context);
        Place { unit, ..self.place }
    }

    /// Makes it another place of a unit that has the same text and codes.
    pub fn mirror(self, unit: usize) -> Place {
        Place { unit, ..self.place }
    }
}

/// Collects a paragraph; none if there is nothing in it to translate.
pub(super) fn collect(
    dialect: &dyn Dialect,
    xml: &Xml,
    paragraph: Id,
    fields: &mut OpenFields,
) -> Option<Collected> {
    let mut reader = Reader {
        dialect,
        xml,
        events: Vec::new(),
        bytes: None,
        is_bare: false,
    };
    reader.children(paragraph);
    let Reader {
        events,
        bytes,
        is_bare,
        ..
    } = reader;
    let events = without_fields(events, fields)?;
    let qualified = xml.qualified(paragraph);
    let prefix = qualified
        .rsplit_once(':')
        .map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
    let looks = looks(dialect, xml, &events);
    let base = base(&looks);
    let mut drafter = Drafter {
        dialect,
        draft: Draft::default(),
        codes: Vec::new(),
        base: base.clone(),
        look: None,
        wrappers: Vec::new(),
    };
    for (event, look) in events.into_iter().zip(looks) {
        drafter.item(event, look);
    }
    drafter.end_look();
    if !drafter.draft.holds_letter() {
        return None;
    }
    Some(Collected {
        draft: drafter.draft,
        place: Place {
            unit: usize::MAX,
            bytes: bytes?,
            base: base.and_then(|look| look.properties),
            codes: drafter.codes,
            prefix,
            is_bare,
        },
    })
}

struct Reader<'x> {
    dialect: &'x dyn Dialect,
    xml: &'x Xml,
    events: Vec<Event>,
    /// From the first to the last piece of content.
    bytes: Option<Range<usize>>,
    is_bare: bool,
}

impl Reader<'_> {
    fn children(&mut self, parent: Id) {
        for child in self.xml.children(parent) {
            self.child(child);
        }
    }

    fn covers(&mut self, range: &Range<usize>) {
        let bytes = self.bytes.get_or_insert_with(|| range.clone());
        *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
    }

    fn child(&mut self, id: Id) {
        let range = self.xml.range(id);
        let beside = Piece::beside_runs;
        match self.xml.kind(id) {
            Kind::Element => {}
            Kind::Text if self.xml.slice(range.clone()).trim().is_empty() => return,
            _ => {
                self.covers(&range);
                let name = "other";
                let piece = beside(range);
                return self.events.push(Event::Hidden { name, piece });
            }
        }
        let child = self.dialect.child(self.xml, id);
        if child == Child::Properties {
            return;
        }
        self.covers(&range);
        match child {
            Child::Properties | Child::Dropped => {}
            Child::Run => self.run(id),
            Child::BareText => {
                self.is_bare = true;
                let text = self.text(id);
                let piece = beside(range);
                self.events.push(Event::Text { text, piece });
            }
            Child::Wrapper { name, content } => self.wrapper(id, name, content),
            Child::Point(name) => self.events.push(Event::Point {
                name,
                piece: beside(range),
            }),
            Child::LineBreak => self.events.push(Event::LineBreak {
                piece: beside(range),
            }),
            Child::Opaque(name, shown) => self.events.push(Event::Opaque {
                name,
                shown,
                piece: beside(range),
            }),
        }
    }

    /// An element around runs: what stands in it before them belongs to its beginning.
    fn wrapper(&mut self, id: Id, name: &'static str, content: Option<&str>) {
        let (outer, xml) = (self.xml.range(id), self.xml);
        let holder = content.map_or(Some(id), |content| xml.child(id, content));
        let Some(holder) = holder.filter(|&holder| !xml.is_empty_tag(holder)) else {
            let piece = Piece::beside_runs(outer);
            return self.events.push(Event::Point { name, piece });
        };
        let is_lead = |&child: &Id| {
            !xml.is_element(child) || self.dialect.child(xml, child) == Child::Properties
        };
        let lead = xml.children(holder).take_while(is_lead).last();
        let inner = xml.inner(holder);
        let begin = lead.map_or(inner.start, |lead| xml.range(lead).end);
        let piece = Piece::beside_runs(outer.start..begin);
        self.events.push(Event::Open { name, piece });
        for child in xml
            .children(holder)
            .filter(|&child| xml.range(child).start >= begin)
        {
            self.child(child);
        }
        let piece = Piece::beside_runs(inner.end..outer.end);
        self.events.push(Event::Close { name, piece });
    }

    fn run(&mut self, run: Id) {
        let xml = self.xml;
        let mut properties = None;
        for child in xml.elements(run) {
            let piece = Piece {
                bytes: xml.range(child),
                in_run: true,
                properties,
            };
            let event = match self.dialect.run_child(xml, child) {
                RunChild::Properties => {
                    properties = Some(child);
                    continue;
                }
                RunChild::Dropped => continue,
                RunChild::Text => Event::Text {
                    text: self.text(child),
                    piece,
                },
                RunChild::Point(name) => Event::Point { name, piece },
                RunChild::Hidden(name) => Event::Hidden { name, piece },
                RunChild::LineBreak => Event::LineBreak { piece },
                RunChild::Opaque(name, shown) => Event::Opaque { name, shown, piece },
                mark @ (RunChild::FieldBegin
                | RunChild::FieldMiddle
                | RunChild::FieldEnd
                | RunChild::Instruction) => Event::Field {
                    instruction: match mark {
                        RunChild::Instruction => xml.whole_text(child),
                        _ => String::new(),
                    },
                    mark,
                    piece,
                },
            };
            self.events.push(event);
        }
    }

    fn text(&self, id: Id) -> String {
        let text = self.xml.whole_text(id);
        let keeps = self.xml.attribute(id, "space").as_deref() == Some("preserve");
        if keeps || !self.dialect.trims_space() {
            text
        } else {
            text.trim_matches([' ', '\t', '\n', '\r']).to_owned()
        }
    }
}

impl Event {
    fn piece(&self) -> &Piece {
        match self {
            Self::Text { piece, .. }
            | Self::Open { piece, .. }
            | Self::Close { piece, .. }
            | Self::Point { piece, .. }
            | Self::Hidden { piece, .. }
            | Self::LineBreak { piece }
            | Self::Opaque { piece, .. }
            | Self::Field { piece, .. } => piece,
        }
    }
}

/// An event that may stand for many: a field as one, or the beginning and the end of a link.
#[derive(Debug)]
enum Item {
    One(Event),
    Opaque(&'static str, String, Vec<Piece>),
    Open(&'static str, Vec<Piece>),
    Close(&'static str, Vec<Piece>),
}

/// Puts fields together; none if one of them begins within an element and ends outside.
fn without_fields(events: Vec<Event>, fields: &mut OpenFields) -> Option<Vec<Item>> {
    let mut items = Vec::with_capacity(events.len());
    let mut events = events.into_iter().peekable();
    if fields.0 > 0 {
        // The end of a field that has begun in another paragraph.
        let mut pieces = Vec::new();
        let mut depth = 0;
        while fields.0 > 0 {
            let event = events.next()?;
            depth += nesting(&event);
            fields.count(&event);
            pieces.push(event.piece().clone());
        }
        if depth != 0 {
            return None;
        }
        items.push(Item::Opaque("field", String::new(), pieces));
    }
    while let Some(event) = events.next() {
        if !matches!(
            &event,
            Event::Field {
                mark: RunChild::FieldBegin,
                ..
            }
        ) {
            items.push(Item::One(event));
            continue;
        }
        let mut field = vec![event];
        fields.count(&field[0]);
        while fields.0 > 0 {
            let Some(event) = events.next() else { break };
            fields.count(&event);
            field.push(event);
        }
        if field.iter().map(nesting).sum::<isize>() != 0 {
            return None;
        }
        items.extend(field_items(field, fields.0 > 0));
    }
    Some(items)
}

impl OpenFields {
    fn count(&mut self, event: &Event) {
        if let Event::Field { mark, .. } = event {
            match mark {
                RunChild::FieldBegin => self.0 += 1,
                RunChild::FieldEnd => self.0 = self.0.saturating_sub(1),
                _ => {}
            }
        }
    }
}

fn nesting(event: &Event) -> isize {
    match event {
        Event::Open { .. } => 1,
        Event::Close { .. } => -1,
        _ => 0,
    }
}

/// A link with its text, any other field as it is.
fn field_items(field: Vec<Event>, is_unfinished: bool) -> Vec<Item> {
    let (mut depth, mut middle, mut instruction) = (0, None, String::new());
    for (place, event) in field.iter().enumerate() {
        let Event::Field {
            mark,
            instruction: told,
            ..
        } = event
        else {
            continue;
        };
        match mark {
            RunChild::FieldBegin => depth += 1,
            RunChild::FieldEnd => depth -= 1,
            RunChild::FieldMiddle if depth == 1 => middle = middle.or(Some(place)),
            RunChild::Instruction if depth == 1 => instruction += told,
            _ => {}
        }
    }
    let is_link = instruction.trim_start().starts_with("HYPERLINK");
    let num_marks = field.iter().filter(|event| {
        matches!(
            event,
            Event::Field {
                mark: RunChild::FieldBegin,
                ..
            }
        )
    });
    let is_simple = num_marks.count() == 1 && !is_unfinished;
    let pieces = |events: &[Event]| events.iter().map(|event| event.piece().clone()).collect();
    match middle {
        Some(middle) if is_link && is_simple => {
            let last = field.len() - 1;
            let begin = pieces(&field[..=middle]);
            let end = pieces(&field[last..]);
            let content = field.into_iter().take(last).skip(middle + 1).map(Item::One);
            let mut items = vec![Item::Open("a", begin)];
            items.extend(content);
            items.push(Item::Close("a", end));
            items
        }
        middle => {
            let shown = field
                .iter()
                .skip(middle.unwrap_or(field.len()))
                .filter_map(|event| match event {
                    Event::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                });
            let shown: String = shown.collect();
            vec![Item::Opaque("field", shown, pieces(&field))]
        }
    }
}

/// How a stretch of text looks.
#[derive(Debug, Clone)]
struct Look {
    /// Its visible properties.
    seen: String,
    /// Where they stand.
    properties: Option<Id>,
    letters: usize,
}

/// The look of every item that is text.
fn looks(dialect: &dyn Dialect, xml: &Xml, items: &[Item]) -> Vec<Option<Look>> {
    let look = |item: &Item| match item {
        Item::One(Event::Text { text, piece }) => Some(Look {
            seen: piece
                .properties
                .map_or(String::new(), |id| seen(dialect, xml, id)),
            properties: piece.properties,
            letters: text.chars().filter(|c| c.is_alphanumeric()).count(),
        }),
        _ => None,
    };
    items.iter().map(look).collect()
}

/// The look of most letters; the first of several.
fn base(looks: &[Option<Look>]) -> Option<Look> {
    let mut letters: HashMap<&str, usize> = HashMap::new();
    for look in looks.iter().flatten() {
        *letters.entry(&look.seen).or_default() += look.letters;
    }
    let most = letters.values().max()?;
    let mut looks = looks.iter().flatten();
    looks
        .find(|look| letters[look.seen.as_str()] == *most)
        .cloned()
}

/// The properties of a run without what nobody sees.
fn seen(dialect: &dyn Dialect, xml: &Xml, properties: Id) -> String {
    let mut seen = String::new();
    for (name, value) in xml.attributes(properties) {
        if !dialect.is_invisible(name) {
            seen.extend([name, "=", xml.slice(value), " "]);
        }
    }
    for child in xml.elements(properties) {
        if !dialect.is_invisible(xml.name(child)) {
            seen += xml.slice(xml.range(child));
        }
    }
    seen
}

/// Makes a draft of items.
struct Drafter<'d> {
    dialect: &'d dyn Dialect,
    draft: Draft,
    codes: Vec<Code>,
    base: Option<Look>,
    /// Open formatting, and the number of its code.
    look: Option<(Look, usize)>,
    /// Elements that are open, by the number of their code.
    wrappers: Vec<usize>,
}

impl Drafter<'_> {
    fn item(&mut self, item: Item, look: Option<Look>) {
        match item {
            Item::One(Event::Text { text, .. }) => self.text(&text, look),
            Item::One(Event::Open { name, piece }) => self.open(name, vec![piece]),
            Item::One(Event::Close { name, piece }) => self.close(name, vec![piece]),
            Item::Open(name, pieces) => self.open(name, pieces),
            Item::Close(name, pieces) => self.close(name, pieces),
            Item::One(Event::Point { name, piece }) => {
                self.draft.point(name);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            // A mark of a field that is none.
            Item::One(Event::Field { piece, .. }) => {
                self.draft.point("field");
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::Hidden { name, piece }) => {
                self.draft.hidden(name);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::LineBreak { piece }) => {
                self.draft.line_break();
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::Opaque { name, shown, piece }) => {
                self.draft.opaque(name, &shown);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::Opaque(name, shown, pieces) => {
                self.draft.opaque(name, &shown);
                self.codes.push(Code::Pieces(pieces));
            }
        }
    }

    fn text(&mut self, text: &str, look: Option<Look>) {
        if text.is_empty() {
            return;
        }
        let base = self.base.as_ref().map_or("", |base| &base.seen);
        let seen = look.as_ref().map_or("", |look| &look.seen);
        let now = self.look.as_ref().map_or(base, |(look, _)| &look.seen);
        if now != seen {
            let is_base = base == seen;
            self.end_look();
            if let Some(look) = look.filter(|_| !is_base) {
                let code = self.draft.open("span");
                self.codes.push(Code::Look(look.properties));
                self.look = Some((look, code));
            }
        }
        let mut rest = text;
        while let Some(escape) = self.dialect.escape(rest) {
            self.lines(&rest[..escape.start]);
            self.draft.point("mark");
            self.codes
                .push(Code::Escape(rest[escape.clone()].to_owned()));
            rest = &rest[escape.end..];
        }
        self.lines(rest);
    }

    fn lines(&mut self, text: &str) {
        if !self.dialect.keeps_lines() {
            return self.draft.text(text);
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.draft.line_break();
                self.codes.push(Code::Character('\n'));
            }
            if !line.is_empty() {
                self.draft.text(line);
            }
        }
    }

    /// A look never goes across the beginning or the end of an element.
    fn end_look(&mut self) {
        if let Some((_, code)) = self.look.take() {
            self.draft.close(code, "span");
            self.codes.push(Code::LookEnd);
        }
    }

    fn open(&mut self, name: &'static str, pieces: Vec<Piece>) {
        self.end_look();
        let code = self.draft.open(name);
        self.codes.push(Code::Pieces(pieces));
        self.wrappers.push(code);
    }

    fn close(&mut self, name: &'static str, pieces: Vec<Piece>) {
        self.end_look();
        match self.wrappers.pop() {
            Some(open) => self.draft.close(open, name),
            None => self.draft.point(name),
        };
        self.codes.push(Code::Pieces(pieces));
    }
}

impl Place {
    /// Where its content ends in the part.
    pub fn end(&self) -> usize {
        self.bytes.end
    }

    /// Writes a translated paragraph; changes that lie within its codes are kept, and `plain` is what is said of runs that
    /// nothing is said of.
    pub fn write(
        &self,
        dialect: &dyn Dialect,
        xml: &Xml,
        parts: &[Part],
        plain: &str,
        edits: &mut Edits,
    ) {
        let mut writer = Writer {
            place: self,
            xml,
            edits,
            dialect,
            plain,
            is_open: false,
            run: None,
            looks: vec![self.base],
            pending: String::new(),
            written: String::new(),
        };
        for part in parts {
            match part {
                Part::Text(text) => writer.translated(text),
                Part::Code(number) => writer.code(&self.codes[*number]),
            }
        }
        writer.end_run();
        writer.flush();
        let written = writer.written;
        edits.replace(self.bytes.clone(), written);
    }
}

/// Writes runs.
struct Writer<'p> {
    place: &'p Place,
    xml: &'p Xml,
    edits: &'p Edits,
    dialect: &'p dyn Dialect,
    /// The properties of runs without any.
    plain: &'p str,
    /// Whether a run is open, and its properties.
    is_open: bool,
    run: Option<Id>,
    /// The properties of text, the innermost last.
    looks: Vec<Option<Id>>,
    /// Text that is not written yet.
    pending: String,
    written: String,
}

impl Writer<'_> {
    /// Text that must not be read as an escape.
    fn translated(&mut self, text: &str) {
        let mut rest = text;
        while let Some(escape) = self.dialect.escape(rest) {
            // The line in front of it as an escape of its own.
            self.text(&rest[..escape.start]);
            self.text("_x005F");
            self.text(&rest[escape.clone()]);
            rest = &rest[escape.end..];
        }
        self.text(rest);
    }

    /// Text goes on where it was, as long as it looks the same.
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let look = self.looks.last().copied().flatten();
        if self.place.is_bare && look.is_none() {
            self.end_run();
        } else {
            self.begin_run(look);
        }
        self.pending += text;
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if text.is_empty() {
            return;
        }
        let prefix = &self.place.prefix;
        let is_space = |c: char| c.is_ascii_whitespace();
        let keeps = self.dialect.trims_space()
            && (text.starts_with(is_space)
                || text.ends_with(is_space)
                || text.contains("  ")
                || text.contains('\n'));
        let space = if keeps { " xml:space=\"preserve\"" } else { "" };
        let text = escaped(&text);
        let name = self.dialect.text_element();
        self.written.extend([
            "<", prefix, name, space, ">", &text, "</", prefix, name, ">",
        ]);
    }

    fn code(&mut self, code: &Code) {
        match code {
            Code::Look(properties) => self.looks.push(*properties),
            Code::LookEnd => {
                if self.looks.len() > 1 {
                    self.looks.pop();
                }
            }
            Code::Character(character) => self.text(character.encode_utf8(&mut [0; 4])),
            Code::Escape(escape) => self.text(escape),
            Code::Pieces(pieces) => {
                for piece in pieces {
                    if piece.in_run {
                        self.begin_run(piece.properties);
                    } else {
                        self.end_run();
                    }
                    self.flush();
                    self.written += &self.edits.slice(&self.xml.text, piece.bytes.clone());
                }
            }
        }
    }

    fn begin_run(&mut self, properties: Option<Id>) {
        let slice = |id: Option<Id>| id.map_or("", |id| self.xml.slice(self.xml.range(id)));
        if self.is_open && slice(self.run) == slice(properties) {
            return;
        }
        self.end_run();
        self.flush();
        let prefix = &self.place.prefix;
        self.written.extend(["<", prefix, "r>"]);
        if let Some(properties) = properties {
            let range = self.xml.range(properties);
            self.written += &self.edits.slice(&self.xml.text, range);
        } else {
            self.written += self.plain;
        }
        (self.is_open, self.run) = (true, properties);
    }

    fn end_run(&mut self) {
        if !self.is_open && self.place.is_bare {
            // It goes on.
            return;
        }
        self.flush();
        if std::mem::take(&mut self.is_open) {
            let prefix = &self.place.prefix;
            self.written.extend(["</", prefix, "r>"]);
        }
    }
}
