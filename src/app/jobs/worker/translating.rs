//! Translates a document in chunks: what is in view first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Models;
use super::computing::Computing;
use super::preparing::{flow, preparing};
use crate::error::{BaseError, Error, Result};
use crate::jobs::{Event, JobControl, JobId};
use crate::{DocumentEvent, ModelsEvent};
use canopy_base::error::caught;
use canopy_document::document::Document;
use canopy_qa::terms::Termbase;
use canopy_train::with_fixed;
use canopy_translate::error::is_of_device;
use canopy_translate::inference::{
    DocumentModel, FormalityOption, KnownTranslations, LanguageModelTranslator, Reads,
    SearchOptions, Step, TermMode, TermUse, Translation, TranslationRequest,
};

/// The first batch is small, so that the first sentences appear at once.
const FIRST_CHUNK: usize = 8;
/// Later ones are large enough for sentences of similar length to share a batch, small enough to follow the scroll bar.
const CHUNK: usize = 48;
/// Sentences of a chunk of a model that reads documents, for each of which it reads the document anew.
const DOCUMENT_CHUNK: usize = 192;

/// Other translations that a language model draws, at most: each takes as long as a translation.
const DRAWN: usize = 3;

/// A document under translation.
pub(super) struct Work<'w> {
    pub(super) job: JobId,
    pub(super) document: &'w Document,
    /// Sentences that have no translation yet.
    pub(super) left: BTreeSet<usize>,
    pub(super) known: KnownTranslations,
    pub(super) terms: Option<Arc<Termbase>>,
    pub(super) formality: Option<FormalityOption>,
    pub(super) options: SearchOptions,
    pub(super) control: &'w JobControl,
}

impl<M: Models, S: Fn(Event)> Computing<M, S> {
    /// Translates the remaining sentences; where the device fails, the CPU continues with them.
    pub(super) fn translate(&mut self, mut work: Work<'_>) -> Result<Event> {
        let error = match caught(|| self.translate_here(&mut work)) {
            Err(error) if is_of_device(&error) && self.fall_back_to_cpu() => error,
            done => return done,
        };
        // If the CPU fails too, the first failure is reported.
        let device = if let Some(model) = &self.language_model {
            Some(model.device())
        } else {
            let model = self.reload().ok().and(self.model.as_ref());
            model.map(|it| it.loaded().device())
        };
        let Some(device_name) = device.map(|it| it.name.clone()) else {
            return Err(error);
        };
        (self.emit)(Event::Models(ModelsEvent::CpuTookOver {
            job: work.job,
            device_name,
            error,
        }));
        caught(|| self.translate_here(&mut work))
    }

    /// Translates by a language model, in the order of the document.
    fn translate_by(
        &self,
        mut model: LanguageModelTranslator,
        work: &mut Work<'_>,
    ) -> Result<Event> {
        let (job, control) = (work.job, work.control);
        let mut device_lock = self.device_lock.take();
        let terms = work.terms.as_ref();
        let terms = terms.map(|base| TermUse::new(Arc::clone(base), TermMode::default()));
        model.terms = terms.map(Arc::new);
        if model.terms.is_some() && model.reads_sentences_alone() {
            let model = model.info().name.clone();
            (self.emit)(Event::Models(ModelsEvent::TermsUnread { model }));
        }
        let sentences: Vec<usize> = work.left.iter().copied().collect();
        let (left, known) = (&mut work.left, &mut work.known);
        let mut options = work.options;
        options.alternatives = options.alternatives.min(DRAWN);
        let request = TranslationRequest::new(work.document, &sentences, known, &options);
        let mut tokens = 0;
        model.run(request, &mut |event| {
            match event.step {
                Step::Translated { index, translation } => {
                    (self.emit)(translated(left, job, index, translation));
                }
                Step::Alternatives { translations, .. } => {
                    (self.emit)(Event::Document(DocumentEvent::OthersFound {
                        job,
                        translations,
                    }));
                }
                Step::Waiting if options.alternatives > 0 => {
                    tokens += 1;
                    (self.emit)(Event::Document(DocumentEvent::TokensComputed {
                        job,
                        tokens,
                    }));
                }
                Step::Waiting | Step::Drafted { .. } => {}
            }
            device_lock.pass();
            flow(control)
        })?;
        Ok(ended(job, control))
    }

    /// Translates on the device as it is.
    fn translate_here(&mut self, work: &mut Work<'_>) -> Result<Event> {
        if let Some(model) = self.language_model.clone() {
            return self.translate_by(model, work);
        }
        let (job, document, control) = (work.job, work.document, work.control);
        self.reload()?;
        let lock = self.device_lock.clone();
        let mut device_lock = lock.take();
        self.make(job, document, &mut device_lock, control)?;
        let made = self.made.as_mut().and_then(|(_, made)| made.as_mut());
        let model = made.or(self.model.as_mut());
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let memory = model.memory().cloned();
        let resources = model.resources_mut();
        resources.set_terms(work.terms.as_ref(), memory.as_deref());
        let fixed = work.known.fixed_targets();
        let looks_up = model.info().reads == Reads::Confirmed && !fixed.is_empty();
        let confirmed = looks_up.then(|| {
            let step = &mut preparing(&self.emit, job, control, &mut device_lock);
            with_fixed(model, document, fixed, step)
        });
        let confirmed = confirmed.flatten();
        let model = confirmed.as_ref().unwrap_or(model);
        let mut waiting = work.left.clone();
        let (mut chunk_size, later) = match model.info().reads {
            Reads::Nothing | Reads::Confirmed => (FIRST_CHUNK, CHUNK),
            Reads::Source | Reads::Translations => (CHUNK, DOCUMENT_CHUNK),
        };
        while !waiting.is_empty() {
            if control.is_cancelled() {
                return Ok(Event::Cancelled { job });
            }
            let chunk = most_urgent(&waiting, control.first_visible(), chunk_size);
            chunk_size = later;
            for index in &chunk {
                waiting.remove(index);
            }
            let request = TranslationRequest::new(document, &chunk, &mut work.known, &work.options)
                .with_formality(work.formality);
            let left = &mut work.left;
            self.models.translate(model, request, &mut |event| {
                (self.emit)(match event.step {
                    Step::Waiting => return flow(control),
                    Step::Alternatives { translations, .. } => {
                        Event::Document(DocumentEvent::OthersFound { job, translations })
                    }
                    Step::Drafted { done, num } => {
                        Event::Document(DocumentEvent::Drafted { job, done, num })
                    }
                    Step::Translated { index, translation } => {
                        translated(left, job, index, translation)
                    }
                });
                device_lock.pass();
                flow(control)
            })?;
        }
        Ok(ended(job, control))
    }
}

/// Takes a sentence off those that are left, and reports its translation.
fn translated(
    left: &mut BTreeSet<usize>,
    job: JobId,
    index: usize,
    translation: Translation,
) -> Event {
    left.remove(&index);
    Event::Document(DocumentEvent::SentenceTranslated {
        job,
        index,
        translation,
    })
}

/// The end of a translation that nothing has stopped but a person.
fn ended(job: JobId, control: &JobControl) -> Event {
    if control.is_cancelled() {
        Event::Cancelled { job }
    } else {
        Event::Finished { job }
    }
}

/// The next sentences from the first visible one on, then those above it.
fn most_urgent(waiting: &BTreeSet<usize>, first_visible: usize, count: usize) -> Vec<usize> {
    waiting
        .range(first_visible..)
        .chain(waiting.range(..first_visible))
        .copied()
        .take(count)
        .collect()
}
