use super::*;
use crate::trace::{
    AttentionMap, MapInfo, MapKind, MapRow, NodeVisit, Normaliser, Overview, SentenceWeight, Side,
    Trace, TracedSentence, TracedTree, Units, Visible,
};
use crate::{Heads, Query};

/// The way of one word down a tree of `leaves` sentences, the leaves `chosen` kept, their siblings cut.
fn tree(leaves: u32, chosen: &[u32]) -> TreeView {
    let tree = TracedTree {
        leaves: (0..leaves).collect(),
    };
    let sizes = tree.level_sizes();
    let mut visits = Vec::new();
    for (level, &size) in (0_u8..).zip(&sizes) {
        let kept = |node: u32| chosen.iter().any(|leaf| leaf >> level == node);
        let parent = |node: u32| chosen.iter().any(|leaf| leaf >> (level + 1) == node >> 1);
        for node in (0..u32::try_from(size).expect("small")).filter(|&node| parent(node)) {
            visits.push(NodeVisit {
                level,
                node,
                relevance: 0.5,
                cumulative: f32::from(level),
                kept: kept(node),
            });
        }
    }
    let share = 1.0 / f32::from(u8::try_from(chosen.len()).expect("few"));
    let sentences = chosen.iter().map(|&sentence| SentenceWeight {
        sentence,
        weight: share,
        ..SentenceWeight::default()
    });
    let row = MapRow::default()
        .with_sentences(sentences)
        .with_visits(0, visits);
    let sentence = |words: usize| TracedSentence {
        tokens: vec!["x".to_owned(); words],
        ..TracedSentence::default()
    };
    let mut source = vec![sentence(0); leaves as usize];
    source[0] = sentence(1);
    let info = MapInfo {
        kind: MapKind::Context,
        layer: 0,
        head: 0,
        queries: Units::SourceWords,
        keys: Units::SourceSentences,
        visible: Visible::All,
        windowed: false,
        normaliser: Normaliser::Sparsemax,
        sentence_normaliser: None,
        threshold: 0.0,
        includes_own: false,
    };
    let trace = Trace {
        overview: Overview {
            source,
            trees: vec![tree],
            ..Overview::default()
        },
        maps: vec![AttentionMap {
            info,
            rows: vec![row],
        }],
    };
    let query = Query {
        word: Some(0),
        heads: Heads::One(0),
        ..Query::sentence(Side::Source, 0)
    };
    TreeView::new(&trace.into(), &query).expect("a tree")
}

fn tips(layout: &TreeLayout) -> Vec<&PlacedNode> {
    let parents: Vec<usize> = layout.placed.iter().filter_map(|it| it.parent).collect();
    let tips = (0..layout.placed.len()).filter(|index| !parents.contains(index));
    tips.map(|index| &layout.placed[index]).collect()
}

/// Evenly spaced tips, parents above the middle of their children, and every sentence below one tip.
fn check(tree: &TreeView, size: (f64, f64), slot: f64) -> TreeLayout {
    let layout = tree.layout(size, slot);
    let tips = tips(&layout);
    assert!(layout.slot + 1e-9 >= slot, "{} < {slot}", layout.slot);
    let mut next = 0;
    for (left, right) in tips.iter().zip(&tips[1..]) {
        assert!((right.x - left.x - layout.slot).abs() < 1e-6);
    }
    for tip in &tips {
        assert_eq!(tip.span.0, next);
        next = tip.span.1 + 1;
        assert!((0.0..=size.0).contains(&tip.x));
    }
    assert_eq!(next, tree.nodes[tree.root].span.1 + 1);
    for (index, parent) in layout.placed.iter().enumerate() {
        let children = layout.placed.iter().filter(|it| it.parent == Some(index));
        let xs: Vec<f64> = children.map(|child| child.x).collect();
        if let (Some(first), Some(last)) = (xs.first(), xs.last()) {
            assert!((parent.x - f64::midpoint(*first, *last)).abs() < 1e-6);
        }
    }
    layout
}

#[test]
fn a_small_tree_is_shown_as_a_whole() {
    let layout = check(&tree(11, &[2, 3, 9]), (1_000.0, 500.0), 20.0);
    // 11 + 6 + 3 + 2 + 1 nodes.
    assert_eq!(layout.placed.len(), 23);
    assert!(layout.placed.iter().all(PlacedNode::is_alone));
    let root = &layout.placed[0];
    assert!((root.y - 50.0).abs() < 1e-6);
}

#[test]
fn a_narrow_drawing_closes_subtrees_and_keeps_the_chosen_open() {
    let tree = tree(1_000, &[17, 400, 401, 999]);
    let layout = check(&tree, (1_000.0, 500.0), 11.0);
    let alone: Vec<usize> = tips(&layout)
        .iter()
        .filter(|tip| tip.is_alone() && tip.node(&tree).chosen)
        .map(|tip| tip.span.0)
        .collect();
    assert_eq!(alone, [17, 400, 401, 999]);
    let layout = check(&tree, (30.0, 500.0), 10.0);
    assert!(tips(&layout).len() <= 3);
    let closed = tips(&layout)[0];
    assert!(closed.collapsed && closed.span.1 > closed.span.0);
    let layout = tree.layout((1.0, 1.0), 10.0);
    assert_eq!(layout.placed.len(), 1);
    assert_eq!(layout.placed[0].span, (0, 999));
    assert_eq!(layout.placed[0].greatest, Some(10.0), "the root's level");
}

#[test]
fn the_largest_documents_fit_too() {
    let chosen = [3, 1_000, 1_001, 5_555, 8_191, 8_192, 12_000, 16_383];
    let tree = tree(16_384, &chosen);
    let layout = tree.layout((1_200.0, 900.0), 11.0);
    assert!(layout.placed.len() < 300);
    let alone = tips(&layout)
        .iter()
        .filter(|tip| tip.node(&tree).chosen)
        .count();
    assert_eq!(alone, chosen.len());
}
