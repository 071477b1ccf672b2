//! The bytes of a text file as characters, and back to the same bytes.

use encoding_rs::{Encoding as Legacy, UTF_16BE, UTF_16LE};

use crate::text::builder::Failure;

/// How much of a file is searched for the encoding that it declares, in bytes; browsers search half of it.
const HEAD: usize = 2_048;

/// How a text file spells its characters. A byte order mark is a character of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16 { big_endian: bool },
    Legacy(&'static Legacy),
}

impl Encoding {
    /// The text of `bytes`: UTF-8, UTF-16, or what the head of the text declares (`charset=`, `encoding=`).
    pub(in crate::text) fn decode(bytes: Vec<u8>) -> Result<(String, Self), Failure> {
        let declared = declared(&bytes);
        Self::decode_as(bytes, declared)
    }

    /// The same where the format knows which encoding is meant if it is not Unicode.
    pub(in crate::text) fn decode_as(
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
    pub(in crate::text) fn encode(self, text: &str) -> Result<Vec<u8>, Failure> {
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
            Self::Legacy(legacy) => {
                let (bytes, _, unmappable) = legacy.encode(text);
                if !unmappable {
                    return Ok(bytes.into_owned());
                }
                let character = text.chars().find(|&character| !self.holds(character));
                Err(Failure::Unencodable {
                    character: character.unwrap_or('\u{FFFD}'),
                    name: legacy.name(),
                })
            }
        }
    }

    /// The same of a text that is not needed any more.
    pub(in crate::text) fn encode_all(self, text: String) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Utf8 => Ok(text.into_bytes()),
            _ => self.encode(&text),
        }
    }

    /// Whether it has this character.
    pub fn holds(self, character: char) -> bool {
        match self {
            Self::Utf8 | Self::Utf16 { .. } => true,
            Self::Legacy(legacy) => {
                character.is_ascii() || !legacy.encode(character.encode_utf8(&mut [0; 4])).2
            }
        }
    }
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

/// The encoding that a text names at its beginning, if it is none of Unicode's.
fn declared(bytes: &[u8]) -> Option<&'static Legacy> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declared = ["charset", "encoding"].map(|name| head.split(name).skip(1));
    let mut named = declared
        .into_iter()
        .flatten()
        .filter_map(|rest| rest.trim_start().strip_prefix('='));
    named.find_map(|rest| {
        let label = rest.trim_start().trim_start_matches(['"', '\'']);
        let end = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
        let label = label.split(end).next()?;
        let found = Legacy::for_label(label.as_bytes())?;
        let is_legacy = found.output_encoding() == found && found != encoding_rs::UTF_8;
        is_legacy.then_some(found)
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
