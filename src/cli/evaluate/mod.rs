//! `canopy evaluate`

mod report;
mod system;

use std::path::PathBuf;

use clap::Args;

use super::inputs::check_output;
use super::options::{FormalityName, PlaceArguments, SearchArguments, held_out, models};
use super::terminal::print;
use super::terms::term_modes;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::check_writable;
use canopy_corpus::{ContextTexts, Corpus, Split};
use canopy_evaluate::evaluation::{Choices, ReferenceContext, TestSet};
use canopy_metrics::comparison::{ComparisonOptions, compare};
use canopy_translate::inference::{SearchOptions, TermMode, described_model};
use report::Report;
use system::{Evaluated, Way};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "switches")]
#[command(
    after_help = "Examples:\n  canopy evaluate --corpus corpora/manual --model models/manual models/other\n\nSeveral \
    systems are compared with the first one: by approximate randomisation of whole documents (10,000 \
    trials, with Holm's correction for the number of systems), document by document, by length, by the rarest word and by \
    place in the document, with the largest wins and losses. Models come before the files of --output."
)]
pub(super) struct EvaluateArguments {
    /// Model folders, or names of installed models; without them and without --output the starter model
    #[arg(long, value_name = "DIR|NAME", num_args = 1.., value_parser = models())]
    model: Vec<PathBuf>,
    /// Files with the translations of other systems, one segment per line, as --hypotheses writes them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    output: Vec<PathBuf>,
    #[command(flatten)]
    place: PlaceArguments,
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Documents to translate
    #[arg(long, default_value = "test", value_parser = held_out())]
    split: Split,
    /// Hypotheses kept for each sentence; 1 is greedy search [default: 4, or fewer where the model's files say so]
    #[arg(long, value_name = "N", value_parser = super::options::beam_sizes())]
    beam: Option<usize>,
    #[command(flatten)]
    search: SearchArguments,
    /// Exponent of the length penalty [default: the model's own, or 1]
    #[arg(long, value_name = "ALPHA")]
    length_penalty: Option<f32>,
    /// Split units of several sentences and translate each sentence by itself, as `translate` does with a document; they
    /// are scored together. Units whose human translation is known to the model stay whole
    #[arg(long)]
    cut_sentences: bool,
    /// Write the translations of one model here, one paragraph per line
    #[arg(long, value_name = "FILE")]
    hypotheses: Option<PathBuf>,
    /// Replace the file of --hypotheses if it exists
    #[arg(long)]
    force: bool,
    /// Contexts that `canopy corpus select-context` chose, for models that read BERT. Default: the model chooses them
    /// as in training
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Give models the human translations of all sentences before the current one, as if a translator had confirmed
    /// them: for models that read translations or retrieve from confirmed ones
    #[arg(long, alias = "at-work")]
    confirmed_history: bool,
    /// Treat the documents as those of one project, in their order: sentences confirmed in one are in the memory of the
    /// next, for models that retrieve
    #[arg(long, requires = "confirmed_history")]
    project: bool,
    /// As a control, surround each sentence with the sources and human translations of another document: a gain that remains
    /// does not come from the context. The number of exchanged sentences is printed
    #[arg(long, conflicts_with = "confirmed_history")]
    wrong_context: bool,
    /// In German translations, keep the form of address that the document used last: `soft` ranks words of the form
    /// higher, `hard` requires one in every sentence with "you". Until the document has used one, --formality decides
    #[arg(long, alias = "keep-address", value_name = "FORCE", value_parser = term_modes())]
    keep_formality: Option<TermMode>,
    /// Seed of the random numbers of tests and intervals
    #[arg(long, value_name = "N", default_value_t = 12_345)]
    seed: u64,
    /// Print everything as JSON: scores of all documents and sentences, buckets, wins and losses with word diffs
    #[arg(long)]
    json: bool,
}

impl EvaluateArguments {
    fn reference_context(&self) -> Option<ReferenceContext> {
        match (self.confirmed_history, self.project, self.wrong_context) {
            (true, true, _) => Some(ReferenceContext::Project),
            (true, false, _) => Some(ReferenceContext::Document),
            (false, _, true) => Some(ReferenceContext::OtherDocument),
            (false, _, false) => None,
        }
    }
}

