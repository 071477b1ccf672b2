//! TBX: terminology as XML, ISO 30042 in its versions of 2008 and 2019, and what LISA published before.
//!
//! A data category is an element with a `type` (DCA: `<descrip type="subjectField">`) or an element of its own name (DCT:
//! `<min:subjectField>`); both are the same here. Unknown ones are passed over.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::termbase::Term;
use crate::error::{Error, Result};
use canopy_base::lines::line_of;
use canopy_corpus::is_same_language;
use canopy_document::placeholder::folded;

/// Elements whose `type` is the data category.
const TYPED: [&str; 8] = [
    "descrip",
    "termNote",
    "admin",
    "adminNote",
    "descripNote",
    "transac",
    "xref",
    "ref",
];

/// A term of one language.
#[derive(Debug, Default)]
struct Name {
    language: String,
    text: String,
    /// `preferredTerm-admn-sts`, `deprecatedTerm` and so on.
    status: String,
    case_sensitive: bool,
}

/// A concept.
#[derive(Debug, Default)]
struct Entry {
    names: Vec<Name>,
    domain: Option<String>,
    definition: Option<String>,
    note: Option<String>,
}

/// The element that is being read.
#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    language: String,
    /// Names of the open elements with their data category, and the text in them.
    open: Vec<(String, String)>,
}

/// The terms from one language to the other, a term for each name of a concept in the source.
pub(super) fn read(path: &Path, text: &str, (source, target): (&str, &str)) -> Result<Vec<Term>> {
    let entries = entries(path, text)?;
    let mut terms = Vec::new();
    for entry in &entries {
        let of = |language: &str| -> Vec<&Name> {
            let names = entry.names.iter();
            names
                .filter(|name| is_same_language(&name.language, language))
                .collect()
        };
        let mut targets = of(target);
        // Preferred ones first, else in the order of the file.
        targets.sort_by_key(|name| !name.status.starts_with("preferred"));
        let is_forbidden = |name: &Name| {
            name.status.starts_with("deprecated") || name.status.starts_with("superseded")
        };
        let (forbidden, targets): (Vec<&Name>, Vec<&Name>) =
            targets.into_iter().partition(|name| is_forbidden(name));
        if targets.is_empty() && forbidden.is_empty() {
            continue;
        }
        let texts = |names: &[&Name]| names.iter().map(|name| name.text.clone()).collect();
        for name in of(source) {
            terms.push(Term {
                source: name.text.clone(),
                targets: texts(&targets),
                forbidden: texts(&forbidden),
                case_sensitive: name.case_sensitive,
                domain: entry.domain.clone(),
                note: entry.note.clone().or_else(|| entry.definition.clone()),
            });
        }
    }
    if terms.is_empty() && entries.iter().any(|entry| !entry.names.is_empty()) {
        return Err(Error::TermLanguages {
            has: languages_of(&entries).join(", "),
            expected: format!("{source} to {target}"),
            path: path.to_owned(),
        });
    }
    Ok(terms)
}

/// The languages that have terms, in order.
pub(super) fn languages(path: &Path, text: &str) -> Result<Vec<String>> {
    Ok(languages_of(&entries(path, text)?))
}

fn languages_of(entries: &[Entry]) -> Vec<String> {
    let mut languages: Vec<String> = Vec::new();
    for name in entries.iter().flat_map(|entry| &entry.names) {
        if !languages.contains(&name.language) {
            languages.push(name.language.clone());
        }
    }
    languages
}

fn entries(path: &Path, text: &str) -> Result<Vec<Entry>> {
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut state = State::default();
    loop {
        let place = xml.buffer_position();
        let problem = |problem: String| Error::Termbase {
            problem,
            line: line_of(text, place),
            path: path.to_owned(),
        };
        let event = xml.read_event();
        match event.map_err(|cause| problem(cause.to_string()))? {
            Event::Start(tag) => state.start(&tag).map_err(problem)?,
            Event::End(_) => state.end(),
            Event::Text(content) => {
                let content = content.xml10_content();
                state.text(&content.map_err(|cause| problem(cause.to_string()))?);
            }
            Event::CData(content) => {
                let content = content.xml10_content();
                state.text(&content.map_err(|cause| problem(cause.to_string()))?);
            }
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref();
                let character = character.map_err(|cause| problem(cause.to_string()))?;
                let name = reference.decode();
                let name = name.map_err(|cause| problem(cause.to_string()))?;
                if let Some(character) = character {
                    state.text(character.encode_utf8(&mut [0; 4]));
                } else {
                    // What a document type declares is left out: nothing grows by being read.
                    let known = quick_xml::escape::resolve_xml_entity(&name);
                    state.text(known.unwrap_or_default());
                }
            }
            Event::Eof if state.open.is_empty() => return Ok(state.entries),
            Event::Eof => return Err(problem("the file ends inside of an element".to_owned())),
            _ => {}
        }
    }
}

impl State {
    fn start(&mut self, tag: &BytesStart) -> Result<(), String> {
        let name = String::from_utf8_lossy(tag.local_name().as_ref()).into_owned();
        if self.open.is_empty() && !matches!(name.as_str(), "martif" | "tbx") {
            return Err(format!("this is not TBX but a file of <{name}>"));
        }
        let (mut kind, mut language) = (None, None);
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|cause| cause.to_string())?;
            let value = String::from_utf8_lossy(&attribute.value).into_owned();
            match attribute.key.as_ref() {
                b"type" => kind = Some(value),
                b"xml:lang" | b"lang" => language = Some(value),
                _ => {}
            }
        }
        match name.as_str() {
            "termEntry" | "conceptEntry" => self.entries.push(Entry::default()),
            "langSet" | "langSec" => self.language = language.unwrap_or_default(),
            "term" => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.names.push(Name {
                        language: self.language.clone(),
                        ..Name::default()
                    });
                }
            }
            _ => {}
        }
        let category = match kind {
            Some(kind) if TYPED.contains(&name.as_str()) => kind,
            _ => name,
        };
        self.open.push((category, String::new()));
        Ok(())
    }

    fn text(&mut self, content: &str) {
        if let Some((_, text)) = self.open.last_mut() {
            text.push_str(content);
        }
    }

    fn end(&mut self) {
        let Some((category, text)) = self.open.pop() else {
            return;
        };
        let Some(entry) = self.entries.last_mut() else {
            return;
        };
        let value = folded(&text);
        let kept = || Some(value.clone()).filter(|value| !value.is_empty());
        match category.as_str() {
            "term" => {
                if let Some(name) = entry.names.last_mut() {
                    name.text = value;
                }
            }
            "administrativeStatus" | "normativeAuthorization" => {
                if let Some(name) = entry.names.last_mut() {
                    name.status = value;
                }
            }
            "caseSensitive" => {
                if let Some(name) = entry.names.last_mut() {
                    name.case_sensitive = value == "yes";
                }
            }
            "subjectField" if entry.domain.is_none() => entry.domain = kept(),
            "definition" if entry.definition.is_none() => entry.definition = kept(),
            "note" if entry.note.is_none() => entry.note = kept(),
            "termEntry" | "conceptEntry" => entry.names.retain(|name| !name.text.is_empty()),
            // Emphasis and the like inside of a term.
            "hi" | "foreign" => self.text(&text),
            _ => {}
        }
    }
}
