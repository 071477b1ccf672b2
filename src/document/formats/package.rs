//! Files that are zip archives of parts: parts are read one by one, and what does not change is copied as it is.

use std::collections::HashMap;
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::ZipWriter;
use zip::{ZipArchive, read::ZipFile};

use super::Encoding;
use super::edits::Edits;
use super::xml::Xml;
use crate::builder::Failure;

/// Nothing that people write is larger once it is unpacked; a zip bomb is.
const MAX_PART: u64 = 1 << 28;
/// All parts together.
const MAX_PACKAGE: u64 = 1 << 32;

/// How a compound file begins: what Office makes of a document with a password.
const COMPOUND_FILE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// A zip archive in memory.
#[derive(Debug)]
pub(super) struct Package {
    bytes: Vec<u8>,
    names: Vec<String>,
}

/// A part that is XML, with the encoding in which it is written again.
#[derive(Debug)]
pub(super) struct Part {
    pub xml: Xml,
    pub encoding: Encoding,
}

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// Whether the bytes are an archive that has this entry.
pub(super) fn holds(bytes: &[u8], wanted: impl Fn(&str) -> bool) -> bool {
    if !bytes.starts_with(b"PK") {
        return false;
    }
    let is_wanted =
        |name: Result<std::borrow::Cow<str>, ZipError>| name.is_ok_and(|name| wanted(&name));
    ZipArchive::new(Cursor::new(bytes)).is_ok_and(|archive| archive.file_names().any(is_wanted))
}

impl Package {
    /// Looks at all entries of an archive.
    ///
    /// # Errors
    /// If the archive is damaged, encrypted or too large once unpacked.
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Failure> {
        if bytes.starts_with(COMPOUND_FILE) {
            return Err(Failure::Encrypted);
        }
        let damaged = |reason: String| damaged("the zip archive", reason);
        let mut archive = archive(&bytes).map_err(|error| damaged(error.to_string()))?;
        if archive.offset() != 0 {
            return Err(damaged("something precedes its first entry".to_owned()));
        }
        if Some(archive.len()) != num_entries(&bytes) {
            return Err(damaged("two of its entries have one name".to_owned()));
        }
        let (mut names, mut all) = (Vec::with_capacity(archive.len()), 0);
        for index in 0..archive.len() {
            let entry = archive
                .by_index_raw(index)
                .map_err(|error| damaged(error.to_string()))?;
            if entry.encrypted() {
                return Err(Failure::Encrypted);
            }
            all += entry.size();
            names.push(
                entry
                    .name()
                    .map_err(|error| damaged(error.to_string()))?
                    .into_owned(),
            );
        }
        if all > MAX_PACKAGE {
            return Err(Failure::TooLarge {
                part: "the zip archive".to_owned(),
                limit: MAX_PACKAGE,
            });
        }
        Ok(Self { bytes, names })
    }

