//! Sentences that are read and not translated cost no states that nothing reads, and change none that are read.

use canopy::model::{ContextReach, ModelConfig};
use canopy::training::{Example, ExampleSet};

use crate::contexts::{assert_near, batch, document, scores, systems, tiny};

/// Two documents, of which these sentences alone are translated.
fn documents(translated: &[usize]) -> Vec<Vec<Example>> {
    let mut documents = vec![document(&[3, 5, 2, 4, 3], 1), document(&[2, 4], 2)];
    for (number, example) in documents.iter_mut().flatten().enumerate() {
        example.counts = translated.contains(&number);
    }
    documents
}

#[test]
fn translated_sentences_have_the_scores_that_they_have_among_all() {
    let device = tiny::device();
    let configs: Vec<ModelConfig> = systems::configs()
        .into_iter()
        .chain(systems::sentence_level())
        .collect();
    for config in configs {
        let model = tiny::model(&config, 5, &device);
        let all = scores(&model, &batch(&documents(&[0, 1, 2, 3, 4, 5, 6])));
        let wanted = [2, 4, 6];
        let some = scores(&model, &batch(&documents(&wanted)));
        for (found, number) in some.iter().zip(wanted) {
            let what = format!("{config:?}, sentence {number}");
            assert_near(found, &all[number], 1e-4, &what);
        }
    }
}

#[test]
fn what_nobody_reads_is_no_part_of_a_document() {
    let mut set = ExampleSet::default();
    for document in documents(&[2, 4, 6]) {
        let start = set.examples.len();
        set.examples.extend(document);
        set.documents.push(start..set.examples.len());
    }
    let within = |set: &ExampleSet, reach| set.clone().within_reach(reach).documents;
    let previous = ContextReach::Previous(1);
    assert_eq!(within(&set, ContextReach::Document), [0..5, 5..7]);
    assert_eq!(within(&set, ContextReach::Before), [0..5, 5..7]);
    assert_eq!(within(&set, previous), [1..5, 5..7]);
    set.examples[2].counts = false;
    assert_eq!(within(&set, previous), [3..5, 5..7]);
    set.examples[0].counts = true;
    set.examples[4].counts = false;
    set.examples[3].counts = true;
    assert_eq!(within(&set, ContextReach::Before), [0..4, 5..7]);
    assert_eq!(within(&set, previous), [0..1, 2..4, 5..7]);
}
