//! Five published systems, whose translations are too large to come along: they are next to the checkout, in
//! `shared/data/han-ted-es-en`, or in the folder that `CANOPY_TED` names.

use std::path::{Path, PathBuf};

use canopy::metrics::significance::{
    Interval, approximate_randomization, bootstrap_p, bootstrap_scores,
};
use canopy::metrics::tokenize::Tokenizer;
use canopy::metrics::{BleuMetric, Chrf, Metric, SegmentSums, Signature, Ter, corpus_bleu};

use super::bleu::assert_equals;
use super::{json, lines, number};

fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/han-ted-es-en");
    let folder = std::env::var_os("CANOPY_TED").map_or(beside, PathBuf::from);
    assert!(folder.is_dir(), "no folder: {}", folder.display());
    folder
}

fn bleu(tokenizer: Tokenizer) -> BleuMetric {
    BleuMetric {
        tokenizer,
        ..BleuMetric::default()
    }
}

#[test]
#[cfg_attr(
    not(shared_translations),
    ignore = "needs ../shared/data/han-ted-es-en, or CANOPY_TED"
)]
fn published_systems_score_as_with_sacrebleu() {
    let folder = folder();
    let references = [lines(&folder.join("ref.en"))];
    let scores = json(&folder.join("sacrebleu.json"));
    let systems = scores["systems"].as_object().expect("systems");
    assert_eq!(systems.len(), 5);
    let lowercase = BleuMetric {
        lowercase: true,
        ..BleuMetric::default()
    };
    let plus_plus = Chrf {
        word_order: 2,
        ..Chrf::default()
    };
    let metrics: [(&str, &dyn Metric); 8] = [
        ("bleu_13a", &bleu(Tokenizer::V13a)),
        ("bleu_none", &bleu(Tokenizer::None)),
        ("bleu_char", &bleu(Tokenizer::Char)),
        ("bleu_intl", &bleu(Tokenizer::International)),
        ("bleu_lc", &lowercase),
        ("chrf2", &Chrf::default()),
        ("chrf2++", &plus_plus),
        ("ter", &Ter::default()),
    ];
    for (system, expected) in systems {
        let hypotheses = lines(&folder.join(system));
        assert_equals(
            &corpus_bleu(&hypotheses, &references[0]),
            &expected["bleu_13a"],
        );
        for (name, metric) in metrics {
            let score = metric.score(&SegmentSums::count(metric, &hypotheses, &references).total());
            let expected = &expected[name];
            assert!(
                (score - number(&expected["score"])).abs() < 1e-9,
                "{system} {name}: {score} is not {expected}"
            );
            let signature = Signature::new(1).with_metric(metric).to_string();
            let counted = signature.rsplit_once(':').map(|(counted, _)| counted);
            let theirs = expected["signature"]
                .as_str()
                .and_then(|text| text.rsplit_once(':'));
            assert_eq!(counted, theirs.map(|(counted, _)| counted));
        }
        let effective = BleuMetric {
            effective_order: true,
            ..BleuMetric::default()
        };
        let sums = SegmentSums::count(&effective, &hypotheses, &references);
        let first = expected["sentence_bleu_exp_first5"]
            .as_array()
            .expect("scores");
        for (line, expected) in first.iter().enumerate() {
            let score = effective.score(sums.row(line));
            assert!(
                (score - number(expected)).abs() < 1e-9,
                "{system}, line {line}: {score}"
            );
        }
    }
}

/// Random numbers differ, so intervals and p-values agree within the error of sampling.
#[test]
#[cfg_attr(
    not(shared_translations),
    ignore = "needs ../shared/data/han-ted-es-en, or CANOPY_TED"
)]
fn published_differences_are_as_sure_as_with_sacrebleu() {
    let folder = folder();
    let references = [lines(&folder.join("ref.en"))];
    let expected = json(&folder.join("sacrebleu.json"));
    let metric = BleuMetric::default();
    let systems = ["baseline", "HA-enc", "HA-enc-dec"].map(|name| {
        let hypotheses = lines(&folder.join(format!("hyp-{name}.en")));
        [SegmentSums::count(&metric, &hypotheses, &references)]
    });
    let all: Vec<&[SegmentSums]> = systems.iter().map(|runs| &runs[..]).collect();
    let scores = bootstrap_scores(&metric, &all, 1_000, 12_345);
    for (place, runs) in systems.iter().enumerate() {
        let expected = |test: &str, field: &str| expected[test][place][field].as_f64();
        let interval = Interval::from_samples(&scores[place]);
        let bootstrap = |field: &str| expected("paired_bs_vs_baseline", field).expect("a number");
        assert!(
            (interval.mean - bootstrap("mean")).abs() < 0.05,
            "{interval:?}"
        );
        let half_width = interval.half_width();
        assert!(
            (half_width / bootstrap("ci") - 1.0).abs() < 0.1,
            "{interval:?}"
        );
        if place > 0 {
            let observed = metric.score(&runs[0].total()) - metric.score(&systems[0][0].total());
            let p = bootstrap_p(&scores[0], &scores[place], observed);
            assert!((p - bootstrap("p_value")).abs() < 0.002, "{p}");
            let p = approximate_randomization(&metric, &systems[0], runs, 1_000, 12_345);
            let theirs = expected("paired_ar_vs_baseline", "p_value").expect("a number");
            assert!((p - theirs).abs() < 0.002, "{p}");
        }
    }
}
