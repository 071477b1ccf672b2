//! `canopy attention-statistics`

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::options::{ModelArguments, held_out};
use super::terminal::{StatusLine, print};
use crate::error::{BaseError, Result};
use canopy_corpus::{Corpus, ParallelDocument, Split, UnitStatus};
use canopy_document::document::{Document, Format, Paragraph, Sentence};
use canopy_explain::trace::{Side, TraceSource};
use canopy_explain::{AttentionStatistics, HeadStatistics};
use canopy_translate::inference::{ContextGain, Translation, Translator};

#[derive(Debug, Args)]
#[command(
    after_help = "The model reads the documents with their human translations. Attention to other sentences: the \
    entropy in bits of its distribution over sentences, the distance in sentences weighted by attention, and the share \
    of sentences in reach with a \
    weight of exactly zero. Where the corpus says which sentence decides a word (canopy corpus import ctxpro), how often it is \
    among the chosen (any weight), how often no other sentence has more, and its share of the attention. P-CXMI (Fernandes et al. 2021) is how much more probable, in nats, the human translations are with \
    their document than without."
)]
pub(super) struct AttentionStatisticsArguments {
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
    /// Documents to read
    #[arg(long, default_value = "test", value_parser = held_out())]
    split: Split,
    /// Read only the first N documents
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    documents: Option<u32>,
    /// Print everything as JSON: each head, each distance and length, and P-CXMI of each document
    #[arg(long)]
    json: bool,
}

/// Sums over the sentences of a document or of all.
#[derive(Debug, Clone, Copy, Default)]
struct Gains {
    sentences: usize,
    tokens: usize,
    /// More probable with their document than without.
    gaining: usize,
    in_document: f64,
    alone: f64,
}

/// Statistics of the documents.
struct Found {
    statistics: AttentionStatistics,
    all: Gains,
    /// By the id of each document.
    documents: Vec<(String, Gains)>,
}

pub(super) fn run(arguments: &AttentionStatisticsArguments) -> Result<()> {
    let corpus = Corpus::open(&arguments.corpus)?;
    let split = arguments.split;
    let translator = arguments.model.open()?;
    let found = read(&translator, &corpus, split, arguments.documents)?;
    if found.documents.is_empty() {
        return Err(BaseError::Config {
            field: "the number of documents",
            found: "0".to_owned(),
            allowed: format!("at least one in {}", split.name()),
        }
        .into());
    }
    let name = &translator.info().name;
    if arguments.json {
        let report = found.report(name, &corpus, split);
        return print(&format!("{report:#}\n"));
    }
    print(&found.text(name, &corpus, split))
}

fn read(
    translator: &Translator,
    corpus: &Corpus,
    split: Split,
    most: Option<u32>,
) -> Result<Found> {
    let mut found = Found {
        statistics: AttentionStatistics::default(),
        all: Gains::default(),
        documents: Vec::new(),
    };
    let most = most.map_or(usize::MAX, |most| most as usize);
    let mut line = StatusLine::new();
    for parallel in corpus.documents(split)?.take(most) {
        let parallel = parallel?;
        line.show(&format!("document {}", found.documents.len() + 1));
        let (document, translations) = documents_of(&parallel);
        let trace = translator.trace(&document, &translations)?;
        let source = TraceSource::from(trace);
        found.statistics.add(&source, &deciding(&parallel))?;
        let mut gains = Gains::default();
        for gain in translator
            .context_gains(&document, &translations)?
            .iter()
            .flatten()
        {
            gains.add(gain);
        }
        found.all.join(&gains);
        found.documents.push((parallel.id, gains));
    }
    line.clear();
    Ok(found)
}

/// The sentences whose deciding one is known, and that.
fn deciding(parallel: &ParallelDocument) -> BTreeMap<usize, usize> {
    let units = parallel.paragraphs.iter().flat_map(|it| &it.units);
    let known = units.enumerate().filter_map(|(sentence, unit)| {
        let distance = unit.expected.as_ref()?.distance.filter(|it| *it > 0)?;
        Some((sentence, sentence.checked_sub(distance)?))
    });
    known.collect()
}

/// A document of a corpus with a sentence for each unit, and the human translations.
fn documents_of(parallel: &ParallelDocument) -> (Document, Vec<Option<Translation>>) {
    let mut document = Document::empty(&parallel.id, Format::Text);
    let mut translations = Vec::new();
    document.sections.clone_from(&parallel.sections);
    for (number, paragraph) in parallel.paragraphs.iter().enumerate() {
        let first = document.sentences.len();
        for unit in &paragraph.units {
            document.sentences.push(Sentence {
                paragraph: number,
                range: 0..0,
                text: unit.source.clone(),
                markup: Vec::new(),
                points: unit.points.clone(),
                known: None,
            });
            let is_translated = unit.status != UnitStatus::Context;
            translations.push(is_translated.then(|| Translation::written(unit.target.clone())));
        }
        document.paragraphs.push(Paragraph {
            section: paragraph.section,
            kind: paragraph.kind,
            id: None,
            note: None,
            max_chars: None,
            part: None,
            range: 0..0,
            sentences: first..document.sentences.len(),
        });
    }
    (document, translations)
}

impl Gains {
    fn add(&mut self, gain: &ContextGain) {
        self.sentences += 1;
        self.tokens += gain.tokens;
        self.gaining += usize::from(gain.in_document > gain.alone);
        self.in_document += f64::from(gain.in_document);
        self.alone += f64::from(gain.alone);
    }

    fn join(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.gaining += other.gaining;
        self.in_document += other.in_document;
        self.alone += other.alone;
    }

    /// In nats, of one of `count`.
    fn gain(&self, count: usize) -> f64 {
        (self.in_document - self.alone) / count.max(1) as f64
    }

