//! Reads a TMX file unit by unit, versions 1.1 to 1.4b.
//!
//! TMX 1.4b Specification, LISA OSCAR 2005. Elements it does not know are passed over; a file with another root, with
//! tags that do not match, or cut off is refused with the line.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::encoding::Decoded;
use super::segment::{Inline, Segment};
use crate::error::{Error, Result};
use crate::markup::Side;

/// A `<tu>`: a text in several languages.
#[derive(Debug, Default)]
pub(super) struct TranslationUnit {
    pub tuid: Option<String>,
    /// `type` and content of each `<prop>`, those of its variants included.
    pub properties: Vec<(String, String)>,
    pub variants: Vec<Variant>,
    pub change: Change,
}

/// The person who changed a unit or a variant last, or made it, and when, as the file has it.
#[derive(Debug, Clone, Default)]
pub(super) struct Change {
    pub author: Option<String>,
    pub date: Option<String>,
}

impl Change {
    fn from_attributes(attributes: &mut Attributes) -> Self {
        let mut either = |changed: &str, created: &str| {
            let (changed, created) = (attributes.take(changed), attributes.take(created));
            changed.or(created).filter(|value| !value.trim().is_empty())
        };
        Self {
            author: either("changeid", "creationid"),
            date: either("changedate", "creationdate"),
        }
    }
}

/// A `<tuv>`.
#[derive(Debug)]
pub(super) struct Variant {
    pub language: String,
    pub side: Side,
    pub change: Change,
}

/// A file that is being read.
pub(super) struct TmxReader {
    xml: Reader<Decoded>,
    buffer: Vec<u8>,
    path: PathBuf,
    /// Names of the elements that are open.
    open: Vec<Vec<u8>>,
}

/// A unit that is not complete yet.
#[derive(Default)]
struct Parts {
    unit: Option<TranslationUnit>,
    language: Option<String>,
    change: Change,
    segment: Option<Segment>,
    property: Option<(String, String)>,
}

impl TmxReader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut xml = Reader::from_reader(Decoded::open(path)?);
        xml.config_mut().expand_empty_elements = true;
        Ok(Self {
            xml,
            buffer: Vec::new(),
            path: path.to_owned(),
            open: Vec::new(),
        })
    }

    pub(super) fn line(&self) -> usize {
        self.xml.get_ref().line
    }

    /// Bytes that were read and that there are.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.xml.get_ref().bytes, self.xml.get_ref().all_bytes)
    }

    /// The next unit; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<TranslationUnit>> {
        let mut parts = Parts::default();
        let mut buffer = std::mem::take(&mut self.buffer);
        loop {
            buffer.clear();
            let event = match self.xml.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(cause)) => {
                    return Err(Error::read(&self.path)(cause.kind().into()));
                }
                Err(cause) => return Err(self.problem(cause.to_string())),
            };
            match event {
                Event::Start(tag) => self.start(&tag, &mut parts)?,
                Event::End(_) => {
                    let ended = self.open.pop();
                    if let Some(unit) = parts.end(ended.as_deref().unwrap_or_default()) {
                        self.buffer = buffer;
                        return Ok(Some(unit));
                    }
                }
                Event::Text(text) => parts.text(&self.checked(text.xml10_content())?),
                Event::CData(text) => parts.text(&self.checked(text.xml10_content())?),
                Event::GeneralRef(reference) => parts.text(&self.resolved(&reference)?),
                Event::Eof => {
                    return match self.open.pop() {
                        Some(name) => {
                            Err(self.problem(format!("the file ends inside of <{}>", lossy(&name))))
                        }
                        None => Ok(None),
                    };
                }
                Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::Empty(_) => {}
            }
        }
    }

    fn start(&mut self, tag: &BytesStart, parts: &mut Parts) -> Result<()> {
        let name = tag.local_name().as_ref().to_owned();
        if self.open.is_empty() && name != b"tmx" {
            return Err(self.problem(format!("this is not TMX but a file of <{}>", lossy(&name))));
        }
        let mut attributes = Attributes::default();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|cause| self.problem(cause.to_string()))?;
            let raw = self.checked(std::str::from_utf8(&attribute.value))?;
            let value = quick_xml::escape::unescape(raw)
                .map_err(|cause| self.problem(cause.to_string()))?;
            attributes.0.push((
                lossy(attribute.key.as_ref()).into_owned(),
                value.into_owned(),
            ));
        }
        parts.start(&name, attributes);
        self.open.push(name);
        Ok(())
    }

    /// The text for `&…;`.
    fn resolved(&self, reference: &BytesRef) -> Result<String> {
        let name = self.checked(reference.decode())?;
        let character = reference
            .resolve_char_ref()
            .map_err(|cause| self.problem(cause.to_string()))?;
        if let Some(character) = character {
            return Ok(character.to_string());
        }
        let known = quick_xml::escape::resolve_xml_entity(&name).map(str::to_owned);
        known.ok_or_else(|| self.problem(format!("nothing says what &{name}; stands for")))
    }

    fn checked<T, E>(&self, decoded: Result<T, E>) -> Result<T> {
        decoded
            .map_err(|_not_utf8| self.problem("a character is neither UTF-8 nor UTF-16".to_owned()))
    }

    fn problem(&self, problem: String) -> Error {
        Error::Tmx {
            problem,
            line: self.line(),
            path: self.path.clone(),
        }
    }
}

impl Parts {
    fn start(&mut self, name: &[u8], mut attributes: Attributes) {
        if let Some(segment) = &mut self.segment {
            segment.start(Inline {
                name: lossy(name).into_owned(),
                i: attributes.take("i"),
                x: attributes.take("x"),
                pos: attributes.take("pos"),
            });
            return;
        }
        match name {
            b"tu" => {
                self.unit = Some(TranslationUnit {
                    tuid: attributes.take("tuid"),
                    change: Change::from_attributes(&mut attributes),
                    ..TranslationUnit::default()
                });
            }
            b"tuv" => {
                self.language = attributes
                    .take("xml:lang")
                    .or_else(|| attributes.take("lang"));
                self.change = Change::from_attributes(&mut attributes);
            }
            b"seg" => self.segment = Some(Segment::default()),
            b"prop" => self.property = attributes.take("type").map(|kind| (kind, String::new())),
            _ => {}
        }
    }

    /// The unit, if that is what ends.
    fn end(&mut self, name: &[u8]) -> Option<TranslationUnit> {
        if name != b"seg"
            && let Some(segment) = &mut self.segment
        {
            segment.end();
            return None;
        }
        match name {
            b"tu" => return self.unit.take(),
            b"seg" => {
                let side = self.segment.take().unwrap_or_default().finish();
                if let (Some(unit), Some(language)) = (&mut self.unit, self.language.take()) {
                    let change = std::mem::take(&mut self.change);
                    unit.variants.push(Variant {
                        language,
                        side,
                        change,
                    });
                }
            }
            b"prop" => {
                if let (Some(unit), Some(property)) = (&mut self.unit, self.property.take()) {
                    unit.properties.push(property);
                }
            }
            _ => {}
        }
        None
    }

    fn text(&mut self, text: &str) {
        if let Some(segment) = &mut self.segment {
            segment.text(text);
        } else if let Some((_, content)) = &mut self.property {
            content.push_str(text);
        }
    }
}

#[derive(Default)]
struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.swap_remove(at).1)
    }
}

fn lossy(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name)
}
