//! Examples of a corpus, and the way of an epoch through them.

use std::ops::Range;

use canopy::corpus::{CorpusInfo, CorpusWriter, ParallelDocument, ParallelParagraph, Split, Unit};
use canopy::text::document::{ParagraphKind, Section};
use canopy::tokenizers::Side;
use canopy::training::error::{BaseError, Error};
use canopy::training::{BatchLimits, Example, ExampleSet, TrainingData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

#[test]
fn identical_and_repeated_pairs_do_not_count() {
    let place = Place::new();
    let data = TrainingData::open(&place.config(1), None, 160).expect("opens");
    // The six documents have 36 pairs and one heading that repeats itself.
    assert_eq!((data.train.num_counted(), data.skipped), (37, 0));
    let source = |text: &str| {
        data.train
            .examples
            .iter()
            .filter(|example| {
                example.counts && data.tokenizer.decode(Side::Source, &example.source) == text
            })
            .count()
    };
    assert_eq!(
        (
            source("Canopy 1.0"),
            source("See also:"),
            source("Print the page.")
        ),
        (0, 1, 1)
    );
    let heading = data.train.examples.iter().find(|example| {
        example.counts && data.tokenizer.decode(Side::Source, &example.source) == "See also:"
    });
    assert_eq!(
        heading.map(|example| example.place),
        Some((1, 3)),
        "left out pairs still count for the places"
    );
    let dev = data.examples(Split::Dev).expect("reads");
    assert_eq!(dev.num_counted(), 2);
    let short = TrainingData::open(&place.config(1), None, 8).expect("opens");
    assert!(short.skipped > 0 && short.train.num_counted() + short.skipped == 37);
    assert!(
        short
            .train
            .examples
            .iter()
            .all(|example| example.source.len() < 8 && example.target.len() < 8)
    );
}

#[test]
fn a_corpus_with_nothing_to_learn_is_refused() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    let info = CorpusInfo {
        name: "empty".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: String::new(),
        licence: String::new(),
    };
    let mut writer = CorpusWriter::create(place.corpus(), info, false).expect("a new corpus");
    let same = Unit::new("OK".to_owned(), "OK".to_owned());
    writer
        .add(Split::Train, tiny::document("a", vec![same]))
        .expect("writes");
    writer.finish().expect("a corpus");
    let refused = trained(&place.config(1), &place.run("run"), false);
    assert!(
        matches!(refused, Err(Error::Base(BaseError::NothingToLearn { .. }))),
        "{refused:?}"
    );
}

#[test]
fn an_epoch_holds_every_example_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut words = || vec![50; rng.random_range(1..40)];
    let examples: Vec<Example> = (0..500)
        .map(|_| Example {
            source: words(),
            target: words(),
            place: (0, 0),
            headings: [0; 3],
            counts: true,
        })
        .collect();
    let set = ExampleSet {
        documents: std::iter::once(0..examples.len()).collect(),
        examples,
        ..ExampleSet::default()
    };
    let examples = &set.examples;
    for (batch_tokens, seed, epoch) in [
        (200, 1, 0),
        (200, 1, 1),
        (200, 2, 0),
        (10, 1, 0),
        (1_000_000, 1, 0),
    ] {
        let batches = set.sentence_batches(batch_tokens, seed, epoch);
        let mut seen: Vec<usize> = batches.iter().flatten().flat_map(Range::clone).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..examples.len()).collect::<Vec<_>>());
        for batch in &batches {
            let tokens: usize = batch
                .iter()
                .map(|run| examples[run.start].target_tokens())
                .sum();
            assert!(
                tokens <= batch_tokens || batch.len() == 1,
                "{tokens} tokens in a batch of {batch_tokens}"
            );
            let made = set.batch(batch);
            assert_eq!((made.labels.len(), made.target.ids.len()), (tokens, tokens));
        }
    }
    let order = |seed, epoch| set.sentence_batches(200, seed, epoch);
    assert_eq!(order(1, 0), order(1, 0));
    assert!(order(1, 0) != order(1, 1) && order(1, 0) != order(2, 0));
    // Both limits hold, and that of sentences fills the batches where tokens suffice.
    for (tokens, fewest) in [(1_000_000, 7), (60, 1)] {
        let sentences = 7;
        let limits = BatchLimits { tokens, sentences };
        let batches = set.sentence_batches(limits, 1, 0);
        assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), examples.len());
        let short = batches.iter().filter(|batch| batch.len() < fewest);
        assert!(short.count() <= 1, "batches of all but the rest are full");
        assert!(batches.iter().all(|batch| batch.len() <= sentences));
        let documents = set.document_batches(limits, 1, 0).into_iter().flatten();
        assert!({ documents }.all(|run| run.len() <= sentences));
    }
}

