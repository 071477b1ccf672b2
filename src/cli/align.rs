//! `canopy align`

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::inputs::check_output;
use super::options::{SrxArgument, wrong_usage};
use super::terminal::{print, tell};
use crate::error::{Error, Result};
use canopy_base::file::{check_writable, write_atomically};
use canopy_corpus::AlignmentTable;
use canopy_document::export::Languages;
use canopy_project::{AlignmentFormat, WrittenAlignment, read_rows};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy align page.html page.de.html --from en --to de -o page.tmx\n  canopy align old.docx \
    old.de.docx --from en --to de -o old.tsv --doubtful\n\nPairs that may not belong together are left out of the file unless \
    --doubtful is given; --json marks them. The window has a table to correct an alignment by hand: File, Align two documents."
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
    /// Rows as somebody has corrected them: what --json prints, or the window has saved
    #[arg(long, value_name = "FILE.json")]
    rows: Option<PathBuf>,
    /// File to write: a translation memory (.tmx), a table of two columns (.tsv), or pairs with the numbers of their sentences
    /// (.json); without it the table is printed
    #[arg(short, long, value_name = "OUT.tmx|OUT.tsv|OUT.json")]
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
        rows,
        ..
    } = arguments;
    let format = match output {
        None if arguments.json => AlignmentFormat::Json,
        None => AlignmentFormat::Tsv,
        Some(output) => {
            AlignmentFormat::from_path(output).unwrap_or_else(|error| wrong_usage("align", error))
        }
    };
    if let Some(output) = output {
        let read = [source, translation].into_iter().chain(&arguments.srx.srx);
        check_output(output, read.chain(rows).map(PathBuf::as_path))?;
        check_writable(output, arguments.force)?;
    }
    let open = |path, language| arguments.srx.open(path, Some(language)).map(Arc::new);
    let source = open(source, &arguments.from)?;
    let target = open(translation, &arguments.to)?;
    let table = match rows {
        None => AlignmentTable::align(source, target),
        Some(path) => {
            let table = AlignmentTable::with_rows(source, target, read_rows(path)?);
            table.ok_or_else(|| Error::OtherAlignment { path: path.clone() })?
        }
    };
    let languages = Languages {
        source: arguments.from.clone(),
        target: arguments.to.clone(),
    };
    let written = WrittenAlignment::from_table(&table, &languages, format, arguments.doubtful);
    match output {
        Some(path) => write_atomically(path, written.text.as_bytes(), arguments.force)?,
        None => print(&written.text)?,
    }
    if !arguments.json {
        let counts = table.counts();
        tell(&format!(
            "{} pairs; left out: {} doubtful, {} and {} sentences without the other side\n",
            written.pairs, written.doubtful, counts.unpaired_source, counts.unpaired_target,
        ));
    }
    Ok(())
}
