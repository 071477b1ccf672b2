//! String resources of Android (`strings.xml`): strings, plurals and arrays.
//!
//! Elements within a string are tags of it, `<xliff:g>` and references to other resources stay; so does what says
//! `translatable="false"`. Escapes and white space are read and written as aapt does.

use std::ops::Range;

use super::element::{section, with_line_ends};
use super::json_text::push_units;
use super::{Dialect, Message, Piece, Text};
use crate::builder::{Builder, Context, Failure};
use crate::formats::edits::Edits;
use crate::formats::mixed::spelt;
use crate::formats::slots::{Slot, SlotFile};
use crate::formats::xml::{Id, Kind, Xml, outermost};
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::view::Translation;

/// String resources.
pub(in crate::formats) struct Android;

impl DocumentFormat for Android {
    fn is_content(&self, bytes: &[u8]) -> bool {
        const HEAD: usize = 8_192;
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        outermost(&head) == Some("resources")
    }

    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_xml(bytes)?;
        let xml = Xml::read(name, text)?;
        let root = xml.root();
        if xml.name(root) != "resources" {
            let reason = format!(
                "its outermost element, <{}>, is of no kind of XML that is known; Android's strings are in <resources>",
                xml.qualified(root)
            );
            return Err(xml.damaged(&reason));
        }
        let mut reader = AndroidReader {
            xml: &xml,
            builder,
            slots: Vec::new(),
        };
        reader.resources(root);
        let slots = reader.slots;
        Ok(SlotFile::kept((), xml, encoding, slots))
    }
}

struct AndroidReader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    slots: Vec<AndroidSlot>,
}

/// A value in its file.
#[derive(Debug)]
struct AndroidSlot {
    text: Text,
    bytes: Range<usize>,
    /// Whether the bytes are in a CDATA section.
    is_section: bool,
}

impl AndroidReader<'_, '_> {
    fn resources(&mut self, root: Id) {
        let xml = self.xml;
        let mut note: Option<String> = None;
        for child in xml.children(root) {
            let is_kept = || xml.attribute(child, "translatable").as_deref() == Some("false");
            match xml.kind(child) {
                Kind::Other => {
                    let raw = xml.slice(xml.range(child));
                    let comment = raw
                        .strip_prefix("<!--")
                        .and_then(|raw| raw.strip_suffix("-->"));
                    note = comment
                        .map(|comment| comment.trim().to_owned())
                        .filter(|comment| !comment.is_empty());
                }
                Kind::Element if !is_kept() => {
                    let id = xml
                        .attribute(child, "name")
                        .unwrap_or_default()
                        .into_owned();
                    self.resource(child, id, note.take());
                }
                Kind::Element => note = None,
                _ => {}
            }
        }
    }

