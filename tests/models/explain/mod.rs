//! Views of a trace and `canopy explain`: their numbers are those of the trace, by hand.

mod golden;
mod legends;

use crate::support::small;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use canopy::charts::{Theme, picture_png, picture_svg};
use canopy::explain::{
    AttentionStatistics, ContextChange, ContextView, DocumentMap, Explanation, GateView, Heads,
    LeaveOneOut, Measure, NodeState, Order, Query, Question, ScoredWord, TreeView, ViewKind,
    WeightMap, ZerosView,
};
use canopy::trace::{MapKind, Side, Trace, TraceSource, save};
use small::trace;

fn source() -> TraceSource {
    trace(true).into()
}

fn word(word: usize, head: usize) -> Query {
    Query {
        word: Some(word),
        heads: Heads::One(head),
        ..Query::sentence(Side::Source, 0)
    }
}

#[test]
fn the_tree_of_one_word_and_head_has_the_numbers_of_the_trace() {
    let tree = TreeView::new(&source(), &word(0, 0)).expect("a tree");
    assert_eq!(tree.measure, Measure::Relevance);
    assert_eq!(
        tree.query,
        "sentence 1 · word 1 “A” · layer 2 · head 1 · T = 1"
    );
    let found = tree
        .nodes
        .iter()
        .map(|node| (node.cumulative, node.state, node.chosen));
    let expected = [
        (Some(1.75), NodeState::Kept, true),
        (Some(1.0), NodeState::Cut, false),
        (None, NodeState::Unseen, false),
        (Some(1.25), NodeState::Kept, false),
        (Some(0.0), NodeState::Cut, false),
        (Some(1.0), NodeState::Kept, false),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(tree.range(), (1.0, 1.75));
    assert_eq!(tree.chosen, [(0, 1.0, "A b".to_owned())]);
    let summary = tree.summary(Side::Source, "“A”");
    assert!(
        summary.starts_with("To translate “A” the model read sentence 1. A box"),
        "{summary}"
    );
}

#[test]
fn the_tree_of_several_words_and_heads_has_means_and_the_way_that_most_went() {
    let mut trace = trace(true);
    let visits = |row: &mut canopy::trace::MapRow, leaf: u32| {
        for visit in &mut row.visits {
            visit.cumulative += 1.0;
            visit.kept =
                visit.level > 0 && visit.node == 0 || visit.node == leaf && visit.level == 0;
        }
    };
    let first = trace.maps[0].rows[0].clone();
    // Three more rows of the sentence, two of which end at sentence 2.
    for (map, row, leaf) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        let row = &mut trace.maps[map].rows[row];
        row.visits.clone_from(&first.visits);
        visits(row, leaf);
    }
    let source = TraceSource::from(trace);
    let query = Query::sentence(Side::Source, 0);
    let tree = TreeView::new(&source, &query).expect("a tree");
    assert_eq!(tree.measure, Measure::MeanRelevance);
    let leaf = &tree.nodes[1];
    assert_eq!((leaf.relevance, leaf.cumulative), (Some(-0.25), Some(1.75)));
    let frequencies: Vec<_> = tree.nodes.iter().map(|node| node.frequency).collect();
    let expected = [Some(0.5), Some(0.5), None, Some(1.0), Some(0.0), Some(1.0)];
    assert_eq!(frequencies, expected);
    let way: Vec<usize> = (0..6)
        .filter(|&node| tree.nodes[node].most_frequent)
        .collect();
    // Both leaves as often: the one with the greater sum.
    assert_eq!(way, [0, 3, 5]);
    let summary = tree.summary(Side::Source, "sentence 1");
    assert!(summary.contains("mean relevance"), "{summary}");
    let svg = picture_svg(&Explanation::Tree(tree), &Theme::LIGHT, (800, 500));
    assert!(svg.expect("a figure").contains("mean cumulative relevance"));
}

