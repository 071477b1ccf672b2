//! Choices that only the document decides: how often systems choose as the reference does, against a rule that repeats the
//! choice last made, and by the distance to that one.

use serde::Serialize;

use canopy_corpus::{CorpusInfo, Segment, is_same_language};
use canopy_metrics::discourse::{
    ChoiceAccuracy, ChoiceKind, Decided, Deciding, deciding, repeated_choices,
};
use canopy_metrics::significance::{Interval, approximate_randomization, bootstrap_scores, holm};
use canopy_metrics::{Documents, Metric, SegmentSums};

/// Trials of approximate randomisation, and test sets drawn for the intervals.
const TRIALS: usize = 10_000;
const SAMPLES: usize = 1_000;

/// Upper limits of the buckets of distances, in segments.
const DISTANCES: [usize; 4] = [1, 3, 9, usize::MAX];

/// Segments of a test set whose reference makes a choice.
#[derive(Debug)]
pub struct ChoiceTest {
    /// Which choice is tested.
    pub kind: ChoiceKind,
    /// The segments whose reference makes the choice, in reading order.
    pub deciding: Vec<Deciding>,
    sources: Vec<String>,
    references: Vec<String>,
    documents: Documents,
}

/// How often several systems chose as the reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choices {
    /// `formality` or `pronouns`.
    pub name: String,
    /// How choices are found, as metrics have it.
    pub signature: String,
    /// Segments whose reference makes a choice.
    pub segments: usize,
    /// In per cent: of the choice that was last made in the reference, the commonest one where there was none.
    pub rule: ChoiceScore,
    /// Scores of each system.
    pub systems: Vec<ChoiceScore>,
    /// Scores by what decides the choice.
    pub buckets: Vec<ChoiceBucket>,
}

/// In per cent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceScore {
    /// Name of the system or rule.
    pub name: String,
    /// Share of the segments in which it chooses as the reference does.
    pub accuracy: f64,
    /// Holds it for 95 % of test sets drawn from the documents.
    pub interval: (f64, f64),
    /// Against the first system, by document, corrected for the number of systems; none of the first.
    pub p: Option<f64>,
    /// Accuracy of the choices of each kind, in the order of the signature, and the share of segments where the translation
    /// makes none.
    pub details: Vec<(&'static str, f64)>,
}

/// Segments that the same thing decides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceBucket {
    /// The evidence that decides these segments.
    pub name: String,
    /// Number of segments.
    pub segments: usize,
    /// Accuracy of the rule, in per cent.
    pub rule: f64,
    /// Scores of each system.
    pub systems: Vec<f64>,
}

impl ChoiceTest {
    /// The tests that there are for a corpus: German translations of English.
    pub fn all(info: &CorpusInfo, segments: &[Segment]) -> Vec<Self> {
        let is_german = is_same_language(&info.target_language, "de");
        if !is_german || !is_same_language(&info.source_language, "en") {
            return Vec::new();
        }
        let tests = ChoiceKind::ALL.map(|kind| Self::new(kind, segments));
        tests
            .into_iter()
            .filter(|test| !test.deciding.is_empty())
            .collect()
    }

    fn new(kind: ChoiceKind, segments: &[Segment]) -> Self {
        let ids: Vec<String> = segments.iter().map(|it| it.document.to_string()).collect();
        let documents = Documents::from_ids(&ids);
        let lines: Vec<Vec<usize>> = documents.iter().map(<[usize]>::to_vec).collect();
        let choices: Vec<_> = segments
            .iter()
            .map(|segment| kind.choice(&segment.source, &segment.reference))
            .collect();
        Self {
            kind,
            deciding: deciding(&lines, &choices),
            sources: segments.iter().map(|it| it.source.clone()).collect(),
            references: segments.iter().map(|it| it.reference.clone()).collect(),
            documents,
        }
    }

    /// Returns the metric that scores this choice.
    pub fn metric(&self) -> ChoiceAccuracy {
        ChoiceAccuracy(self.kind)
    }

    /// The counts of all translations, segment by segment.
    pub fn sums(&self, hypotheses: &[String]) -> SegmentSums {
        let references = [self.references.clone()];
        SegmentSums::count_with_sources(&self.metric(), &self.sources, hypotheses, &references)
    }

    /// The counts of the rule.
    pub fn rule(&self) -> SegmentSums {
        let metric = self.metric();
        let mut rows = vec![vec![0; metric.num_sums()]; self.sources.len()];
        for (one, said) in self.deciding.iter().zip(repeated_choices(&self.deciding)) {
            rows[one.segment] = metric.choice_counts(one.choice, Some(said));
        }
        SegmentSums::from_rows(metric.num_sums(), &rows)
    }

    /// The sums of segments as those of documents, which are drawn and swapped as a whole.
    pub fn by_document(&self, sums: &SegmentSums) -> SegmentSums {
        sums.by_document(&self.documents)
    }

