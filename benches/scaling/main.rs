//! The cost of attention to a document as it grows: the rows of Trankova et al. 2024, Table 1.
//!
//! Four ways for every word to read its document, at the width of the small presets, on documents of 16 to 16,384
//! sentences: self-attention over all words, attention to sentence encodings, conditional attention and hierarchical
//! conditional attention. Every point is a process of its own, so that its memory can be seen; queries come in chunks.
//! A point that takes more than 8 GB or five minutes ends its row, and the rest of it is extrapolated from its operations.
//!
//! `cargo bench --bench scaling -- --figure scaling.svg --json scaling.json [--largest SENTENCES]`
//!
//! Rows that the JSON file has already are not measured again.

mod figure;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::{Device, Distribution, Tensor};
use canopy::kernels::Segment;
use canopy::model::{
    ConditionalAttentionConfig, ContextAttention, Documents,
    HierarchicalConditionalAttentionConfig, Memory, MultiHeadAttentionConfig, QuerySpan,
    SentenceAttention,
};
use serde::{Deserialize, Serialize};

const MECHANISMS: [&str; 4] = [
    "self-attention",
    "sentence encodings",
    "conditional, T = 4",
    "hierarchical, T = 4",
];

/// Tokens of a sentence: those of LibreOffice's help have as many on average.
const WORDS: usize = 20;
const D_MODEL: usize = 256;
const HEADS: usize = 4;
const TOP_T: usize = 4;
/// Sentences whose words are queries at once.
const CHUNK: usize = 64;

const MOST_SECONDS: u64 = 300;
const MOST_MEGABYTES: f64 = 8_000.0;

/// One mechanism on one document.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Measured {
    mechanism: String,
    sentences: usize,
    /// Multiplications and additions of scores and of what is read; projections are the same everywhere.
    operations: f64,
    seconds: f64,
    /// Memory of the process at most.
    megabytes: f64,
    extrapolated: bool,
}

fn main() {
    canopy::never_purge_memory();
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    if let (Some(mechanism), Some(sentences)) = (option("--mechanism"), option("--sentences")) {
        let point = measure(&mechanism, sentences.parse().expect("a number"));
        println!("{}", serde_json::to_string(&point).expect("plain data"));
        return;
    }
    let largest = option("--largest").map_or(16_384, |n| n.parse().expect("a number"));
    let known: Vec<Measured> = option("--json")
        .and_then(|path| std::fs::read_to_string(path).ok())
        .map_or_else(Vec::new, |text| {
            serde_json::from_str(&text).expect("a table of this bench")
        });
    let points: Vec<Measured> = MECHANISMS
        .iter()
        .flat_map(|mechanism| {
            let known = known.iter().filter(|point| point.mechanism == *mechanism);
            let known: Vec<Measured> = known.cloned().collect();
            if known.is_empty() {
                row(mechanism, largest)
            } else {
                known
            }
        })
        .collect();
    if let Some(path) = option("--json") {
        let text = serde_json::to_string_pretty(&points).expect("plain data");
        std::fs::write(path, text + "\n").expect("the file can be written");
    }
    if let Some(path) = option("--figure") {
        figure::draw(&points, path.as_ref()).expect("the figure can be drawn");
    }
}

/// All documents for one mechanism, smallest first.
fn row(mechanism: &str, largest: usize) -> Vec<Measured> {
    let mut points: Vec<Measured> = Vec::new();
    let mut sentences = 16;
    while sentences <= largest {
        let stopped = points.last().is_some_and(|point| point.extrapolated);
        let measured = (!stopped)
            .then(|| in_own_process(mechanism, sentences))
            .flatten();
        let point = measured.unwrap_or_else(|| extrapolated(mechanism, sentences, &points));
        let mark = if point.extrapolated {
            "  (extrapolated)"
        } else {
            ""
        };
        println!(
            "{mechanism:20} n = {sentences:6}  {:10.2e} operations  {:9.3} s  {:7.0} MB{mark}",
            point.operations, point.seconds, point.megabytes
        );
        points.push(point);
        sentences *= 2;
    }
    points
}

