//! Marian models of Hugging Face's transformers.

use canopy::interchange::{ForeignFormat, LanguageTokens};
use canopy::model::{NormPosition, SineFrequencies};
use safetensors::tensor::{Dtype, TensorView};

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
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
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
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
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
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn several_languages_are_selected_by_tokens_of_the_source() {
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

/// A folder as NLLB has it, but tiny and untrained: how it is read, not what it computes.
#[test]
fn a_model_of_many_languages_knows_their_tokens_and_its_places() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("writable");
    };
    let pieces = include_bytes!("multilingual/nllb/sentencepiece.bpe.model");
    write("sentencepiece.bpe.model", pieces);
    let languages = r#"{"additional_special_tokens": ["eng_Latn", "deu_Latn", "ace_Arab"]}"#;
    write("special_tokens_map.json", languages.as_bytes());
    let vocab = 2_000;
    let config = serde_json::json!({
        "model_type": "m2m_100", "vocab_size": vocab, "d_model": 8, "encoder_layers": 1, "decoder_layers": 1,
        "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
        "max_position_embeddings": 64, "activation_function": "relu", "scale_embedding": true,
        "decoder_start_token_id": 2, "eos_token_id": 2, "pad_token_id": 1, "max_length": 200
    });
    write("config.json", config.to_string().as_bytes());
    write("model.safetensors", &weights(vocab));
    let case = Case::open(folder.path());
    let config = &case.foreign.config;
    assert_eq!(config.norm, NormPosition::Pre);
    assert!(config.tied_embeddings && !config.variant.output_bias);
    assert_eq!(
        config
            .positions
            .sinusoids()
            .map(|sines| (sines.frequencies, sines.first)),
        Some((SineFrequencies::Tensor2tensor, 2))
    );
    let languages = &case.foreign.languages;
    assert_eq!(languages.token_place, LanguageTokens::OnBothSides);
    let codes: Vec<&str> = languages
        .tokens
        .iter()
        .map(|(code, _)| code.as_str())
        .collect();
    assert_eq!(codes, ["eng_Latn", "deu_Latn", "ace_Arab"]);
    // Pieces have the ids of fairseq's dictionaries, the languages those after them.
    let side = &case.foreign.source;
    assert_eq!(
        [side.id("<s>"), side.id("</s>"), side.id("<unk>")],
        [Some(0), Some(2), Some(3)]
    );
    let last = side.tokens.iter().rposition(|token| !token.is_empty());
    assert_eq!(last, side.id("ace_Arab").map(|id| id as usize));
    let found = forced_logits(
        &case.model,
        &[languages.tokens[0].1, 9, 2],
        &[2, languages.tokens[1].1],
    );
    assert!(found.iter().flatten().all(|logit| logit.is_finite()));
}

/// The tensors of such a model, all small.
fn weights(vocab: usize) -> Vec<u8> {
    let mut shapes = vec![("model.shared.weight".to_owned(), vec![vocab, 8])];
    for side in ["encoder", "decoder"] {
        let layer = format!("model.{side}.layers.0");
        let attentions: &[&str] = if side == "encoder" {
            &["self_attn"]
        } else {
            &["self_attn", "encoder_attn"]
        };
        for attention in attentions {
            for part in ["q_proj", "k_proj", "v_proj", "out_proj"] {
                shapes.push((format!("{layer}.{attention}.{part}.weight"), vec![8, 8]));
                shapes.push((format!("{layer}.{attention}.{part}.bias"), vec![8]));
            }
            shapes.push((format!("{layer}.{attention}_layer_norm.weight"), vec![8]));
            shapes.push((format!("{layer}.{attention}_layer_norm.bias"), vec![8]));
        }
        for (part, shape) in [("fc1", vec![16, 8]), ("fc2", vec![8, 16])] {
            shapes.push((format!("{layer}.{part}.bias"), vec![shape[0]]));
            shapes.push((format!("{layer}.{part}.weight"), shape));
        }
        for norm in [
            format!("{layer}.final_layer_norm"),
            format!("model.{side}.layer_norm"),
        ] {
            shapes.push((format!("{norm}.weight"), vec![8]));
            shapes.push((format!("{norm}.bias"), vec![8]));
        }
    }
    let numbers = |count: usize| -> Vec<u8> {
        let numbers = (0..count).map(|place| if place % 3 == 0 { 0.25_f32 } else { -0.125 });
        numbers.flat_map(f32::to_le_bytes).collect()
    };
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let bytes = numbers(shape.iter().product());
            (name, shape, bytes)
        })
        .collect();
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
        (name, view.expect("a sound tensor"))
    });
    safetensors::serialize(views, None).expect("tensors")
}
