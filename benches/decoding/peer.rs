//! Other programs that search with the same weights, each in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use canopy::model::{Model, ModelConfig};
use canopy::weights::{Precision, module_tensors, write_tensors};
use serde_json::{Value, json};

use crate::{Case, LENGTH};

/// The programs, with the key under which each reports its version and the script that runs it.
const PEERS: [(&str, &str, &str); 2] = [
    ("CTranslate2", "ctranslate2", "with_ctranslate2.py"),
    ("Marian", "marian", "with_marian.py"),
];

/// A program that waits for sentences.
pub struct Peer {
    pub name: &'static str,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Peer {
    /// The requested programs that are installed and can load this model.
    pub fn all(
        model: &Model,
        config: &ModelConfig,
        on_cpu: bool,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<Self> {
        let peers = PEERS.iter().filter(|(_, key, _)| wanted(key));
        let opened = peers.filter_map(|peer| {
            let opened = Self::open(peer, model, config, on_cpu);
            if opened.is_none() {
                println!("no {}: no ratios (is CANOPY_PYTHON set?)", peer.0);
            }
            opened
        });
        opened.collect()
    }

    fn open(
        (name, key, script): &(&'static str, &str, &str),
        model: &Model,
        config: &ModelConfig,
        on_cpu: bool,
    ) -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let [weights, sizes] =
            ["weights.safetensors", "config.json"].map(|it| folder.path().join(it));
        write_tensors(&weights, &module_tensors(model), Precision::Full).ok()?;
        let description = json!({
            "num_heads": config.num_heads,
            "d_model": config.d_model,
            "encoder": config.encoder.to_string(),
            "num_decoder_layers": config.num_decoder_layers,
            "vocab_size": config.vocab_size,
        });
        std::fs::write(&sizes, description.to_string()).ok()?;
        let python = std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = format!("{}/benches/decoding/{script}", env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new(python)
            .arg(script)
            .arg(weights)
            .arg(sizes)
            .arg(if on_cpu { "cpu" } else { "cuda" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (requests, answers) = (
            process.stdin.take()?,
            BufReader::new(process.stdout.take()?),
        );
        let mut peer = Self {
            name,
            process,
            requests,
            answers,
            _folder: folder,
        };
        let version = peer.answer()?;
        println!("{name} {}", version[*key]);
        Some(peer)
    }

    /// Whether it has weights of this kind here.
    pub fn takes(&self, kind: &str) -> bool {
        self.name != "Marian" || ["float32", "int8"].contains(&kind)
    }

    fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    /// Target tokens a second, and the translations.
    pub fn translated(&mut self, case: &Case, sources: &[Vec<u32>]) -> (f64, Vec<Vec<u32>>) {
        let request = json!({
            "type": case.kind,
            "beam": case.beam,
            "batch": 64 / case.beam,
            "length": LENGTH,
            "sentences": sources,
        });
        writeln!(self.requests, "{request}").expect("the peer listens");
        let answer = self.answer().expect("the peer answers");
        let seconds = answer["seconds"].as_f64().expect("a time");
        let tokens = answer["tokens"].as_f64().expect("a count");
        let ids = serde_json::from_value(answer["ids"].clone()).expect("ids");
        (tokens / seconds, ids)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
