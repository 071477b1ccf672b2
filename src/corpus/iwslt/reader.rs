//! One language of an IWSLT file.
//!
//! The files look like XML but are not: `&` is unescaped, end tags are missing. So only the tags that IWSLT uses count
//! as tags, everything else is text, and a segment ends where any of them begins.

use std::collections::HashSet;
use std::path::Path;

use super::super::unit::folded;
use crate::error::{Error, Result};
use canopy_document::{decoded, placeholder};

/// The elements of the development and test sets, and of the training files.
const ELEMENTS: &str = "?xml description doc hl keywords mteval p refset reviewer reviewers seg speaker \
    srcset talkid title transcript translator translators tstset url";

/// Elements without a text of their own: what is directly in them are the lines of a training file.
const CONTAINERS: [&str; 2] = ["doc", "transcript"];

/// A talk in one language.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Talk {
    pub docid: Option<String>,
    pub talkid: Option<String>,
    /// Id and text, white space folded.
    pub segments: Vec<(String, String)>,
    /// Number of the last segment that is a line.
    num_lines: usize,
}

impl Talk {
    /// The number of the talk; that of the document if it has none.
    pub(super) fn id(&self) -> &str {
        let id = self.talkid.as_ref().or(self.docid.as_ref());
        id.expect("every talk has one of both")
    }

    /// Its id in a corpus, where documents are sorted: numbers are in order when their texts are.
    pub(super) fn document_id(&self) -> String {
        format!("{:0>6}", self.id())
    }
}

/// The talks of a file, and how many segments had no end tag.
pub(super) fn read(path: &Path) -> Result<(Vec<Talk>, usize)> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    let text = decoded(path, bytes)?;
    let mut reader = Reader {
        text: &text,
        path,
        talks: Vec::new(),
        ids: HashSet::new(),
        open: None,
        seen: HashSet::new(),
        unclosed: 0,
    };
    reader.read()?;
    Ok((reader.talks, reader.unclosed))
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    talks: Vec<Talk>,
    ids: HashSet<String>,
    open: Option<Talk>,
    /// Ids of the segments of the open talk.
    seen: HashSet<String>,
    unclosed: usize,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<()> {
        let text = self.text;
        let mut tag = next_tag(text, 0);
        while let Some(begun) = tag {
            tag = next_tag(text, begun.end);
            let end = tag.as_ref().map_or(text.len(), |next| next.start);
            self.element(&begun, &text[begun.end..end], tag.as_ref())?;
        }
        self.close(text.len())?;
        if self.talks.is_empty() {
            return Err(self.problem("there is no <doc> and no <talkid> in it", text.len()));
        }
        Ok(())
    }

    /// Takes a tag and the text up to the next one.
    fn element(&mut self, tag: &Tag, inside: &str, next: Option<&Tag>) -> Result<()> {
        let is_closed = next.is_some_and(|next| next.is_end && next.name == tag.name);
        match (tag.name, tag.is_end) {
            ("doc", false) => {
                self.close(tag.start)?;
                self.open = Some(Talk {
                    docid: attribute(tag.attributes, "docid"),
                    ..Talk::default()
                });
            }
            ("doc", true) => self.close(tag.start)?,
            ("talkid", false) => self.name_talk(folded(inside), tag.start)?,
            ("seg", false) => {
                self.unclosed += usize::from(!is_closed);
                return self.segment(tag, inside);
            }
            _ => {}
        }
        if tag.is_end || CONTAINERS.contains(&tag.name) {
            self.lines(inside);
        } else if !is_closed {
            // Without an end tag a title ends with its line.
            self.lines(inside.split_once('\n').map_or("", |(_, after)| after));
        }
        Ok(())
    }

    /// Names the open talk, or begins one: older training files have no `<doc>`.
    fn name_talk(&mut self, id: String, offset: usize) -> Result<()> {
        if self.open.as_ref().is_none_or(|talk| talk.talkid.is_some()) {
            self.close(offset)?;
            self.open = Some(Talk::default());
        }
        let open = self.open.as_mut().filter(|_| !id.is_empty());
        if let Some(talk) = open {
            talk.talkid = Some(id);
        }
        Ok(())
    }

    fn segment(&mut self, tag: &Tag, inside: &str) -> Result<()> {
        let Some(id) = attribute(tag.attributes, "id") else {
            return Err(self.problem("this <seg> has no id", tag.start));
        };
        if !self.seen.insert(id.clone()) {
            let again = format!("segment {id} occurs twice in this talk");
            return Err(self.problem(&again, tag.start));
        }
        match &mut self.open {
            Some(talk) => {
                talk.segments.push((id, clean(inside)));
                Ok(())
            }
            None => Err(self.problem("this <seg> is outside any <doc>", tag.start)),
        }
    }

    /// Takes the lines of a training file, where a segment is a line and its id the line's number.
    fn lines(&mut self, inside: &str) {
        let Some(talk) = &mut self.open else { return };
        let before = talk.num_lines;
        for (number, line) in inside.lines().enumerate() {
            let text = clean(line);
            if !text.is_empty() {
                talk.num_lines = before + number + 1;
                let id = format!("line {}", talk.num_lines);
                talk.segments.push((id, text));
            }
        }
    }

    fn close(&mut self, offset: usize) -> Result<()> {
        let segments = std::mem::take(&mut self.seen);
        let Some(mut talk) = self.open.take() else {
            return Ok(());
        };
        if talk.docid.is_none() && talk.talkid.is_none() {
            let nameless = "the <doc> that ends here has neither docid nor <talkid>";
            return Err(self.problem(nameless, offset));
        }
        if !segments.is_empty() {
            // Then text outside of them does not belong to the talk.
            talk.segments.retain(|(id, _)| segments.contains(id));
        }
        if !self.ids.insert(talk.document_id()) {
            let twice = format!("the talk {} that ends here occurs twice", talk.id());
            return Err(self.problem(&twice, offset));
        }
        self.talks.push(talk);
        Ok(())
    }

    fn problem(&self, problem: &str, offset: usize) -> Error {
        Error::Iwslt {
            problem: problem.to_owned(),
            line: self.line(offset),
            path: self.path.to_owned(),
        }
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text[..offset].matches('\n').count()
    }
}

