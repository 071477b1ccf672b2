//! String catalogues of Xcode: one file with all languages.
//!
//! A translation is added as a localisation of its language with the plural forms of that language, and is marked for
//! review; existing ones stay, also if they are marked for review themselves, unless drafts are to be translated
//! anew. Without a language, as in a pseudo-translation, the texts of the source language are replaced.

use std::ops::Range;

use super::json_text::{self, Key, Kind, Spelling, Value};
use super::{Dialect, Text, is_prose, line_end, plurals};
use crate::builder::{Builder, Context, Failure};
use crate::formats::edits::Edits;
use crate::formats::slots::{Slot, SlotFile};
use crate::formats::{DocumentFormat, Encoding, Kept, language};
use crate::view::Translation;

/// String catalogues.
pub(in crate::formats) struct Xcstrings;

impl DocumentFormat for Xcstrings {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let root = json_text::read(name, &text)?;
        let source_language = root
            .member("sourceLanguage")
            .and_then(Value::text)
            .unwrap_or("en")
            .to_owned();
        builder.set_language(Some(&source_language));
        let Some(strings) = root
            .member("strings")
            .filter(|it| matches!(it.kind, Kind::Object(_)))
        else {
            return Err(super::damaged(name, &text, 0, "it has no strings"));
        };
        let mut entries = Vec::new();
        for (key, entry) in strings.members() {
            let is_stale = entry.member("extractionState").and_then(Value::text) == Some("stale");
            let is_kept = entry
                .member("shouldTranslate")
                .is_some_and(|value| text[value.range.clone()] == *"false");
            if !is_stale && !is_kept {
                entries.extend(read_entry(key, entry, &source_language, builder, &text));
            }
        }
        let format = XcodeCatalogue {
            replaces_drafts: builder.options().drafts,
            spelling: Spelling::new(&text, encoding),
            style: Style::new(&text),
            root,
            source_language,
        };
        Ok(SlotFile::kept(format, text, encoding, entries))
    }
}

/// A text of the source language with its variations.
#[derive(Debug, Default)]
struct Localization {
    /// Its text, where the file has it, and what is translated of it.
    unit: Option<(String, Option<Range<usize>>, Option<Text>)>,
    /// By `plural` or `device`: the cases.
    variations: Vec<(String, Vec<(String, Localization)>)>,
    substitutions: Vec<Substitution>,
}

/// A part of a text with plurals of its own.
#[derive(Debug)]
struct Substitution {
    name: String,
    /// Its other members, as written.
    others: Vec<(String, String)>,
    text: Localization,
}

#[derive(Debug)]
struct CatalogueEntry {
    key: String,
    source: Localization,
}

fn read_entry(
    key: &Key,
    entry: &Value,
    language: &str,
    builder: &mut Builder,
    text: &str,
) -> Option<CatalogueEntry> {
    let note = entry.member("comment").and_then(Value::text);
    let context = Context::named(Some(key.text.clone()), note.map(str::to_owned));
    let own = entry
        .member("localizations")
        .and_then(|all| all.member(language));
    let source = match own {
        Some(own) => Localization::read(own, &context, builder, text),
        None if is_prose(&key.text) => {
            let read = Text::read(&key.text, Dialect::PLAIN, builder, context);
            Localization {
                unit: Some((key.text.clone(), None, read)),
                ..Localization::default()
            }
        }
        None => return None,
    };
    Some(CatalogueEntry {
        key: key.text.clone(),
        source,
    })
}

impl Localization {
    fn read(value: &Value, context: &Context, builder: &mut Builder, text: &str) -> Self {
        let mut localization = Self::default();
        let of_unit = value
            .member("stringUnit")
            .and_then(|unit| unit.member("value"));
        if let Some((unit, string)) = of_unit.and_then(|unit| Some((unit, unit.text()?))) {
            let read = Text::read(string, Dialect::PLAIN, builder, context.clone());
            localization.unit = Some((string.to_owned(), Some(unit.range.clone()), read));
        }
        for (kind, cases) in value.member("variations").map_or(&[][..], Value::members) {
            let case = |(case, value): &(Key, Value)| {
                let context = context.with_note(&case.text);
                (
                    case.text.clone(),
                    Self::read(value, &context, builder, text),
                )
            };
            let cases = cases.members().iter().map(case).collect();
            localization.variations.push((kind.text.clone(), cases));
        }
        for (name, part) in value
            .member("substitutions")
            .map_or(&[][..], Value::members)
        {
            let others = part
                .members()
                .iter()
                .filter(|(key, _)| key.text != "variations");
            let others =
                others.map(|(key, value)| (key.text.clone(), text[value.range.clone()].to_owned()));
            let others = others.collect();
            let context = context.with_note(&name.text);
            let own = Self::read(part, &context, builder, text);
            localization.substitutions.push(Substitution {
                name: name.text.clone(),
                others,
                text: own,
            });
        }
        localization
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let cases = self
            .variations
            .iter()
            .flat_map(|(_, cases)| cases)
            .map(|(_, case)| case);
        cases.chain(self.substitutions.iter().map(|part| &part.text))
    }

