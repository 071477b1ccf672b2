//! A model that reads a translation memory keeps the pairs it learnt from, and reads them when it translates.

use canopy::corpus::{Corpus, Split, segments};
use canopy::inference::{DeviceChoice, Translator};
use canopy::memory::Match;
use canopy::model::SENTENCE_BREAK;
use canopy::text::placeholder::stripped;
use canopy::training::TrainingData;
use canopy::training::error::Error;

use super::*;

#[test]
fn a_model_reads_the_translation_of_the_most_similar_training_sentence() {
    let place = Place::new();
    let config = TrainingConfig {
        preset: "fuzzy-match-small".to_owned(),
        ..place.config(2)
    };
    let data = TrainingData::open(&config, None, 64).expect("opens");
    let memory = data.memory.as_ref().expect("a memory");
    let vocabulary = data.tokenizer.own().expect("our own");
    let (mut itself, mut others) = (0, 0);
    for example in &data.train.examples {
        let end = example.source.iter().position(|&id| id == SENTENCE_BREAK);
        let Some(end) = end else { continue };
        let (own, fuzzy_suffix) = example.source.split_at(end);
        let own = vocabulary.decode(own);
        let (exact, other) = (memory.best(&own), memory.best_other(&own));
        let read = Some(vocabulary.decode(&fuzzy_suffix[1..]));
        let target = |found: Option<Match<'_>>| found.map(|found| found.target.to_owned());
        if read == target(other) {
            others += 1;
        } else {
            assert_eq!(read, target(exact), "{own}");
            itself += 1;
        }
    }
    assert!(0 < itself && 2 * itself < others, "{itself}, {others}");

    let run = place.run("run");
    trained(&config, &run, false).expect("trains");
    let model = Translator::open(&run.join("checkpoints/last"), DeviceChoice::Cpu);
    let description = model.expect("a model").description().clone();
    assert_eq!(description.memory.as_ref(), Some(memory));
    let known = memory.best("Open the file.").expect("a training sentence");
    let fuzzy_suffix = description.fuzzy_suffix("Open the file.", 5, &**vocabulary);
    assert_eq!((known.score, fuzzy_suffix[0]), (1.0, SENTENCE_BREAK));
    assert_eq!(vocabulary.decode(&fuzzy_suffix[1..]), known.target);
    let full = description.model.max_tokens - 2;
    let none = description.fuzzy_suffix("Open the file.", full, &**vocabulary);
    assert_eq!(none, Vec::<u32>::new());

    fs::remove_file(run.join("checkpoints/last/memory.tsv.gz")).expect("it is there");
    let without = Translator::open(&run.join("checkpoints/last"), DeviceChoice::Cpu);
    let without = without.expect("still a model").description().clone();
    assert!(
        without
            .fuzzy_suffix("Open the file.", 5, &**vocabulary)
            .is_empty()
    );
}

#[test]
fn a_run_goes_on_with_the_memory_that_it_began_with() {
    let place = Place::new();
    let file = place.run("more.tsv");
    fs::write(&file, "Rename the printer.\tDen Drucker umbenennen.\n").expect("a file");
    let config = |steps| TrainingConfig {
        preset: "fuzzy-match-small".to_owned(),
        memory: file.clone(),
        ..place.config(steps)
    };
    let run = place.run("run");
    trained(&config(1), &run, false).expect("trains");
    let on = trained(&config(2), &run, true).expect("goes on");
    assert_eq!(steps(&on), [2]);
    fs::write(&file, "Rename the printer.\tDrucker umbenennen.\n").expect("a file");
    let refused = trained(&config(3), &run, true).expect_err("another memory");
    assert!(matches!(refused, Error::SourceChanged { .. }), "{refused}");
    let words = refused.to_string();
    assert!(
        words.contains("the memory") && words.contains("more.tsv"),
        "{words}"
    );

    // As older programs wrote it.
    let record = run.join("run.json");
    let text = fs::read_to_string(&record).expect("readable");
    let mut old: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    old.as_object_mut().expect("an object").remove("memory");
    fs::write(&record, old.to_string()).expect("writes");
    let on = trained(&config(3), &run, true).expect("goes on");
    assert_eq!(steps(&on), [3]);
}

#[test]
fn a_run_remembers_more_than_it_learns_but_nothing_that_is_held_out() {
    let place = Place::new();
    let dev = Corpus::open(place.corpus()).and_then(|corpus| segments(&corpus, Split::Dev));
    let held_out = stripped(&dev.expect("a corpus")[0].units[0].source);
    let file = place.run("more.tsv");
    let more = format!("Rename the printer.\tDen Drucker umbenennen.\n{held_out}\tGeschummelt.\n");
    fs::write(&file, more).expect("a file");
    let config = TrainingConfig {
        preset: "nearest-neighbours-small".to_owned(),
        memory: file,
        ..place.config(2)
    };
    let data = TrainingData::open(&config, None, 64).expect("opens");
    let memory = data.memory.as_ref().expect("a memory");
    let target = |source: &str| memory.best(source).map(|found| found.target);
    assert_eq!(
        target("Rename the printer."),
        Some("Den Drucker umbenennen.")
    );
    assert_ne!(target(&held_out), Some("Geschummelt."));

    let config = TrainingConfig {
        preset: "x-transformer-small".to_owned(),
        ..config
    };
    let refused = trained(&config, &place.run("run"), false).expect_err("it has no memory");
    assert!(refused.to_string().contains("memory"), "{refused}");
}
