//! `canopy explain`

mod from_model;
mod word;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use self::from_model::from_model;
use self::word::place_in_sentence;
use super::inputs::check_output;
use super::memories::MemoryArguments;
use super::options::{ModelArguments, named, pixels, wrong_usage};
use super::terminal;
use crate::error::Result;
use canopy_chart::charts::Theme;
use canopy_explain::trace::{self, Side, TraceSource};
use canopy_explain::{
    Explanation, Heads, Order, Query, Question, ViewKind, head_for_tree, query_side,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy explain page.trace --sentence 4\n  canopy explain page.trace --view tree --sentence \
    4 --word it -o tree.svg\n  canopy explain page.html --view memory --sentence 4\n\nSee docs/guide/explaining.md."
)]
pub(super) struct ExplainArguments {
    /// Trace that `canopy translate --trace` wrote; several are drawn side by side (maps only). For --view difference,
    /// leave-one-out and memory a document, which is translated first
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// View to show
    #[arg(long, value_enum, default_value = "context")]
    view: Shown,
    /// Number of the sentence to explain, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = ordinal)]
    sentence: usize,
    /// Word to explain: its number in the sentence, from 1, or its text; default: all words
    #[arg(long, value_name = "N|TEXT")]
    word: Option<String>,
    /// Layer, from 1; without it the last one that has such attention
    #[arg(long, value_name = "L", value_parser = ordinal)]
    layer: Option<usize>,
    /// Head, from 1; or mean: all of them averaged, which is attention mass; or each: maps of all of them side by side.
    /// Default: the mean; for the tree of one word head 1; for a language model without --layer the heads that find the
    /// antecedent on a probe
    #[arg(long, value_name = "H|mean|each", value_parser = head)]
    head: Option<HeadArgument>,
    /// Side of the queries: source or translation; default: the source if it attends to other sentences
    #[arg(long, value_parser = named(&[("source", Side::Source), ("target", Side::Target)]))]
    side: Option<Side>,
    /// Columns of a map in the order of the document, or those with the most weight first
    #[arg(long, default_value = "document", value_parser = orders())]
    order: Order,
    /// How many context sentences to show with their words
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    /// File to write: a figure (.svg, .png) or its numbers (.csv, .json); without it the context view is printed as
    /// text, other views as numbers
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print all numbers as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// For --view leave-one-out: another text for sentence N of the context, with which the translation is scored too
    #[arg(long, value_name = "N=TEXT", value_parser = edited)]
    edit: Vec<(usize, String)>,
    /// For --view leave-one-out: another translation for sentence N of the context, for models that read translations
    #[arg(long, value_name = "N=TEXT", value_parser = edited)]
    edit_translation: Vec<(usize, String)>,
    /// Light on dark grey, as on screens; else dark on white, as in papers
    #[arg(long)]
    dark: bool,
    /// Width of the figure
    #[arg(long, value_name = "PIXELS", default_value_t = 1_200, value_parser = pixels())]
    width: u32,
    /// Height of the figure; default: what is easy to read
    #[arg(long, value_name = "PIXELS", value_parser = pixels())]
    height: Option<u32>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    model: ModelArguments,
    /// Language of the document, for a language model; without it that of its file or text
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language that a language model translates to
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    #[command(flatten)]
    memory: MemoryArguments,
    /// Hypotheses kept for each sentence, for --view difference, leave-one-out and memory [default: 4, or fewer where the
    /// model's files say so]
    #[arg(long, value_name = "N", value_parser = super::options::beam_sizes())]
    beam: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shown {
    /// Where in the document the context is: the content tree, or sections and paragraphs
    Tree,
    /// Words × sentences of the document
    Sentences,
    /// All sentences × sentences of the document
    Document,
    /// Words × words of the context sentences
    Words,
    /// Words of the translation × words of the source sentence
    Cross,
    /// Words of the source sentence × each other, in the encoder
    #[value(name = "self")]
    Itself,
    /// Share of its context that each word let in
    Gates,
    /// The sentences read most, as text with shaded words
    Context,
    /// Share of each word in the encoding of its sentence (source2token), as text with shaded words
    Encoding,
    /// Share of weights that are exactly zero, against length
    Zeros,
    /// Whether the context mattered: the sentence translated without it and with the document shuffled, with the
    /// probability of each word; needs the model
    Difference,
    /// Which sentence mattered: the likelihood of the translation without each one that the model can read, next to the
    /// attention of that sentence; needs the model
    LeaveOneOut,
    /// The pairs of the translation memory that were looked up for the translation, and their share in each word; needs the model
    Memory,
}

impl From<Shown> for ViewKind {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Tree => Self::Tree,
            Shown::Sentences => Self::Sentences,
            Shown::Document => Self::Document,
            Shown::Words => Self::Words,
            Shown::Cross => Self::Cross,
            Shown::Itself => Self::Itself,
            Shown::Gates => Self::Gates,
            Shown::Context => Self::Context,
            Shown::Encoding => Self::Encoding,
            Shown::Zeros => Self::Zeros,
            Shown::Difference => Self::Difference,
            Shown::LeaveOneOut => Self::LeaveOneOut,
            Shown::Memory => Self::Memory,
        }
    }
}

