//! Models on a GPU beside those on the CPU.

use super::*;
use crate::datastore::KnnConfig;
use crate::model::batch::Batch;
use crate::model::packed::PackedDecoderOutput;
use crate::model::packed::tests::{configs, model, network, packed, source};
use canopy_kernels::gpu::Gpu;
use canopy_kernels::packed::Scratch;
use canopy_tokenize::vocabulary::Vocabulary;

fn assert_near(found: &[f32], expected: &[f32], most: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let apart = (found - expected).abs();
        assert!(apart < most, "{what}: {found} is not {expected}");
    }
}

#[test]
fn steps_on_a_gpu_are_those_on_the_cpu_through_every_selection() {
    let gpu = Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least");
    let rows = source();
    for config in configs() {
        let model = model(&config);
        let packed = packed(&model);
        let encoded = packed.encode(&rows, Scratch::default()).expect("sentences");
        for (quantization, most) in [(Quantization::None, 2e-4), (Quantization::Float16, 2e-2)] {
            let on_gpu =
                GpuTransformer::on(Arc::clone(&gpu), network(&model), None, quantization, None);
            let on_gpu = on_gpu.expect("room");
            assert!(GpuTransformer::computes(network(&model)));
            for mut found in [
                on_gpu.start(&rows, None).expect("an encoder"),
                on_gpu.start_with(&encoded, None),
            ] {
                let source = packed.source(&encoded, &mut Scratch::default());
                let mut expected = packed.start(source, &[0, 1, 2], Scratch::default());
                let mut last = vec![Vocabulary::BOS; 3];
                let selections: [&[usize]; 8] = [
                    &[0, 0, 1, 2, 2],
                    &[4, 3, 0, 0],
                    &[1, 1, 2, 0, 3, 2, 1, 0, 3],
                    &[2, 0, 8],
                    &[0, 1, 1, 2],
                    &[1, 0, 0, 2],
                    &[3, 0],
                    &[1],
                ];
                // Often enough that there has to be more room for keys.
                for (word, selection) in (20..).zip(selections.into_iter().cycle().take(20)) {
                    let selection: Vec<usize> =
                        { selection.iter() }.map(|&it| it % last.len()).collect();
                    let (mut scores, mut all) = (Vec::new(), StepScores::default());
                    packed.step(&mut expected, &last, &mut scores, None);
                    on_gpu.step(&mut found, &last, (None, None), &mut all);
                    assert_near(&all.values, &scores, most, "scores");
                    expected.select(&selection);
                    found.select(&selection);
                    last = (word..).take(selection.len()).map(|id| id % 37).collect();
                }
            }
        }
    }
}

/// Translations of the sentences of [`source`], some of them of the same one.
fn batch() -> Batch {
    let target = [[2, 20, 21].as_slice(), &[2, 22], &[2], &[2, 23, 24, 25]];
    Batch {
        source: source(),
        target: PackedBatch::new(target),
        translated: vec![0, 0, 1, 2],
        labels: vec![20, 21, 3, 22, 3, 3, 23, 24, 25, 3],
        ..Batch::default()
    }
}

#[test]
fn translations_that_are_given_have_their_states_and_probabilities() {
    let gpu = Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least");
    let batch = batch();
    for config in configs() {
        let model = model(&config);
        let packed = packed(&model);
        let network = network(&model);
        let on_gpu = GpuTransformer::on(Arc::clone(&gpu), network, None, Quantization::None, None);
        let on_gpu = on_gpu.expect("room");
        let Some(states) = on_gpu.label_states(&batch) else {
            let recurrent = network.decoder.layers.iter().any(|it| it.ssru.is_some());
            assert!(recurrent && !on_gpu.decodes_whole());
            continue;
        };
        let expected = packed.label_states(&batch).fed_forward;
        assert_near(&states, &expected, 2e-4, "states");
        let next: Vec<u32> = (0..10).map(|state| 20 + state % 4).collect();
        let config = KnnConfig {
            nearest: 3,
            ..KnnConfig::default()
        };
        let datastore = Datastore::packed(&expected, 24, next, config);
        for datastore in [None, Some(&datastore)] {
            let log_probs = on_gpu.label_log_probs(&batch, datastore);
            let expected = packed.label_log_probs(&batch, datastore);
            assert_near(&log_probs.expect("whole"), &expected, 5e-4, "labels");
        }
    }
}

