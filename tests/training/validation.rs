//! While training a sample of the development documents is scored, at the end all of them.

use canopy::corpus::{Corpus, CorpusWriter, Split, Unit};
use canopy::training::{Sample, TrainingData, ValidationSet};

use super::*;

/// A corpus with eight development documents of three segments each.
pub fn corpus(folder: &Path) -> Corpus {
    let info = tiny::corpus(folder).info().clone();
    let mut writer = CorpusWriter::create(folder, info, true).expect("a new corpus");
    let pairs: Vec<Unit> = tiny::pairs()
        .into_iter()
        .map(|(source, target)| Unit::new(source, target))
        .collect();
    for (number, pairs) in pairs.chunks(6).enumerate() {
        let document = tiny::document(&format!("train-{number}"), pairs.to_vec());
        writer.add(Split::Train, document).expect("writes");
    }
    for number in 0..8 {
        let unit = |index: usize| {
            let words = "word ".repeat(index + 1);
            Unit::new(
                format!("The {words}of page {number}."),
                format!("Das {words}der Seite {number}."),
            )
        };
        // Two units make a paragraph, which is a segment.
        let units = (0..6).map(unit).collect();
        let document = tiny::document(&format!("dev-{number}"), units);
        writer.add(Split::Dev, document).expect("writes");
    }
    writer.finish().expect("a corpus")
}

#[test]
fn a_sample_is_whole_documents_and_always_the_same() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    corpus(&place.corpus());
    let data = TrainingData::open(&place.config(1), None, 160).expect("opens");
    let examples = data.examples(Split::Dev).expect("reads");
    let whole = ValidationSet::new(&data.corpus, Split::Dev, examples).expect("reads");
    assert_eq!((whole.num_documents(), whole.num_segments()), (8, 24));
    for (requested, documents) in [(1, 1), (3, 1), (4, 2), (21, 7)] {
        let sample = whole.sampled(requested).expect("a part");
        let found = (sample.num_documents(), sample.num_segments());
        assert_eq!(found, (documents, 3 * documents), "{requested}");
        let again = whole.sampled(requested).expect("a part");
        assert_eq!(format!("{sample:?}"), format!("{again:?}"));
    }
    for requested in [0, 22, 24, 1_000] {
        assert!(whole.sampled(requested).is_none(), "{requested}");
    }
}

#[test]
fn all_documents_are_scored_at_the_end_only() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    corpus(&place.corpus());
    let config = TrainingConfig {
        validate_every: 2,
        validation_segments: 10,
        ..place.config(5)
    };
    let events = trained(&config, &place.run("run"), false).expect("trains");
    let scored = |event: &TrainingEvent| match *event {
        TrainingEvent::Validated {
            step,
            documents,
            segments,
            whole,
            best,
            ..
        } => Some((step, documents, segments, whole, best && whole)),
        _ => None,
    };
    let scored: Vec<_> = events.iter().filter_map(scored).collect();
    let part = |step| (step, 4, 12, false, false);
    let expected = [part(2), part(4), part(5), (5, 8, 24, true, false)];
    assert_eq!(scored, expected);
    let samples: Vec<&Vec<Sample>> = events
        .iter()
        .filter_map(|event| match event {
            TrainingEvent::Samples { samples, .. } => Some(samples),
            _ => None,
        })
        .collect();
    assert_eq!(samples.len(), 3);
    let sources = |samples: &[Sample]| -> Vec<String> {
        samples.iter().map(|sample| sample.source.clone()).collect()
    };
    assert_eq!(sources(samples[0]), sources(samples[2]));
    let pages: Vec<_> = sources(samples[0])
        .iter()
        .map(|source| source.split(' ').next_back().map(str::to_owned))
        .collect();
    assert_eq!(pages.len(), 3);
    assert!(pages[0] != pages[1] && pages[1] != pages[2]);
}

#[test]
fn nothing_is_scored_by_default() {
    let place = Place::new();
    let config = TrainingConfig {
        validate_every: 0,
        ..place.config(3)
    };
    let events = trained(&config, &place.run("run"), false).expect("trains");
    let is_score = |event: &TrainingEvent| matches!(event, TrainingEvent::Validated { .. });
    assert!(!events.iter().any(is_score));
    assert!(!place.run("run").join("checkpoints/best").exists());
}

#[test]
fn events_of_older_runs_can_be_read() {
    let line = r#"{"event":"validated","step":5,"target_tokens":9,"dev_loss":1.0,"dev_bleu":2.0,"best":true,"elapsed_secs":3.0}"#;
    let event: TrainingEvent = serde_json::from_str(line).expect("an event");
    assert!(matches!(
        event,
        TrainingEvent::Validated {
            whole: true,
            segments: 0,
            ..
        }
    ));
    let line =
        r#"{"event":"started","parameters":1,"examples":2,"skipped":3,"device":"CPU","step":0}"#;
    let event: TrainingEvent = serde_json::from_str(line).expect("an event");
    assert!(matches!(
        event,
        TrainingEvent::Started {
            steps_per_epoch: 0,
            ..
        }
    ));
}
