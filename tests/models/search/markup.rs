//! Markup comes through the search whole, whatever the model says.

use canopy::model::ModelConfig;
use canopy::search::{Limits, Markup, SourceSentence};
use canopy::text::placeholder::{self, CLOSE};
use canopy::text::vocabulary::Vocabulary;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::scripted::{Script, scripted};
use crate::search::{hypotheses, limited, options, tiny};

/// A text with up to eight placeholders, well nested, their numbers in any order.
fn marked_up(rng: &mut ChaCha8Rng) -> String {
    let mut numbers: Vec<usize> = (0..placeholder::MAX_PLACEHOLDERS).collect();
    numbers.shuffle(rng);
    numbers.truncate(rng.random_range(0..=8));
    let (mut text, mut depth) = (String::new(), 0_usize);
    while !numbers.is_empty() || depth > 0 {
        match rng.random_range(0..5) {
            0 if depth > 0 => {
                text.push(CLOSE);
                depth -= 1;
            }
            1 if !numbers.is_empty() => {
                text.push(placeholder::open(numbers.pop().expect("one is left")));
                depth += 1;
            }
            2 if !numbers.is_empty() => {
                text.push(placeholder::point(numbers.pop().expect("one is left")));
            }
            3 => text.push_str("page "),
            _ => text.push_str(" file"),
        }
    }
    text
}

#[test]
fn markup_is_kept_by_whatever_model() {
    let vocabulary = tiny::vocabulary();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let texts: Vec<String> = (0..24).map(|_| marked_up(&mut rng)).collect();
    assert!(
        texts
            .iter()
            .any(|text| tiny::markup(text).chars().count() > 8)
    );
    let sources: Vec<SourceSentence> = texts
        .iter()
        .map(|text| SourceSentence {
            ids: vocabulary.encode(text),
            position: (0, 0),
        })
        .collect();
    let tied = ModelConfig {
        tied_embeddings: true,
        ..tiny::config()
    };
    let tied = tiny::model(&tied, 5, &tiny::device());
    let models = (3..5).map(tiny::talkative_model);
    for model in models.chain(std::iter::once(tied)) {
        for beam in [1, 4] {
            for (text, found) in texts
                .iter()
                .zip(hypotheses(&model, &vocabulary, &sources, beam))
            {
                assert_eq!(
                    tiny::markup(&vocabulary.decode(&found.ids)),
                    tiny::markup(text),
                    "beam {beam}, {text:?}"
                );
            }
            for (text, source) in texts.iter().zip(&sources).step_by(3) {
                for max_tokens in [1, 4] {
                    let found = limited(&model, &vocabulary, &source.ids, beam, max_tokens);
                    assert_eq!(
                        tiny::markup(&vocabulary.decode(&found.ids)),
                        tiny::markup(text),
                        "cut at {max_tokens}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_model_that_forgets_all_markup_gets_it_at_the_end() {
    let vocabulary = tiny::vocabulary();
    let source = vocabulary.encode("\u{E001}Open\u{E200} the \u{E103} file");
    let limits = [Limits {
        markup: Markup::from_ids(&source, &vocabulary),
        terms: None,
        max_tokens: 20,
    }];
    for beam in [1, 4] {
        let script: Script = |_, words| {
            if words.is_empty() {
                vec![(50, 1.0)]
            } else {
                vec![(Vocabulary::EOS, 0.9), (51, 0.1)]
            }
        };
        let (found, _) = scripted(script, &limits, &options(beam));
        let text = vocabulary.decode(&found[0].ids);
        assert_eq!(tiny::markup(&text), "\u{E001}\u{E103}\u{E200}", "{text:?}");
        assert_eq!(
            (found[0].ids[0], found[0].ids.len(), found[0].cut_off),
            (50, 4, false),
            "{text:?}"
        );
    }
}

/// The logarithm of the probability that a placeholder has where the sentence should end.
const SELDOM: f32 = 1e-3;

/// The id of `\u{E103}`.
const POINT: u32 = 23;

#[test]
fn a_placeholder_that_stands_in_for_the_end_keeps_its_own_probability() {
    let vocabulary = tiny::vocabulary();
    let source = vocabulary.encode("Open \u{E103} file");
    let limits = [Limits {
        markup: Markup::from_ids(&source, &vocabulary),
        terms: None,
        max_tokens: 20,
    }];
    let point = source
        .iter()
        .copied()
        .find(|&id| vocabulary.placeholder(id).is_some())
        .expect("a placeholder");
    assert_eq!(point, POINT);
    let script: Script = |_, words| match words {
        [] => vec![(50, 1.0)],
        [50] => vec![(Vocabulary::EOS, 0.9), (51, 0.099), (POINT, SELDOM)],
        _ => vec![(Vocabulary::EOS, 0.9), (51, 0.1)],
    };
    for beam in [1, 4] {
        let (found, _) = scripted(script, &limits, &options(beam));
        assert_eq!(found[0].ids, [50, POINT], "beam {beam}");
        let expected = (SELDOM * 0.9).ln();
        let log_prob = found[0].log_prob;
        assert!((log_prob - expected).abs() < 1e-5, "{log_prob} {expected}");
    }
    // So a translation that places it where the model does is better.
    let script: Script = |_, words| match words {
        [] => vec![(50, 0.6), (51, 0.4)],
        [50] => vec![(Vocabulary::EOS, 0.9), (POINT, SELDOM)],
        [51] => vec![(POINT, 0.9), (Vocabulary::EOS, 0.1)],
        _ => vec![(Vocabulary::EOS, 0.9), (52, 0.1)],
    };
    let (found, _) = scripted(script, &limits, &options(4));
    assert_eq!(found[0].ids, [51, POINT]);
}
