//! `canopy corpus similarity`

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::inputs::check_output;
use super::options::Device;
use super::terminal::{StatusLine, print};
use crate::error::Result;
use canopy_chart::charts::Theme;
use canopy_corpus::Corpus;
use canopy_document::document::Document;
use canopy_explain::{Explanation, SimilarityView};
use canopy_metrics::similarity::{Measure, Range};
use canopy_translate::inference::{PreviewedContext, SentenceEncoder, context_preview};

/// Which document, and what to show of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy corpus similarity page.html --encoder encoders/minilm -o similar.svg"
)]
pub(super) struct SimilarityArguments {
    /// Document: HTML, Markdown or plain text
    document: PathBuf,
    /// Encoder folder, made by `canopy model import sbert` or `use`
    #[arg(long, value_name = "DIR")]
    encoder: PathBuf,
    /// Measure of similarity: cosine, euclidean, manhattan, snr or snr-variance
    #[arg(long, default_value = "cosine")]
    measure: Measure,
    /// Print the sentence that each one would get as context, for each range; also the default without --output
    #[arg(long, alias = "picks")]
    context_preview: bool,
    /// Corpus whose training documents are candidates for the ranges all and hybrid; without it only the range each is
    /// shown
    #[arg(long, value_name = "CORPUS")]
    index: Option<PathBuf>,
    /// Values of N for the ranges hybrid N
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "2,5,10"
    )]
    hybrid: Vec<usize>,
    /// Print the chosen contexts as JSON
    #[arg(long)]
    json: bool,
    /// Device for the encodings
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// File to write: a figure of all pairs (.svg, .png) or its numbers (.csv, .json)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    figure: FigureArguments,
}

#[derive(Debug, Args)]
struct FigureArguments {
    /// Light on dark grey, as on screens; else dark on white, as in papers
    #[arg(long)]
    dark: bool,
    /// Width of the figure
    #[arg(long, value_name = "PIXELS", default_value_t = 1_000, value_parser = super::options::pixels())]
    width: u32,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &SimilarityArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        let files = [&arguments.document, &arguments.encoder];
        let files = files.into_iter().chain(&arguments.index);
        check_output(path, files.map(PathBuf::as_path))?;
    }
    let encoder = SentenceEncoder::open(&arguments.encoder, arguments.device.into())?;
    let document = Document::open(&arguments.document, None)?;
    if let Some(path) = &arguments.output {
        let texts = document.plain_texts();
        let found = encoder.encode(&texts, |_, _| ControlFlow::Continue(()))?;
        let embeddings = found.expect("nothing stops it");
        let name = &encoder.description().name;
        let view = SimilarityView::new(&document.name, name, texts, embeddings, arguments.measure);
        let view = Explanation::Similarity(view.into());
        let theme = if arguments.figure.dark {
            Theme::DARK
        } else {
            Theme::LIGHT
        };
        let width = arguments.figure.width;
        let size = (width, view.height(width));
        view.write(&theme, path, size, arguments.figure.force)?;
    }
    if arguments.context_preview || arguments.json || arguments.output.is_none() {
        print_picks(arguments, &encoder, &document)?;
    }
    Ok(())
}

fn print_picks(
    arguments: &SimilarityArguments,
    encoder: &SentenceEncoder,
    document: &Document,
) -> Result<()> {
    let index = arguments.index.as_ref().map(Corpus::open).transpose()?;
    let mut ranges = vec![Range::Each];
    if index.is_some() {
        ranges.push(Range::All);
        ranges.extend(arguments.hybrid.iter().map(|&first| Range::Hybrid(first)));
    }
    let texts = document.plain_texts();
    let mut line = StatusLine::new();
    let encoding = |done, all| {
        line.show(&format!("encoded {done} of {all} sentences"));
        ControlFlow::Continue(())
    };
    let measure = arguments.measure;
    let found = context_preview(
        encoder,
        &texts,
        index.as_ref(),
        (measure, &ranges),
        encoding,
    )?;
    line.clear();
    let of_ranges: Vec<(Range, Vec<Option<PreviewedContext>>)> =
        ranges.into_iter().zip(found.unwrap_or_default()).collect();
    if arguments.json {
        let sentences = texts.iter().enumerate();
        let values = sentences.map(|(number, text)| json_of(number, text, &of_ranges));
        return print(&format!("{:#}\n", Value::Array(values.collect())));
    }
    let mut listing = String::new();
    for (number, text) in texts.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(listing, "{:>4}  {text}", number + 1);
        for (range, context_preview) in &of_ranges {
            let range = range.to_string();
            let _ = match &context_preview[number] {
                None => writeln!(listing, "      {range:<10} -"),
                Some(pick) => writeln!(
                    listing,
                    "      {range:<10} {:>8.4}  {}{}  {}",
                    pick.value,
                    pick.document
                        .as_ref()
                        .map_or(String::new(), |it| format!("{it} ")),
                    pick.sentence + 1,
                    pick.text
                ),
            };
        }
    }
    print(&listing)
}

fn json_of(
    number: usize,
    text: &str,
    of_ranges: &[(Range, Vec<Option<PreviewedContext>>)],
) -> Value {
    let context_preview = of_ranges.iter();
    let context_preview = context_preview
        .map(|(range, context_preview)| (range.to_string(), json!(context_preview[number])));
    let context_preview: serde_json::Map<String, Value> = context_preview.collect();
    json!({"sentence": number, "text": text, "picks": context_preview})
}
