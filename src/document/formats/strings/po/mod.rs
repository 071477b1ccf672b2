//! Catalogues of gettext: PO files, and the templates (POT) they are made of.
//!
//! Messages without a translation are translated and marked as fuzzy, so that they are reviewed. Those that are fuzzy
//! already are drafts, unless the file has kept the message that they were a translation of. Each plural form of the target
//! language is a unit of its own. Everything else stays: comments, order, obsolete messages, finished translations.

mod catalogue;
mod header;
mod spelling;

use std::ops::Range;

use self::catalogue::{Comment, Entry};
use self::header::Header;
use super::plural_expression::PluralRule;
use super::{Dialect, Message, Percent, Text, line_end, plurals};
use crate::builder::{Builder, Context, Failure};
use crate::document::Standing;
use crate::formats::edits::Edits;
use crate::formats::slots::{Slot, SlotFile, Source};
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::view::Translation;
use crate::words::Words;

/// PO files and templates.
pub(in crate::formats) struct Po;

impl DocumentFormat for Po {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = match declared(&bytes) {
            Some(label) => Encoding::decode_labelled(bytes, &label)?,
            None => Encoding::decode_as(bytes, None)?,
        };
        if encoding != Encoding::Ascii {
            builder.set_encoding(encoding);
        }
        let entries = catalogue::entries(name, &text)?;
        let is_header = |entry: &&Entry| {
            entry.context.is_none() && entry.id.as_ref().is_some_and(|id| id.value.is_empty())
        };
        let header = entries.iter().find(is_header);
        let header = header
            .and_then(|entry| entry.targets.first())
            .map(|target| Header::read(&text, target));
        let rule = header.as_ref().and_then(|header| header.rule.clone());
        let said = header.as_ref().and_then(|it| it.said_language.as_deref());
        builder.set_target_language(said);
        let mut messages = Vec::new();
        for entry in entries.iter().filter(|entry| !is_header(entry)) {
            let reader = PoReader {
                text: &text,
                entry,
                rule: rule.as_ref(),
            };
            messages.extend(reader.message(builder));
        }
        Ok(SlotFile::kept(header, text, encoding, messages))
    }
}

/// The encoding that the header names; none where it is still to be filled in.
fn declared(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let range = header::charset(&text, 0..text.len())?;
    let line = text[..range.start].rsplit('\n').next().unwrap_or_default();
    if !line.contains("Content-Type:") {
        return None;
    }
    Some(text[range].to_owned()).filter(|label| label != "CHARSET")
}

struct PoReader<'t> {
    text: &'t str,
    entry: &'t Entry,
    rule: Option<&'t PluralRule>,
}

