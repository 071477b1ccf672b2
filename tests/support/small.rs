//! A trace small enough to check by hand.

use canopy::text::document::Section;
use canopy::trace::{
    AttentionMap, GateValues, MapInfo, MapKind, MapRow, NodeVisit, Normaliser, Overview,
    SentenceWeight, Side, Trace, TracedModel, TracedSentence, TracedTree, Units, Visible,
};

pub fn sentence(tokens: &[&str], section: usize, paragraph: usize) -> TracedSentence {
    TracedSentence {
        tokens: tokens.iter().map(|&token| token.to_owned()).collect(),
        text: tokens.concat().replace('▁', " "),
        points: Vec::new(),
        section,
        paragraph,
        sentence_in_paragraph: 0,
    }
}

pub fn info(kind: MapKind, head: usize) -> MapInfo {
    let is_cross = kind == MapKind::Cross;
    MapInfo {
        kind,
        layer: 1,
        head,
        queries: if is_cross {
            Units::TargetWords
        } else {
            Units::SourceWords
        },
        keys: Units::SourceWords,
        visible: if is_cross { Visible::Own } else { Visible::All },
        windowed: false,
        normaliser: if is_cross {
            Normaliser::Softmax
        } else {
            Normaliser::Sparsemax
        },
        sentence_normaliser: None,
        threshold: if is_cross { 0.1 } else { 0.0 },
        includes_own: false,
    }
}

/// A row of weights of words, and of the sentences that they are in.
pub fn row(words: &[(u32, f32)], sentences: &[(u32, f32)], rest: f32) -> MapRow {
    let weighed = sentences.iter().map(|&(sentence, weight)| SentenceWeight {
        sentence,
        weight,
        ..SentenceWeight::default()
    });
    MapRow {
        rest,
        ..MapRow::new(Units::SourceWords, words.iter().copied(), 0.0)
    }
    .with_sentences(weighed)
}

/// Source: `A b` (words 0, 1), `C` (2), `D e <eos>` (3, 4, 5); two heads look at other sentences.
pub fn trace(with_tree: bool) -> Trace {
    let visit = |level, node, relevance, cumulative, kept| NodeVisit {
        level,
        node,
        relevance,
        cumulative,
        kept,
    };
    let visits = vec![
        visit(0, 0, 0.5, 1.75, true),
        visit(0, 1, -0.25, 1.0, false),
        visit(1, 0, 0.25, 1.25, true),
        visit(1, 1, -1.0, 0.0, false),
        visit(2, 0, 1.0, 1.0, true),
    ];
    let traversed = |row: MapRow| {
        if with_tree {
            row.with_visits(0, visits.clone())
        } else {
            row
        }
    };
    let nothing = || row(&[], &[], 0.0);
    let first = vec![
        traversed(row(&[(0, 0.25), (1, 0.75)], &[(0, 1.0)], 0.0)),
        row(&[(2, 0.5), (4, 0.5)], &[(1, 0.5), (2, 0.5)], 0.0),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
    ];
    let second = vec![
        row(&[(2, 1.0)], &[(1, 1.0)], 0.0),
        row(&[(4, 0.75)], &[(2, 1.0)], 0.25),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
    ];
    let cross = vec![
        row(&[(0, 0.9)], &[], 0.1),
        row(&[(2, 1.0)], &[], 0.0),
        row(&[(3, 0.5), (5, 0.5)], &[], 0.0),
    ];
    let section = |parent, level, heading| Section {
        parent,
        level,
        heading,
    };
    let map = |info, rows| AttentionMap { info, rows };
    Trace {
        overview: Overview {
            model: TracedModel {
                name: "Small".to_owned(),
                system: "hierarchical".to_owned(),
                num_encoder_layers: 2,
                num_decoder_layers: 1,
                num_heads: 2,
                top_t: Some(1),
                probed_heads: Vec::new(),
                looks_up: false,
            },
            document: "small.md".to_owned(),
            sections: vec![section(None, 0, None), section(Some(0), 1, Some(1))],
            source: vec![
                sentence(&["A", "▁b"], 0, 0),
                sentence(&["C"], 1, 1),
                sentence(&["D", "▁e", "<eos>"], 1, 2),
            ],
            target: vec![
                sentence(&["x"], 0, 0),
                sentence(&["y"], 1, 1),
                sentence(&["z"], 1, 2),
            ],
            trees: if with_tree {
                vec![TracedTree {
                    leaves: vec![0, 1, 2],
                }]
            } else {
                Vec::new()
            },
            gates: vec![GateValues::new(
                "gate".to_owned(),
                1,
                Side::Source,
                &[0.0, 1.0, 0.25, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0],
                2,
            )],
            ..Overview::default()
        },
        maps: vec![
            map(info(MapKind::Context, 0), first),
            map(info(MapKind::Context, 1), second),
            map(info(MapKind::Cross, 0), cross),
        ],
    }
}
