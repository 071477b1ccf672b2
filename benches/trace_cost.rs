//! The cost of recording a model's attention, compared with the translation itself.
//!
//! `cargo bench --bench trace_cost -- [--model FOLDER] DOCUMENT…`; without documents the sample page.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use canopy::inference::{DeviceChoice, SearchOptions, Translator, starter_model};
use canopy::text::document::Document;
use canopy::trace::save;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REPETITIONS: usize = 5;

fn main() {
    canopy::never_purge_memory();
    let mut model = None;
    let mut documents: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--model" => model = arguments.next().map(PathBuf::from),
            "--bench" => {}
            path => documents.push(path.into()),
        }
    }
    if documents.is_empty() {
        let samples = std::fs::read_dir("assets/samples").expect("the samples");
        let samples = samples.flatten().map(|entry| entry.path());
        documents.extend(samples.filter(|path| path.extension().is_some_and(|it| it == "html")));
    }
    let model = model.unwrap_or_else(|| starter_model().expect("the starter model"));
    let translator = Translator::open(&model, DeviceChoice::Cpu).expect("a model");
    let documents: Vec<Document> = documents
        .iter()
        .map(|path| Document::open(path, None).expect("a document"))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    println!(
        "{} on {}",
        translator.info().name,
        translator.loaded().device().name
    );
    println!("beam  translation  trace  with its file");
    for beam_size in [1, 4] {
        let options = SearchOptions {
            beam_size,
            ..SearchOptions::default()
        };
        let mut seconds: Vec<[f64; 3]> = (0..REPETITIONS)
            .map(|_| {
                let mut sums = [0.0; 3];
                for document in &documents {
                    let begun = Instant::now();
                    let all: Vec<usize> = (0..document.sentences.len()).collect();
                    let mut translations = vec![None; all.len()];
                    let mut keep = |index: usize, translation| {
                        translations[index] = Some(translation);
                        ControlFlow::Continue(())
                    };
                    translator
                        .translate(document, &all, &options, &mut keep)
                        .expect("the device works");
                    sums[0] += begun.elapsed().as_secs_f64();
                    let begun = Instant::now();
                    let trace = translator.trace(document, &translations).expect("a trace");
                    sums[1] += begun.elapsed().as_secs_f64();
                    let file = folder.path().join("bench.trace");
                    save(&trace, file, true).expect("the disk is not full");
                    sums[2] += begun.elapsed().as_secs_f64();
                }
                sums
            })
            .collect();
        seconds.sort_by(|one, other| one[1].total_cmp(&other[1]));
        let [translation, trace, file] = seconds[REPETITIONS / 2];
        println!(
            "{beam_size:4}  {translation:9.3} s  {:4.1} %  {:11.1} %",
            100.0 * trace / translation,
            100.0 * file / translation
        );
    }
}
