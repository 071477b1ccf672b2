//! The worker: it opens models and answers requests with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Models;
use super::translating::Work;
use crate::error::{BaseError, Error, Result};
use crate::jobs::comparing::Encoded;
use crate::jobs::pool::Answerer;
use crate::jobs::project_folder::memories_at;
use crate::jobs::{Event, JobId, Request, UserMemory};
use crate::{DocumentEvent, ExploreEvent, ModelsEvent};
use canopy_base::error::caught;
use canopy_document::document::Document;
use canopy_project::error::Error as ProjectError;
use canopy_train::{DeviceLock, ModelQuestion, Prepared};
use canopy_translate::error::is_of_device;
use canopy_translate::inference::{
    DeviceChoice, KnownTranslations, LanguageModelTranslator, Languages, Leg, Translation,
    Translator,
};

/// The requested model and settings.
#[derive(Clone)]
pub(super) struct Opened {
    legs: Vec<Leg>,
    device: DeviceChoice,
    memory: Option<UserMemory>,
}

/// How many pairs memories have together, and why some could not be read.
type MemoryPairs = (usize, Vec<Error>);

/// The models in use, and what was computed with them last.
pub(super) struct Computing<M, S> {
    pub(super) models: M,
    pub(super) emit: S,
    pub(super) model: Option<Translator>,
    /// In place of it.
    pub(super) language_model: Option<LanguageModelTranslator>,
    /// The model to open again after a panic has cost us ours.
    pub(super) opened: Option<Opened>,
    /// Shared with trainings and evaluations.
    pub(super) device_lock: DeviceLock,
    pub(super) encoded: Option<Encoded>,
    /// The sentences of the document that was last translated or explained, and the model that was made for it.
    pub(super) made: Option<(Vec<String>, Option<Translator>)>,
    /// Prepared state for the document that was last explained.
    pub(super) prepared: Option<Prepared>,
}

impl<M: Models, S: Fn(Event) + Send + 'static> Answerer for Computing<M, S> {
    type Request = Request;

    fn answer(&mut self, request: Request) {
        let job = match &request {
            Request::OpenModel { job, .. }
            | Request::Translate { job, .. }
            | Request::Rank { job, .. }
            | Request::Trace { job, .. }
            | Request::Explain { job, .. }
            | Request::Compare { job, .. } => *job,
        };
        let done = caught(|| self.handle(request));
        if done.as_ref().is_err_and(|error| is_of_device(error)) {
            self.fall_back_to_cpu();
        }
        if matches!(done, Err(Error::Base(BaseError::Panicked { .. }))) {
            // Its tensors may be half written: it is opened anew for the next job.
            (self.model, self.made, self.prepared) = (None, None, None);
        }
        (self.emit)(done.unwrap_or_else(|error| Event::Failed { job, error }));
    }

    fn supersedes(later: &Request, earlier: &Request) -> bool {
        is_explain(later) && is_explain(earlier)
    }
}

