//! The scores of a row: those of its runs' translations, counted once for tables and tests.

use std::collections::BTreeMap;

use super::choices::ChoiceSums;
use super::{Questions, ResultRow, RunResults, SEED, Translations};
use crate::error::Result;
use crate::evaluation::ChoiceTest;
use canopy_corpus::{Segment, Split, segments};
use canopy_metrics::significance::{Interval, bootstrap_scores, deviation, mean_score};
use canopy_metrics::{
    BleuMetric, Chrf, Documents, Meteor, Metric, SegmentSums, Signature, Stemmer, Ter,
};

/// Test sets drawn for the intervals.
const SAMPLES: usize = 1_000;

/// How rows are scored.
pub(super) struct Scoring<'a> {
    questions: &'a Questions<'a>,
    split: Split,
    pub test: TestSegments,
    dev: TestSegments,
    /// BLEU, chrF, TER and METEOR.
    metrics: [Box<dyn Metric>; 4],
}

impl<'a> Scoring<'a> {
    pub(super) fn new(questions: &'a Questions<'a>, split: Split) -> Result<Self> {
        let stemmer = match questions.corpus.info().target_language.as_str() {
            "de" => Stemmer::German,
            "en" => Stemmer::English,
            _ => Stemmer::None,
        };
        let meteor = Meteor {
            stemmer,
            ..Meteor::default()
        };
        Ok(Self {
            questions,
            split,
            test: TestSegments::open(questions, split)?,
            dev: TestSegments::open(questions, Split::Dev)?,
            metrics: [
                Box::<BleuMetric>::default(),
                Box::<Chrf>::default(),
                Box::<Ter>::default(),
                Box::new(meteor),
            ],
        })
    }

    pub(super) fn signatures(&self) -> Vec<String> {
        let metrics = self.metrics.iter().map(|metric| {
            let signature = Signature::new(1).with_metric(metric.as_ref());
            format!("{}|{signature}", metric.name())
        });
        metrics.collect()
    }

    /// Fills in the scores of a row; gives its BLEU sums.
    pub(super) fn score(&self, row: &mut ResultRow, answers: &[RunResults]) -> RowSums {
        let Some(first) = answers.first() else {
            return RowSums::default();
        };
        let translations = |split: Split| -> Vec<&Translations> {
            let key = self.questions.key(split);
            answers.iter().map(|run| &run.translations[&key]).collect()
        };
        let (tested, of_dev) = (translations(self.split), translations(Split::Dev));
        let [bleu, others @ ..] = &self.metrics;
        let sums = self.test.unseen_sums(bleu.as_ref(), &tested);
        row.bleu_unseen = Some(mean_score(bleu.as_ref(), &sums));
        row.bleu_unseen_deviation = deviation(bleu.as_ref(), &sums);
        let others = others.each_ref().map(|metric| {
            let sums = self.test.unseen_sums(metric.as_ref(), &tested);
            Some(mean_score(metric.as_ref(), &sums))
        });
        [row.chrf, row.ter, row.meteor] = others;
        let dev_sums = self.dev.unseen_sums(bleu.as_ref(), &of_dev);
        row.bleu_dev = Some(mean_score(bleu.as_ref(), &dev_sums));
        let all: Vec<SegmentSums> = tested
            .iter()
            .map(|run| {
                let references = [self.test.references.clone()];
                SegmentSums::count(bleu.as_ref(), &run.hypotheses, &references)
            })
            .collect();
        row.bleu_all = Some(mean_score(bleu.as_ref(), &all));
        row.parameters = Some(first.parameters);
        let speeds = tested.iter().map(|run| run.tokens_per_second);
        row.decode_tokens_per_second = speeds.max_by(f64::total_cmp);
        if let Some(set) = self.questions.contrasts {
            let chosen = answers
                .iter()
                .map(|run| run.contrasts.get(&set.name).copied());
            row.contrastive = chosen.sum();
        }
        let choices = self.choices(row, answers, &tested);
        let by_document = |sums: &[SegmentSums], documents: &Documents| -> Vec<SegmentSums> {
            let runs = sums.iter();
            runs.map(|run| run.by_document(documents)).collect()
        };
        let sums = RowSums {
            unseen: by_document(&sums, &self.test.documents),
            all: by_document(&all, &self.test.all_documents),
            choices,
        };
        let samples = bootstrap_scores(bleu.as_ref(), &[&sums.unseen], SAMPLES, SEED);
        let interval = Interval::from_samples(&samples[0]);
        row.bleu_unseen_interval = Some((interval.lower, interval.upper));
        sums
    }
}

