//! Which sentences of the document resemble each other, as a sentence encoder has it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Explorer;
use super::present::Present;
use crate::error::Error;
use crate::hint::hint;
use crate::jobs::{Answer, Comparison, JobControl, JobId, ModelRequest, Request};
use crate::models::Models;
use crate::shared::Shared;
use canopy_explain::trace::{TraceSource, TracedSentence};
use canopy_explain::{Explanation, SimilarityView, ViewKind};
use canopy_metrics::similarity::Measure;

/// Comparisons that are done and the one that is under way.
#[derive(Debug)]
pub struct SimilarityState {
    /// How two sentences are compared.
    pub measure: Measure,
    /// The comparison under way.
    pub comparing: Option<Comparing>,
    /// An encoder that is made of another program's files.
    importing: Option<JobId>,
    known: Option<(ComparisonKey, Arc<SimilarityView>)>,
}

/// How far a comparison is.
#[derive(Debug)]
pub struct Comparing {
    job: JobId,
    /// Sentences that are encoded, and to be encoded; 0 until the encoder is loaded.
    pub done: usize,
    /// Sentences to be encoded.
    pub num: usize,
    key: ComparisonKey,
    control: JobControl,
}

#[derive(Debug, Clone)]
struct ComparisonKey {
    source: Arc<TraceSource>,
    encoder: PathBuf,
    measure: Measure,
}

impl PartialEq for ComparisonKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
            && (&self.encoder, self.measure) == (&other.encoder, other.measure)
    }
}

impl Default for SimilarityState {
    fn default() -> Self {
        Self {
            measure: Measure::Cosine,
            comparing: None,
            importing: None,
            known: None,
        }
    }
}

impl SimilarityState {
    /// Whether an encoder is being made of another program's files.
    pub fn is_importing(&self) -> bool {
        self.importing.is_some()
    }

    pub(super) fn import(&mut self, shared: &mut Shared, models: &mut Models, path: PathBuf) {
        let job = shared.next_job();
        self.importing = Some(job);
        let request = ModelRequest::ImportEncoder { job, path };
        models.installing.requests.push(request);
    }

    /// Whether the job was the import of an encoder.
    pub(super) fn import_failed(&mut self, shared: &mut Shared, job: JobId, error: &Error) -> bool {
        let importing = &mut self.importing;
        let failed = importing.take_if(|importing| *importing == job).is_some();
        if failed {
            shared.show_error("The encoder could not be imported", error);
        }
        failed
    }

    pub(crate) fn progressed(&mut self, job: JobId, done: usize, num: usize) {
        let comparing = &mut self.comparing;
        if let Some(comparing) = comparing.as_mut().filter(|comparing| comparing.job == job) {
            (comparing.done, comparing.num) = (done, num);
        }
    }

    /// Stops the comparison: another job needs the model, or nobody waits for the result.
    pub(crate) fn stop(&mut self) {
        if let Some(comparing) = self.comparing.take() {
            comparing.control.cancel();
        }
    }
}

impl Shared {
    /// The encoder that a person has chosen.
    pub fn encoder(&self) -> Option<&Path> {
        self.settings.encoder.as_deref()
    }
}

impl Explorer {
    pub(super) fn use_encoder(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        folder: PathBuf,
    ) {
        shared.set(|settings| settings.encoder = Some(folder));
        self.similarity.known = None;
        self.answer = None;
        self.request_trace(shared, present);
    }

    pub(crate) fn encoder_imported(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        job: JobId,
        folder: PathBuf,
    ) {
        let importing = &mut self.similarity.importing;
        if importing.take_if(|importing| *importing == job).is_some() {
            self.use_encoder(shared, present, folder);
        }
    }

    /// Answers if the document was compared already, else has it compared; without an encoder the window says what to do.
    pub(super) fn request_similarity(&mut self, shared: &mut Shared, job: JobId) {
        self.pending = None;
        let (Some(trace), Some(encoder)) = (&self.inquiry.trace, &shared.settings.encoder) else {
            return;
        };
        let key = ComparisonKey {
            source: trace.source.clone(),
            encoder: encoder.clone(),
            measure: self.similarity.measure,
        };
        let similarity = &self.similarity;
        if let Some((_, view)) = similarity.known.as_ref().filter(|known| known.0 == key) {
            let view = view.clone();
            self.show_similarity(view);
            return;
        }
        if matches!(&similarity.comparing, Some(comparing) if comparing.key == key) {
            return;
        }
        self.similarity.stop();
        let control = JobControl::default();
        let overview = key.source.overview();
        let texts = overview.source.iter();
        let comparison = Comparison {
            title: overview.document.clone(),
            texts: texts.map(TracedSentence::plain_text).collect(),
            encoder: key.encoder.clone(),
            device: shared.settings.device.into(),
            measure: key.measure,
            control: control.clone(),
        };
        shared.requests.push(Request::Compare {
            job,
            comparison: Box::new(comparison),
        });
        self.similarity.comparing = Some(Comparing {
            job,
            done: 0,
            num: 0,
            key,
            control,
        });
    }

    /// The selected sentence's nearest ones are those that the list of sentences shades.
    fn show_similarity(&mut self, view: Arc<SimilarityView>) {
        let question = self.inquiry.question;
        let nearest = view.nearest.get(question.query.sentence);
        let shares = self.similarity.measure.grows_with_likeness();
        let nearest = nearest.filter(|_| shares).into_iter().flatten();
        let weights = nearest.filter_map(|&(sentence, value)| {
            let sentence = u32::try_from(sentence).ok()?;
            (value > 0.0).then_some((sentence, value))
        });
        let mut weights: Vec<(u32, f32)> = weights.collect();
        weights.sort_by_key(|&(sentence, _)| sentence);
        let answer = Answer {
            question,
            explanation: Explanation::Similarity(view),
            weights,
        };
        self.revision += 1;
        self.answer = Some(Ok(Arc::new(answer)));
    }

    pub(crate) fn compared(&mut self, job: JobId, view: Arc<SimilarityView>) {
        let comparing = &mut self.similarity.comparing;
        let Some(comparing) = comparing.take_if(|comparing| comparing.job == job) else {
            return;
        };
        self.similarity.known = Some((comparing.key, view.clone()));
        if self.inquiry.question.view == ViewKind::Similarity {
            self.show_similarity(view);
        }
    }

    /// Returns whether the job was a comparison.
    pub(super) fn comparison_failed(&mut self, job: JobId, error: &Error) -> bool {
        let comparing = &mut self.similarity.comparing;
        let is_ours = comparing
            .take_if(|comparing| comparing.job == job)
            .is_some();
        if is_ours && self.inquiry.question.view == ViewKind::Similarity {
            self.revision += 1;
            self.answer = Some(Err(error.to_string() + hint(error)));
        }
        is_ours
    }
}
