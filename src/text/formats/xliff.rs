//! XLIFF 1.0 to 1.2 and 2.x, with what SDL Trados (`sdlxliff`) and memoQ (`mqxliff`) add to them.
//!
//! A segment is a sentence as the file has it; a unit that is not segmented is segmented here. The source is never changed.
//! Units that are not to be translated, are locked, or have a translation already keep it; the translation of anything else
//! goes into its target, with a state that asks for a review. Codes inside text are placeholders.

use std::collections::HashMap;

use super::edits::Edits;
use super::language;
use super::mixed::{Collected, Place, Role};
use super::xml::{Id, Xml, escaped_attribute};
use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::text::builder::{Builder, Context, Failure};
use crate::text::document::Document;
use crate::text::placeholder;
use crate::text::view::Translation;

/// Files for the exchange of translations.
pub(super) struct Xliff;

impl DocumentFormat for Xliff {
    fn label(&self) -> &'static str {
        "XLIFF"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xlf", "xliff", "sdlxliff", "mqxliff", "mxliff", "txlf"]
    }

    fn is_bilingual(&self) -> bool {
        true
    }

    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let xml = Xml::read(name, text)?;
        let root = xml.root();
        if xml.name(root) != "xliff" {
            return Err(xml.damaged("its outermost element is no xliff"));
        }
        let version = xml.attribute(root, "version").unwrap_or_default();
        let is_second =
            version.starts_with('2') || xml.namespace(root).contains(":xliff:document:2");
        builder.set_language(said(&xml, "source-language", "srcLang").as_deref());
        builder.set_target_language(said(&xml, "target-language", "trgLang").as_deref());
        let mut reader = Reader {
            xml: &xml,
            builder,
            slots: Vec::new(),
            units: 0,
        };
        if is_second {
            reader.second(root, true)?;
        } else {
            reader.first(root, true)?;
        }
        let slots = reader.slots;
        Ok(Box::new(XliffFile {
            xml,
            encoding,
            slots,
            is_second,
        }))
    }
}

/// The language that the first file of XLIFF 1 says, or all of XLIFF 2.
fn said(xml: &Xml, first: &str, second: &str) -> Option<String> {
    let root = xml.root();
    let of_root = xml.attribute(root, second);
    let of_file = || xml.attribute(xml.child(root, "file")?, first);
    of_root.or_else(of_file).map(std::borrow::Cow::into_owned)
}

#[derive(Debug)]
struct XliffFile {
    xml: Xml,
    encoding: Encoding,
    slots: Vec<Slot>,
    is_second: bool,
}

/// A segment, and where its translation goes.
#[derive(Debug)]
struct Slot {
    place: Place,
    /// The unit of the file, counted; several segments may share its target.
    number: usize,
    /// The `trans-unit`, or the `segment`.
    holder: Id,
    /// The segment in `seg-source`.
    segment: Option<Id>,
}

struct Reader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    slots: Vec<Slot>,
    units: usize,
}

