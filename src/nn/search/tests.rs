//! Two passes and windows, on models that have learnt nothing.

mod groups;

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use burn::tensor::Device;

use super::document_search::{DocumentSearch, Stop};
use super::windows::LARGEST;
use super::*;
use crate::model::{
    Architecture, Context, MemorySource, MergeKind, Model, ModelConfig, NormPosition, Placement,
    Positions, Reach, Side, SpecialTokens, TraversalRule, Variant,
};
use canopy_kernels::WordNormaliser;
use canopy_tokenize::vocabulary::Vocabulary;

fn vocabulary() -> Vocabulary {
    Vocabulary::train(
        std::iter::once("one two three four five six".to_owned()),
        300,
    )
    .expect("large enough")
}

fn model(vocabulary: &Vocabulary, context: Context, memory: MemorySource) -> Model {
    let config = ModelConfig {
        vocab_size: vocabulary.len(),
        d_model: 8,
        d_ff: 12,
        num_heads: 2,
        encoder: "s-sf".parse().expect("a layout"),
        num_decoder_layers: 1,
        dropout: 0.0,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: 24,
        architecture: Architecture::Transformer,
        context: Some(context),
        memory,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    };
    Model::seeded(&config, 5, &Device::flex()).expect("a model")
}

fn selective(reach: Reach) -> Context {
    Context::Selective {
        words: WordNormaliser::Softmax,
        reach,
        side: Side::Both,
    }
}

const HAN: Context = Context::Han {
    previous: 1,
    side: Side::Both,
};

/// One document of sentences of one to four tokens.
fn text(vocabulary: &Vocabulary, count: usize, wanted: Vec<usize>) -> SourceText {
    let words = ["one", "two three", "four five six", "two two two two"];
    let sentence = |number: usize| SourceSentence {
        ids: vocabulary.encode(words[number * number % 7 % 4]),
        position: (number % 3, number / 3),
    };
    SourceText {
        sentences: (0..count).map(sentence).collect(),
        documents: std::iter::once(0..count).collect(),
        wanted,
        ..SourceText::default()
    }
}

fn options() -> SearchOptions {
    SearchOptions {
        beam_size: 2,
        ..SearchOptions::default()
    }
}

#[derive(Debug, Default, PartialEq)]
struct All {
    drafts: BTreeMap<usize, Vec<u32>>,
    translations: BTreeMap<usize, (Vec<u32>, f32)>,
}

/// All that is found until `calls` calls were made.
fn found(
    model: &Model,
    vocabulary: &Vocabulary,
    text: &SourceText,
    largest: usize,
    calls: usize,
) -> All {
    let mut kept = EncodingCache::default();
    found_with(model, vocabulary, text, (largest, calls), &mut kept)
}

