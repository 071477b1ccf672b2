//! The worth of the models of a sweep: their scores on test documents, what is certain of the differences, and what
//! they cost, a row for each system.
//!
//! Each run answers with the mean of its last checkpoints. Pairs that do not occur in the training documents are what
//! counts: all scores but [`ResultRow::bleu_all`] are of them. Rows are compared with the sweep's reference by approximate
//! randomisation of whole documents, corrected by Holm's method for the number of rows.

mod choices;
mod figure;
mod run;
mod scoring;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use choices::ChoiceColumns;
pub use figure::ResultsFigure;
pub use run::{CorrectCount, Questions, RunResults, Step, Translations};

use crate::error::Result;
use canopy_corpus::Split;
use canopy_metrics::significance::{approximate_randomization, holm};
use canopy_metrics::{BleuMetric, SegmentSums};
use canopy_train::sweep::{Sweep, SweepRow, SweepTable};
use canopy_train::{RunState, run_state};
use choices::ChoiceSums;
use scoring::{RowSums, Scoring};

/// Trials of approximate randomisation.
const TRIALS: usize = 10_000;
const SEED: u64 = 12_345;

/// The table of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Name of the corpus.
    pub corpus: String,
    /// Row that the others are compared with.
    pub reference: String,
    /// The split that is scored.
    pub split: Split,
    /// Beam size of the translations.
    pub beam_size: usize,
    /// Segments of the split.
    pub segments: usize,
    /// Segments of these whose pairs do not occur in the training documents.
    pub unseen: usize,
    /// Documents with unseen pairs.
    pub documents: usize,
    /// All of the split; 0 in older files.
    #[serde(default)]
    pub documents_all: usize,
    /// How BLEU, chrF, TER and METEOR are counted.
    pub signatures: Vec<String>,
    /// Name of the contrastive set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrastive_set: Option<String>,
    /// Segments whose reference makes a choice that only the document decides, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub choice_segments: BTreeMap<String, usize>,
    /// The systems, in the order of the sweep.
    pub rows: Vec<ResultRow>,
}

/// A system. Scores are means over the seeds, on the scale of 0 to 100; what is not known is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Name of the row.
    pub name: String,
    /// The preset.
    pub system: String,
    /// `trained`, or why not.
    pub status: String,
    /// Seeds of the finished runs.
    pub seeds: Vec<u64>,
    /// BLEU of the unseen development segments, by which a row is chosen.
    pub bleu_dev: Option<f64>,
    /// BLEU of all segments.
    pub bleu_all: Option<f64>,
    /// BLEU of the unseen segments.
    pub bleu_unseen: Option<f64>,
    /// Holds it for 95 % of test sets drawn from the documents.
    pub bleu_unseen_interval: Option<(f64, f64)>,
    /// Standard deviation of `bleu_unseen` over the seeds, of more than one.
    pub bleu_unseen_deviation: Option<f64>,
    /// chrF of the unseen segments.
    pub chrf: Option<f64>,
    /// TER of the unseen segments; lower is better.
    pub ter: Option<f64>,
    /// METEOR of the unseen segments.
    pub meteor: Option<f64>,
    /// p-value of `bleu_unseen` against the reference, corrected.
    pub p_document: Option<f64>,
    /// p-value of `bleu_all`, likewise.
    pub p_document_all: Option<f64>,
    /// Correct choices in the contrastive set, of all seeds together.
    pub contrastive: Option<CorrectCount>,
    /// Number of weights.
    pub parameters: Option<usize>,
    /// Target tokens that the training takes in a second.
    pub train_tokens_per_second: Option<f64>,
    /// Speed of the fastest seed: other work on the machine only takes time.
    pub decode_tokens_per_second: Option<f64>,
    /// Time of an epoch, of the reference's.
    pub relative_epoch_time: Option<f64>,
    /// Choices that only the document decides.
    #[serde(flatten)]
    pub choices: ChoiceColumns,
}

