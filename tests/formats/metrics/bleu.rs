//! `corpus_bleu` and what its score is made of.

use canopy::metrics::{Bleu, corpus_bleu};
use serde_json::Value;

use super::{data, json, lines, number};

pub fn assert_equals(bleu: &Bleu, sacrebleu: &Value) {
    assert!(
        (bleu.score - number(&sacrebleu["score"])).abs() < 1e-9,
        "{bleu} is not {sacrebleu}"
    );
    assert!(
        (bleu.brevity_penalty - number(&sacrebleu["bp"])).abs() < 1e-12,
        "{bleu} is not {sacrebleu}"
    );
    for (order, precision) in bleu.precisions.iter().enumerate() {
        assert!(
            (precision - number(&sacrebleu["precisions"][order])).abs() < 1e-9,
            "{bleu} is not {sacrebleu}"
        );
    }
    let lengths = [&sacrebleu["sys_len"], &sacrebleu["ref_len"]].map(Value::as_u64);
    assert_eq!(
        [bleu.hyp_len, bleu.ref_len].map(|length| Some(length as u64)),
        lengths
    );
}

/// Text of our own with quotes, numbers, entities, hyphens, Unicode and an empty hypothesis.
#[test]
fn german_text_scores_as_with_sacrebleu() {
    let folder = data("bleu");
    let bleu = corpus_bleu(
        &lines(&folder.join("hypothesis.de")),
        &lines(&folder.join("reference.de")),
    );
    let expected = json(&folder.join("sacrebleu.json"));
    assert_equals(&bleu, &expected);
    let signature = expected["signature"]
        .as_str()
        .and_then(|signature| signature.rsplit_once(':'));
    assert_eq!(
        bleu.signature()
            .rsplit_once(':')
            .map(|(counted, _)| counted),
        signature.map(|(counted, _)| counted)
    );
}

#[test]
fn a_translation_like_the_reference_scores_100() {
    let text = [
        "Eine ganz gewöhnliche Zeile, mehr nicht.",
        "Noch eine (zweite).",
    ];
    let bleu = corpus_bleu(&text, &text);
    assert!((bleu.score - 100.0).abs() < 1e-9, "{bleu}");
}

#[test]
fn nothing_right_scores_0_and_short_texts_are_smoothed() {
    let score = |hypothesis: &str, reference: &str| corpus_bleu(&[hypothesis], &[reference]).score;
    assert!(score("x", "a").abs() < f64::EPSILON);
    assert!(score("", "a").abs() < f64::EPSILON);
    assert!(score("", "").abs() < f64::EPSILON);
    // No hypothesis has two words, so there is nothing to smooth: as with sacrebleu.
    assert!(score("a", "a").abs() < f64::EPSILON);
    // sacrebleu 2.6.0
    assert!((score("a b c d", "d c b a") - 22.590_050_090_246_13).abs() < 1e-9);
    let none: [&str; 0] = [];
    assert!(corpus_bleu(&none, &none).score.abs() < f64::EPSILON);
}
