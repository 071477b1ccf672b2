//! `canopy terms`

mod extract;
mod options;
mod usage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::inputs::check_output;
use super::options::wrong_usage;
use super::terminal::print;
use crate::error::Result;
use crate::terms::{Term, TermIndex, Termbase};
use crate::text::document::Document;
use crate::text::file::check_writable;
pub(super) use options::TermArguments;

#[derive(Debug, Subcommand)]
pub(super) enum TermsCommand {
    /// Show the terms of a file
    List(ListArguments),
    /// Write a termbase in another format: .tbx, .csv, .tsv, or .txt and .utf8 for a glossary of OmegaT
    Convert(ConvertArguments),
    /// Show the terms in a document: whatever form their words have, the longest first
    Find(FindArguments),
    /// Take terms from documents: frequent phrases, with their usual translation in a memory
    Extract(extract::ExtractArguments),
    /// Tell how many terms translations use, and whether each document calls one thing by one name
    Usage(usage::UsageArguments),
}

#[derive(Debug, Args)]
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
pub(super) struct ConvertArguments {
    /// Termbase to read
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    /// File to write; its ending says the format
    output: PathBuf,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(super) struct FindArguments {
    /// Termbase to look up in
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    /// Document to look at
    document: PathBuf,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Print the places as JSON; start and end are bytes of the sentence
    #[arg(long)]
    json: bool,
}

/// Between which languages a termbase is.
#[derive(Debug, Clone, Args)]
pub(super) struct LanguageArguments {
    /// Language of the terms, such as en; of a TBX file of two languages the first one if it is not said
    #[arg(long, value_name = "CODE")]
    pub from: Option<String>,
    /// Language of their translations, likewise
    #[arg(long, value_name = "CODE")]
    pub to: Option<String>,
}

impl LanguageArguments {
    /// Reads a termbase; ends the program where nobody says its languages.
    pub fn read(&self, command: &str, path: &Path) -> Result<Termbase> {
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            return Termbase::read(path, from, to);
        }
        let known = Termbase::languages(path)?;
        let other = |language: &String| {
            let mut others = known.iter().filter(|other| *other != language);
            others.next().filter(|_| known.len() == 2).cloned()
        };
        let (from, to) = match (&self.from, &self.to) {
            (Some(from), None) => (Some(from.clone()), other(from)),
            (None, Some(to)) => (other(to), Some(to.clone())),
            _ => (
                known.first().cloned(),
                known.get(1).cloned().filter(|_| known.len() == 2),
            ),
        };
        let (Some(from), Some(to)) = (from, to) else {
            let problem = if known.is_empty() {
                "say --from and --to: the file does not tell its languages".to_owned()
            } else {
                format!("say --from and --to: the file has {}", known.join(", "))
            };
            wrong_usage(command, problem)
        };
        Termbase::read(path, &from, &to)
    }
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
        line += &format!("\tnot {}", term.forbidden.join(" | "));
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
    base.save(output, arguments.force)
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
            text += &format!(
                "{}\t{written}\t{}\n",
                document.sentence_name(number),
                targets.join(" | ")
            );
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