impl Reader<'_, '_> {
    /// The units of XLIFF 1 in an element.
    fn first(&mut self, parent: Id, translated: bool) -> Result<(), Failure> {
        let xml = self.xml;
        for child in xml.elements(parent) {
            let translated = is_translated(xml, child, translated);
            match xml.name(child) {
                "trans-unit" => self.trans_unit(child, translated)?,
                "file" | "body" | "group" => self.first(child, translated)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn trans_unit(&mut self, unit: Id, translated: bool) -> Result<(), Failure> {
        let xml = self.xml;
        let Some(source) = xml.child(unit, "source") else {
            return Err(xml.damaged("a trans-unit without a source"));
        };
        self.units += 1;
        self.matches(unit, source);
        let is_locked = xml
            .qualified_attribute(unit, "mq:locked")
            .is_some_and(|it| it == "locked")
            || xml
                .attribute(unit, "locked")
                .is_some_and(|it| matches!(&*it, "true" | "yes"));
        if !translated || is_locked {
            return Ok(());
        }
        let target = xml.child(unit, "target");
        let segments: Vec<Id> = xml
            .child(unit, "seg-source")
            .map_or(Vec::new(), |id| segments(xml, id));
        if segments.is_empty() {
            let known = target.filter(|&target| is_done(xml, source, target));
            self.unit(unit, source, None, known);
            return Ok(());
        }
        let locked = locked_segments(xml, unit);
        let targets = target.map_or(HashMap::new(), |target| by_mid(xml, target));
        for segment in segments {
            let mid = xml.attribute(segment, "mid").unwrap_or_default();
            if locked.contains(&&*mid) {
                continue;
            }
            let known = targets
                .get(&*mid)
                .copied()
                .filter(|&target| is_done(xml, segment, target));
            // A target that is not segmented is one of the whole unit.
            if targets.is_empty() && target.is_some_and(|target| is_done(xml, source, target)) {
                continue;
            }
            self.unit(unit, segment, Some(segment), known);
        }
        Ok(())
    }

    /// The units of XLIFF 2 in an element.
    fn second(&mut self, parent: Id, translated: bool) -> Result<(), Failure> {
        let xml = self.xml;
        for child in xml.elements(parent) {
            let translated = is_translated(xml, child, translated);
            match xml.name(child) {
                "unit" if translated => self.second_unit(child)?,
                "file" | "group" => self.second(child, translated)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn second_unit(&mut self, unit: Id) -> Result<(), Failure> {
        let xml = self.xml;
        if let Some(matches) = xml.child(unit, "matches") {
            self.matches(matches, matches);
        }
        for segment in xml.elements(unit).filter(|&id| xml.name(id) == "segment") {
            self.units += 1;
            let Some(source) = xml.child(segment, "source") else {
                return Err(xml.damaged("a segment without a source"));
            };
            let known = xml
                .child(segment, "target")
                .filter(|&target| is_done(xml, source, target));
            self.unit(segment, source, Some(segment), known);
        }
        Ok(())
    }

    /// Takes in the translations of similar texts that stand in an element: `alt-trans`, XLIFF 2's `mtc:match`, what memoQ
    /// has inserted. Those with codes help only people.
    fn matches(&mut self, holder: Id, source: Id) {
        let xml = self.xml;
        for found in xml.elements(holder) {
            if !matches!(xml.name(found), "alt-trans" | "match" | "insertedmatch") {
                continue;
            }
            // Without a source of its own it is for this one, and only if it is a full match.
            let quality = xml.attribute(found, "match-quality").unwrap_or_default();
            let own = xml.child(found, "source");
            let own = own.or_else(|| quality.starts_with("100").then_some(source));
            let is_text = |id: &Id| xml.elements(*id).next().is_none();
            let target = xml.child(found, "target").filter(is_text);
            if let (Some(source), Some(target)) = (own.filter(is_text), target) {
                let (source, target) = (xml.whole_text(source), xml.whole_text(target));
                self.builder.add_match(&source, &target);
            }
        }
    }

    /// A segment, or a unit that has none.
    fn unit(&mut self, holder: Id, source: Id, segment: Option<Id>, known: Option<Id>) {
        let xml = self.xml;
        let mut collected = if keeps_space(xml, source) {
            Collected::keeping_lines()
        } else {
            Collected::default()
        };
        collected.children(xml, source, &|id| role(xml, id));
        let elements = std::mem::take(&mut collected.elements);
        let context = Context {
            id: id_of(xml, holder),
            note: note(xml, holder),
            max_chars: max_chars(xml, holder),
            is_sentence: segment.is_some() || known.is_some(),
            ..Context::default()
        };
        let Some(place) = collected.unit(self.builder, context) else {
            return;
        };
        if let Some(target) = known {
            let mut codes = HashMap::new();
            for (element, open, close) in elements {
                let placeholder = |code| self.builder.placeholder(place.unit, code);
                if let Some(open) = placeholder(open) {
                    codes.insert(key(xml, element), (open, close.and_then(placeholder)));
                }
            }
            let text = known_text(xml, &codes, target);
            let [sentence] = self.builder.sentences_of(place.unit) else {
                return;
            };
            sentence.known = Some(text);
        }
        self.slots.push(Slot {
            place,
            number: self.units,
            holder,
            segment: segment.filter(|&segment| segment != holder),
        });
    }
}

/// Whether an element is to be translated, by what it says itself or else by what it stands in.
fn is_translated(xml: &Xml, id: Id, around: bool) -> bool {
    match xml.attribute(id, "translate").as_deref() {
        Some("no") => false,
        Some("yes") => true,
        _ => around,
    }
}

/// The effect of a code on the text around it.
fn role(xml: &Xml, id: Id) -> Role {
    match xml.name(id) {
        "mrk" if is_protected(xml, id) => Role::Opaque(xml.whole_text(id)),
        "g" | "pc" | "mrk" => Role::Inline,
        "bpt" | "bx" | "sc" => Role::Begin(pair_id(xml, id, "id")),
        "ept" | "ex" | "ec" => Role::End(pair_id(xml, id, "startRef")),
        "cp" => Role::Hidden,
        "x" if xml.attribute(id, "ctype").as_deref() == Some("lb") => Role::LineBreak,
        "ph" if xml.attribute(id, "subType").as_deref() == Some("xlf:lb") => Role::LineBreak,
        _ => Role::Point,
    }
}

/// By which both codes of a pair are known.
fn pair_id(xml: &Xml, code: Id, second: &str) -> String {
    let id = xml
        .attribute(code, "rid")
        .or_else(|| xml.attribute(code, second));
    id.or_else(|| xml.attribute(code, "id"))
        .unwrap_or_default()
        .into_owned()
}

fn is_protected(xml: &Xml, mark: Id) -> bool {
    xml.attribute(mark, "mtype").as_deref() == Some("protected")
        || xml.attribute(mark, "translate").as_deref() == Some("no")
}

/// The segments of a `seg-source`, in order.
fn segments(xml: &Xml, parent: Id) -> Vec<Id> {
    xml.descendants(parent)
        .filter(|&id| is_segment(xml, id))
        .collect()
}

fn is_segment(xml: &Xml, id: Id) -> bool {
    xml.name(id) == "mrk" && xml.attribute(id, "mtype").as_deref() == Some("seg")
}

fn by_mid(xml: &Xml, target: Id) -> HashMap<String, Id> {
    let with_mid = |id: Id| Some((xml.attribute(id, "mid")?.into_owned(), id));
    segments(xml, target)
        .into_iter()
        .filter_map(with_mid)
        .collect()
}

/// The ids of the segments that Trados has locked.
fn locked_segments(xml: &Xml, unit: Id) -> Vec<&str> {
    let is_locked =
        |&id: &Id| xml.name(id) == "seg" && xml.attribute(id, "locked").as_deref() == Some("true");
    let locked = xml.descendants(unit).filter(is_locked);
    locked
        .filter_map(|id| xml.attribute_range(id, "id"))
        .map(|range| xml.slice(range))
        .collect()
}

/// Whether a target is somebody's work, not a copy of the source that waits for it.
fn is_done(xml: &Xml, source: Id, target: Id) -> bool {
    let text = xml.whole_text(target);
    if text.trim().is_empty() {
        return false;
    }
    let of_segment = xml
        .parent(target)
        .and_then(|segment| xml.attribute(segment, "state"));
    let state = xml.attribute(target, "state").or(of_segment);
    match state.as_deref() {
        Some("new" | "initial" | "needs-translation") => false,
        Some(_) => true,
        None => text != xml.whole_text(source) || is_approved(xml, target),
    }
}

/// Whether a target is said to be right beside it, where it may be equal to its source.
fn is_approved(xml: &Xml, target: Id) -> bool {
    let Some(unit) = xml
        .ancestors(target)
        .find(|&id| xml.name(id) == "trans-unit")
    else {
        return false;
    };
    let of_memoq = xml.qualified_attribute(unit, "mq:status");
    if xml.attribute(unit, "approved").as_deref() == Some("yes")
        || of_memoq.is_some_and(|it| matches!(&*it, "ManuallyConfirmed" | "Reviewed" | "Proofread"))
    {
        return true;
    }
    let mid = xml.attribute(target, "mid");
    let is_done = |&id: &Id| {
        xml.name(id) == "seg"
            && xml.attribute(id, "id") == mid
            && xml.attribute(id, "conf").is_some_and(|it| {
                matches!(
                    &*it,
                    "Translated" | "ApprovedTranslation" | "ApprovedSignOff"
                )
            })
    };
    mid.is_some() && xml.descendants(unit).any(|id| is_done(&id))
}

/// A target with the placeholders of its source; codes that the source does not have are left out.
fn known_text(xml: &Xml, collected: &HashMap<Key, (char, Option<char>)>, target: Id) -> String {
    let mut text = String::new();
    known_children(xml, collected, target, &mut text);
    placeholder::folded(&text)
}

/// By which a code of the source is found in the target.
type Key = (String, String);

fn key(xml: &Xml, code: Id) -> Key {
    let id = xml
        .attribute(code, "id")
        .or_else(|| xml.attribute(code, "rid"));
    let id = id
        .or_else(|| xml.attribute(code, "startRef"))
        .or_else(|| xml.attribute(code, "mid"));
    (
        xml.name(code).to_owned(),
        id.unwrap_or_default().into_owned(),
    )
}

fn known_children(
    xml: &Xml,
    codes: &HashMap<Key, (char, Option<char>)>,
    parent: Id,
    text: &mut String,
) {
    for child in xml.children(parent) {
        if !xml.is_element(child) {
            text.push_str(&xml.text_of(child).unwrap_or_default());
            continue;
        }
        let found = codes.get(&key(xml, child));
        text.extend(found.map(|(open, _)| open));
        if role(xml, child) == Role::Inline {
            known_children(xml, codes, child, text);
            text.extend(found.and_then(|(_, close)| *close));
        }
    }
}

/// Whether space counts in an element.
fn keeps_space(xml: &Xml, id: Id) -> bool {
    let own = std::iter::once(id).chain(xml.ancestors(id));
    let mut said = own.filter_map(|id| xml.qualified_attribute(id, "xml:space"));
    said.next().is_some_and(|space| space == "preserve")
}

fn id_of(xml: &Xml, holder: Id) -> Option<String> {
    let id = xml.attribute(holder, "id");
    if xml.name(holder) != "segment" {
        return id.map(std::borrow::Cow::into_owned);
    }
    let unit = xml
        .parent(holder)
        .and_then(|unit| xml.attribute(unit, "id"))?;
    Some(id.map_or(unit.to_string(), |id| format!("{unit}/{id}")))
}

/// The text of a unit's notes.
fn note(xml: &Xml, holder: Id) -> Option<String> {
    let unit = match xml.name(holder) {
        "segment" => xml.child(xml.parent(holder)?, "notes")?,
        _ => holder,
    };
    let notes = xml.elements(unit).filter(|&id| xml.name(id) == "note");
    let notes = notes.map(|note| xml.whole_text(note).trim().to_owned());
    let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
    Some(notes.join("\n")).filter(|notes| !notes.is_empty())
}

fn max_chars(xml: &Xml, holder: Id) -> Option<usize> {
    let restricted = xml.attribute(holder, "sizeRestriction");
    let width = xml.attribute(holder, "maxwidth");
    let width = width.filter(|_| xml.attribute(holder, "size-unit").as_deref() == Some("char"));
    width.or(restricted)?.parse().ok()
}

impl WriteBack for XliffFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        let mut slots = self.slots.as_slice();
        while let Some(first) = slots.first() {
            let count = slots
                .iter()
                .take_while(|slot| slot.number == first.number)
                .count();
            let (unit, rest) = slots.split_at(count);
            slots = rest;
            let written: Vec<Option<String>> = unit
                .iter()
                .map(|slot| self.content(slot, translation))
                .collect();
            if written.iter().all(Option::is_none) {
                continue;
            }
            match first.segment {
                Some(_) => self.write_segments(unit, &written, &mut edits),
                None => self.write_unit(first, written.into_iter().flatten().next(), &mut edits),
            }
        }
        if edits.is_empty() {
            return self.encoding.encode(&self.xml.text);
        }
        if let Some(language) = translation.language {
            self.set_language(language, &mut edits);
        }
        self.encoding.encode(&edits.applied(&self.xml.text))
    }
}

impl XliffFile {
    /// The new content of a segment's target, if there is any.
    fn content(&self, slot: &Slot, translation: &Translation) -> Option<String> {
        let parts = translation.parts(slot.place.unit)?;
        let source = Edits::default();
        Some(
            slot.place
                .written(&self.xml, self.encoding, &parts, &source),
        )
    }

    fn write_unit(&self, slot: &Slot, content: Option<String>, edits: &mut Edits) {
        if let Some(content) = content {
            let target = self.target(slot.holder, &content);
            self.put_target(slot.holder, target, edits);
            self.set_state(slot.holder, None, edits);
        }
    }

    /// The target of a unit that is segmented in its source.
    fn write_segments(&self, slots: &[Slot], written: &[Option<String>], edits: &mut Edits) {
        let (xml, holder) = (&self.xml, slots[0].holder);
        let mid = |slot: &Slot| {
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
                edits.replace(xml.range(target), self.filled(target, content));
                self.set_state(holder, Some(&mid(slot)), edits);
            }
            return;
        }
        let Some(segmented) = xml.child(holder, "seg-source") else {
            return;
        };
        let mut inner = Edits::default();
        for (slot, content) in new() {
            if let Some(segment) = slot.segment {
                inner.replace(xml.range(segment), self.filled(segment, content));
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
        let target = self.target(holder, &content);
        self.put_target(holder, target, edits);
    }

    /// An element with other content.
    fn filled(&self, element: Id, content: &str) -> String {
        let xml = &self.xml;
        let start = xml.slice(xml.start_tag(element));
        let name = xml.qualified(element);
        if xml.is_empty_tag(element) {
            format!(
                "{}>{content}</{name}>",
                start.trim_end_matches("/>").trim_end()
            )
        } else {
            format!("{start}{content}</{name}>")
        }
    }

    /// The target element of a unit or segment; it asks for a review where that is what targets do.
    fn target(&self, holder: Id, content: &str) -> String {
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
        if says_state {
            let offset = xml.start_tag(target).start;
            match xml.attribute_range(target, "state") {
                Some(range) => start.replace_range(range.start - offset..range.end - offset, STATE),
                None => start.extend([" state=\"", STATE, "\""]),
            }
        }
        format!("{start}>{content}</{}>", xml.qualified(target))
    }

    /// Puts a target in the place of the one that is there, or behind the source.
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

    /// Says beside the target that it is there: as Trados and memoQ do, and XLIFF 2.
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
