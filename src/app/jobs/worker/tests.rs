use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

use super::*;
use crate::error::{BaseError, Error};
use crate::jobs::{FurtherMemory, JobControl, JobId, UserMemory};
use crate::{DocumentEvent, ExploreEvent, ModelsEvent};
use canopy_document::document::{Document, Format};
use canopy_explain::{Explanation, ModelView, ViewKind};
use canopy_translate::error::is_of_device;
use canopy_translate::inference::{SearchOptions, Step, Translation, TranslationEvent};

/// A shipped model, whose translations are the numbers of sentences and fail as the name of the document says.
#[derive(Default)]
struct Failing {
    is_on_gpu: AtomicBool,
}

impl Models for Failing {
    fn open(&self, legs: &[Leg], device: &mut DeviceChoice) -> Result<Translator> {
        let is_on_gpu = *device == DeviceChoice::Gpu;
        self.is_on_gpu.store(is_on_gpu, Ordering::Relaxed);
        Ok(Translator::open_legs(legs, DeviceChoice::Cpu)?)
    }

    fn translate(
        &self,
        _by: &Translator,
        request: TranslationRequest<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        let [one] = &request.documents[..] else {
            panic!("one document")
        };
        let document = one.document;
        for &index in one.sentences {
            assert!(document.name != "panic", "no such luck");
            let is_on_gpu = self.is_on_gpu.load(Ordering::Relaxed);
            let is_lost = document.name == "lost" && is_on_gpu && index > 1;
            // The message as burn formats it.
            assert!(!is_lost || index > 2, "the device is lost");
            if is_lost || document.name == "damaged" {
                return Err(Error::Base(BaseError::InvalidScores {
                    sentence: document.sentence_name(0),
                    found: f32::NAN,
                }));
            }
            let step = Step::Translated {
                index,
                translation: Translation::written(index.to_string()),
            };
            if on_event(TranslationEvent { document: 0, step }).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn shipped() -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    models.join("help-en-de")
}

/// A document of one sentence, its name.
fn document(name: &str) -> Arc<Document> {
    let document = Document::parse(name, Format::Text, name.to_owned());
    Arc::new(document.expect("a text"))
}

fn translate(job: u64, name: &str, sentences: Vec<usize>, control: &JobControl) -> Request {
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    Request::Translate {
        job: JobId(job),
        document: document(name),
        sentences,
        fixed: BTreeMap::new(),
        terms: None,
        formality: None,
        options,
        control: control.clone(),
    }
}

fn open() -> Request {
    open_on(DeviceChoice::Cpu)
}

fn open_on(device: DeviceChoice) -> Request {
    Request::OpenModel {
        job: JobId(0),
        folder: shipped(),
        languages: [None, None],
        second: None,
        device,
        memory: None,
    }
}

fn start() -> (Worker, Receiver<Event>) {
    start_sharing(DeviceLock::default())
}

/// A worker with a model.
pub(crate) fn start_sharing(device_lock: DeviceLock) -> (Worker, Receiver<Event>) {
    let (sender, events) = channel();
    let worker = Worker::spawn_with(Failing::default(), device_lock, sender, || ());
    let worker = worker.expect("a thread");
    worker.send(open());
    assert!(matches!(
        events.recv().expect("an event"),
        Event::Models(ModelsEvent::Opened { .. })
    ));
    (worker, events)
}

/// Translates a document to its end.
pub(crate) fn translate_all(worker: &Worker, events: &Receiver<Event>) {
    let request = translate(1, "page", (0..100).collect(), &JobControl::default());
    worker.send(request);
    for _ in 0..100 {
        let event = events.recv().expect("an event");
        assert!(matches!(
            event,
            Event::Document(DocumentEvent::SentenceTranslated { .. })
        ));
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
    while let Event::Document(DocumentEvent::SentenceTranslated { index, .. }) =
        events.recv().expect("an event")
    {
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
        error: Error::Base(BaseError::Panicked { message, .. }),
        ..
    } = events.recv().expect("an event")
    else {
        panic!()
    };
    assert_eq!(message, "no such luck");
    worker.send(translate(2, "page", vec![0], &JobControl::default()));
    assert!(matches!(
        events.recv().expect("an event"),
        Event::Document(DocumentEvent::SentenceTranslated { index: 0, .. })
    ));
    assert!(matches!(
        events.recv().expect("an event"),
        Event::Finished { job: JobId(2) }
    ));
}

#[test]
fn the_cpu_goes_on_where_the_device_fails() {
    // With the sentence that fails first: by a panic, by scores that are not finite.
    for (first, failed) in [(0, 2), (3, 3)] {
        let (worker, events) = start();
        let next = || events.recv().expect("an event");
        worker.send(open_on(DeviceChoice::Gpu));
        assert!(matches!(next(), Event::Models(ModelsEvent::Opened { .. })));
        let control = JobControl::default();
        worker.send(translate(1, "lost", (first..6).collect(), &control));
        let (mut done, mut errors) = (Vec::new(), Vec::new());
        let end = loop {
            match next() {
                Event::Document(DocumentEvent::SentenceTranslated { index, .. }) => {
                    done.push(index);
                }
                Event::Models(ModelsEvent::CpuTookOver { error, .. }) => {
                    errors.push((done.len(), is_of_device(&error)));
                }
                end => break end,
            }
        };
        assert!(matches!(end, Event::Finished { job: JobId(1) }), "{end:?}");
        assert_eq!(done, (first..6).collect::<Vec<_>>());
        assert_eq!(errors, [(failed - first, true)]);
        // It stays there.
        worker.send(translate(2, "lost", vec![4], &control));
        assert!(matches!(
            next(),
            Event::Document(DocumentEvent::SentenceTranslated { index: 4, .. })
        ));
        assert!(matches!(next(), Event::Finished { job: JobId(2) }));
    }
}

#[test]
fn where_the_cpu_fails_too_the_error_names_the_sentence() {
    for device in [DeviceChoice::Cpu, DeviceChoice::Gpu] {
        let (worker, events) = start();
        let next = || events.recv().expect("an event");
        worker.send(open_on(device));
        assert!(matches!(next(), Event::Models(ModelsEvent::Opened { .. })));
        worker.send(translate(1, "damaged", vec![0, 1], &JobControl::default()));
        if device == DeviceChoice::Gpu {
            assert!(matches!(
                next(),
                Event::Models(ModelsEvent::CpuTookOver { .. })
            ));
        }
        let Event::Failed { error, .. } = next() else {
            panic!()
        };
        assert!(error.to_string().contains("1 (\"damaged\")"), "{error}");
    }
}

/// A worker whose model looks up in a memory that calls a window a peephole, or `learns` from it.
fn start_remembering(learns: bool) -> (Worker, Receiver<Event>) {
    let (worker, events) = start();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.tsv");
    let pairs = [
        "Close the window.\tSchließen Sie das Guckloch.",
        "Open a new window.\tÖffnen Sie ein neues Guckloch.",
        "Resize the window.\tPassen Sie die Größe des Gucklochs an.",
        "Click in the window.\tKlicken Sie in das Guckloch.",
    ];
    std::fs::write(&path, pairs.join("\n")).expect("written");
    let mut request = open();
    if let Request::OpenModel { memory, .. } = &mut request {
        *memory = Some(UserMemory {
            path,
            further: Vec::new(),
            learns,
        });
    }
    worker.send(request);
    for _ in 0..2 {
        let event = events.recv().expect("an event");
        let is_opened = matches!(
            event,
            Event::Models(
                ModelsEvent::MemoryOpened { pairs: Ok(4), .. } | ModelsEvent::Opened { .. }
            )
        );
        assert!(is_opened, "{event:?}");
    }
    (worker, events)
}

#[test]
fn looking_up_is_reported_and_can_be_cancelled() {
    let (worker, events) = start_remembering(false);
    let next = || events.recv().expect("an event");
    let name = "Move the window.";
    worker.send(translate(1, name, vec![0], &JobControl::default()));
    assert!(matches!(
        next(),
        Event::Adapting {
            done: 0,
            num: 1,
            ..
        }
    ));
    assert!(matches!(
        next(),
        Event::Document(DocumentEvent::SentenceTranslated { .. })
    ));
    assert!(matches!(next(), Event::Finished { .. }));
    // The model is made for the document.
    worker.send(translate(2, name, vec![1], &JobControl::default()));
    assert!(matches!(
        next(),
        Event::Document(DocumentEvent::SentenceTranslated { .. })
    ));
    assert!(matches!(next(), Event::Finished { .. }));
    let control = JobControl::default();
    control.cancel();
    worker.send(translate(3, "Size the window.", vec![0], &control));
    assert!(matches!(next(), Event::Adapting { .. }));
    assert!(matches!(next(), Event::Cancelled { .. }));
}

#[test]
fn translating_without_a_model_fails() {
    let (sender, events) = channel();
    let worker = Worker::spawn_with(Failing::default(), DeviceLock::default(), sender, || ());
    let worker = worker.expect("a thread");
    worker.send(translate(1, "page", vec![0], &JobControl::default()));
    assert!(matches!(
        events.recv().expect("an event"),
        Event::Failed {
            error: Error::Base(BaseError::NoModel),
            ..
        }
    ));
}

fn explain(sentence: usize, name: &str, control: &JobControl) -> Request {
    Request::Explain {
        job: JobId(sentence as u64),
        view: ModelView::Difference,
        document: document(name),
        targets: vec![None],
        sentence,
        edit: None,
        options: SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        },
        control: control.clone(),
    }
}

#[test]
fn the_model_that_is_adapted_to_the_document_explains_whether_the_context_mattered() {
    let (worker, events) = start_remembering(true);
    let next = || events.recv().expect("an event");
    for (name, learns) in [("Move the window.", true), ("Bananas grow here", false)] {
        worker.send(explain(0, name, &JobControl::default()));
        let (mut updates, mut event) = (0, next());
        while matches!(event, Event::Adapting { job: JobId(0), .. }) {
            (updates, event) = (updates + 1, next());
        }
        assert_eq!(updates > 0, learns);
        let Event::Explore(ExploreEvent::Explained {
            explanation: Ok(explanation),
            ..
        }) = event
        else {
            panic!("it explains")
        };
        let Explanation::Difference(explanation) = *explanation else {
            panic!("the difference")
        };
        let (_, text) = &explanation.written[0];
        assert_eq!(text.contains("Guckloch"), learns, "{text}");
    }
    let control = JobControl::default();
    control.cancel();
    worker.send(explain(0, "Size the window.", &control));
    assert!(matches!(next(), Event::Adapting { .. }));
    assert!(matches!(next(), Event::Cancelled { job: JobId(0) }));
}

#[test]
fn only_the_last_of_several_waiting_sentences_is_explained() {
    let explain_request = |job| {
        let mut request = explain(0, "Close the page.", &JobControl::default());
        if let Request::Explain { job: own, .. } = &mut request {
            *own = JobId(job);
        }
        request
    };
    // The first event holds the worker until all requests wait.
    let (go, gate) = channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let wake = move || drop(gate.lock().map(|gate| gate.recv()));
    let (sender, events) = channel();
    let worker = Worker::spawn_with(Failing::default(), DeviceLock::default(), sender, wake);
    let worker = worker.expect("a thread");
    worker.send(open());
    for sentence in 1..3 {
        worker.send(explain_request(sentence));
    }
    worker.send(translate(9, "page", vec![], &JobControl::default()));
    worker.send(explain_request(3));
    drop(go);
    drop(worker);
    let events: Vec<Event> = events.iter().collect();
    assert!(
        matches!(
            &events[..],
            [
                Event::Models(ModelsEvent::Opened { .. }),
                Event::Finished { job: JobId(9) },
                Event::Explore(ExploreEvent::Explained {
                    job: JobId(3),
                    explanation: Ok(explanation)
                })
            ] if explanation.sentence_view() == Some((ViewKind::Difference, 0))
        ),
        "{events:?}"
    );
}

#[test]
fn a_model_comes_with_its_memory_and_without_one_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.tsv");
    std::fs::write(&file, "Stop.\tHalt.\n").expect("written");
    let (sender, events) = channel();
    let worker = Worker::spawn_with(Failing::default(), DeviceLock::default(), sender, || ());
    let worker = worker.expect("a thread");
    let opened = |memory: &Path, further: &[&Path]| {
        let mut request = open();
        if let Request::OpenModel { memory: own, .. } = &mut request {
            let further = further.iter().map(|path| FurtherMemory {
                path: path.to_path_buf(),
                penalty: 0,
            });
            *own = Some(UserMemory {
                path: memory.to_owned(),
                further: further.collect(),
                learns: false,
            });
        }
        worker.send(request);
        let mut left_out = 0;
        let pairs = loop {
            match events.recv().expect("an event") {
                Event::Models(ModelsEvent::MemoryLeftOut { .. }) => left_out += 1,
                Event::Models(ModelsEvent::MemoryOpened { pairs, .. }) => break pairs,
                other => panic!("{other:?}"),
            }
        };
        let Event::Models(ModelsEvent::Opened { memory, .. }) = events.recv().expect("an event")
        else {
            panic!()
        };
        (left_out, pairs.ok(), memory.map(|memory| memory.len()))
    };
    assert_eq!(opened(&file, &[]), (0, Some(1), Some(1)));
    let gone = folder.path().join("gone.tsv");
    assert_eq!(opened(&gone, &[]), (0, None, None));
    assert_eq!(opened(&file, &[&gone]), (1, Some(1), Some(1)));
    assert_eq!(opened(&gone, &[&file]), (1, Some(1), Some(1)));
    assert_eq!(opened(&gone, &[&gone]), (0, None, None));
}

/// A language model of one layer, whose words mean nothing.
fn language_model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/tests/data/tiny.gguf")
}

