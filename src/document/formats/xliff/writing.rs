//! Targets and their states, as they are written.

use std::collections::HashMap;
use std::ops::Range;

use super::codes::{by_mid, segments};
use super::{Content, XliffFile, XliffSlot};
use crate::builder::Failure;
use crate::document::Document;
use crate::formats::WriteBack;
use crate::formats::edits::Edits;
use crate::formats::language;
use crate::formats::xml::{Id, escaped_attribute};
use crate::view::Translation;

impl WriteBack for XliffFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        let mut contents: Vec<Option<String>> = self
            .slots
            .iter()
            .map(|slot| self.content(slot, translation))
            .collect();
        if translation.language.is_some() || contents.iter().any(Option::is_some) {
            self.add_fixed(&mut contents);
        }
        let language = translation.language;
        let mut slots = self.slots.as_slice();
        while let Some(first) = slots.first() {
            let is_of_unit = |slot: &&XliffSlot| slot.number == first.number;
            let (unit, rest) = slots.split_at(slots.iter().take_while(is_of_unit).count());
            slots = rest;
            let written: Vec<Option<String>> = contents.drain(..unit.len()).collect();
            if written.iter().all(Option::is_none) {
                continue;
            }
            if first.segment.is_some() {
                self.write_segments(unit, &written, language, &mut edits);
            } else {
                let content = written.into_iter().flatten().next();
                self.write_unit(first, content, language, &mut edits);
            }
        }
        if edits.is_empty() {
            return self.encoding.encode(&self.xml.text);
        }
        if let Some(language) = translation.language {
            self.set_language(language, &mut edits);
        }
        self.encoding.encode_xml(edits.applied(&self.xml.text))
    }
}

impl XliffFile {
    /// The new content of a segment's target, if there is any.
    fn content(&self, slot: &XliffSlot, translation: &Translation) -> Option<String> {
        match &slot.content {
            Content::Text(place) => {
                let parts = translation.parts(place.unit)?;
                Some(place.written(&self.xml, self.encoding, &parts, &Edits::default()))
            }
            Content::Messages(messages) => messages.written(&self.xml, self.encoding, translation),
            Content::Fixed(_) => None,
        }
    }

    /// Adds what is the same in every language.
    fn add_fixed(&self, contents: &mut [Option<String>]) {
        for (slot, content) in self.slots.iter().zip(contents) {
            if let Content::Fixed(source) = slot.content {
                *content = Some(self.xml.slice(self.xml.inner(source)).to_owned());
            }
        }
    }

    fn write_unit(
        &self,
        slot: &XliffSlot,
        content: Option<String>,
        language: Option<&str>,
        edits: &mut Edits,
    ) {
        if let Some(content) = content {
            let target = self.target(slot.holder, &content, language);
            self.put_target(slot.holder, target, edits);
            self.set_state(slot.holder, None, edits);
        }
    }

    /// The target of a unit that is segmented in its source.
    fn write_segments(
        &self,
        slots: &[XliffSlot],
        written: &[Option<String>],
        language: Option<&str>,
        edits: &mut Edits,
    ) {
        let (xml, holder) = (&self.xml, slots[0].holder);
        let mid = |slot: &XliffSlot| {
            slot.segment
                .and_then(|segment| xml.attribute(segment, "mid"))
                .unwrap_or_default()
        };
        let targets = xml
            .child(holder, "target")
            .map_or(HashMap::new(), |target| by_mid(xml, target));
        let new = || {
            slots
                .iter()
                .zip(written)
                .filter_map(|(slot, written)| Some((slot, written.as_ref()?)))
        };
        // A target that holds no work yet may have its codes anywhere.
        let is_begun = targets
            .values()
            .any(|&target| !xml.whole_text(target).trim().is_empty());
        if is_begun && new().all(|(slot, _)| targets.contains_key(&*mid(slot))) {
            for (slot, content) in new() {
                let target = targets[&*mid(slot)];
                edits.replace(xml.range(target), xml.filled(target, content));
                self.set_state(holder, Some(&mid(slot)), edits);
            }
            if let Some(target) = xml.child(holder, "target")
                && let Some((range, language)) = self.other_language(target, language)
            {
                edits.replace(range, language);
            }
            return;
        }
        let Some(segmented) = xml.child(holder, "seg-source") else {
            return;
        };
        let mut inner = Edits::default();
        for (slot, content) in new() {
            if let Some(segment) = slot.segment {
                inner.replace(xml.range(segment), xml.filled(segment, content));
                self.set_state(holder, Some(&mid(slot)), edits);
            }
        }
        // What is not translated now may be already.
        for segment in segments(xml, segmented) {
            let mid = xml.attribute(segment, "mid").unwrap_or_default();
            let is_new = new().any(|(slot, _)| slot.segment == Some(segment));
            if let (Some(target), false) = (targets.get(&*mid), is_new) {
                inner.replace(xml.range(segment), xml.slice(xml.range(*target)).to_owned());
            }
        }
        let content = inner.slice(&xml.text, xml.inner(segmented));
        let target = self.target(holder, &content, language);
        self.put_target(holder, target, edits);
    }

