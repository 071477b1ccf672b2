//! Devices that are lost, that are not there and of which there are two: the CPU goes on or a message says what to do, and
//! nothing is lost. What a GPU finds is what the CPU finds. Each in a process of its own, since a process that has lost its
//! GPU gets it no more. The GPU is software, Mesa's lavapipe.
#![cfg(target_os = "linux")]

mod kernels;
#[path = "../support/mod.rs"]
mod support;

use support::alone::alone_with;
use support::needs::lavapipe;
use support::{desk, tiny};

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use burn::tensor::{Device, Tensor};
use canopy::app::{DocumentEvent, ModelsEvent, RunEvent};
use canopy::error::{Error, find};
use canopy::inference::{ComputeDevice, DeviceChoice, SearchOptions, destroy_gpu};
use canopy::jobs::{
    Event, JobControl, JobId, Request, TrainingJob, TrainingRequest, Trainings, Worker,
};
use canopy::kernels::packed::Quantization;
use canopy::kernels::{StepScores, TokenSelection, WordNormaliser};
use canopy::model::{Context, ExecutorKind, Model, ModelConfig, Reach, Side};
use canopy::search::{Hypothesis, SourceSentence, SourceText, search_sentences};
use canopy::text::document::{Document, Format};
use canopy::training::{
    Control, DeviceLock, ProductPrecision, RunState, Schedule, TrainingConfig, TrainingEvent,
    run_state, train,
};
use canopy::weights::{ModelFolder, load_module, module_tensors};
use desk::Desk;

/// Kernels are compiled when they are first used, which takes long on the CPU.
const PATIENCE: Duration = Duration::from_mins(9);

/// Runs a test in a process of its own, with these drivers of Vulkan.
fn with_drivers(name: &str, drivers: &str, test: impl FnOnce()) {
    let variables = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|variable| (variable, drivers));
    alone_with(name, &variables, test);
}

/// Runs a test in a process of its own, whose GPU is software.
fn on_lavapipe(name: &str, test: impl FnOnce()) {
    with_drivers(name, &lavapipe().expect("Mesa's lavapipe"), test);
}

fn next(events: &Receiver<Event>) -> Event {
    events.recv_timeout(PATIENCE).expect("an event")
}

fn gpu() -> ComputeDevice {
    let device = ComputeDevice::open(DeviceChoice::Gpu).expect("lavapipe");
    assert!(device.software && !device.is_cpu(), "{}", device.name);
    device
}

/// The worker's result for a document: its translations, and after how many of them the CPU took over. With the first
/// translation that is not on the CPU, the GPU is lost.
fn translated(
    worker: &Worker,
    events: &Receiver<Event>,
    job: u64,
) -> (BTreeMap<usize, String>, Option<usize>) {
    let text = (0..24).map(|line| format!("<p>Open the file {line} in window {line}.</p>"));
    let text = text.collect::<String>();
    let document = Document::parse("page.html", Format::Html, text).expect("a page");
    worker.send(Request::Translate {
        job: JobId(job),
        sentences: (0..document.sentences.len()).collect(),
        document: Arc::new(document),
        fixed: BTreeMap::new(),
        terms: None,
        formality: None,
        options: SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        },
        control: JobControl::default(),
    });
    let (mut done, mut took_over) = (BTreeMap::new(), None);
    loop {
        match next(events) {
            Event::Document(DocumentEvent::SentenceTranslated {
                index, translation, ..
            }) => {
                assert!(done.insert(index, translation.text).is_none(), "twice");
                if job == 1 && done.len() == 1 {
                    destroy_gpu();
                }
            }
            Event::Models(ModelsEvent::CpuTookOver { error, .. }) => {
                println!("after {} sentences: {error}", done.len());
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
                took_over = Some(done.len());
            }
            Event::Finished { .. } => return (done, took_over),
            event => panic!("{event:?}"),
        }
    }
}

