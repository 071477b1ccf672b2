//! The table that a sweep ends in.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::measured::{Measured, operations};
use super::{Sweep, SweepRow};
use crate::error::{BaseError, Error, Result};
use crate::run_state::{RunState, run_state};
use canopy_chart::charts::latex_escaped;

/// Words of a sentence, before a run has reported them.
const WORDS: usize = 25;

/// Rows in the order of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepTable {
    /// Name of the row that others are compared with.
    pub reference: String,
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// Means over the seeds of a row; what is not known yet is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// Name of the row.
    pub name: String,
    /// Name of the system.
    pub preset: String,
    /// Number of finished runs.
    pub finished: usize,
    /// Number of runs.
    pub seeds: usize,
    /// Number of weights.
    pub parameters: Option<usize>,
    /// Loss of all development documents, by the finished runs.
    pub dev_loss: Option<f64>,
    /// BLEU of the development documents.
    pub dev_bleu: Option<f64>,
    /// Standard deviation over the seeds, of more than one.
    pub dev_bleu_deviation: Option<f64>,
    /// Speed of training.
    pub target_tokens_per_second: Option<f64>,
    /// Without validations.
    pub epoch_secs: Option<f64>,
    /// Measured, of the reference row's.
    pub relative_time: Option<f64>,
    /// Counted, of the reference row's.
    pub relative_operations: Option<f64>,
    /// Why runs are not finished.
    pub problems: Vec<String>,
    /// How many have failed.
    #[serde(default)]
    pub failed: usize,
}

impl SweepTable {
    /// Reads what the runs in the sweep's `folder` have come to.
    ///
    /// # Errors
    /// If a run folder cannot be read.
    pub fn read(sweep: &Sweep, folder: &Path) -> Result<Self> {
        let measured = |row: &SweepRow| -> Result<Vec<Measured>> {
            let runs = row.runs.iter();
            runs.map(|run| Measured::read(&folder.join(run.trained())))
                .collect()
        };
        let of_rows: Vec<Vec<Measured>> = sweep.rows.iter().map(measured).collect::<Result<_>>()?;
        let reference = sweep
            .rows
            .iter()
            .position(|row| row.name == sweep.reference);
        let reference = reference.expect("a sweep is refused without it");
        let words = of_rows[reference].iter().find_map(Measured::words);
        let count = |row: &SweepRow| {
            let run = &row.runs[0];
            operations(
                &run.config,
                &folder.join(run.trained()),
                words.unwrap_or(WORDS),
            )
        };
        let reference_count = count(&sweep.rows[reference]);
        let rows = sweep.rows.iter().zip(&of_rows).map(|(row, runs)| {
            let (finished, failed, problems) = states(row, folder)?;
            let mean_of = |value: fn(&Measured) -> Option<f64>| mean(runs.iter().map(value));
            let pairs = runs.iter().zip(&of_rows[reference]);
            let relative_operations = count(row)
                .zip(reference_count)
                .map(|(own, others)| own / others);
            Ok(TableRow {
                name: row.name.clone(),
                preset: row.runs[0].config.preset.clone(),
                finished,
                seeds: runs.len(),
                parameters: runs.iter().find_map(|run| run.parameters),
                dev_loss: mean_of(Measured::dev_loss),
                dev_bleu: mean_of(Measured::dev_bleu),
                dev_bleu_deviation: deviation(runs.iter().filter_map(Measured::dev_bleu)),
                target_tokens_per_second: mean_of(Measured::target_tokens_per_second),
                epoch_secs: mean_of(Measured::epoch_secs),
                relative_time: mean(pairs.map(|(own, other)| own.relative_time(other))),
                relative_operations,
                problems,
                failed,
            })
        });
        Ok(Self {
            reference: sweep.reference.clone(),
            rows: rows.collect::<Result<_>>()?,
        })
    }

    /// Reads the `table.json` that a sweep ended in.
    ///
    /// # Errors
    /// If the file cannot be read or is no table.
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
        serde_json::from_str(&text).map_err(|cause| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string(),
                path: path.to_owned(),
            })
        })
    }

    /// In columns, for a terminal.
    pub fn to_text(&self) -> String {
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(TableRow::cells));
        let width = |column: usize| {
            let cells = lines.iter().map(|cells| cells[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
        let mut text = String::new();
        for cells in &lines {
            let padded = cells.iter().zip(&widths).enumerate();
            let padded = padded.map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            text += padded.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text + &self.problems("")
    }

    /// As a LaTeX tabular, with the rules of booktabs.
    pub fn to_latex(&self) -> String {
        let row = |cells: [String; 8]| {
            let cells = cells.map(|cell| latex_escaped(&cell));
            format!("{} \\\\\n", cells.join(" & "))
        };
        let mut text = "\\begin{tabular}{lrrrrrrr}\n\\toprule\n".to_owned();
        text += &row(HEADINGS.map(str::to_owned));
        text += "\\midrule\n";
        for own in &self.rows {
            text += &row(own.cells());
        }
        text += "\\bottomrule\n\\end{tabular}\n";
        text + &self.problems("% ")
    }

    /// A line for each run that is not finished.
    fn problems(&self, mark: &str) -> String {
        let of_row = |row: &TableRow| {
            let problems = row.problems.iter();
            let line = |problem: &String| format!("{mark}{}: {problem}\n", row.name);
            problems.map(line).collect::<String>()
        };
        self.rows.iter().map(of_row).collect()
    }
}

const HEADINGS: [&str; 8] = [
    "row",
    "parameters",
    "dev loss",
    "dev BLEU",
    "tokens/s",
    "s/epoch",
    "rel. time",
    "rel. operations",
];

impl TableRow {
    fn cells(&self) -> [String; 8] {
        let number = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "–".to_owned(),
        };
        let bleu = match self.dev_bleu_deviation {
            Some(deviation) => format!("{} ± {deviation:.2}", number(self.dev_bleu, 2)),
            None => number(self.dev_bleu, 2),
        };
        let parameters = self.parameters.map(|parameters| parameters.to_string());
        [
            self.name.clone(),
            parameters.unwrap_or_else(|| "–".to_owned()),
            number(self.dev_loss, 3),
            bleu,
            number(self.target_tokens_per_second, 0),
            number(self.epoch_secs, 0),
            number(self.relative_time, 2),
            number(self.relative_operations, 2),
        ]
    }
}

/// How many runs of a row are finished and how many have failed, and what keeps them from it.
fn states(row: &SweepRow, folder: &Path) -> Result<(usize, usize, Vec<String>)> {
    let (mut finished, mut failed, mut problems) = (0, 0, Vec::new());
    for run in &row.runs {
        let seed = run.config.seed;
        match run_state(&folder.join(run.trained()))? {
            RunState::Finished(reason) if !reason.is_order() => finished += 1,
            RunState::Failed { message } => {
                failed += 1;
                problems.push(format!("seed {seed} failed: {message}"));
            }
            RunState::NeverBegun => problems.push(format!("seed {seed} has not begun")),
            _ => {
                problems.push(format!("seed {seed} is not finished"));
            }
        }
    }
    Ok((finished, failed, problems))
}

#[expect(clippy::cast_precision_loss, reason = "a handful of seeds")]
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[expect(clippy::cast_precision_loss, reason = "a handful of seeds")]
fn deviation(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let mean = mean(values.iter().copied().map(Some))?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}
