//! `canopy corpus combine`: one corpus of several.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::corpus_statistics::print_statistics;
use super::inputs::check_output;
use super::terminal::{StatusLine, print};
use crate::error::Result;
use canopy_corpus::combine::{Combination, CombinationReport, Part, PartReport};

/// Arguments of `canopy corpus combine`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy corpus combine corpora/descriptions=0.3 corpora/manuals=0.4 corpora/stories=0.15 \
    corpora/help-en-de=0.15 --without corpora/flores corpora/gnome -o corpora/broad\n\nA document's id is prefixed \
    with the name of its corpus, with #2, #3 and so on where it is repeated. Texts are compared without markup, \
    punctuation and case. Documents from which nothing is learnt are left out, too."
)]
pub(crate) struct CombineArguments {
    /// Corpus folders; DIR=0.35 makes one 35 % of the target words in training
    ///
    /// A corpus without a share is used once, unchanged. One with a share is repeated, or documents are left out by a hash
    /// of their names. If all have one, there are as many words as the corpora have together.
    #[arg(required = true, value_name = "DIR[=SHARE]")]
    inputs: Vec<Input>,
    /// Corpora whose pairs, of any split, are excluded from the training pairs
    #[arg(long, value_name = "DIR", num_args = 1..)]
    without: Vec<PathBuf>,
    /// Corpus folder to make
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print what was left out as JSON
    #[arg(long)]
    json: bool,
    /// Replace an existing corpus
    #[arg(long)]
    force: bool,
}

/// A folder with its share.
#[derive(Debug, Clone)]
struct Input(Part);

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = || Part {
            folder: PathBuf::from(text),
            share: None,
        };
        // A folder may have such a name.
        let Some((folder, share)) = text.rsplit_once('=') else {
            return Ok(Self(whole()));
        };
        if Path::new(text).is_dir() {
            return Ok(Self(whole()));
        }
        let number = share.parse().ok();
        let number = number.filter(|share: &f64| *share > 0.0 && *share < 1.0);
        let Some(share) = number else {
            return Err(format!(
                "the share of {folder} is {share}; it may be between 0 and 1, such as 0.35"
            ));
        };
        Ok(Self(Part {
            folder: PathBuf::from(folder),
            share: Some(share),
        }))
    }
}

/// Makes the corpus and reports its content, and what was left out.
///
/// # Errors
/// If a file cannot be read or written, or the corpora do not go together.
pub(super) fn run(arguments: CombineArguments) -> Result<()> {
    let parts: Vec<Part> = arguments.inputs.into_iter().map(|input| input.0).collect();
    let folders = parts.iter().map(|part| &part.folder);
    let read = folders.chain(&arguments.without).map(PathBuf::as_path);
    check_output(&arguments.output, read)?;
    let combination = Combination {
        parts,
        without: arguments.without,
        output: arguments.output,
        replace: arguments.force,
    };
    let mut line = StatusLine::new();
    let (corpus, report) =
        combination.run(|folder| line.show(&format!("reading {}", folder.display())))?;
    line.clear();
    if arguments.json {
        let json = serde_json::json!({"report": report, "statistics": corpus.statistics()});
        return print(&format!("{json:#}\n"));
    }
    print(&text(&report))?;
    print_statistics(&corpus, false)
}

fn text(report: &CombinationReport) -> String {
    let parts: String = report.parts.iter().map(line).collect();
    format!(
        "{} different sources are held out\n{parts}",
        report.held_out
    )
}

fn line(part: &PartReport) -> String {
    format!(
        "{}: {} of {} pairs to learn from, {} target words {:.2} times, {:.1} % of all\n  \
         left out as held out: {} equal, {} alike; context only: {} identical, {} repeated, {} doubtful\n",
        part.name,
        part.kept,
        part.pairs,
        part.words,
        part.times,
        100.0 * part.share,
        part.equal,
        part.alike,
        part.identical,
        part.repeated,
        part.doubtful
    )
}