impl PoReader<'_> {
    fn message(&self, builder: &mut Builder) -> Option<PoMessage> {
        let entry = self.entry;
        let id = entry.id.as_ref()?;
        let flags = self.flags();
        let is_fuzzy = flags.contains(&"fuzzy");
        let is_of_another = is_fuzzy && self.comments('|').next().is_some();
        let is_replaced = is_of_another || is_fuzzy && builder.options().drafts;
        let standing = if is_fuzzy {
            Standing::Draft
        } else {
            Standing::Translated
        };
        let num_forms = match (&entry.plural, self.rule) {
            (Some(_), Some(rule)) => rule.num_forms.max(entry.targets.len()),
            _ => entry.targets.len(),
        };
        let singular = dialect(&flags).in_value(&id.value);
        let mut forms = Vec::new();
        for form in 0..num_forms {
            let (source, of_form) = match &entry.plural {
                None => (id, String::new()),
                Some(plural) => {
                    let examples = self.rule.map(|rule| format!("n = {}", rule.examples(form)));
                    let is_one = self.is_singular(form, singular, &plural.value);
                    (
                        if is_one { id } else { plural },
                        examples.unwrap_or_default(),
                    )
                }
            };
            let target = entry.targets.get(form).map(|target| target.value.as_str());
            let target = target.filter(|target| !target.is_empty() && !is_replaced);
            let context = Context {
                id: entry.context.as_ref().map(|context| context.value.clone()),
                note: self.note(&of_form),
                is_sentence: target.is_some(),
                ..Context::default()
            };
            let text = Text::read(&source.value, dialect(&flags), builder, context);
            if let (Some(text), Some(target)) = (&text, target) {
                text.set_known(builder, target, standing);
            }
            forms.push(Form {
                // What has no text is the same in every language.
                fixed: text.is_none().then(|| source.value.clone()),
                begins_line: source.value.starts_with('\n'),
                ends_line: source.value.ends_with('\n'),
                text,
                bytes: entry.targets.get(form).map(|target| target.range.clone()),
                is_known: target.is_some(),
            });
        }
        if forms.iter().all(|form| form.text.is_none()) {
            return None;
        }
        Some(PoMessage {
            forms,
            has_same_placeholders: entry.plural.as_ref().map(|plural| {
                placeholders(&id.value, singular) == placeholders(&plural.value, singular)
            }),
            end: entry.targets.last()?.range.end,
            is_wrapped: id.is_wrapped,
            flag: (!is_fuzzy).then(|| self.flag_place()),
        })
    }

    /// Whether a form is a translation of the singular: it says one, and if it says more, the singular names the number.
    fn is_singular(&self, form: usize, singular: Dialect, plural: &str) -> bool {
        let Some(rule) = self.rule else {
            return form == 0;
        };
        let id = self.entry.id.as_ref().map_or("", |id| id.value.as_str());
        match rule.says_one(form) {
            (true, false) => true,
            (true, true) => placeholders(id, singular) == placeholders(plural, singular),
            (false, _) => false,
        }
    }

    fn comments(&self, kind: char) -> impl Iterator<Item = &Comment> {
        self.entry
            .comments
            .iter()
            .filter(move |comment| comment.kind == kind)
    }

    fn flags(&self) -> Vec<&str> {
        let lines = self
            .comments(',')
            .map(|comment| &self.text[comment.range.start + 2..comment.range.end]);
        lines
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .collect()
    }

    /// The notes for translators: comments, context, and the numbers of a plural form.
    fn note(&self, of_form: &str) -> Option<String> {
        let mut notes = Vec::new();
        for comment in &self.entry.comments {
            let text = match comment.kind {
                '.' => &self.text[comment.range.start + 2..comment.range.end],
                ':' | ',' | '|' | '=' => continue,
                _ => &self.text[comment.range.start + 1..comment.range.end],
            };
            notes.push(text.trim());
        }
        let context = self.entry.context.as_ref();
        notes.extend(context.map(|context| context.value.trim()));
        notes.push(of_form);
        notes.retain(|note| !note.is_empty());
        Some(notes.join("\n")).filter(|notes| !notes.is_empty())
    }

    /// Where the message is marked as fuzzy.
    fn flag_place(&self) -> FlagPlace {
        if let Some(flags) = self.comments(',').next() {
            return FlagPlace::BeforeOthers(flags.range.start + 2);
        }
        let previous = self.comments('|').next().map(|comment| comment.range.start);
        FlagPlace::Line(previous.unwrap_or(self.entry.start))
    }
}

/// How the strings of a message are written, by its flags.
fn dialect(flags: &[&str]) -> Dialect {
    const OF_QT: Words = Words("qt-format qt-plural-format kde-format kde-kuit-format");
    const WITH_BRACES: Words = Words(
        "python-brace-format perl-brace-format java-format csharp-format boost-format smalltalk-format",
    );
    let has = |names: Words| flags.iter().any(|flag| names.contains(flag));
    let formats = flags.iter().filter(|flag| flag.ends_with("-format"));
    let mut formats =
        formats.filter(|flag| !flag.starts_with("no-") && !flag.starts_with("possible-"));
    if has(OF_QT) {
        return Dialect::QT;
    }
    if has(Words("no-c-format")) {
        return Dialect {
            percent: Percent::Literal,
            ..Dialect::PLAIN
        };
    }
    Dialect {
        is_declared: formats.any(|flag| !WITH_BRACES.contains(flag)),
        ..Dialect::PLAIN
    }
}

/// The placeholders of a string, in their order of spelling.
fn placeholders(text: &str, dialect: Dialect) -> Vec<String> {
    let mut message = Message::new(dialect);
    message.text(text);
    let shown = message.draft.shown();
    let mut found: Vec<String> = shown
        .split("<ph>")
        .skip(1)
        .filter_map(|rest| Some(rest.split("</ph>").next()?.to_owned()))
        .collect();
    found.sort();
    found
}

#[derive(Debug)]
struct PoMessage {
    /// One, or those of the plural.
    forms: Vec<Form>,
    /// Whether the singular of a message with a plural names the number, too.
    has_same_placeholders: Option<bool>,
    /// Where its last translation ends.
    end: usize,
    is_wrapped: bool,
    /// Where it is marked as fuzzy, unless it is marked already.
    flag: Option<FlagPlace>,
}