#[test]
fn words_are_shaded_by_their_share_in_the_encoding_of_their_sentence() {
    let mut trace = trace(true);
    let query = Query::sentence(Side::Source, 0);
    let absent = ContextView::encodings(&trace.clone().into(), &query, 3);
    assert!(absent.is_err_and(|error| error.to_string().contains("no encodings of sentences")));
    let mut info = small::info(MapKind::SentenceEncoding, 0);
    info.queries = canopy::trace::Units::SourceSentences;
    info.visible = canopy::trace::Visible::Own;
    let rows = [
        vec![(0, 0.25), (1, 0.75)],
        vec![(2, 1.0)],
        vec![(3, 0.5), (4, 0.5)],
    ];
    let rows = rows.map(|words| small::row(&words, &[], 0.0));
    trace.maps.push(canopy::trace::AttentionMap {
        info,
        rows: rows.to_vec(),
    });
    let source = TraceSource::from(trace);
    let view = ContextView::encodings(&source, &query, 1).expect("a view");
    let weights = |sentence: &canopy::explain::ContextSentence| {
        let words = sentence.words.iter().map(|word| word.weight);
        words.collect::<Vec<_>>()
    };
    assert_eq!(weights(&view.selected), [Some(0.25), Some(0.75)]);
    // Sentences 2 and 3 have 0.375 each; the first of them is shown.
    assert_eq!(view.sentences.len(), 1);
    assert_eq!(weights(&view.sentences[0]), [Some(1.0)]);
    assert_eq!(view.others.0, 1);
    assert!(view.text().contains("A [b]"), "{}", view.text());
    let figure = Explanation::Context(view);
    let svg = picture_svg(&figure, &Theme::LIGHT, (800, 400)).expect("a figure");
    assert!(svg.contains("What sentences are encoded from"));
}

#[test]
fn what_was_cut_is_named_where_only_the_kept_is_traced() {
    let states = |trace: Trace| {
        let tree = TreeView::new(&trace.into(), &word(0, 0)).expect("a tree");
        let states = tree.nodes.iter().map(|node| node.state);
        states.collect::<Vec<_>>()
    };
    let mut survivors = trace(true);
    for row in survivors.maps.iter_mut().flat_map(|map| &mut map.rows) {
        row.visits.retain(|visit| visit.kept);
    }
    assert_eq!(states(survivors), states(trace(true)));
}

#[test]
fn without_a_content_tree_sections_and_paragraphs_have_the_mass_of_their_sentences() {
    let source = trace(false).into();
    let tree = TreeView::new(&source, &Query::sentence(Side::Source, 0)).expect("a tree");
    assert_eq!(tree.measure, Measure::Mass);
    assert_eq!(tree.mass, "attention mass: mean of its words and 2 heads");
    let summary = tree.summary(Side::Source, "sentence 1");
    assert!(
        summary
            .starts_with("To translate sentence 1 the model read sentences 1, 2 and 3. The number"),
        "{summary}"
    );
    let named = |name: &str| {
        tree.nodes
            .iter()
            .find(|node| node.name == name)
            .expect("is there")
    };
    // Over two words and two heads: sentence 1 has 1, sentence 2 has 1.5 and sentence 3 has 1.5 of 4.
    assert!((named("C").mass - 0.75).abs() < 1e-6);
    assert!((named("small.md").mass - 1.0).abs() < 1e-6);
    let leaves = tree.nodes.iter().filter(|node| node.level == 0);
    let masses: Vec<f32> = leaves.map(|node| node.mass).collect();
    assert_eq!(masses, [0.25, 0.375, 0.375]);
}

