//! The worker thread: it alone owns the model and its device.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::{Event, JobControl, JobId, Request};
use crate::error::{Error, Result, panic_message};
use crate::explain::ContextDifference;
use crate::inference::{
    DeviceChoice, KnownTranslations, ModelInfo, Reads, SearchOptions, Step, Translation, Translator,
};
use crate::text::document::Document;
use crate::trace::Trace;
use crate::training::Turn;

/// The first batch is small, so that the first sentences appear at once.
const FIRST_CHUNK: usize = 8;
/// Later ones are large enough for sentences of similar length to share a batch, small enough to follow the scroll bar.
const CHUNK: usize = 48;
/// Those of a model that reads documents, for each of which it reads the document anew.
const DOCUMENT_CHUNK: usize = 192;

/// What the worker needs of a loaded model; tests put something small in its place.
pub trait Engine {
    fn info(&self) -> &ModelInfo;

    fn device_name(&self) -> &str;

    /// As [`Translator::translate_with`].
    ///
    /// # Errors
    /// If the device fails.
    fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()>;

    /// As [`Translator::trace`], of texts; `top_t` is another T than the model's own.
    fn trace(
        &mut self,
        document: &Document,
        targets: Vec<Option<String>>,
        top_t: Option<usize>,
    ) -> Trace;

    /// As [`Translator::context_difference`], of texts.
    ///
    /// # Errors
    /// If the device fails.
    fn context_difference(
        &self,
        document: &Document,
        targets: Vec<Option<String>>,
        sentence: usize,
        options: &SearchOptions,
    ) -> Result<ContextDifference>;
}

fn written(targets: Vec<Option<String>>) -> Vec<Option<Translation>> {
    let targets = targets.into_iter();
    targets.map(|text| text.map(Translation::written)).collect()
}

impl Engine for Translator {
    fn info(&self) -> &ModelInfo {
        self.info()
    }

    fn device_name(&self) -> &str {
        self.device_name()
    }

    fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        self.translate_with(document, sentences, known, options, step)
    }

    fn trace(
        &mut self,
        document: &Document,
        targets: Vec<Option<String>>,
        top_t: Option<usize>,
    ) -> Trace {
        self.trace_with(document, &written(targets), top_t)
    }

    fn context_difference(
        &self,
        document: &Document,
        targets: Vec<Option<String>>,
        sentence: usize,
        options: &SearchOptions,
    ) -> Result<ContextDifference> {
        self.context_difference(document, &written(targets), sentence, options)
    }
}

/// The window's end of the worker thread.
#[derive(Debug)]
pub struct Worker {
    requests: Sender<Request>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread; `wake` is called after every event. It computes when it is its `turn`.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        turn: Turn,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        Self::spawn_with(Translator::open, turn, events, wake)
    }

    /// The same with another way to open a model.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with<E: Engine + 'static>(
        open: impl Fn(&Path, DeviceChoice) -> Result<E> + Send + 'static,
        turn: Turn,
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
                    turn,
                }
                .run(&inbox);
            })
            .map_err(|cause| Error::Thread { cause })?;
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

struct Loop<E, O, S> {
    open: O,
    emit: S,
    engine: Option<E>,
    /// What to open again after a panic has cost us the model.
    opened: Option<(PathBuf, DeviceChoice)>,
    /// Shared with the training thread.
    turn: Turn,
}