/// None if it took too long or too much.
fn in_own_process(mechanism: &str, sentences: usize) -> Option<Measured> {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args([
            "--mechanism",
            mechanism,
            "--sentences",
            &sentences.to_string(),
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program runs again");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(20));
        let held = megabytes(&format!("/proc/{}/status", child.id()), "VmRSS:");
        if begun.elapsed().as_secs() > MOST_SECONDS || held > MOST_MEGABYTES {
            child.kill().expect("a child can be stopped");
            child.wait().expect("a child");
            return None;
        }
    }
    let output = child.wait_with_output().expect("a child's output");
    serde_json::from_slice(&output.stdout).ok()
}

/// A figure of a process in MB; 0 where the system does not report it.
fn megabytes(status: &str, field: &str) -> f64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// Twice the sentences are four times the operations of full attention; seconds follow them, memory follows the words.
fn extrapolated(mechanism: &str, sentences: usize, points: &[Measured]) -> Measured {
    let last = points
        .last()
        .expect("the smallest document can be measured");
    let (r, before) = (count(sentences * WORDS), count(last.sentences * WORDS));
    let growth = (r / before).powi(2);
    Measured {
        mechanism: mechanism.to_owned(),
        sentences,
        operations: last.operations * growth,
        seconds: last.seconds * growth,
        megabytes: last.megabytes * r / before,
        extrapolated: true,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}

fn measure(mechanism: &str, sentences: usize) -> Measured {
    let device = Device::flex();
    device.seed(1);
    let rows = sentences * WORDS;
    let words = Tensor::<2>::random([rows, D_MODEL], Distribution::Normal(0.0, 1.0), &device);
    let documents = Documents::one((0..sentences).map(|s| s * WORDS..(s + 1) * WORDS).collect());
    let begun = Instant::now();
    let attention = context(mechanism, &device);
    match &attention {
        None => full(&words, &device),
        Some(attention) => read(attention, &words, &documents),
    }
    let seconds = begun.elapsed().as_secs_f64();
    let megabytes = megabytes("/proc/self/status", "VmHWM:");
    let of_a_word = match &attention {
        None => count(2 * D_MODEL * rows),
        Some(attention) => scores_of_a_word(attention, &words, &documents),
    };
    Measured {
        mechanism: mechanism.to_owned(),
        sentences,
        operations: of_a_word * count(rows),
        seconds,
        megabytes,
        extrapolated: false,
    }
}

/// None for self-attention.
fn context(mechanism: &str, device: &Device) -> Option<ContextAttention> {
    let conditional = ConditionalAttentionConfig::new(D_MODEL, HEADS, TOP_T);
    let tree = HierarchicalConditionalAttentionConfig::new(D_MODEL, HEADS, TOP_T);
    match MECHANISMS.iter().position(|name| *name == mechanism) {
        Some(1) => Some(ContextAttention::Sentences(SentenceAttention::new(
            D_MODEL, HEADS, device,
        ))),
        Some(2) => Some(ContextAttention::Conditional(conditional.init(device))),
        Some(3) => Some(ContextAttention::Tree(tree.init(device))),
        _ => None,
    }
}

/// Every word attends to every word.
fn full(words: &Tensor<2>, device: &Device) {
    let attention = MultiHeadAttentionConfig::new(D_MODEL, HEADS).init(device);
    let memory = attention.project(words.clone());
    let [rows, _] = words.dims();
    for start in (0..rows).step_by(CHUNK * WORDS) {
        let len = (CHUNK * WORDS).min(rows - start);
        let segments: Arc<[Segment]> = Arc::new([Segment {
            queries: 0..len,
            keys: 0..rows,
        }]);
        let queries = words.clone().narrow(0, start, len);
        attention.attend(queries, memory.clone(), &segments, None);
    }
}

/// Every word reads the document by `attention`.
fn read(attention: &ContextAttention, words: &Tensor<2>, documents: &Documents) {
    let sentences = documents.sentences.len();
    let prepared = attention.prepare(&Memory::from_states(words.clone(), documents.clone()));
    for start in (0..sentences).step_by(CHUNK) {
        let chunk = CHUNK.min(sentences - start);
        let queries = words.clone().narrow(0, start * WORDS, chunk * WORDS);
        prepared.attend(queries, &query_spans(start, chunk), None);
    }
}

/// Words of `count` sentences, the rows of a query matrix, which are those from `first` on in the document.
fn query_spans(first: usize, count: usize) -> Vec<QuerySpan> {
    (0..count)
        .map(|sentence| QuerySpan {
            rows: sentence * WORDS..(sentence + 1) * WORDS,
            sentence: first + sentence,
        })
        .collect()
}

/// Multiplications and additions of scores and of what is read, for a word on average, counted over the first sentences.
fn scores_of_a_word(attention: &ContextAttention, words: &Tensor<2>, documents: &Documents) -> f64 {
    let sentences = documents.sentences.len();
    let num_queries = sentences.min(CHUNK);
    let (queries, query_spans) = (
        words.clone().narrow(0, 0, num_queries * WORDS),
        query_spans(0, num_queries),
    );
    let d_head = D_MODEL / HEADS;
    // What the heads of all query words compare and read, in units of one head's width.
    let (compared, choice) = match attention {
        ContextAttention::Conditional(attention) => {
            let encodings = attention
                .source2token
                .forward(words.clone(), &documents.sentences);
            let projected = attention.heads.project(queries, words.clone(), encodings);
            let choice = attention.heads.choose(&projected, &query_spans, documents);
            (choice.len() * sentences, choice)
        }
        ContextAttention::Tree(attention) => {
            let encodings = attention
                .source2token
                .forward(words.clone(), &documents.sentences);
            let choice =
                attention
                    .tree
                    .choose(queries, &query_spans, words.clone(), encodings, documents);
            let queries = &choice.projected.sentence_queries;
            let traversals = attention.tree.traversals(queries, &choice.trees[0]);
            let visits = traversals.iter().flat_map(|traversal| &traversal.levels);
            (visits.map(Vec::len).sum(), choice.choice)
        }
        _ => return count(2 * D_MODEL * sentences),
    };
    let kept = choice.iter().flat_map(|kept| &kept.sentences);
    let read: usize = kept
        .map(|&sentence| documents.sentences[sentence].len())
        .sum();
    count(d_head * (compared + 2 * read)) / count(num_queries * WORDS)
}