#[test]
fn a_map_of_one_head_is_the_trace_and_zeros_are_absent() {
    let map = WeightMap::sentences(&source(), &word(1, 0), Order::Document).expect("a map");
    assert_eq!(map.cells, [vec![(0, 1.0)], vec![(1, 0.5), (2, 0.5)]]);
    assert_eq!(
        (map.rest.as_slice(), map.selected),
        ([0.0; 2].as_slice(), Some(1))
    );
    assert_eq!(map.measure, "attention weight");
    // 3 of 6 weights.
    assert_eq!(
        (map.zeros.visible, map.zeros.zero, map.zeros.dropped),
        (6, 3, 0)
    );
    let divergence = map.divergence.expect("two rows");
    assert!((divergence - 1.0).abs() < 1e-6, "no sentence in common");
}

#[test]
fn a_mean_of_heads_is_called_mass_and_keeps_the_rest() {
    let query = Query::sentence(Side::Source, 0);
    let map = WeightMap::words(&source(), &query, Order::Weight, 9).expect("a map");
    assert_eq!(map.measure, "attention mass: mean of 2 heads");
    // Sentences 2 and 3 have the same weight: the first in the document stands first.
    let order: Vec<usize> = map.groups.iter().map(|group| group.sentence).collect();
    assert_eq!(order, [1, 2, 0]);
    assert_eq!(map.columns[0].label, "C");
    assert_eq!(map.cells[0], [(0, 0.5), (4, 0.125), (5, 0.375)]);
    assert_eq!(map.cells[1], [(0, 0.25), (2, 0.625)]);
    assert_eq!(map.rest, [0.0, 0.125]);
    // 6 of 24 weights are positive; two of sentence 3 may be what was dropped.
    assert_eq!(
        (map.zeros.visible, map.zeros.zero, map.zeros.dropped),
        (24, 16, 2)
    );
    let narrow = WeightMap::words(&source(), &query, Order::Document, 1).expect("a map");
    assert_eq!(narrow.columns.len(), 1);
    assert_eq!(narrow.other_columns, [0.5, 0.625]);
    assert_eq!(narrow.divergence, map.divergence, "whatever is shown");
}

#[test]
fn cross_attention_has_queries_of_the_target() {
    let map = WeightMap::cross(&source(), &Query::sentence(Side::Source, 0)).expect("a map");
    assert_eq!((map.rows[0].label.as_str(), map.columns.len()), ("x", 2));
    assert_eq!(
        (map.cells[0].as_slice(), map.rest[0]),
        ([(0, 0.9)].as_slice(), 0.1)
    );
    assert_eq!(
        (map.zeros.zero, map.zeros.dropped),
        (0, 1),
        "softmax has no zeros"
    );
}

#[test]
fn gates_context_and_zeros_show_what_the_trace_has() {
    let gate = GateView::new(&source(), &word(1, 0)).expect("a gate");
    let found: Vec<_> = gate
        .words
        .iter()
        .map(|word| (word.mean, word.min, word.max))
        .collect();
    assert_eq!(found, [(0.5, 0.0, 1.0), (0.5, 0.25, 0.75)]);

    let context = ContextView::new(&source(), &word(1, 1), 3).expect("sentences");
    assert_eq!(context.sentences.len(), 1);
    let third = &context.sentences[0];
    assert_eq!((third.sentence, third.weight), (2, 1.0));
    let weights: Vec<_> = third.words.iter().map(|word| word.weight).collect();
    assert_eq!(weights, [Some(0.0), Some(0.75), Some(0.0)]);
    assert!(
        context.text().contains("3  1.000  D [e] <eos>"),
        "{}",
        context.text()
    );

    let zeros = ZerosView::new(&source(), &word(0, 0)).expect("points");
    assert_eq!(zeros.points.len(), 3);
    assert_eq!(zeros.points[0].of_sentences, Some(0.5));
}

fn document(heads: Heads) -> DocumentMap {
    DocumentMap::new(&source(), Side::Source, None, heads).expect("a map")
}

