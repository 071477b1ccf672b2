//! The bytes of a text file as characters, and back to the same bytes.

use encoding_rs::{Encoding as Legacy, UTF_16BE, UTF_16LE};

use crate::builder::Failure;

/// How much of a file is searched for the encoding that it declares, in bytes; browsers search half of it.
const HEAD: usize = 2_048;

/// How a text file spells its characters. A byte order mark is a character of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16 {
        big_endian: bool,
    },
    Legacy(&'static Legacy),
    /// A part of ISO 8859: without the characters that Windows has in place of its control characters.
    Iso(&'static Legacy),
    /// ASCII alone: the file is, and says so, or names an encoding that is not known here.
    Ascii,
}

impl Encoding {
    /// The text of `bytes`: UTF-8, UTF-16, or what the head of the text declares (`charset=`, `encoding=`).
    pub(crate) fn decode(bytes: Vec<u8>) -> Result<(String, Self), Failure> {
        let declared = declared(&bytes);
        Self::decode_as(bytes, declared)
    }

    /// The text of an XML file. Its declaration holds even where every byte is ASCII: [`Self::encode_xml`] follows it.
    pub(crate) fn decode_xml(bytes: Vec<u8>) -> Result<(String, Self), Failure> {
        match xml_label(&bytes) {
            Some(label) => Self::decode_labelled(bytes, &label),
            None => Self::decode(bytes),
        }
    }

    /// The text of a file whose format has a place where the encoding is named, and which names this one.
    pub(crate) fn decode_labelled(bytes: Vec<u8>, label: &str) -> Result<(String, Self), Failure> {
        let label = label.to_ascii_lowercase();
        let found = Legacy::for_label(label.as_bytes());
        let legacy = found.filter(|found| is_legacy(found));
        let is_unicode = found.is_some() && legacy.is_none() || label.starts_with("utf");
        if is_unicode || !bytes.is_ascii() || utf16(&bytes).is_some() {
            let has_c1 = bytes.iter().any(|byte| (0x80..0xA0).contains(byte));
            let (text, encoding) = Self::decode_as(bytes, legacy)?;
            return Ok(match encoding {
                Self::Legacy(legacy) if !has_c1 => (text, Self::labelled(legacy, &label)),
                encoding => (text, encoding),
            });
        }
        let encoding = legacy.map_or(Self::Ascii, |legacy| Self::labelled(legacy, &label));
        let (text, _) = Self::decode_as(bytes, None)?;
        // ISO-2022-JP spells other characters by bytes that are ASCII.
        let same = encoding.encode(&text).ok();
        let is_same = same.is_some_and(|bytes| bytes == text.as_bytes());
        Ok((text, if is_same { encoding } else { Self::Utf8 }))
    }

    /// The encoding that a label means to a strict reader: browsers take ASCII and ISO 8859 for code pages of Windows.
    fn labelled(legacy: &'static Legacy, label: &str) -> Self {
        let is_ascii =
            label.contains("ascii") || label.contains("646") || label == "ansi_x3.4-1968";
        let is_windows = legacy.name().starts_with("windows-");
        let says_windows = ["125", "874", "dos"]
            .iter()
            .any(|part| label.contains(part));
        match () {
            () if is_ascii => Self::Ascii,
            () if is_windows && !says_windows => Self::Iso(legacy),
            () => Self::Legacy(legacy),
        }
    }

    /// As [`Self::decode`], for a format that knows which encoding is meant if it is not Unicode.
    pub(crate) fn decode_as(
        bytes: Vec<u8>,
        declared: Option<&'static Legacy>,
    ) -> Result<(String, Self), Failure> {
        if let Some(big_endian) = utf16(&bytes) {
            let (text, encoding) = (from_utf16(&bytes, big_endian)?, Self::Utf16 { big_endian });
            check_characters(&text)?;
            return Ok((text, encoding));
        }
        if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
            return Err(Failure::Binary { offset });
        }
        match (String::from_utf8(bytes), declared) {
            (Ok(text), _) => Ok((text, Self::Utf8)),
            (Err(error), Some(legacy)) => {
                let encoding = Self::Legacy(legacy);
                let bytes = error.into_bytes();
                let text = legacy
                    .decode_without_bom_handling_and_without_replacement(&bytes)
                    .map(std::borrow::Cow::into_owned)
                    .filter(|text| encoding.encode(text).is_ok_and(|again| again == bytes))
                    .ok_or(Failure::Encoding {
                        name: legacy.name(),
                    })?;
                check_characters(&text)?;
                Ok((text, encoding))
            }
            (Err(error), None) => Err(Failure::NotUtf8 {
                offset: error.utf8_error().valid_up_to(),
                bytes: error.into_bytes(),
            }),
        }
    }

    /// The bytes of a text.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16 { big_endian } => {
                let unit = |unit: u16| {
                    if big_endian {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                };
                Ok(text.encode_utf16().flat_map(unit).collect())
            }
            Self::Ascii if text.is_ascii() => Ok(text.as_bytes().to_vec()),
            Self::Ascii => Err(self.lacks(text, "US-ASCII")),
            Self::Legacy(legacy) | Self::Iso(legacy) => {
                let (bytes, _, unmappable) = legacy.encode(text);
                let is_held = !unmappable
                    && (matches!(self, Self::Legacy(_))
                        || !bytes.iter().copied().any(is_of_windows));
                if is_held {
                    return Ok(bytes.into_owned());
                }
                Err(self.lacks(text, legacy.name()))
            }
        }
    }

    fn lacks(self, text: &str, name: &'static str) -> Failure {
        let character = text.chars().find(|&character| !self.holds(character));
        Failure::Unencodable {
            character: character.unwrap_or('\u{FFFD}'),
            name,
        }
    }

    /// The bytes of an XML file: what the encoding lacks becomes a reference.
    pub(crate) fn encode_xml(self, text: String) -> Result<Vec<u8>, Failure> {
        if text.chars().all(|character| self.holds(character)) {
            return self.encode_all(text);
        }
        self.encode_all(self.with_references(&text))
    }

    fn with_references(self, text: &str) -> String {
        let mut written = String::with_capacity(text.len() + 64);
        let mut in_section = false;
        for (place, character) in text.char_indices() {
            match character {
                '<' if text[place..].starts_with("<![CDATA[") => in_section = true,
                ']' if text[place..].starts_with("]]>") => in_section = false,
                _ => {}
            }
            match (self.holds(character), in_section) {
                (true, _) => written.push(character),
                (false, false) => written.extend([format!("&#{};", u32::from(character))]),
                // No reference is read in a section.
                (false, true) => {
                    written.extend([format!("]]>&#{};<![CDATA[", u32::from(character))]);
                }
            }
        }
        written
    }

    /// As [`Self::encode`], for a text that has no other use.
    pub(crate) fn encode_all(self, text: String) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Utf8 => Ok(text.into_bytes()),
            Self::Utf16 { .. } | Self::Legacy(_) | Self::Iso(_) | Self::Ascii => self.encode(&text),
        }
    }

    /// Whether it has this character.
    pub(crate) fn holds(self, character: char) -> bool {
        match self {
            Self::Utf8 | Self::Utf16 { .. } => true,
            Self::Ascii => character.is_ascii(),
            Self::Legacy(legacy) | Self::Iso(legacy) => {
                let mut buffer = [0; 4];
                let (bytes, _, is_lacking) = legacy.encode(character.encode_utf8(&mut buffer));
                let is_odd =
                    || matches!(self, Self::Iso(_)) && bytes.iter().copied().any(is_of_windows);
                character.is_ascii() || !is_lacking && !is_odd()
            }
        }
    }
}

