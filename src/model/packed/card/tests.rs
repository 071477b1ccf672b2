//! Models on a card beside those on the CPU.

use super::*;
use crate::kernels::card::tests::card;
use crate::kernels::packed::Scratch;
use crate::model::packed::tests::{configs, model, network, packed, source};
use crate::text::vocabulary::Vocabulary;

fn assert_near(found: &[f32], expected: &[f32], most: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let apart = (found - expected).abs();
        assert!(apart < most, "{what}: {found} is not {expected}");
    }
}

#[test]
fn steps_on_a_card_are_those_on_the_cpu_through_every_selection() {
    let card = card();
    let rows = source();
    for config in configs() {
        let model = model(&config);
        let packed = packed(&model);
        let encoded = packed.encode(&rows, Scratch::default()).expect("sentences");
        for (quantization, most) in [(Quantization::None, 2e-4), (Quantization::Float16, 2e-2)] {
            let on_card =
                CardTransformer::on(Arc::clone(&card), network(&model), None, quantization, None);
            let on_card = on_card.expect("room");
            assert!(CardTransformer::computes(network(&model)));
            for mut found in [
                on_card.start(&rows).expect("an encoder"),
                on_card.start_with(&encoded),
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
                    let (mut scores, mut all) = (Vec::new(), NextScores::default());
                    packed.step(&mut expected, &last, &mut scores, None);
                    on_card.step(&mut found, &last, None, &mut all);
                    assert_near(&all.values, &scores, most, "scores");
                    expected.select(&selection);
                    found.select(&selection);
                    last = (word..).take(selection.len()).map(|id| id % 37).collect();
                }
            }
        }
    }
}
