//! The messages of a compiled catalogue, as programs read them: no comments, no places, nothing fuzzy.
//!
//! GNU gettext, "The Format of GNU MO Files".

use std::path::Path;

use encoding_rs::Encoding;

use super::reader::{Catalogue, Entry, header_field};
use crate::error::{Error, Result};

const MAGIC: [u8; 4] = 0x9504_12DE_u32.to_le_bytes();
/// Before a message is its context.
const END_OF_CONTEXT: char = '\u{4}';

/// Reads an MO file, of either byte order and whatever encoding its header names.
///
/// # Errors
/// If it cannot be read, or is damaged.
pub(super) fn read(path: &Path) -> Result<Catalogue> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    catalogue(&bytes).map_err(|problem| Error::Gettext {
        problem: problem.to_owned(),
        path: path.to_owned(),
    })
}

fn catalogue(bytes: &[u8]) -> Result<Catalogue, &'static str> {
    let file = File::new(bytes)?;
    let (messages, translations) = (file.number(12)?, file.number(16)?);
    let encoding = file.encoding(messages, translations)?;
    let text = |table, message| -> Result<String, &'static str> {
        let text = encoding
            .decode_without_bom_handling_and_without_replacement(file.text(table, message)?);
        Ok(text
            .ok_or("a text is not in the encoding that the header names")?
            .into_owned())
    };
    let mut catalogue = Catalogue::default();
    for message in 0..file.number(8)? {
        let (id, target) = (text(messages, message)?, text(translations, message)?);
        if id.is_empty() {
            header_field(&target, "Language").clone_into(&mut catalogue.language);
            continue;
        }
        let (context, id) = match id.split_once(END_OF_CONTEXT) {
            Some((context, id)) => (Some(context.to_owned()), id),
            None => (None, id.as_str()),
        };
        let mut forms = id.split('\0').map(str::to_owned);
        catalogue.entries.push(Entry {
            context,
            source: forms.next().unwrap_or_default(),
            plural: forms.next(),
            targets: target.split('\0').map(str::to_owned).collect(),
            ..Entry::default()
        });
    }
    Ok(catalogue)
}

/// The bytes of a file, and how its numbers are read.
struct File<'b> {
    bytes: &'b [u8],
    number: fn([u8; 4]) -> u32,
}

impl<'b> File<'b> {
    fn new(bytes: &'b [u8]) -> Result<Self, &'static str> {
        let mut magic: [u8; 4] = *bytes.first_chunk().ok_or("it is too short")?;
        if magic == MAGIC {
            return Ok(Self {
                bytes,
                number: u32::from_le_bytes,
            });
        }
        magic.reverse();
        if magic == MAGIC {
            return Ok(Self {
                bytes,
                number: u32::from_be_bytes,
            });
        }
        Err("it is not a compiled catalogue")
    }

    /// The number that begins at this byte.
    fn number(&self, place: u32) -> Result<u32, &'static str> {
        let rest = self.bytes.get(place as usize..);
        let bytes = rest.and_then(|rest| rest.first_chunk());
        bytes
            .map(|bytes| (self.number)(*bytes))
            .ok_or("it ends too early")
    }

    /// A text of the table that begins at this byte, which has lengths and places.
    fn text(&self, table: u32, message: u32) -> Result<&'b [u8], &'static str> {
        let entry = message.checked_mul(8).and_then(|it| it.checked_add(table));
        let entry = entry.ok_or("it ends too early")?;
        let (len, place) = (
            self.number(entry)? as usize,
            self.number(entry.saturating_add(4))? as usize,
        );
        let rest = self.bytes.get(place..).and_then(|rest| rest.get(..len));
        rest.ok_or("a text extends past the end of the file")
    }

    /// The encoding that the header declares, which is the translation of the empty string; UTF-8 without one.
    fn encoding(
        &self,
        messages: u32,
        translations: u32,
    ) -> Result<&'static Encoding, &'static str> {
        // Messages are sorted, so that the header comes first.
        if self.number(8)? == 0 || !self.text(messages, 0)?.is_empty() {
            return Ok(encoding_rs::UTF_8);
        }
        let header = String::from_utf8_lossy(self.text(translations, 0)?);
        let kind = header_field(&header, "Content-Type");
        let Some((_, label)) = kind.split_once("charset=") else {
            return Ok(encoding_rs::UTF_8);
        };
        Encoding::for_label(label.trim().as_bytes()).ok_or("its encoding is not known")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// As msgfmt writes it, without a table of hashes.
    pub(crate) fn compiled(messages: &[(&str, &[u8])], number: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let small = |number: usize| u32::try_from(number).expect("small");
        let count = messages.len();
        let mut place = 28 + 16 * count;
        let mut texts = Vec::new();
        let mut tables = Vec::new();
        let sides = [
            messages
                .iter()
                .map(|it| it.0.as_bytes())
                .collect::<Vec<_>>(),
            messages.iter().map(|it| it.1).collect(),
        ];
        for text in sides.concat() {
            tables.extend([small(text.len()), small(place)]);
            texts.extend_from_slice(text);
            texts.push(0);
            place += text.len() + 1;
        }
        let begin = [
            0x9504_12DE,
            0,
            small(count),
            28,
            small(28 + 8 * count),
            0,
            0,
        ];
        let numbers = begin.into_iter().chain(tables).flat_map(number);
        numbers.chain(texts).collect()
    }

    #[test]
    fn messages_have_contexts_and_plurals_in_both_byte_orders() {
        let messages: [(&str, &[u8]); 3] = [
            (
                "",
                b"Language: de\nContent-Type: text/plain; charset=ISO-8859-1\n",
            ),
            ("%d orc\0%d orcs", b"%d Ork\0%d Orks"),
            ("menu\u{4}Open", b"\xD6ffnen"),
        ];
        for number in [u32::to_le_bytes, u32::to_be_bytes] {
            let found = catalogue(&compiled(&messages, number)).expect("a catalogue");
            assert_eq!(found.language, "de");
            let [orcs, open] = found.entries.as_slice() else {
                panic!("{found:?}");
            };
            assert_eq!(orcs.plural.as_deref(), Some("%d orcs"));
            assert_eq!(orcs.targets, ["%d Ork", "%d Orks"]);
            assert_eq!(open.context.as_deref(), Some("menu"));
            assert_eq!(
                (open.source.as_str(), open.targets.concat()),
                ("Open", "Öffnen".to_owned())
            );
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let whole = compiled(
            &[("", b"Language: de\n"), ("Open", "Öffnen".as_bytes())],
            u32::to_le_bytes,
        );
        assert!(catalogue(&whole).is_ok());
        for len in 0..whole.len() - 1 {
            assert!(catalogue(&whole[..len]).is_err(), "{len}");
        }
        for (byte, value) in (0..whole.len()).flat_map(|byte| [(byte, 0xFF), (byte, 0)]) {
            let mut damaged = whole.clone();
            damaged[byte] = value;
            // Whatever it says: it ends.
            catalogue(&damaged).ok();
        }
        let other = compiled(
            &[("", b"Content-Type: text/plain; charset=runes\n")],
            u32::to_le_bytes,
        );
        assert_eq!(catalogue(&other), Err("its encoding is not known"));
    }
}