fn open(worker: &Worker, events: &Receiver<Event>, folder: &Path, device: DeviceChoice) -> String {
    // A language model has none of its own; those of a translation model are these.
    let is_language_model = !folder.join("model.toml").exists();
    let languages = ["en", "de"].map(|code| is_language_model.then(|| code.to_owned()));
    worker.send(Request::OpenModel {
        job: JobId(0),
        folder: folder.to_owned(),
        languages,
        second: None,
        device,
        memory: None,
    });
    match next(events) {
        Event::Models(ModelsEvent::Opened { device_name, .. }) => device_name,
        event => panic!("{event:?}"),
    }
}

/// Loses the GPU with the first sentence that a model has translated; the CPU translates the rest.
fn lose_the_gpu_with(model: &Path) {
    let (sender, events) = channel();
    let worker = Worker::spawn(DeviceLock::default(), sender, || ()).expect("a thread");
    let name = open(&worker, &events, model, DeviceChoice::Gpu);
    assert!(name.contains("Vulkan"), "{name}");
    let (translations, took_over) = translated(&worker, &events, 1);
    let before = took_over.expect("the CPU takes over");
    assert!(
        (1..24).contains(&before),
        "{before} of 24 before it was lost"
    );
    assert_eq!(translations.len(), 24);
    // The GPU is chosen no more, and what it wrote is what the CPU writes.
    assert!(ComputeDevice::open(DeviceChoice::Gpu).is_err());
    let automatic = ComputeDevice::open(DeviceChoice::Auto).expect("the CPU");
    assert!(automatic.is_cpu());
    let name = open(&worker, &events, model, DeviceChoice::Cpu);
    assert!(name.starts_with("CPU"), "{name}");
    let (again, took_over) = translated(&worker, &events, 2);
    assert_eq!(took_over, None);
    assert_eq!(again, translations);
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn the_cpu_goes_on_when_the_gpu_is_lost_while_it_translates() {
    let name = "the_cpu_goes_on_when_the_gpu_is_lost_while_it_translates";
    on_lavapipe(name, || lose_the_gpu_with(tiny::model_folder().path()));
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn the_cpu_goes_on_when_the_gpu_of_a_language_model_is_lost() {
    let name = "the_cpu_goes_on_when_the_gpu_of_a_language_model_is_lost";
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/tiny.gguf");
    on_lavapipe(name, || lose_the_gpu_with(&model));
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn the_cpu_goes_on_when_the_gpu_of_a_model_with_an_encoder_is_lost() {
    let name = "the_cpu_goes_on_when_the_gpu_of_a_model_with_an_encoder_is_lost";
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/folders/madlad");
    on_lavapipe(name, || lose_the_gpu_with(&model));
}

/// How a run ends that is begun or goes on; its GPU is lost after three steps.
fn trained(run: &Path, config: &TrainingConfig, device: DeviceChoice, resume: bool) -> Event {
    let (sender, events) = channel();
    let trainings = Trainings::spawn(DeviceLock::default(), sender, || ()).expect("a thread");
    trainings.send(TrainingRequest::Start(Box::new(TrainingJob {
        job: JobId(1),
        config: config.clone(),
        run: run.to_owned(),
        resume,
        device,
    })));
    loop {
        match next(&events) {
            Event::Training(RunEvent::Progressed {
                event: TrainingEvent::Step { step, .. },
                ..
            }) => {
                println!("step {step}");
                if device == DeviceChoice::Gpu && step == 3 {
                    destroy_gpu();
                }
            }
            end @ (Event::Finished { .. } | Event::Failed { .. }) => return end,
            _ => {}
        }
    }
}

fn lose_the_gpu_in_training() {
    let home = tempfile::tempdir().expect("a folder");
    let (corpus, run) = (home.path().join("corpus"), home.path().join("run"));
    tiny::corpus(&corpus);
    let config = TrainingConfig {
        corpus,
        preset: "transformer-tiny".to_owned(),
        vocab_size: tiny::VOCAB,
        batch_tokens: 120,
        checkpoint_every: 2,
        keep_checkpoints: 2,
        validate_every: 50,
        steps: 6,
        ..TrainingConfig::default()
    };
    let Event::Failed { error, .. } = trained(&run, &config, DeviceChoice::Gpu, false) else {
        panic!("it cannot go on")
    };
    println!("{error}");
    assert!(
        matches!(find(&error), Some(Error::DeviceLost { .. })),
        "{error}"
    );
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    let state = run_state(&run).expect("readable");
    assert!(matches!(state, RunState::Failed { .. }), "{state:?}");
    // What was saved is whole: the run goes on from there on the CPU.
    let end = trained(&run, &config, DeviceChoice::Cpu, true);
    assert!(matches!(end, Event::Finished { .. }), "{end:?}");
    let events = fs::read_to_string(run.join("events.jsonl")).expect("events");
    let steps = events
        .lines()
        .filter(|line| line.contains(r#""event":"step""#));
    let steps: Vec<&str> = steps.collect();
    assert!(steps.last().expect("steps").contains(r#""step":6"#));
    assert!(run.join("checkpoints/last/model.toml").is_file());
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn a_run_whose_gpu_is_lost_says_so_and_goes_on_from_its_checkpoint() {
    let name = "a_run_whose_gpu_is_lost_says_so_and_goes_on_from_its_checkpoint";
    on_lavapipe(name, lose_the_gpu_in_training);
}

fn train_in_16_bits() {
    let home = tempfile::tempdir().expect("a folder");
    let corpus = home.path().join("corpus");
    tiny::corpus(&corpus);
    let gpu = gpu().device;
    let losses = |name: &str, device, precision| {
        let config = TrainingConfig {
            corpus: corpus.clone(),
            preset: "transformer-tiny".to_owned(),
            vocab_size: tiny::VOCAB,
            batch_tokens: 120,
            schedule: Schedule::Constant,
            learning_rate: 1e-3,
            dropout: 0.0,
            validate_every: 0,
            steps: 8,
            precision,
            ..TrainingConfig::default()
        };
        let (mut losses, control) = (Vec::new(), Control::default());
        let run = home.path().join(name);
        let ended = train(&config, &run, false, device, name, &control, &mut |event| {
            if let TrainingEvent::Step { loss, .. } = event {
                losses.push(*loss);
            }
        });
        ended.map(|_| losses)
    };
    let [whole, half] = [ProductPrecision::Float32, ProductPrecision::Float16]
        .map(|precision| losses(precision.name(), &gpu, precision).expect("trains"));
    assert!(whole[7] < whole[0] - 0.3, "it learns: {whole:?}");
    let apart = whole.iter().zip(&half).map(|(x, y)| (x - y).abs());
    let apart = apart.fold(0.0, f32::max);
    println!("float16: {apart:e} apart");
    assert!(
        half.len() == 8 && apart > 0.0 && apart < 5e-3,
        "{whole:?}, {half:?}"
    );
    let refused = losses("bfloat16", &gpu, ProductPrecision::BFloat16);
    let refused = refused.expect_err("WGSL has no such numbers").to_string();
    assert!(refused.contains("float32, float16"), "{refused}");
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn products_of_16_bits_follow_the_curve_of_32_on_a_gpu() {
    let name = "products_of_16_bits_follow_the_curve_of_32_on_a_gpu";
    on_lavapipe(name, train_in_16_bits);
}

/// Ids and log-probability of the translation of each sentence, and of the next best ones; by burn's layers, or by weights
/// that are kept for searches.
fn searched(
    folder: &Path,
    (device, kept): (&Device, Option<Quantization>),
    beam_size: usize,
) -> Vec<Vec<(Vec<u32>, f32)>> {
    let (model, _) = ModelFolder::open(folder)
        .and_then(|opened| opened.load(folder, device))
        .expect("a model");
    let model = match kept {
        Some(quantization) => model.packed_as(quantization),
        None => model,
    };
    assert_eq!(
        kept.is_some() && *device != Device::flex(),
        model.executor().kind() == ExecutorKind::Gpu
    );
    let vocabulary = tiny::vocabulary();
    let sentences = tiny::pairs().into_iter().take(12).enumerate();
    let sentences = sentences.map(|(number, (source, _))| SourceSentence {
        // Every third has markup, which the search has to keep.
        ids: match number % 3 {
            0 => vocabulary.encode(&format!("{source} \u{E100}")),
            _ => vocabulary.encode(&source),
        },
        position: (0, number),
    });
    let text = SourceText::from_sentences(sentences.collect());
    translations(&model, &text, beam_size)
}

fn translations(model: &Model, text: &SourceText, beam_size: usize) -> Vec<Vec<(Vec<u32>, f32)>> {
    let options = SearchOptions {
        beam_size,
        alternatives: beam_size - 1,
        ..SearchOptions::default()
    };
    let mut found = vec![Vec::new(); text.sentences.len()];
    let mut keep = |number: usize, best: Hypothesis| {
        let all = std::iter::once(&best).chain(&best.others);
        found[number] = all.map(|it| (it.ids.clone(), it.log_prob)).collect();
        ControlFlow::Continue(())
    };
    let vocabulary = tiny::vocabulary();
    search_sentences(model, &vocabulary, text, &options, &mut keep).expect("probabilities");
    found
}

fn search_documents() {
    let (gpu, cpu) = (gpu().device, Device::flex());
    let vocabulary = tiny::vocabulary();
    let sentences = tiny::pairs().into_iter().take(7).enumerate();
    let sentences = sentences.map(|(number, (source, _))| SourceSentence {
        ids: vocabulary.encode(&source),
        position: (0, number),
    });
    let text = SourceText {
        documents: std::iter::once(0..7).collect(),
        ..SourceText::from_sentences(sentences.collect())
    };
    let selective = |side| Context::Selective {
        words: WordNormaliser::Sparsemax,
        reach: Reach::Offline,
        side,
    };
    let han = Context::Han {
        previous: 2,
        side: Side::Both,
    };
    // The encoder reads the document, or the decoder does, after its last layer.
    for context in [
        Context::Concatenation { previous: 1 },
        selective(Side::Encoder),
        selective(Side::Decoder),
        han,
    ] {
        let config = ModelConfig {
            context: Some(context),
            ..tiny::config()
        };
        let here = Model::seeded(&config, 3, &cpu).expect("a model");
        let there = Model::seeded(&config, 3, &gpu).expect("a model");
        let there = load_module(there, module_tensors(&here), Path::new("weights"));
        let there = there
            .expect("the same weights")
            .packed_as(Quantization::None);
        assert_eq!(there.executor().kind(), ExecutorKind::Gpu, "{context:?}");
        let here = translations(&here, &text, 2);
        let there = translations(&there, &text, 2);
        for (here, there) in here.iter().flatten().zip(there.iter().flatten()) {
            assert_eq!(here.0, there.0, "{context:?}");
            assert!((here.1 - there.1).abs() < 1e-3, "{} {}", here.1, there.1);
        }
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn documents_on_a_gpu_are_translated_as_on_the_cpu() {
    let name = "documents_on_a_gpu_are_translated_as_on_the_cpu";
    on_lavapipe(name, search_documents);
}

fn search() {
    let (gpu, cpu) = (gpu().device, Device::flex());
    // Among equal scores the lowest ids are read, and no others.
    let scores: Vec<f32> = (0..1_000_u16).map(|id| f32::from(id * 7 % 5)).collect();
    let read = |device, read| {
        let scores = Tensor::<1>::from_floats(scores.as_slice(), device);
        let mut step_scores = StepScores::default();
        step_scores.read(scores.reshape([2, 500]), read);
        step_scores
    };
    let first = TokenSelection { first: 3, top_k: 4 };
    let (all, few) = (read(&cpu, None), read(&gpu, Some(first)));
    let columns = few.columns.expect("a part of them");
    for (row, all) in all.values.chunks(500).enumerate() {
        // Both rows are alike: 500 is a multiple of 5.
        let best: Vec<u32> = (3..500_u32)
            .filter(|&id| scores[id as usize] >= 4.0)
            .take(4)
            .collect();
        assert_eq!(columns.others_of(row, 2), best);
        for (id, score) in (0..3).chain(best).zip(&few.values[row * 7..]) {
            let log_prob = score - few.normalisers[row];
            assert!((log_prob - all[id as usize]).abs() < 1e-4, "{id}");
        }
    }
    let model = tiny::model_folder();
    for beam_size in [1, 4] {
        let here = searched(model.path(), (&cpu, None), beam_size);
        for kept in [None, Some(Quantization::None)] {
            let there = searched(model.path(), (&gpu, kept), beam_size);
            for (here, there) in here.iter().zip(&there) {
                assert_eq!((here.len(), there.len()), (beam_size, beam_size));
                for ((ids, log_prob), (other_ids, other)) in here.iter().zip(there) {
                    assert_eq!(ids, other_ids);
                    assert!((log_prob - other).abs() < 1e-3, "{log_prob} {other}");
                }
            }
        }
        // In 16 bits a model that has learned nothing may choose another word.
        let there = searched(model.path(), (&gpu, Some(Quantization::Float16)), beam_size);
        let both = here
            .iter()
            .zip(&there)
            .map(|(here, there)| (&here[0], &there[0]));
        let same: Vec<f32> = { both.filter(|(here, there)| here.0 == there.0) }
            .map(|(here, there)| (here.1 - there.1).abs())
            .collect();
        assert!(same.len() >= 8, "{} of 12", same.len());
        assert!(
            same.iter().all(|&apart| apart > 0.0 && apart < 2e-2),
            "{same:?}"
        );
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn a_search_on_a_gpu_finds_what_it_finds_on_the_cpu() {
    let name = "a_search_on_a_gpu_finds_what_it_finds_on_the_cpu";
    on_lavapipe(name, search);
}

/// `canopy translate` on a device, where there is no driver of Vulkan.
fn translated_without_a_gpu(device: &str) -> std::process::Output {
    let desk = Desk::new();
    let page = desk.file("page.html", desk::PAGE);
    Process::new(env!("CARGO_BIN_EXE_canopy"))
        .args(["translate", "--beam", "1", "--device", device, "--model"])
        .arg(desk.model.path())
        .arg(&page)
        .env("VK_DRIVER_FILES", "/nonexistent/driver.json")
        .env("VK_ICD_FILENAMES", "/nonexistent/driver.json")
        .output()
        .expect("it runs")
}

#[test]
fn without_a_gpu_the_cpu_translates_or_a_message_says_what_to_choose() {
    desk::assert_done(&translated_without_a_gpu("auto"));
    let refused = translated_without_a_gpu("gpu");
    let message = "no graphics adapter was found; choose the CPU";
    desk::assert_failed(&refused, &[message]);
}

fn open_one_of_two_gpus() {
    println!("{}", gpu().name);
    // Software is nothing that is chosen by itself.
    let automatic = ComputeDevice::open(DeviceChoice::Auto).expect("the CPU");
    assert!(automatic.is_cpu(), "{}", automatic.name);
    assert_eq!(gpu().name, gpu().name);
}

#[test]
#[cfg_attr(not(has_lavapipe), ignore = "needs Mesa's lavapipe")]
fn of_two_gpus_one_is_taken() {
    let home = tempfile::tempdir().expect("a folder");
    let driver = lavapipe().expect("Mesa's lavapipe");
    // The same driver twice is two adapters.
    let copies = ["one.json", "two.json"].map(|name| home.path().join(name));
    for copy in &copies {
        fs::copy(&driver, copy).expect("copied");
    }
    let two = format!("{}:{}", copies[0].display(), copies[1].display());
    with_drivers("of_two_gpus_one_is_taken", &two, open_one_of_two_gpus);
}
