//! The binary format: rows stay on disk until they are read.
//!
//! | bytes | holds |
//! |---|---|
//! | 8 | magic: `\x89CANOPYT` |
//! | `u32` | version of the format |
//! | `u32` | FNV-1a of everything from here to the first row |
//! | `u64` | length of the header |
//! | `u64` | number of rows of all maps |
//! | header | JSON: `[overview, [map without rows, …]]` |
//! | (rows + 1) × `u64` | where in the file each row begins, map by map, and where the last one ends: the file's length |
//! | rows | see `encoding.rs` |

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::VERSION;
use super::check::{Bounds, Problem, check_maps, row_problem};
use super::encoding::{fnv1a, read_row, write_row};
use super::map::{AttentionMap, MapInfo};
use super::overview::{Overview, Trace};
use super::row::MapRow;
use crate::error::{Error, Result};

pub(super) const MAGIC: [u8; 8] = *b"\x89CANOPYT";

/// Magic, version, checksum, length of the header, number of rows.
const FIXED: usize = 8 + 4 + 4 + 8 + 8;

/// Where what the checksum covers begins.
const CHECKED: usize = 16;

/// The whole file.
pub(super) fn to_bytes(trace: &Trace) -> Vec<u8> {
    let infos: Vec<&MapInfo> = trace.maps.iter().map(|map| &map.info).collect();
    let header = serde_json::to_vec(&(&trace.overview, infos)).expect("plain data becomes JSON");
    let rows: Vec<&MapRow> = trace.maps.iter().flat_map(|map| &map.rows).collect();
    let first_row = FIXED + header.len() + 8 * (rows.len() + 1);
    let mut bytes = Vec::with_capacity(first_row + 64 * rows.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend((rows.len() as u64).to_le_bytes());
    bytes.extend(header);
    let table = bytes.len();
    bytes.resize(first_row, 0);
    for (number, row) in rows.iter().enumerate() {
        write_offset(&mut bytes, table + 8 * number);
        write_row(row, &trace.overview.trees, &mut bytes);
    }
    write_offset(&mut bytes, table + 8 * rows.len());
    let hash = fnv1a(&bytes[CHECKED..first_row]);
    bytes[CHECKED - 4..CHECKED].copy_from_slice(&hash.to_le_bytes());
    bytes
}

/// Notes at `place` that the next row begins at the end of `bytes`.
fn write_offset(bytes: &mut [u8], place: usize) {
    let offset = bytes.len() as u64;
    bytes[place..place + 8].copy_from_slice(&offset.to_le_bytes());
}

/// An open `.trace` file.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    file: Mutex<File>,
    overview: Overview,
    maps: Vec<MapInfo>,
    /// Number of the first row of each map, and of all rows.
    first_rows: Vec<usize>,
    /// Where each row begins, and the end of the file.
    offsets: Vec<u64>,
    bounds: Bounds,
}

