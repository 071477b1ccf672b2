//! One interface, wherever the rows are.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::file::{self, MAGIC, TraceFile};
use super::json;
use super::map::{AttentionMap, MapInfo, MapKind};
use super::overview::{Overview, Trace};
use super::row::MapRow;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// The formats of a trace on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// `.json`
    Json,
    /// `.trace`
    Binary,
}

impl TraceFormat {
    /// The format of a file's name.
    ///
    /// # Errors
    /// If it ends in neither `.json` nor `.trace`.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") {
            Ok(Self::Json)
        } else if extension.eq_ignore_ascii_case("trace") {
            Ok(Self::Binary)
        } else {
            Err(Error::TraceExtension {
                path: path.to_owned(),
            })
        }
    }
}

/// Writes a trace in the format of the file's name.
///
/// # Errors
/// If the name has none, the trace holds what cannot be (such as NaN), the file exists and `overwrite` is false, or
/// it cannot be written.
pub fn save(trace: &Trace, path: impl AsRef<Path>, overwrite: bool) -> Result<()> {
    let path = path.as_ref();
    let format = TraceFormat::from_path(path)?;
    trace.check().map_err(|problem| Error::ImpossibleTrace {
        problem,
        path: path.to_owned(),
    })?;
    let bytes = match format {
        TraceFormat::Json => json::to_bytes(trace),
        TraceFormat::Binary => file::to_bytes(trace),
    };
    Ok(write_atomically(path, &bytes, overwrite)?)
}

/// Opens a trace of either format, recognised by its content, not its name.
///
/// # Errors
/// If the file cannot be read, is no trace, of another version or damaged.
pub fn open(path: impl AsRef<Path>) -> Result<TraceSource> {
    /// White space that may be before JSON.
    const BEGINNING: u64 = 64;
    let path = path.as_ref();
    let mut beginning = Vec::new();
    File::open(path)
        .and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning))
        .map_err(Error::read(path))?;
    if beginning.first() == Some(&MAGIC[0]) {
        return TraceFile::open(path).map(TraceSource::File);
    }
    // Nothing else is read as a whole: it may be any file.
    if !beginning.trim_ascii_start().starts_with(b"{") {
        return Err(Error::NoTrace {
            path: path.to_owned(),
        });
    }
    let bytes = fs::read(path).map_err(Error::read(path))?;
    json::from_bytes(&bytes, path).map(TraceSource::Memory)
}

/// A trace in memory or on disk.
#[derive(Debug)]
pub enum TraceSource {
    /// A trace in memory.
    Memory(Trace),
    /// A trace whose rows are read when they are needed.
    File(TraceFile),
}

impl From<Trace> for TraceSource {
    fn from(trace: Trace) -> Self {
        Self::Memory(trace)
    }
}

impl TraceSource {
    /// Returns everything but the maps.
    pub fn overview(&self) -> &Overview {
        match self {
            Self::Memory(trace) => &trace.overview,
            Self::File(file) => file.overview(),
        }
    }

    /// Returns the number of maps.
    pub fn num_maps(&self) -> usize {
        match self {
            Self::Memory(trace) => trace.maps.len(),
            Self::File(file) => file.maps().len(),
        }
    }

    /// Returns the description of a map.
    pub fn info(&self, map: usize) -> &MapInfo {
        match self {
            Self::Memory(trace) => &trace.maps[map].info,
            Self::File(file) => &file.maps()[map],
        }
    }

    /// All maps without their rows, in order.
    pub fn maps(&self) -> impl Iterator<Item = &MapInfo> {
        (0..self.num_maps()).map(|map| self.info(map))
    }

    /// Place of the first such map.
    pub fn find(&self, kind: MapKind, layer: usize, head: usize) -> Option<usize> {
        self.maps()
            .position(|info| (info.kind, info.layer, info.head) == (kind, layer, head))
    }

    /// Returns the number of rows of a map.
    pub fn num_rows(&self, map: usize) -> usize {
        self.overview().count(self.info(map).queries)
    }

    /// The weights of one query with one head; numbers that are not there are a bug and panic.
    ///
    /// # Errors
    /// If it cannot be read from disk or is damaged there.
    pub fn row(&self, map: usize, row: usize) -> Result<Cow<'_, MapRow>> {
        match self {
            Self::Memory(trace) => Ok(Cow::Borrowed(&trace.maps[map].rows[row])),
            Self::File(file) => file.row(map, row).map(Cow::Owned),
        }
    }

    /// One head with all rows.
    ///
    /// # Errors
    /// If it cannot be read from disk or is damaged there.
    pub fn map(&self, map: usize) -> Result<Cow<'_, AttentionMap>> {
        match self {
            Self::Memory(trace) => Ok(Cow::Borrowed(&trace.maps[map])),
            Self::File(file) => file.map(map).map(Cow::Owned),
        }
    }

    /// Everything.
    ///
    /// # Errors
    /// If it cannot be read from disk or is damaged there.
    pub fn trace(&self) -> Result<Cow<'_, Trace>> {
        match self {
            Self::Memory(trace) => Ok(Cow::Borrowed(trace)),
            Self::File(file) => file.trace().map(Cow::Owned),
        }
    }
}
