//! The worker thread: it alone owns the model and its device.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::comparing::Encoded;
use super::project_folder::memories_at;
use super::{Event, JobControl, JobId, Request, UserMemory};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::{caught, is_of_device};
use canopy_document::document::Document;
use canopy_explain::{Explanation, ModelView};
use canopy_nn::model::MemoryUse;
use canopy_qa::terms::Termbase;
use canopy_train::{
    DeviceGuard, DeviceLock, ModelQuestion, Prepared, explain, explain_by_language_model,
    for_document, with_fixed,
};
use canopy_translate::inference::{
    AddressChoice, DeviceChoice, DocumentModel, KnownTranslations, LanguageModelTranslator,
    Languages, Leg, OnEvent, Reads, SearchOptions, Step, TermMode, TermUse, Translation,
    TranslationRequest, Translator,
};

/// The first batch is small, so that the first sentences appear at once.
const FIRST_CHUNK: usize = 8;
/// Later ones are large enough for sentences of similar length to share a batch, small enough to follow the scroll bar.
const CHUNK: usize = 48;
/// Sentences of a chunk of a model that reads documents, for each of which it reads the document anew.
const DOCUMENT_CHUNK: usize = 192;

/// The worker's way to open models and to translate with them; tests put failures in its place.
pub trait Models: Send + 'static {
    /// Opens models in a row; `device` becomes the CPU where that is what they compute on.
    ///
    /// # Errors
    /// As [`Translator::open_legs`].
    fn open(&self, legs: &[Leg], device: &mut DeviceChoice) -> Result<Translator> {
        let translator = Translator::open_legs(legs, *device)?;
        if translator.is_on_cpu() {
            *device = DeviceChoice::Cpu;
        }
        Ok(translator)
    }

    /// Translates the sentences of a request.
    ///
    /// # Errors
    /// As [`Translator::run`].
    fn translate(
        &self,
        by: &Translator,
        request: TranslationRequest<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        Ok(by.run(request, on_event)?)
    }
}

/// Models as they are.
struct OwnModels;

impl Models for OwnModels {}

/// The window's end of the worker thread.
#[derive(Debug)]
pub struct Worker {
    requests: Sender<Request>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread; `wake` is called after every event. It computes while it holds `device_lock`.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        Self::spawn_with(OwnModels, device_lock, events, wake)
    }

    /// Starts the thread with other models.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with(
        models: impl Models,
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-worker".to_owned())
            .spawn(move || {
                let emit = |event| {
                    // The window may already be gone; then the event is not needed.
                    let _ = events.send(event);
                    wake();
                };
                Loop::new(models, emit, device_lock).run(&inbox);
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self { requests, thread })
    }

    /// Queues a request; `false` if the thread has ended.
    pub fn send(&self, request: Request) -> bool {
        self.requests.send(request).is_ok()
    }

    /// Whether the thread has ended, which it does only when it is dropped.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

/// The requested model and settings.
#[derive(Clone)]
struct Opened {
    legs: Vec<Leg>,
    device: DeviceChoice,
    memory: Option<UserMemory>,
}

struct Loop<M, S> {
    models: M,
    emit: S,
    model: Option<Translator>,
    /// In place of it.
    language_model: Option<LanguageModelTranslator>,
    /// The model to open again after a panic has cost us ours.
    opened: Option<Opened>,
    /// Shared with the training thread.
    device_lock: DeviceLock,
    encoded: Option<Encoded>,
    /// The sentences of the document that was last translated or explained, and the model that was made for it.
    made: Option<(Vec<String>, Option<Translator>)>,
    /// Prepared state for the document that was last explained.
    prepared: Option<Prepared>,
}

/// A document under translation.
struct Work<'w> {
    job: JobId,
    document: &'w Document,
    /// Sentences that have no translation yet.
    left: BTreeSet<usize>,
    known: KnownTranslations,
    terms: Option<Arc<Termbase>>,
    formality: Option<AddressChoice>,
    options: SearchOptions,
    control: &'w JobControl,
}

