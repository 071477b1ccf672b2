//! M2M-100, NLLB and mBART-50 against transformers: multilingual/make.py makes the cases.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use canopy::inference::{DeviceChoice, SearchOptions, Translator, import_model};
use canopy::kernels::packed::Quantization;
use canopy::tokenizers::Side;
use canopy::weights::Precision;

use super::cases::{Case, assert_near, floats, ids};
use super::decoding::forced_logits;

const NAMES: [&str; 3] = ["m2m100", "nllb", "mbart50"];

fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/interchange/multilingual");
    root.join(name)
}

#[test]
fn models_of_many_languages_compute_what_transformers_computes() {
    for name in NAMES {
        let folder = folder(name);
        let case = Case::open(&folder);
        let mut compared = 0;
        for row in case.rows() {
            let [source, target, text] =
                ["source", "target", "text"].map(|field| row[field].as_str().expect("a text"));
            let between = (Some(source), Some(target));
            let opened = Translator::open_between(&folder, DeviceChoice::Cpu, between.0, between.1);
            let mut translator = opened.expect("a model");
            translator.options_mut().looks_again = false;
            let tokenizer = translator.tokenizer();
            let framed = tokenizer
                .special()
                .framed(&tokenizer.encode(Side::Source, text));
            assert_eq!(framed, ids(&row["source_ids"]), "{name}: {text}");
            if row.get("logits").is_some() {
                let found = forced_logits(&case.model, &framed, &ids(&row["decoder_input_ids"]));
                let expected = row["logits"].as_array().expect("rows");
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(expected) {
                    let expected = floats(expected);
                    assert_eq!(found.len(), expected.len(), "{name}");
                    for (found, expected) in found.iter().zip(expected) {
                        assert_near(*found, expected, 1e-4, name);
                        compared += 1;
                    }
                }
            }
            // What the vocabulary cannot spell is copied, not searched.
            let unknown = tokenizer.special().unk;
            if framed.iter().any(|&id| Some(id) == unknown) {
                continue;
            }
            for (beam_size, field) in [(1, "greedy_ids"), (4, "beam_ids")] {
                let (found, log_prob) = searched(&translator, text, beam_size);
                let expected = ids(&row[field]);
                let end = translator.model().network.tokens().end;
                if expected.last() != Some(&end) {
                    // Cut off at its greatest length, which is counted with the start there.
                    let all = expected.len() - 1;
                    assert!((all - 1..=all).contains(&found.len()), "{name}: {text}");
                    assert_eq!(found, expected[1..=found.len()], "{name}, {field}: {text}");
                    continue;
                }
                // Behind the start, without the end.
                let expected = &expected[1..expected.len() - 1];
                assert_eq!(found, expected, "{name}, {field}: {text}");
                if beam_size == 4 {
                    let score = floats(&serde_json::json!([row["beam_score"]]))[0];
                    let tokens = f32::from(u16::try_from(found.len() + 1).expect("few"));
                    assert_near(log_prob / tokens, score, 1e-3, name);
                }
            }
        }
        assert!(compared > 1_000, "{name}: {compared} logits");
    }
}

/// Ids and log-probability of the translation by the search of the product.
fn searched(translator: &Translator, text: &str, beam_size: usize) -> (Vec<u32>, f32) {
    let document = canopy::text::document::Document::parse(
        "text.txt",
        canopy::text::document::Format::Text,
        text.to_owned(),
    );
    let document = document.expect("a text");
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut found = None;
    let done = translator.translate(&document, &[0], &options, &mut |_, translation| {
        found = Some(translation);
        ControlFlow::Continue(())
    });
    done.expect("translates");
    let found = found.expect("a translation");
    (found.parts.concat(), found.log_prob)
}

/// Another language is another first word, whose search has weights of its own.
#[test]
fn weights_stay_in_8_bits_between_other_languages() {
    for name in NAMES {
        let between = (Some("en"), Some("de"));
        let imported = import_model(&folder(name), between, &Device::flex()).expect("a model");
        let saved = tempfile::tempdir().expect("a folder");
        let (description, tokenizer) = (&imported.description, &imported.tokenizer);
        let written = description.save(saved.path(), &imported.model, tokenizer, Precision::Int8);
        written.expect("written");
        let opened = |to| {
            let opened =
                Translator::open_between(saved.path(), DeviceChoice::Cpu, Some("en"), Some(to));
            opened.expect("a model")
        };
        let (german, french) = (opened("de"), opened("fr"));
        let first = |it: &Translator| it.model().network.tokens().forced_first;
        assert_ne!(first(&german), first(&french), "{name}");
        for translator in [&german, &french] {
            let packing = translator.model().packing();
            assert_eq!(packing, Some(Quantization::Int8), "{name}");
        }
    }
}
