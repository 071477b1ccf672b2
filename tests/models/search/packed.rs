//! Packed weights find what burn's layers find.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use burn::tensor::Device;
use canopy::kernels::WordNormaliser;
use canopy::kernels::packed::Quantization;
use canopy::memory::{KnnConfig, Shortlist};
use canopy::model::{
    Batch, Context, ExecutorKind, MemorySource, Model, Network, Placement, Reach, Side,
};
use canopy::search::{SourceText, search_sentences};
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{load_module, module_tensors};

use crate::search::models::sources;
use crate::search::{hypotheses, options, tiny};

#[test]
fn packed_weights_find_the_same_translations() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 40);
    for seed in 0..3 {
        let model = tiny::talkative_model(seed);
        let packed = model.clone().packed_as(Quantization::None);
        let kinds = [&packed, &model].map(|model| model.executor().kind());
        assert_eq!(kinds, [ExecutorKind::Cpu, ExecutorKind::Burn]);
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
    assert_eq!(packed.executor().kind(), ExecutorKind::Cpu);
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
        ..SourceText::from_sentences(sentences)
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
            assert_eq!(packed.executor().kind(), ExecutorKind::Cpu);
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

/// A list for tiny models: of each source word a few words that follow from its number, of which many are never used.
fn lists(of_word: usize) -> Vec<Vec<u32>> {
    let vocab = u32::try_from(tiny::VOCAB).expect("few");
    let list = |word: u32| {
        (0..vocab)
            .take(of_word)
            .map(move |place| (word * 31 + place * 7) % vocab)
    };
    (0..vocab).map(|word| list(word).collect()).collect()
}

/// The other words are impossible: what burn's layers find where they are never generated.
#[test]
fn a_shortlist_is_all_that_a_translation_is_made_of() {
    let vocabulary = tiny::vocabulary();
    let shortlist = Arc::new(Shortlist::from_lists(lists(12)));
    let mut fewest = tiny::VOCAB;
    for source in sources(&vocabulary, 24) {
        let always = vocabulary.placeholder_ids().end as usize;
        let ids = source.ids.iter().copied().chain([Vocabulary::EOS]);
        let words = shortlist.words(ids, [always, tiny::VOCAB]);
        fewest = fewest.min(words.len());
        let mut plain = tiny::talkative_model(4);
        let Network::Transformer(network) = &mut plain.network else {
            unreachable!("a Transformer")
        };
        let others = (0..u32::try_from(tiny::VOCAB).expect("few"))
            .filter(|id| words.binary_search(id).is_err());
        network.tokens.suppressed = others.collect();
        network.tokens.renormalised = true;
        let mut packed = tiny::talkative_model(4).packed_as(Quantization::None);
        packed.shortlist = Some(Arc::clone(&shortlist));
        for beam in [1, 4] {
            let sources = std::slice::from_ref(&source);
            let expected = hypotheses(&plain, &vocabulary, sources, beam);
            let found = hypotheses(&packed, &vocabulary, sources, beam);
            assert_eq!(found[0].ids, expected[0].ids);
            let difference = (found[0].log_prob - expected[0].log_prob).abs();
            assert!(
                difference < 1e-3 * expected[0].log_prob.abs().max(1.0),
                "beam {beam}: {:?} {:?}",
                found[0],
                expected[0]
            );
        }
    }
    assert!(fewest < tiny::VOCAB / 2, "{fewest} words at least");
}

/// A list of all words changes nothing, whatever else takes part in a search.
#[test]
fn a_shortlist_of_all_words_changes_nothing() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 30);
    let all = Arc::new(Shortlist::from_lists(lists(tiny::VOCAB)));
    let mut batch = Batch::default();
    for (number, source) in sources.iter().enumerate() {
        let ids = source.ids.as_slice();
        let target = [&[Vocabulary::BOS], ids].concat();
        batch.source.begin_document();
        batch.target.begin_document();
        batch
            .source
            .push(&[ids, &[Vocabulary::EOS]].concat(), source.position);
        batch.target.push(&target, source.position);
        batch.translated.push(number);
        batch.labels.extend([ids, &[Vocabulary::EOS]].concat());
    }
    let near = KnnConfig {
        reach: 1e3,
        ..KnnConfig::default()
    };
    for quantization in [Quantization::None, Quantization::Int8] {
        for looks_up in [false, true] {
            let mut model = tiny::talkative_model(6).packed_as(quantization);
            if looks_up {
                model = model.with_datastore([batch.clone()], near);
            }
            assert_eq!(model.datastore().is_some(), looks_up);
            let mut listed = model.clone();
            listed.shortlist = Some(Arc::clone(&all));
            for beam in [1, 4] {
                let expected = hypotheses(&model, &vocabulary, &sources, beam);
                let found = hypotheses(&listed, &vocabulary, &sources, beam);
                for (found, expected) in found.iter().zip(&expected) {
                    assert_eq!(found.ids, expected.ids);
                    assert!((found.log_prob - expected.log_prob).abs() < 1e-3);
                }
            }
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
                let text = SourceText::from_sentences(sources.clone());
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
