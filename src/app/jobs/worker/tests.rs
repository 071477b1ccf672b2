use canopy_base::error::is_of_device;
use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::{Format, Sentence};
use canopy_explain::trace::Trace;
use canopy_explain::{ContextDifference, Explanation, ModelView, ViewKind};
use canopy_translate::inference::{ModelInfo, TraceCost, Translation};

struct Fake(ModelInfo, DeviceChoice);

impl Engine for Fake {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn device_name(&self) -> &'static str {
        "fake"
    }

    fn is_on_cpu(&self) -> bool {
        self.1 == DeviceChoice::Cpu
    }

    fn remember(&mut self, memory: TranslationMemory, _learns: bool) -> Result<()> {
        self.0.name = format!("fake with {} pairs", memory.len());
        Ok(())
    }

    fn memory(&self) -> Option<Arc<TranslationMemory>> {
        None
    }

    fn learns(&self) -> bool {
        false
    }

    fn adapted(
        &self,
        document: &Document,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self> {
        let learns = document.name.starts_with("learn") && step(0, 1).is_continue();
        learns.then(|| Self(self.0.clone(), self.1))
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
            let is_lost = document.name == "lost" && !self.is_on_cpu() && index > 1;
            // As burn tells it.
            assert!(!is_lost || index > 2, "the device is lost");
            if is_lost || document.name == "damaged" {
                return Err(Error::Base(BaseError::InvalidScores {
                    sentence: document.sentence_name(0),
                    found: f32::NAN,
                }));
            }
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
        &self,
        _document: &Document,
        _targets: Vec<Option<String>>,
        _part: Option<std::ops::Range<usize>>,
        _top_t: Option<usize>,
    ) -> Result<Trace> {
        unreachable!("not asked for here")
    }

    fn explain(
        &self,
        made: Option<&Self>,
        question: &ModelQuestion<'_>,
        _prepared: &mut Option<Prepared>,
        _step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Explanation> {
        let model = made.map_or("fake", |_| "fake, made for the document");
        Ok(Explanation::Difference(ContextDifference {
            model: model.to_owned(),
            sentence: question.sentence,
            source: String::new(),
            translation: String::new(),
            written: Vec::new(),
            words: Vec::new(),
            selected: None,
        }))
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "has the shape of Translator::open_legs"
)]
fn open_fake(legs: &[Leg], device: DeviceChoice) -> Result<Fake> {
    let info = ModelInfo {
        name: "fake".to_owned(),
        folder: legs[0].folder.clone(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        num_parameters: 0,
        reads: Reads::Nothing,
        trace_cost: TraceCost::default(),
    };
    Ok(Fake(info, device))
}

fn document(name: &str) -> Arc<Document> {
    let mut document = Document::empty(name, Format::Text);
    document.sentences.push(Sentence {
        paragraph: 0,
        range: 0..0,
        text: name.to_owned(),
        markup: vec![],
        points: vec![],
        known: None,
    });
    Arc::new(document)
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
        address: None,
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
        folder: "model".into(),
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
pub fn start_sharing(device_lock: DeviceLock) -> (Worker, Receiver<Event>) {
    let (sender, events) = channel();
    let worker = Worker::spawn_with(open_fake, device_lock, sender, || ()).expect("a thread");
    assert!(worker.send(open()));
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
        Event::SentenceTranslated { index: 0, .. }
    ));
    assert!(matches!(
        events.recv().expect("an event"),
        Event::Finished { job: JobId(2) }
    ));
}

#[test]
fn the_cpu_goes_on_where_the_device_fails() {
    // With the sentence that fails first: by a panic, by scores that are none.
    for (first, failed) in [(0, 2), (3, 3)] {
        let (worker, events) = start();
        let next = || events.recv().expect("an event");
        worker.send(open_on(DeviceChoice::Gpu));
        assert!(matches!(next(), Event::ModelOpened { .. }));
        let control = JobControl::default();
        worker.send(translate(1, "lost", (first..6).collect(), &control));
        let (mut done, mut told) = (Vec::new(), Vec::new());
        let end = loop {
            match next() {
                Event::SentenceTranslated { index, .. } => done.push(index),
                Event::CpuTookOver { error, .. } => told.push((done.len(), is_of_device(&error))),
                end => break end,
            }
        };
        assert!(matches!(end, Event::Finished { job: JobId(1) }), "{end:?}");
        assert_eq!(done, (first..6).collect::<Vec<_>>());
        assert_eq!(told, [(failed - first, true)]);
        // It stays there.
        worker.send(translate(2, "lost", vec![4], &control));
        assert!(matches!(next(), Event::SentenceTranslated { index: 4, .. }));
        assert!(matches!(next(), Event::Finished { job: JobId(2) }));
    }
}

#[test]
fn where_the_cpu_fails_too_the_error_names_the_sentence() {
    for device in [DeviceChoice::Cpu, DeviceChoice::Gpu] {
        let (worker, events) = start();
        let next = || events.recv().expect("an event");
        worker.send(open_on(device));
        assert!(matches!(next(), Event::ModelOpened { .. }));
        worker.send(translate(1, "damaged", vec![0, 1], &JobControl::default()));
        if device == DeviceChoice::Gpu {
            assert!(matches!(next(), Event::CpuTookOver { .. }));
        }
        let Event::Failed { error, .. } = next() else {
            panic!()
        };
        assert!(error.to_string().contains("1 (\"damaged\")"), "{error}");
    }
}

#[test]
fn learning_is_told_and_can_be_cancelled() {
    let (worker, events) = start();
    let next = || events.recv().expect("an event");
    worker.send(translate(1, "learn", vec![0], &JobControl::default()));
    assert!(matches!(
        next(),
        Event::Adapting {
            done: 0,
            num: 1,
            ..
        }
    ));
    assert!(matches!(next(), Event::SentenceTranslated { .. }));
    assert!(matches!(next(), Event::Finished { .. }));
    // The model is made for the document.
    worker.send(translate(2, "learn", vec![1], &JobControl::default()));
    assert!(matches!(next(), Event::SentenceTranslated { .. }));
    assert!(matches!(next(), Event::Finished { .. }));
    let control = JobControl::default();
    control.cancel();
    worker.send(translate(3, "learn more", vec![0], &control));
    assert!(matches!(next(), Event::Adapting { .. }));
    assert!(matches!(next(), Event::Cancelled { .. }));
}

#[test]
fn translating_without_a_model_fails() {
    let (sender, events) = channel();
    let worker =
        Worker::spawn_with(open_fake, DeviceLock::default(), sender, || ()).expect("a thread");
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
fn whether_the_context_mattered_is_asked_of_the_model_that_is_made_for_the_document() {
    let (worker, events) = start();
    let next = || events.recv().expect("an event");
    for (name, expected) in [("learn", "fake, made for the document"), ("page", "fake")] {
        worker.send(explain(4, name, &JobControl::default()));
        if name == "learn" {
            assert!(matches!(next(), Event::Adapting { job: JobId(4), .. }));
        }
        let Event::Explained {
            explanation: Ok(told),
            ..
        } = next()
        else {
            panic!("it tells")
        };
        let Explanation::Difference(told) = *told else {
            panic!("the difference")
        };
        assert_eq!((told.model.as_str(), told.sentence), (expected, 4));
    }
    let control = JobControl::default();
    control.cancel();
    worker.send(explain(5, "learn more", &control));
    assert!(matches!(next(), Event::Adapting { .. }));
    assert!(matches!(next(), Event::Cancelled { job: JobId(5) }));
}

#[test]
fn of_sentences_that_wait_to_be_asked_about_only_the_last_one_is() {
    let (requests, inbox) = channel();
    let ask = |sentence| explain(sentence, "page", &JobControl::default());
    requests.send(open()).expect("a thread");
    for sentence in 1..3 {
        requests.send(ask(sentence)).expect("a thread");
    }
    let translation = translate(9, "page", vec![], &JobControl::default());
    requests.send(translation).expect("a thread");
    requests.send(ask(3)).expect("a thread");
    drop(requests);
    let told = std::cell::RefCell::new(Vec::new());
    let worker = Loop {
        open: open_fake,
        emit: |event| told.borrow_mut().push(event),
        engine: None,
        opened: None,
        device_lock: DeviceLock::default(),
        encoded: None,
        made: None,
        prepared: None,
        terms: None,
        address: None,
    };
    worker.run(&inbox);
    let told = told.into_inner();
    assert!(
        matches!(
            &told[..],
            [
                Event::ModelOpened { .. },
                Event::Finished { job: JobId(9) },
                Event::Explained {
                    job: JobId(3),
                    explanation: Ok(told)
                }
            ] if told.of_sentence() == Some((ViewKind::Difference, 3))
        ),
        "{told:?}"
    );
}

#[test]
fn a_model_comes_with_its_memory_and_without_one_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.tsv");
    std::fs::write(&file, "Stop.\tHalt.\n").expect("written");
    let (sender, events) = channel();
    let worker =
        Worker::spawn_with(open_fake, DeviceLock::default(), sender, || ()).expect("a thread");
    let opened = |memory: &Path| {
        let Request::OpenModel {
            job,
            folder,
            device,
            ..
        } = open()
        else {
            panic!()
        };
        worker.send(Request::OpenModel {
            job,
            folder,
            languages: [None, None],
            second: None,
            device,
            memory: Some(UserMemory {
                path: memory.to_owned(),
                learns: false,
            }),
        });
        let Event::MemoryOpened { pairs, .. } = events.recv().expect("an event") else {
            panic!()
        };
        let Event::ModelOpened { info, .. } = events.recv().expect("an event") else {
            panic!()
        };
        (pairs.ok(), info.name)
    };
    assert_eq!(opened(&file), (Some(1), "fake with 1 pairs".to_owned()));
    let gone = folder.path().join("gone.tsv");
    assert_eq!(opened(&gone), (None, "fake".to_owned()));
}
