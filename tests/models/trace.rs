//! A trace comes back from disk as it was written, row by row or as a whole, and what is no whole trace is refused.

use crate::support::sketch;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use canopy::explain::error::{BaseError, Error};
use canopy::trace::{
    MapKind, Overview, Trace, TraceFile, TraceSource, TracedWindow, Units, open, save,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sketch::Sketch;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn saved(trace: &Trace, folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    save(trace, &path, false).expect("saves");
    path
}

fn small(seed: u64) -> Sketch {
    let mut sketch = Sketch::new(seed, 3);
    sketch.words = 2;
    sketch
}

/// Offset of the first row in a binary file.
fn first_row(bytes: &[u8]) -> usize {
    let u64_at = |place: usize| {
        let bytes = bytes[place..place + 8].try_into().expect("eight bytes");
        usize::try_from(u64::from_le_bytes(bytes)).expect("small")
    };
    32 + u64_at(16) + 8 * (u64_at(24) + 1)
}

fn opened_whole(path: &Path) -> Result<Trace, Error> {
    Ok(open(path)?.trace()?.into_owned())
}

#[test]
fn both_formats_give_back_what_was_saved() {
    for (seed, sentences) in [(1, 1), (2, 2), (3, 11), (4, 64), (5, 100)] {
        let trace = Sketch::new(seed, sentences).trace();
        let folder = folder();
        for name in ["a.json", "a.trace"] {
            let source = open(saved(&trace, &folder, name)).expect("opens");
            assert_eq!(source.overview(), &trace.overview, "{name}");
            assert_eq!(*source.trace().expect("reads"), trace, "{name}");
            for (map, expected) in trace.maps.iter().enumerate() {
                assert_eq!(*source.map(map).expect("reads"), *expected, "{name}");
                assert_eq!(source.info(map), &expected.info);
                assert_eq!(source.num_rows(map), expected.rows.len());
                for (row, expected) in expected.rows.iter().enumerate() {
                    assert_eq!(*source.row(map, row).expect("reads"), *expected, "{name}");
                }
            }
            assert_eq!(source.find(MapKind::Cross, 0, 1), Some(3));
            assert_eq!(source.find(MapKind::Cross, 1, 0), None);
        }
    }
}

#[test]
fn windows_come_back() {
    let mut trace = Sketch::new(16, 5).trace();
    let window = |first, own, end| TracedWindow { first, own, end };
    trace.overview.windows = vec![window(0, 0, 3), window(2, 3, 5)];
    trace.maps[0].info.windowed = true;
    for name in ["a.json", "a.trace"] {
        let folder = folder();
        let opened = opened_whole(&saved(&trace, &folder, name));
        assert_eq!(opened.expect("opens"), trace, "{name}");
    }
}

#[test]
fn a_trace_of_nothing_comes_back() {
    let trace = Trace {
        overview: Overview::default(),
        maps: Vec::new(),
    };
    for name in ["a.json", "a.trace"] {
        let folder = folder();
        assert_eq!(
            opened_whole(&saved(&trace, &folder, name)).expect("opens"),
            trace
        );
    }
}

#[test]
fn the_content_determines_the_format_read_and_the_name_the_format_written() {
    let (trace, folder) = (Sketch::new(6, 4).trace(), folder());
    let path = saved(&trace, &folder, "a.TRACE");
    let renamed = folder.path().join("b.json");
    fs::rename(path, &renamed).expect("renames");
    assert!(matches!(open(&renamed), Ok(TraceSource::File(_))));
    assert!(matches!(
        save(&trace, &renamed, false),
        Err(Error::Base(BaseError::Exists { .. }))
    ));
    let error = save(&trace, folder.path().join("trace.txt"), true).expect_err("no format");
    let message = error.to_string();
    assert!(
        [".json", ".trace", "trace.txt"]
            .iter()
            .all(|word| message.contains(word)),
        "{message}"
    );
}

#[test]
fn a_row_is_read_without_the_others() {
    let (trace, folder) = (Sketch::new(7, 20).trace(), folder());
    let path = saved(&trace, &folder, "a.trace");
    let [map, row] = [2, 17];
    let bytes = fs::read(&path).expect("reads");
    let number: usize = trace.maps[..map].iter().map(|map| map.rows.len()).sum();
    let table =
        first_row(&bytes) - 8 * (trace.maps.iter().map(|map| map.rows.len()).sum::<usize>() + 1);
    let offset = |number: usize| {
        let place = table + 8 * number;
        let bytes = bytes[place..place + 8].try_into().expect("eight bytes");
        usize::try_from(u64::from_le_bytes(bytes)).expect("small")
    };
    let mut junk = bytes.clone();
    for (place, byte) in junk.iter_mut().enumerate().skip(first_row(&bytes)) {
        if !(offset(number + row)..offset(number + row + 1)).contains(&place) {
            *byte = 0xA5;
        }
    }
    fs::write(&path, junk).expect("writes");
    let file = TraceFile::open(&path).expect("rows are not read");
    assert_eq!(
        file.row(map, row).expect("reads"),
        trace.maps[map].rows[row]
    );
    let error = file.row(map, row + 1).expect_err("junk");
    assert!(
        error
            .to_string()
            .contains("context, layer 1, head 2, query 19"),
        "{error}"
    );
    assert!(file.map(map).is_err());
}

#[test]
fn every_prefix_is_refused() {
    let (trace, folder) = (small(8).trace(), folder());
    for name in ["a.trace", "a.json"] {
        let path = saved(&trace, &folder, name);
        let bytes = fs::read(&path).expect("reads");
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).expect("writes");
            assert!(
                matches!(
                    open(&path),
                    Err(Error::NoTrace { .. } | Error::BrokenTrace { .. })
                ),
                "{name}: {length} of {} bytes",
                bytes.len()
            );
        }
        fs::write(&path, [&bytes[..], b"?"].concat()).expect("writes");
        assert!(open(&path).is_err(), "{name}: a byte too many");
    }
}