    /// Whether anything of it is translated.
    fn is_new(&self, translation: &Translation) -> bool {
        let own = self
            .unit
            .as_ref()
            .and_then(|(_, _, text)| text.as_ref()?.written(translation));
        own.is_some() || self.children().any(|child| child.is_new(translation))
    }

    /// Puts the translations in the place of the source.
    fn replace(&self, translation: &Translation, spelling: Spelling, edits: &mut Edits) {
        if let Some((_, Some(range), Some(text))) = &self.unit
            && let Some(written) = text.written(translation)
        {
            edits.replace(range.clone(), spelling.spelt(&written));
        }
        for child in self.children() {
            child.replace(translation, spelling, edits);
        }
    }

    /// Returns a localisation of another language.
    fn localized(&self, translation: &Translation, language: &str, spelling: Spelling) -> New {
        let mut members = Vec::new();
        if !self.substitutions.is_empty() {
            let part = |part: &Substitution| {
                let name = part.name.clone();
                let New::Object(mut inner) = part.text.localized(translation, language, spelling)
                else {
                    return (name, New::Raw(String::new()));
                };
                let others = part.others.iter();
                inner.extend(others.map(|(key, raw)| (key.clone(), New::Raw(raw.clone()))));
                inner.sort_by(|left, right| left.0.cmp(&right.0));
                (name, New::Object(inner))
            };
            let parts = self.substitutions.iter().map(part).collect();
            members.push(("substitutions".to_owned(), New::Object(parts)));
        }
        if let Some((source, _, text)) = &self.unit {
            let written = text.as_ref().and_then(|text| text.written(translation));
            let value = spelling.spelt(written.as_ref().unwrap_or(source));
            let unit = vec![
                ("state".to_owned(), New::Raw("\"needs_review\"".to_owned())),
                ("value".to_owned(), New::Raw(value)),
            ];
            members.push(("stringUnit".to_owned(), New::Object(unit)));
        }
        if !self.variations.is_empty() {
            let kinds = self.variations.iter().map(|(kind, cases)| {
                let cases = cases_of(kind, cases, language).into_iter();
                let cases = cases
                    .map(|(case, value)| (case, value.localized(translation, language, spelling)));
                (kind.clone(), New::Object(cases.collect()))
            });
            members.push(("variations".to_owned(), New::Object(kinds.collect())));
        }
        New::Object(members)
    }
}

/// The cases of a variation in another language: its plural forms, each from the source's form that is closest.
fn cases_of<'c>(
    kind: &str,
    cases: &'c [(String, Localization)],
    language: &str,
) -> Vec<(String, &'c Localization)> {
    let case = |name: &str| {
        cases
            .iter()
            .find(|(case, _)| case == name)
            .map(|(_, value)| value)
    };
    let (true, Some(other)) = (kind == "plural", case("other")) else {
        return cases
            .iter()
            .map(|(case, value)| (case.clone(), value))
            .collect();
    };
    let mut names = plurals::categories(language);
    if case("zero").is_some() && !names.contains(&"zero") {
        names.push("zero");
    }
    names.sort_unstable();
    names
        .into_iter()
        .map(|name| (name.to_owned(), case(name).unwrap_or(other)))
        .collect()
}

/// JSON that is added to a file.
enum New {
    Object(Vec<(String, New)>),
    Raw(String),
}

/// How a file is laid out.
#[derive(Debug, Clone, Copy)]
struct Style {
    colon: &'static str,
    /// The white space of one level.
    level: &'static str,
    line_end: &'static str,
}

impl Style {
    fn new(text: &str) -> Self {
        let inner = text.lines().nth(1).unwrap_or_default();
        Self {
            colon: if text.contains("\" : ") { " : " } else { ": " },
            level: match inner.len() - inner.trim_start().len() {
                4 => "    ",
                1 => "\t",
                _ => "  ",
            },
            line_end: line_end(text),
        }
    }

