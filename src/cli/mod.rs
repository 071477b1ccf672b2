//! The command line: every job of the window as a subcommand.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 130 trainings ended by an order. Results go to standard output, everything
//! else to standard error.

mod align;
mod check;
mod contrast;
mod corpus;
mod count;
mod describe;
mod detect;
mod evaluate;
mod explain;
mod import;
mod inputs;
mod library;
mod model;
mod run;
mod sample;
mod score;
mod select_context;
mod similarity;
mod sweep;
mod terminal;
mod terms;
mod train;
mod translate;

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::corpus::Split;
use crate::error::{Error, Result};
use crate::inference::{DeviceChoice, Route, Translator};
use crate::kernels::packed::Quantization;

/// Translate documents with models that read the whole document, on your own machine.
///
/// Without a subcommand the window opens. Nothing is ever sent anywhere.
#[derive(Debug, Parser)]
#[command(name = "canopy", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// A document to open in the window
    document: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Translate documents (HTML, Markdown, plain text); the result has the format of the source
    ///
    /// Attributes (alt, title), lists of choices, HTML blocks of Markdown and its front matter stay as
    /// it is.
    Translate(translate::TranslateArguments),
    /// Train a model on a corpus, with checkpoints and validation
    Train(train::TrainArguments),
    /// Train two small models on a made-up language, in a minute or two, and see what reading documents is worth
    Sample(sample::SampleArguments),
    /// Train many models and compare them
    #[command(subcommand)]
    Sweep(sweep::SweepCommand),
    /// Make corpora from parallel documents, and look at them
    #[command(subcommand)]
    Corpus(corpus::CorpusCommand),
    /// Work with model folders
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Look at training runs, and steer those that another program has under way
    #[command(subcommand)]
    Run(run::RunCommand),
    /// Score a model on the development or test documents of a corpus
    Evaluate(evaluate::EvaluateArguments),
    /// Ask whether a model prefers right translations to wrong ones that only the document tells apart
    #[command(subcommand)]
    Contrast(contrast::ContrastCommand),
    /// Show what a model looked at while it translated: as a figure, as numbers or as text
    Explain(explain::ExplainArguments),
    /// Tell the language of documents
    Detect(detect::DetectArguments),
    /// Pair the sentences of a document with those of its translation: a translation memory of both
    Align(align::AlignArguments),
    /// Count what there is to translate as translators are paid: repeated, in a memory, alike, new
    Count(count::CountArguments),
    /// Look for faults in translations: numbers, tags, variables, punctuation, lengths
    Check(check::CheckArguments),
    /// Work with termbases: what a word is to be called in the other language
    #[command(subcommand)]
    Terms(terms::TermsCommand),
    /// Score translations that lie in files, and tell which differences are more than chance
    Score(score::ScoreArguments),
}

/// Which model, and where it computes.
#[derive(Debug, Clone, Args)]
struct ModelArguments {
    /// Model folder, or a folder or zip file of another program's; without it an installed model that fits, else a starter
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Where to compute: auto takes a real GPU where there is one, else the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
}

/// How weights are kept for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Quantize {
    /// As the model folder says: 32-bit numbers
    #[default]
    None,
    /// As 8-bit integers: a quarter of the memory, faster, translations nearly the same
    Int8,
}

