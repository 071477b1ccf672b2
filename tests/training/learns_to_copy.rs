//! The whole chain from batches to search learns a task that has a perfect answer.

use crate::support::tiny;
use std::ops::ControlFlow;

use burn::module::Module;
use canopy::kernels::DropoutSource;
use canopy::model::{Model, ModelConfig};
use canopy::search::{SearchOptions, SourceSentence, SourceText, search_sentences};
use canopy::training::{Adam, Example, ExampleSet, noam_rate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Strings of four to seven digits, to be copied.
fn strings(count: usize, seed: u64) -> Vec<Example> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let vocabulary = tiny::vocabulary();
    let string = |_| {
        let digits: String = (0..rng.random_range(4..=7))
            .map(|_| char::from(b'0' + rng.random_range(0..10)))
            .collect();
        let ids = vocabulary.encode(&digits);
        Example {
            source: ids.clone(),
            target: ids,
            place: (0, 0),
            headings: [0; 3],
            counts: true,
        }
    };
    (0..count).map(string).collect()
}

#[test]
fn a_copy_task_is_learnt_to_perfection() {
    const EPOCHS: usize = 40;
    let device = tiny::device().autodiff();
    let config = ModelConfig {
        d_model: 64,
        d_ff: 128,
        num_heads: 4,
        dropout: 0.0,
        tied_embeddings: true,
        ..tiny::config()
    };
    let (train, mut held_out) = (strings(2_000, 1), strings(250, 2));
    held_out.retain(|string| !train.contains(string));
    let train = ExampleSet {
        documents: (0..train.len()).map(|number| number..number + 1).collect(),
        examples: train,
        ..ExampleSet::default()
    };
    let mut model = tiny::model(&config, 1, &device);
    let (mut adam, mut step) = (Adam::default(), 0);
    let mut right = 0;
    for epoch in 0..EPOCHS {
        for runs in train.sentence_batches(500, 1, epoch) {
            step += 1;
            let loss = model.loss(&train.batch(&runs), 0.1, &DropoutSource::none());
            let rate = noam_rate(step, config.d_model, 200, 1.0);
            (model, _) = adam.update(model, &mut loss.backward(), rate, Some(2.0));
        }
        right = copied(&model.valid(), &held_out);
        if right == held_out.len() {
            break;
        }
    }
    println!(
        "{right} of {} strings copied after {step} steps",
        held_out.len()
    );
    assert!(
        right * 100 >= held_out.len() * 95,
        "{right} of {} strings copied",
        held_out.len()
    );
}

/// How many strings a model copies without a mistake.
fn copied(model: &Model, strings: &[Example]) -> usize {
    let sources: Vec<SourceSentence> = strings
        .iter()
        .map(|string| SourceSentence {
            ids: string.source.clone(),
            position: string.place,
        })
        .collect();
    let (greedy, mut right) = (
        SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        },
        0,
    );
    search_sentences(
        model,
        &tiny::vocabulary(),
        &SourceText::from_sentences(sources),
        &greedy,
        &mut |number, hypothesis| {
            right += usize::from(hypothesis.ids == strings[number].target);
            ControlFlow::Continue(())
        },
    )
    .expect("probabilities");
    right
}
