//! The command line: every job of the window as a subcommand.
//!
//! Each subcommand is a file or folder with its arguments and what it prints; `options` has the options that several of them
//! share, `advice` the option that helps with an error of a library. [`run`] is the whole interface.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 130 training stopped by request. Results go to standard output, everything
//! else to standard error.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     canopy_cli::run()
//! }
//! ```

#![warn(missing_docs, unreachable_pub)]

mod advice;
mod align;
mod attention_statistics;
mod catalogue;
mod catalogue_list;
mod check;
mod combine;
mod complete;
mod console;
mod contrast;
mod corpus;
mod corpus_statistics;
mod count;
mod demo;
mod describe;
mod detect;
mod divide;
pub mod error;
mod evaluate;
mod explain;
mod import;
mod inputs;
mod interrupt;
mod library;
mod llm;
mod logging;
mod memories;
mod model;
mod options;
mod probe;
mod project;
#[cfg(test)]
mod reference;
mod remote;
mod run;
mod score;
mod select_context;
mod serve;
mod similarity;
mod sweep;
mod terminal;
mod terms;
mod train;
mod translate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;
use advice::advice;
use canopy_project::Folders;
use logging::start_log;
use options::ModelArguments;

/// Translate documents with models that read the whole document, on your own machine.
///
/// Without a subcommand it opens the window. Nothing is sent anywhere except to a machine that you name.
#[derive(Debug, Parser)]
#[command(name = "canopy", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Log to standard error: opened files, the chosen model and device, times; -vv logs more, -vvv everything. The
    /// variable CANOPY_LOG sets levels by module, such as canopy_train=debug
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// A document to open in the window
    document: Option<PathBuf>,
    /// Language of documents that do not declare theirs
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language to translate them into
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Translate documents (text, HTML, Office, PO, XLIFF, …); the result has the format of the source
    ///
    /// HTML, Markdown and plain text; Word, PowerPoint, Excel, OpenDocument, EPUB and IDML; XLIFF, PO and other files of
    /// strings; subtitles; LaTeX, reStructuredText, AsciiDoc, DITA, DocBook and Mallard; the text of PDFs.
    /// docs/reference/formats.md lists what is translated in each; all other bytes stay unchanged.
    Translate(translate::TranslateArguments),
    /// Train a model on a corpus, with checkpoints and validation
    Train(train::TrainArguments),
    /// Train two small models on a made-up language, in a minute or two, and see the gain from reading documents
    #[command(alias = "sample")]
    Demo(demo::DemoArguments),
    /// Train many models and compare them
    #[command(subcommand)]
    Sweep(sweep::SweepCommand),
    /// Make corpora from parallel documents, and inspect them
    #[command(subcommand)]
    Corpus(corpus::CorpusCommand),
    /// Work with model folders
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Inspect training runs, and control those of another process
    #[command(subcommand)]
    Run(run::RunCommand),
    /// Score a model on the development or test documents of a corpus
    Evaluate(evaluate::EvaluateArguments),
    /// Measure whether a model prefers right translations to wrong ones that only the document rules out
    #[command(subcommand)]
    Contrast(contrast::ContrastCommand),
    /// Show what a model looked at while it translated: as a figure, as numbers or as text
    Explain(explain::ExplainArguments),
    /// Measure over a corpus how far away a model looks, how widely, and what it gains from the context
    AttentionStatistics(attention_statistics::AttentionStatisticsArguments),
    /// Serve translations to other programs on this machine, over HTTP
    ///
    /// Speaks the interfaces of LibreTranslate and OPUS-CAT, which plug-ins of OmegaT, Trados, memoQ and Wordfast call, and
    /// one of its own; at / there is a page for people. Other machines are served only with --host, and then only with a
    /// key. No text is written to disk or to a log. GET /openapi.json describes the interfaces,
    /// docs/guide/other-programs.md shows how to use them.
    Serve(serve::ServeArguments),
    /// Manage the trainings of another machine that runs `canopy serve --compute`
    #[command(subcommand)]
    Remote(remote::RemoteCommand),
    /// Detect the language of documents
    Detect(detect::DetectArguments),
    /// Align the sentences of a document with those of its translation, as a translation memory
    Align(align::AlignArguments),
    /// Count words by match type: repetitions, exact and fuzzy matches of a memory, new
    Count(count::CountArguments),
    /// Check translations: numbers, tags, variables, punctuation, lengths
    Check(check::CheckArguments),
    /// Work with projects: the saved work on a single document, or on several in a folder
    #[command(subcommand)]
    Project(project::ProjectCommand),
    /// Work with termbases: the prescribed translations of terms
    #[command(subcommand)]
    Terms(terms::TermsCommand),
    /// Score translations in files, and test which differences are significant
    Score(score::ScoreArguments),
}

/// Runs the command of the arguments; before any other thread starts.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse_from(wild::args_os());
    let is_window = arguments.command.is_none();
    console::prepare(is_window);
    let log_file = Folders::for_user().log_file().filter(|_| is_window);
    if let Err(error) = start_log(arguments.verbose, log_file) {
        terminal::write_stderr(&format!("canopy: {error}\n"));
        return ExitCode::FAILURE;
    }
    if arguments.command.is_some() {
        canopy_translate::inference::disable_display_probe();
    }
    let translates = matches!(arguments.command, Some(Command::Translate(_)));
    if translates {
        canopy_kernels::purge_memory_promptly();
    }
    let done = match arguments.command {
        Some(Command::Translate(arguments)) if arguments.is_batch() => {
            translate::batch::run(&arguments)
        }
        Some(Command::Translate(arguments)) => translate::run(&arguments),
        Some(Command::Demo(arguments)) => demo::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Run(command)) => run::run(command),
        Some(Command::Sweep(command)) => sweep::run(&command),
        Some(Command::Evaluate(arguments)) => evaluate::run(&arguments),
        Some(Command::Contrast(command)) => contrast::run(command),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::AttentionStatistics(arguments)) => attention_statistics::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Serve(arguments)) => serve::run(&arguments),
        Some(Command::Align(arguments)) => align::run(&arguments),
        Some(Command::Count(arguments)) => count::run(&arguments),
        Some(Command::Terms(command)) => terms::run(&command),
        Some(Command::Project(command)) => project::run(&command),
        Some(Command::Remote(command)) => remote::run(&command),
        Some(Command::Detect(arguments)) => detect::run(&arguments),
        Some(Command::Score(arguments)) => score::run(&arguments),
        Some(Command::Corpus(command)) => corpus::run(command),
        Some(Command::Model(command)) => model::run(command),
        None => {
            let ModelArguments { model, place } = arguments.model;
            let languages = [arguments.from, arguments.to];
            let (document, device) = (arguments.document, place.choice());
            canopy_gui::run(document, model, languages, device).map_err(Error::from)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::write_stderr(&format!("canopy: {error}{}\n", advice(&error, translates)));
            ExitCode::FAILURE
        }
    }
}
