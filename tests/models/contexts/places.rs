//! Absolute positions of long documents.

use canopy::model::{Counting, EncoderOutput, Model, ModelConfig, PackedBatch, Positions};

use crate::contexts::{assert_near, numbers, pair, silent, tiny};

const WORDS: usize = 3 * tiny::MAX_TOKENS + 16;
const SENTENCES: usize = 7;

fn model() -> Model {
    let config = ModelConfig {
        positions: Positions::MultiLevel {
            words: WORDS,
            sentences: SENTENCES,
            paragraphs: 3,
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

fn encoded(model: &Model, rows: &PackedBatch) -> EncoderOutput {
    tiny::transformer(model).encode(rows, None, &silent())
}

#[test]
fn words_count_through_the_document() {
    let rows = rows(0);
    let places = encoded(&model(), &rows).positions;
    assert_eq!(places[0], [0, 0, 0]);
    // 1 + 6 words stand before the third sentence.
    assert_eq!(places[2], [7, 2, 0]);
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
