//! The columns of what only the document decides, alone and at work.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{Results, SEED, TRIALS};
use crate::evaluation::ChoiceTest;
use canopy_metrics::comparison::{SIGNIFICANT, p_number};
use canopy_metrics::discourse::ChoiceKind;
use canopy_metrics::significance::{approximate_randomization, holm, mean_score};
use canopy_metrics::{BleuMetric, Metric, SegmentSums};

/// Per cent of the segments whose reference makes a choice in which a system makes the same one, with the interval that
/// holds it for 95 % of test sets drawn from the documents, and p by document against the reference row, corrected for the
/// number of rows. `at_work`: the human translations of all sentences before the current one are known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChoiceColumns {
    /// Accuracy of the forms of address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_accuracy: Option<f64>,
    /// 95 % interval of `formality_accuracy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_interval: Option<(f64, f64)>,
    /// p-value of `formality_accuracy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_p_document: Option<f64>,
    /// Accuracy of the forms of address at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_accuracy_at_work: Option<f64>,
    /// 95 % interval of `formality_accuracy_at_work`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_interval_at_work: Option<(f64, f64)>,
    /// p-value of `formality_accuracy_at_work`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formality_p_document_at_work: Option<f64>,
    /// Accuracy of the genders of pronouns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_accuracy: Option<f64>,
    /// 95 % interval of `pronoun_accuracy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_interval: Option<(f64, f64)>,
    /// p-value of `pronoun_accuracy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_p_document: Option<f64>,
    /// Accuracy of the genders of pronouns at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_accuracy_at_work: Option<f64>,
    /// 95 % interval of `pronoun_accuracy_at_work`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_interval_at_work: Option<(f64, f64)>,
    /// p-value of `pronoun_accuracy_at_work`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pronoun_p_document_at_work: Option<f64>,
    /// BLEU of all segments at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bleu_all_at_work: Option<f64>,
    /// p-value of `bleu_all_at_work` by document against the reference row, corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_document_all_at_work: Option<f64>,
}

/// Sums of a row by document, for each seed.
#[derive(Debug, Default)]
pub(super) struct ChoiceSums {
    /// Sums of each test, alone and at work.
    pub tests: Vec<[Vec<SegmentSums>; 2]>,
    /// BLEU at work.
    pub all_at_work: Vec<SegmentSums>,
}

impl ChoiceColumns {
    /// Accuracy, interval and p of a choice.
    fn get_mut(
        &mut self,
        kind: ChoiceKind,
        at_work: bool,
    ) -> (&mut Option<f64>, &mut Option<(f64, f64)>, &mut Option<f64>) {
        match (kind, at_work) {
            (ChoiceKind::Formality, false) => (
                &mut self.formality_accuracy,
                &mut self.formality_interval,
                &mut self.formality_p_document,
            ),
            (ChoiceKind::Formality, true) => (
                &mut self.formality_accuracy_at_work,
                &mut self.formality_interval_at_work,
                &mut self.formality_p_document_at_work,
            ),
            (ChoiceKind::PronounGender, false) => (
                &mut self.pronoun_accuracy,
                &mut self.pronoun_interval,
                &mut self.pronoun_p_document,
            ),
            (ChoiceKind::PronounGender, true) => (
                &mut self.pronoun_accuracy_at_work,
                &mut self.pronoun_interval_at_work,
                &mut self.pronoun_p_document_at_work,
            ),
        }
    }

    /// Fills in what the runs of a row chose, segment by segment; gives the sums by document.
    pub(super) fn score(
        &mut self,
        test: &ChoiceTest,
        at_work: bool,
        runs: &[SegmentSums],
    ) -> Vec<SegmentSums> {
        if runs.is_empty() {
            return Vec::new();
        }
        let (accuracy, interval, _) = self.get_mut(test.kind, at_work);
        *accuracy = Some(mean_score(&test.metric(), runs));
        *interval = Some(test.interval(runs, SEED));
        runs.iter().map(|sums| test.by_document(sums)).collect()
    }
}

impl Results {
    /// Compares the choices of every row with those of the reference.
    pub(super) fn compare_choices(&mut self, tests: &[ChoiceTest], sums: &[ChoiceSums]) {
        let reference = self.rows.iter().position(|row| row.name == self.reference);
        let Some(reference) = reference else { return };
        for (number, test) in tests.iter().enumerate() {
            for at_work in [false, true] {
                let of = |row: usize| {
                    let tests: Option<&[Vec<SegmentSums>; 2]> = sums[row].tests.get(number);
                    tests.map_or(&[][..], |runs| &runs[usize::from(at_work)])
                };
                let found = self.choice_p_values(&test.metric(), reference, of);
                for (row, p) in found {
                    *self.rows[row].choices.get_mut(test.kind, at_work).2 = Some(p);
                }
            }
        }
        let of = |row: usize| sums[row].all_at_work.as_slice();
        for (row, p) in self.choice_p_values(&BleuMetric::default(), reference, of) {
            self.rows[row].choices.p_document_all_at_work = Some(p);
        }
    }

    /// The p-value of each other row that has sums.
    fn choice_p_values<'s>(
        &self,
        metric: &dyn Metric,
        reference: usize,
        of: impl Fn(usize) -> &'s [SegmentSums],
    ) -> Vec<(usize, f64)> {
        let first = of(reference);
        let rows = (0..self.rows.len()).filter(|&row| row != reference && !of(row).is_empty());
        let (mut tested, mut p_values) = (Vec::new(), Vec::new());
        for row in rows {
            let seeds = first.len().min(of(row).len());
            if seeds == 0 {
                continue;
            }
            tested.push(row);
            let (first, second) = (&first[..seeds], &of(row)[..seeds]);
            let p = approximate_randomization(metric, first, second, TRIALS, SEED);
            p_values.push(p);
        }
        tested.into_iter().zip(holm(&p_values)).collect()
    }

    /// A table of what only the document decides; empty if no row says anything of it.
    pub(super) fn choices_markdown(&self) -> String {
        let rows = self.rows.iter();
        let chosen = rows.filter(|row| row.choices != ChoiceColumns::default());
        let mut text = String::new();
        for row in chosen {
            if text.is_empty() {
                text += "\n| system | form of address | p | at work | p | gender of *it* | p | at work | p | BLEU, all, at work | p |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
            }
            let mut choices = row.choices.clone();
            let mut cells = vec![row.name.clone()];
            for kind in ChoiceKind::ALL {
                for at_work in [false, true] {
                    let (accuracy, interval, p) = choices.get_mut(kind, at_work);
                    let cell = accuracy.zip(*interval).map(|(accuracy, (lower, upper))| {
                        format!("{accuracy:.1} [{lower:.1}, {upper:.1}]")
                    });
                    cells.push(cell.unwrap_or_else(|| "–".to_owned()));
                    cells.push(written(*p));
                }
            }
            let bleu = choices.bleu_all_at_work;
            cells.push(bleu.map_or_else(|| "–".to_owned(), |bleu| format!("{bleu:.1}")));
            cells.push(written(choices.p_document_all_at_work));
            // Writing to a string does not fail.
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if !text.is_empty() {
            text += "\nIn % of the segments whose reference addresses *you*, or has a gender for *it*, with the interval of 95 % and p by \
                document. At work: the human translations of all sentences before the current one are known.\n";
        }
        text
    }
}

fn written(p: Option<f64>) -> String {
    match p {
        Some(p) if p < SIGNIFICANT => p_number(p) + "*",
        p => p.map_or_else(|| "–".to_owned(), p_number),
    }
}
