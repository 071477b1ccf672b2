//! A model that reads a translation memory keeps the pairs it learnt from, and reads them when it translates.

use canopy::inference::{DeviceChoice, Translator};
use canopy::memory::Match;
use canopy::model::SENTENCE_BREAK;
use canopy::training::TrainingData;

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
    let vocabulary = &data.vocabulary;
    let (mut itself, mut others) = (0, 0);
    for example in &data.train.examples {
        let end = example.source.iter().position(|&id| id == SENTENCE_BREAK);
        let Some(end) = end else { continue };
        let (own, behind) = example.source.split_at(end);
        let own = vocabulary.decode(own);
        let (exact, other) = (memory.best(&own), memory.best_other(&own));
        let read = Some(vocabulary.decode(&behind[1..]));
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
    let behind = description.behind("Open the file.", 5, vocabulary);
    assert_eq!((known.score, behind[0]), (1.0, SENTENCE_BREAK));
    assert_eq!(vocabulary.decode(&behind[1..]), known.target);
    let full = description.model.max_tokens - 2;
    let none = description.behind("Open the file.", full, vocabulary);
    assert_eq!(none, Vec::<u32>::new());

    fs::remove_file(run.join("checkpoints/last/memory.tsv")).expect("it is there");
    let without = Translator::open(&run.join("checkpoints/last"), DeviceChoice::Cpu);
    let without = without.expect("still a model").description().clone();
    assert!(without.behind("Open the file.", 5, vocabulary).is_empty());
}
