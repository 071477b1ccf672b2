//! The sums of every metric and system, counted once, and the scores of any choice of segments.

use super::super::significance::{Interval, approximate_randomization, bootstrap_scores, holm};
use super::super::{BleuMetric, Chrf, Documents, Metric, SegmentSums, Signature};
use super::{
    ComparedTest, ComparisonOptions, DocumentScores, MetricInfo, SystemScore, SystemScores,
};

/// A metric, the same as it scores single segments, and the sums of each system.
struct Measure {
    whole: Box<dyn Metric>,
    segment: Box<dyn Metric>,
    sums: Vec<SegmentSums>,
}

pub(super) struct Measures {
    measures: Vec<Measure>,
    documents: Documents,
}

/// Index of chrF among the measures: single segments are ranked by it, BLEU of most of them being 0 or nearly so.
const CHRF: usize = 1;

impl Measures {
    pub(super) fn count(test: &ComparedTest) -> Self {
        let references: Vec<&str> = test
            .segments
            .iter()
            .map(|segment| segment.reference.as_str())
            .collect();
        let references = [references];
        let measure = |whole: Box<dyn Metric>, segment: Box<dyn Metric>| {
            let systems = test.systems.iter();
            let sums = systems
                .map(|system| SegmentSums::count(whole.as_ref(), &system.hypotheses, &references));
            Measure {
                sums: sums.collect(),
                whole,
                segment,
            }
        };
        let effective = BleuMetric {
            effective_order: true,
            ..BleuMetric::default()
        };
        let names = test
            .segments
            .iter()
            .map(|segment| test.documents[segment.document].as_str());
        Self {
            measures: vec![
                measure(Box::<BleuMetric>::default(), Box::new(effective)),
                measure(Box::<Chrf>::default(), Box::<Chrf>::default()),
            ],
            documents: Documents::from_ids(&names.collect::<Vec<_>>()),
        }
    }

    pub(super) fn info(&self) -> Vec<MetricInfo> {
        let info = |measure: &Measure| MetricInfo {
            name: measure.whole.name(),
            signature: Signature::new(1)
                .with_metric(measure.whole.as_ref())
                .to_string(),
            segment_signature: Signature::new(1)
                .with_metric(measure.segment.as_ref())
                .to_string(),
        };
        self.measures.iter().map(info).collect()
    }

    /// Scores of some segments together, `[systems][metrics]`.
    pub(super) fn score(&self, segments: &[usize]) -> Vec<Vec<f64>> {
        self.each(|measure, sums| measure.whole.score(&sums.sum(segments.iter().copied())))
    }

    /// Scores of one segment, `[systems][metrics]`.
    pub(super) fn segment(&self, at: usize) -> Vec<Vec<f64>> {
        self.each(|measure, sums| measure.segment.score(sums.row(at)))
    }

    /// chrF of one segment.
    pub(super) fn chrf(&self, system: usize, at: usize) -> f64 {
        let measure = &self.measures[CHRF];
        measure.segment.score(measure.sums[system].row(at))
    }

    fn each(&self, score: impl Fn(&Measure, &SegmentSums) -> f64) -> Vec<Vec<f64>> {
        let of = |system: usize| {
            let measures = self.measures.iter();
            measures
                .map(|measure| score(measure, &measure.sums[system]))
                .collect()
        };
        (0..self.measures[CHRF].sums.len()).map(of).collect()
    }

    pub(super) fn documents(&self, test: &ComparedTest) -> Vec<DocumentScores> {
        let document = |segments: &[usize]| DocumentScores {
            document: test.segments[segments[0]].document,
            name: test.documents[test.segments[segments[0]].document].clone(),
            segments: segments.len(),
            scores: self.score(segments),
        };
        self.documents.iter().map(document).collect()
    }

    pub(super) fn systems(
        &self,
        test: &ComparedTest,
        options: &ComparisonOptions,
    ) -> Vec<SystemScores> {
        let by_metric: Vec<Vec<SystemScore>> = self
            .measures
            .iter()
            .map(|measure| self.tested(measure, options))
            .collect();
        let systems = test.systems.iter().enumerate();
        let scores = |system: usize| by_metric.iter().map(|scores| scores[system]).collect();
        systems
            .map(|(number, system)| SystemScores {
                name: system.name.clone(),
                scores: scores(number),
            })
            .collect()
    }

    /// Every system's score by one metric.
    fn tested(&self, measure: &Measure, options: &ComparisonOptions) -> Vec<SystemScore> {
        let (metric, seed) = (measure.whole.as_ref(), options.seed);
        let units: Vec<[SegmentSums; 1]> = measure
            .sums
            .iter()
            .map(|sums| [sums.by_document(&self.documents)])
            .collect();
        let runs: Vec<&[SegmentSums]> = units.iter().map(<[_; 1]>::as_slice).collect();
        let samples = bootstrap_scores(metric, &runs, options.samples, seed);
        let score = |system: usize| metric.score(&units[system][0].total());
        let others = runs.iter().skip(1);
        let p_values = others
            .map(|other| approximate_randomization(metric, runs[0], other, options.trials, seed));
        let p_values = holm(&p_values.collect::<Vec<_>>());
        let tested = |(system, samples): (usize, &Vec<f64>)| {
            let interval = Interval::from_samples(samples);
            SystemScore {
                score: score(system),
                interval: (interval.lower, interval.upper),
                difference: (system > 0).then(|| score(system) - score(0)),
                p: system.checked_sub(1).map(|other| p_values[other]),
            }
        };
        samples.iter().enumerate().map(tested).collect()
    }
}
