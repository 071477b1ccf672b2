//! The text format, which says in itself what its numbers mean.

use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

use super::VERSION;
use super::map::AttentionMap;
use super::overview::{Overview, Trace};
use crate::error::{Error, Result};
use canopy_base::table::rows;

const FORMAT: &str = "canopy trace";

/// In each row a field and its description, with units and shapes; written into every file as `about`.
pub const ABOUT: &str = include_str!("about.tsv");

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    version: u32,
    #[serde(serialize_with = "as_object")]
    about: &'a str,
    #[serde(flatten)]
    overview: &'a Overview,
    maps: &'a [AttentionMap],
}

#[derive(Deserialize)]
struct Found {
    #[serde(flatten)]
    overview: Overview,
    maps: Vec<AttentionMap>,
}

/// The mark that distinguishes a trace from other JSON.
#[derive(Deserialize)]
struct Label {
    format: String,
    version: u64,
}

fn as_object<S: Serializer>(table: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(rows(table))
}

pub(super) fn to_bytes(trace: &Trace) -> Vec<u8> {
    let written = Written {
        format: FORMAT,
        version: VERSION,
        about: ABOUT,
        overview: &trace.overview,
        maps: &trace.maps,
    };
    serde_json::to_vec(&written).expect("plain data becomes JSON")
}

/// # Errors
/// If `bytes` are no trace, one of another version, or damaged.
pub(super) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Trace> {
    let broken = |problem| Error::BrokenTrace {
        problem,
        path: path.to_owned(),
    };
    match serde_json::from_slice::<Label>(bytes) {
        Ok(label) if label.format == FORMAT && label.version == u64::from(VERSION) => {}
        Ok(label) if label.format == FORMAT => {
            return Err(Error::TraceVersion {
                found: label.version,
                known: VERSION,
                path: path.to_owned(),
            });
        }
        // Cut off or spoilt, but it begins as we write it.
        Err(cause) if begins_as_trace(bytes) => return Err(broken(cause.to_string())),
        Ok(_) | Err(_) => {
            return Err(Error::NoTrace {
                path: path.to_owned(),
            });
        }
    }
    let found: Found = serde_json::from_slice(bytes).map_err(|cause| broken(cause.to_string()))?;
    let trace = Trace {
        overview: found.overview,
        maps: found.maps,
    };
    trace.check().map_err(broken)?;
    Ok(trace)
}

fn begins_as_trace(bytes: &[u8]) -> bool {
    let beginning = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let expected = format!("{{\"format\":\"{FORMAT}\"");
    let expected = expected.bytes().filter(|byte| !byte.is_ascii_whitespace());
    beginning
        .copied()
        .take(expected.clone().count())
        .eq(expected)
}