struct Tag<'a> {
    name: &'static str,
    is_end: bool,
    attributes: &'a str,
    start: usize,
    end: usize,
}

/// The next tag that IWSLT knows.
fn next_tag(text: &str, from: usize) -> Option<Tag<'_>> {
    let starts = text[from..].match_indices('<');
    starts.map(|(place, _)| from + place).find_map(|start| {
        let inside = &text[start + 1..];
        let is_end = inside.starts_with('/');
        let inside = inside.strip_prefix('/').unwrap_or(inside);
        let length = inside.find(|c: char| c == '>' || c == '/' || c.is_whitespace())?;
        let mut names = ELEMENTS.split(' ');
        let name = names.find(|name| name.eq_ignore_ascii_case(&inside[..length]))?;
        let closing = inside.find(['>', '<'])?;
        let is_whole = inside[closing..].starts_with('>');
        let start_of_rest = text.len() - inside.len();
        is_whole.then(|| Tag {
            name,
            is_end,
            attributes: &inside[length..closing],
            start,
            end: start_of_rest + closing + 1,
        })
    })
}

/// The value of an attribute, in quotes of either kind or none.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let (value, next) = match after.chars().next()? {
            quote @ ('"' | '\'') => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if key.trim().eq_ignore_ascii_case(name) && !value.trim().is_empty() {
            return Some(value.trim().to_owned());
        }
        rest = next;
    }
    None
}

/// The text as a reader sees it: white space folded, entities resolved, characters that mean placeholders to us left
/// out.
fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        shown.push_str(before);
        // No entity is longer, and text may have many `&` before the next semicolon.
        let end = after.bytes().take(10).position(|byte| byte == b';');
        let entity = end.and_then(|end| Some((entity(&after[..end])?, &after[end + 1..])));
        let (character, after) = entity.unwrap_or(('&', after));
        shown.push(character);
        rest = after;
    }
    shown.push_str(rest);
    folded(&placeholder::stripped(&shown))
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}