    fn share(&self) -> f64 {
        self.gaining as f64 / self.sentences.max(1) as f64
    }

    fn json(&self) -> Value {
        json!({
            "sentences": self.sentences,
            "tokens": self.tokens,
            "log_prob_in_document": self.in_document,
            "log_prob_alone": self.alone,
            "p_cxmi_per_token": self.gain(self.tokens),
            "p_cxmi_per_sentence": self.gain(self.sentences),
            "share_of_sentences_that_gain": self.share(),
        })
    }
}

impl Found {
    fn report(&self, model: &str, corpus: &Corpus, split: Split) -> Value {
        let documents = self.documents.iter().map(|(id, gains)| {
            let mut report = gains.json();
            report["document"] = json!(id);
            report
        });
        json!({
            "model": model,
            "corpus": corpus.info().name,
            "split": split.name(),
            "all": self.all.json(),
            "attention": self.statistics.heads(),
            "documents": documents.collect::<Vec<_>>(),
        })
    }

    fn text(&self, model: &str, corpus: &Corpus, split: Split) -> String {
        let (name, all) = (&corpus.info().name, &self.all);
        let mut text = format!(
            "{model} on {name}, {}: {} documents, {} sentences, {} tokens\n",
            split.name(),
            self.documents.len(),
            all.sentences,
            all.tokens
        );
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "P-CXMI: {:+.4} nats a token, {:+.4} a sentence; {:.1} % of the sentences gain\n",
            all.gain(all.tokens),
            all.gain(all.sentences),
            100.0 * all.share()
        );
        let heads = self.statistics.heads();
        text += &table(&heads);
        text += &distances(&heads);
        text += &lengths(&heads);
        text += &decisions(&heads);
        text
    }
}

fn side(statistics: &HeadStatistics) -> &'static str {
    match statistics.side {
        Side::Source => "source",
        Side::Target => "target",
    }
}

fn head(statistics: &HeadStatistics) -> String {
    let head = statistics.head.map(|head| (head + 1).to_string());
    head.unwrap_or_else(|| "all".to_owned())
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn table(heads: &[HeadStatistics]) -> String {
    let mut text = format!(
        "{:6} {:>5} {:>4} {:>9} {:>8} {:>8} {:>8}\n",
        "side", "layer", "head", "sentences", "entropy", "distance", "zeros"
    );
    for it in heads {
        let (side, layer, head, zeros) = (side(it), it.layer + 1, head(it), it.all.zero_share);
        let _ = writeln!(
            text,
            "{side:6} {layer:>5} {head:>4} {:>9} {:>8.3} {:>8.2} {:>8}",
            it.all.sentences,
            it.all.entropy_bits,
            it.all.distance,
            percent(zeros)
        );
    }
    text
}

/// All heads of each layer together.
fn layers(heads: &[HeadStatistics]) -> impl Iterator<Item = &HeadStatistics> {
    heads.iter().filter(|it| it.head.is_none())
}

fn distances(heads: &[HeadStatistics]) -> String {
    let mut text = "\nshare of attention by distance in sentences\n".to_owned();
    for it in layers(heads) {
        let _ = write!(text, "{:6} {:>5}", side(it), it.layer + 1);
        for near in &it.distances {
            let range = match (near.from, near.to) {
                (Some(from), Some(to)) if from == to => from.to_string(),
                (Some(from), Some(to)) => format!("{from}…{to}"),
                (Some(from), None) => format!("≥{from}"),
                (None, Some(to)) => format!("≤{to}"),
                (None, None) => String::new(),
            };
            let _ = write!(text, "  {range}: {:.1} %", 100.0 * near.share);
        }
        text.push('\n');
    }
    text
}

fn lengths(heads: &[HeadStatistics]) -> String {
    let mut text = format!(
        "\n{:6} {:>5} {:>12} {:>9} {:>8} {:>8} {:>8}\n",
        "side", "layer", "in documents", "sentences", "entropy", "distance", "zeros"
    );
    for it in layers(heads) {
        for length in &it.by_length {
            let range = match length.to {
                Some(to) => format!("of {} to {to}", length.from),
                None => format!("from {}", length.from),
            };
            let means = &length.means;
            let _ = writeln!(
                text,
                "{:6} {:>5} {range:>12} {:>9} {:>8.3} {:>8.2} {:>8}",
                side(it),
                it.layer + 1,
                means.sentences,
                means.entropy_bits,
                means.distance,
                percent(means.zero_share)
            );
        }
    }
    text
}

/// The attention to sentences that decide, where any is known: a line for each head, and for the heads together one for each
/// distance.
fn decisions(heads: &[HeadStatistics]) -> String {
    let lines = heads.iter().flat_map(|it| {
        let most = it.head.map_or(it.deciding.len(), |_| 1);
        it.deciding.iter().take(most).map(move |share| (it, share))
    });
    let mut text = String::new();
    for (it, share) in lines {
        if text.is_empty() {
            text += "\nside   layer head    deciding sentence sentences  chosen  first  share\n";
        }
        let place = match (share.from, share.to) {
            (None, _) => "anywhere".to_owned(),
            (Some(1), _) => "the one before".to_owned(),
            (Some(distance), Some(_)) => format!("{distance} before"),
            (Some(distance), None) => format!("{distance} or more before"),
        };
        let [chosen, first, mass] =
            [share.chosen, share.first, share.share].map(|it| percent(Some(it)));
        let _ = writeln!(
            text,
            "{:6} {:>5} {:>4} {place:>20} {:>9} {chosen:>7} {first:>6} {mass:>6}",
            side(it),
            it.layer + 1,
            head(it),
            share.sentences,
        );
    }
    text
}