/// Whether a byte means a control character in ISO 8859 and another one in a code page of Windows.
fn is_of_windows(byte: u8) -> bool {
    (0x80..0xA0).contains(&byte)
}

/// Whether it is an encoding to write in, outside Unicode.
fn is_legacy(encoding: &'static Legacy) -> bool {
    encoding.output_encoding() == encoding && encoding != encoding_rs::UTF_8
}

/// The encoding that an XML declaration names.
fn xml_label(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let head = String::from_utf8_lossy(head);
    let (declaration, _) = head.trim_start().strip_prefix("<?xml")?.split_once("?>")?;
    let (_, rest) = declaration.split_once("encoding")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (label, _) = value[1..].split_once(quote)?;
    Some(label.trim().to_owned())
}

/// Whether the bytes are UTF-16, and then whether the high byte comes first.
fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, b'?' | b'!', 0, ..] => Some(false),
        [0xFE, 0xFF, ..] | [0, b'<', 0, b'?' | b'!', ..] => Some(true),
        _ => None,
    }
}

fn from_utf16(bytes: &[u8], big_endian: bool) -> Result<String, Failure> {
    let name = if big_endian { UTF_16BE } else { UTF_16LE }.name();
    let (units, rest) = bytes.as_chunks::<2>();
    let unit = |unit: &[u8; 2]| {
        if big_endian {
            u16::from_be_bytes(*unit)
        } else {
            u16::from_le_bytes(*unit)
        }
    };
    let text: Result<String, _> = char::decode_utf16(units.iter().map(unit)).collect();
    match text {
        Ok(text) if rest.is_empty() => Ok(text),
        _ => Err(Failure::Encoding { name }),
    }
}

