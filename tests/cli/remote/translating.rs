//! Translations and traces of another machine.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use canopy::inference::{DeviceChoice, KnownTranslations, Step, TranslationRequest};
use canopy::memory::TranslationMemory;
use canopy::search::SearchOptions;

use crate::remote::desk::{assert_done, canopy};
use crate::remote::proxy::Proxy;
use crate::remote::{Machine, document, host, open, tiny, translated};

fn asset(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets/models")
        .join(name)
}

#[test]
fn it_finds_what_this_machine_finds() {
    let (machine, model) = (Machine::start(), tiny::model_folder());
    let document = document(60);
    let mut here = open(model.path(), DeviceChoice::Cpu);
    let mut there = open(model.path(), DeviceChoice::Remote(machine.host()));
    assert!(!there.loaded().is_on_cpu() && there.loaded().device().name.contains("CPU"));
    let found = translated(&there, &document);
    assert_eq!(found, translated(&here, &document));
    // Its memory is here, and what is not in it goes over.
    let pairs = vec![("Open the file.".to_owned(), "Auf damit.".to_owned())];
    for translator in [&mut here, &mut there] {
        translator.set_memory(TranslationMemory::new(pairs.clone()));
    }
    assert_eq!(translated(&there, &document), translated(&here, &document));
    let part = Some(3..9);
    let [ours, theirs] = [&here, &there].map(|it| {
        let trace = it
            .trace_part(&document, &found, part.clone())
            .expect("a trace");
        let path = machine.store.path().join("compared.trace");
        canopy::trace::save(&trace, &path, true).expect("written");
        std::fs::read(path).expect("read")
    });
    assert!(ours == theirs, "traces differ");
}

#[test]
fn a_page_is_the_same_byte_for_byte_and_takes_less_than_a_round_trip_a_token() {
    let machine = Machine::start();
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/samples/printing-a-brochure.html"
    );
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["help-en-de", "starter-en-de"] {
        let model = asset(name);
        let written = |device: &str, extra: &[&str]| {
            let place = |ending: &str| folder.path().join(ending).display().to_string();
            let (to, trace) = (place("out.html"), place("out.json"));
            let mut arguments = vec!["translate", page, "-o", &to, "--force", "--trace", &trace];
            let model = model.display().to_string();
            arguments.extend(["--model", &model, "--device", device]);
            arguments.extend(extra);
            let output = canopy(&arguments);
            assert_done(&output);
            [to, trace].map(|path| std::fs::read(path).expect("written"))
        };
        let device = format!("remote:{}", machine.address);
        let there = written(&device, &["--remote-key", "open sesame"]);
        assert!(there == written("cpu", &[]), "{name} differs");
    }
    let there = open(&asset("help-en-de"), DeviceChoice::Remote(machine.host()));
    let document = canopy::text::document::Document::open(page, None).expect("a page");
    let before = there.traffic().expect("another machine").round_trips;
    let found = translated(&there, &document);
    let tokens: usize = found.iter().flatten().map(|it| it.num_tokens).sum();
    let trips = there.traffic().expect("another machine").round_trips - before;
    assert!(
        usize::try_from(trips).expect("few") * 4 < tokens,
        "{trips} round trips for {tokens} tokens"
    );
}

#[test]
fn a_broken_connection_loses_nothing() {
    let (machine, model) = (Machine::start(), tiny::model_folder());
    // Every connection breaks after a few answers.
    let proxy = Proxy::start(machine.address, 20_000);
    canopy::remote::set_key(host(proxy.address), "open sesame");
    let document = document(400);
    let there = open(model.path(), DeviceChoice::Remote(host(proxy.address)));
    let found = translated(&there, &document);
    assert!(proxy.cuts.load(Ordering::Relaxed) > 1, "it was cut");
    let here = open(model.path(), DeviceChoice::Cpu);
    assert!(found == translated(&here, &document));
}

#[test]
fn a_restarted_machine_gets_the_rest_of_the_work() {
    let (mut machine, model) = (Machine::start(), tiny::model_folder());
    let document = document(400);
    let there = open(model.path(), DeviceChoice::Remote(machine.host()));
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut found = vec![None; all.len()];
    let options = SearchOptions::default();
    let mut count = 0;
    let done = there.translate(&document, &all, &options, &mut |index, translation| {
        assert!(found[index].replace(translation).is_none(), "reported once");
        count += 1;
        if count == 40 {
            machine.restart();
        }
        ControlFlow::Continue(())
    });
    done.expect("translated");
    let here = open(model.path(), DeviceChoice::Cpu);
    assert!(found == translated(&here, &document));
}

#[test]
fn who_leaves_ends_the_search() {
    let (machine, model) = (Machine::start(), tiny::model_folder());
    let there = open(model.path(), DeviceChoice::Remote(machine.host()));
    let long = document(8_000);
    let all: Vec<usize> = (0..long.sentences.len()).collect();
    let mut known = KnownTranslations::default();
    let options = SearchOptions::default();
    let mut num_translated = 0;
    let begun = Instant::now();
    let request = TranslationRequest::new(&long, &all, &mut known, &options);
    let ended = there.run(request, &mut |event| {
        num_translated += usize::from(matches!(event.step, Step::Translated { .. }));
        if num_translated > 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    ended.expect("it ends");
    let until_ended = begun.elapsed();
    // Had the search gone on, this one would wait for its end.
    let short = document(2);
    let begun = Instant::now();
    translated(&there, &short);
    assert!(num_translated < 8_000);
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{until_ended:?}, then {:?}",
        begun.elapsed()
    );
}
