//! Firefox's students, compared with Firefox's engine (PyPI's `bergamot`) with the same files and lines: words a second
//! once both are open, seconds and memory of whole programs from start to end, and how many lines are the same.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::text::document::{Document, Format};
use serde_json::{Value, json};

use crate::median;

/// Lines that are translated at a time.
const LINES: [usize; 3] = [1, 20, 1_000];

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/decoding/with_bergamot.py"
);

/// Translates the first lines of `text` by the model in `folder`.
pub fn run(folder: &Path, text: &Path, rounds: usize) {
    let translator = Translator::open(folder, DeviceChoice::Cpu).expect("a model");
    let text = std::fs::read_to_string(text).expect("a text");
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let mut engine = Engine::open(folder);
    if engine.is_none() {
        println!("no bergamot: no ratios (is CANOPY_PYTHON set?)");
    }
    for count in LINES {
        let lines = &lines[..count.min(lines.len())];
        open_once(&translator, engine.as_mut(), lines, rounds);
    }
    for count in LINES {
        let lines = &lines[..count.min(lines.len())];
        from_start_to_end(folder, lines, engine.is_some(), rounds);
    }
}

/// Prints words a second of both, once they are open.
fn open_once(
    translator: &Translator,
    mut engine: Option<&mut Engine>,
    lines: &[&str],
    rounds: usize,
) {
    let (mut ours, mut theirs, mut same, mut memory) = (Vec::new(), Vec::new(), 0, 0.0);
    // The first round warms both up.
    for round in 0..=rounds {
        let begun = Instant::now();
        let found = translated(translator, lines);
        let rate = words(&found) / begun.elapsed().as_secs_f64();
        if round > 0 {
            ours.push(rate);
        }
        let Some(engine) = engine.as_mut() else {
            continue;
        };
        let (others, seconds, mib) = engine.translated(lines);
        if round > 0 {
            theirs.push(words(&others) / seconds);
        }
        memory = mib;
        same = found.iter().zip(&others).filter(|(a, b)| a == b).count();
    }
    let own = median(&mut ours);
    print!("{:>5} lines: {own:>7.0} words/s", lines.len());
    if !theirs.is_empty() {
        let their = median(&mut theirs);
        let ratio = own / their;
        print!(
            ", Firefox's engine {their:>7.0} in {memory:.0} MiB, ratio {ratio:.2}, {same} lines the same"
        );
    }
    println!();
}

/// Prints seconds and memory of both programs, their start included.
fn from_start_to_end(folder: &Path, lines: &[&str], has_engine: bool, rounds: usize) {
    let place = tempfile::tempdir().expect("a folder");
    let [blank, plain, output] =
        ["blank.txt", "plain.txt", "output.txt"].map(|name| place.path().join(name));
    std::fs::write(&blank, lines.join("\n\n")).expect("written");
    std::fs::write(&plain, lines.join("\n")).expect("written");
    let own = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command.args(["translate", "--device", "cpu", "--force", "--model"]);
        command.arg(folder).arg(&blank).arg("-o").arg(&output);
        command
    };
    let their = || {
        let mut command = Command::new(python());
        command.arg(SCRIPT).arg(folder).arg(&plain).arg(&output);
        command
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let found = measured(own());
        let others = has_engine.then(|| measured(their()));
        if round > 0 {
            ours.push(found);
            theirs.extend(others);
        }
    }
    let medians = |measured: &mut Vec<(f64, f64)>| {
        let [mut seconds, mut memory]: [Vec<f64>; 2] = [
            measured.iter().map(|it| it.0).collect(),
            measured.iter().map(|it| it.1).collect(),
        ];
        (median(&mut seconds), median(&mut memory))
    };
    let (own, memory) = medians(&mut ours);
    print!(
        "{:>5} lines from start to end: {own:.3} s, {memory:.0} MiB",
        lines.len()
    );
    if !theirs.is_empty() {
        let (their, memory) = medians(&mut theirs);
        print!(
            ", Firefox's engine {their:.3} s, {memory:.0} MiB, ratio {:.2}",
            their / own
        );
    }
    println!();
}

/// Seconds and the most memory, in MiB, of a program that ends; the latter 0 where the system does not report it.
fn measured(mut command: Command) -> (f64, f64) {
    let begun = Instant::now();
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = quiet.spawn().expect("started");
    let status = PathBuf::from(format!("/proc/{}/status", process.id()));
    let mut most = 0.0_f64;
    loop {
        if let Some(ended) = process.try_wait().expect("a child") {
            assert!(ended.success(), "{command:?} failed");
            return (begun.elapsed().as_secs_f64(), most / 1024.0);
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        most = most.max(kib.unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Translations of lines, each a paragraph.
fn translated(translator: &Translator, lines: &[&str]) -> Vec<String> {
    let text = lines.join("\n\n");
    let document = Document::parse("lines", Format::Text, text).expect("a text");
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let options = SearchOptions {
        beam_size: 0,
        ..SearchOptions::default()
    };
    let mut found = vec![None; all.len()];
    let done = translator.translate(&document, &all, &options, &mut |sentence, translation| {
        found[sentence] = Some(translation.text);
        ControlFlow::Continue(())
    });
    done.expect("translated");
    let text = document.translated(&found);
    text.split("\n\n").map(str::to_owned).collect()
}

#[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
fn words(lines: &[String]) -> f64 {
    let words: usize = lines
        .iter()
        .map(|line| line.split_whitespace().count())
        .sum();
    words as f64
}

fn python() -> String {
    std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Firefox's engine, which waits for lines.
struct Engine {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Engine {
    /// None if it is not here.
    fn open(folder: &Path) -> Option<Self> {
        let mut process = Command::new(python())
            .arg(SCRIPT)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (requests, answers) = (process.stdin.take()?, process.stdout.take()?);
        let mut engine = Self {
            process,
            requests,
            answers: BufReader::new(answers),
        };
        println!("bergamot {}", engine.answer()?["bergamot"]);
        Some(engine)
    }

    fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    /// Translations, seconds, and the most memory that it has had, in MiB.
    fn translated(&mut self, lines: &[&str]) -> (Vec<String>, f64, f64) {
        writeln!(self.requests, "{}", json!({ "lines": lines })).expect("it listens");
        let answer = self.answer().expect("it answers");
        let found = serde_json::from_value(answer["lines"].clone()).expect("lines");
        let seconds = answer["seconds"].as_f64().expect("a time");
        let kib = answer["kilobytes"].as_f64().expect("a size");
        (found, seconds, kib / 1024.0)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
