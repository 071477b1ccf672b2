//! Texts that come along, and what sacrebleu and NLTK say of them (`tests/data/score_reference.py`).

use canopy::metrics::tokenize::{TercomOptions, Tokenizer};
use canopy::metrics::{
    BleuMetric, Chrf, Meteor, Metric, SegmentSums, Signature, Smoothing, Stemmer, Ter,
};
use serde_json::Value;

use super::{data, json, lines, number};

fn bleu(change: impl FnOnce(&mut BleuMetric)) -> Box<dyn Metric> {
    let mut metric = BleuMetric::default();
    change(&mut metric);
    Box::new(metric)
}

fn chrf(change: impl FnOnce(&mut Chrf)) -> Box<dyn Metric> {
    let mut metric = Chrf::default();
    change(&mut metric);
    Box::new(metric)
}

fn ter(change: impl FnOnce(&mut TercomOptions)) -> Box<dyn Metric> {
    let mut metric = Ter::default();
    change(&mut metric.options);
    Box::new(metric)
}

/// The metric that the script calls so.
fn metric(name: &str) -> Box<dyn Metric> {
    match name {
        "bleu 13a" => bleu(|_| {}),
        "bleu intl" => bleu(|bleu| bleu.tokenizer = Tokenizer::International),
        "bleu char" => bleu(|bleu| bleu.tokenizer = Tokenizer::Char),
        "bleu none" => bleu(|bleu| bleu.tokenizer = Tokenizer::None),
        "bleu zh" => bleu(|bleu| bleu.tokenizer = Tokenizer::Chinese),
        "bleu 13a lowercase" => bleu(|bleu| bleu.lowercase = true),
        "bleu none-smoothing" => bleu(|bleu| bleu.smoothing = Smoothing::None),
        "bleu floor" => bleu(|bleu| bleu.smoothing = Smoothing::Floor(0.1)),
        "bleu add-k 0.5" => bleu(|bleu| bleu.smoothing = Smoothing::AddK(0.5)),
        "bleu effective" => bleu(|bleu| bleu.effective_order = true),
        "chrf" => chrf(|_| {}),
        "chrf++" => chrf(|chrf| chrf.word_order = 2),
        "chrf other" => Box::new(Chrf {
            char_order: 4,
            word_order: 1,
            beta: 1,
            lowercase: true,
            ..Chrf::default()
        }),
        "chrf whitespace" => chrf(|chrf| chrf.whitespace = true),
        "chrf eps" => chrf(|chrf| (chrf.word_order, chrf.eps_smoothing) = (2, true)),
        "ter" => ter(|_| {}),
        "ter case" => ter(|ter| ter.case_sensitive = true),
        "ter normalized" => ter(|ter| ter.normalized = true),
        "ter no-punct" => ter(|ter| ter.no_punct = true),
        "ter asian" => ter(|ter| (ter.normalized, ter.asian_support) = (true, true)),
        "ter asian no-punct" => ter(|ter| {
            (ter.normalized, ter.asian_support, ter.no_punct) = (true, true, true);
        }),
        _ => panic!("{name} is unknown here"),
    }
}

/// Runs `check` on each set of texts: its name, what is expected, the hypotheses and the references.
fn each_set(check: impl Fn(&str, &Value, &[String], &[Vec<String>])) {
    let expected = json(&data("score/expected.json"));
    let sets = expected["sets"].as_object().expect("sets");
    assert_eq!(sets.len(), 4);
    let text = |name: &Value| lines(&data("score").join(name.as_str().expect("a name")));
    for (name, set) in sets {
        let references = set["references"].as_array().expect("names");
        let references: Vec<_> = references.iter().map(text).collect();
        check(name, set, &text(&set["hypothesis"]), &references);
    }
}

/// Compares the score of all segments and, where they are given, the scores of each.
fn assert_scores(name: &str, metric: &dyn Metric, sums: &SegmentSums, expected: &Value) {
    let score = metric.score(&sums.total());
    let theirs = number(&expected["score"]);
    assert!(
        (score - theirs).abs() < 1e-9,
        "{name}: {score} is not {theirs}"
    );
    let segments = expected["segments"].as_array().expect("scores");
    assert_eq!(segments.len(), sums.len());
    for (line, theirs) in segments.iter().enumerate() {
        let score = metric.score(sums.row(line));
        let line = line + 1;
        assert!(
            (score - number(theirs)).abs() < 1e-6,
            "{name}, line {line}: {score} is not {theirs}"
        );
    }
}

#[test]
fn scores_and_signatures_are_sacrebleus() {
    each_set(|set, expected, hypotheses, references| {
        let scores = expected["scores"].as_object().expect("scores");
        assert_eq!(scores.len(), 21);
        for (name, expected) in scores {
            let metric = metric(name);
            let sums = SegmentSums::count(metric.as_ref(), hypotheses, references);
            assert_scores(
                &format!("{name} of {set}"),
                metric.as_ref(),
                &sums,
                expected,
            );
            let signature = Signature::new(references.len())
                .with_metric(metric.as_ref())
                .to_string();
            let counted = signature
                .rsplit_once("|version")
                .map(|(counted, _)| counted);
            assert_eq!(counted, expected["signature"].as_str(), "{name}");
        }
    });
}

#[test]
fn meteor_is_nltks_without_synonyms() {
    each_set(|set, expected, hypotheses, references| {
        let expected = &expected["meteor"];
        let stemmer = match expected["language"].as_str() {
            Some("english") => Stemmer::English,
            Some("german") => Stemmer::German,
            _ => return,
        };
        let metric = Meteor {
            stemmer,
            ..Meteor::default()
        };
        let sums = SegmentSums::count(&metric, hypotheses, references);
        assert_scores(&format!("METEOR of {set}"), &metric, &sums, expected);
    });
}
