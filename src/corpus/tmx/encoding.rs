//! The bytes of a TMX file as UTF-8, with a count of lines and bytes.

use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;

use crate::error::{Error, Result};

const CHUNK: usize = 1 << 16;

/// How a file encodes its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Or what is taken for it until a character proves otherwise.
    Utf8,
    Utf16 {
        big_endian: bool,
    },
}

/// A file that reads as UTF-8, whichever of UTF-8 and UTF-16 it is in.
#[derive(Debug)]
pub(super) struct Decoded {
    file: File,
    encoding: Encoding,
    /// Read from the file but not decoded yet: half a unit, or the first half of a pair of units.
    rest: Vec<u8>,
    text: Vec<u8>,
    consumed: usize,
    /// Line of the character read last, counted from 1.
    pub line: usize,
    /// How many bytes were read from the file, and how many it has.
    pub bytes: u64,
    pub all_bytes: u64,
}

impl Decoded {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        let all_bytes = file.metadata().map_err(Error::read(path))?.len();
        let mut decoded = Self {
            file,
            encoding: Encoding::Utf8,
            rest: Vec::new(),
            text: Vec::new(),
            consumed: 0,
            line: 1,
            bytes: 0,
            all_bytes,
        };
        decoded.read_chunk().map_err(Error::read(path))?;
        // A byte order mark, or a `<` that takes two bytes.
        let mark = match decoded.rest.as_slice() {
            [0xFF, 0xFE, ..] => Some((2, false)),
            [0xFE, 0xFF, ..] => Some((2, true)),
            [b'<', 0, ..] => Some((0, false)),
            [0, b'<', ..] => Some((0, true)),
            _ => None,
        };
        if let Some((length, big_endian)) = mark {
            decoded.encoding = Encoding::Utf16 { big_endian };
            decoded.rest.drain(..length);
        }
        decoded.decode();
        Ok(decoded)
    }

    /// Appends to `rest`; says whether there was anything.
    fn read_chunk(&mut self) -> std::io::Result<bool> {
        let chunk = (&mut self.file).take(CHUNK as u64);
        let mut chunk = chunk;
        let length = chunk.read_to_end(&mut self.rest)?;
        self.bytes += length as u64;
        Ok(length > 0)
    }

    /// Moves what is complete from `rest` to `text`; what is wrong becomes U+FFFD.
    fn decode(&mut self) {
        self.text.clear();
        self.consumed = 0;
        let Encoding::Utf16 { big_endian } = self.encoding else {
            std::mem::swap(&mut self.text, &mut self.rest);
            return;
        };
        let unit = |bytes: &[u8]| {
            let bytes = [bytes[0], bytes[1]];
            if big_endian {
                u16::from_be_bytes(bytes)
            } else {
                u16::from_le_bytes(bytes)
            }
        };
        let mut units: Vec<u16> = self.rest.chunks_exact(2).map(unit).collect();
        let first_half = units
            .last()
            .is_some_and(|last| (0xD800..0xDC00).contains(last));
        if first_half && units.len() > 1 {
            units.pop();
        }
        self.rest.drain(..2 * units.len());
        let decoded: String = char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.text.extend(decoded.as_bytes());
    }
}

impl BufRead for Decoded {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        while self.consumed == self.text.len() && self.read_chunk()? {
            self.decode();
        }
        Ok(&self.text[self.consumed..])
    }

    fn consume(&mut self, amount: usize) {
        let read = &self.text[self.consumed..self.consumed + amount];
        self.line += read.iter().filter(|byte| matches!(byte, b'\n')).count();
        self.consumed += amount;
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (String, usize) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("writes");
        let mut decoded = Decoded::open(file.path()).expect("opens");
        let mut text = String::new();
        decoded.read_to_string(&mut text).expect("reads");
        (text, decoded.line)
    }

    #[test]
    fn both_byte_orders_read_as_utf_8_across_chunks() {
        let text = format!("<a>\n{}</a>\n", "x😀ü".repeat(30_000));
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes(),
            &little,
            &big,
            &[&[0xFF, 0xFE], little.as_slice()].concat(),
            &[&[0xFE, 0xFF], big.as_slice()].concat(),
        ] {
            assert!(decoded(bytes) == (text.clone(), 3));
        }
    }

    #[test]
    fn half_characters_do_no_harm() {
        assert_eq!(decoded(&[0xFF, 0xFE, b'a', 0, 0x3D, 0xD8]).0, "a");
        assert_eq!(decoded(&[0xFF, 0xFE, b'a', 0, b'b']).0, "a");
        assert_eq!(decoded(&[]).0, "");
    }
}