impl<M: Models, S: Fn(Event)> Loop<M, S> {
    fn new(models: M, emit: S, device_lock: DeviceLock) -> Self {
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

    fn run(mut self, inbox: &Receiver<Request>) {
        let mut waiting = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Ok(request) = inbox.recv() else { return };
                waiting.push_back(request);
            }
            waiting.extend(inbox.try_iter());
            let Some(request) = waiting.pop_front() else {
                continue;
            };
            if is_explain(&request) && waiting.iter().any(is_explain) {
                // Superseded: its answer is no longer awaited.
                continue;
            }
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
                self.leave_device();
            }
            if matches!(done, Err(Error::Base(BaseError::Panicked { .. }))) {
                // Its tensors may be half written: it is opened anew for the next job.
                (self.model, self.made, self.prepared) = (None, None, None);
            }
            (self.emit)(done.unwrap_or_else(|error| Event::Failed { job, error }));
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
                    && let Some(event) = self.open_language_model(job, &first, memory.as_ref())?
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
                    (self.emit)(Event::MemoryOpened { job, pairs });
                }
                let event = Event::ModelOpened {
                    job,
                    info: model.info().clone(),
                    device_name: model.device_name().to_owned(),
                    memory: model.memory().cloned(),
                };
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
                address,
                options,
                control,
            } => self.translate(Work {
                job,
                document: &document,
                left: sentences.into_iter().collect(),
                known: KnownTranslations::fixed(fixed),
                terms,
                formality: address,
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
                    return Ok(Event::Traced { job, source });
                }
                self.open_again()?;
                let lock = self.device_lock.clone();
                let mut device_lock = lock.take();
                let learnt = self.learnt(job, &document, &mut device_lock)?;
                let made = self.made.as_ref().and_then(|(_, made)| made.as_ref());
                let model = made.filter(|_| learnt).or(self.model.as_ref());
                let model = model.ok_or(Error::Base(BaseError::NoModel))?;
                let trace = model.trace_with(&document, &written(targets), part, top_t)?;
                drop(device_lock);
                Ok(Event::Traced {
                    job,
                    source: Arc::new(trace.into()),
                })
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
        leg: &Leg,
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
        let mut model = LanguageModelTranslator::open(&leg.folder, languages)?;
        if let Some(user) = memory {
            let memory = memories_at(&user.path, &user.further, from, to).map_err(Error::from);
            let pairs = memory.map(|memory| model.memory.insert(Arc::new(memory)).len());
            (self.emit)(Event::MemoryOpened { job, pairs });
        }
        let event = Event::ModelOpened {
            job,
            info: model.info().clone(),
            device_name: "CPU".to_owned(),
            memory: model.memory.clone(),
        };
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
            return Ok(Event::Ranked {
                job,
                mean_log_probs,
            });
        }
        self.open_again()?;
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
        Ok(Event::Ranked {
            job,
            mean_log_probs,
        })
    }

    /// Brings back the model that a panic has cost us.
    fn open_again(&mut self) -> Result<()> {
        if self.model.is_none() {
            let opened = self.opened.as_ref();
            let mut opened = opened.ok_or(Error::Base(BaseError::NoModel))?.clone();
            self.model = Some(self.opened(&mut opened)?.0);
            self.opened = Some(opened);
        }
        Ok(())
    }

    /// Opens the model on the CPU when it is needed again, if it is not there already; whether it was on another device.
    fn leave_device(&mut self) -> bool {
        let was_on_other_device = |opened: &&mut Opened| opened.device != DeviceChoice::Cpu;
        let opened = self.opened.as_mut().filter(was_on_other_device);
        let Some(opened) = opened.filter(|_| self.model.is_some()) else {
            return false;
        };
        opened.device = DeviceChoice::Cpu;
        (self.model, self.made, self.prepared) = (None, None, None);
        true
    }

    /// The model, and how many pairs its memory has or why it could not be read.
    fn opened(&self, opened: &mut Opened) -> Result<(Translator, Option<Result<usize>>)> {
        let mut model = self.models.open(&opened.legs, &mut opened.device)?;
        let info = model.info().clone();
        let (from, to) = (&info.source_language, &info.target_language);
        let pairs = opened.memory.as_ref().map(|user| {
            let memory = memories_at(&user.path, &user.further, from, to)?;
            let pairs = memory.len();
            if user.learns {
                model.learn_from_memory()?;
            }
            model.remember(memory);
            Ok(pairs)
        });
        Ok((model, pairs))
    }

    /// Makes the model for a document, if it is not made for it yet.
    fn make(
        &mut self,
        job: JobId,
        document: &Document,
        device_lock: &mut DeviceGuard<'_>,
        control: &JobControl,
    ) -> Result<()> {
        let sentences = document.plain_texts();
        if self.made.as_ref().is_some_and(|made| made.0 == sentences) {
            return Ok(());
        }
        let model = self.model.as_ref();
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let step = &mut preparing(&self.emit, job, control, device_lock);
        let made = for_document(model, document, step);
        self.made = (!control.is_cancelled()).then_some((sentences, made));
        Ok(())
    }

    /// Lets a model learn from the document first if it is to; whether it does.
    fn learnt(
        &mut self,
        job: JobId,
        document: &Document,
        device_lock: &mut DeviceGuard<'_>,
    ) -> Result<bool> {
        let learns =
            |model: &Translator| model.description().model.memory_use == Some(MemoryUse::FineTune);
        let learns = self.model.as_ref().is_some_and(learns);
        if learns {
            self.make(job, document, device_lock, &JobControl::default())?;
        }
        Ok(learns)
    }

    /// Runs the model, or the one that is adapted to the document where that translates it.
    fn explain(
        &mut self,
        job: JobId,
        question: &ModelQuestion<'_>,
        control: &JobControl,
    ) -> Result<Event> {
        if let Some(model) = &self.language_model {
            let lock = self.device_lock.clone();
            let mut device_lock = lock.take();
            let step = &mut preparing(&self.emit, job, control, &mut device_lock);
            let explanation = explain_by_language_model(model, question, step);
            return Ok(explained(job, control, explanation.map_err(Error::from)));
        }
        self.open_again()?;
        let lock = self.device_lock.clone();
        let mut device_lock = lock.take();
        if question.view != ModelView::Memory {
            self.make(job, question.document, &mut device_lock, control)?;
        }
        if control.is_cancelled() {
            return Ok(Event::Cancelled { job });
        }
        let made = self.made.as_ref().and_then(|(_, made)| made.as_ref());
        let model = self.model.as_ref();
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let step = &mut preparing(&self.emit, job, control, &mut device_lock);
        let explanation = explain(model, made, question, &mut self.prepared, step);
        Ok(explained(job, control, explanation.map_err(Error::from)))
    }

    /// Translates the sentences that are left; where the device fails, the CPU goes on with them.
    fn translate(&mut self, mut work: Work<'_>) -> Result<Event> {
        let error = match caught(|| self.translate_here(&mut work)) {
            Err(error) if is_of_device(&error) && self.leave_device() => error,
            done => return done,
        };
        // If the CPU fails too, the first failure is reported.
        let Some(model) = self.open_again().ok().and(self.model.as_ref()) else {
            return Err(error);
        };
        (self.emit)(Event::CpuTookOver {
            job: work.job,
            device_name: model.device_name().to_owned(),
            error,
        });
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
        let sentences: Vec<usize> = work.left.iter().copied().collect();
        let (left, known) = (&mut work.left, &mut work.known);
        let request = TranslationRequest::new(work.document, &sentences, known, &work.options);
        model.run(request, &mut |event| {
            if let Step::Translated { index, translation } = event.step {
                left.remove(&index);
                (self.emit)(Event::SentenceTranslated {
                    job,
                    index,
                    translation,
                });
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
        self.open_again()?;
        let lock = self.device_lock.clone();
        let mut device_lock = lock.take();
        self.make(job, document, &mut device_lock, control)?;
        let made = self.made.as_mut().and_then(|(_, made)| made.as_mut());
        let model = made.or(self.model.as_mut());
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        model.set_terms(work.terms.as_ref());
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
                    Step::Alternatives { .. } => return ControlFlow::Continue(()),
                    Step::Drafted { done, num } => Event::Drafted { job, done, num },
                    Step::Translated { index, translation } => {
                        left.remove(&index);
                        Event::SentenceTranslated {
                            job,
                            index,
                            translation,
                        }
                    }
                });
                device_lock.pass();
                flow(control)
            })?;
        }
        Ok(ended(job, control))
    }
}