    fn resource(&mut self, resource: Id, id: String, note: Option<String>) {
        let xml = self.xml;
        let context = Context::named(Some(id), note);
        match xml.name(resource) {
            "string" => self.value(resource, context),
            "item" if xml.attribute(resource, "type").as_deref() == Some("string") => {
                self.value(resource, context);
            }
            "plurals" | "string-array" => {
                for item in xml
                    .elements(resource)
                    .filter(|&item| xml.name(item) == "item")
                {
                    let context = match xml.attribute(item, "quantity") {
                        Some(quantity) => context.with_note(&quantity),
                        None => context.clone(),
                    };
                    self.value(item, context);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, element: Id, context: Context) {
        let xml = self.xml;
        let whole = xml.whole_text(element);
        if is_reference(whole.trim()) {
            return;
        }
        let mut decoder = AndroidDecoder {
            xml,
            message: Message::new(Dialect::PLAIN.in_value(&whole)),
            in_quotes: false,
            has_begun: false,
            ends_loosely: false,
            pending: String::new(),
        };
        decoder.children(element);
        let is_text = xml.elements(element).next().is_none();
        let text = match decoder.end() {
            value if is_text && Text::is_icu(&value) => {
                Text::read(&value, Dialect::PLAIN, self.builder, context)
            }
            value => {
                decoder.message.text(&value);
                decoder.message.unit(self.builder, context).map(Text::Plain)
            }
        };
        let (bytes, is_section) = self.bytes(element);
        self.slots.extend(text.map(|text| AndroidSlot {
            text,
            bytes,
            is_section,
        }));
    }

    /// The bytes of a value, without the white space around it that counts for nothing.
    fn bytes(&self, element: Id) -> (Range<usize>, bool) {
        let xml = self.xml;
        let is_space =
            |&id: &Id| xml.kind(id) == Kind::Text && xml.slice(xml.range(id)).trim().is_empty();
        let mut inked = xml.children(element).filter(|child| !is_space(child));
        if let (Some(only), None) = (inked.next(), inked.next())
            && xml.kind(only) == Kind::CData
        {
            let range = xml.range(only);
            return (range, true);
        }
        let mut bytes = xml.inner(element);
        let raw = xml.slice(bytes.clone());
        let (before, after) = (
            raw.len() - raw.trim_ascii_start().len(),
            raw.len() - raw.trim_ascii_end().len(),
        );
        bytes = bytes.start + before..bytes.end - after;
        (bytes, false)
    }
}

/// Whether a value names another resource.
fn is_reference(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['@', '?']) else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:/+*-".contains(c);
    rest.chars().all(is_name) && (rest.contains(['/', ':']) || matches!(rest, "null" | "empty"))
}

/// Reads what a value means.
struct AndroidDecoder<'x> {
    xml: &'x Xml,
    message: Message,
    /// White space counts.
    in_quotes: bool,
    /// White space before anything else counts for nothing.
    has_begun: bool,
    /// Whether the last character is white space outside of quotation marks.
    ends_loosely: bool,
    pending: String,
}

impl AndroidDecoder<'_> {
    /// The text after the last element; white space at its end counts for nothing.
    fn end(&mut self) -> String {
        if self.ends_loosely {
            self.pending.pop();
        }
        std::mem::take(&mut self.pending)
    }

    fn flush(&mut self) {
        self.ends_loosely = false;
        self.message.text(&std::mem::take(&mut self.pending));
    }

    fn children(&mut self, parent: Id) {
        let xml = self.xml;
        for child in xml.children(parent) {
            if let Some(text) = xml.text_of(child) {
                self.text(&text);
                continue;
            }
            self.flush();
            self.has_begun = true;
            let raw = xml.slice(xml.range(child));
            let name = xml.name(child);
            match xml.kind(child) {
                Kind::Element if is_protected(xml, child) => {
                    let shown = xml.whole_text(child);
                    self.message.raw(name, &shown, raw);
                }
                Kind::Element if !xml.is_empty_tag(child) => {
                    let open = self.message.open(name, xml.slice(xml.start_tag(child)));
                    self.children(child);
                    self.flush();
                    self.message
                        .close(open, name, xml.slice(xml.end_tag(child)));
                }
                Kind::Reference => self.message.raw("entity", raw, raw),
                _ => self
                    .message
                    .raw(if name.is_empty() { "comment" } else { name }, "", raw),
            }
        }
    }

    fn text(&mut self, text: &str) {
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let is_loose = character.is_ascii_whitespace() && !self.in_quotes;
            if is_loose {
                if self.has_begun && !self.pending.ends_with(' ') {
                    self.pending.push(' ');
                    self.ends_loosely = true;
                }
                continue;
            }
            (self.has_begun, self.ends_loosely) = (true, false);
            match character {
                '"' => self.in_quotes = !self.in_quotes,
                '\\' => self.escape(&mut characters),
                other => self.pending.push(other),
            }
        }
    }

    fn escape(&mut self, characters: &mut std::str::Chars) {
        match characters.next() {
            Some('n') => self.pending.push('\n'),
            Some('t') => self.pending.push('\t'),
            Some('u') => {
                let digits = characters.as_str().get(..4);
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                if let Some(character) = code.and_then(char::from_u32) {
                    self.pending.push(character);
                    characters.nth(3);
                } else if let Some((character, length)) = surrogates(characters.as_str()) {
                    self.pending.push(character);
                    characters.nth(length - 1);
                }
            }
            // aapt leaves the backslash out.
            Some(other) => self.pending.push(other),
            None => {}
        }
    }
}

/// The character of `d83d\ude00`, and how long it is.
fn surrogates(rest: &str) -> Option<(char, usize)> {
    let unit = |digits: &str| u16::from_str_radix(digits, 16).ok();
    let second = rest.get(4..)?.strip_prefix("\\u")?;
    let units = [unit(rest.get(..4)?)?, unit(second.get(..4)?)?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, 10))
}

