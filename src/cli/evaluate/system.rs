//! One system's translations of the test documents, and what is said of it alone.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::cli::{Device, ModelArguments};
use crate::corpus::{DocumentUnits, Segment};
use crate::error::{Error, Result};
use crate::inference::{SearchOptions, translate_segments};
use crate::metrics::{Bleu, MarkupPlacement, corpus_bleu, markup_placement};
use crate::text::lines::read_lines;

/// What is translated and scored.
pub(super) struct TestDocuments {
    pub units: Vec<DocumentUnits>,
    pub segments: Vec<Segment>,
}

pub(super) struct Evaluated {
    pub name: String,
    /// What a reader sees, one for each segment.
    pub hypotheses: Vec<String>,
    /// BLEU of all segments, and how many they are.
    pub all: (Bleu, usize),
    /// The same of those that do not occur in training.
    pub unseen: (Bleu, usize),
    /// None of a system whose output lies in a file.
    pub run: Option<Run>,
}

/// How a model translated.
pub(super) struct Run {
    pub markup: MarkupPlacement,
    pub words_per_second: f64,
    pub device: String,
}

impl Evaluated {
    /// Translates with the model in `folder`, or with the starter.
    pub fn model(
        folder: Option<PathBuf>,
        device: Device,
        test: &TestDocuments,
        options: &SearchOptions,
    ) -> Result<Self> {
        let model = ModelArguments {
            model: folder,
            device,
        };
        let translator = model.open()?;
        let segments = &test.segments;
        let begun = Instant::now();
        let translations = translate_segments(
            translator.model(),
            translator.vocabulary(),
            &test.units,
            segments,
            options,
        );
        let secs = begun.elapsed().as_secs_f64();
        let shown = segments.iter().zip(&translations);
        let shown = shown.map(|(segment, units)| segment.visible(units));
        let hypotheses: Vec<String> = shown.collect();
        let references = segments
            .iter()
            .flat_map(|segment| segment.units.iter().map(|unit| &unit.reference));
        let markup = markup_placement(&translations.concat(), &references.collect::<Vec<_>>());
        let words = hypotheses
            .iter()
            .map(|text| text.split_whitespace().count());
        #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
        let words_per_second = words.sum::<usize>() as f64 / secs;
        let run = Run {
            markup,
            words_per_second,
            device: translator.device_name().to_owned(),
        };
        let name = translator.info().name.clone();
        Ok(Self::scored(name, hypotheses, segments, Some(run)))
    }

    /// Reads translations from a file, one segment a line.
    pub fn file(path: &Path, test: &TestDocuments) -> Result<Self> {
        let hypotheses = read_lines(path)?;
        let (found, expected) = (hypotheses.len(), test.segments.len());
        if found != expected {
            return Err(Error::UnequalSegments {
                found,
                expected,
                path: path.to_owned(),
            });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self::scored(
            name.into_owned(),
            hypotheses,
            &test.segments,
            None,
        ))
    }

    fn scored(
        name: String,
        hypotheses: Vec<String>,
        segments: &[Segment],
        run: Option<Run>,
    ) -> Self {
        Self {
            all: score(&hypotheses, segments, |_| true),
            unseen: score(&hypotheses, segments, |segment| segment.unseen),
            name,
            hypotheses,
            run,
        }
    }
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
