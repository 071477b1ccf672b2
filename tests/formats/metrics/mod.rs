//! Scores are the ones that sacrebleu and NLTK give, and `canopy score` prints them.

mod bleu;
mod command;
mod parity;
mod published;

use std::path::{Path, PathBuf};

use serde_json::Value;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Ends of lines are `\n` alone: the texts have other characters that look like one.
fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a text file");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    text.split('\n').map(str::to_owned).collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a text file")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
