//! `canopy align`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::inputs::check_output;
use super::options::{SrxArgument, wrong_usage};
use super::terminal::{print, tell};
use crate::corpus::{AlignedPair, DocumentPairs, align_documents};
use crate::error::Result;
use crate::text::export::{Languages, tmx_of_pairs};
use crate::text::file::{check_writable, write_atomically};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy align page.html page.de.html --from en --to de -o page.tmx\n  canopy align old.docx \
    old.de.docx --from en --to de -o old.tsv --doubtful\n\nPairs that may not belong together are left out of the file unless \
    --doubtful is given; --json marks them."
)]
pub(super) struct AlignArguments {
    /// Document
    source: PathBuf,
    /// Its translation; it may have another format
    translation: PathBuf,
    /// Language of the document
    #[arg(long, value_name = "CODE")]
    from: String,
    /// Language of the translation
    #[arg(long, value_name = "CODE")]
    to: String,
    #[command(flatten)]
    srx: SrxArgument,
    /// File to write: a translation memory (.tmx) or a table of two columns (.tsv); without it the table is printed
    #[arg(short, long, value_name = "OUT.tmx|OUT.tsv")]
    output: Option<PathBuf>,
    /// Also write pairs that may not belong together
    #[arg(long)]
    doubtful: bool,
    /// Print all pairs as JSON, doubtful ones marked
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &AlignArguments) -> Result<()> {
    let AlignArguments {
        source,
        translation,
        output,
        ..
    } = arguments;
    let is_tmx = match output
        .as_ref()
        .map(|path| path.extension().unwrap_or_default())
    {
        None => false,
        Some(ending) if ending.eq_ignore_ascii_case("tmx") => true,
        Some(ending) if ending.eq_ignore_ascii_case("tsv") => false,
        Some(_) => wrong_usage("align", "end the name of the output in .tmx or .tsv"),
    };
    if let Some(output) = output {
        let read = [source, translation].into_iter().chain(&arguments.srx.srx);
        check_output(output, read.map(PathBuf::as_path))?;
        check_writable(output, arguments.force)?;
    }
    let source = arguments.srx.open(source, Some(&arguments.from))?;
    let target = arguments.srx.open(translation, Some(&arguments.to))?;
    let aligned = align_documents(&source, &target);
    if arguments.json {
        return print(&format!("{:#}\n", json!(aligned)));
    }
    let DocumentPairs {
        pairs,
        unpaired_source,
        unpaired_target,
    } = aligned;
    let is_kept = |pair: &&AlignedPair| arguments.doubtful || !pair.doubtful;
    let kept: Vec<&AlignedPair> = pairs.iter().filter(is_kept).collect();
    let texts = kept
        .iter()
        .map(|pair| (pair.source.as_str(), pair.target.as_str()));
    let text = if is_tmx {
        let languages = Languages {
            source: arguments.from.clone(),
            target: arguments.to.clone(),
        };
        tmx_of_pairs(&source.name, texts, &languages)
    } else {
        let lines =
            texts.map(|(source, target)| [one_line(source), one_line(target)].join("\t") + "\n");
        lines.collect::<Vec<_>>().concat()
    };
    match output {
        Some(path) => write_atomically(path, text.as_bytes(), arguments.force)?,
        None => print(&text)?,
    }
    tell(&format!(
        "{} pairs; left out: {} doubtful, {unpaired_source} and {unpaired_target} sentences without the other side\n",
        kept.len(),
        pairs.len() - kept.len(),
    ));
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