#[test]
fn a_changed_bit_of_any_byte_of_a_binary_file_shows() {
    let (trace, folder) = (small(9).trace(), folder());
    let path = saved(&trace, &folder, "a.trace");
    let bytes = fs::read(&path).expect("reads");
    for place in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        fs::write(&path, flipped).expect("writes");
        assert!(opened_whole(&path).is_err(), "byte {place}");
    }
}

#[test]
fn changed_bytes_of_a_json_file_do_no_harm() {
    let (trace, folder) = (Sketch::new(10, 3).trace(), folder());
    let path = saved(&trace, &folder, "a.json");
    let bytes = fs::read(&path).expect("reads");
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..2_000 {
        let mut changed = bytes.clone();
        let place = rng.random_range(0..changed.len());
        changed[place] = *b"0-9[]{},\":.eE\xFF"
            .get(rng.random_range(0..15))
            .unwrap_or(&b'7');
        fs::write(&path, changed).expect("writes");
        // Another digit may well be another trace; it must not panic.
        let _ = opened_whole(&path);
    }
}

#[test]
fn other_files_and_other_versions_are_distinguished() {
    let (trace, folder) = (Sketch::new(12, 3).trace(), folder());
    let json = fs::read_to_string(saved(&trace, &folder, "a.json")).expect("reads");
    let mut binary = fs::read(saved(&trace, &folder, "a.trace")).expect("reads");
    binary[8] = 9;
    let newer = json.replacen("\"version\":1", "\"version\":9", 1);
    let path = folder.path().join("b");
    for bytes in [
        &binary[..],
        newer.as_bytes(),
        b"{\"version\":9,\"format\":\"canopy trace\"}",
    ] {
        fs::write(&path, bytes).expect("writes");
        let error = open(&path).expect_err("newer");
        assert!(
            matches!(
                error,
                Error::TraceVersion {
                    found: 9,
                    known: 1,
                    ..
                }
            ),
            "{error}"
        );
    }
    for foreign in [
        "",
        "{}",
        "{\"format\":\"other\",\"version\":1}",
        "<html>",
        "[1]",
        "{",
    ] {
        fs::write(&path, foreign).expect("writes");
        assert!(
            matches!(open(&path), Err(Error::NoTrace { .. })),
            "{foreign}"
        );
    }
    assert!(matches!(
        open(folder.path().join("missing.trace")),
        Err(Error::Base(BaseError::Read { .. }))
    ));
    assert!(open(folder.path()).is_err());
}

#[test]
fn a_promise_of_more_than_there_is_allocates_no_memory() {
    let (trace, folder) = (Sketch::new(13, 3).trace(), folder());
    let path = saved(&trace, &folder, "a.trace");
    let bytes = fs::read(&path).expect("reads");
    for place in [16, 24] {
        for count in [u64::MAX, u64::MAX / 8, 1 << 40] {
            let mut promising = bytes.clone();
            promising[place..place + 8].copy_from_slice(&count.to_le_bytes());
            fs::write(&path, promising).expect("writes");
            assert!(matches!(open(&path), Err(Error::BrokenTrace { .. })));
        }
    }
}

/// Changes a trace so that it cannot be.
type Spoil = fn(&mut Trace);

