//! Which metrics, and how they count; names as in sacrebleu.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use crate::options::named;
use canopy_metrics::discourse::{ChoiceAccuracy, ChoiceKind};
use canopy_metrics::tokenize::{TercomOptions, Tokenizer};
use canopy_metrics::{
    BleuMetric, Chrf, LengthRatio, Meteor, MeteorAverage, Metric, Repetition, Smoothing, Stemmer,
    Ter,
};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "sacrebleu's switches")]
pub(super) struct MetricOptions {
    /// Tokenisation for BLEU, METEOR, length and repetition
    #[arg(long, default_value = "13a", value_parser = tokenizers(), help_heading = "BLEU")]
    tokenize: Tokenizer,
    /// Smoothing of BLEU: the value in place of a precision of 0
    #[arg(short, long, value_enum, default_value = "exp", help_heading = "BLEU")]
    smooth_method: SmoothMethod,
    /// Smoothing value for floor (default 0.1) or add-k (default 1)
    #[arg(long, value_name = "X", help_heading = "BLEU")]
    smooth_value: Option<f64>,
    /// Compare in lower case
    #[arg(long, help_heading = "BLEU")]
    lowercase: bool,
    /// Leave out n-grams that are longer than all translations
    #[arg(long, help_heading = "BLEU")]
    effective_order: bool,

    /// Maximum character n-gram order
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = order(1), help_heading = "chrF")]
    chrf_char_order: usize,
    /// Maximum word n-gram order; 2 is chrF++
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = order(0), help_heading = "chrF")]
    chrf_word_order: usize,
    /// How many times more recall counts than precision
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "chrF")]
    chrf_beta: u32,
    /// Count white space as characters
    #[arg(long, help_heading = "chrF")]
    chrf_whitespace: bool,
    /// Compare in lower case
    #[arg(long, help_heading = "chrF")]
    chrf_lowercase: bool,
    /// Average over all orders as chrF++.py, NLTK and Moses do
    #[arg(long, help_heading = "chrF")]
    chrf_eps_smoothing: bool,

    /// Distinguish upper from lower case
    #[arg(long, help_heading = "TER")]
    ter_case_sensitive: bool,
    /// Let the two options below act on Chinese and Japanese too
    #[arg(long, help_heading = "TER")]
    ter_asian_support: bool,
    /// Drop punctuation marks
    #[arg(long, help_heading = "TER")]
    ter_no_punct: bool,
    /// Separate punctuation marks from words
    #[arg(long, help_heading = "TER")]
    ter_normalized: bool,

    /// Language of the stemmer
    #[arg(
        long,
        value_name = "LANGUAGE",
        default_value = "en",
        value_parser = stemmers(),
        help_heading = "METEOR"
    )]
    meteor_stemmer: Stemmer,
    /// Score all matches together instead of averaging the segments' scores
    #[arg(long, help_heading = "METEOR")]
    meteor_corpus: bool,

    /// Order of the n-grams of words whose repetitions are counted
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = order(1), help_heading = "Repetition")]
    repetition_order: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SmoothMethod {
    None,
    Floor,
    AddK,
    Exp,
}

/// Values of `--tokenize`.
fn tokenizers() -> impl TypedValueParser<Value = Tokenizer> {
    named(&[
        ("none", Tokenizer::None),
        ("13a", Tokenizer::V13a),
        ("intl", Tokenizer::International),
        ("char", Tokenizer::Char),
        ("zh", Tokenizer::Chinese),
    ])
}

/// Values of `--meteor-stemmer`.
fn stemmers() -> impl TypedValueParser<Value = Stemmer> {
    named(&[
        ("en", Stemmer::English),
        ("de", Stemmer::German),
        ("none", Stemmer::None),
    ])
}

const NAMES: [&str; 9] = [
    "bleu",
    "chrf",
    "chrf++",
    "ter",
    "meteor",
    "length",
    "repetition",
    "formality",
    "pronouns",
];

fn order(least: u64) -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(least..=100)
}

/// Ends the program as clap does for wrong usage.
pub(super) fn wrong_usage(problem: &str) -> ! {
    crate::options::wrong_usage("score", problem)
}