#[test]
fn a_map_of_the_document_has_the_mean_of_the_words_of_each_sentence() {
    let one = document(Heads::One(0));
    assert_eq!((one.rows(), one.columns()), (3, 3));
    let row: Vec<(u32, f32)> = one.row(0).collect();
    assert_eq!(row, [(0, 0.5), (1, 0.25), (2, 0.25)]);
    assert_eq!(one.measure, "attention mass: mean of its words");
    assert_eq!(one.query, "all sentences · layer 2 · head 1 · T = 1");
    let both = document(Heads::Mean);
    let row: Vec<(u32, f32)> = both.row(0).collect();
    assert_eq!(row, [(0, 0.25), (1, 0.375), (2, 0.375)]);
    assert_eq!(both.num_cells(), 3, "the others saw nothing");
    assert_eq!(both.rest(), [0.0; 3]);
    let csv = Explanation::Document(Arc::new(both)).csv();
    assert!(csv.contains("\r\n1,2,0.375\r\n"), "{csv}");
    assert!(csv.contains("\r\n3,rest,0\r\n"), "{csv}");
    let absent = DocumentMap::new(&source(), Side::Source, Some(0), Heads::Mean);
    assert!(absent.is_err_and(|error| error.to_string().contains("layer 1")));
}

/// Without any of these sentences the translation changes a little, to and fro.
fn left_out(count: u16) -> LeaveOneOut {
    let words = vec![ScoredWord {
        label: "x".to_owned(),
        begins: true,
        log_prob: -0.5,
    }];
    let changes = (0..count).map(|number| {
        let sign = if number % 2 == 0 { 1.0 } else { -1.0 };
        let after = [-0.5 + sign * f32::from(number) * 0.25];
        ContextChange {
            attention: Some(0.01),
            ..ContextChange::new(number.into(), "A b".to_owned(), &words, &after)
        }
    });
    LeaveOneOut {
        model: "m".to_owned(),
        sentence: 1,
        source: "C".to_owned(),
        translation: "y".to_owned(),
        changes: changes.collect(),
        words,
        attention: Some("layer 2".to_owned()),
        rank_correlation: None,
        selected: None,
    }
    .correlated()
}

#[test]
fn sentences_that_were_left_out_stand_with_their_change_and_attention() {
    let view = Explanation::LeaveOneOut(left_out(3));
    let svg = picture_svg(&view, &Theme::LIGHT, (900, view.height(900))).expect("a figure");
    // e^0.5 − 1 and e^−0.25 − 1.
    for label in ["+65 %", "−22 %", "0 %", "attention mass"] {
        assert!(svg.contains(label), "{label}");
    }
    let csv = view.csv();
    assert!(csv.contains("\r\n2,left out,-22.1"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&view.json()).expect("JSON");
    let nats = &json["leave_one_out"]["changes"][2]["nats"];
    assert_eq!(nats.as_f64(), Some(0.5));
    let text = view.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.ends_with("A b")).collect();
    assert!(lines[0].trim_start().starts_with("3 "), "{text}");
}

