//! Lists with bars between a key and its texts, a line each: the terms of BibLaTeX as pandoc has them, `.lbx.strings`.
//!
//! Commands such as `\adddot` stay. Nothing in such a list spells a bar or the end of a line.

use super::{Dialect, Text, is_prose};
use crate::builder::{Builder, Context};
use crate::document::ParagraphKind;
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::{Encoding, Kept};

const BAR: char = '|';

/// Whether a text is such lists.
pub(super) fn is_lists(text: &str) -> bool {
    let is_key = |key: &str| {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        !key.is_empty() && key.chars().all(is_letter)
    };
    let is_entry = |line: &str| line.split_once(BAR).is_some_and(|(key, _)| is_key(key));
    let text = text.trim_start_matches('\u{FEFF}');
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(is_entry) && lines.all(is_entry)
}

pub(super) fn read(text: String, encoding: Encoding, builder: &mut Builder) -> Kept {
    let (mut slots, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let mut fields = line.trim_end_matches(['\n', '\r']).split(BAR);
        let key = fields.next().unwrap_or_default();
        let mut place = start + key.len();
        for field in fields {
            place += BAR.len_utf8();
            let range = place..place + field.len();
            place = range.end;
            if !is_prose(field) {
                continue;
            }
            let context = Context {
                kind: ParagraphKind::TableCell,
                id: Some(key.trim_start_matches('\u{FEFF}').to_owned()),
                ..Context::default()
            };
            let text = Text::read(field, Dialect::TEX, builder, context);
            slots.extend(text.map(|text| ValueSlot::new(range, text)));
        }
        start += line.len();
    }
    SlotFile::kept(ListSpelling, text, encoding, slots)
}

#[derive(Debug)]
struct ListSpelling;

impl ValueSpelling for ListSpelling {
    type Style = ();

    fn spelt(&self, text: &str, _: &ValueSlot<Self>, _: &ValueFile<Self>) -> String {
        text.replace(BAR, "\u{A6}").replace(['\n', '\r'], " ")
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Format;
    use crate::testing::{read, rewritten};

    #[test]
    fn texts_are_translated_and_commands_stay() {
        let file =
            "editor|translated by|transl\\adddotspace by\r\nandmore|and more|m.m\\adddot\r\n";
        let document = read(Format::Strings, file);
        let written = rewritten(&document, None, |text| text.to_uppercase() + " | \"x\"");
        assert_eq!(
            written,
            "editor|TRANSLATED BY \u{A6} \"x\"|TRANSL\\adddotspace BY \u{A6} \"x\"\r\nandmore|AND MORE \u{A6} \"x\"|m.m\\adddot\r\n"
        );
        assert_eq!(read(Format::Strings, &written).sentences.len(), 3);
    }
}