    /// Compares systems, given by name and translations of all segments, with the first one.
    pub fn compare(&self, systems: &[(&str, &[String])], seed: u64) -> Choices {
        let metric = self.metric();
        let sums: Vec<SegmentSums> = systems.iter().map(|(_, it)| self.sums(it)).collect();
        let rule = self.rule();
        let first = sums.first().map(|sums| self.by_document(sums));
        let p_of = |sums: &SegmentSums| {
            let first = first.iter().cloned().collect::<Vec<_>>();
            let second = [self.by_document(sums)];
            approximate_randomization(&metric, &first, &second, TRIALS, seed)
        };
        let p_values: Vec<f64> = sums.iter().skip(1).map(p_of).collect();
        let mut p_values = holm(&p_values).into_iter();
        let mut scores = Vec::new();
        for (at, ((name, _), sums)) in systems.iter().zip(&sums).enumerate() {
            let p = if at == 0 { None } else { p_values.next() };
            scores.push(self.score(name, sums, p, seed));
        }
        let rule_p = first.is_some().then(|| p_of(&rule));
        Choices {
            name: metric.name(),
            signature: canopy_metrics::Signature::new(1)
                .with_metric(&metric)
                .to_string(),
            segments: self.deciding.len(),
            rule: self.score("the choice last made", &rule, rule_p, seed),
            systems: scores,
            buckets: self.buckets(&rule, &sums),
        }
    }

    fn score(&self, name: &str, sums: &SegmentSums, p: Option<f64>, seed: u64) -> ChoiceScore {
        let metric = self.metric();
        let total = sums.total();
        ChoiceScore {
            name: name.to_owned(),
            accuracy: metric.score(&total),
            interval: self.interval(std::slice::from_ref(sums), seed),
            p,
            details: metric.details(&total),
        }
    }

    /// The interval of the mean score of some runs over 95 % of test sets drawn from the documents.
    pub fn interval(&self, runs: &[SegmentSums], seed: u64) -> (f64, f64) {
        let runs: Vec<SegmentSums> = runs.iter().map(|sums| self.by_document(sums)).collect();
        let samples = bootstrap_scores(&self.metric(), &[&runs], SAMPLES, seed);
        let interval = Interval::from_samples(&samples[0]);
        (interval.lower, interval.upper)
    }

    fn buckets(&self, rule: &SegmentSums, systems: &[SegmentSums]) -> Vec<ChoiceBucket> {
        let mut least = 1;
        let mut buckets = vec![(
            "the first of its document".to_owned(),
            self.segments(|one| one.decided == Decided::First),
        )];
        for most in DISTANCES {
            let range = least..=most;
            let within = |one: &Deciding| match one.decided {
                Decided::Before(distance) => range.contains(&distance),
                Decided::First => false,
            };
            let name = match most {
                usize::MAX => format!("the last {least} and more before"),
                _ if least == most => format!("the last {least} before"),
                _ => format!("the last {least}–{most} before"),
            };
            buckets.push((name, self.segments(within)));
            least = most.saturating_add(1);
        }
        let is_later = |one: &Deciding| one.decided != Decided::First;
        let again = self.segments(|one| one.repeats);
        buckets.push(("as last".to_owned(), again));
        let other = self.segments(|one| is_later(one) && !one.repeats);
        buckets.push(("other than last".to_owned(), other));
        let metric = self.metric();
        let filled = buckets.into_iter().filter(|(_, own)| !own.is_empty());
        let bucket = filled.map(|(name, own)| {
            let score = |sums: &SegmentSums| metric.score(&sums.sum(own.iter().copied()));
            ChoiceBucket {
                name,
                segments: own.len(),
                rule: score(rule),
                systems: systems.iter().map(score).collect(),
            }
        });
        bucket.collect()
    }

    fn segments(&self, wanted: impl Fn(&Deciding) -> bool) -> Vec<usize> {
        let found = self.deciding.iter().filter(|one| wanted(one));
        found.map(|one| one.segment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(document: usize, source: &str, reference: &str) -> Segment {
        Segment {
            source: source.to_owned(),
            reference: reference.to_owned(),
            units: Vec::new(),
            document,
            paragraph: 0,
            unseen: true,
            repeated: false,
        }
    }

    #[test]
    fn a_rule_is_scored_beside_the_systems() {
        let info = CorpusInfo {
            name: String::new(),
            source_language: "en-US".to_owned(),
            target_language: "de".to_owned(),
            origin: String::new(),
            licence: String::new(),
        };
        let segments = [
            segment(0, "Are you there?", "Bist du da?"),
            segment(0, "Yes.", "Ja."),
            segment(0, "You lie!", "Du lügst!"),
            segment(1, "You all!", "Ihr alle!"),
            segment(1, "Your king?", "Wo ist euer König, den ihr habt?"),
        ];
        let all_du = ["du", "du", "du", "du", "du"].map(str::to_owned);
        let silent = vec![String::new(); 5];
        let tests = ChoiceTest::all(&info, &segments);
        let [test] = tests.as_slice() else {
            panic!("no segment has a pronoun: {tests:?}");
        };
        let found = test.compare(&[("du", &all_du), ("silent", &silent)], 1);
        assert_eq!((found.segments, found.name.as_str()), (4, "formality"));
        // The commonest is du, the first of two equally common ones.
        assert!((found.rule.accuracy - 75.0).abs() < 1e-9, "{found:?}");
        assert!((found.systems[0].accuracy - 50.0).abs() < 1e-9);
        assert!(found.systems[1].accuracy.abs() < 1e-9);
        assert!(found.systems[0].p.is_none() && found.systems[1].p.is_some());
        let counts: Vec<_> = found
            .buckets
            .iter()
            .map(|bucket| (bucket.name.as_str(), bucket.segments))
            .collect();
        assert_eq!(
            counts,
            [
                ("the first of its document", 2),
                ("the last 1 before", 1),
                ("the last 2–3 before", 1),
                ("as last", 2),
            ]
        );
        let other = CorpusInfo {
            target_language: "fr".to_owned(),
            ..info
        };
        assert!(ChoiceTest::all(&other, &segments).is_empty());
    }
}
