//! The picture of the golden tree has the golden numbers (`tests/golden/traverse_tree-1.json`, Figure 3 of the
//! hierarchical paper).

use canopy::charts::{Theme, picture_svg};
use canopy::explain::{Explanation, Heads, NodeState, Query, TreeView};
use canopy::trace::{AttentionMap, MapKind, MapRow, NodeVisit, SentenceWeight, Side, Trace};
use canopy::trace::{Overview, TraceSource, TracedTree, Units};
use serde_json::Value;

use crate::explain::small;

const QUERIES: usize = 7;
const LEAVES: usize = 11;

fn golden() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/golden/traverse_tree-1.json"
    );
    let text = std::fs::read_to_string(path).expect("the golden file");
    let file: Value = serde_json::from_str(&text).expect("is JSON");
    file["outputs"].clone()
}

/// One number of a matrix with a row for each query, `None` for what was cut.
#[expect(clippy::cast_possible_truncation, reason = "traces hold f32")]
fn number(outputs: &Value, name: &str, query: usize, column: usize) -> Option<f32> {
    let matrix = &outputs[name];
    let width = matrix["shape"][1].as_u64().expect("a width");
    let width = usize::try_from(width).expect("a small one");
    let number = matrix["data"][query * width + column].as_f64();
    number.map(|number| number as f32)
}

/// The nodes that a query looked at: the root, and children of what was kept.
fn visits(outputs: &Value, tree: &TracedTree, query: usize) -> Vec<NodeVisit> {
    let mut visits: Vec<NodeVisit> = Vec::new();
    for (level, &size) in tree.level_sizes().iter().enumerate().rev() {
        for node in 0..size {
            let is_parent = |it: &&NodeVisit| {
                usize::from(it.level) == level + 1 && it.node as usize == node / 2
            };
            let parent = visits.iter().find(is_parent).copied();
            let is_root = level + 1 == tree.num_levels();
            if !is_root && !parent.is_some_and(|parent| parent.kept) {
                continue;
            }
            let named = |name: &str| number(outputs, &format!("{name}_level_{level}"), query, node);
            let relevance = named("relevance").expect("a number");
            visits.push(NodeVisit {
                level: u8::try_from(level).expect("few levels"),
                node: u32::try_from(node).expect("few nodes"),
                relevance,
                cumulative: relevance + parent.map_or(0.0, |parent| parent.cumulative),
                kept: named("by_node_kept") == Some(1.0),
            });
        }
    }
    visits
}

fn source(outputs: &Value) -> TraceSource {
    let tree = TracedTree {
        leaves: (0..11).collect(),
    };
    let row = |query| {
        let kept =
            (0..11_u16).filter(|&leaf| number(outputs, "by_node", query, leaf.into()).is_some());
        let sentences = kept.map(|leaf| SentenceWeight {
            sentence: leaf.into(),
            weight: 0.5,
            ..SentenceWeight::default()
        });
        MapRow::default()
            .with_sentences(sentences)
            .with_visits(0, visits(outputs, &tree, query))
    };
    let mut info = small::info(MapKind::Context, 0);
    info.keys = Units::SourceSentences;
    let mut words = vec![small::sentence(&["w"; QUERIES], 0, 0)];
    words.resize(LEAVES, small::sentence(&[], 0, 0));
    let trace = Trace {
        maps: vec![AttentionMap {
            info,
            rows: (0..QUERIES).map(row).collect(),
        }],
        overview: Overview {
            source: words,
            trees: vec![tree.clone()],
            ..Overview::default()
        },
    };
    trace.into()
}

#[test]
fn the_picture_of_the_golden_tree_has_the_golden_numbers() {
    let outputs = golden();
    let source = source(&outputs);
    for word in 0..QUERIES {
        let query = Query {
            word: Some(word),
            heads: Heads::One(0),
            ..Query::sentence(Side::Source, 0)
        };
        let tree = TreeView::new(&source, &query).expect("a tree");
        for leaf in 0..LEAVES {
            let kept = number(&outputs, "by_node", word, leaf);
            let node = &tree.nodes[leaf];
            assert_eq!(
                (node.state == NodeState::Kept, node.chosen),
                (kept.is_some(), kept.is_some())
            );
            if let (Some(kept), Some(cumulative)) = (kept, node.cumulative) {
                assert!((kept - cumulative).abs() < 1e-5, "{kept} {cumulative}");
            }
        }
        let labels = tree
            .nodes
            .iter()
            .filter_map(|node| Some((node.relevance?, node.cumulative?)));
        let labels: Vec<_> = labels.collect();
        let svg = picture_svg(&Explanation::Tree(tree), &Theme::LIGHT, (1_200, 700));
        let svg = svg.expect("a figure");
        let count = |text: &str| svg.lines().filter(|line| line.trim() == text).count();
        for (relevance, cumulative) in labels {
            for label in [relevance, cumulative] {
                assert!(count(&format!("{label:.2}")) > 0, "{label}");
            }
        }
    }
}