    /// The name of an entry as it is spelt here: names do not differ in case alone, or in the kind of their slashes.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let mut names = self.names.iter();
        let exact = names.clone().find(|known| *known == name);
        let is_it = |known: &&String| {
            let known = known.replace('\\', "/");
            known.trim_start_matches('/').eq_ignore_ascii_case(name)
        };
        exact.or_else(|| names.find(is_it)).map(String::as_str)
    }

    /// The names of all entries, in their order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Edits an entry that is XML, or what it has become among `changed`.
    pub(super) fn change(
        &self,
        name: &str,
        changed: &mut HashMap<String, Vec<u8>>,
        edit: impl FnOnce(&Xml, &mut Edits),
    ) -> Result<(), Failure> {
        let Part { xml, encoding } = match changed.get(name) {
            Some(bytes) => Self::part(name, bytes.clone())?,
            None => self.xml(name)?,
        };
        let mut edits = Edits::default();
        edit(&xml, &mut edits);
        if !edits.is_empty() {
            changed.insert(
                name.to_owned(),
                encoding.encode_xml(edits.applied(&xml.text))?,
            );
        }
        Ok(())
    }

    /// An entry's bytes.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let failed = |reason: String| damaged(name, reason);
        let mut archive = archive(&self.bytes).map_err(|error| failed(error.to_string()))?;
        let entry = match archive.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Err(failed("it is missing".to_owned())),
            Err(error) => return Err(failed(error.to_string())),
        };
        unpacked(name, entry)
    }

    /// An entry that is XML.
    pub(super) fn xml(&self, name: &str) -> Result<Part, Failure> {
        Self::part(name, self.read(name)?)
    }

    fn part(name: &str, bytes: Vec<u8>) -> Result<Part, Failure> {
        let failed = |failure| match failure {
            Failure::NotUtf8 { offset, .. } => damaged(name, format!("byte {offset} is not UTF-8")),
            Failure::Binary { offset } => damaged(name, format!("byte {offset} is zero")),
            Failure::Encoding { name: encoding } => damaged(name, format!("it is not {encoding}")),
            other => other,
        };
        let (text, encoding) = Encoding::decode_xml(bytes).map_err(failed)?;
        let xml = Xml::read(name, text)?;
        Ok(Part { xml, encoding })
    }

    /// The archive with other bytes in the entries named; the others are copied as they are packed.
    pub(super) fn written(&self, changed: &HashMap<String, Vec<u8>>) -> Result<Vec<u8>, Failure> {
        if changed.is_empty() {
            return Ok(self.bytes.clone());
        }
        self.rewritten(changed)
            .map_err(|error| damaged("the zip archive", error.to_string()))
    }

    fn rewritten(&self, changed: &HashMap<String, Vec<u8>>) -> Result<Vec<u8>, ZipError> {
        let mut archive = archive(&self.bytes)?;
        let space = self.bytes.len() + self.bytes.len() / 8;
        let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(space)));
        writer.set_raw_comment(archive.comment().to_vec().into_boxed_slice())?;
        for (index, name) in self.names.iter().enumerate() {
            let entry = archive.by_index_raw(index)?;
            match changed.get(name) {
                Some(bytes) => {
                    writer.start_file(name, entry.options())?;
                    writer.write_all(bytes)?;
                }
                None => writer.raw_copy_file(entry)?,
            }
        }
        Ok(writer.finish()?.into_inner())
    }
}

fn archive(bytes: &[u8]) -> Result<Archive<'_>, ZipError> {
    ZipArchive::new(Cursor::new(bytes))
}

fn damaged(part: &str, reason: String) -> Failure {
    Failure::Damaged {
        part: part.to_owned(),
        reason,
    }
}

/// Bytes that are allocated at once, since the size that an entry declares may be false.
const BELIEVED: u64 = 1 << 20;

fn unpacked<R: Read>(name: &str, entry: ZipFile<'_, R>) -> Result<Vec<u8>, Failure> {
    let too_large = || Failure::TooLarge {
        part: name.to_owned(),
        limit: MAX_PART,
    };
    if entry.size() > MAX_PART {
        return Err(too_large());
    }
    let believed = usize::try_from(entry.size().min(BELIEVED)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(believed);
    let mut limited = entry.take(MAX_PART + 1);
    let read = limited.read_to_end(&mut bytes);
    read.map_err(|error| damaged(name, error.to_string()))?;
    if bytes.len() as u64 > MAX_PART {
        return Err(too_large());
    }
    Ok(bytes)
}

/// The number of entries that the end of an archive declares; `None` if it is too large for the field.
fn num_entries(bytes: &[u8]) -> Option<usize> {
    const END: &[u8] = b"PK\x05\x06";
    let end = bytes.windows(END.len()).rposition(|window| window == END)?;
    let count = bytes.get(end + 10..end + 12)?;
    Some(usize::from(u16::from_le_bytes([count[0], count[1]])))
}
