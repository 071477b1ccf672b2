//! `canopy corpus select-context`

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::inputs::check_output;
use super::options::{Device, wrong_usage};
use super::terminal::{StatusLine, duration, print};
use crate::error::Result;
use canopy_base::file::check_writable;
use canopy_corpus::{ContextsInfo, Corpus, write_contexts};
use canopy_metrics::similarity::{Measure, Range};
use canopy_models::weights::EncoderPlace;
use canopy_translate::inference::{
    ContextReport, ContextType, Selecting, SentenceEncoder, SimilarContext, select_contexts,
};

/// How contexts are chosen, and where they go.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy corpus select-context --corpus corpora/help-en-de --encoder encoders/minilm -o \
    corpora/similar.jsonl"
)]
pub(super) struct SelectContextArguments {
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Kind of context of a sentence
    #[arg(long = "type", value_enum, default_value = "similarity")]
    context: TypeName,
    /// Encoder folder, made by `canopy model import sbert` or `use`
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,
    /// Measure of similarity: cosine, euclidean, manhattan, snr or snr-variance
    #[arg(long, default_value = "cosine")]
    measure: Measure,
    /// Scope of the search for similar sentences
    #[arg(long, value_enum, default_value = "each")]
    range: RangeName,
    /// With --range hybrid: search everywhere for the first N sentences of a document, and in that document for the others
    #[arg(long, value_name = "N", required_if_eq("range", "hybrid"))]
    hybrid: Option<usize>,
    /// Corpus whose training documents are candidates as well, with --range all and hybrid; it may be the same one
    #[arg(long, value_name = "CORPUS")]
    index: Option<PathBuf>,
    /// Maximum number of context sentences for each one
    #[arg(long, value_name = "K", default_value = "1")]
    top: NonZeroUsize,
    /// Device for the encodings
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// File to write, lines of JSON
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TypeName {
    /// The most similar other sentence
    Similarity,
    /// The sentence before
    Previous,
    /// The sentence itself
    Same,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RangeName {
    /// Sentences of one document
    Each,
    /// All documents of the same split
    All,
    /// All for the first few sentences of a document, the same document for the others
    Hybrid,
}

impl SelectContextArguments {
    fn range(&self) -> Range {
        match self.range {
            RangeName::Each => Range::Each,
            RangeName::All => Range::All,
            RangeName::Hybrid => Range::Hybrid(self.hybrid.unwrap_or_default()),
        }
    }

    /// The folder of the encoder, where one is needed; without it the program ends.
    fn encoder(&self) -> Option<&Path> {
        if self.context != TypeName::Similarity {
            return None;
        }
        if self.encoder.is_none() {
            wrong_usage(
                "corpus select-context",
                "--encoder is missing: name a folder that `canopy model import sbert` or `use` made; only --type previous \
                 and same do without",
            );
        }
        self.encoder.as_deref()
    }
}

pub(super) fn run(arguments: &SelectContextArguments) -> Result<()> {
    let (path, folder) = (&arguments.output, arguments.encoder());
    let folders = [
        Some(&arguments.corpus),
        arguments.encoder.as_ref(),
        arguments.index.as_ref(),
    ];
    check_output(path, folders.into_iter().flatten().map(PathBuf::as_path))?;
    check_writable(path, arguments.force)?;
    let corpus = Corpus::open(&arguments.corpus)?;
    let index = arguments.index.as_ref().map(Corpus::open).transpose()?;
    let name = match arguments.context {
        TypeName::Similarity => "similarity",
        TypeName::Previous => "previous",
        TypeName::Same => "same",
    };
    let mut info = ContextsInfo {
        corpus: corpus.info().name.clone(),
        corpus_digest: corpus.digest()?,
        context: name.to_owned(),
        top: arguments.top.get(),
        ..ContextsInfo::default()
    };
    let encoder;
    let context = match folder {
        None if arguments.context == TypeName::Previous => ContextType::Previous,
        None => ContextType::Same,
        Some(folder) => {
            encoder = SentenceEncoder::open(folder, arguments.device.into())?;
            let range = arguments.range();
            info.measure = Some(arguments.measure.name().to_owned());
            info.range = Some(range.to_string());
            info.encoder = Some(encoder.description().name.clone());
            info.encoder_digest = Some(EncoderPlace::folder(folder).digest()?);
            info.encoder_folder = std::path::absolute(folder).ok();
            let used = index.as_ref().filter(|_| range != Range::Each);
            info.index = used.map(|index| index.info().name.clone());
            ContextType::Similarity(SimilarContext {
                encoder: &encoder,
                measure: arguments.measure,
                range,
                index: index.as_ref(),
            })
        }
    };
    let line = Mutex::new(StatusLine::new());
    let show = |stage| {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        line.show(&stage_text(stage));
        ControlFlow::Continue(())
    };
    let found = select_contexts(&corpus, context, arguments.top, &show)?;
    let mut line = line.into_inner().unwrap_or_else(PoisonError::into_inner);
    line.clear();
    let Some((documents, report)) = found else {
        return Ok(());
    };
    write_contexts(path, &info, &documents, arguments.force)?;
    if arguments.json {
        return print(&format!(
            "{:#}\n",
            json!({"contexts": info, "report": report})
        ));
    }
    print(&summary(&report, &info))
}

fn stage_text(stage: Selecting) -> String {
    match stage {
        Selecting::Encoding(done, all) => format!("encoded {done} of {all} sentences"),
        Selecting::Comparing(split, done, all) => {
            format!("compared {done} of {all} sentences of {}", split.name())
        }
    }
}

fn summary(report: &ContextReport, info: &ContextsInfo) -> String {
    let counts = format!(
        "{} sentences of {} documents; {} have no context\n",
        report.sentences, report.documents, report.without_context
    );
    if info.encoder.is_none() {
        return counts;
    }
    format!(
        "{counts}{} to encode, {} to compare\n",
        duration(report.encoding_secs),
        duration(report.comparing_secs)
    )
}
