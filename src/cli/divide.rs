//! `canopy corpus divide`: long sentences cut in two.

use std::path::PathBuf;

use clap::Args;

use super::corpus_statistics::print_statistics;
use super::inputs::check_output;
use super::terminal::print;
use crate::error::Result;
use canopy_corpus::dividing::Division;

/// Arguments of `canopy corpus divide`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  canopy corpus divide corpora/manuals -o corpora/manuals-divided\n  canopy train --corpus \
    corpora/manuals-divided --from starter-en-de --preset selective-small --context-only --run runs/divided\n\nSentences \
    with markup, and of languages without spaces between words, stay whole."
)]
pub(crate) struct DivideArguments {
    /// Corpus folder
    corpus: PathBuf,
    /// Corpus folder to make
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Minimum number of words in each half, on both sides
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    half_words: usize,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
    /// Replace an existing corpus
    #[arg(long)]
    force: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it may be 1 or more".to_owned())
}

/// Makes the corpus and prints its counts.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn run(arguments: DivideArguments) -> Result<()> {
    check_output(&arguments.output, [arguments.corpus.as_path()])?;
    let division = Division {
        corpus: arguments.corpus,
        output: arguments.output,
        half_words: arguments.half_words,
        replace: arguments.force,
    };
    let (corpus, report) = division.run()?;
    if arguments.json {
        let output = serde_json::json!({"report": report, "statistics": corpus.statistics()});
        return print(&format!("{output:#}\n"));
    }
    print(&format!(
        "{} pairs to learn from: {} cut behind a mark, {} in the middle\n",
        report.pairs, report.at_marks, report.in_middle
    ))?;
    print_statistics(&corpus, false)
}
