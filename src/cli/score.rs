//! `canopy score`

mod json;
mod latex;
mod lines;
mod options;
mod preparation;
mod table;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::terminal::{print, warn};
use crate::error::Result;
use canopy_metrics::{Documents, Metric, SegmentSums};
use lines::{OptionalFiles, TestSet};
use options::{MetricOptions, choose, wrong_usage};
use preparation::PreparationOptions;
use table::{Column, Plan, Table, Unit};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "sacrebleu's switches")]
#[command(
    after_help = "Examples:\n  canopy score -r ref.de -m bleu chrf ter system.de\n  \
    canopy score -r ref.de --paired-ar --by document --docids ids.txt baseline.de system.de\n\n\
    Every file has one segment per line, the same ones in the same order. Scores and signatures are those of sacrebleu \
    2.6; METEOR is that of NLTK without synonyms, not Meteor 1.5."
)]
pub(super) struct ScoreArguments {
    /// Files of translations, one for each system; paired tests compare with the first one. - is standard input, and
    /// files may be compressed with gzip
    #[arg(value_name = "HYP")]
    systems: Vec<PathBuf>,
    /// File of reference translations; several for several references: -r a -r b, or -r a b with -- before the systems
    #[arg(short, long = "reference", value_name = "FILE", required = true)]
    references: Vec<PathBuf>,
    /// File with the source of every segment, for formality and pronouns
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// Metrics to compute: bleu, chrf, chrf++, ter, meteor, length (of the references' words) and repetition (of the
    /// translation's own words), both in per cent; formality and pronouns: how often a German translation of English
    /// addresses *you*, or has a gender for *it*, as the reference does
    #[arg(short, long, value_name = "METRIC", num_args = 1.., default_values = ["bleu"])]
    metrics: Vec<String>,
    /// How to print the scores; json has them unrounded
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,
    /// Digits after the decimal point, in text and latex
    #[arg(short, long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=12))]
    width: u8,
    /// Do not warn of translations that look tokenised
    #[arg(long)]
    force: bool,
    /// Print the score of every segment; BLEU with --effective-order
    #[arg(long, conflicts_with_all = ["confidence", "paired_bs", "paired_ar"])]
    sentence_level: bool,

    /// Show 95 % confidence intervals, by bootstrap resampling
    #[arg(long, help_heading = "Significance")]
    confidence: bool,
    /// Test differences from the first system by paired bootstrap resampling
    #[arg(long, conflicts_with = "paired_ar", help_heading = "Significance")]
    paired_bs: bool,
    /// Test differences from the first system by paired approximate randomisation
    #[arg(long, help_heading = "Significance")]
    paired_ar: bool,
    /// Number of test sets that --confidence and --paired-bs draw
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = samples(), help_heading = "Significance")]
    paired_bs_n: usize,
    /// Number of trials of --paired-ar
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = samples(), help_heading = "Significance")]
    paired_ar_n: usize,
    /// Unit that is drawn or swapped as a whole; sentences of a document are not independent of each other
    #[arg(
        long,
        value_enum,
        default_value = "sentence",
        help_heading = "Significance"
    )]
    by: Unit,
    /// Training runs of each system: this many consecutive files are one system, trained with different seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = samples(), help_heading = "Significance")]
    runs: usize,
    /// Seed of the random number generator; the same seed gives the same p-values
    #[arg(
        long,
        value_name = "N",
        default_value_t = 12_345,
        help_heading = "Significance"
    )]
    seed: u64,

    /// File with one line for each segment that names its document
    #[arg(long, value_name = "FILE", required_if_eq_any = [("by", "document"), ("level", "document")], help_heading = "Documents")]
    docids: Option<PathBuf>,
    /// Segments to compare: sentence takes each line (s-BLEU), document joins the lines of a document (d-BLEU)
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        value_delimiter = ',',
        help_heading = "Documents"
    )]
    level: Vec<Unit>,

    #[command(flatten)]
    preparation: PreparationOptions,
    #[command(flatten)]
    metric_options: MetricOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Latex,
}

fn samples() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..=1_000_000)
}

