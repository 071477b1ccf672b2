//! The scores of all systems, and how sure they are.

use clap::ValueEnum;

use super::lines::TestSet;
use canopy_metrics::significance::{
    Interval, approximate_randomization, bootstrap_p, bootstrap_scores, deviation, mean_score,
};
use canopy_metrics::{Goal, Metric, SegmentSums, Signature};

/// The piece of a test set that is scored, or drawn, by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Unit {
    Sentence,
    Document,
}

/// Results other than the scores.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Samples of the bootstrap.
    pub bootstrap: Option<usize>,
    pub paired_bootstrap: bool,
    /// Trials of approximate randomisation.
    pub randomization: Option<usize>,
    pub by_document: bool,
    /// Training runs of each system.
    pub runs: usize,
    pub seed: u64,
    /// The preparation of the texts.
    pub preparation: Option<String>,
}

impl Plan {
    pub(super) fn is_paired(&self) -> bool {
        self.paired_bootstrap || self.randomization.is_some()
    }
}

#[derive(Debug)]
pub(super) struct Table {
    pub systems: Vec<String>,
    pub columns: Vec<Column>,
    pub segments: usize,
    pub references: usize,
    pub documents: Option<usize>,
    pub plan: Plan,
    pub digits: usize,
}

/// The scores by one metric.
#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    pub signature: String,
    pub goal: Goal,
    /// One for each system.
    pub cells: Vec<Cell>,
}

#[derive(Debug)]
pub(super) struct Cell {
    pub score: f64,
    /// Details of the first of several training runs.
    pub details: Vec<(&'static str, f64)>,
    /// Standard deviation of the scores of several training runs.
    pub deviation: Option<f64>,
    pub interval: Option<Interval>,
    /// None for the first system.
    pub comparison: Option<Comparison>,
    /// The score of each segment; of several training runs, the first one's.
    pub segments: Vec<f64>,
}

/// The difference to the first system.
#[derive(Debug)]
pub(super) struct Comparison {
    pub difference: f64,
    pub p: f64,
    pub interval: Option<Interval>,
}

impl Column {
    /// Scores all systems from the sums of each file, `[systems · runs]`.
    pub(super) fn from_sums(
        metric: &dyn Metric,
        files: &[SegmentSums],
        level: Option<Unit>,
        segments: &TestSet,
        plan: &Plan,
    ) -> Self {
        let by_document = segments.documents.as_ref().filter(|_| plan.by_document);
        let units: Vec<SegmentSums> = match by_document {
            Some(documents) => files
                .iter()
                .map(|sums| sums.by_document(documents))
                .collect(),
            None => files.to_vec(),
        };
        let test = Test::new(metric, units.chunks(plan.runs).collect(), plan);
        let cell = |system: usize| {
            let own = &files[system * plan.runs];
            let runs = test.systems[system];
            Cell {
                score: mean_score(metric, runs),
                details: metric.details(&own.total()),
                deviation: deviation(metric, runs),
                interval: test.interval(system),
                comparison: test.comparison(system),
                segments: (0..own.len())
                    .map(|line| metric.score(own.row(line)))
                    .collect(),
            }
        };
        Self {
            name: prefix(level, plan) + &metric.name(),
            signature: signature(metric, level, segments.references.len(), plan),
            goal: metric.goal(),
            cells: (0..test.systems.len()).map(cell).collect(),
        }
    }

    /// Whether a system is the best of several by this metric, or as good.
    pub(super) fn is_best(&self, system: usize) -> bool {
        let scores: Vec<f64> = self.cells.iter().map(|cell| cell.score).collect();
        let best = self.goal.best(&scores).map(|best| scores[best]);
        scores.len() > 1 && best.is_some_and(|best| best.total_cmp(&scores[system]).is_eq())
    }

    /// The name and a sign for what is good: `BLEU ↑`.
    pub(super) fn title(&self, signs: [&str; 3]) -> String {
        let sign = match self.goal {
            Goal::High => signs[0],
            Goal::Low => signs[1],
            Goal::Hundred => signs[2],
        };
        format!("{} {sign}", self.name)
    }
}

/// Results of resampling.
struct Test<'a> {
    metric: &'a dyn Metric,
    /// `[systems, runs]`
    systems: Vec<&'a [SegmentSums]>,
    /// Scores on other test sets, `[systems, samples]`; empty without a bootstrap.
    samples: Vec<Vec<f64>>,
    plan: &'a Plan,
}

impl<'a> Test<'a> {
    fn new(metric: &'a dyn Metric, systems: Vec<&'a [SegmentSums]>, plan: &'a Plan) -> Self {
        let samples = match plan.bootstrap {
            Some(samples) => bootstrap_scores(metric, &systems, samples, plan.seed),
            None => Vec::new(),
        };
        Self {
            metric,
            systems,
            samples,
            plan,
        }
    }

    fn interval(&self, system: usize) -> Option<Interval> {
        let samples = self.samples.get(system)?;
        Some(Interval::from_samples(samples))
    }

    /// `None` for the first system and without a paired test.
    fn comparison(&self, system: usize) -> Option<Comparison> {
        if system == 0 || !self.plan.is_paired() {
            return None;
        }
        let (first, own) = (self.systems[0], self.systems[system]);
        let difference = mean_score(self.metric, own) - mean_score(self.metric, first);
        let p = match self.plan.randomization {
            Some(trials) => {
                approximate_randomization(self.metric, first, own, trials, self.plan.seed)
            }
            None => bootstrap_p(&self.samples[0], &self.samples[system], difference),
        };
        let interval = self.samples.get(system).map(|samples| {
            let pairs = samples.iter().zip(&self.samples[0]);
            Interval::from_samples(&pairs.map(|(own, first)| own - first).collect::<Vec<_>>())
        });
        Some(Comparison {
            difference,
            p,
            interval,
        })
    }
}

/// The beginning of a metric's name: `s-` and `d-` for sentences and documents, `tok-` for tokenised texts.
fn prefix(level: Option<Unit>, plan: &Plan) -> String {
    let prepared = plan.preparation.as_ref().map_or("", |_| "tok-");
    let level = match level {
        None => "",
        Some(Unit::Sentence) => "s-",
        Some(Unit::Document) => "d-",
    };
    format!("{prepared}{level}")
}

fn signature(metric: &dyn Metric, level: Option<Unit>, references: usize, plan: &Plan) -> String {
    let mut signature = Signature::new(references);
    if let Some(samples) = plan.bootstrap {
        signature = signature.with("bs", samples);
    }
    if let Some(trials) = plan.randomization {
        signature = signature.with("ar", trials);
    }
    if plan.bootstrap.is_some() || plan.randomization.is_some() {
        signature = signature.with("seed", plan.seed);
        if plan.by_document {
            signature = signature.with("by", "document");
        }
    }
    if plan.runs > 1 {
        signature = signature.with("runs", plan.runs);
    }
    if level == Some(Unit::Document) {
        signature = signature.with("segment", "document");
    }
    if let Some(preparation) = &plan.preparation {
        signature = signature.with("prepared", preparation);
    }
    signature.with_metric(metric).to_string()
}