/// Values of `--order`.
fn orders() -> impl TypedValueParser<Value = Order> {
    named(&[("document", Order::Document), ("weight", Order::Weight)])
}

#[derive(Debug, Clone, Copy)]
enum HeadArgument {
    One(usize),
    Mean,
    Each,
}

impl From<HeadArgument> for Heads {
    fn from(argument: HeadArgument) -> Self {
        match argument {
            HeadArgument::One(head) => Self::One(head),
            HeadArgument::Mean | HeadArgument::Each => Self::Mean,
        }
    }
}

/// People count from 1, traces from 0.
fn ordinal(text: &str) -> std::result::Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number - 1),
        _ => Err("a number from 1 on".to_owned()),
    }
}

fn head(text: &str) -> std::result::Result<HeadArgument, String> {
    match text {
        "mean" => Ok(HeadArgument::Mean),
        "each" => Ok(HeadArgument::Each),
        _ => ordinal(text)
            .map(HeadArgument::One)
            .map_err(|allowed| format!("mean, each, or {allowed}")),
    }
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        let files = arguments.traces.iter().chain(&arguments.model.model);
        let files = files.map(PathBuf::as_path).chain(arguments.memory.paths());
        check_output(path, files)?;
    }
    let edits = arguments.edit.len() + arguments.edit_translation.len();
    if edits > 0 && arguments.view != Shown::LeaveOneOut {
        wrong_usage(
            "explain",
            "--edit and --edit-translation are for --view leave-one-out",
        );
    }
    let explanation = if let Some(view) = ViewKind::from(arguments.view).model_view() {
        from_model(arguments, view)?
    } else {
        let sources = arguments.traces.iter().map(trace::open);
        explain(arguments, &sources.collect::<Result<Vec<_>, _>>()?)?
    };
    let Some(path) = &arguments.output else {
        let text = if arguments.json {
            explanation.json() + "\n"
        } else {
            explanation.text()
        };
        return terminal::print(&text);
    };
    let theme = if arguments.dark {
        Theme::DARK
    } else {
        Theme::LIGHT
    };
    let width = arguments.width;
    let height = arguments
        .height
        .unwrap_or_else(|| explanation.height(width));
    Ok(explanation.write(&theme, path, (width, height), arguments.force)?)
}

fn explain(arguments: &ExplainArguments, sources: &[TraceSource]) -> Result<Explanation> {
    let questions = sources.iter().map(|source| {
        let question = Question {
            view: arguments.view.into(),
            query: query(arguments, source)?,
            each_head: matches!(arguments.head, Some(HeadArgument::Each)),
            order: arguments.order,
            limit: arguments.top.into(),
        };
        Ok((source, question))
    });
    Ok(Question::compare(&questions.collect::<Result<Vec<_>>>()?)?)
}

/// A sentence, from 1, and its text.
fn edited(text: &str) -> std::result::Result<(usize, String), String> {
    let (number, text) = text
        .split_once('=')
        .ok_or("the number of a sentence, =, and its text")?;
    Ok((ordinal(number.trim())?, text.trim().to_owned()))
}

fn query(arguments: &ExplainArguments, source: &TraceSource) -> Result<Query> {
    let side = arguments.side.unwrap_or_else(|| query_side(source));
    let view = ViewKind::from(arguments.view);
    let side = view.side(side);
    let mut query = Query {
        layer: arguments.layer,
        heads: arguments.head.map_or(Heads::Usual, Heads::from),
        ..Query::sentence(side, arguments.sentence)
    };
    query.check(source.overview())?;
    if let Some(word) = &arguments.word {
        let tokens = &source.overview().sentences(query.side)[query.sentence].tokens;
        query.word = Some(place_in_sentence(word, tokens, query.sentence)?);
        query.check(source.overview())?;
    }
    if view == ViewKind::Tree && arguments.head.is_none() {
        query = head_for_tree(query, source);
    }
    Ok(query)
}