impl Results {
    /// Scores the runs of the sweep in `folder`; `times` has their speed. `observe` gets the row and the current step.
    ///
    /// # Errors
    /// If a corpus, model or file cannot be read or written.
    pub fn from_sweep(
        sweep: &Sweep,
        folder: &Path,
        times: &SweepTable,
        split: Split,
        questions: &Questions<'_>,
        observe: &mut dyn FnMut(&SweepRow, Step<'_>),
    ) -> Result<Self> {
        let scoring = Scoring::new(questions, split)?;
        let (mut rows, mut sums) = (Vec::new(), Vec::new());
        for row in &sweep.rows {
            let (mut found, answers) = answers_of_row(row, folder, questions, observe)?;
            sums.push(scoring.score(&mut found, &answers));
            if let Some(time) = times.rows.iter().find(|time| time.name == row.name) {
                found.train_tokens_per_second = time.target_tokens_per_second;
                found.relative_epoch_time = time.relative_time;
            }
            rows.push(found);
        }
        let mut results = Self {
            corpus: questions.corpus.info().name.clone(),
            reference: sweep.reference.clone(),
            split,
            beam_size: questions.search.beam_size,
            segments: scoring.test.references.len(),
            unseen: scoring.test.unseen.len(),
            documents: scoring.test.documents.len(),
            documents_all: scoring.test.all_documents.len(),
            signatures: scoring.signatures(),
            contrastive_set: questions.contrasts.map(|set| set.name.clone()),
            choice_segments: scoring.test.choice_segments(),
            rows,
        };
        results.compare(&sums);
        let (mut rule, of_rule) = scoring.rule();
        if let Some(rule) = rule.take() {
            results.rows.push(rule);
            sums.push(RowSums {
                choices: of_rule,
                ..RowSums::default()
            });
        }
        let choices: Vec<ChoiceSums> = sums.into_iter().map(|sums| sums.choices).collect();
        results.compare_choices(&scoring.test.choices, &choices);
        Ok(results)
    }

    /// Index of the best row by the development documents.
    pub fn best(&self) -> Option<usize> {
        let scored = self.rows.iter().enumerate();
        let scored = scored.filter_map(|(at, row)| Some((at, row.bleu_dev?)));
        let best = scored.max_by(|left, right| left.1.total_cmp(&right.1));
        best.map(|(at, _)| at)
    }

    fn compare(&mut self, sums: &[RowSums]) {
        let unseen = self.p_values(sums, |row| &row.unseen);
        let all = self.p_values(sums, |row| &row.all);
        for (row, (unseen, all)) in self.rows.iter_mut().zip(unseen.into_iter().zip(all)) {
            (row.p_document, row.p_document_all) = (unseen, all);
        }
    }

    /// Compares every row with the reference by the seeds that both have; none for the reference, and where there are no
    /// such seeds.
    fn p_values(&self, sums: &[RowSums], of: fn(&RowSums) -> &[SegmentSums]) -> Vec<Option<f64>> {
        let mut found = vec![None; self.rows.len()];
        let reference = self.rows.iter().position(|row| row.name == self.reference);
        let Some(reference) = reference else {
            return found;
        };
        let of_seeds = |row: usize, seeds: &[u64]| -> Vec<SegmentSums> {
            let own = self.rows[row].seeds.iter().zip(of(&sums[row]));
            let own = own.filter(|(seed, _)| seeds.contains(seed));
            own.map(|(_, sums)| sums.clone()).collect()
        };
        let (metric, seeds) = (BleuMetric::default(), &self.rows[reference].seeds);
        let (mut tested, mut p_values) = (Vec::new(), Vec::new());
        for (at, row) in self.rows.iter().enumerate() {
            let (first, second) = (of_seeds(reference, &row.seeds), of_seeds(at, seeds));
            if at != reference && !first.is_empty() {
                tested.push(at);
                let p = approximate_randomization(&metric, &first, &second, TRIALS, SEED);
                p_values.push(p);
            }
        }
        for (at, p) in tested.into_iter().zip(holm(&p_values)) {
            found[at] = Some(p);
        }
        found
    }
}

/// The answers of the finished runs of a row, and the row without scores.
fn answers_of_row(
    row: &SweepRow,
    folder: &Path,
    questions: &Questions<'_>,
    observe: &mut dyn FnMut(&SweepRow, Step<'_>),
) -> Result<(ResultRow, Vec<RunResults>)> {
    let mut found = ResultRow {
        name: row.name.clone(),
        system: row.runs[0].config.preset.clone(),
        status: "not trained".to_owned(),
        ..ResultRow::default()
    };
    let mut answers = Vec::new();
    for run in &row.runs {
        let answered = match run_state(&folder.join(run.trained()))? {
            RunState::Finished(reason) if !reason.is_order() => {
                let answers_of_row = questions.ask(folder, run, &mut |step| observe(row, step))?;
                questions.keep(&run.folder, &answers_of_row)?;
                Some(answers_of_row)
            }
            RunState::Failed { message } => {
                if answers.is_empty() {
                    found.status = format!("failed: {message}");
                }
                None
            }
            _ => questions.cached(run)?,
        };
        if let Some(answered) = answered {
            answers.push(answered);
            found.seeds.push(run.config.seed);
            "trained".clone_into(&mut found.status);
        }
    }
    Ok((found, answers))
}