#[test]
fn statistics_over_documents_have_distance_entropy_and_zeros_of_each_head() {
    let mut statistics = AttentionStatistics::default();
    let deciding = |sentence, other| BTreeMap::from([(sentence, other)]);
    let added = statistics.add(&source(), &deciding(0, 2));
    added.expect("attention to sentences");
    let added = statistics.add(&trace(false).into(), &deciding(1, 0));
    added.expect("it too");
    let heads = statistics.heads();
    let named: Vec<_> = heads.iter().map(|it| (it.layer, it.head)).collect();
    assert_eq!(named, [(1, Some(0)), (1, Some(1)), (1, None)]);
    // A reads sentence 1, b sentences 2 and 3: shares of 0.5, 0.25 and 0.25.
    let first = &heads[0];
    assert_eq!(first.all.sentences, 2, "one of each document reads others");
    assert!((first.all.entropy_bits - 1.5).abs() < 1e-9);
    assert!((first.all.distance - 0.75).abs() < 1e-9);
    assert_eq!(first.all.zero_share, Some(0.5));
    let distances: Vec<_> = first
        .distances
        .iter()
        .map(|it| (it.from, it.to, it.share))
        .collect();
    let at = |distance, share| (Some(distance), Some(distance), share);
    assert_eq!(distances, [at(0, 0.5), at(1, 0.25), at(2, 0.25)]);
    let lengths: Vec<_> = first.by_length.iter().map(|it| (it.from, it.to)).collect();
    assert_eq!(lengths, [(1, Some(4))]);
    let deciding = first.deciding.iter();
    let deciding = deciding.map(|it| (it.from, it.sentences, it.chosen, it.first, it.share));
    // One reads it as much as any other sentence, one reads none.
    let expected = [
        (None, 2, 0.5, 0.5, 0.125),
        (Some(1), 1, 0.0, 0.0, 0.0),
        (Some(2), 1, 1.0, 1.0, 0.25),
    ];
    assert_eq!(deciding.collect::<Vec<_>>(), expected);
    let mut blind = trace(false);
    blind.maps.remove(0);
    blind.maps.remove(0);
    let none = AttentionStatistics::default().add(&blind.into(), &BTreeMap::new());
    assert!(none.is_err_and(|error| {
        error
            .to_string()
            .contains("no attention to other sentences")
    }));
}

#[test]
fn figures_are_drawn_in_any_size_and_theme() {
    let query = Query::sentence(Side::Source, 0);
    let views = [
        Explanation::Tree(TreeView::new(&source(), &word(0, 0)).expect("a view")),
        Explanation::Maps(vec![
            WeightMap::words(&source(), &query, Order::Document, 9).expect("a view"),
        ]),
        Explanation::Gates(GateView::new(&source(), &query).expect("a view")),
        Explanation::Document(Arc::new(document(Heads::Mean))),
        Explanation::Context(ContextView::new(&source(), &query, 3).expect("a view")),
        Explanation::Zeros(ZerosView::new(&source(), &query).expect("a view")),
        Explanation::LeaveOneOut(left_out(40)),
        Explanation::LeaveOneOut(left_out(0)),
    ];
    for view in &views {
        for theme in [Theme::LIGHT, Theme::DARK] {
            let size = (700, view.height(700));
            let svg = picture_svg(view, &theme, size).expect("a figure");
            assert!(svg.contains("<text"));
            assert!(!svg.contains("NaN") && !svg.contains("inf\""));
            assert!(picture_png(view, &theme, size).expect("a figure").len() > 1_000);
            // No size is too strange.
            for size in [(100, 100), (100, 900), (900, 100)] {
                picture_svg(view, &theme, size).expect("a figure");
            }
        }
        assert!(serde_json::from_str::<serde_json::Value>(&view.json()).is_ok());
    }
    let tree = picture_svg(&views[0], &Theme::LIGHT, (700, 500)).expect("a figure");
    for label in ["1.75", "1.25", "-0.25"] {
        assert!(tree.contains(label), "{label}");
    }
    let csv = views[1].csv();
    let lines: Vec<&str> = csv.lines().collect();
    // 5 cells, and 2 × 2 lines of what is elsewhere and rest.
    assert_eq!(lines.len(), 1 + 5 + 4, "{csv}");
    assert!(lines.contains(&"1,1,A,2,1,C,0.5"));
    assert!(lines.contains(&"1,2,b,,,rest,0.125"));
}

#[test]
fn a_zero_is_blank() {
    let map = WeightMap::sentences(&source(), &word(1, 0), Order::Document).expect("a map");
    let rectangles = |map: &WeightMap| {
        let view = Explanation::Maps(vec![map.clone()]);
        let svg = picture_svg(&view, &Theme::LIGHT, (700, 400)).expect("a figure");
        svg.matches("<rect").count()
    };
    let mut more = map.clone();
    more.cells[0].push((2, 0.001));
    assert_eq!(rectangles(&more), rectangles(&map) + 1);
    more.rest[0] = 0.01;
    assert!(
        rectangles(&more) > rectangles(&map) + 1,
        "the rest is drawn"
    );
}