fn found_with(
    model: &Model,
    vocabulary: &Vocabulary,
    text: &SourceText,
    (largest, calls): (usize, usize),
    kept: &mut EncodingCache,
) -> All {
    let (mut all, mut left) = (All::default(), calls);
    let mut keep = |found| {
        match found {
            SearchEvent::Draft {
                number, hypothesis, ..
            } => {
                assert!(all.drafts.insert(number, hypothesis.ids).is_none());
            }
            SearchEvent::Translation { number, hypothesis } => {
                let Hypothesis { ids, log_prob, .. } = hypothesis;
                assert!(all.translations.insert(number, (ids, log_prob)).is_none());
            }
        }
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = options();
    let mut search = DocumentSearch::new(model, vocabulary, text, &options, &mut keep);
    search.largest = largest;
    let flow = search.run(kept);
    drop(search);
    assert_eq!(Stop::result(flow), Ok(()));
    all
}

fn all(model: &Model, vocabulary: &Vocabulary, text: &SourceText) -> All {
    found(model, vocabulary, text, LARGEST, usize::MAX)
}

#[test]
fn the_first_pass_translates_what_is_read_and_no_more() {
    let vocabulary = vocabulary();
    let drafts = |context, wanted: Vec<usize>| -> Vec<usize> {
        let model = model(&vocabulary, context, MemorySource::Live);
        let found = all(&model, &vocabulary, &text(&vocabulary, 6, wanted.clone()));
        assert!(found.translations.keys().copied().eq(wanted));
        found.drafts.into_keys().collect()
    };
    assert_eq!(drafts(selective(Reach::Offline), vec![2]), [0, 1, 3, 4, 5]);
    assert_eq!(
        drafts(selective(Reach::Offline), vec![2, 4]),
        [0, 1, 2, 3, 4, 5]
    );
    assert_eq!(drafts(selective(Reach::Online), vec![2]), [0, 1]);
    assert_eq!(drafts(HAN, vec![2, 5]), [1, 4]);
    let of_source = Context::Selective {
        words: WordNormaliser::Softmax,
        reach: Reach::Offline,
        side: Side::Encoder,
    };
    assert!(drafts(of_source, vec![2]).is_empty());
}

#[test]
fn known_translations_stand_in_place_of_the_first_passs() {
    let vocabulary = vocabulary();
    for memory in [MemorySource::Live, MemorySource::StageOne] {
        let model = model(&vocabulary, selective(Reach::Offline), memory);
        let mut text = text(&vocabulary, 5, (0..5).collect());
        let without = all(&model, &vocabulary, &text);
        // The same tokens, known before.
        text.known = HashMap::from([(1, without.drafts[&1].clone())]);
        let same = all(&model, &vocabulary, &text);
        assert!(!same.drafts.contains_key(&1));
        assert_eq!(same.translations, without.translations);
        // Other tokens change what the others get, not what their own sentence gets.
        text.known = HashMap::from([(1, vocabulary.encode("six five four"))]);
        let other = all(&model, &vocabulary, &text);
        for (sentence, translation) in &other.translations {
            let before = &without.translations[sentence];
            assert_eq!(
                translation == before,
                *sentence == 1,
                "{memory:?} {sentence}"
            );
        }
    }
}

#[test]
fn known_translations_mean_nothing_to_a_model_that_reads_the_source_only() {
    let vocabulary = vocabulary();
    let context = Context::Conditional {
        top_t: 2,
        placement: Placement::Sublayer,
    };
    let model = model(&vocabulary, context, MemorySource::Live);
    let mut text = text(&vocabulary, 4, (0..4).collect());
    let without = all(&model, &vocabulary, &text);
    text.known = HashMap::from([(1, vocabulary.encode("six"))]);
    assert_eq!(all(&model, &vocabulary, &text), without);
    assert!(without.drafts.is_empty());
}

/// Whatever search found has the same log-probability when it is given, with the same drafts in the same windows; an end
/// that was cut off has none.
#[test]
fn a_given_translation_gets_the_log_probability_that_search_gave_it() {
    let vocabulary = vocabulary();
    let of_source = Context::Conditional {
        top_t: 2,
        placement: Placement::Sublayer,
    };
    for (context, memory) in [
        (HAN, MemorySource::Live),
        (selective(Reach::Offline), MemorySource::Live),
        (selective(Reach::Online), MemorySource::StageOne),
        (of_source, MemorySource::Live),
        (Context::Concatenation { previous: 1 }, MemorySource::Live),
    ] {
        let model = model(&vocabulary, context, memory);
        let text = text(&vocabulary, 30, vec![29, 3, 4, 15]);
        for largest in [80, LARGEST] {
            let found = found(&model, &vocabulary, &text, largest, usize::MAX);
            let translations = found.translations.iter();
            let other = vocabulary.encode("six six");
            let candidates = translations
                .map(|(&number, (ids, _))| (number, vec![other.clone(), ids.clone()]))
                .collect();
            for (number, candidate, log_probs) in
                forced(&model, &vocabulary, &text, largest, &candidates)
            {
                let ids = &candidates[&number][candidate];
                assert_eq!(log_probs.len(), ids.len() + 1);
                let whole: f32 = log_probs.iter().sum();
                let cut: f32 = log_probs[..ids.len()].iter().sum();
                let searched = found.translations[&number].1;
                let is_same = (whole - searched).abs() < 1e-3 || (cut - searched).abs() < 1e-3;
                assert!(
                    is_same || candidate == 0,
                    "{context:?} {number} {whole} {searched}"
                );
            }
        }
    }
}

/// Sentence, candidate and log-probabilities of all candidates.
fn forced(
    model: &Model,
    vocabulary: &Vocabulary,
    text: &SourceText,
    largest: usize,
    candidates: &Candidates,
) -> Vec<(usize, usize, Vec<f32>)> {
    let mut all = Vec::new();
    let (options, found) = (options(), &mut |_| ControlFlow::Continue(()));
    let mut search = DocumentSearch::new(model, vocabulary, text, &options, found);
    search.largest = largest;
    let forced = search.force(candidates, &mut |forced| {
        all.push((forced.number, forced.candidate, forced.log_probs));
        ControlFlow::Continue(())
    });
    assert_eq!(Stop::result(forced), Ok(()));
    let expected: usize = candidates.values().map(Vec::len).sum();
    assert_eq!(all.len(), expected);
    all
}

#[test]
fn break_ends_either_pass() {
    let vocabulary = vocabulary();
    let model = model(
        &vocabulary,
        selective(Reach::Offline),
        MemorySource::StageOne,
    );
    let text = text(&vocabulary, 5, (0..5).collect());
    let until = |calls| {
        let found = found(&model, &vocabulary, &text, LARGEST, calls);
        (found.drafts.len(), found.translations.len())
    };
    assert_eq!(until(2), (2, 0));
    assert_eq!(until(7), (5, 2));
}

#[test]
fn a_long_document_in_windows_gets_what_it_gets_whole_if_context_is_near() {
    let vocabulary = vocabulary();
    for (context, memory) in [
        (HAN, MemorySource::Live),
        (HAN, MemorySource::StageOne),
        (Context::Concatenation { previous: 1 }, MemorySource::Live),
        (
            Context::Zhang {
                previous: 1,
                side: Side::Encoder,
            },
            MemorySource::Live,
        ),
    ] {
        let model = model(&vocabulary, context, memory);
        let text = text(&vocabulary, 40, (0..40).rev().collect());
        let whole = all(&model, &vocabulary, &text);
        assert_eq!(whole.translations.len(), 40);
        let windows = found(&model, &vocabulary, &text, 80, usize::MAX);
        for (sentence, (ids, log_prob)) in &whole.translations {
            let (other, other_log_prob) = &windows.translations[sentence];
            assert_eq!(ids, other, "{context:?} {sentence}");
            assert!(
                (log_prob - other_log_prob).abs() < 1e-3,
                "{context:?} {sentence}"
            );
        }
    }
}

#[test]
fn a_long_document_is_encoded_once_for_all_searches() {
    let vocabulary = vocabulary();
    let context = |placement| Context::HierarchicalEncoding {
        placement,
        decoder: false,
    };
    let [first, last] = [3, 38].map(|wanted| text(&vocabulary, 40, vec![wanted]));
    for (placement, keeps) in [(Placement::Gate, true), (Placement::Sublayer, false)] {
        let model = model(&vocabulary, context(placement), MemorySource::Live);
        let mut kept = EncodingCache::default();
        let mut search = |text| found_with(&model, &vocabulary, text, (80, usize::MAX), &mut kept);
        let searched = [search(&first), search(&last)];
        let alone = |text| found(&model, &vocabulary, text, 80, usize::MAX);
        assert_eq!(searched, [alone(&first), alone(&last)]);
        let of = kept
            .document
            .map(|(document, encodings)| (document, encodings.dims()));
        assert_eq!(of, keeps.then_some((0..40, [40, 8])));
    }
}

#[test]
fn twenty_thousand_sentences_are_read_in_windows() {
    let vocabulary = vocabulary();
    let word = SourceSentence {
        ids: vocabulary.encode("one"),
        position: (0, 0),
    };
    let wanted = vec![19_999, 0, 10_000];
    let text = SourceText {
        sentences: vec![word; 20_000],
        documents: std::iter::once(0..20_000).collect(),
        wanted: wanted.clone(),
        ..SourceText::default()
    };
    for context in [
        HAN,
        Context::Selective {
            words: WordNormaliser::Sparsemax,
            reach: Reach::Offline,
            side: Side::Encoder,
        },
        Context::Conditional {
            top_t: 5,
            placement: Placement::Sublayer,
        },
        Context::HierarchicalConditional {
            top_t: 5,
            merge: MergeKind::Source2Token,
            rule: TraversalRule::ByNode,
            placement: Placement::Sublayer,
        },
        Context::HierarchicalEncoding {
            placement: Placement::Sublayer,
            decoder: true,
        },
    ] {
        let model = model(&vocabulary, context, MemorySource::Live);
        let found = all(&model, &vocabulary, &text);
        assert!(found.translations.into_keys().eq([0, 10_000, 19_999]));
    }
}
