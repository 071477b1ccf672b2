//! Absolute positions of long documents.

use std::ops::ControlFlow;

use burn::module::Module;
use canopy::inference::{DeviceChoice, SearchOptions, Translation, Translator};
use canopy::model::{Counting, EncoderOutput, Model, ModelConfig, PackedBatch, Positions};
use canopy::text::document::{Document, Format};
use canopy::weights::{ModelFolder, Precision};

use crate::contexts::{assert_near, numbers, pair, silent, tiny};

const WORDS: usize = 3 * tiny::MAX_TOKENS + 16;
const SENTENCES: usize = 7;

fn model() -> Model {
    let config = ModelConfig {
        positions: Positions::MultiLevel {
            words: WORDS,
            sentences: SENTENCES,
            paragraphs: 3,
            headings: 0,
            counting: Counting::Absolute,
        },
        ..tiny::config()
    };
    tiny::model(&config, 7, &tiny::device())
}

/// The sentences of a long document from number `first` on: words and place.
fn rows(first: usize) -> PackedBatch {
    let mut rows = PackedBatch::default();
    rows.begin_document();
    for number in first..40 {
        let (source, _) = pair(1 + number * 5 % 9, number);
        rows.push(&source, (number % 4, number / 4));
    }
    rows
}

/// The same model, which reads headings.
fn model_with_headings() -> (ModelConfig, Model) {
    let config = ModelConfig {
        positions: Positions::MultiLevel {
            words: WORDS,
            sentences: 40,
            paragraphs: 40,
            headings: 9,
            counting: Counting::Absolute,
        },
        ..tiny::config()
    };
    config.validate().expect("it can be built");
    let model = tiny::model(&config, 7, &tiny::device());
    assert_eq!(config.num_parameters(), model.num_params());
    (config, model)
}

fn encoded(model: &Model, rows: &PackedBatch) -> EncoderOutput {
    tiny::transformer(model).encode(rows, None, &silent())
}

#[test]
fn words_count_through_the_document() {
    let rows = rows(0);
    let places = encoded(&model(), &rows).positions;
    assert_eq!(places[0][..3], [0, 0, 0]);
    // 1 + 6 words stand before the third sentence.
    assert_eq!(places[2][..3], [7, 2, 0]);
    assert_eq!(places[4][2], 1, "a new paragraph");
    for (place, rows) in places.iter().zip(&rows.sentences) {
        assert!(place[0] + rows.len() <= WORDS && place[1] < SENTENCES && place[2] < 3);
    }
}

#[test]
fn a_window_reads_like_a_document_that_begins_there() {
    let model = model();
    let whole = encoded(&model, &rows(0));
    let windows: Vec<usize> = (1..40).filter(|&at| whole.positions[at][0] == 0).collect();
    assert!(windows.len() > 3, "windows at {windows:?}");
    let states = numbers(whole.states);
    for start in windows {
        let part = encoded(&model, &rows(start));
        assert_eq!(
            whole.positions[start..],
            part.positions,
            "from sentence {start}"
        );
        let first = whole.sentences[start].start * tiny::config().d_model;
        assert_near(&numbers(part.states), &states[first..], 1e-5, "states");
    }
}

/// Two texts of the same sentences, of which one has headings, are not read alike by a model that reads headings, and are by others.
#[test]
fn headings_of_a_document_are_levels_of_its_places() {
    let (config, model) = model_with_headings();
    let plain = ModelConfig {
        positions: match config.positions {
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                counting,
                ..
            } => Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                headings: 0,
                counting,
            },
            other => other,
        },
        ..config.clone()
    };
    let without = tiny::model(&plain, 7, &tiny::device());
    let cases = [
        Box::new((config, model, true)),
        Box::new((plain, without, false)),
    ];
    for case in cases {
        let (config, model, reads) = *case;
        let folder = tempfile::tempdir().expect("a folder");
        let description = ModelFolder {
            model: config,
            ..tiny::description()
        };
        description
            .save(folder.path(), &model, &tiny::vocabulary(), Precision::Full)
            .expect("saved");
        let translator = Translator::open(folder.path(), DeviceChoice::Cpu).expect("a model");
        let scores = |text: &str| -> Vec<f32> {
            let page = Document::parse("page.md", Format::Markdown, text.to_owned());
            let page = page.expect("a text");
            let mut found = vec![0.0; page.sentences.len()];
            let options = SearchOptions::default();
            let sentences: Vec<usize> = (0..found.len()).collect();
            let take = &mut |sentence: usize, translation: Translation| {
                found[sentence] = translation.log_prob;
                ControlFlow::Continue(())
            };
            let done = translator.translate(&page, &sentences, &options, take);
            done.expect("it translates");
            found
        };
        let flat = scores("Open the file.\n\nClose the file.\n\nPrint the page.\n");
        let nested = scores("# Open the file.\n\n## Close the file.\n\nPrint the page.\n");
        let differs = flat.iter().zip(&nested).map(|(a, b)| (a - b).abs());
        let differs: Vec<bool> = differs.map(|apart| apart > 1e-6).collect();
        assert_eq!(differs, [reads; 3], "{flat:?} {nested:?}");
    }
}
