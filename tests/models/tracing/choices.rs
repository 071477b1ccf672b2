//! Choices in a trace in addition to the maps: gates, sentence encodings, the way down a tree and the sentences chosen.

use burn::tensor::{Distribution, Tensor};
use canopy::model::{
    ConditionalAttentionConfig, ContextAttention, Documents, HeadWeights,
    HierarchicalConditionalAttentionConfig, Memory, Recording,
};
use canopy::trace::MapKind;

use crate::tracing::{document, systems, tiny, traced, translated, translator};

#[test]
fn gates_and_sentence_encodings_are_recorded() {
    for (name, config) in systems() {
        let gated = [
            "encoding after layers",
            "tree after layers",
            "selective, sparse",
            "han",
            "zhang",
            "capsules",
        ];
        let encoded = [
            "encoding in layers",
            "conditional in layers",
            "tree in layers",
        ];
        let (_, _, trace) = traced(config);
        if gated.contains(&name) {
            let gate = trace.overview.gates.first().expect(name);
            let ordered = gate.min.iter().zip(&gate.mean).zip(&gate.max);
            assert!(
                ordered
                    .clone()
                    .all(|((min, mean), max)| min <= mean && mean <= max),
                "{name}"
            );
            assert!(gate.mean.iter().any(|&mean| mean > 0.0), "{name}");
        }
        if encoded.contains(&name) {
            let place = trace.find(MapKind::SentenceEncoding, 0, 0).expect(name);
            let rows = &trace.maps[place].rows;
            assert_eq!(rows.len(), trace.overview.source.len());
            assert!(rows.iter().all(|row| !row.words.is_empty()), "{name}");
        }
    }
}

#[test]
fn another_t_is_that_of_one_trace_alone() {
    for (name, config) in systems() {
        let own = config.top_t();
        let (translator, document) = (translator(config), document());
        let translations = translated(&translator, &document);
        let [before, other, after] = [None, Some(4), None].map(|top_t| {
            let trace = translator.trace_with(&document, &translations, None, top_t);
            trace.expect("traces")
        });
        assert_eq!(other.overview.model.top_t, own.map(|_| 4), "{name}");
        assert_eq!(before, after, "{name}");
        let rows = other.maps.iter().flat_map(|map| &map.rows);
        let most = rows.map(|row| row.sentences.len()).max();
        if let Some(own) = own {
            assert!(most > Some(own), "{name}: {most:?} sentences");
        } else {
            assert_eq!(other, after, "{name}");
        }
    }
}

#[test]
fn the_way_down_the_tree_ends_at_the_sentences_that_are_read() {
    let tree = |name: &str| systems().into_iter().find(|system| system.0 == name);
    for name in ["tree in layers", "tree after layers"] {
        let (_, _, trace) = traced(tree(name).expect("there").1);
        let tree = trace.overview.trees.first().expect("a tree");
        let maps = trace.maps.iter();
        for map in maps.filter(|map| map.info.kind == MapKind::Context) {
            for row in &map.rows {
                let visit = |level: u8, node: u32| {
                    row.visits
                        .iter()
                        .find(|visit| (visit.level, visit.node) == (level, node))
                };
                for step in &row.visits {
                    let above = visit(step.level + 1, step.node / 2);
                    let above = above.map_or(0.0, |parent| {
                        assert!(parent.kept, "children of kept nodes are looked at");
                        parent.cumulative
                    });
                    assert!((above + step.relevance - step.cumulative).abs() < 1e-5);
                }
                let leaves = row
                    .visits
                    .iter()
                    .filter(|visit| visit.level == 0 && visit.kept);
                let mut kept: Vec<u32> = leaves
                    .map(|leaf| tree.leaves[usize::try_from(leaf.node).expect("small")])
                    .collect();
                kept.dedup();
                let read: Vec<u32> = row.sentences.iter().map(|read| read.sentence).collect();
                assert_eq!(kept, read);
            }
        }
    }
}

fn reads(reading: &HeadWeights) -> Vec<usize> {
    reading.sentences.iter().map(|read| read.sentence).collect()
}

#[test]
fn traced_sentences_are_those_that_the_layers_choose() {
    let device = tiny::device();
    let _alone = tiny::random_numbers();
    device.seed(3);
    let documents = Documents::one(vec![0..4, 4..5, 5..9, 9..12, 12..16]);
    let words = Tensor::<2>::random([16, 8], Distribution::Normal(0.0, 1.0), &device);
    let query_spans = documents.query_spans();
    let memory = Memory::from_states(words.clone(), documents.clone());
    let conditional = ConditionalAttentionConfig::new(8, 2, 2).init(&device);
    let tree = HierarchicalConditionalAttentionConfig::new(8, 2, 2).init(&device);
    let encode = |encoder: &canopy::model::Source2Token| {
        encoder.forward(words.clone(), &documents.sentences)
    };
    let projected = conditional.heads.project(
        words.clone(),
        words.clone(),
        encode(&conditional.source2token),
    );
    let chosen = conditional
        .heads
        .choose(&projected, &query_spans, &documents);
    let by_tree = tree.tree.choose(
        words.clone(),
        &query_spans,
        words.clone(),
        encode(&tree.source2token),
        &documents,
    );
    for (attention, choice) in [
        (ContextAttention::Conditional(conditional), chosen),
        (ContextAttention::Tree(tree), by_tree.choice),
    ] {
        let prepared = attention.prepare(&memory);
        let (read, attention_weights) =
            prepared.attend_with_weights(words.clone(), &query_spans, &Recording::all());
        let plain = prepared.attend(words.clone(), &query_spans, None);
        assert_eq!(read.to_data(), plain.to_data(), "looking changes nothing");
        assert_eq!(attention_weights.rows.len(), choice.len());
        for (reading, kept) in attention_weights.rows.iter().zip(&choice) {
            assert_eq!(reads(reading), kept.sentences);
        }
    }
}
