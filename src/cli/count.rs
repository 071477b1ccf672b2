//! `canopy count`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::memories::MemoryArguments;
use super::options::{SrxArgument, wrong_usage};
use super::terminal::print;
use crate::error::Result;
use canopy_corpus::memory::{Amount, Analysis, Band};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy count manual.docx page.html --memory old.tmx --from en --to de\n\nRepetitions count \
    across all documents, in the order in which they are named. Segments of nothing but numbers and signs are not counted."
)]
pub(super) struct CountArguments {
    /// Documents to count
    #[arg(required = true, value_name = "FILE")]
    documents: Vec<PathBuf>,
    #[command(flatten)]
    memory: MemoryArguments,
    #[command(flatten)]
    srx: SrxArgument,
    /// Language of the documents, for --memory and --srx
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language of the translations, for --memory
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Print the counts of every document as JSON
    #[arg(long)]
    json: bool,
}

/// Amounts by [`Band::ALL`].
type Counts = [Amount; Band::ALL.len()];

pub(super) fn run(arguments: &CountArguments) -> Result<()> {
    let memory = match (&arguments.from, &arguments.to) {
        (Some(from), Some(to)) => arguments.memory.read(from, to)?,
        _ if arguments.memory.memory.is_empty() => None,
        _ => wrong_usage(
            "count",
            "give --from and --to: a memory is between two languages",
        ),
    };
    let mut analysis = Analysis::new(memory.as_ref());
    let (mut all, mut documents) = (Counts::default(), Vec::new());
    for path in &arguments.documents {
        let document = arguments.srx.open(path, arguments.from.as_deref())?;
        let mut counts = Counts::default();
        for text in document.plain_texts() {
            let Some((band, amount)) = analysis.count(&text) else {
                continue;
            };
            for (own, (counted, of_all)) in Band::ALL.iter().zip(counts.iter_mut().zip(&mut all)) {
                if *own == band {
                    *counted += amount;
                    *of_all += amount;
                }
            }
        }
        documents.push(json!({
            "document": path.display().to_string(),
            "counts": in_json(&counts),
        }));
    }
    if arguments.json {
        let report = json!({"documents": documents, "counts": in_json(&all)});
        return print(&format!("{report:#}\n"));
    }
    print(&table(&all))
}

fn in_json(counts: &Counts) -> Value {
    let entries = Band::ALL.iter().zip(counts);
    let entries = entries.map(|(band, amount)| json!({"band": band, "amount": amount}));
    Value::Array(entries.collect())
}

fn table(counts: &Counts) -> String {
    let mut text = format!(
        "{:<10}{:>10}{:>10}{:>12}\n",
        "", "segments", "words", "characters"
    );
    let mut sum = Amount::default();
    let mut line = |label: &str, amount: &Amount| {
        let Amount {
            segments,
            words,
            characters,
        } = amount;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:<10}{segments:>10}{words:>10}{characters:>12}");
    };
    for (band, amount) in Band::ALL.iter().zip(counts) {
        line(band.label(), amount);
        sum += *amount;
    }
    line("all", &sum);
    text
}