    fn print(self, new: &New, indent: &str, spelling: Spelling) -> String {
        let New::Object(members) = new else {
            return match new {
                New::Raw(raw) => raw.clone(),
                New::Object(_) => String::new(),
            };
        };
        let inner = format!("{indent}{}", self.level);
        let member = |(key, value): &(String, New)| {
            let value = self.print(value, &inner, spelling);
            format!("{inner}{}{}{value}", spelling.spelt(key), self.colon)
        };
        let members: Vec<String> = members.iter().map(member).collect();
        let separator = format!(",{}", self.line_end);
        format!(
            "{{{0}{1}{0}{indent}}}",
            self.line_end,
            members.join(&separator)
        )
    }
}

#[derive(Debug)]
struct XcodeCatalogue {
    spelling: Spelling,
    style: Style,
    root: Value,
    source_language: String,
    replaces_drafts: bool,
}

impl Slot for CatalogueEntry {
    type Source = String;
    type Facts = XcodeCatalogue;

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        if !self.source.is_new(translation) {
            return;
        }
        let source_language = &file.facts.source_language;
        let is_other = |to: &&str| language::parts(to) != language::parts(source_language);
        let other = translation.language.filter(is_other);
        let unit = self.source.unit.as_ref();
        let is_in_file = unit.is_none_or(|(_, range, _)| range.is_some());
        if other.is_none() && is_in_file {
            return self.source.replace(translation, file.facts.spelling, edits);
        }
        file.add(self, translation, other.unwrap_or(source_language), edits);
    }
}

impl SlotFile<CatalogueEntry> {
    /// Adds a localisation to an entry, or replaces one that is not begun.
    fn add(
        &self,
        entry: &CatalogueEntry,
        translation: &Translation,
        language: &str,
        edits: &mut Edits,
    ) {
        let strings = self.facts.root.member("strings");
        let Some(object) = strings.and_then(|strings| strings.member(&entry.key)) else {
            return;
        };
        let new = entry
            .source
            .localized(translation, language, self.facts.spelling);
        let Some(all) = object.member("localizations") else {
            let all = New::Object(vec![(language.to_owned(), new)]);
            return self.insert(object, "localizations", &all, edits);
        };
        let is_it = |(key, _): &&(Key, Value)| {
            key.text == language || language::parts(&key.text) == language::parts(language)
        };
        match all.members().iter().find(is_it) {
            Some((_, value)) if is_kept(value, self.facts.replaces_drafts) => {}
            Some((_, value)) => {
                let printed = self.facts.style.print(
                    &new,
                    &self.indent(value.range.start),
                    self.facts.spelling,
                );
                edits.replace(value.range.clone(), printed);
            }
            None => self.insert(all, language, &new, edits),
        }
    }

    /// Adds a member to an object, in the order of the keys.
    fn insert(&self, object: &Value, key: &str, new: &New, edits: &mut Edits) {
        let style = self.facts.style;
        let outer = self.indent(object.range.start);
        let members = object.members();
        let indent = match members.first() {
            Some((first, _)) => self.indent(first.start),
            None => format!("{outer}{}", style.level),
        };
        let printed = style.print(new, &indent, self.facts.spelling);
        let printed = format!("{}{}{printed}", self.facts.spelling.spelt(key), style.colon);
        let next = members.iter().find(|(other, _)| other.text.as_str() > key);
        match (next, members.last()) {
            (Some((next, _)), _) => {
                let place = next.start;
                edits.replace(
                    place..place,
                    format!("{printed},{}{indent}", style.line_end),
                );
            }
            (None, Some((_, last))) => {
                let place = last.range.end;
                edits.replace(
                    place..place,
                    format!(",{}{indent}{printed}", style.line_end),
                );
            }
            (None, None) => {
                let whole = format!("{{{0}{indent}{printed}{0}{outer}}}", style.line_end);
                edits.replace(object.range.clone(), whole);
            }
        }
    }

    /// The white space at the beginning of the line in which a byte is.
    fn indent(&self, place: usize) -> String {
        let before = &self.source[..place];
        let line = &self.source[before.rfind('\n').map_or(0, |at| at + 1)..];
        let length = line.len() - line.trim_start_matches([' ', '\t']).len();
        line[..length].to_owned()
    }
}

/// Whether all texts of a localisation are a person's work.
fn is_kept(value: &Value, replaces_drafts: bool) -> bool {
    match &value.kind {
        Kind::Object(members) => members.iter().all(|(key, value)| match key.text.as_str() {
            "state" => match value.text() {
                Some("new" | "stale") => false,
                Some("needs_review") => !replaces_drafts,
                _ => true,
            },
            _ => is_kept(value, replaces_drafts),
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
