//! The text format, which says in itself what its numbers mean.

use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

use super::VERSION;
use super::map::AttentionMap;
use super::overview::{Overview, Trace};
use crate::error::{Error, Result};

const FORMAT: &str = "canopy trace";

/// Descriptions of the fields, with units and shapes; written into every file as `about`.
pub const ABOUT: &[(&str, &str)] = &[
    (
        "counting",
        "everything counts from 0: layers, heads, sentences, sections, levels and nodes; a word is known by its row, the tokens of all sentences of its side counted one after the other",
    ),
    (
        "sections",
        "parent: the section it is part of; level: 0 for the document, 1 to 6 for h1 to h6; heading: number of the paragraph that is its heading",
    ),
    (
        "source, target",
        "sentences in order, target[i] translates source[i]; tokens: one for each row; text: for people; points: what the single placeholders in text show, by number; section, paragraph (within the document), sentence_in_paragraph: where it stands",
    ),
    (
        "windows",
        "how a document was read that is too long to be read at once; absent if it was read as a whole; first, own, end: the sentences from first to before end were read together, from own on for themselves",
    ),
    (
        "trees",
        "binary content trees; leaves: sentence of each leaf; node i of a level has parent i / 2 (rounded down) in the level above, an odd last node is copied up; level 0: leaves, last level: root",
    ),
    (
        "gates",
        "mean, min, max: [words of side] each, 0 to 1, over the features of the word",
    ),
    (
        "maps",
        "one head of one layer; queries: what has a row; keys: what rows put weight on; visible: sentences that a query may attend to (own, all, others, earlier, {previous: n}, {own_and_previous: n}); windowed: of these only the ones of its window; normaliser: of the keys; sentence_normaliser: of the sentences if they were weighed before their words; threshold: weights below it were dropped; is_beside_own: the same attention reads the query's own source sentence, whose weight is in the rest; rows: [queries]",
    ),
    (
        "maps.rows",
        "the weights of the keys and rest sum to 1, or to 0 if nothing could be seen; an absent list is empty",
    ),
    ("maps.rows.words", "[row of the word, weight 0 to 1]"),
    (
        "maps.rows.sentences",
        "weight: 0 to 1, of the whole sentence, dropped words included; relevance: own score before normalising (q·k / √d_head, no unit); cumulative: sum of the scores on the path to it",
    ),
    (
        "maps.rows.rest",
        "sum of the weights that were dropped or belong to no word, such as a sentence's encoding that was read in the place of its words; 0 to 1",
    ),
    (
        "maps.rows.visits",
        "nodes of trees[tree] that were looked at: [level, node, relevance, cumulative relevance, kept]; not kept: cut with all below",
    ),
];

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    version: u32,
    #[serde(serialize_with = "as_object")]
    about: &'a [(&'a str, &'a str)],
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

fn as_object<S: Serializer>(pairs: &[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
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
