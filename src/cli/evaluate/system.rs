//! One system's translations of the test documents, and what is said of it alone.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::options::{ModelArguments, PlaceArguments, SearchArguments};
use crate::terminal::{StatusLine, sentences_done, warn};
use canopy_base::lines::read_lines;
use canopy_corpus::Segment;
use canopy_evaluate::evaluation::{Exchanged, TestSet, unique_names};
use canopy_metrics::comparison::ComparedSystem;
use canopy_metrics::{Bleu, MarkupPlacement, corpus_bleu, markup_placement};
use canopy_translate::inference::{SearchOptions, TermMode};

pub(super) struct Evaluated {
    pub name: String,
    /// Its model folder, or the file of its output.
    pub path: PathBuf,
    /// Visible texts, one for each segment.
    pub hypotheses: Vec<String>,
    /// BLEU of all segments, and how many they are.
    pub all: (Bleu, usize),
    /// BLEU of segments that do not occur in training, and their number.
    pub unseen: (Bleu, usize),
    /// `None` for a system whose output is in a file.
    pub run: Option<Run>,
}

/// How models are to translate.
pub(super) struct Way<'a> {
    pub place: &'a PlaceArguments,
    pub search: &'a SearchArguments,
    pub keep_formality: Option<TermMode>,
    /// Whether units are cut into sentences.
    pub cut_sentences: bool,
}

/// How a model translated.
pub(super) struct Run {
    pub markup: MarkupPlacement,
    pub words_per_second: f64,
    pub device: String,
    /// Hypotheses that the search kept.
    pub beam: usize,
    /// The context that came from another document; none without `--wrong-context`.
    pub exchanged: Option<Exchanged>,
}

impl Evaluated {
    /// Translates with the model in `folder`, or with the starter.
    pub(super) fn model(
        folder: Option<PathBuf>,
        way: &Way<'_>,
        test: &TestSet,
        options: &SearchOptions,
    ) -> Result<Self> {
        let model = ModelArguments {
            model: folder,
            place: way.place.clone(),
        };
        let mut translator = model.open()?;
        way.search.apply(&mut translator)?;
        let reads_before = translator.description().model.translations_before() > 0;
        if way.search.formality.is_some() && way.keep_formality.is_none() && reads_before {
            warn("--formality changes nothing: the model reads the translations before");
        }
        if let Some(mode) = way.keep_formality {
            translator.resources_mut().keep_formality(mode);
        }
        if let Some([set, trained]) = test.other_contexts(&translator) {
            warn(&format!(
                "the contexts of --contexts were chosen by {set}; {} was trained with those by {trained}",
                translator.info().name
            ));
        }
        if way.cut_sentences {
            translator.options_mut().cut_units();
        }
        let segments = &test.segments;
        let (mut line, begun, mut done) = (StatusLine::new(), Instant::now(), 0);
        let translated = test.translate(&translator, options, &mut || {
            done += 1;
            let progress = sentences_done(done, test.num_units(), begun);
            line.show(&format!("{}: {progress}", translator.info().name));
            ControlFlow::Continue(())
        });
        line.clear();
        let translated = translated?.expect("nobody breaks it off");
        let references = segments
            .iter()
            .flat_map(|segment| segment.units.iter().map(|unit| &unit.reference));
        let markup = markup_placement(&translated.units.concat(), &references.collect::<Vec<_>>());
        let run = Run {
            markup,
            words_per_second: translated.words_per_second,
            device: translator.loaded().device().name.clone(),
            beam: options.beam_of(translator.model()),
            exchanged: test.exchanged(&translator),
        };
        let info = translator.info();
        let named = (info.name.clone(), info.folder.clone());
        let hypotheses = translated.hypotheses;
        Ok(Self::scored(named, hypotheses, segments, Some(run)))
    }

    /// Reads translations from a file, one segment a line.
    pub(super) fn file(path: &Path, test: &TestSet) -> Result<Self> {
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
        let named = (name.into_owned(), path.to_owned());
        Ok(Self::scored(named, hypotheses, &test.segments, None))
    }

    /// Names systems that are called the same by their paths.
    pub(super) fn make_names_unique(systems: &mut [Self]) {
        let both = systems.iter();
        let both = both.map(|system| (system.name.clone(), system.path.clone()));
        let names = unique_names(&both.collect::<Vec<_>>());
        for (system, name) in systems.iter_mut().zip(names) {
            system.name = name;
        }
    }

    pub(super) fn compared(&self) -> ComparedSystem {
        ComparedSystem {
            name: self.name.clone(),
            hypotheses: self.hypotheses.clone(),
        }
    }

    fn scored(
        (name, path): (String, PathBuf),
        hypotheses: Vec<String>,
        segments: &[Segment],
        run: Option<Run>,
    ) -> Self {
        Self {
            all: score(&hypotheses, segments, |_| true),
            unseen: score(&hypotheses, segments, |segment| segment.unseen),
            name,
            path,
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
