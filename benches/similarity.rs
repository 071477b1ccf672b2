//! Sentences a second and memory of choosing context by similarity, compared with faiss's exact search over the same vectors.
//!
//! `cargo bench --bench similarity -- [SENTENCES[/QUERIES] …]`, by default 53000, 250000 and 1000000; the peer runs if
//! `CANOPY_PYTHON` (or `python3`) has faiss. From a million sentences on 10,000 of them are timed, or as many as requested
//! for, and the rest is extrapolated. Both have all threads; `RAYON_NUM_THREADS=1` and `OMP_NUM_THREADS=1` give them one.

use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

use canopy::similarity::{Embeddings, Measure, Neighbours, Range, Selection, Sentences};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DIMENSIONS: usize = 384;
const DOCUMENT: usize = 50;
/// As many as the paper's training set, as the most it tried, and as it could not.
const SENTENCES: [usize; 3] = [53_000, 250_000, 1_000_000];
const MOST_QUERIES: usize = 10_000;

fn main() {
    let named: Vec<(usize, usize)> = std::env::args()
        .filter_map(|argument| sizes(&argument))
        .collect();
    let sizes = if named.is_empty() {
        SENTENCES.map(|count| (count, queries(count))).to_vec()
    } else {
        named
    };
    let threads = rayon::current_num_threads();
    println!("{DIMENSIONS} dimensions, cosine, {threads} threads");
    for (count, num_queries) in sizes {
        measure(count, num_queries.min(count));
    }
}

/// Sentences and queries of `SENTENCES` or `SENTENCES/QUERIES`.
fn sizes(argument: &str) -> Option<(usize, usize)> {
    if let Some((count, queries)) = argument.split_once('/') {
        return Some((count.parse().ok()?, queries.parse().ok()?));
    }
    let count = argument.parse().ok()?;
    Some((count, queries(count)))
}

fn queries(count: usize) -> usize {
    if count < 1_000_000 {
        count
    } else {
        MOST_QUERIES
    }
}

fn measure(count: usize, num_queries: usize) {
    let sentences = sentences(count);
    for (range, num_queries) in [(Range::Each, count), (Range::All, num_queries)] {
        let selection = Selection {
            measure: Measure::Cosine,
            range,
            count: NonZeroUsize::MIN,
        };
        let begun = Instant::now();
        let found = selection
            .run_for(&sentences, 0..num_queries, |_| ControlFlow::Continue(()))
            .expect("nothing stops it");
        let secs = begun.elapsed().as_secs_f64();
        let rate = as_f64(num_queries) / secs;
        let whole = if num_queries < count {
            format!(", all extrapolated {:.0} s", as_f64(count) / rate)
        } else {
            String::new()
        };
        let memory = peak_mib().map_or_else(String::new, |mib| format!(", peak {mib} MiB"));
        println!(
            "{count:>8} sentences, {num_queries:>7} queries, {range:?}: {secs:>8.2} s, {rate:>8.0} sentences/s{whole}{memory}"
        );
        if range == Range::All {
            compare_with_peer(&sentences, num_queries, secs, &found);
        }
    }
}

/// Random vectors in documents of equal length.
fn sentences(count: usize) -> Sentences {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
    let values = (0..count * DIMENSIONS).map(|_| rng.random_range(-1.0..1.0_f32));
    let embeddings = Embeddings::new(values.collect(), DIMENSIONS).expect("finite");
    let whole = std::iter::repeat_n(DOCUMENT, count / DOCUMENT);
    Sentences::new(embeddings, whole.chain([count % DOCUMENT]))
}

fn compare_with_peer(sentences: &Sentences, num_queries: usize, secs: f64, found: &Neighbours) {
    let Some(peer) = peer(sentences, num_queries) else {
        println!("no faiss found (set CANOPY_PYTHON): no ratio");
        return;
    };
    let theirs = peer["secs"].as_f64().expect("seconds");
    let picks = peer["picks"].as_array().expect("rows");
    let equal = found
        .iter()
        .zip(picks)
        .filter(|(ours, theirs)| theirs.as_u64() == ours.first().map(|one| one.row as u64))
        .count();
    println!(
        "   faiss: {theirs:.2} s, {} MiB; ratio {:.2}; {equal} of {num_queries} picks are equal",
        peer["peak_mib"],
        theirs / secs
    );
}

/// Results and times of faiss.
fn peer(sentences: &Sentences, num_queries: usize) -> Option<Value> {
    let mut file = BufWriter::new(tempfile::NamedTempFile::new().ok()?);
    for number in sentences.embeddings().values() {
        file.write_all(&number.to_le_bytes()).ok()?;
    }
    let file = file.into_inner().ok()?;
    let python = std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/similarity.py");
    let output = Command::new(python)
        .arg(script)
        .arg(file.path())
        .args([DIMENSIONS, num_queries].map(|number| number.to_string()))
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// The most memory this process ever had, where the system reports it.
fn peak_mib() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

#[expect(clippy::cast_precision_loss, reason = "counts of sentences")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