#[derive(Debug)]
struct Form {
    fixed: Option<String>,
    text: Option<Text>,
    /// Whether the source has the end of a line at its beginning, and at its end.
    begins_line: bool,
    ends_line: bool,
    /// Bytes of its translation, if there is a place for it.
    bytes: Option<Range<usize>>,
    is_known: bool,
}

impl Form {
    /// A translation with ends of lines at its edges where its source has them: gettext insists on it.
    fn matched(&self, text: String) -> String {
        let inner = text.trim_matches('\n');
        let line = |is_there: bool, edge: &str| match (is_there, edge) {
            (true, "") => "\n".to_owned(),
            (true, edge) => edge.to_owned(),
            (false, _) => String::new(),
        };
        let start = text.len() - text.trim_start_matches('\n').len();
        let end = text.trim_end_matches('\n').len().max(start);
        let (before, after) = (
            line(self.begins_line, &text[..start]),
            line(self.ends_line, &text[end..]),
        );
        format!("{before}{inner}{after}")
    }
}

#[derive(Debug)]
enum FlagPlace {
    /// Before other flags.
    BeforeOthers(usize),
    /// In a line of its own.
    Line(usize),
}

impl Slot for PoMessage {
    type Source = String;
    type Facts = Option<Header>;

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let mut new: Vec<Option<String>> = self
            .forms
            .iter()
            .map(|form| Some(form.matched(form.text.as_ref()?.written(translation)?)))
            .collect();
        if new.iter().all(Option::is_none) {
            return;
        }
        let mut both = self.forms.iter().zip(&new);
        let is_new = both.any(|(form, new)| new.is_some() && !form.is_known);
        for (form, new) in self.forms.iter().zip(&mut new) {
            if !form.is_known && new.is_none() {
                new.clone_from(&form.fixed);
            }
        }
        let header = file.facts.as_ref();
        let is_said = header.is_some_and(|header| header.rule.is_some());
        let rule = translation
            .language
            .filter(|_| !is_said)
            .and_then(plurals::rule);
        if let (Some(is_same), Some(rule)) = (self.has_same_placeholders, rule) {
            // The template had one form of the singular and one of the plural.
            let source = |form: usize| match rule.says_one(form) {
                (true, others) if !others || is_same => new.first().cloned().flatten(),
                _ => new.last().cloned().flatten(),
            };
            new = (0..rule.num_forms).map(source).collect();
        }
        let mut added = String::new();
        for (number, text) in new.iter().enumerate() {
            let bytes = self.forms.get(number).and_then(|form| form.bytes.as_ref());
            match (bytes, text) {
                (Some(bytes), Some(text)) => {
                    edits.replace(bytes.clone(), file.spelt(text, self));
                }
                (Some(_), None) => {}
                (None, text) => {
                    let text = file.spelt(text.as_deref().unwrap_or_default(), self);
                    added.extend([format!("{}msgstr[{number}] {text}", line_end(&file.source))]);
                }
            }
        }
        if !added.is_empty() {
            edits.replace(self.end..self.end, added);
        }
        // Forms that the language does not have.
        if let Some(last) = self
            .forms
            .get(new.len() - 1)
            .and_then(|form| form.bytes.as_ref())
            && new.len() < self.forms.len()
        {
            edits.replace(last.end..self.end, String::new());
        }
        match self.flag {
            Some(FlagPlace::BeforeOthers(place)) if is_new => {
                edits.replace(place..place, " fuzzy,".to_owned());
            }
            Some(FlagPlace::Line(place)) if is_new => {
                edits.replace(place..place, format!("#, fuzzy{}", line_end(&file.source)));
            }
            _ => {}
        }
    }

    fn end(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        if let (Some(header), false) = (&file.facts, edits.is_empty()) {
            if let Some(language) = translation.language {
                header.set_language(&file.source, language, edits);
            }
            header.set_utf8(&file.source, false, edits);
        }
    }

    fn encoded(file: &SlotFile<Self>, edits: &mut Edits) -> Result<Vec<u8>, Failure> {
        match (file.source.encoded(edits, file.encoding), &file.facts) {
            // A language that the encoding does not have takes another encoding.
            (Err(Failure::Unencodable { .. }), Some(header))
                if header.set_utf8(&file.source, true, edits) =>
            {
                file.source.encoded(edits, Encoding::Utf8)
            }
            (written, _) => written,
        }
    }
}

impl SlotFile<PoMessage> {
    fn spelt(&self, text: &str, message: &PoMessage) -> String {
        spelling::spelt(text, message.is_wrapped, line_end(&self.source))
    }
}