#[test]
fn copies_stand_behind_a_part_of_their_own_translation() {
    let place = Place::new();
    let read = |copied_words: f32| {
        let config = TrainingConfig {
            preset: "previous-translations-small".to_owned(),
            copied_words,
            ..place.config(1)
        };
        TrainingData::open(&config, None, 160).expect("opens")
    };
    let (plain, data) = (read(0.0), read(0.65));
    let sentence_break = data.tokenizer.special().sentence_break();
    let texts = |set: &ExampleSet, example: usize| {
        let Example { source, target, .. } = &set.examples[example];
        let mut parts = source.split(|&id| Some(id) == sentence_break);
        let own = parts.next().expect("the sentence");
        let before = parts.next().unwrap_or_default();
        let words = |ids: &[u32]| -> Vec<String> {
            let text = data.tokenizer.decode(Side::Target, ids);
            text.split_whitespace().map(str::to_owned).collect()
        };
        (own.to_vec(), words(before), words(target))
    };
    let (mut copies, mut left_out, mut kept) = (0, 0, 0);
    for document in &data.train.documents {
        let [first, second] = [document.start, document.start + 1];
        let is_copy = document.len() == 2 && !data.train.examples[first].counts;
        if !is_copy {
            continue;
        }
        let (own, before, target) = texts(&data.train, second);
        assert!(data.train.examples[second].counts);
        assert_eq!(texts(&data.train, first).0, own);
        assert!(target.len() >= 3 && !before.is_empty());
        assert!(before.iter().all(|word| target.contains(word)));
        copies += 1;
        kept += before.len();
        left_out += target.len() - before.len();
    }
    let more = data.train.num_counted() - plain.train.num_counted();
    assert!(copies == more && more > 20, "{copies} of {more}");
    assert!(kept > left_out && left_out > 0, "{kept}, {left_out}");
    assert_eq!(read(0.65).train.examples, data.train.examples);
    let dev = |data: &TrainingData| data.examples(Split::Dev).expect("reads").examples;
    assert_eq!(dev(&data), dev(&plain));
    let config = TrainingConfig {
        copied_words: 0.65,
        ..place.config(1)
    };
    let refused = trained(&config, &place.run("run"), false);
    assert!(
        matches!(
            refused,
            Err(Error::Base(BaseError::Config {
                field: "copied_words",
                ..
            }))
        ),
        "{refused:?}"
    );
}

#[test]
fn examples_know_the_sections_that_they_are_in() {
    let place = tempfile::tempdir().expect("a folder");
    let info = CorpusInfo {
        name: "sections".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: String::new(),
        licence: String::new(),
    };
    let section = |parent| Section {
        parent,
        level: 0,
        heading: None,
    };
    let parents = [
        None,
        Some(0),
        Some(1),
        Some(1),
        Some(0),
        Some(4),
        Some(5),
        Some(6),
    ];
    let unit =
        |number: usize| Unit::new(format!("Open file {number}."), format!("Datei {number}."));
    let document = ParallelDocument {
        id: "document".to_owned(),
        sections: parents.map(section).into(),
        paragraphs: (0..parents.len())
            .map(|section| ParallelParagraph {
                section,
                kind: ParagraphKind::Text,
                id: None,
                note: None,
                units: vec![unit(2 * section), unit(2 * section + 1)],
            })
            .collect(),
    };
    let mut writer = CorpusWriter::create(place.path().join("corpus"), info, false).expect("new");
    writer.add(Split::Train, document).expect("written");
    writer.finish().expect("a corpus");
    let config = TrainingConfig {
        corpus: place.path().join("corpus"),
        vocab_size: 300,
        ..TrainingConfig::default()
    };
    let data = TrainingData::open(&config, None, 160).expect("opens");
    let examples = data.train.examples.iter().step_by(2);
    let found: Vec<[usize; 3]> = examples.map(|example| example.headings).collect();
    let expected = [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [1, 2, 0],
        [2, 0, 0],
        [2, 1, 0],
        [2, 1, 1],
        // A fourth level has no number of its own.
        [2, 1, 1],
    ];
    assert_eq!(found, expected);
    let batch = data.train.batch(&data.train.documents);
    assert_eq!(batch.source.positions[4], [0, 0, 2, 1, 1, 0]);
}