impl Scoring<'_> {
    /// Fills in what the runs chose where only the document decides, and how they translated at work.
    fn choices(
        &self,
        row: &mut ResultRow,
        answers: &[RunResults],
        tested: &[&Translations],
    ) -> ChoiceSums {
        let key = self.questions.key_at_work(self.split);
        let at_work: Option<Vec<&Translations>> = answers
            .iter()
            .map(|run| run.translations.get(&key))
            .collect();
        let at_work = at_work.filter(|_| self.questions.at_work);
        let at_work = at_work.unwrap_or_default();
        let tests = self.test.choices.iter().map(|test| {
            let mut score = |runs: &[&Translations], is_at_work: bool| {
                let runs = runs.iter().map(|run| test.sums(&run.hypotheses));
                let runs: Vec<SegmentSums> = runs.collect();
                row.choices.score(test, is_at_work, &runs)
            };
            [score(tested, false), score(&at_work, true)]
        });
        let tests = tests.collect();
        let bleu = BleuMetric::default();
        let references = [self.test.references.clone()];
        let all_at_work: Vec<SegmentSums> = at_work
            .iter()
            .map(|run| SegmentSums::count(&bleu, &run.hypotheses, &references))
            .collect();
        if !all_at_work.is_empty() {
            row.choices.bleu_all_at_work = Some(mean_score(&bleu, &all_at_work));
        }
        let documents = &self.test.all_documents;
        let by_document = all_at_work.iter().map(|sums| sums.by_document(documents));
        ChoiceSums {
            tests,
            all_at_work: by_document.collect(),
        }
    }

    /// The rule that repeats the choice last made in the reference, as a row; none where nothing is chosen, or the systems
    /// were not translated at work.
    pub(super) fn rule(&self) -> (Option<ResultRow>, ChoiceSums) {
        if self.test.choices.is_empty() || !self.questions.at_work {
            return (None, ChoiceSums::default());
        }
        let mut row = ResultRow {
            name: "The choice last made (a rule)".to_owned(),
            system: "rule".to_owned(),
            status: "knows the human translations before".to_owned(),
            ..ResultRow::default()
        };
        let tests = self.test.choices.iter().map(|test| {
            let runs = [test.rule()];
            [false, true].map(|at_work| row.choices.score(test, at_work, &runs))
        });
        let tests = tests.collect();
        let sums = ChoiceSums {
            tests,
            all_at_work: Vec::new(),
        };
        (Some(row), sums)
    }
}

/// The BLEU sums of a row's translations: for each seed those of every document.
#[derive(Debug, Default)]
pub(super) struct RowSums {
    pub unseen: Vec<SegmentSums>,
    pub all: Vec<SegmentSums>,
    pub choices: ChoiceSums,
}

/// The segments of a split.
pub(super) struct TestSegments {
    pub references: Vec<String>,
    /// Indices of the unseen ones.
    pub unseen: Vec<usize>,
    /// Documents of the unseen segments.
    pub documents: Documents,
    pub all_documents: Documents,
    /// Segments in which only the document decides.
    pub choices: Vec<ChoiceTest>,
}

impl TestSegments {
    fn open(questions: &Questions<'_>, split: Split) -> Result<Self> {
        let segments: Vec<Segment> = segments(questions.corpus, split)?;
        let unseen = segments.iter().enumerate();
        let unseen = unseen
            .filter(|(_, segment)| segment.unseen)
            .map(|(at, _)| at);
        let unseen: Vec<usize> = unseen.collect();
        let of = segments.iter();
        let of: Vec<String> = of.map(|segment| segment.document.to_string()).collect();
        let of_unseen: Vec<String> = unseen.iter().map(|&at| of[at].clone()).collect();
        Ok(Self {
            documents: Documents::from_ids(&of_unseen),
            all_documents: Documents::from_ids(&of),
            choices: ChoiceTest::all(questions.corpus.info(), &segments),
            unseen,
            references: segments
                .into_iter()
                .map(|segment| segment.reference)
                .collect(),
        })
    }

    /// How many segments make each choice.
    pub(super) fn choice_segments(&self) -> BTreeMap<String, usize> {
        let counts = self.choices.iter();
        counts
            .map(|test| (test.metric().name(), test.deciding.len()))
            .collect()
    }

    /// The sums of each run's translations of the unseen segments.
    fn unseen_sums(&self, metric: &dyn Metric, runs: &[&Translations]) -> Vec<SegmentSums> {
        let chosen = |texts: &[String]| -> Vec<String> {
            self.unseen.iter().map(|&at| texts[at].clone()).collect()
        };
        let references = [chosen(&self.references)];
        let sums = runs
            .iter()
            .map(|run| SegmentSums::count(metric, &chosen(&run.hypotheses), &references));
        sums.collect()
    }
}