#[test]
fn a_language_model_translates_in_order_is_cancelled_and_traced() {
    let (worker, events) = start();
    let next = || events.recv().expect("an event");
    let open = |languages: [Option<&str>; 2]| Request::OpenModel {
        job: JobId(7),
        folder: language_model(),
        languages: languages.map(|code| code.map(str::to_owned)),
        second: None,
        device: DeviceChoice::Cpu,
        memory: None,
    };
    worker.send(open([Some("en"), None]));
    assert!(
        matches!(next(), Event::Failed { .. }),
        "nobody says into which language"
    );
    worker.send(open([Some("en"), Some("pt")]));
    let Event::Models(ModelsEvent::Opened { info, .. }) = next() else {
        panic!("no model")
    };
    assert_eq!(
        (info.name.as_str(), info.target_language.as_str()),
        ("tiny", "pt")
    );
    let text = "Open the file. Print the page.";
    let control = JobControl::default();
    worker.send(translate(8, text, vec![1, 0], &control));
    let mut targets = Vec::new();
    for expected in [0, 1] {
        match next() {
            Event::Document(DocumentEvent::SentenceTranslated {
                index, translation, ..
            }) => {
                assert_eq!(index, expected);
                targets.push(Some(translation.text));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(next(), Event::Finished { .. }));
    worker.send(Request::Trace {
        job: JobId(9),
        document: document(text),
        targets: targets.clone(),
        part: None,
        top_t: None,
    });
    let Event::Explore(ExploreEvent::Traced { source, .. }) = next() else {
        panic!("no trace")
    };
    assert_eq!(source.overview().target.len(), 2);
    let ask = |view| Request::Explain {
        job: JobId(11),
        view,
        document: document(text),
        targets: targets.clone(),
        sentence: 1,
        edit: None,
        options: SearchOptions::default(),
        control: JobControl::default(),
    };
    for view in [ModelView::LeaveOneOut, ModelView::Difference] {
        worker.send(ask(view));
        let explanation = loop {
            match next() {
                Event::Adapting { .. } => {}
                Event::Explore(ExploreEvent::Explained { explanation, .. }) => {
                    break explanation.expect("an answer");
                }
                other => panic!("{other:?}"),
            }
        };
        match *explanation {
            Explanation::LeaveOneOut(view) => assert_eq!(view.changes.len(), 1),
            Explanation::Difference(view) => assert!(!view.words.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    control.cancel();
    worker.send(translate(10, text, vec![0, 1], &control));
    assert!(matches!(next(), Event::Cancelled { .. }));
    // A translation model takes its place again.
    worker.send(self::open());
    assert!(matches!(next(), Event::Models(ModelsEvent::Opened { .. })));
    translate_all(&worker, &events);
}