pub(super) fn run(arguments: &ScoreArguments) -> Result<()> {
    let (systems, references) = arguments.divided(&std::env::args_os().collect::<Vec<_>>());
    let (names, files) = choose(&arguments.metrics, &systems);
    check_standard_input(files.iter().chain(&references));
    check_number(arguments, files.len());
    let prepares = arguments.preparation.tokenizes();
    let metrics = arguments
        .metric_options
        .metrics(names, prepares, arguments.sentence_level);
    let preparation = arguments.preparation.read()?;
    let beside = OptionalFiles {
        source: arguments.source.as_deref(),
        docids: arguments.docids.as_deref(),
    };
    if beside.source.is_none() && metrics.iter().any(|metric| metric.reads_source()) {
        wrong_usage("formality and pronouns need --source FILE");
    }
    let tests =
        TestSet::read(&files, &references, beside)?.prepared(|line| preparation.apply(line));
    if arguments.metric_options.splits_words() && !prepares && !arguments.force {
        warn_of_tokenised(&tests);
    }
    let plan = Plan {
        bootstrap: (arguments.confidence || arguments.paired_bs).then_some(arguments.paired_bs_n),
        paired_bootstrap: arguments.paired_bs,
        randomization: arguments.paired_ar.then_some(arguments.paired_ar_n),
        by_document: arguments.by == Unit::Document,
        runs: arguments.runs,
        seed: arguments.seed,
        preparation: preparation.name(),
    };
    let table = Table {
        systems: tests
            .names
            .iter()
            .step_by(arguments.runs)
            .cloned()
            .collect(),
        columns: columns(&arguments.level, &metrics, &tests, &plan),
        segments: tests.references[0].len(),
        references: tests.references.len(),
        documents: tests.documents.as_ref().map(Documents::len),
        plan,
        digits: usize::from(arguments.width),
    };
    let report = match (arguments.format, arguments.sentence_level) {
        (Format::Json, each) => format!("{:#}\n", json::entries(&table, each)),
        (Format::Text | Format::Latex, true) => text::segments(&table),
        (Format::Text, false) => text::table(&table),
        (Format::Latex, false) => latex::table(&table),
    };
    print(&report)
}

impl ScoreArguments {
    /// Systems and references: where `--` ends the options, what comes right after a reference is one, too.
    fn divided(&self, given: &[OsString]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut systems, mut references) = (self.systems.clone(), self.references.clone());
        let Some(end) = given.iter().position(|it| it == "--") else {
            return (systems, references);
        };
        let mut options = given[..end].iter();
        let mut is_reference = false;
        while let Some(option) = options.next() {
            let text = option.to_string_lossy();
            if text == "-r" || text == "--reference" {
                options.next();
                is_reference = true;
            } else if text.starts_with('-') && text != "-" {
                is_reference = text.starts_with("-r") || text.starts_with("--reference=");
            } else if let Some(place) = systems
                .iter()
                .position(|system| is_reference && system == option)
            {
                references.push(systems.remove(place));
            }
        }
        (systems, references)
    }
}

/// Ends the program if standard input is to be read several times.
fn check_standard_input<'p>(files: impl Iterator<Item = &'p PathBuf>) {
    if files.filter(|file| file.as_os_str() == "-").count() > 1 {
        wrong_usage("standard input can be read once: name - once");
    }
}

/// Ends the program if the files are no systems, or too few.
fn check_number(arguments: &ScoreArguments, files: usize) {
    let runs = arguments.runs;
    if !files.is_multiple_of(runs) {
        wrong_usage(&format!(
            "{files} files cannot be systems of {runs} training runs each"
        ));
    }
    if (arguments.paired_bs || arguments.paired_ar) && files / runs < 2 {
        wrong_usage("a paired test needs a second system to compare with the first one");
    }
}

/// A column for each level and metric.
fn columns(
    levels: &[Unit],
    metrics: &[Box<dyn Metric>],
    tests: &TestSet,
    plan: &Plan,
) -> Vec<Column> {
    let levels = match levels {
        [] => vec![None],
        levels => levels.iter().copied().map(Some).collect(),
    };
    let mut columns = Vec::new();
    for level in levels {
        let segments = match level {
            Some(Unit::Document) => &tests.by_document(),
            _ => tests,
        };
        for metric in metrics {
            let systems = segments.systems.iter();
            let sums: Vec<SegmentSums> = systems
                .map(|lines| {
                    let metric = metric.as_ref();
                    let (sources, references) = (&segments.sources, &segments.references);
                    SegmentSums::count_with_sources(metric, sources, lines, references)
                })
                .collect();
            columns.push(Column::from_sums(
                metric.as_ref(),
                &sums,
                level,
                segments,
                plan,
            ));
        }
    }
    columns
}

/// Scores of texts that were split into words before compare with no others; sacrebleu warns at as many lines.
fn warn_of_tokenised(tests: &TestSet) {
    const MANY: usize = 100;
    for (name, lines) in tests.names.iter().zip(&tests.systems) {
        if lines.iter().filter(|line| line.ends_with(" .")).count() >= MANY {
            warn(&format!(
                "{name} looks tokenised, {MANY} lines or more end in ` .`; score detokenised text, or pass --force"
            ));
        }
    }
}
