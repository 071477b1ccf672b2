//! Three systems on four documents of five sentences.

use super::super::corpus_bleu;
use super::*;

fn reference(line: usize) -> String {
    let more = "sehr ".repeat(line % 7);
    format!("Der Satz {line} hat {more} genau diese Wörter.")
}

/// The second system is better than the first, in all documents but the last.
fn test() -> ComparedTest {
    let worse = |line: usize| reference(line).replace("genau diese", "ungefähr solche");
    let segment = |line: usize| ComparedSegment {
        source: format!("Sentence {line}"),
        reference: reference(line),
        document: line / 5,
        position: line % 5,
        rarest: line.is_multiple_of(2).then_some(line),
    };
    let system = |name: &str, line: &dyn Fn(usize) -> String| ComparedSystem {
        name: name.to_owned(),
        hypotheses: (0..20).map(line).collect(),
    };
    ComparedTest {
        documents: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
        segments: (0..20).map(segment).collect(),
        systems: vec![
            system("first", &|line| {
                if line < 15 {
                    worse(line)
                } else {
                    reference(line)
                }
            }),
            system("second", &|line| {
                if line < 15 {
                    reference(line)
                } else {
                    worse(line)
                }
            }),
            system("same", &|line| {
                if line < 15 {
                    worse(line)
                } else {
                    reference(line)
                }
            }),
        ],
    }
}

fn compared() -> Comparison {
    let options = ComparisonOptions {
        trials: 500,
        samples: 200,
        extremes: 3,
        ..ComparisonOptions::default()
    };
    compare(&test(), &options)
}

#[test]
fn scores_are_those_of_the_metrics_and_parts_have_their_own() {
    let (test, found) = (test(), compared());
    let references: Vec<String> = (0..20).map(reference).collect();
    let bleu = corpus_bleu(&test.systems[1].hypotheses, &references).score;
    assert!((found.systems[1].scores[0].score - bleu).abs() < 1e-9);
    assert!(
        found.metrics[0]
            .signature
            .starts_with("nrefs:1|case:mixed|eff:no")
    );
    assert!(found.metrics[0].segment_signature.contains("eff:yes"));
    let names: Vec<&str> = found.documents.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let bleu = corpus_bleu(&test.systems[0].hypotheses[5..10], &references[5..10]).score;
    assert!((found.documents[1].scores[0][0] - bleu).abs() < 1e-9);
    assert!((found.segments[0].scores[1][1] - 100.0).abs() < 1e-9);
    assert!(found.segments[0].scores[0][1] < 100.0);
}

#[test]
fn differences_are_to_the_first_system_and_the_same_translations_are_equal() {
    let found = compared();
    let [first, second, same] = found.systems.as_slice() else {
        panic!("three systems")
    };
    assert_eq!(
        (first.scores[0].difference, first.scores[0].p),
        (None, None)
    );
    assert!(
        second.scores[1]
            .difference
            .is_some_and(|difference| difference > 1.0)
    );
    // With four documents no difference can be significant.
    assert!(second.scores[1].p.is_some_and(|p| 0.1 < p));
    assert_eq!(
        (same.scores[0].difference, same.scores[0].p),
        (Some(0.0), Some(1.0))
    );
    let (lower, upper) = first.scores[0].interval;
    assert!(lower <= first.scores[0].score && first.scores[0].score <= upper);
}

#[test]
fn a_difference_is_less_sure_among_several() {
    let p = |systems: usize| {
        let mut test = test();
        test.systems.truncate(systems);
        let options = ComparisonOptions {
            trials: 500,
            samples: 10,
            ..ComparisonOptions::default()
        };
        let found = compare(&test, &options);
        found.systems[1].scores[1].p.expect("a second system")
    };
    let (alone, among) = (p(2), p(3));
    assert!(alone < among, "{alone} {among}");
    assert!((among - (2.0 * alone).min(1.0)).abs() < 1e-12, "{among}");
}

#[test]
fn wins_and_losses_are_listed_with_their_words() {
    let found = compared();
    let second = &found.extremes[0];
    assert_eq!(
        (second.system, second.wins.len(), second.losses.len()),
        (1, 3, 3)
    );
    assert!(second.wins[0].difference >= second.wins[1].difference);
    assert!(second.losses[0].difference <= second.losses[1].difference);
    assert!(second.losses.iter().all(|loss| loss.segment >= 15));
    let changes: Vec<(Change, &str)> = second.wins[0]
        .diff
        .iter()
        .map(|piece| (piece.change, piece.text.as_str()))
        .filter(|(change, _)| *change != Change::Kept)
        .collect();
    assert_eq!(
        changes,
        [
            (Change::Removed, "ungefähr solche"),
            (Change::Added, "genau diese")
        ]
    );
    assert!(found.extremes[1].wins.is_empty() && found.extremes[1].losses.is_empty());
}

#[test]
fn every_segment_is_in_one_bucket_of_what_is_known_of_it() {
    let found = compared();
    let sizes = |by: usize| -> Vec<(usize, Option<usize>, usize)> {
        let buckets = found.buckets[by].buckets.iter();
        buckets.map(|it| (it.from, it.to, it.segments)).collect()
    };
    assert_eq!(sizes(0), [(0, Some(5), 20)]);
    assert_eq!(
        sizes(1),
        [(0, Some(0), 1), (1, Some(5), 2), (6, Some(20), 7)]
    );
    assert_eq!(sizes(2), [(1, Some(5), 20)]);
    let whole = &found.buckets[2].buckets[0].scores;
    assert!((whole[1][0] - found.systems[1].scores[0].score).abs() < 1e-9);
    let json = serde_json::to_value(&found).expect("JSON");
    assert_eq!(json["segments"][7]["document"], 1);
    assert_eq!(json["extremes"][0]["wins"][0]["diff"][0]["change"], "kept");
}
