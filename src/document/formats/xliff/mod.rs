//! XLIFF 1.0 to 1.2 and 2.x, with what SDL Trados (`sdlxliff`) and memoQ (`mqxliff`) add to them.
//!
//! A segment is a sentence as the file has it; a unit that is not segmented is segmented here. The source is never changed.
//! Units that are not to be translated, are locked, or have a translation already keep it, also one that is a draft, unless
//! drafts are to be translated anew. The translation of anything else goes into its target, with a state that requests a
//! review. Codes inside text are placeholders.

mod codes;
mod messages;
mod states;
mod writing;

use std::borrow::Cow;
use std::collections::HashMap;

use self::codes::{
    by_mid, id_of, is_translated, keeps_space, key, known_text, locked_segments, max_chars, note,
    role, segments,
};
use self::messages::Messages;
use self::states::standing;
use super::mixed::{MixedDraft, MixedPlace};
use super::xml::{Id, Xml};
use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Exchange, Known, Standing};

/// Files for the exchange of translations.
pub(super) struct Xliff;

impl DocumentFormat for Xliff {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_xml(bytes)?;
        let xml = Xml::read(name, text)?;
        let root = xml.root();
        if xml.name(root) != "xliff" {
            return Err(xml.damaged("its outermost element is not xliff"));
        }
        let version = xml.attribute(root, "version").unwrap_or_default();
        let is_second =
            version.starts_with('2') || xml.namespace(root).contains(":xliff:document:2");
        builder.set_language(said(&xml, "source-language", "srcLang").as_deref());
        let target =
            said(&xml, "target-language", "trgLang").or_else(|| first_target_language(&xml));
        builder.set_target_language(target.as_deref());
        builder.set_strings();
        builder.set_exchange(exchange(&xml));
        let mut reader = XliffReader {
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
    of_root.or_else(of_file).map(Cow::into_owned)
}

/// The language of the first target that says one and has a text.
fn first_target_language(xml: &Xml) -> Option<String> {
    let mut targets = xml.descendants(xml.root()).filter(|&id| {
        let unit = xml.parent(id).map(|parent| xml.name(parent));
        let is_own = matches!(unit, Some("trans-unit" | "segment"));
        xml.name(id) == "target" && is_own && !xml.whole_text(id).trim().is_empty()
    });
    targets.find_map(|id| Some(xml.qualified_attribute(id, "xml:lang")?.into_owned()))
}

/// The original and the date that the first file names.
fn exchange(xml: &Xml) -> Exchange {
    let file = xml.child(xml.root(), "file");
    let said = |name: &str| xml.attribute(file?, name);
    Exchange {
        original: said("original").unwrap_or_default().into_owned(),
        date: said("date").and_then(|date| date.trim().parse().ok()),
    }
}

#[derive(Debug)]
struct XliffFile {
    xml: Xml,
    encoding: Encoding,
    slots: Vec<XliffSlot>,
    is_second: bool,
}

/// A segment, and where its translation goes.
#[derive(Debug)]
struct XliffSlot {
    content: Content,
    /// The unit of the file, counted; several segments may share its target.
    number: usize,
    /// The `trans-unit`, or the `segment`.
    holder: Id,
    /// The segment in `seg-source`.
    segment: Option<Id>,
}

/// The translated part of a segment.
#[derive(Debug)]
enum Content {
    Text(MixedPlace),
    /// A message of ICU.
    Messages(Messages),
    /// Codes or numbers alone, in this element: the same in every language.
    Fixed(Id),
}

struct XliffReader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    slots: Vec<XliffSlot>,
    units: usize,
}

impl XliffReader<'_, '_> {
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
            let known = target.and_then(|target| self.known(source, target));
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
                .and_then(|&target| self.known(segment, target));
            // A target that is not segmented is one of the whole unit.
            let whole = target.filter(|_| targets.is_empty());
            if whole.is_some_and(|target| self.known(source, target).is_some()) {
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
                .and_then(|target| self.known(source, target));
            self.unit(segment, source, Some(segment), known);
        }
        Ok(())
    }

    /// Reads the translations of similar texts in an element: `alt-trans`, XLIFF 2's `mtc:match`, what memoQ
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

    /// A target with its standing, if it is a person's work that stays.
    fn known(&self, source: Id, target: Id) -> Option<(Id, Standing)> {
        let standing = standing(self.xml, source, target)?;
        let is_replaced = standing == Standing::Draft && self.builder.options().drafts;
        (!is_replaced).then_some((target, standing))
    }

    /// A segment, or a unit that has none.
    fn unit(&mut self, holder: Id, source: Id, segment: Option<Id>, known: Option<(Id, Standing)>) {
        let xml = self.xml;
        let context = Context {
            id: id_of(xml, holder),
            note: note(xml, holder),
            max_chars: max_chars(xml, holder),
            is_sentence: segment.is_some() || known.is_some(),
            ..Context::default()
        };
        let read = match Messages::read(xml, source, self.builder, &context) {
            Some(messages) => {
                if let Some((target, standing)) = known {
                    messages.set_known(xml, target, standing, self.builder);
                }
                Some(Content::Messages(messages))
            }
            None => self.text(source, known, context).map(Content::Text),
        };
        let is_open = known.is_none() && !xml.slice(xml.inner(source)).trim().is_empty();
        let read = read.or_else(|| is_open.then_some(Content::Fixed(source)));
        self.slots.extend(read.map(|content| XliffSlot {
            content,
            number: self.units,
            holder,
            segment: segment.filter(|&segment| segment != holder),
        }));
    }

    fn text(
        &mut self,
        source: Id,
        known: Option<(Id, Standing)>,
        context: Context,
    ) -> Option<MixedPlace> {
        let xml = self.xml;
        let mut collected = if keeps_space(xml, source) {
            MixedDraft::keeping_lines()
        } else {
            MixedDraft::default()
        };
        collected.children(xml, source, &|id| role(xml, id));
        let elements = std::mem::take(&mut collected.elements);
        let place = collected.unit(self.builder, context)?;
        if let Some((target, standing)) = known {
            let mut codes = HashMap::new();
            for (element, open, close) in elements {
                let placeholder = |code| self.builder.placeholder(place.unit, code);
                if let Some(open) = placeholder(open) {
                    codes.insert(key(xml, element), (open, close.and_then(placeholder)));
                }
            }
            let text = known_text(xml, &codes, target);
            let text = self.builder.with_points(place.unit, text);
            let [sentence] = self.builder.sentences_of(place.unit) else {
                return None;
            };
            sentence.known = Some(Known { text, standing });
        }
        Some(place)
    }
}
