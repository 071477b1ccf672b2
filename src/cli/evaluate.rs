//! `canopy evaluate`

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::ModelArguments;
use super::terminal::print;
use crate::corpus::{ContextTexts, Corpus, Segment, Split, document_units, segments};
use crate::error::{Error, Result};
use crate::inference::{SearchOptions, translate_segments};
use crate::metrics::{Bleu, corpus_bleu, markup_placement};

#[derive(Debug, Args)]
pub(super) struct EvaluateArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Documents to translate
    #[arg(long, value_enum, default_value = "test")]
    split: SplitName,
    /// Hypotheses kept for each sentence; 1 is greedy search
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = super::beam_sizes())]
    beam: usize,
    /// Exponent of the length penalty
    #[arg(long, value_name = "ALPHA", default_value_t = 1.0)]
    length_penalty: f32,
    /// Write the translations here, one paragraph a line
    #[arg(long, value_name = "FILE")]
    hypotheses: Option<PathBuf>,
    /// Contexts by `canopy corpus select-context`, for models that read BERT; else they are chosen in each document
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Print the scores as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitName {
    Dev,
    Test,
}

pub(super) fn run(arguments: &EvaluateArguments) -> Result<()> {
    if let Some(path) = arguments.hypotheses.as_ref().filter(|path| path.exists()) {
        return Err(Error::Exists { path: path.clone() });
    }
    let translator = arguments.model.open()?;
    let corpus = Corpus::open(&arguments.corpus)?;
    let split = match arguments.split {
        SplitName::Dev => Split::Dev,
        SplitName::Test => Split::Test,
    };
    let mut documents = document_units(&corpus, split)?;
    let contexts = arguments.contexts.as_ref();
    let contexts = contexts
        .map(|path| ContextTexts::open(path, &corpus))
        .transpose()?;
    for (document, content) in documents.iter_mut().zip(corpus.documents(split)?) {
        let contexts = contexts.as_ref();
        let contexts = contexts.and_then(|contexts| contexts.of(split, &content.ok()?.id));
        translator.read_with_bert(document, contexts)?;
    }
    let segments = segments(&corpus, split)?;
    let options = SearchOptions {
        beam_size: arguments.beam,
        length_penalty: arguments.length_penalty,
    };
    let begun = Instant::now();
    let translations = translate_segments(
        translator.model(),
        translator.vocabulary(),
        &documents,
        &segments,
        &options,
    );
    let secs = begun.elapsed().as_secs_f64();
    let hypotheses: Vec<String> = segments
        .iter()
        .zip(&translations)
        .map(|(segment, units)| segment.visible(units))
        .collect();
    let references = segments
        .iter()
        .flat_map(|segment| segment.units.iter().map(|unit| &unit.reference));
    let markup = markup_placement(&translations.concat(), &references.collect::<Vec<_>>());
    if let Some(path) = &arguments.hypotheses {
        let text: String = hypotheses
            .iter()
            .flat_map(|line| [line.as_str(), "\n"])
            .collect();
        crate::text::file::write_atomically(path, text.as_bytes(), false)?;
    }
    let all = score(&hypotheses, &segments, |_| true);
    let unseen = score(&hypotheses, &segments, |segment| segment.unseen);
    let words: usize = hypotheses
        .iter()
        .map(|text| text.split_whitespace().count())
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    let words_per_second = words as f64 / secs;
    let report = if arguments.json {
        let entry = |name: &str, (bleu, count): &(Bleu, usize)| json!({"segments": name, "count": count, "metric": "BLEU", "score": bleu.score, "signature": bleu.signature()});
        let report = json!({
            "model": translator.info().name,
            "beam": options.beam_size,
            "scores": [entry("all", &all), entry("unseen", &unseen)],
            "markup": {"total": markup.total, "placed": markup.placed, "damaged_sentences": markup.damaged},
            "words_per_second": words_per_second,
            "device": translator.device_name(),
        });
        format!("{report:#}\n")
    } else {
        let lines = [
            format!("BLEU {:.2} on all {} segments", all.0.score, all.1),
            format!(
                "BLEU {:.2} on the {} segments that do not occur in training",
                unseen.0.score, unseen.1
            ),
            all.0.signature(),
            format!(
                "{} of {} tags stand where the reference has them, {} sentences with damaged markup",
                markup.placed, markup.total, markup.damaged
            ),
            format!(
                "{words_per_second:.0} words/s on {}\n",
                translator.device_name()
            ),
        ];
        lines.join("\n")
    };
    print(&report)
}

fn score(
    hypotheses: &[String],
    segments: &[Segment],
    chosen: impl Fn(&Segment) -> bool,
) -> (Bleu, usize) {
    let pairs = hypotheses
        .iter()
        .zip(segments)
        .filter(|(_, segment)| chosen(segment));
    let (hypotheses, references): (Vec<&str>, Vec<&str>) = pairs
        .map(|(hypothesis, segment)| (hypothesis.as_str(), segment.reference.as_str()))
        .unzip();
    (corpus_bleu(&hypotheses, &references), hypotheses.len())
}