impl<M: Models, S: Fn(Event)> Computing<M, S> {
    pub(super) fn new(models: M, emit: S, device_lock: DeviceLock) -> Self {
        Self {
            models,
            emit,
            model: None,
            language_model: None,
            opened: None,
            device_lock,
            encoded: None,
            made: None,
            prepared: None,
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each request")]
    fn handle(&mut self, request: Request) -> Result<Event> {
        match request {
            Request::OpenModel {
                job,
                folder,
                languages: [source, target],
                second,
                device,
                memory,
            } => {
                let first = Leg {
                    folder,
                    source,
                    target,
                };
                if second.is_none()
                    && let Some(event) =
                        self.open_language_model(job, (&first, device), memory.as_ref())?
                {
                    return Ok(event);
                }
                self.language_model = None;
                let mut opened = Opened {
                    legs: [first].into_iter().chain(second).collect(),
                    device,
                    memory,
                };
                let (model, pairs) = self.opened(&mut opened)?;
                if let Some(pairs) = pairs {
                    if pairs.is_err() {
                        opened.memory = None;
                    }
                    self.report_memory(job, pairs);
                }
                let event = Event::Models(ModelsEvent::Opened {
                    job,
                    info: model.info().clone(),
                    device_name: model.loaded().device().name.clone(),
                    memory: model.memory().cloned(),
                });
                self.model = Some(model);
                (self.made, self.prepared) = (None, None);
                self.opened = Some(opened);
                Ok(event)
            }
            Request::Translate {
                job,
                document,
                sentences,
                fixed,
                terms,
                formality,
                options,
                control,
            } => self.translate(Work {
                job,
                document: &document,
                left: sentences.into_iter().collect(),
                known: KnownTranslations::fixed(fixed),
                terms,
                formality,
                options,
                control: &control,
            }),
            Request::Rank {
                job,
                document,
                sentence,
                candidates,
                known,
            } => self.rank(job, &document, (sentence, &candidates), &known),
            Request::Trace {
                job,
                document,
                targets,
                part,
                top_t,
            } => {
                if let Some(model) = &self.language_model {
                    let _computing = self.device_lock.take();
                    let mut trace = model.trace(&document, &written(targets))?;
                    trace.overview.part = part;
                    trace.forget_others();
                    let source = Arc::new(trace.into());
                    return Ok(Event::Explore(ExploreEvent::Traced { job, source }));
                }
                self.reload()?;
                let lock = self.device_lock.clone();
                let mut device_lock = lock.take();
                let learnt = self.adapt_if_needed(job, &document, &mut device_lock)?;
                let made = self.made.as_ref().and_then(|(_, made)| made.as_ref());
                let model = made.filter(|_| learnt).or(self.model.as_ref());
                let model = model.ok_or(Error::Base(BaseError::NoModel))?;
                let trace = model.trace_with(&document, &written(targets), part, top_t)?;
                drop(device_lock);
                Ok(Event::Explore(ExploreEvent::Traced {
                    job,
                    source: Arc::new(trace.into()),
                }))
            }
            Request::Explain {
                job,
                view,
                document,
                targets,
                sentence,
                edit,
                options,
                control,
            } => {
                let translations = written(targets);
                let question = ModelQuestion {
                    view,
                    document: &document,
                    translations: &translations,
                    sentence,
                    edit: edit.as_ref(),
                    options: &options,
                };
                self.explain(job, &question, &control)
            }
            Request::Compare { job, comparison } => Encoded::compare(
                &mut self.encoded,
                job,
                *comparison,
                &self.device_lock,
                &self.emit,
            ),
        }
    }

    /// Opens a language model between two languages; none if the model is no language model.
    fn open_language_model(
        &mut self,
        job: JobId,
        (leg, device): (&Leg, DeviceChoice),
        memory: Option<&UserMemory>,
    ) -> Result<Option<Event>> {
        if LanguageModelTranslator::file_of(&leg.folder).is_none() {
            return Ok(None);
        }
        let (Some(from), Some(to)) = (&leg.source, &leg.target) else {
            return Err(Error::Base(BaseError::Config {
                field: "languages",
                found: "not chosen".to_owned(),
                allowed: "that of an open document, and another one to translate into".to_owned(),
            }));
        };
        let languages = Languages::new(from, to);
        let mut model = LanguageModelTranslator::open(&leg.folder, languages, device)?;
        if let Some(user) = memory {
            let read = memories_at(&user.path, &user.further, from, to).map_err(Error::from);
            let pairs = read.map(|(memory, left_out)| {
                let pairs = model.memory.insert(Arc::new(memory)).len();
                (pairs, errors(left_out))
            });
            self.report_memory(job, pairs);
        }
        let event = Event::Models(ModelsEvent::Opened {
            job,
            info: model.info().clone(),
            device_name: model.device().name.clone(),
            memory: model.memory.clone(),
        });
        (self.model, self.made, self.prepared, self.opened) = (None, None, None, None);
        self.language_model = Some(model);
        Ok(Some(event))
    }

    /// Scores the translation of a sentence and a suggestion for it.
    fn rank(
        &mut self,
        job: JobId,
        document: &Document,
        (sentence, candidates): (usize, &[String; 2]),
        known: &BTreeMap<usize, String>,
    ) -> Result<Event> {
        if self.language_model.is_some() {
            let mean_log_probs = None;
            return Ok(Event::Document(DocumentEvent::Ranked {
                job,
                mean_log_probs,
            }));
        }
        self.reload()?;
        let lock = self.device_lock.clone();
        let device_lock = lock.take();
        let model = self.model.as_ref();
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let candidates = BTreeMap::from([(sentence, candidates.to_vec())]);
        let mut means = model.mean_log_probs(document, &candidates, known)?;
        drop(device_lock);
        let means = means.remove(&sentence).unwrap_or_default();
        let mean_log_probs = match means[..] {
            [Some(own), Some(suggested)] => Some([own, suggested]),
            _ => None,
        };
        Ok(Event::Document(DocumentEvent::Ranked {
            job,
            mean_log_probs,
        }))
    }

    /// Brings back the model that a panic has cost us.
    pub(super) fn reload(&mut self) -> Result<()> {
        if self.model.is_none() {
            let opened = self.opened.as_ref();
            let mut opened = opened.ok_or(Error::Base(BaseError::NoModel))?.clone();
            self.model = Some(self.opened(&mut opened)?.0);
            self.opened = Some(opened);
        }
        Ok(())
    }

    /// Opens the model on the CPU when it is needed again, if it is not there already; whether it was on another device.
    pub(super) fn fall_back_to_cpu(&mut self) -> bool {
        if let Some(model) = self.language_model.as_ref() {
            let here = (!model.device().is_cpu()).then(|| model.on_cpu());
            let Some(Ok(here)) = here else { return false };
            self.language_model = Some(here);
            return true;
        }
        let was_on_other_device = |opened: &&mut Opened| opened.device != DeviceChoice::Cpu;
        let opened = self.opened.as_mut().filter(was_on_other_device);
        let Some(opened) = opened.filter(|_| self.model.is_some()) else {
            return false;
        };
        opened.device = DeviceChoice::Cpu;
        (self.model, self.made, self.prepared) = (None, None, None);
        true
    }

    /// Reports how many pairs the memories have, and which of them could not be read.
    fn report_memory(&self, job: JobId, read: Result<MemoryPairs>) {
        let pairs = read.map(|(pairs, left_out)| {
            for error in left_out {
                (self.emit)(Event::Models(ModelsEvent::MemoryLeftOut { job, error }));
            }
            pairs
        });
        (self.emit)(Event::Models(ModelsEvent::MemoryOpened { job, pairs }));
    }

    /// The model, and what its memories have or why none could be read.
    fn opened(&self, opened: &mut Opened) -> Result<(Translator, Option<Result<MemoryPairs>>)> {
        let mut model = self.models.open(&opened.legs, &mut opened.device)?;
        let info = model.info().clone();
        let (from, to) = (&info.source_language, &info.target_language);
        let pairs = opened.memory.as_ref().map(|user| {
            let (memory, left_out) = memories_at(&user.path, &user.further, from, to)?;
            let pairs = (memory.len(), errors(left_out));
            if user.learns {
                model.learn_from_memory()?;
            }
            model.set_memory(memory);
            Ok(pairs)
        });
        Ok((model, pairs))
    }
}

fn errors(left_out: Vec<ProjectError>) -> Vec<Error> {
    left_out.into_iter().map(Error::from).collect()
}

/// Texts as human translations.
fn written(targets: Vec<Option<String>>) -> Vec<Option<Translation>> {
    let targets = targets.into_iter();
    targets.map(|text| text.map(Translation::written)).collect()
}

fn is_explain(request: &Request) -> bool {
    matches!(request, Request::Explain { .. })
}
