//! `canopy terms`

mod extract;
mod options;
mod usage;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::inputs::check_output;
use super::terminal::print;
use crate::error::Result;
use canopy_base::file::check_writable;
use canopy_document::document::Document;
use canopy_qa::terms::{Term, TermIndex};
pub(super) use options::{LanguageArguments, TermArguments, term_modes};

#[derive(Debug, Subcommand)]
pub(super) enum TermsCommand {
    /// Show the terms of a file
    List(ListArguments),
    /// Write a termbase in another format: .tbx, .csv, .tsv, or .txt and .utf8 for a glossary of OmegaT
    Convert(ConvertArguments),
    /// Find the terms in a document, in any form of their words, the longest first
    Find(FindArguments),
    /// Extract terms from documents: frequent phrases, with their usual translation in a memory
    Extract(extract::ExtractArguments),
    /// Measure how many terms translations use, and whether each document uses them consistently
    Usage(usage::UsageArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy terms list office.tbx --from en --to de")]
pub(super) struct ListArguments {
    /// Termbase: .tbx, .csv, .tsv, or a glossary of OmegaT (.txt, .utf8)
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Print the terms as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy terms convert office.tbx office.csv --from en --to de")]
pub(super) struct ConvertArguments {
    /// Termbase to read
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    /// File to write; the extension gives the format
    output: PathBuf,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy terms find office.csv page.html --from en --to de")]
pub(super) struct FindArguments {
    /// Termbase with the terms
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    /// Document to search
    document: PathBuf,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Print the places as JSON; start and end are bytes of the sentence
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &TermsCommand) -> Result<()> {
    match command {
        TermsCommand::List(arguments) => list(arguments),
        TermsCommand::Convert(arguments) => convert(arguments),
        TermsCommand::Find(arguments) => find(arguments),
        TermsCommand::Extract(arguments) => extract::run(arguments),
        TermsCommand::Usage(arguments) => usage::run(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<()> {
    let base = arguments.languages.read("terms", &arguments.terms)?;
    if arguments.json {
        return print(&format!("{:#}\n", json!(base)));
    }
    print(&base.terms.iter().map(line).collect::<String>())
}

/// Source, tab, translations, and what else is known.
fn line(term: &Term) -> String {
    let mut line = format!("{}\t{}", term.source, term.targets.join(" | "));
    if !term.forbidden.is_empty() {
        line += "\tnot ";
        line += &term.forbidden.join(" | ");
    }
    for more in [&term.domain, &term.note].into_iter().flatten() {
        line += "\t";
        line += more;
    }
    line.push('\n');
    line
}

fn convert(arguments: &ConvertArguments) -> Result<()> {
    let ConvertArguments { terms, output, .. } = arguments;
    check_output(output, [terms.as_path()])?;
    check_writable(output, arguments.force)?;
    let base = arguments.languages.read("terms", terms)?;
    Ok(base.save(output, arguments.force)?)
}

fn find(arguments: &FindArguments) -> Result<()> {
    let base = Arc::new(arguments.languages.read("terms", &arguments.terms)?);
    let index = TermIndex::new(base);
    let document = Document::open(&arguments.document, None)?;
    let (mut places, mut text) = (Vec::new(), String::new());
    for (number, sentence) in document.sentences.iter().enumerate() {
        let shown = sentence.plain_text();
        for found in index.find(&shown) {
            let written = &shown[found.range.clone()];
            let targets: Vec<&str> = index
                .terms(&found)
                .flat_map(|term| term.targets.iter().map(String::as_str))
                .collect();
            let name = document.sentence_name(number);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}\t{written}\t{}", targets.join(" | "));
            let terms: Vec<&Term> = index.terms(&found).collect();
            places.push(json!({
                "sentence": number,
                "start": found.range.start,
                "end": found.range.end,
                "text": written,
                "terms": terms,
            }));
        }
    }
    if arguments.json {
        return print(&format!("{:#}\n", json!(places)));
    }
    print(&text)
}
