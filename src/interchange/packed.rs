//! Zip files: wheels, archives inside them, and npz.
//!
//! As in PKWARE's APPNOTE 6.3: the end of the file says where its directory is (4.3.16), the directory where the files are
//! (4.3.12). Stored and deflated files are read, of at most 4 GiB each; that is what wheels and npz are made of.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::error::{Error, Result};

/// Bytes of the record at the end, which a comment of at most 65,535 bytes may follow.
const END: usize = 22;
const MAX_COMMENT: u64 = 0xFFFF;
/// Bytes of an entry of the directory and of the header before a file, without their names.
const ENTRY: usize = 46;
const HEADER: usize = 30;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// An open zip file.
pub(super) struct Packed {
    source: Box<dyn Source>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    is_encrypted: bool,
    method: u16,
    checksum: u32,
    packed_size: u32,
    size: u32,
    header: u32,
}

impl Packed {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        Self::new(Box::new(BufReader::new(file))).map_err(|problem| Error::Foreign {
            reason: format!("{problem}; name a folder, or a wheel as it was downloaded"),
            path: path.to_owned(),
        })
    }

    /// A zip file that lay in another one.
    pub fn within(bytes: Vec<u8>) -> Result<Self, String> {
        Self::new(Box::new(Cursor::new(bytes)))
    }

    fn new(mut source: Box<dyn Source>) -> Result<Self, String> {
        let directory = directory(&mut source).ok_or("it is not a whole zip file")?;
        let entries = entries(&directory).ok_or("its zip directory is damaged")?;
        Ok(Self { source, entries })
    }

    /// The files in it with their numbers.
    pub fn names(&self) -> Vec<(usize, String)> {
        let entries = self.entries.iter().enumerate();
        let files = entries.filter(|(_, entry)| !entry.name.ends_with('/'));
        files
            .map(|(number, entry)| (number, entry.name.clone()))
            .collect()
    }

    /// A file by its number, of at most so many bytes.
    pub fn read(&mut self, number: usize, most: u64) -> Result<Vec<u8>, String> {
        let entry = &self.entries[number];
        if u64::from(entry.size) > most {
            let size = entry.size;
            return Err(format!(
                "it has {size} bytes; such a file has at most {most}"
            ));
        }
        if entry.is_encrypted || ![STORED, DEFLATED].contains(&entry.method) {
            return Err("it is encrypted or packed in another way than by deflate; unpack it and name the folder".to_owned());
        }
        let broken = |_| "its zip entry is damaged".to_owned();
        let mut header = [0; HEADER];
        let start = SeekFrom::Start(entry.header.into());
        self.source.seek(start).map_err(broken)?;
        self.source.read_exact(&mut header).map_err(broken)?;
        let names = i64::from(u16_at(&header, 26)) + i64::from(u16_at(&header, 28));
        self.source.seek(SeekFrom::Current(names)).map_err(broken)?;
        // Sizes may be wrong, so memory is not set aside for them.
        let packed = (&mut self.source).take(entry.packed_size.into());
        let limit = u64::from(entry.size) + 1;
        let mut bytes = Vec::new();
        let read = if entry.method == STORED {
            packed.take(limit).read_to_end(&mut bytes)
        } else {
            DeflateDecoder::new(packed)
                .take(limit)
                .read_to_end(&mut bytes)
        };
        read.map_err(broken)?;
        let mut checksum = Crc::new();
        checksum.update(&bytes);
        if bytes.len() as u64 + 1 == limit && checksum.sum() == entry.checksum {
            Ok(bytes)
        } else {
            Err("its zip entry is damaged: size or checksum differ".to_owned())
        }
    }
}

/// The bytes of the directory.
fn directory(source: &mut Box<dyn Source>) -> Option<Vec<u8>> {
    let length = source.seek(SeekFrom::End(0)).ok()?;
    let tail_start = length.saturating_sub(END as u64 + MAX_COMMENT);
    let tail = bytes_at(source, tail_start, length - tail_start)?;
    let mut places = (0..=tail.len().checked_sub(END)?).rev();
    let end = places.find(|&place| tail[place..].starts_with(b"PK\x05\x06"))?;
    let (size, start) = (u32_at(&tail[end..], 12), u32_at(&tail[end..], 16));
    let directory = bytes_at(source, start.into(), size.into())?;
    (directory.len() as u64 == u64::from(size)).then_some(directory)
}

fn bytes_at(source: &mut Box<dyn Source>, start: u64, length: u64) -> Option<Vec<u8>> {
    source.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    source.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn entries(mut directory: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    while !directory.is_empty() {
        let (fixed, rest) = directory.split_at_checked(ENTRY)?;
        if !fixed.starts_with(b"PK\x01\x02") {
            return None;
        }
        let lengths = [28, 30, 32].map(|offset| usize::from(u16_at(fixed, offset)));
        let (name, rest) = rest.split_at_checked(lengths[0])?;
        directory = rest.get(lengths[1] + lengths[2]..)?;
        entries.push(Entry {
            name: String::from_utf8_lossy(name).into_owned(),
            is_encrypted: u16_at(fixed, 8) & 1 == 1,
            method: u16_at(fixed, 10),
            checksum: u32_at(fixed, 16),
            packed_size: u32_at(fixed, 20),
            size: u32_at(fixed, 24),
            header: u32_at(fixed, 42),
        });
    }
    Some(entries)
}

fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([bytes[offset], bytes[offset + 1]])
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from(u16_at(bytes, offset)) | u32::from(u16_at(bytes, offset + 2)) << 16
}