impl<E, O, S> Loop<E, O, S>
where
    E: Engine,
    O: Fn(&Path, DeviceChoice) -> Result<E>,
    S: Fn(Event),
{
    fn run(mut self, inbox: &Receiver<Request>) {
        while let Ok(request) = inbox.recv() {
            let job = match &request {
                Request::OpenModel { job, .. }
                | Request::Translate { job, .. }
                | Request::Trace { job, .. }
                | Request::Difference { job, .. } => *job,
            };
            let event = match catch_unwind(AssertUnwindSafe(|| self.handle(request))) {
                Ok(Ok(event)) => event,
                Ok(Err(error)) => Event::Failed { job, error },
                Err(panic) => {
                    // Its tensors may be half written: it is opened anew for the next job.
                    self.engine = None;
                    Event::Failed {
                        job,
                        error: Error::Panicked {
                            message: panic_message(panic.as_ref()),
                        },
                    }
                }
            };
            (self.emit)(event);
        }
    }

    fn handle(&mut self, request: Request) -> Result<Event> {
        match request {
            Request::OpenModel {
                job,
                folder,
                device,
            } => {
                let engine = (self.open)(&folder, device)?;
                let (info, device_name) = (engine.info().clone(), engine.device_name().to_owned());
                self.engine = Some(engine);
                self.opened = Some((folder, device));
                Ok(Event::ModelOpened {
                    job,
                    info,
                    device_name,
                })
            }
            Request::Translate {
                job,
                document,
                sentences,
                fixed,
                options,
                control,
            } => {
                let known = KnownTranslations::fixed(fixed);
                self.translate(job, &document, sentences, known, options, &control)
            }
            Request::Trace {
                job,
                document,
                targets,
                top_t,
            } => {
                self.open_again()?;
                let turn = self.turn.take();
                let engine = self.engine.as_mut().ok_or(Error::NoModel)?;
                let trace = engine.trace(&document, targets, top_t);
                drop(turn);
                Ok(Event::Traced {
                    job,
                    source: Arc::new(trace.into()),
                })
            }
            Request::Difference {
                job,
                document,
                targets,
                sentence,
                options,
            } => {
                self.open_again()?;
                let turn = self.turn.take();
                let engine = self.engine.as_ref().ok_or(Error::NoModel)?;
                let difference = engine.context_difference(&document, targets, sentence, &options);
                drop(turn);
                Ok(Event::Differed {
                    job,
                    difference: difference.map(Box::new),
                })
            }
        }
    }

    /// Brings back the model that a panic has cost us.
    fn open_again(&mut self) -> Result<()> {
        if self.engine.is_none() {
            let (folder, device) = self.opened.as_ref().ok_or(Error::NoModel)?;
            self.engine = Some((self.open)(folder, *device)?);
        }
        Ok(())
    }

    fn translate(
        &mut self,
        job: JobId,
        document: &Document,
        sentences: Vec<usize>,
        mut known: KnownTranslations,
        options: SearchOptions,
        control: &JobControl,
    ) -> Result<Event> {
        self.open_again()?;
        let engine = self.engine.as_ref().ok_or(Error::NoModel)?;
        let mut waiting = sentences.into_iter().collect::<BTreeSet<_>>();
        let (mut chunk_size, later) = match engine.info().reads {
            Reads::Nothing => (FIRST_CHUNK, CHUNK),
            Reads::Source | Reads::Translations => (CHUNK, DOCUMENT_CHUNK),
        };
        let mut turn = self.turn.take();
        while !waiting.is_empty() {
            if control.is_cancelled() {
                return Ok(Event::Cancelled { job });
            }
            let chunk = most_urgent(&waiting, control.first_visible(), chunk_size);
            chunk_size = later;
            for index in &chunk {
                waiting.remove(index);
            }
            engine.translate(document, &chunk, &mut known, &options, &mut |step| {
                (self.emit)(match step {
                    Step::Drafted { done, num } => Event::Drafted { job, done, num },
                    Step::Translated { index, translation } => Event::SentenceTranslated {
                        job,
                        index,
                        translation,
                    },
                });
                turn.pass();
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
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::text::document::Format;

    struct Fake(ModelInfo);

    impl Engine for Fake {
        fn info(&self) -> &ModelInfo {
            &self.0
        }

        fn device_name(&self) -> &'static str {
            "fake"
        }

        fn translate(
            &self,
            document: &Document,
            sentences: &[usize],
            _known: &mut KnownTranslations,
            _options: &SearchOptions,
            step: &mut dyn FnMut(Step) -> ControlFlow<()>,
        ) -> Result<()> {
            for &index in sentences {
                assert!(document.name != "panic", "no such luck");
                let translation = Translation {
                    text: index.to_string(),
                    log_prob: 0.0,
                    num_tokens: 1,
                    flags: vec![],
                    parts: vec![],
                };
                if step(Step::Translated { index, translation }).is_break() {
                    break;
                }
            }
            Ok(())
        }

        fn trace(
            &mut self,
            _document: &Document,
            _targets: Vec<Option<String>>,
            _top_t: Option<usize>,
        ) -> Trace {
            unreachable!("not asked for here")
        }

        fn context_difference(
            &self,
            _document: &Document,
            _targets: Vec<Option<String>>,
            _sentence: usize,
            _options: &SearchOptions,
        ) -> Result<ContextDifference> {
            unreachable!("not asked for here")
        }
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "has the shape of Translator::open"
    )]
    fn open_fake(folder: &Path, _device: DeviceChoice) -> Result<Fake> {
        Ok(Fake(ModelInfo {
            name: "fake".to_owned(),
            folder: folder.to_owned(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            num_parameters: 0,
            reads: Reads::Nothing,
        }))
    }

    fn document(name: &str) -> Arc<Document> {
        Arc::new(Document {
            name: name.to_owned(),
            format: Format::Text,
            original: String::new(),
            sections: vec![],
            paragraphs: vec![],
            sentences: vec![],
        })
    }

    fn translate(job: u64, name: &str, sentences: Vec<usize>, control: &JobControl) -> Request {
        let options = SearchOptions {
            beam_size: 1,
            length_penalty: 1.0,
        };
        Request::Translate {
            job: JobId(job),
            document: document(name),
            sentences,
            fixed: BTreeMap::new(),
            options,
            control: control.clone(),
        }
    }

    fn start() -> (Worker, Receiver<Event>) {
        start_sharing(Turn::default())
    }

    /// A worker with a model.
    pub fn start_sharing(turn: Turn) -> (Worker, Receiver<Event>) {
        let (sender, events) = channel();
        let worker = Worker::spawn_with(open_fake, turn, sender, || ()).expect("a thread");
        let open = Request::OpenModel {
            job: JobId(0),
            folder: "model".into(),
            device: DeviceChoice::Cpu,
        };
        assert!(worker.send(open));
        assert!(matches!(
            events.recv().expect("an event"),
            Event::ModelOpened { .. }
        ));
        (worker, events)
    }

    /// Translates a document to its end.
    pub fn translate_all(worker: &Worker, events: &Receiver<Event>) {
        let request = translate(1, "page", (0..100).collect(), &JobControl::default());
        assert!(worker.send(request));
        for _ in 0..100 {
            let event = events.recv().expect("an event");
            assert!(matches!(event, Event::SentenceTranslated { .. }));
        }
        let end = events.recv().expect("an event");
        assert!(matches!(end, Event::Finished { .. }));
    }

    #[test]
    fn visible_sentences_come_first() {
        let (worker, events) = start();
        let control = JobControl::default();
        control.set_first_visible(3);
        worker.send(translate(1, "page", (0..6).collect(), &control));
        let mut order = vec![];
        while let Event::SentenceTranslated { index, .. } = events.recv().expect("an event") {
            order.push(index);
        }
        assert_eq!(order, [3, 4, 5, 0, 1, 2]);
    }

    #[test]
    fn a_cancelled_job_says_so() {
        let (worker, events) = start();
        let control = JobControl::default();
        control.cancel();
        worker.send(translate(1, "page", vec![0], &control));
        assert!(matches!(
            events.recv().expect("an event"),
            Event::Cancelled { job: JobId(1) }
        ));
    }

    #[test]
    fn a_panic_is_a_visible_failure_and_the_next_job_works() {
        let (worker, events) = start();
        worker.send(translate(1, "panic", vec![0], &JobControl::default()));
        let Event::Failed {
            error: Error::Panicked { message },
            ..
        } = events.recv().expect("an event")
        else {
            panic!()
        };
        assert_eq!(message, "no such luck");
        worker.send(translate(2, "page", vec![0], &JobControl::default()));
        assert!(matches!(
            events.recv().expect("an event"),
            Event::SentenceTranslated { index: 0, .. }
        ));
        assert!(matches!(
            events.recv().expect("an event"),
            Event::Finished { job: JobId(2) }
        ));
    }

    #[test]
    fn translating_without_a_model_fails() {
        let (sender, events) = channel();
        let worker =
            Worker::spawn_with(open_fake, Turn::default(), sender, || ()).expect("a thread");
        worker.send(translate(1, "page", vec![0], &JobControl::default()));
        assert!(matches!(
            events.recv().expect("an event"),
            Event::Failed {
                error: Error::NoModel,
                ..
            }
        ));
    }
}
