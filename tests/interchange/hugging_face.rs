//! Marian models of Hugging Face's transformers.

use canopy::interchange::{ForeignFormat, LanguageTokens};

use super::cases::{Case, assert_near, floats, folders, ids};
use super::decoding::{Rule, beam, forced_logits, greedy};

fn cases() -> Vec<Case> {
    let folders = folders("marian-").into_iter();
    let folders = folders.filter(|folder| !folder.to_string_lossy().contains("marian-native"));
    folders.map(|folder| Case::open(&folder)).collect()
}

/// How far logits may be: half-precision weights were multiplied in half precision there, to half a thousandth of them.
fn tolerance(case: &Case) -> f32 {
    if case.name.contains("tc-big") {
        0.1
    } else {
        1e-4
    }
}

#[test]
fn logits_after_forced_words_are_the_same() {
    for case in cases() {
        assert_eq!(case.foreign.format, ForeignFormat::HuggingFace);
        for row in case.rows() {
            let source = ids(&row["source_ids"]);
            let target = ids(&row["decoder_input_ids"]);
            let found = forced_logits(&case.model, &source, &target);
            let expected = row["logits"].as_array().expect("rows");
            let mut largest = 0.0_f32;
            for (found, expected) in found.iter().zip(expected) {
                let expected = floats(expected);
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(expected) {
                    largest = largest.max((found - expected).abs());
                }
            }
            println!("{}: logits differ by {largest}", case.name);
            // The numbers of the case have four places.
            assert!(
                largest < tolerance(&case) + 5e-5,
                "{}: {largest}",
                case.name
            );
        }
    }
}

#[test]
fn greedy_and_beam_translations_are_the_same() {
    for case in cases() {
        for row in case.rows() {
            let source = ids(&row["source_ids"]);
            let expected = |name: &str| {
                let expected = ids(&row[name]);
                expected[1..expected.len() - 1].to_vec()
            };
            let found = greedy(&case, &source, 39, Rule::HuggingFace);
            assert_eq!(
                found.ids,
                expected("greedy_ids"),
                "{}: {}",
                case.name,
                row["text"]
            );
            let found = &beam(&case, &source, (4, 39), Rule::HuggingFace)[0];
            assert_eq!(
                found.ids,
                expected("beam_ids"),
                "{}: {}",
                case.name,
                row["text"]
            );
            let score = floats(&serde_json::json!([row["beam_score"]]))[0];
            assert_near(found.score(Rule::HuggingFace), score, 1e-3, &case.name);
        }
    }
}

#[test]
fn several_languages_are_told_by_tokens_of_the_source() {
    for case in cases() {
        let languages = &case.foreign.languages;
        let several = case.name.contains("multi");
        let place = if several {
            LanguageTokens::TargetBeforeSource
        } else {
            LanguageTokens::Nowhere
        };
        assert_eq!(languages.token_place, place, "{}", case.name);
        assert_eq!(languages.source.as_deref(), Some("eng"));
        if several {
            let codes = languages.tokens.iter().map(|(code, _)| code.as_str());
            assert_eq!(codes.collect::<Vec<_>>(), ["deu", "nld"]);
        }
    }
}