pub(super) fn run(arguments: &EvaluateArguments) -> Result<()> {
    if let Some(path) = &arguments.hypotheses {
        let files = arguments.model.iter().chain(&arguments.output);
        let files = files.chain(&arguments.contexts).chain([&arguments.corpus]);
        check_output(path, files.map(PathBuf::as_path))?;
        check_writable(path, arguments.force)?;
        if arguments.model.len() > 1 || !arguments.output.is_empty() {
            return Err(Error::Base(BaseError::Config {
                field: "the number of systems with --hypotheses",
                found: (arguments.model.len() + arguments.output.len()).to_string(),
                allowed: "1 model".to_owned(),
            }));
        }
    }
    if arguments.keep_formality.is_some()
        && arguments.search.formality == Some(FormalityName::Majority)
    {
        return Err(Error::Base(BaseError::Config {
            field: "--formality with --keep-formality",
            found: "majority".to_owned(),
            allowed: "du, sie, ihr or polite-ihr: the form to request from the first sentence on"
                .to_owned(),
        }));
    }
    let corpus = Corpus::open(&arguments.corpus)?;
    let split = arguments.split;
    let mut test = TestSet::open(&corpus, split)?.with_formality(arguments.search.formality());
    if test.segments.is_empty() {
        return Err(Error::NothingToEvaluate {
            split: split.name(),
            path: arguments.corpus.clone(),
        });
    }
    if let Some(path) = &arguments.contexts {
        test = test.with_contexts(ContextTexts::open(path, &corpus)?);
    }
    if let Some(context) = arguments.reference_context() {
        test = test.with_reference_context(context);
    }
    let options = SearchOptions {
        beam_size: arguments.beam.unwrap_or_default(),
        length_penalty: arguments.length_penalty,
        ..SearchOptions::default()
    };
    // Unreadable files are reported before anything is translated.
    for folder in &arguments.model {
        described_model(folder)?;
    }
    let files = arguments.output.iter();
    let files = files.map(|path| Evaluated::file(path, &test));
    let files = files.collect::<Result<Vec<_>>>()?;
    let mut systems = Vec::new();
    let way = Way {
        place: &arguments.place,
        search: &arguments.search,
        keep_formality: arguments.keep_formality,
        cut_sentences: arguments.cut_sentences,
    };
    for folder in folders(arguments) {
        systems.push(Evaluated::model(folder, &way, &test, &options)?);
    }
    systems.extend(files);
    Evaluated::make_names_unique(&mut systems);
    if let Some(path) = &arguments.hypotheses {
        let lines = systems.iter().flat_map(|system| &system.hypotheses);
        let written: String = lines.flat_map(|line| [line.as_str(), "\n"]).collect();
        canopy_base::file::write_atomically(path, written.as_bytes(), arguments.force)?;
    }
    let comparison = if systems.len() > 1 || arguments.json {
        let compared = test.compared(systems.iter().map(Evaluated::compared).collect());
        let options = ComparisonOptions {
            seed: arguments.seed,
            ..ComparisonOptions::default()
        };
        Some(compare(&compared, &options))
    } else {
        None
    };
    let named = systems.iter();
    let named: Vec<(&str, &[String])> = named
        .map(|system| (system.name.as_str(), system.hypotheses.as_slice()))
        .collect();
    let choices = test.choices();
    let choices = choices.iter();
    let choices: Vec<Choices> = choices
        .map(|test| test.compare(&named, arguments.seed))
        .collect();
    let expected = test.expected();
    let expected = expected.map(|test| test.compare(&named, arguments.seed));
    let report = Report {
        systems: &systems,
        choices: &choices,
        expected: expected.as_ref(),
        comparison: comparison.as_ref(),
    };
    if arguments.json {
        print(&format!("{:#}\n", report.json()))
    } else {
        print(&report.text())
    }
}

/// The models to load; `None` is the starter.
fn folders(arguments: &EvaluateArguments) -> Vec<Option<PathBuf>> {
    if arguments.model.is_empty() && arguments.output.is_empty() {
        return vec![None];
    }
    arguments.model.iter().cloned().map(Some).collect()
}