/// The names of the metrics, and the files to score.
///
/// `-m bleu ter system.de` is natural to write, so what comes after the metrics' names there are files.
pub(super) fn choose<'a>(names: &'a [String], systems: &[PathBuf]) -> (&'a [String], Vec<PathBuf>) {
    let known = names
        .iter()
        .take_while(|name| NAMES.contains(&name.as_str()));
    let (metrics, files) = names.split_at(known.count());
    let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    if let Some(unknown) = files
        .first()
        .filter(|path| metrics.is_empty() || !path.exists())
    {
        let allowed = NAMES.join(", ");
        let found = unknown.display();
        wrong_usage(&format!(
            "'{found}' is neither a metric nor a file; metrics are {allowed}"
        ));
    }
    // The first file is what others are compared with, and it is not clear which one is meant.
    if !files.is_empty() && !systems.is_empty() {
        wrong_usage("name all files in one place: before or after the metrics");
    }
    files.extend_from_slice(systems);
    if files.is_empty() {
        wrong_usage("name at least one file of translations to score");
    }
    (metrics, files)
}

impl MetricOptions {
    /// Whether words are found by more than the spaces between them.
    pub(super) fn splits_words(&self) -> bool {
        self.tokenize != Tokenizer::None
    }

    /// The metrics with these names.
    ///
    /// Texts that were prepared are only split at spaces. For scores of segments BLEU leaves out orders.
    pub(super) fn metrics(
        &self,
        names: &[String],
        prepared: bool,
        each_segment: bool,
    ) -> Vec<Box<dyn Metric>> {
        let tokenizer = if prepared {
            Tokenizer::None
        } else {
            self.tokenize
        };
        let effective_order = self.effective_order || each_segment;
        let metric = |name: &String| self.metric(name, tokenizer, effective_order);
        names.iter().map(metric).collect()
    }

    fn metric(&self, name: &str, tokenizer: Tokenizer, effective_order: bool) -> Box<dyn Metric> {
        match name {
            "bleu" => Box::new(BleuMetric {
                tokenizer,
                smoothing: self.smoothing(),
                lowercase: self.lowercase,
                effective_order,
            }),
            "ter" => Box::new(Ter {
                options: TercomOptions {
                    normalized: self.ter_normalized,
                    no_punct: self.ter_no_punct,
                    asian_support: self.ter_asian_support,
                    case_sensitive: self.ter_case_sensitive,
                },
            }),
            "meteor" => Box::new(Meteor {
                tokenizer,
                stemmer: self.meteor_stemmer,
                average: if self.meteor_corpus {
                    MeteorAverage::Matches
                } else {
                    MeteorAverage::Segments
                },
                ..Meteor::default()
            }),
            "length" => Box::new(LengthRatio { tokenizer }),
            "repetition" => Box::new(Repetition {
                tokenizer,
                order: self.repetition_order,
            }),
            "formality" => Box::new(ChoiceAccuracy(ChoiceKind::Formality)),
            "pronouns" => Box::new(ChoiceAccuracy(ChoiceKind::PronounGender)),
            chrf => Box::new(Chrf {
                char_order: self.chrf_char_order,
                word_order: match chrf {
                    "chrf++" => 2,
                    _ => self.chrf_word_order,
                },
                beta: self.chrf_beta,
                lowercase: self.chrf_lowercase,
                whitespace: self.chrf_whitespace,
                eps_smoothing: self.chrf_eps_smoothing,
            }),
        }
    }

    fn smoothing(&self) -> Smoothing {
        match (self.smooth_method, self.smooth_value) {
            (SmoothMethod::Floor, value) => Smoothing::Floor(value.unwrap_or(0.1)),
            (SmoothMethod::AddK, value) => Smoothing::AddK(value.unwrap_or(1.0)),
            (_, Some(_)) => wrong_usage("--smooth-value is for --smooth-method floor or add-k"),
            (SmoothMethod::None, None) => Smoothing::None,
            (SmoothMethod::Exp, None) => Smoothing::Exp,
        }
    }
}
