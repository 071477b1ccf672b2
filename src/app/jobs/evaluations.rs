//! Evaluations: one model after the other is opened and translates the test documents.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::contrasting::{ContrastJob, contrast};
use super::pool::{Answerer, EventSender, Lane, Pool};
use super::{Event, JobControl, JobId};
use crate::EvaluateEvent;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_base::file::write_atomically;
use canopy_chart::charts::{Theme, write_picture};
use canopy_corpus::{Corpus, Split};
use canopy_evaluate::evaluation::{Evaluation, ScoresFigure, TestSet, unique_names};
use canopy_metrics::comparison::{ComparedSystem, ComparisonOptions, compare};
use canopy_train::DeviceLock;
use canopy_translate::inference::{DeviceChoice, SearchOptions, Translator, described_model};

/// Work of an evaluation.
#[derive(Debug)]
pub enum EvaluationRequest {
    /// Translates a corpus with models, and scores the translations.
    Evaluate(Box<EvaluationJob>),
    /// Scores the translations of a contrastive set.
    Contrast(Box<ContrastJob>),
    /// A table (`.csv`, `.tex`, `.json`) or figure (`.svg`, `.png`), as the extension says; replaces an existing file, the
    /// dialog has asked.
    Save {
        /// Number of the job.
        job: JobId,
        /// The evaluation whose scores are written.
        evaluation: Arc<Evaluation>,
        /// The file; its ending names the format.
        path: PathBuf,
    },
}

/// Which models are to translate what.
#[derive(Debug)]
pub struct EvaluationJob {
    /// Number of the job.
    pub job: JobId,
    /// Folders of the models.
    pub models: Vec<PathBuf>,
    /// Folder of the corpus.
    pub corpus: PathBuf,
    /// The part of the corpus that is translated.
    pub split: Split,
    /// Whether units of several sentences are cut into these, as documents are.
    pub cut_sentences: bool,
    /// Beam size of the searches.
    pub beam_size: usize,
    /// The device to compute on.
    pub device: DeviceChoice,
    /// The handle that cancels the job.
    pub control: JobControl,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluationProgress {
    /// Index of the model.
    pub model: usize,
    /// Number of models.
    pub num_models: usize,
    /// Sentences of this model.
    pub done: usize,
    /// Sentences that this model is to translate.
    pub num: usize,
}

/// Width of saved figures, in pixels.
const FIGURE_WIDTH: u32 = 900;

/// The lane of [`EvaluationRequest`]s.
pub type EvaluationLane = Lane<EvaluationRequest>;

impl EvaluationLane {
    /// It computes while it holds `device_lock`.
    pub fn new(pool: &Pool, device_lock: DeviceLock) -> Self {
        pool.lane(Evaluator {
            events: pool.events().clone(),
            device_lock,
        })
    }
}

struct Evaluator {
    events: EventSender,
    device_lock: DeviceLock,
}

impl Answerer for Evaluator {
    type Request = EvaluationRequest;

    fn answer(&mut self, request: EvaluationRequest) {
        let job = match &request {
            EvaluationRequest::Evaluate(job) => job.job,
            EvaluationRequest::Contrast(job) => job.job,
            EvaluationRequest::Save { job, .. } => *job,
        };
        let emit = |event: Event| self.events.send(event);
        let done = caught(|| match request {
            EvaluationRequest::Evaluate(job) => evaluate(&job, &self.device_lock, &emit),
            EvaluationRequest::Contrast(job) => contrast(&job, &self.device_lock, &emit),
            EvaluationRequest::Save {
                evaluation, path, ..
            } => save(&evaluation, &path)
                .map(|()| Event::Evaluate(EvaluateEvent::Saved { job, path })),
        });
        emit(done.unwrap_or_else(|error| Event::Failed { job, error }));
    }
}

fn evaluate(
    request: &EvaluationJob,
    device_lock: &DeviceLock,
    emit: &dyn Fn(Event),
) -> Result<Event> {
    let job = request.job;
    let corpus = Corpus::open(&request.corpus)?;
    let test = TestSet::open(&corpus, request.split)?;
    if test.segments.is_empty() {
        return Err(Error::Base(BaseError::Config {
            field: "the documents to translate",
            found: format!("none in {}", request.split.name()),
            allowed: "a split with documents".to_owned(),
        }));
    }
    let options = SearchOptions {
        beam_size: request.beam_size,
        ..SearchOptions::default()
    };
    // Unreadable files are reported before anything is translated.
    for folder in &request.models {
        described_model(folder)?;
    }
    let (mut named, mut hypotheses) = (Vec::new(), Vec::new());
    let mut words_per_second = Vec::new();
    let mut device_lock = device_lock.take();
    for (model, folder) in request.models.iter().enumerate() {
        let mut progress = EvaluationProgress {
            model,
            num_models: request.models.len(),
            done: 0,
            num: test.num_units(),
        };
        emit(Event::Evaluate(EvaluateEvent::Progressed { job, progress }));
        let mut translator = Translator::open(folder, request.device)?;
        if request.cut_sentences {
            translator.options_mut().cut_units();
        }
        let translated = test.translate(&translator, &options, &mut || {
            progress.done += 1;
            emit(Event::Evaluate(EvaluateEvent::Progressed { job, progress }));
            device_lock.pass();
            if request.control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let Some(translated) = translated else {
            return Ok(Event::Cancelled { job });
        };
        words_per_second.push(translated.words_per_second);
        named.push((translator.info().name.clone(), folder.clone()));
        hypotheses.push(translated.hypotheses);
    }
    drop(device_lock);
    let unique = unique_names(&named);
    let expected = test.expected().map(|words| {
        let both = unique.iter().zip(&hypotheses);
        let systems: Vec<(&str, &[String])> = both
            .map(|(name, texts)| (name.as_str(), texts.as_slice()))
            .collect();
        Arc::new(words.compare(&systems, ComparisonOptions::default().seed))
    });
    let systems = unique.into_iter().zip(hypotheses);
    let systems = systems.map(|(name, hypotheses)| ComparedSystem { name, hypotheses });
    let name = request
        .corpus
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let cut = if request.cut_sentences {
        ", cut into sentences"
    } else {
        ""
    };
    let evaluation = Evaluation {
        test: format!("{name}, {}{cut}", request.split.name()),
        words_per_second,
        beam_size: request.beam_size,
        comparison: compare(
            &test.compared(systems.collect()),
            &ComparisonOptions::default(),
        ),
    };
    Ok(Event::Evaluate(EvaluateEvent::Evaluated {
        job,
        evaluation: Arc::new(evaluation),
        expected,
    }))
}

fn save(evaluation: &Evaluation, path: &std::path::Path) -> Result<()> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let text = match extension.to_str() {
        Some("csv") => evaluation.csv(),
        Some("tex") => evaluation.latex(),
        Some("json") => serde_json::to_string_pretty(evaluation).expect("plain data becomes JSON"),
        _ => {
            let figure = ScoresFigure(evaluation);
            let size = (FIGURE_WIDTH, figure.height());
            return Ok(write_picture(&figure, &Theme::LIGHT, path, size, true)?);
        }
    };
    Ok(write_atomically(path, text.as_bytes(), true)?)
}