/// The answer to a question, unless nobody waits for it.
fn explained(job: JobId, control: &JobControl, explanation: Result<Explanation>) -> Event {
    if control.is_cancelled() {
        return Event::Cancelled { job };
    }
    Event::Explained {
        job,
        explanation: explanation.map(Box::new),
    }
}

/// The end of a translation that nothing has stopped but a person.
fn ended(job: JobId, control: &JobControl) -> Event {
    if control.is_cancelled() {
        Event::Cancelled { job }
    } else {
        Event::Finished { job }
    }
}

/// Reports how far a model is that is made for a document, and lets others compute in between.
fn preparing<'a>(
    emit: &'a impl Fn(Event),
    job: JobId,
    control: &'a JobControl,
    device_lock: &'a mut DeviceGuard<'_>,
) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    move |done, num| {
        emit(Event::Adapting { job, done, num });
        device_lock.pass();
        flow(control)
    }
}

fn flow(control: &JobControl) -> ControlFlow<()> {
    if control.is_cancelled() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Texts as human translations.
fn written(targets: Vec<Option<String>>) -> Vec<Option<Translation>> {
    let targets = targets.into_iter();
    targets.map(|text| text.map(Translation::written)).collect()
}

fn is_explain(request: &Request) -> bool {
    matches!(request, Request::Explain { .. })
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

#[cfg(test)]
pub(super) mod tests;
