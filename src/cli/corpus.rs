//! `canopy corpus …`: makes corpora and tells what is in them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::terminal::{StatusLine, print};
use crate::corpus::iwslt::{IwsltImport, IwsltReport};
use crate::corpus::libreoffice_help::{HelpImport, HelpReport};
use crate::corpus::parallel_text::TextImport;
use crate::corpus::{Corpus, Split, train_vocabulary};
use crate::error::{Error, Result};
use crate::text::vocabulary;

/// Make a corpus of parallel documents, and look at it
#[derive(Debug, Subcommand)]
pub(super) enum CorpusCommand {
    /// Make a corpus of texts in two languages
    #[command(subcommand)]
    Import(ImportCommand),
    /// Learn the subwords of a corpus from the new pairs of its training documents
    ///
    /// Writes vocabulary.json into the corpus folder. `canopy train` does the same when there is none.
    Vocabulary(VocabularyArgs),
    /// Count documents, paragraphs, units and words
    Statistics {
        /// Corpus folder
        corpus: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What can be imported.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// LibreOffice's help pages, paired by path and paragraph id
    ///
    /// The pages come from the packages libreoffice-help-en-us, libreoffice-help-de and so on. One page in 25 becomes a
    /// test document and one in 50 a development document, chosen by a hash of its path.
    LibreofficeHelp {
        /// Folder of the source language, such as help/en-US
        #[arg(long, value_name = "DIR")]
        source: PathBuf,
        /// Folder of the target language, such as help/de
        #[arg(long, value_name = "DIR")]
        target: PathBuf,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Two text files with one sentence a line and `<d>` alone on a line before each document
    Text {
        /// Sentences of the source language
        #[arg(long, value_name = "FILE")]
        source: PathBuf,
        /// Their translations, line by line
        #[arg(long, value_name = "FILE")]
        target: PathBuf,
        /// Put all documents here: train, dev or test [default: by a hash of the document's number]
        #[arg(long)]
        split: Option<Split>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Two files of an IWSLT talk set, with <doc docid>, <talkid> and <seg id>
    ///
    /// Talks are paired by talkid, or docid where there is none, segments by id. The training files, whose segments are
    /// lines, are read as well.
    Iwslt {
        /// The set in the source language, such as IWSLT17.TED.dev2010.en-de.en.xml
        #[arg(long, value_name = "FILE")]
        source: PathBuf,
        /// The same set in the target language
        #[arg(long, value_name = "FILE")]
        target: PathBuf,
        /// Put all talks here: train, dev or test [default: by a hash of the talk's id]
        #[arg(long)]
        split: Option<Split>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// What all imports need.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Source language, such as en
    #[arg(long, value_name = "LANGUAGE")]
    from: String,
    /// Target language, such as de
    #[arg(long, value_name = "LANGUAGE")]
    to: String,
    /// Corpus folder to make
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace a corpus that is there
    #[arg(long)]
    force: bool,
}

/// What subwords to learn.
#[derive(Debug, Args)]
pub struct VocabularyArgs {
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Number of ids, special ones included
    #[arg(long, default_value_t = vocabulary::DEFAULT_SIZE)]
    size: usize,
    /// Replace a vocabulary that is there; models trained with it keep their own copy
    #[arg(long)]
    force: bool,
}

/// Runs a command; what it has to say goes to standard output.
///
/// # Errors
/// If a file cannot be read or written, or holds something else than it should.
pub(super) fn run(command: CorpusCommand) -> Result<()> {
    match command {
        CorpusCommand::Import(import) => import_texts(import),
        CorpusCommand::Vocabulary(arguments) => make_vocabulary(&arguments),
        CorpusCommand::Statistics { corpus, json } => {
            print_statistics(&Corpus::open(corpus)?, json)
        }
    }
}

fn import_texts(import: ImportCommand) -> Result<()> {
    let corpus = match import {
        ImportCommand::LibreofficeHelp {
            source,
            target,
            output,
        } => {
            let import = HelpImport {
                source,
                target,
                source_language: output.from,
                target_language: output.to,
                output: output.output,
                replace: output.force,
            };
            let mut line = StatusLine::new();
            let (corpus, report) =
                import.run(|done, all| line.show(&format!("reading page {done} of {all}")))?;
            line.clear();
            print_report(&report)?;
            corpus
        }
        ImportCommand::Text {
            source,
            target,
            split,
            output,
        } => {
            let import = TextImport {
                source,
                target,
                source_language: output.from,
                target_language: output.to,
                split,
                output: output.output,
                replace: output.force,
            };
            import.run()?
        }
        ImportCommand::Iwslt {
            source,
            target,
            split,
            output,
        } => {
            let import = IwsltImport {
                source,
                target,
                source_language: output.from,
                target_language: output.to,
                split,
                output: output.output,
                replace: output.force,
            };
            let (corpus, report) = import.run()?;
            print(&iwslt_text(&report))?;
            corpus
        }
    };
    print_statistics(&corpus, false)
}

fn iwslt_text(report: &IwsltReport) -> String {
    format!(
        "{} talks; {} only in the source language, {} only in the target language\n\
         {} pairs of segments; {} only in the source, {} only in the target; {} without an end tag\n",
        report.talks,
        report.unpaired_sources.len(),
        report.unpaired_targets.len(),
        report.pairs,
        report.unpaired_source_segments,
        report.unpaired_target_segments,
        report.unclosed_segments
    )
}

fn make_vocabulary(arguments: &VocabularyArgs) -> Result<()> {
    let corpus = Corpus::open(&arguments.corpus)?;
    let path = corpus.vocabulary_path();
    if path.exists() && !arguments.force {
        return Err(Error::Exists { path });
    }
    let vocabulary = train_vocabulary(&corpus, arguments.size)?;
    vocabulary.save(&path)?;
    print(&format!(
        "{} subwords: {}\n",
        vocabulary.len(),
        path.display()
    ))
}

fn print_report(report: &HelpReport) -> Result<()> {
    print(&format!(
        "{} pages, {} of them only in the source language\n\
         {} paragraphs divided into sentences, {} kept whole, {} only in the source language\n\
         markup without a partner taken out of {} units: {} in the source, {} in the target\n",
        report.pages,
        report.unpaired_pages,
        report.divided_paragraphs,
        report.whole_paragraphs,
        report.unpaired_paragraphs,
        report.units_with_dropped_markup,
        report.dropped_source_markup,
        report.dropped_target_markup
    ))
}

fn print_statistics(corpus: &Corpus, json: bool) -> Result<()> {
    if json {
        return print(&format!("{:#}\n", serde_json::json!(corpus.statistics())));
    }
    let info = corpus.info();
    let (folder, from, to) = (
        corpus.folder().display(),
        &info.source_language,
        &info.target_language,
    );
    let mut text = format!("{folder}: {from} to {to}, {}\n", info.origin);
    let heads = [
        "documents",
        "paragraphs",
        "segments",
        "units",
        "new",
        "repeated",
        "identical",
        "source words",
        "target words",
    ];
    text += &row("", heads);
    for split in Split::ALL {
        let found = corpus.statistics().of(split);
        let counts = [
            found.documents,
            found.paragraphs,
            found.segments,
            found.units,
            found.new_units(),
            found.repeated,
            found.identical,
            found.source_words,
            found.target_words,
        ];
        text += &row(split.name(), counts);
    }
    print(&text)
}

/// A line of a table with right-aligned columns.
fn row(name: &str, cells: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|cell| format!(" {cell:>12}"))
        .collect();
    format!("{name:5}{}\n", cells.concat())
}