impl TraceFile {
    /// Reads everything but the rows.
    ///
    /// # Errors
    /// If the file cannot be read, is no binary trace, of another version or damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut file = File::open(path).map_err(Error::read(path))?;
        let length = file.metadata().map_err(Error::read(path))?.len();
        let mut fixed = Vec::with_capacity(FIXED);
        Read::by_ref(&mut file)
            .take(FIXED as u64)
            .read_to_end(&mut fixed)
            .map_err(Error::read(path))?;
        let broken = |problem| Error::BrokenTrace {
            problem,
            path: path.to_owned(),
        };
        let front = Front::read(&fixed, length, path)?;
        let mut bytes = vec![0; front.header + 8 * (front.rows + 1)];
        file.read_exact(&mut bytes).map_err(Error::read(path))?;
        fixed.extend(bytes);
        if fnv1a(&fixed[CHECKED..]) != front.hash {
            return Err(broken("the checksum of its header is wrong".to_owned()));
        }
        let (header, table) = fixed[FIXED..].split_at(front.header);
        let (overview, maps): (Overview, Vec<MapInfo>) =
            serde_json::from_slice(header).map_err(|cause| broken(cause.to_string()))?;
        let (offsets, _) = table.as_chunks::<8>();
        let trace = Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            first_rows: first_rows(&overview, &maps),
            bounds: Bounds::new(&overview),
            offsets: offsets
                .iter()
                .map(|&offset| u64::from_le_bytes(offset))
                .collect(),
            overview,
            maps,
        };
        trace.check(fixed.len() as u64, length).map_err(broken)?;
        Ok(trace)
    }

    fn check(&self, start: u64, length: u64) -> Result<(), Problem> {
        self.overview.check()?;
        check_maps(self.maps.iter())?;
        let rows = self.first_rows.last().copied().unwrap_or(0);
        if rows != self.offsets.len() - 1 {
            return Err(format!("{} rows, not {rows}", self.offsets.len() - 1));
        }
        if self.offsets.first() != Some(&start) || !self.offsets.is_sorted() {
            return Err("its rows overlap".to_owned());
        }
        match self.offsets.last() {
            Some(&end) if end == length => Ok(()),
            end => Err(format!("it has {length} bytes, not {}", end.unwrap_or(&0))),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns everything but the rows of its maps.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// Returns the descriptions of its maps.
    pub fn maps(&self) -> &[MapInfo] {
        &self.maps
    }

    /// Reads one row of a map and nothing else.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn row(&self, map: usize, row: usize) -> Result<MapRow> {
        let rows = self.rows(map);
        assert!(row < rows.len(), "row {row} of {} in map {map}", rows.len());
        let bytes = self.read(rows.start + row..rows.start + row + 1)?;
        self.decode(map, row, &bytes)
    }

    /// Reads one map.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn map(&self, map: usize) -> Result<AttentionMap> {
        let rows = self.rows(map);
        let bytes = self.read(rows.clone())?;
        let mut left = bytes.as_slice();
        let row = |number: usize| {
            let (row, behind) = left.split_at(length(&self.offsets[rows.start + number..]));
            left = behind;
            self.decode(map, number, row)
        };
        Ok(AttentionMap {
            info: self.maps[map].clone(),
            rows: (0..rows.len()).map(row).collect::<Result<_>>()?,
        })
    }

    /// Reads everything.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn trace(&self) -> Result<Trace> {
        Ok(Trace {
            overview: self.overview.clone(),
            maps: (0..self.maps.len())
                .map(|map| self.map(map))
                .collect::<Result<_>>()?,
        })
    }

    fn rows(&self, map: usize) -> Range<usize> {
        self.first_rows[map]..self.first_rows[map + 1]
    }

    fn decode(&self, map: usize, row: usize, bytes: &[u8]) -> Result<MapRow> {
        let info = &self.maps[map];
        let checked = read_row(bytes, &self.overview.trees)
            .and_then(|row| self.bounds.check_row(info, &row).map(|()| row));
        checked.map_err(|problem| Error::BrokenTrace {
            problem: row_problem(info, row, &problem),
            path: self.path.clone(),
        })
    }

    fn read(&self, rows: Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length(&[self.offsets[rows.start], self.offsets[rows.end]])];
        // Every read seeks first, so what a panicking thread left does not matter.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.offsets[rows.start]))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(Error::read(&self.path))?;
        Ok(bytes)
    }
}

/// Bytes from the first of `offsets` to the second.
fn length(offsets: &[u64]) -> usize {
    usize::try_from(offsets[1] - offsets[0]).expect("a row that was written fits in memory")
}

/// Number of the first row of each map, and of all rows.
fn first_rows(overview: &Overview, maps: &[MapInfo]) -> Vec<usize> {
    let ends = maps.iter().scan(0_usize, |end, map| {
        *end = end.saturating_add(overview.count(map.queries));
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The fixed part at the beginning.
struct Front {
    hash: u32,
    header: usize,
    rows: usize,
}

impl Front {
    /// # Errors
    /// If what it promises does not fit into a file of `length` bytes, so that memory is only allocated for what it has.
    fn read(bytes: &[u8], length: u64, path: &Path) -> Result<Self> {
        let known = bytes.len().min(MAGIC.len());
        if known == 0 || bytes[..known] != MAGIC[..known] {
            return Err(Error::NoTrace {
                path: path.to_owned(),
            });
        }
        let short = || Error::BrokenTrace {
            problem: format!("it ends after {length} bytes"),
            path: path.to_owned(),
        };
        let numbers = bytes.as_array::<FIXED>().ok_or_else(short)?;
        let u32_at =
            |place: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| numbers[place + byte]));
        let u64_at = |place: usize| u64::from(u32_at(place)) | u64::from(u32_at(place + 4)) << 32;
        let version = u32_at(8);
        if version != VERSION {
            return Err(Error::TraceVersion {
                found: version.into(),
                known: VERSION,
                path: path.to_owned(),
            });
        }
        let (header, rows) = (u64_at(16), u64_at(24));
        let table = rows
            .checked_add(1)
            .and_then(|offsets| offsets.checked_mul(8));
        let end = table.and_then(|table| table.checked_add(header)?.checked_add(FIXED as u64));
        if end.is_none_or(|end| end > length) {
            return Err(short());
        }
        let fits = |number: u64| usize::try_from(number).ok().ok_or_else(short);
        Ok(Self {
            hash: u32_at(12),
            header: fits(header)?,
            rows: fits(rows)?,
        })
    }
}
