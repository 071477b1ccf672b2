//! An SRX file: what it says, with the lines on which it says it.

use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::error::{Error, Result};
use crate::reading::decoded;
use canopy_base::lines::line_of;

/// The rules of all languages.
#[derive(Debug)]
pub(crate) struct SrxFile {
    pub path: PathBuf,
    /// Whether the lists of all maps that match a language apply, not of the first one alone.
    pub(super) cascades: bool,
    pub(super) lists: Vec<RuleList>,
    pub(super) maps: Vec<LanguageMap>,
}

#[derive(Debug)]
pub(super) struct RuleList {
    pub name: String,
    pub rules: Vec<WrittenRule>,
}

/// A rule as it is written.
#[derive(Debug)]
pub(super) struct WrittenRule {
    pub breaks: bool,
    pub before: String,
    pub after: String,
    pub line: usize,
}

/// The languages for which a list is.
#[derive(Debug)]
pub(super) struct LanguageMap {
    pub pattern: String,
    pub list: String,
    pub line: usize,
}

impl SrxFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is no XML, or is something else than SRX.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::read(path))?;
        Self::parse(path, &decoded(path, bytes)?)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self> {
        let mut xml = Reader::from_str(text);
        xml.config_mut().expand_empty_elements = true;
        let mut reading = Reading::new(path);
        loop {
            let place = xml.buffer_position();
            let line = line_of(text, place);
            let problem = |problem: String| Error::Srx {
                problem,
                line,
                path: path.to_owned(),
            };
            let event = xml.read_event();
            match event.map_err(|cause| problem(cause.to_string()))? {
                Event::Start(tag) => reading.start(&tag, line).map_err(problem)?,
                Event::End(tag) => reading.end(tag.local_name().as_ref()),
                Event::Text(content) => {
                    let content = content.xml10_content();
                    reading.text += &content.map_err(|cause| problem(cause.to_string()))?;
                }
                Event::CData(content) => {
                    let content = content.xml10_content();
                    reading.text += &content.map_err(|cause| problem(cause.to_string()))?;
                }
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref();
                    let character = character.map_err(|cause| problem(cause.to_string()))?;
                    let name = reference.decode();
                    let name = name.map_err(|cause| problem(cause.to_string()))?;
                    let known = quick_xml::escape::resolve_xml_entity(&name);
                    match (character, known) {
                        (Some(character), _) => reading.text.push(character),
                        (None, Some(known)) => reading.text += known,
                        (None, None) => return Err(problem(format!("&{name}; means nothing"))),
                    }
                }
                Event::Eof => {
                    return reading.finished().map_err(|(line, problem)| Error::Srx {
                        problem,
                        line,
                        path: path.to_owned(),
                    });
                }
                _ => {}
            }
        }
    }
}

struct Reading {
    file: SrxFile,
    /// The text of the innermost element so far.
    text: String,
    depth: usize,
    is_version_1: bool,
    cascade: Option<bool>,
}

impl Reading {
    fn new(path: &Path) -> Self {
        Self {
            file: SrxFile {
                path: path.to_owned(),
                cascades: true,
                lists: Vec::new(),
                maps: Vec::new(),
            },
            text: String::new(),
            depth: 0,
            is_version_1: false,
            cascade: None,
        }
    }

    fn start(&mut self, tag: &BytesStart, line: usize) -> Result<(), String> {
        let name = String::from_utf8_lossy(tag.local_name().as_ref()).into_owned();
        if self.depth == 0 && name != "srx" {
            return Err(format!("this is not SRX but a file of <{name}>"));
        }
        self.depth += 1;
        self.text.clear();
        match name.as_str() {
            "srx" => {
                let version = attribute(tag, "version")?.unwrap_or_default();
                self.is_version_1 = version.starts_with('1');
            }
            "header" => self.cascade = attribute(tag, "cascade")?.map(|value| value == "yes"),
            "languagerule" => self.file.lists.push(RuleList {
                name: needed(tag, "languagerulename")?,
                rules: Vec::new(),
            }),
            "rule" => {
                let breaks = match attribute(tag, "break")?.as_deref() {
                    None | Some("yes") => true,
                    Some("no") => false,
                    Some(other) => return Err(format!("break is {other}; it may be yes or no")),
                };
                let list = self.file.lists.last_mut();
                let list = list.ok_or("a <rule> outside of <languagerule>")?;
                list.rules.push(WrittenRule {
                    breaks,
                    before: String::new(),
                    after: String::new(),
                    line,
                });
            }
            "languagemap" => self.file.maps.push(LanguageMap {
                pattern: needed(tag, "languagepattern")?,
                list: needed(tag, "languagerulename")?,
                line,
            }),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) {
        self.depth = self.depth.saturating_sub(1);
        let text = std::mem::take(&mut self.text);
        let rule = self.file.lists.last_mut();
        let rule = rule.and_then(|list| list.rules.last_mut());
        match (name, rule) {
            (b"beforebreak", Some(rule)) => rule.before = text,
            (b"afterbreak", Some(rule)) => rule.after = text,
            _ => {}
        }
    }

    /// The file, if its maps name existing lists; else the line and the problem.
    fn finished(mut self) -> Result<SrxFile, (usize, String)> {
        if self.depth > 0 || self.file.maps.is_empty() {
            return Err((
                1,
                "there are no rules that a language is mapped to".to_owned(),
            ));
        }
        for map in &self.file.maps {
            if !self.file.lists.iter().any(|list| list.name == map.list) {
                let problem = format!("there is no list of rules with the name {}", map.list);
                return Err((map.line, problem));
            }
        }
        // Files of OmegaT do not say so and mean it.
        self.file.cascades = self.cascade.unwrap_or(!self.is_version_1);
        Ok(self.file)
    }
}

fn attribute(tag: &BytesStart, name: &str) -> Result<Option<String>, String> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|cause| cause.to_string())?;
        if attribute.key.local_name().as_ref() == name.as_bytes() {
            let raw = String::from_utf8_lossy(&attribute.value);
            let value = quick_xml::escape::unescape(&raw);
            return Ok(Some(value.map_err(|cause| cause.to_string())?.into_owned()));
        }
    }
    Ok(None)
}

fn needed(tag: &BytesStart, name: &str) -> Result<String, String> {
    let value = attribute(tag, name)?;
    value.ok_or_else(|| format!("{name} is missing"))
}