fn canopy(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_canopy"))
        .arg("explain")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program runs")
}

#[test]
fn the_command_writes_figures_and_numbers_and_says_what_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    save(&trace(true), folder.join("a.trace"), false).expect("saved");
    save(&trace(false), folder.join("b.json"), false).expect("saved");
    for (view, name) in [
        ("tree", "t.svg"),
        ("sentences", "s.png"),
        ("words", "w.csv"),
        ("cross", "c.json"),
        ("gates", "g.svg"),
        ("context", "x.svg"),
        ("zeros", "z.png"),
    ] {
        for trace in ["a.trace", "b.json"] {
            let done = canopy(&[trace, "--view", view, "-o", name, "--force"], folder);
            assert!(done.status.success(), "{view}: {done:?}");
            assert!(folder.join(name).metadata().expect("written").len() > 50);
        }
    }
    let said = canopy(&["a.trace", "--word", "b", "--head", "2"], folder);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        text.starts_with("sentence 1 · word 2 “b” · layer 2 · head 2 · T = 1"),
        "{text}"
    );
    for (arguments, expected) in [
        (["--sentence", "40"], "sentence 40: the document has 3"),
        (["--word", "9"], "word 9: sentence 1 has 2"),
        (["--word", "cat"], "word \"cat\": sentence 1 has A b"),
        (
            ["--layer", "1"],
            "layer 1: this attention was traced in layer 2",
        ),
        (["--head", "3"], "head 3: layer 2 has heads 1, 2"),
        (["--side", "target"], "look at the source side"),
        (["--view", "self"], "no self-attention of the encoder"),
        (["--output", "x.gif"], ".csv or .json for its numbers"),
        (["--output", "t.svg"], "already exists"),
    ] {
        let failed = canopy(&["a.trace", arguments[0], arguments[1]], folder);
        let message = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(message.contains(expected), "{message}");
        assert_eq!(failed.status.code(), Some(1));
    }
}

#[test]
fn maps_of_a_real_page_are_its_trace() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/samples/sorting-a-table.trace"
    );
    let source = canopy::trace::open(path).expect("the sample");
    let (mut cells, sentences) = (0, source.overview().source.len());
    for sentence in 0..sentences {
        for head in 0..4 {
            let query = Query {
                heads: Heads::One(head),
                ..Query::sentence(Side::Source, sentence)
            };
            let map = WeightMap::sentences(&source, &query, Order::Document).expect("a map");
            let place = source
                .find(MapKind::Context, 2, head)
                .expect("the last layer");
            let words = source.overview().words(Side::Source).rows(sentence);
            for (row, word) in words.enumerate() {
                let traced = source.row(place, word).expect("a row");
                for weight in &traced.sentences {
                    let shown = map.weight(row, weight.sentence as usize);
                    assert!((shown - weight.weight).abs() < 1e-6, "sentence {sentence}");
                    cells += 1;
                }
                assert_eq!(map.cells[row].len(), traced.sentences.len());
            }
        }
    }
    assert!(cells > 1_000, "{cells}");
}

#[test]
fn heads_stand_side_by_side() {
    let question = Question {
        view: ViewKind::Sentences,
        query: Query::sentence(Side::Source, 0),
        each_head: true,
        order: Order::Document,
        limit: 6,
    };
    let Explanation::Maps(maps) = question.answer(&source()).expect("maps") else {
        panic!("not maps");
    };
    let titles: Vec<&str> = maps.iter().map(|map| map.title.as_str()).collect();
    assert_eq!(titles, ["Head 1", "Head 2"]);
    assert!(
        (maps[1].weight(0, 1) - 1.0).abs() < 1e-6,
        "of that head alone"
    );
}