fn check_characters(text: &str) -> Result<(), Failure> {
    match text.find('\0') {
        Some(offset) => Err(Failure::Binary { offset }),
        None => Ok(()),
    }
}

/// The part of a file in which its encoding is declared, in lower case.
pub(crate) fn lowered_head(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase()
}

/// Returns the text after each `charset=` and `encoding=`, without its quotation mark.
pub(crate) fn declared_names(head: &str) -> impl Iterator<Item = &str> {
    let declared = ["charset", "encoding"].map(|name| head.split(name).skip(1));
    let values = declared.into_iter().flatten();
    let values = values.filter_map(|rest| rest.trim_start().strip_prefix('='));
    values.map(|rest| rest.trim_start().trim_start_matches(['"', '\'']))
}

/// The encoding that a text names at its beginning, if it is not one of Unicode's.
fn declared(bytes: &[u8]) -> Option<&'static Legacy> {
    let head = lowered_head(bytes);
    declared_names(&head).find_map(|label| {
        let end = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
        let label = label.split(end).next()?;
        let found = Legacy::for_label(label.as_bytes())?;
        is_legacy(found).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back_as_its_bytes() {
        let both = |bytes: &[u8]| {
            let (text, encoding) = Encoding::decode(bytes.to_vec()).expect("a text");
            assert_eq!(encoding.encode(&text).expect("bytes"), bytes);
            text
        };
        assert_eq!(both("\u{FEFF}ä".as_bytes()), "\u{FEFF}ä");
        assert_eq!(both(b"\xFF\xFEa\0\xE4\0"), "\u{FEFF}aä");
        assert_eq!(both(b"\xFE\xFF\0a\xD8\x3D\xDE\x00"), "\u{FEFF}a😀");
        assert_eq!(both(b"<\0?\0x\0"), "<?x");
        let page = b"<meta charset=windows-1251><p>\xCF\xF0\xE8\xE2\xE5\xF2";
        assert!(both(page).ends_with("Привет"));
    }

    #[test]
    fn a_declaration_holds_for_a_file_of_ascii_alone() {
        for (label, text, wanted) in [
            ("windows-1252", "é€ť", &b"\xE9\x80&#357;"[..]),
            ("ISO-8859-1", "é€ť", &b"\xE9&#8364;&#357;"[..]),
            ("us-ascii", "é€", &b"&#233;&#8364;"[..]),
            ("x-unknown", "é", &b"&#233;"[..]),
            ("iso-8859-2", "éť", &b"\xE9\xBB"[..]),
            ("Shift_JIS", "テé", &b"\x83\x65&#233;"[..]),
            ("UTF-8", "é", "é".as_bytes()),
            (
                "windows-1252",
                "<![CDATA[ťa]]>",
                b"<![CDATA[]]>&#357;<![CDATA[a]]>",
            ),
        ] {
            let declaration = format!("<?xml version='1.0' encoding=\"{label}\"?>");
            let file = format!("{declaration}<a/>").into_bytes();
            let (_, encoding) = Encoding::decode_xml(file).expect("a text");
            let written = encoding.encode_xml(text.to_owned()).expect("bytes");
            assert_eq!(written, wanted, "{label}");
        }
    }

    #[test]
    fn what_would_not_come_back_is_refused() {
        let refused = |bytes: &[u8]| Encoding::decode(bytes.to_vec()).expect_err("refused");
        assert!(matches!(refused(b"a\0"), Failure::Binary { offset: 1 }));
        assert!(matches!(refused(b"\xFF\xFEa"), Failure::Encoding { .. }));
        assert!(matches!(
            refused(b"\xFF\xFE\0\xD8"),
            Failure::Encoding { .. }
        ));
        assert!(matches!(
            refused(b"ab\xFF"),
            Failure::NotUtf8 { offset: 2, .. }
        ));
        let latin = Encoding::Legacy(encoding_rs::WINDOWS_1252);
        assert!(matches!(
            latin.encode("я"),
            Err(Failure::Unencodable {
                character: 'я', ..
            })
        ));
    }
}
