//! The worker thread: it alone owns the model and its device.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::comparing::Encoded;
use super::engine::{Engine, written};
use super::project_folder::memory_at;
use super::{Event, JobControl, JobId, Request, UserMemory};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::{caught, is_of_device};
use canopy_document::document::Document;
use canopy_explain::ModelView;
use canopy_qa::terms::Termbase;
use canopy_train::{DeviceGuard, DeviceLock, ModelQuestion, Prepared};
use canopy_translate::inference::{
    AddressChoice, DeviceChoice, KnownTranslations, Leg, Reads, SearchOptions, Step, Translator,
};

/// The first batch is small, so that the first sentences appear at once.
const FIRST_CHUNK: usize = 8;
/// Later ones are large enough for sentences of similar length to share a batch, small enough to follow the scroll bar.
const CHUNK: usize = 48;
/// Those of a model that reads documents, for each of which it reads the document anew.
const DOCUMENT_CHUNK: usize = 192;

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
        let open = |legs: &[Leg], device| Ok(Translator::open_legs(legs, device)?);
        Self::spawn_with(open, device_lock, events, wake)
    }

    /// The same with another way to open a model.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with<E: Engine + 'static>(
        open: impl Fn(&[Leg], DeviceChoice) -> Result<E> + Send + 'static,
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-worker".to_owned())
            .spawn(move || {
                let emit = |event| {
                    // The window may already be gone; then nobody needs the event.
                    let _ = events.send(event);
                    wake();
                };
                Loop {
                    open,
                    emit,
                    engine: None,
                    opened: None,
                    device_lock,
                    encoded: None,
                    made: None,
                    prepared: None,
                    terms: None,
                    address: None,
                }
                .run(&inbox);
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

/// The model and settings that were asked for.
#[derive(Clone)]
struct Opened {
    legs: Vec<Leg>,
    device: DeviceChoice,
    memory: Option<UserMemory>,
}

struct Loop<E, O, S> {
    open: O,
    emit: S,
    engine: Option<E>,
    /// The model to open again after a panic has cost us ours.
    opened: Option<Opened>,
    /// Shared with the training thread.
    device_lock: DeviceLock,
    encoded: Option<Encoded>,
    /// The sentences of the document that was last translated or asked about, and the model that was made for it.
    made: Option<(Vec<String>, Option<E>)>,
    /// Of the document that was last asked about.
    prepared: Option<Prepared>,
    /// Of the translation under way.
    terms: Option<Arc<Termbase>>,
    address: Option<AddressChoice>,
}

impl<E, O, S> Loop<E, O, S>
where
    E: Engine,
    O: Fn(&[Leg], DeviceChoice) -> Result<E>,
    S: Fn(Event),
{
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
                // Overtaken: nobody waits for its answer any more.
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
                (self.engine, self.made, self.prepared) = (None, None, None);
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
                let mut opened = Opened {
                    legs: [first].into_iter().chain(second).collect(),
                    device,
                    memory,
                };
                let (engine, pairs) = self.opened(&opened)?;
                if let Some(pairs) = pairs {
                    if pairs.is_err() {
                        opened.memory = None;
                    }
                    (self.emit)(Event::MemoryOpened { job, pairs });
                }
                let event = Event::ModelOpened {
                    job,
                    info: engine.info().clone(),
                    device_name: engine.device_name().to_owned(),
                    memory: engine.memory(),
                };
                self.engine = Some(engine);
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
            } => {
                self.terms = terms;
                self.address = address;
                let known = KnownTranslations::fixed(fixed);
                let left = sentences.into_iter().collect();
                self.translate(job, &document, left, known, options, &control)
            }
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
                self.open_again()?;
                let lock = self.device_lock.clone();
                let mut device_lock = lock.take();
                let learnt = self.learnt(job, &document, &mut device_lock)?;
                let made = self.made.as_ref().and_then(|(_, made)| made.as_ref());
                let engine = made.filter(|_| learnt).or(self.engine.as_ref());
                let engine = engine.ok_or(Error::Base(BaseError::NoModel))?;
                let trace = engine.trace(&document, targets, part, top_t)?;
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

    /// Scores the translation of a sentence and a suggestion for it.
    fn rank(
        &mut self,
        job: JobId,
        document: &Document,
        (sentence, candidates): (usize, &[String; 2]),
        known: &BTreeMap<usize, String>,
    ) -> Result<Event> {
        self.open_again()?;
        let lock = self.device_lock.clone();
        let device_lock = lock.take();
        let engine = self
            .engine
            .as_ref()
            .ok_or(Error::Base(BaseError::NoModel))?;
        let candidates = BTreeMap::from([(sentence, candidates.to_vec())]);
        let mut means = engine.mean_log_probs(document, &candidates, known)?;
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
        if self.engine.is_none() {
            let opened = self
                .opened
                .as_ref()
                .ok_or(Error::Base(BaseError::NoModel))?;
            self.engine = Some(self.opened(opened)?.0);
        }
        Ok(())
    }

    /// Opens the model on the CPU when it is needed again, if it is not there already; whether it was elsewhere.
    fn leave_device(&mut self) -> bool {
        let was_elsewhere = self.engine.as_ref().is_some_and(|it| !it.is_on_cpu());
        if let Some(opened) = self.opened.as_mut().filter(|_| was_elsewhere) {
            opened.device = DeviceChoice::Cpu;
            (self.engine, self.made, self.prepared) = (None, None, None);
        }
        was_elsewhere
    }

    /// The model, and how many pairs its memory has or why it could not be read.
    fn opened(&self, opened: &Opened) -> Result<(E, Option<Result<usize>>)> {
        let mut engine = (self.open)(&opened.legs, opened.device)?;
        let info = engine.info().clone();
        let (from, to) = (&info.source_language, &info.target_language);
        let pairs = opened.memory.as_ref().map(|user| {
            let memory = memory_at(&user.path, from, to)?;
            let pairs = memory.len();
            engine.remember(memory, user.learns)?;
            Ok(pairs)
        });
        Ok((engine, pairs))
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
        let engine = self
            .engine
            .as_ref()
            .ok_or(Error::Base(BaseError::NoModel))?;
        let made = engine.adapted(document, &mut |done, num| {
            (self.emit)(Event::Adapting { job, done, num });
            device_lock.pass();
            if control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.made = (!control.is_cancelled()).then_some((sentences, made));
        Ok(())
    }

    /// The same where the model learns from each document; whether it does. Others are seen into as they are.
    fn learnt(
        &mut self,
        job: JobId,
        document: &Document,
        device_lock: &mut DeviceGuard<'_>,
    ) -> Result<bool> {
        let learns = self.engine.as_ref().is_some_and(Engine::learns);
        if learns {
            self.make(job, document, device_lock, &JobControl::default())?;
        }
        Ok(learns)
    }

    /// Asks the model, and the one that is made for the document where that translates it.
    fn explain(
        &mut self,
        job: JobId,
        question: &ModelQuestion<'_>,
        control: &JobControl,
    ) -> Result<Event> {
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
        let engine = self
            .engine
            .as_ref()
            .ok_or(Error::Base(BaseError::NoModel))?;
        let explanation = engine.explain(made, question, &mut self.prepared, &mut |done, num| {
            (self.emit)(Event::Adapting { job, done, num });
            device_lock.pass();
            if control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if control.is_cancelled() {
            return Ok(Event::Cancelled { job });
        }
        Ok(Event::Explained {
            job,
            explanation: explanation.map(Box::new),
        })
    }

    /// Translates the sentences that are `left`; where the device fails, the CPU goes on with them.
    fn translate(
        &mut self,
        job: JobId,
        document: &Document,
        mut left: BTreeSet<usize>,
        mut known: KnownTranslations,
        options: SearchOptions,
        control: &JobControl,
    ) -> Result<Event> {
        let mut attempt = |worker: &mut Self| {
            let (left, known) = (&mut left, &mut known);
            caught(|| worker.translate_here(job, document, left, known, options, control))
        };
        let error = match attempt(self) {
            Err(error) if is_of_device(&error) && self.leave_device() => error,
            done => return done,
        };
        // If the CPU cannot, what failed first is to be told.
        let Some(engine) = self.open_again().ok().and(self.engine.as_ref()) else {
            return Err(error);
        };
        (self.emit)(Event::CpuTookOver {
            job,
            device_name: engine.device_name().to_owned(),
            error,
        });
        attempt(self)
    }

    /// The same on the device as it is; what is translated is no longer `left`.
    fn translate_here(
        &mut self,
        job: JobId,
        document: &Document,
        left: &mut BTreeSet<usize>,
        known: &mut KnownTranslations,
        options: SearchOptions,
        control: &JobControl,
    ) -> Result<Event> {
        self.open_again()?;
        let lock = self.device_lock.clone();
        let mut device_lock = lock.take();
        self.make(job, document, &mut device_lock, control)?;
        let made = self.made.as_mut().and_then(|(_, made)| made.as_mut());
        let engine = made
            .or(self.engine.as_mut())
            .ok_or(Error::Base(BaseError::NoModel))?;
        engine.use_terms(self.terms.as_ref());
        engine.choose_address(self.address);
        let engine = &*engine;
        let fixed = known.fixed_targets();
        let looks_up = engine.info().reads == Reads::Confirmed && !fixed.is_empty();
        let confirmed = looks_up.then(|| {
            engine.after_confirmed(document, fixed, &mut |done, num| {
                (self.emit)(Event::Adapting { job, done, num });
                device_lock.pass();
                if control.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
        });
        let confirmed = confirmed.flatten();
        let engine = confirmed.as_ref().unwrap_or(engine);
        let mut waiting = left.clone();
        let (mut chunk_size, later) = match engine.info().reads {
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
            engine.translate(document, &chunk, known, &options, &mut |step| {
                (self.emit)(match step {
                    Step::Waiting if control.is_cancelled() => return ControlFlow::Break(()),
                    Step::Waiting | Step::Alternatives { .. } => return ControlFlow::Continue(()),
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
                if control.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        }
        Ok(if control.is_cancelled() {
            Event::Cancelled { job }
        } else {
            Event::Finished { job }
        })
    }
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
