use super::super::{BleuMetric, Chrf, Documents, LengthRatio};
use super::*;

/// Sixty sentences of nine words, every `nth` of which has other words at its end.
fn sums(metric: &dyn Metric, nth: usize) -> SegmentSums {
    let reference = |line: usize| format!("der {line} satz hat hier genau neun wörter .");
    let references: Vec<String> = (0..60).map(reference).collect();
    let translate = |(line, text): (usize, &String)| {
        if line % nth == 0 {
            text.replace("genau neun", "etwa zehn")
        } else {
            text.clone()
        }
    };
    let hypotheses: Vec<String> = references.iter().enumerate().map(translate).collect();
    SegmentSums::count(metric, &hypotheses, &[references])
}

fn both_tests(metric: &dyn Metric, baseline: &[SegmentSums], system: &[SegmentSums]) -> [f64; 2] {
    let scores = bootstrap_scores(metric, &[baseline, system], 500, 7);
    let observed = mean_score(metric, system) - mean_score(metric, baseline);
    [
        bootstrap_p(&scores[0], &scores[1], observed),
        approximate_randomization(metric, baseline, system, 999, 7),
    ]
}

#[test]
fn the_same_translations_have_p_1() {
    let metric = BleuMetric::default();
    let sums = [sums(&metric, 2)];
    for p in both_tests(&metric, &sums, &sums) {
        assert!((p - 1.0).abs() < f64::EPSILON, "{p}");
    }
}

#[test]
fn a_seed_decides_everything() {
    let metric = Chrf::default();
    let (baseline, system) = ([sums(&metric, 4)], [sums(&metric, 5)]);
    let first = both_tests(&metric, &baseline, &system);
    let again = both_tests(&metric, &baseline, &system);
    assert_eq!(first.map(f64::to_bits), again.map(f64::to_bits));
    let other = approximate_randomization(&metric, &baseline, &system, 999, 8);
    assert!((other - first[1]).abs() > f64::EPSILON, "{other} {first:?}");
}

#[test]
fn large_differences_are_significant_and_small_ones_are_not() {
    let metric = BleuMetric::default();
    let [good, similar, bad] = [7, 8, 2].map(|nth| [sums(&metric, nth)]);
    for p in both_tests(&metric, &bad, &good) {
        assert!(p < 0.01, "{p}");
    }
    for p in both_tests(&metric, &similar, &good) {
        assert!(p > 0.2, "{p}");
    }
}

/// Two units have four ways to be swapped; two of them, none and both, keep the difference.
#[test]
fn randomisation_of_two_units_has_p_a_half() {
    let metric = LengthRatio::default();
    let references = vec![vec!["a a a a".to_owned(), "a a a".to_owned()]];
    let count = |texts: [&str; 2]| [SegmentSums::count(&metric, &texts, &references)];
    let p = approximate_randomization(
        &metric,
        &count(["a", "a"]),
        &count(["a a", "a a a"]),
        20_000,
        3,
    );
    assert!((p - 0.5).abs() < 0.02, "{p}");
}

#[test]
fn intervals_hold_the_score_and_leave_out_a_fortieth_on_each_side() {
    let samples: Vec<f64> = (0..1000).rev().map(f64::from).collect();
    let interval = Interval::from_samples(&samples);
    assert!((interval.lower - 25.0).abs() + (interval.upper - 974.0).abs() < 1e-9);
    assert!((interval.half_width() - 474.5).abs() < 1e-9);

    let metric = BleuMetric::default();
    let runs = [sums(&metric, 3)];
    let scores = bootstrap_scores(&metric, &[&runs], 300, 1);
    let interval = Interval::from_samples(&scores[0]);
    let score = mean_score(&metric, &runs);
    assert!(interval.lower < score && score < interval.upper);
}

/// Sentences that are wrong together vary more between test sets than sentences that are wrong alone.
#[test]
fn intervals_by_document_are_wider_where_documents_differ() {
    let metric = LengthRatio::default();
    let references = vec![vec!["a b c d".to_owned(); 60]];
    let hypotheses: Vec<&str> = (0..60)
        .map(|line| if line < 30 { "a b" } else { "a b c d" })
        .collect();
    let sums = SegmentSums::count(&metric, &hypotheses, &references);
    let ids: Vec<String> = (0..60).map(|line| (line / 10).to_string()).collect();
    let by_document = sums.by_document(&Documents::from_ids(&ids));
    assert_eq!((by_document.len(), by_document.total()), (6, sums.total()));
    let width = |sums: SegmentSums| {
        let scores = bootstrap_scores(&metric, &[&[sums]], 500, 1);
        Interval::from_samples(&scores[0]).half_width()
    };
    assert!(width(by_document) > 2.0 * width(sums));
}

#[test]
fn documents_in_another_order_change_no_score() {
    let metric = BleuMetric::default();
    let sums = sums(&metric, 3);
    let ids: Vec<String> = (0..60)
        .map(|line| (line * 7 % 60 / 10).to_string())
        .collect();
    let documents = sums.by_document(&Documents::from_ids(&ids));
    assert_eq!(documents.total(), sums.total());
}

#[test]
fn more_training_runs_make_the_same_difference_surer() {
    let metric = BleuMetric::default();
    let (worse, better) = (sums(&metric, 6), sums(&metric, 10));
    let p = |runs: usize| {
        let repeated = |sums: &SegmentSums| vec![sums.clone(); runs];
        approximate_randomization(&metric, &repeated(&worse), &repeated(&better), 2_000, 5)
    };
    assert!(p(5) < p(1), "{} {}", p(5), p(1));
    let deviation = |runs: &[SegmentSums]| deviation(&metric, runs);
    assert_eq!(deviation(std::slice::from_ref(&worse)), None);
    assert_eq!(deviation(&[worse.clone(), worse.clone()]), Some(0.0));
    assert!(deviation(&[worse, better]).is_some_and(|deviation| deviation > 0.1));
}