#[test]
fn what_followed_near_states_is_mixed_in_as_on_the_cpu() {
    let gpu = Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least");
    let rows = source();
    for config in configs() {
        let model = model(&config);
        let packed = packed(&model);
        let on_gpu = GpuTransformer::on(
            Arc::clone(&gpu),
            network(&model),
            None,
            Quantization::None,
            None,
        );
        let on_gpu = on_gpu.expect("room");
        let vocab = on_gpu.vocab_size();
        let encoded = packed.encode(&rows, Scratch::default()).expect("sentences");
        let states = packed.label_states(&batch()).fed_forward;
        // Tokens that are read anyway, likely ones and others, some after several states.
        let next = vec![1, 20, 5, 30, 30, 31, 7, 1, 20, 33];
        let knn = KnnConfig {
            nearest: 4,
            reach: 1_000.0,
            ..KnnConfig::default()
        };
        let datastore = Datastore::packed(&states, 24, next, knn);
        let source = packed.source(&encoded, &mut Scratch::default());
        let mut expected = packed.start(source, &[0, 1, 2], Scratch::default());
        let [mut all, mut few] =
            [0; 2].map(|_| on_gpu.start(&rows, Some(&datastore)).expect("an encoder"));
        let mut last = vec![Vocabulary::BOS; 3];
        for (word, selection) in (20..).zip([[0, 0, 1], [2, 0, 1], [1, 2, 0], [1, 1, 1]]) {
            let (mut scores, mut normalisers) = (vec![], vec![]);
            let mut output = PackedDecoderOutput::default();
            packed.step(&mut expected, &last, &mut scores, Some(&mut output));
            log_normalisers(&scores, vocab, &mut normalisers);
            let scratch = &mut Scratch::default();
            let near = datastore.near_rows(&output.fed_forward, None, scratch);
            datastore.mix_rows(&near, &mut scores, &mut normalisers);
            for (row, normaliser) in scores.chunks_exact_mut(vocab).zip(&normalisers) {
                for score in row {
                    *score -= normaliser;
                }
            }
            let mut found = StepScores::default();
            on_gpu.read_next(&mut all, &last, (None, Some(&datastore)), &mut found);
            assert_near(&found.values, &scores, 5e-4, "all");
            let read = TokenSelection { first: 4, top_k: 6 };
            let read = (Some(read), Some(&datastore));
            on_gpu.read_next(&mut few, &last, read, &mut found);
            for (row, scores) in found.rows().zip(scores.chunks(vocab)) {
                // Every token once, and the likeliest of the mixture among them.
                let mut told: Vec<(f32, u32)> = (0..)
                    .zip(&*row.scores)
                    .filter(|(_, score)| **score > f32::NEG_INFINITY)
                    .map(|(column, score)| (score - row.normaliser, row.id(column)))
                    .collect();
                let count = told.len();
                for (log_prob, id) in &told {
                    assert!((log_prob - scores[*id as usize]).abs() < 5e-4, "{id}");
                }
                told.sort_by_key(|(_, id)| *id);
                told.dedup_by_key(|(_, id)| *id);
                assert_eq!(told.len(), count);
                told.sort_by(|a, b| b.0.total_cmp(&a.0));
                let mut order: Vec<f32> = scores.to_vec();
                order.sort_by(|a, b| b.total_cmp(a));
                let top_k: Vec<f32> = told.iter().map(|told| told.0).take(6).collect();
                assert_near(&top_k, &order[..6], 5e-4, "top_k");
            }
            expected.select(&selection);
            all.select(&selection);
            few.select(&selection);
            last = vec![word; 3];
        }
    }
}
