//! Damaged pages come back as they were, or are refused for what they are: cut off, with flipped bits, with tags lost,
//! doubled or in the wrong place, with parts left out or moved. The damage is the same in every run.

use std::fs;
use std::ops::Range;
use std::time::Instant;

use canopy::text::document::{Document, Format};
use canopy::text::error::{BaseError, Error};

use crate::documents::real_pages::{own, pages};
use crate::documents::{check, with_own_text};

/// Knuth's MMIX generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Its upper bits are the good ones.
        usize::try_from(self.0 >> 33).expect("31 bits") % end.max(1)
    }

    fn range(&mut self, end: usize, longest: usize) -> Range<usize> {
        let start = self.below(end);
        start..(start + 1 + self.below(longest)).min(end)
    }
}

/// A way to come to harm.
type Damage = fn(&mut Vec<u8>, &mut Random);

const DAMAGES: [(&str, Damage); 6] = [
    ("cut off", |bytes, random| {
        bytes.truncate(random.below(bytes.len()));
    }),
    ("flipped", |bytes, random| {
        for _ in 0..=random.below(12) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    }),
    ("marks lost", |bytes, random| {
        for _ in 0..=random.below(12) {
            let mark = a_mark(bytes, random);
            bytes.drain(mark);
        }
    }),
    ("marks elsewhere", |bytes, random| {
        for _ in 0..=random.below(12) {
            let mark = a_mark(bytes, random);
            let copy = bytes[mark].to_vec();
            let at = random.below(bytes.len());
            bytes.splice(at..at, copy);
        }
    }),
    ("parts left out", |bytes, random| {
        for _ in 0..=random.below(40) {
            let part = random.range(bytes.len(), 60);
            bytes.drain(part);
        }
    }),
    ("parts elsewhere", |bytes, random| {
        for _ in 0..=random.below(4) {
            let part = random.range(bytes.len(), 2_000);
            let moved: Vec<u8> = bytes.drain(part).collect();
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, moved);
        }
    }),
];

/// A tag, or a mark that means something in Markdown; nothing where there is none.
fn a_mark(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let from = random.below(bytes.len());
    let is_mark = |byte: &u8| b"<*_`[]()#>|~-!".contains(byte);
    let Some(start) = bytes[from..].iter().position(is_mark) else {
        return from..from;
    };
    let start = from + start;
    let end = match bytes[start] {
        b'<' => bytes[start..].iter().position(|&byte| byte == b'>'),
        _ => None,
    };
    start..start + end.unwrap_or(0) + 1
}

/// Reads a damaged file in every format; true if it is refused as no text.
fn is_refused(bytes: &[u8], case: &str) -> bool {
    let mut refused = false;
    for format in [Format::Html, Format::Markdown, Format::Text] {
        match Document::from_bytes("damaged", format, bytes.to_vec()) {
            Ok(document) => {
                assert_eq!(document.original.as_bytes(), bytes, "{case}");
                check(&document);
                let own = with_own_text(&document);
                let again = Document::parse("again", format, own).expect("as it was");
                check(&again);
            }
            Err(Error::Base(BaseError::NotUtf8 { offset, .. })) => {
                let valid = std::str::from_utf8(bytes).expect_err("not UTF-8");
                assert_eq!(offset, valid.valid_up_to(), "{case}");
                refused = true;
            }
            Err(Error::Base(BaseError::Binary { offset, .. })) => {
                assert_eq!(bytes[offset], 0, "{case}");
                refused = true;
            }
            Err(other) => panic!("{case}: {other}"),
        }
    }
    refused
}

#[test]
fn damaged_pages_come_back_as_they_were() {
    let begun = Instant::now();
    let mut files = pages(13);
    let texts = ["assets/samples", "tests/data/german"];
    for (folder, name) in texts
        .iter()
        .flat_map(|folder| ["notes.txt", "sorting-a-table.md"].map(|name| (folder, name)))
    {
        files.push(own(folder).join(name));
    }
    files.push(own("README.md"));
    let (mut random, mut read, mut refused) = (Random(1), 0, 0);
    for file in files {
        let whole = fs::read(&file).expect("readable");
        for (name, damage) in DAMAGES {
            for variant in 0..12 {
                let mut damaged = whole.clone();
                damage(&mut damaged, &mut random);
                let case = format!("{}, {name}, {variant}", file.display());
                if is_refused(&damaged, &case) {
                    refused += 1;
                    // What can be saved of it is read as well.
                    let saved = String::from_utf8_lossy(&damaged).replace('\0', "\u{FFFD}");
                    assert!(!is_refused(saved.as_bytes(), &case), "{case}");
                }
                read += 1;
            }
        }
    }
    assert!(read >= 500, "{read} cases");
    assert!(
        (1..read / 2).contains(&refused),
        "{refused} of {read} are no text"
    );
    let secs = begun.elapsed().as_secs();
    assert!(secs < 60, "{read} cases took {secs} s");
}