impl From<Quantize> for Quantization {
    fn from(name: Quantize) -> Self {
        match name {
            Quantize::None => Self::None,
            Quantize::Int8 => Self::Int8,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Device {
    Auto,
    Cpu,
    Gpu,
}

/// Held-out documents of a corpus.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitName {
    Dev,
    Test,
}

impl From<SplitName> for Split {
    fn from(name: SplitName) -> Self {
        match name {
            SplitName::Dev => Self::Dev,
            SplitName::Test => Self::Test,
        }
    }
}

impl From<Device> for DeviceChoice {
    fn from(device: Device) -> Self {
        match device {
            Device::Auto => Self::Auto,
            Device::Cpu => Self::Cpu,
            Device::Gpu => Self::Gpu,
        }
    }
}

impl ModelArguments {
    /// Loads the model; a software GPU gets a warning.
    fn open(&self) -> Result<Translator> {
        self.open_for(None, None, false)
    }

    /// The same; where no model is named, the installed one between these languages, or two in a row if `pivots`.
    fn open_for(
        &self,
        source: Option<&str>,
        target: Option<&str>,
        pivots: bool,
    ) -> Result<Translator> {
        if let Some(folder) = &self.model {
            return self.open_all(std::slice::from_ref(folder), &[source, target]);
        }
        match library::route_between(source, target, pivots)? {
            Route::Direct { folder, .. } => self.open_all(&[folder], &[source, target]),
            Route::Pivot {
                folders,
                pivot,
                target,
            } => self.open_all(&folders, &[source, Some(&pivot), Some(&target)]),
        }
    }

    /// Opens models in a row, each between two of the languages.
    fn open_all(&self, folders: &[PathBuf], languages: &[Option<&str>]) -> Result<Translator> {
        let device = self.device.into();
        let legs = folders.iter().zip(languages.windows(2));
        let mut opened: Option<Translator> = None;
        for (folder, pair) in legs {
            let next = Translator::open_between(folder, device, pair[0], pair[1])?;
            opened = Some(match opened {
                Some(first) => first.followed_by(next)?,
                None => next,
            });
        }
        let translator = opened.ok_or(Error::NoStarterModel)?;
        if translator.on_software_gpu() {
            terminal::warn(
                "this GPU is a program that runs on the CPU; --device cpu is several times faster",
            );
        }
        Ok(translator)
    }
}

/// Values of `--beam`; more hypotheses make translations worse and only fill the memory.
fn beam_sizes() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=100)
}

/// Values of `--width` and `--height`, as figures accept them.
fn pixels() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(100..=4_000)
}

/// Ends the program as clap does for wrong usage of `command`.
fn wrong_usage(command: &str, problem: impl Display) -> ! {
    clap::Error::raw(
        ErrorKind::ValueValidation,
        format!("{problem}\n\nFor more information, try 'canopy {command} --help'.\n"),
    )
    .exit()
}

/// Runs what the arguments ask for; before any other thread starts.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.command.is_some() {
        crate::inference::find_gpus_without_a_screen();
    }
    let takes_format = matches!(arguments.command, Some(Command::Translate(_)));
    let done = match arguments.command {
        Some(Command::Translate(arguments)) => translate::run(&arguments),
        Some(Command::Sample(arguments)) => sample::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Run(command)) => run::run(command),
        Some(Command::Sweep(command)) => sweep::run(&command),
        Some(Command::Evaluate(arguments)) => evaluate::run(&arguments),
        Some(Command::Contrast(command)) => contrast::run(command),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Align(arguments)) => align::run(&arguments),
        Some(Command::Count(arguments)) => count::run(&arguments),
        Some(Command::Terms(command)) => terms::run(&command),
        Some(Command::Detect(arguments)) => detect::run(&arguments),
        Some(Command::Score(arguments)) => score::run(&arguments),
        Some(Command::Corpus(command)) => corpus::run(command),
        Some(Command::Model(command)) => model::run(command),
        None => {
            let ModelArguments { model, device } = arguments.model;
            crate::gui::run(arguments.document, model, device.into())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::tell(&format!(
                "canopy: {error}{}\n",
                advice(&error, takes_format)
            ));
            ExitCode::FAILURE
        }
    }
}

/// The option that helps, which the window does not have.
fn advice(error: &Error, takes_format: bool) -> &'static str {
    match error {
        Error::Exists { .. } => " (or pass --force to replace it)",
        Error::NoGpu => " (--device cpu)",
        Error::RunExists { .. } => " (or pass --resume to go on)",
        Error::Diverged { .. } | Error::Checkpoint { .. } => " (--resume)",
        Error::NotRunning { .. } => " (`canopy train --resume`)",
        Error::CorpusChanged { .. } => " (or name the old one with --corpus)",
        Error::SourceChanged { .. } => " (or name the old one with --memory or --contexts)",
        Error::CorpusGone { .. } => " (or name its new place with --corpus)",
        Error::UnknownFormat { .. } if takes_format => {
            " (or say --format txt, to have it read as plain text)"
        }
        Error::NothingToEvaluate { .. } => " (--split, here or where it is imported)",
        _ => "",
    }
}
