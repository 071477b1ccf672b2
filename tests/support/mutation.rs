//! Damage to files: bytes, words of their languages, structure, and the entries of archives. The same seed gives the same damage.

use std::io::{Cursor, Read, Write};
use std::ops::Range;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Bytes that mean something in one of the formats, and values at the ends of their ranges.
const WORDS: [&[u8]; 56] = [
    b"<",
    b">",
    b"</",
    b"/>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
    b"&",
    b"&#0;",
    b"&#x110000;",
    b"&lol;",
    b"<!DOCTYPE a [<!ENTITY lol \"lol\">]>",
    b"\"",
    b"'",
    b"\\",
    b"\\u0000",
    b"\\uD800",
    b"{",
    b"}",
    b"[",
    b"]",
    b"{0, plural, one {",
    b"%n$s",
    b"$1",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xFF",
    b"\xC0\x80",
    b"\xED\xA0\x80",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"0",
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"4294967295",
    b"18446744073709551616",
    b"-9223372036854775808",
    b"\x7F\xFF\xFF\xFF",
    b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
    b"..",
    b"/../../",
    b"*",
    b"`",
    b"```",
    b"::",
    b"|===",
    b"\\begin{verbatim}",
    "\u{E000}\u{E1FF}\u{202E}\u{301}".as_bytes(),
];

/// How often something is repeated that may be nested.
const DEEP: usize = 3_000;

pub struct Mutator {
    random: ChaCha8Rng,
}

impl Mutator {
    pub fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end)
    }

    /// A damaged copy; of an archive mostly one of its entries is, now and then the archive itself.
    pub fn mutated(&mut self, bytes: &[u8]) -> Vec<u8> {
        if bytes.starts_with(b"PK\x03\x04")
            && self.random.random_bool(0.85)
            && let Some(entries) = entries(bytes)
        {
            return self.repacked(entries);
        }
        let mut bytes = bytes.to_vec();
        for _ in 0..self.random.random_range(1..=4) {
            self.damage(&mut bytes);
        }
        bytes
    }

    fn repacked(&mut self, mut entries: Vec<(String, Vec<u8>)>) -> Vec<u8> {
        let number = self.random.random_range(0..entries.len());
        match self.random.random_range(0..12) {
            0 => {
                entries.remove(number);
            }
            1 => {
                let copy = entries[number].1.clone();
                let other = self.random.random_range(0..entries.len());
                entries[other].1 = copy;
            }
            2 => {
                let (_, content) = entries[number].clone();
                let name = ["../outside.xml", "/outside.xml", "a\\..\\b", ""]
                    [self.random.random_range(0..4)];
                entries.push((name.to_owned(), content));
            }
            _ => {
                for _ in 0..self.random.random_range(1..=4) {
                    self.damage(&mut entries[number].1);
                }
            }
        }
        packed(&entries)
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let random = &mut self.random;
        let end = bytes.len();
        match random.random_range(0..10) {
            0 => bytes.truncate(random.random_range(0..=end)),
            1 if end > 0 => {
                for _ in 0..random.random_range(1..=8) {
                    let at = random.random_range(0..end);
                    bytes[at] ^= 1 << random.random_range(0..8);
                }
            }
            2 if end > 0 => {
                let at = random.random_range(0..end);
                bytes[at] = random.random();
            }
            3 => {
                let at = random.random_range(0..=end);
                let word = *WORDS.choose(random).expect("one");
                bytes.splice(at..at, word.iter().copied());
            }
            4 => {
                let word = *WORDS.choose(random).expect("one");
                let place = part(random, end, 16);
                bytes.splice(place, word.iter().copied());
            }
            5 => {
                let place = part(random, end, 200);
                bytes.drain(place);
            }
            6 => {
                let copy = bytes[part(random, end, 400)].to_vec();
                let at = random.random_range(0..=end);
                bytes.splice(at..at, copy);
            }
            7 => {
                let moved: Vec<u8> = bytes.drain(part(random, end, 400)).collect();
                let at = random.random_range(0..=bytes.len());
                bytes.splice(at..at, moved);
            }
            8 if random.random_bool(0.1) => {
                let copy = bytes[part(random, end, 12)].repeat(DEEP);
                let at = random.random_range(0..=end);
                bytes.splice(at..at, copy);
            }
            _ => number_replaced(random, bytes),
        }
    }
}

/// A run of bytes, up to a maximum length.
fn part(random: &mut ChaCha8Rng, end: usize, longest: usize) -> Range<usize> {
    let start = random.random_range(0..=end);
    start..(start + random.random_range(1..=longest)).min(end)
}

/// Puts another number in the place of one that is written in digits.
fn number_replaced(random: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
    let from = random.random_range(0..=bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let digits = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let end = start + digits.count();
    let other: &[u8] = [
        b"0".as_slice(),
        b"-1",
        b"1",
        b"65536",
        b"4294967296",
        b"99999999999999999999",
        b"1e308",
        b"",
    ]
    .choose(random)
    .expect("one");
    bytes.splice(start..end, other.iter().copied());
}

fn entries(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut entries = Vec::new();
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).ok()?;
        let mut content = Vec::new();
        entry.read_to_end(&mut content).ok()?;
        entries.push((entry.name().ok()?.into_owned(), content));
    }
    (!entries.is_empty()).then_some(entries)
}

fn packed(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Packing takes more time than all else.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in entries {
        // Two entries of one name are refused by the writer: the first one stays.
        if writer.start_file(name.as_str(), stored).is_ok() {
            writer.write_all(content).expect("written");
        }
    }
    writer.finish().expect("an archive").into_inner()
}
