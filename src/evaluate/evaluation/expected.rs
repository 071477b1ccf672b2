//! Words that the sentences before decide: how often translations have them, in total and by the distance to what decides.
//!
//! The score of Wicks & Post, "Identifying Context-Dependent Translations for Evaluation Set Production", WMT 2023.

use serde::Serialize;

use canopy_corpus::Expected;
use canopy_metrics::significance::{Interval, approximate_randomization, bootstrap_scores, holm};
use canopy_metrics::{Documents, Metric, SegmentSums, Signature};

/// Trials of approximate randomisation, and test sets drawn for the intervals.
const TRIALS: usize = 10_000;
const SAMPLES: usize = 1_000;

/// Larger distances are one bucket.
const FAR: usize = 3;

/// Per cent of the translations that have their word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FormAccuracy;

impl Metric for FormAccuracy {
    fn name(&self) -> String {
        "expected".to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("case", "lc".to_owned()), ("match", "word".to_owned())]
    }

    /// How many there are, and how many have their word.
    fn num_sums(&self) -> usize {
        2
    }

    /// The reference is the word.
    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let has = |form: &&str| {
            let expected = Expected {
                form: (*form).to_owned(),
                ..Expected::default()
            };
            expected.is_in(hypothesis)
        };
        vec![1, i64::from(references.iter().any(has))]
    }

    fn score(&self, sums: &[i64]) -> f64 {
        100.0 * sums[1] as f64 / sums[0].max(1) as f64
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        vec![("segments", sums[0] as f64)]
    }
}

/// The segments of a test set whose word is known.
#[derive(Debug)]
pub struct ExpectedTest<'a> {
    /// Number of the segment, and what is expected there.
    expected: Vec<(usize, &'a Expected)>,
    origins: Documents,
}

/// How often several systems say the words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpectedForms {
    /// How the words are searched for, as metrics have it.
    pub signature: String,
    /// Number of segments with expected words.
    pub segments: usize,
    /// Films or whatever else is drawn as one.
    pub origins: usize,
    /// Scores of each system.
    pub systems: Vec<ExpectedScore>,
    /// By the distance in sentences to the one that decides.
    pub distances: Vec<ExpectedBucket>,
}

/// In per cent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpectedScore {
    /// Name of the system.
    pub name: String,
    /// Share of the segments whose translation has the expected words.
    pub accuracy: f64,
    /// Holds it for 95 % of test sets drawn from the origins.
    pub interval: (f64, f64),
    /// Against the first system, by origin, corrected for the number of systems; none of the first.
    pub p: Option<f64>,
}

/// Segments that are decided equally far back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpectedBucket {
    /// The distance, such as `2` or `> 3`.
    pub name: String,
    /// Number of segments.
    pub segments: usize,
    /// Accuracy of each system.
    pub systems: Vec<f64>,
}

impl<'a> ExpectedTest<'a> {
    /// None if no segment has a word.
    pub(super) fn new(all: &'a [Option<Expected>]) -> Option<Self> {
        let known = all.iter().enumerate();
        let expected: Vec<_> = known
            .filter_map(|(number, it)| Some((number, it.as_ref()?)))
            .collect();
        // What does not say where it comes from is its own group.
        let origin = |&(number, it): &(usize, &Expected)| match it.origin.as_str() {
            "" => number.to_string(),
            origin => format!("of {origin}"),
        };
        let origins: Vec<String> = expected.iter().map(origin).collect();
        (!expected.is_empty()).then(|| Self {
            origins: Documents::from_ids(&origins),
            expected,
        })
    }

    fn sums(&self, hypotheses: &[String]) -> SegmentSums {
        let rows = self.expected.iter();
        let rows: Vec<Vec<i64>> = rows
            .map(|(number, it)| FormAccuracy.count(&hypotheses[*number], &[&it.form]))
            .collect();
        SegmentSums::from_rows(FormAccuracy.num_sums(), &rows)
    }

