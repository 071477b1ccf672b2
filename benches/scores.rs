//! Seconds for scores and for significance tests, compared with sacrebleu on the same texts.
//!
//! `cargo bench --bench scores`; the peer runs if `CANOPY_PYTHON` (or `python3`) has sacrebleu. It has one thread, we
//! have all; `RAYON_NUM_THREADS=1` makes it even.

use std::io::Write;
use std::process::Command;
use std::time::Instant;

use canopy::metrics::significance::{
    approximate_randomization, bootstrap_p, bootstrap_scores, mean_score,
};
use canopy::metrics::{BleuMetric, Chrf, Metric, SegmentSums, Ter};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINES: usize = 5_000;
const SYSTEMS: usize = 5;
const SAMPLES: usize = 1_000;
const TRIALS: usize = 10_000;

fn main() {
    let references = vec![references()];
    let systems: Vec<Vec<String>> = (1..=SYSTEMS)
        .map(|system| translations(&references[0], system))
        .collect();
    let threads = rayon::current_num_threads();
    println!("{LINES} segments, {SYSTEMS} systems, {threads} threads");
    let peer = peer(&references[0], &systems);
    if peer.is_none() {
        println!("no sacrebleu found (set CANOPY_PYTHON): no ratios");
    }
    let plus_plus = Chrf {
        word_order: 2,
        ..Chrf::default()
    };
    let metrics: [&dyn Metric; 4] = [
        &BleuMetric::default(),
        &Chrf::default(),
        &plus_plus,
        &Ter::default(),
    ];
    for metric in metrics {
        let begun = Instant::now();
        let sums = SegmentSums::count(metric, &systems[0], &references);
        let score = metric.score(&sums.total());
        report(&metric.name(), begun, peer.as_ref());
        let theirs = peer.as_ref().map(|peer| &peer["scores"][metric.name()]);
        if let Some(theirs) = theirs.and_then(Value::as_f64) {
            assert!((score - theirs).abs() < 1e-6, "{score} is not {theirs}");
        }
    }
    let metric = BleuMetric::default();
    let begun = Instant::now();
    let sums = all_sums(&metric, &systems, &references);
    let all: Vec<&[SegmentSums]> = sums.iter().map(std::slice::from_ref).collect();
    let scores = bootstrap_scores(&metric, &all, SAMPLES, 1);
    for system in 1..SYSTEMS {
        let observed = mean_score(&metric, all[system]) - mean_score(&metric, all[0]);
        bootstrap_p(&scores[0], &scores[system], observed);
    }
    report("paired bootstrap", begun, peer.as_ref());
    let begun = Instant::now();
    let sums = all_sums(&metric, &systems, &references);
    for system in &sums[1..] {
        approximate_randomization(&metric, &sums[..1], std::slice::from_ref(system), TRIALS, 1);
    }
    report("approximate randomisation", begun, peer.as_ref());
}

fn all_sums(
    metric: &dyn Metric,
    systems: &[Vec<String>],
    references: &[Vec<String>],
) -> Vec<SegmentSums> {
    let systems = systems.iter();
    systems
        .map(|lines| SegmentSums::count(metric, lines, references))
        .collect()
}

fn report(task: &str, begun: Instant, peer: Option<&Value>) {
    let secs = begun.elapsed().as_secs_f64();
    match peer.and_then(|peer| peer["secs"][task].as_f64()) {
        Some(theirs) => println!(
            "{task:>26}: {secs:>7.3} s, sacrebleu {theirs:>7.2} s, ratio {:.0}",
            theirs / secs
        ),
        None => println!("{task:>26}: {secs:>7.3} s"),
    }
}

/// Pieces of real text, all different.
fn references() -> Vec<String> {
    let text = include_str!("../tests/data/score/reference.en");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut line = || {
        let start = rng.random_range(0..words.len() - 40);
        words[start..start + rng.random_range(6..40)].join(" ")
    };
    (0..LINES)
        .map(|number| format!("{} {number}", line()))
        .collect()
}

/// The references with words dropped and changed and the halves of some lines exchanged; each system is a bit worse.
fn translations(references: &[String], system: usize) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(system as u64);
    let mut translate = |line: &String| {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.retain(|_| rng.random_range(0..20) > 0);
        for word in &mut words {
            if rng.random_range(0..200) < 60 + system {
                *word = "Wort";
            }
        }
        if rng.random_range(0..20) == 0 {
            let middle = words.len() / 2;
            words.rotate_left(middle);
        }
        words.join(" ")
    };
    references.iter().map(&mut translate).collect()
}

/// Measurements of sacrebleu on the same texts.
fn peer(references: &[String], systems: &[Vec<String>]) -> Option<Value> {
    let texts = json!({"references": references, "systems": systems});
    let mut file = tempfile::NamedTempFile::new().ok()?;
    file.write_all(texts.to_string().as_bytes()).ok()?;
    let python = std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/scores.py");
    let output = Command::new(python)
        .arg(script)
        .arg(file.path())
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
