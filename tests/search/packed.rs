//! Packed weights find what burn's layers find.

use std::ops::ControlFlow;
use std::path::Path;

use burn::tensor::Device;
use canopy::kernels::WordNormaliser;
use canopy::kernels::packed::Quantization;
use canopy::model::{Context, MemorySource, Model, Placement, Reach, Side};
use canopy::search::{SourceText, search_sentences};
use canopy::weights::{load_module, module_tensors};

use crate::models::sources;
use crate::{hypotheses, options, tiny};

#[test]
fn packed_weights_find_the_same_translations() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 40);
    for seed in 0..3 {
        let model = tiny::talkative_model(seed);
        let packed = model.clone().packed_as(Quantization::None);
        assert!(packed.packed().is_some() && model.packed().is_none());
        for beam in [1, 4] {
            let expected = hypotheses(&model, &vocabulary, &sources, beam);
            let found = hypotheses(&packed, &vocabulary, &sources, beam);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.ids, expected.ids);
                assert_eq!(found.cut_off, expected.cut_off);
                let difference = (found.log_prob - expected.log_prob).abs();
                assert!(difference < 1e-3 * expected.log_prob.abs().max(1.0));
            }
        }
    }
}

#[test]
fn packed_decoders_read_what_another_encoder_makes() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 9);
    let config = canopy::model::ModelConfig {
        context: Some(Context::Concatenation { previous: 1 }),
        ..tiny::config()
    };
    let model = Model::seeded(&config, 3, &Device::flex()).expect("a model");
    let packed = model.clone().packed_as(Quantization::None);
    assert!(packed.packed().is_some_and(|packed| !packed.encodes()));
    let expected = hypotheses(&model, &vocabulary, &sources, 3);
    let found = hypotheses(&packed, &vocabulary, &sources, 3);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.ids, expected.ids);
    }
}

#[test]
fn packed_decoders_read_translations_of_other_sentences_as_burns_do() {
    let vocabulary = tiny::vocabulary();
    let sentences = sources(&vocabulary, 9);
    let text = SourceText {
        documents: std::iter::once(0..sentences.len()).collect(),
        ..SourceText::of_sentences(sentences)
    };
    let contexts = [
        Context::Han {
            previous: 2,
            side: Side::Both,
        },
        Context::Selective {
            words: WordNormaliser::Sparsemax,
            reach: Reach::Offline,
            side: Side::Decoder,
        },
        Context::HierarchicalEncoding {
            placement: Placement::Sublayer,
            decoder: true,
        },
    ];
    for context in contexts {
        for memory in [MemorySource::Live, MemorySource::StageOne] {
            let config = canopy::model::ModelConfig {
                context: Some(context),
                memory,
                ..tiny::config()
            };
            let Ok(model) = Model::seeded(&config, 3, &Device::flex()) else {
                // Who reads no translations has no model of its own for them.
                assert!(!context.is_bilingual());
                continue;
            };
            let packed = model.clone().packed_as(Quantization::None);
            assert!(packed.packed().is_some());
            let found = [&model, &packed].map(|model| {
                let mut found = vec![Vec::new(); text.sentences.len()];
                search_sentences(model, &vocabulary, &text, &options(3), &mut |number, it| {
                    found[number] = it.ids;
                    ControlFlow::Continue(())
                })
                .expect("probabilities");
                found
            });
            assert_eq!(found[0], found[1], "{context:?}, {memory:?}");
            assert!(found[0].iter().any(|ids| !ids.is_empty()));
        }
    }
}

/// Weights that are finite and so large that scores are not: every search ends, and says which sentence.
#[test]
fn scores_that_overflow_end_the_search_packed_or_not() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 12);
    let whole = tiny::talkative_model(5);
    for name in [
        "logits",
        "decoder.layers.0.feed_forward.outer.weight",
        "encoder.sublayers.2.feed_forward.outer.weight",
        "embedding.words",
    ] {
        let mut tensors = module_tensors(&whole);
        let (_, values) = tensors.get_mut(name).expect("such a tensor");
        for value in values {
            *value = f32::MAX.copysign(*value);
        }
        let model = load_module(whole.clone(), tensors, Path::new("in memory")).expect("finite");
        for packing in [None, Some(Quantization::None), Some(Quantization::Int8)] {
            let model = match packing {
                Some(packing) => model.clone().packed_as(packing),
                None => model.clone(),
            };
            for beam in [1, 4] {
                let text = SourceText::of_sentences(sources.clone());
                let mut go_on = |_, _| ControlFlow::Continue(());
                let found =
                    search_sentences(&model, &vocabulary, &text, &options(beam), &mut go_on);
                let broken = found.expect_err(name);
                let is_log_prob = broken.found.is_finite() && broken.found <= 0.0;
                assert!(
                    !is_log_prob && broken.number < 12,
                    "{name}, {packing:?}, {beam}: {broken:?}"
                );
            }
        }
    }
}