    /// Compares systems, given by name and translations of all segments, with the first one.
    pub fn compare(&self, systems: &[(&str, &[String])], seed: u64) -> ExpectedForms {
        let sums: Vec<SegmentSums> = systems.iter().map(|(_, it)| self.sums(it)).collect();
        let by_origin: Vec<SegmentSums> = sums
            .iter()
            .map(|sums| sums.by_document(&self.origins))
            .collect();
        let p_of = |own: &SegmentSums| {
            let (first, own) = (&by_origin[..1], std::slice::from_ref(own));
            approximate_randomization(&FormAccuracy, first, own, TRIALS, seed)
        };
        let p_values: Vec<f64> = by_origin.iter().skip(1).map(p_of).collect();
        let p_values = [None]
            .into_iter()
            .chain(holm(&p_values).into_iter().map(Some));
        let score = |name: &str, own: &SegmentSums, p: Option<f64>| {
            let runs = std::slice::from_ref(own);
            let drawn = bootstrap_scores(&FormAccuracy, &[runs], SAMPLES, seed);
            let interval = Interval::from_samples(&drawn[0]);
            ExpectedScore {
                name: name.to_owned(),
                accuracy: FormAccuracy.score(&own.total()),
                interval: (interval.lower, interval.upper),
                p,
            }
        };
        ExpectedForms {
            signature: Signature::new(1).with_metric(&FormAccuracy).to_string(),
            segments: self.expected.len(),
            origins: self.origins.len(),
            systems: systems
                .iter()
                .zip(&by_origin)
                .zip(p_values)
                .map(|(((name, _), own), p)| score(name, own, p))
                .collect(),
            distances: self.distances(&sums),
        }
    }

    fn distances(&self, systems: &[SegmentSums]) -> Vec<ExpectedBucket> {
        let name = |distance| match distance {
            0 => "the sentence itself".to_owned(),
            1 => "the sentence before".to_owned(),
            far if far > FAR => format!("more than {FAR} before"),
            _ => format!("{distance} sentences before"),
        };
        let buckets = (0..=FAR + 1).map(|distance| {
            let own = self.expected.iter().enumerate();
            let own: Vec<usize> = own
                .filter(|(_, (_, it))| it.distance.map(|it| it.min(FAR + 1)) == Some(distance))
                .map(|(at, _)| at)
                .collect();
            let score = |sums: &SegmentSums| FormAccuracy.score(&sums.sum(own.iter().copied()));
            ExpectedBucket {
                name: name(distance),
                segments: own.len(),
                systems: systems.iter().map(score).collect(),
            }
        });
        buckets.filter(|bucket| bucket.segments > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(form: &str, distance: Option<usize>, origin: &str) -> Expected {
        Expected {
            form: form.to_owned(),
            distance,
            origin: origin.to_owned(),
        }
    }

    #[test]
    fn words_are_counted_by_distance_and_drawn_by_origin() {
        let all = [
            Some(expected("sei", Some(1), "a")),
            None,
            Some(expected("vou", Some(1), "a")),
            Some(expected("fez", Some(7), "b")),
            Some(expected("fiz", None, "")),
        ];
        let test = ExpectedTest::new(&all).expect("has words");
        let one = ["Não sei.", "sei", "Eu vou!", "Fizeram.", "Fiz."].map(str::to_owned);
        let other = vec![String::new(); 5];
        let found = test.compare(&[("one", &one), ("other", &other)], 1);
        assert_eq!((found.segments, found.origins), (4, 3));
        assert!((found.systems[0].accuracy - 75.0).abs() < 1e-9, "{found:?}");
        assert!(found.systems[1].accuracy.abs() < 1e-9);
        assert!(found.systems[0].p.is_none() && found.systems[1].p.is_some());
        let buckets: Vec<_> = found
            .distances
            .iter()
            .map(|it| (it.name.as_str(), it.segments, it.systems[0].round()))
            .collect();
        let before = ("the sentence before", 2, 100.0);
        assert_eq!(buckets, [before, ("more than 3 before", 1, 0.0)]);
        assert!(ExpectedTest::new(&[None, None]).is_none());
    }
}