    /// The target element of a unit or segment; it is marked for review where targets can be.
    fn target(&self, holder: Id, content: &str, language: Option<&str>) -> String {
        const STATE: &str = "needs-review-translation";
        let xml = &self.xml;
        let says_state = !self.is_second && !self.is_trados();
        let Some(target) = xml.child(holder, "target") else {
            let source = xml.child(holder, "source").unwrap_or(holder);
            let name = xml.qualified(source).replace("source", "target");
            let state = if says_state {
                format!(" state=\"{STATE}\"")
            } else {
                String::new()
            };
            return format!("<{name}{state}>{content}</{name}>");
        };
        let mut start = xml
            .slice(xml.start_tag(target))
            .trim_end_matches('>')
            .trim_end_matches('/')
            .trim_end()
            .to_owned();
        let mut changes: Vec<_> = self.other_language(target, language).into_iter().collect();
        if says_state {
            match xml.attribute_range(target, "state") {
                Some(range) => changes.push((range, STATE.to_owned())),
                None => start.extend([" state=\"", STATE, "\""]),
            }
        }
        let offset = xml.start_tag(target).start;
        changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, value) in changes {
            start.replace_range(range.start - offset..range.end - offset, &value);
        }
        format!("{start}>{content}</{}>", xml.qualified(target))
    }

    /// Where a target says that it is in another language than this one, and what it is to say.
    fn other_language(&self, target: Id, language: Option<&str>) -> Option<(Range<usize>, String)> {
        let language = language?;
        let mut attributes = self.xml.attributes(target).into_iter();
        let (_, range) = attributes.find(|(name, _)| *name == "xml:lang")?;
        let said = language::parts(self.xml.slice(range.clone())).0;
        (said != language::parts(language).0).then(|| (range, escaped_attribute(language)))
    }

    /// Puts a target in the place of the existing one, or after the source.
    fn put_target(&self, holder: Id, target: String, edits: &mut Edits) {
        let xml = &self.xml;
        if let Some(old) = xml.child(holder, "target") {
            return edits.replace(xml.range(old), target);
        }
        let Some(source) = xml
            .child(holder, "seg-source")
            .or_else(|| xml.child(holder, "source"))
        else {
            return;
        };
        let place = xml.range(source);
        let before = &xml.text[..place.start];
        let space = &before[before.trim_end().len()..];
        edits.replace(place.end..place.end, format!("{space}{target}"));
    }

    /// Marks the segment as translated next to the target: as Trados and memoQ do, and XLIFF 2.
    fn set_state(&self, holder: Id, mid: Option<&str>, edits: &mut Edits) {
        let xml = &self.xml;
        if self.is_second {
            // A further state is one of the state before.
            if let Some(value) = xml.attribute_range(holder, "subState") {
                let before = xml.slice(xml.start_tag(holder).start..value.start);
                let space = before.rfind(|c: char| c.is_ascii_whitespace());
                let start = xml.start_tag(holder).start + space.unwrap_or(before.len());
                edits.replace(start..value.end + 1, String::new());
            }
            return self.set(holder, "state", "translated", edits);
        }
        if xml.qualified_attribute(holder, "mq:status").is_some() {
            self.set(holder, "status", "PartiallyEdited", edits);
        }
        let is_it = |&id: &Id| {
            xml.name(id) == "seg"
                && mid.is_none_or(|mid| xml.attribute(id, "id").as_deref() == Some(mid))
        };
        if let Some(segment) = xml
            .descendants(holder)
            .find(is_it)
            .filter(|_| self.is_trados())
        {
            self.set(segment, "conf", "Draft", edits);
        }
    }

    fn is_trados(&self) -> bool {
        let root = self.xml.root();
        self.xml
            .attributes(root)
            .iter()
            .any(|(name, _)| *name == "xmlns:sdl")
    }

    /// Gives an element an attribute.
    fn set(&self, element: Id, name: &str, value: &str, edits: &mut Edits) {
        let xml = &self.xml;
        let value = escaped_attribute(value);
        if let Some(range) = xml.attribute_range(element, name) {
            edits.replace(range, value);
        } else {
            let tag = xml.start_tag(element);
            let end = xml
                .slice(tag.clone())
                .trim_end_matches('>')
                .trim_end_matches('/')
                .trim_end()
                .len();
            let end = tag.start + end;
            edits.replace(end..end, format!(" {name}=\"{value}\""));
        }
    }

    /// Says the language of the targets, unless a variety of it is said already.
    fn set_language(&self, language: &str, edits: &mut Edits) {
        let xml = &self.xml;
        let (elements, name): (Vec<Id>, &str) = if self.is_second {
            (vec![xml.root()], "trgLang")
        } else {
            (
                xml.elements(xml.root())
                    .filter(|&id| xml.name(id) == "file")
                    .collect(),
                "target-language",
            )
        };
        let (main, _) = language::parts(language);
        for element in elements {
            let said = xml.attribute(element, name);
            if said.is_none_or(|said| language::parts(&said).0 != main) {
                self.set(element, name, language, edits);
            }
        }
    }
}
