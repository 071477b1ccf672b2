//! Real models, if tiny ones: greedily as without a search, cached as at once, together as alone.

use std::ops::ControlFlow;

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use canopy::kernels::DropoutSource;
use canopy::model::{Batch, BatchSetup, Model, PackedBatch};
use canopy::search::{Hypothesis, SourceSentence, SourceText, search_sentences};
use canopy::text::vocabulary::Vocabulary;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::{hypotheses, limited, options, tiny};

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("32-bit floats")
}

/// Sentences of one to four dozen tokens, each with a place in its document.
pub fn sources(vocabulary: &Vocabulary, count: usize) -> Vec<SourceSentence> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let texts: Vec<String> = tiny::pairs()
        .into_iter()
        .map(|(source, _)| source)
        .collect();
    let sentence = |number: usize| {
        let words: Vec<&str> = (0..rng.random_range(1..4))
            .map(|_| texts.choose(&mut rng).expect("some").as_str())
            .collect();
        SourceSentence {
            ids: vocabulary.encode(&words.join(" ")),
            position: (number % 3, number),
        }
    };
    (0..count).map(sentence).collect()
}

/// Always the most probable word, written without the search room.
fn greedy(model: &Model, vocabulary: &Vocabulary, source: &[u32], max_tokens: usize) -> Hypothesis {
    let rows = PackedBatch::new([[source, &[Vocabulary::EOS]].concat().as_slice()]);
    let executor = model.executor();
    let mut decoder = executor.start(&rows, BatchSetup::default());
    let (mut ids, mut log_prob, mut last) = (Vec::new(), 0.0, Vocabulary::BOS);
    loop {
        let scores = decoder.step(&[last]);
        let words = (0_u32..)
            .zip(&scores)
            .filter(|(id, _)| vocabulary.placeholder(*id).is_none());
        let (id, score) = words
            .max_by(|a, b| a.1.total_cmp(b.1))
            .expect("a vocabulary");
        log_prob += score;
        if id == Vocabulary::EOS {
            return Hypothesis {
                ids,
                log_prob,
                cut_off: false,
                others: Vec::new(),
            };
        }
        ids.push(id);
        if ids.len() == max_tokens {
            return Hypothesis {
                ids,
                log_prob,
                cut_off: true,
                others: Vec::new(),
            };
        }
        last = id;
    }
}

#[test]
fn beam_of_one_equals_greedy() {
    let (vocabulary, mut ended) = (tiny::vocabulary(), 0);
    for seed in 0..4 {
        let model = tiny::talkative_model(seed);
        for source in sources(&vocabulary, 12) {
            let expected = greedy(&model, &vocabulary, &source.ids, 20);
            let found = limited(&model, &vocabulary, &source.ids, 1, 20);
            assert_eq!(
                (&found.ids, found.cut_off),
                (&expected.ids, expected.cut_off)
            );
            assert!(
                (found.log_prob - expected.log_prob).abs() < 1e-3,
                "{found:?} is not {expected:?}"
            );
            ended += usize::from(!found.cut_off);
        }
    }
    assert!(
        (5..48).contains(&ended),
        "{ended} of 48 ended by themselves: the models show too little"
    );
}

/// Log-probabilities after every word of every target sentence, computed at once.
fn log_probs_at_once(model: &Model, source: &PackedBatch, target: &PackedBatch) -> Vec<f32> {
    let batch = Batch {
        source: source.clone(),
        target: target.clone(),
        translated: (0..source.sentences.len()).collect(),
        ..Batch::default()
    };
    numbers(log_softmax(model.scores(&batch, &DropoutSource::none()), 1))
}

fn assert_near(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let worst = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(worst <= tolerance, "{what}: {worst} apart");
}

#[test]
fn cached_decoding_equals_a_full_forward() {
    const WORDS: usize = 6;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut word = || rng.random_range(4..u32::try_from(tiny::VOCAB).expect("small"));
    for config in tiny::kinds() {
        let model = tiny::model(&config, 5, &tiny::device());
        let (mut source, mut target) = (PackedBatch::default(), PackedBatch::default());
        for (number, len) in [9, 1, 4].into_iter().enumerate() {
            let position = (number, 2 * number);
            source.push(&(0..len).map(|_| word()).collect::<Vec<_>>(), position);
            let sentence: Vec<u32> = (0..WORDS)
                .map(|position| {
                    if position == 0 {
                        Vocabulary::BOS
                    } else {
                        word()
                    }
                })
                .collect();
            target.push(&sentence, position);
        }
        let expected = log_probs_at_once(&model, &source, &target);
        let after = |sentence: usize, words: usize| {
            &expected[(sentence * WORDS + words) * tiny::VOCAB..][..tiny::VOCAB]
        };
        let executor = model.executor();
        let mut decoder = executor.start(&source, BatchSetup::default());
        // Half-way two hypotheses change places, one is given up and one goes on twice.
        let mut order = vec![0, 1, 2];
        for words in 0..WORDS {
            if words == 3 {
                order = vec![2, 0, 2];
                decoder.select(&order);
            }
            let ids: Vec<u32> = order
                .iter()
                .map(|&sentence| target.ids[sentence * WORDS + words])
                .collect();
            let found = decoder.step(&ids);
            for (row, &sentence) in found.chunks_exact(tiny::VOCAB).zip(&order) {
                assert_near(
                    row,
                    after(sentence, words),
                    1e-4,
                    &format!("sentence {sentence}, word {words}, {config:?}"),
                );
            }
        }
    }
}

#[test]
fn batched_equals_one_by_one() {
    let vocabulary = tiny::vocabulary();
    let model = tiny::talkative_model(2);
    let sources = sources(&vocabulary, 150);
    for beam in [1, 3] {
        let together = hypotheses(&model, &vocabulary, &sources, beam);
        for (number, source) in sources.iter().enumerate().step_by(4) {
            let alone = &hypotheses(&model, &vocabulary, std::slice::from_ref(source), beam)[0];
            assert_eq!(
                together[number].ids, alone.ids,
                "sentence {number}, beam {beam}"
            );
            assert!((together[number].log_prob - alone.log_prob).abs() < 1e-3);
        }
    }
}

#[test]
fn breaking_off_ends_the_search() {
    let vocabulary = tiny::vocabulary();
    let mut finished = 0;
    let sources = sources(&vocabulary, 100);
    search_sentences(
        &tiny::talkative_model(1),
        &vocabulary,
        &SourceText::from_sentences(sources),
        &options(1),
        &mut |_, _| {
            finished += 1;
            ControlFlow::Break(())
        },
    )
    .expect("probabilities");
    assert_eq!(finished, 1);
}