/// Whether an element says that translators must leave it alone.
fn is_protected(xml: &Xml, element: Id) -> bool {
    xml.namespace(element).contains("xliff")
        || xml.attribute(element, "translatable").as_deref() == Some("false")
}

impl Slot for AndroidSlot {
    type Source = Xml;
    type Facts = ();

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Some(pieces) = self.text.pieces(translation) else {
            return;
        };
        let mut written = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let text = escaped(text, number == 0, number + 1 == pieces.len());
                    if self.is_section {
                        written.push_str(&text);
                    } else {
                        written.push_str(&spelt(&text, file.encoding));
                    }
                }
                Piece::Raw(raw) => written.push_str(raw),
                Piece::Inner(_) => {}
            }
        }
        if self.is_section {
            written = section(&written);
        }
        edits.replace(self.bytes.clone(), with_line_ends(&file.source, &written));
    }
}

/// Text as aapt reads it: the first one of a value, or the last.
fn escaped(text: &str, is_first: bool, is_last: bool) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    let mut before = if is_first { Some(' ') } else { None };
    let mut characters = text.chars().enumerate().peekable();
    while let Some((place, character)) = characters.next() {
        let is_end = is_last && characters.peek().is_none();
        match character {
            '\'' | '"' | '\\' => written.extend(['\\', character]),
            '@' | '?' if is_first && place == 0 => written.extend(['\\', character]),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            // White space that would be folded or left out.
            ' ' if before == Some(' ') || is_end => written.push_str("\\u0020"),
            _ if character.is_control() => push_units(character, &mut written),
            _ => written.push(character),
        }
        before = Some(character);
    }
    written
}

#[cfg(test)]
mod tests {
    use crate::document::Format;
    use crate::testing::{read, rewritten};

    const FILE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources xmlns:xliff=\"urn:oasis:names:tc:xliff:document:1.2\">\n  <!-- A title -->\n  <string name=\"a\">It\\'s <b>%1$s</b>&#8217;s \\n <xliff:g id=\"n\">%d</xliff:g> file\\u0073</string>\n  <string name=\"no\" translatable=\"false\">No</string>\n  <string name=\"r\">@string/a</string>\n  <string name=\"q\">\n    \"  Two  spaces\"\n  </string>\n  <string name=\"c\"><![CDATA[<b>Bold</b> & it\\'s]]></string>\n  <plurals name=\"p\"><item quantity=\"one\">%d day</item><item quantity=\"other\">%d days</item></plurals>\n  <string-array name=\"l\"><item>First</item></string-array>\n  <color name=\"x\">Red</color>\n</resources>\n";

    #[test]
    fn values_are_read_as_aapt_reads_them() {
        let document = read(Format::Android, FILE);
        assert_eq!(rewritten(&document, None, str::to_owned), FILE);
        assert_eq!(
            document.plain_texts(),
            [
                "It's %1$s’s",
                "%d files",
                "Two spaces",
                "Bold & it's",
                "%d day",
                "%d days",
                "First"
            ]
        );
        assert_eq!(document.paragraphs[0].note.as_deref(), Some("A title"));
        assert_eq!(document.paragraphs[3].note.as_deref(), Some("one"));
    }

    #[test]
    fn values_are_escaped_as_aapt_wants_it() {
        let document = read(Format::Android, FILE);
        let text = rewritten(&document, None, |text| format!("@'\"<&]]>  {text}"));
        for part in [
            "<string name=\"a\">\\@\\'\\\"&lt;&amp;]]&gt; \\u0020It\\'s <b>%1$s</b>’s \\n @\\'\\\"&lt;&amp;]]&gt; \\u0020<xliff:g id=\"n\">%d</xliff:g> files</string>",
            "<string name=\"q\">\n    \\u0020\\u0020@\\'\\\"&lt;&amp;]]&gt; \\u0020Two spaces\n  </string>",
            "<![CDATA[\\@\\'\\\"<&]]]]><![CDATA[> \\u0020<b>Bold</b> & it\\'s]]>",
            "<string name=\"no\" translatable=\"false\">No</string>\n  <string name=\"r\">@string/a</string>",
            "<item quantity=\"other\">\\@\\'\\\"&lt;&amp;]]&gt; \\u0020%d days</item>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