#[test]
fn numbers_that_cannot_be_are_neither_written_nor_read() {
    let cases: [(&str, Spoil); 13] = [
        ("0 and 1", |trace| trace.maps[1].rows[0].rest = f32::NAN),
        ("0 and 1", |trace| trace.maps[0].rows[0].words[0].1 = -0.1),
        ("sum to", |trace| trace.maps[0].rows[0].rest += 0.5),
        ("words", |trace| trace.maps[0].rows[0].words[0].0 = 9_999),
        ("sentences", |trace| {
            trace.maps[0].rows[0].sentences.reverse();
            let first = trace.maps[0].rows[0].sentences[0];
            trace.maps[0].rows[0].sentences.push(first);
        }),
        ("no tree 7", |trace| trace.maps[0].rows[0].tree = 7),
        ("nodes", |trace| trace.maps[0].rows[0].visits[0].level = 200),
        ("rows", |trace| drop(trace.maps[0].rows.pop())),
        ("the other heads", |trace| {
            trace.maps[2].info.keys = Units::SourceSentences;
        }),
        ("such queries", |trace| {
            trace.maps[1].info.queries = Units::SourceWords;
        }),
        ("leaves", |trace| trace.overview.trees[0].leaves.push(0)),
        ("window", |trace| {
            let (first, own, end) = (0, 3, 3);
            let window = TracedWindow { first, own, end };
            trace.overview.windows.push(window);
        }),
        ("context gate", |trace| {
            trace.overview.gates[0].min.clear();
        }),
    ];
    let folder = folder();
    let path = saved(&Sketch::new(14, 8).trace(), &folder, "good.json");
    let good = fs::read_to_string(&path).expect("reads");
    for (word, spoil) in cases {
        let mut trace = Sketch::new(14, 8).trace();
        spoil(&mut trace);
        for name in ["a.json", "a.trace"] {
            let error = save(&trace, folder.path().join(name), true).expect_err(word);
            assert!(matches!(error, Error::ImpossibleTrace { .. }), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        }
    }
    let rest = good.replacen("\"rest\":", "\"rest\":1e9,\"was\":", 1);
    fs::write(&path, rest).expect("writes");
    let error = open(&path).expect_err("a rest of 1e9");
    assert!(matches!(error, Error::BrokenTrace { .. }), "{error}");
}

#[test]
fn json_says_what_its_numbers_are() {
    let (trace, folder) = (Sketch::new(15, 4).trace(), folder());
    let json = fs::read(saved(&trace, &folder, "a.json")).expect("reads");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["format"], "canopy trace");
    assert!(json["about"]["maps.rows.rest"].is_string());
    assert_eq!(json["maps"][0]["kind"], "context");
    assert_eq!(json["maps"][0]["keys"], "source_words");
    let words = &trace.maps[0].rows[0].words;
    assert_eq!(json["maps"][0]["rows"][0]["words"][0][0], words[0].0);
    let visit = &json["maps"][0]["rows"][0]["visits"][0];
    assert_eq!(visit.as_array().map(Vec::len), Some(5));
}

/// Compares the contents of two files, in 32 bits and in decimals.
const PYTHON: &str = r"
import sys
sys.path.insert(0, sys.argv[1])
import canopy_trace

def flat(value):
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in [len(value), *flat(part)]] or [0]
    return [value]

def near(one, other):
    return one == other or None not in (one, other) and abs(one - other) <= 1e-6 * max(1, abs(one))

binary, text = canopy_trace.open(sys.argv[2]), canopy_trace.open(sys.argv[3])
assert binary.maps == text.maps and binary.source == text.source
rows = 0
for number, info in enumerate(binary.maps):
    for row in range(binary.num_rows(info)):
        one, other = flat(binary.row(number, row)), flat(text.row(number, row))
        assert len(one) == len(other) and all(map(near, one, other)), (info, row, one, other)
        rows += 1
print(rows)
";

#[test]
#[cfg_attr(not(has_python), ignore = "needs python3")]
fn the_reader_in_python_reads_both_forms_alike() {
    let folder = folder();
    let trace = small(7).trace();
    let [binary, text] = ["a.trace", "a.json"].map(|name| saved(&trace, &folder, name));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let paths = [&examples, &binary, &text].map(|path| path.to_str().expect("Unicode"));
    let output = Command::new("python3")
        .args(["-B", "-c", PYTHON, paths[0], paths[1], paths[2]])
        .output()
        .expect("python3");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows: usize = trace.maps.iter().map(|map| map.rows.len()).sum();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        rows.to_string()
    );
}
