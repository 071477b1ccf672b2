//! Tables for a terminal.

use std::io::IsTerminal;

use super::table::{Cell, Column, Table};
use canopy_chart::charts::thousands;
use canopy_metrics::comparison::{SIGNIFICANT, written_p};

/// Characters of a line, if the table can be divided so that none has more.
const WIDTH: usize = 100;
/// Between columns.
const GAP: &str = "    ";

/// All scores, a line for each system, and how they were counted.
pub(super) fn table(table: &Table) -> String {
    let columns = columns(table);
    let width = |column: &[String]| column.iter().map(|cell| len(cell)).max().unwrap_or(0);
    let bold = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut lines = vec![size(table), String::new()];
    let mut rest = 1..columns.len();
    while !rest.is_empty() {
        let mut total = width(&columns[0]);
        let fitting = rest.clone().take_while(|&column| {
            total += GAP.len() + width(&columns[column]);
            total <= WIDTH
        });
        let end = rest.start + fitting.count().max(1);
        let block: Vec<usize> = std::iter::once(0).chain(rest.start..end).collect();
        for row in 0..=table.systems.len() {
            let cells = block.iter().map(|&column| {
                let cell = format!("{:<1$}", columns[column][row], width(&columns[column]));
                let best = row > 0 && column > 0 && table.columns[column - 1].is_best(row - 1);
                if bold && (best || row == 0) {
                    format!("\u{1b}[1m{cell}\u{1b}[0m")
                } else {
                    cell
                }
            });
            lines.push(cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned());
            if row == 0 {
                let widths = block.iter().map(|&column| width(&columns[column]));
                let rule = widths.sum::<usize>() + GAP.len() * (block.len() - 1);
                lines.push("─".repeat(rule));
            }
        }
        lines.push(String::new());
        rest.start = end;
    }
    let notes = notes(table);
    if !notes.is_empty() {
        lines.extend(notes);
        lines.push(String::new());
    }
    let names = table.columns.iter().map(|column| len(&column.name));
    let width = names.max().unwrap_or(0);
    let signature = |column: &Column| format!("{:<width$}  {}", column.name, column.signature);
    lines.extend(table.columns.iter().map(signature));
    lines.join("\n") + "\n"
}

/// The names of the systems and the scores by each metric, each with a title: `[columns, systems + 1]`.
fn columns(table: &Table) -> Vec<Vec<String>> {
    let names = std::iter::once("system".to_owned()).chain(table.systems.iter().cloned());
    let mut columns = vec![names.collect::<Vec<_>>()];
    for column in &table.columns {
        let parts: Vec<[String; 3]> = column.cells.iter().map(|cell| parts(table, cell)).collect();
        let widths = [0, 1, 2].map(|part| {
            let cells = parts.iter().map(|parts: &[String; 3]| len(&parts[part]));
            cells.max().unwrap_or(0)
        });
        let text = |[score, interval, p]: &[String; 3]| {
            let others = [(interval, widths[1]), (p, widths[2])].into_iter();
            let others = others.filter(|(_, width)| *width > 0);
            let others = others.map(|(part, width)| format!("  {part:<width$}"));
            format!("{score:>0$}{1}", widths[0], others.collect::<String>())
        };
        let title = column.title(["↑", "↓", "→ 100"]);
        columns.push(
            std::iter::once(title)
                .chain(parts.iter().map(text))
                .collect(),
        );
    }
    columns
}

/// The score of every segment, a line each, separated by tabs.
pub(super) fn segments(table: &Table) -> String {
    let cells = || {
        let systems = table.systems.iter().enumerate();
        systems.flat_map(|(system, name)| {
            let columns = table.columns.iter();
            columns.map(move |column| (name, &column.name, &column.cells[system].segments))
        })
    };
    let header = cells().map(|(name, metric, _)| format!("{name} {metric}"));
    let mut lines = vec![header.collect::<Vec<_>>().join("\t")];
    let longest = cells().map(|(_, _, scores)| scores.len()).max();
    for segment in 0..longest.unwrap_or(0) {
        let scores = cells().map(|(_, _, scores)| match scores.get(segment) {
            Some(score) => format!("{score:.*}", table.digits),
            None => String::new(),
        });
        lines.push(scores.collect::<Vec<_>>().join("\t"));
    }
    lines.join("\n") + "\n"
}

/// Explanations of the marks in a table.
pub(super) fn notes(table: &Table) -> Vec<String> {
    let plan = &table.plan;
    let unit = if plan.by_document {
        "documents"
    } else {
        "segments"
    };
    let mut notes = Vec::new();
    if plan.runs > 1 {
        notes.push(format!(
            "Means over {} training runs, ± their standard deviation.",
            plan.runs
        ));
    }
    if let Some(samples) = plan.bootstrap {
        notes.push(format!(
            "[…] holds 95 % of the scores on {} test sets drawn from the {unit}.",
            thousands(samples)
        ));
    }
    if plan.is_paired() {
        let test = match plan.randomization {
            Some(trials) => format!("approximate randomisation, {} trials", thousands(trials)),
            None => "paired bootstrap".to_owned(),
        };
        notes.push(format!(
            "p: two-sided, against {} ({test}, by {}); * marks p < {SIGNIFICANT}.",
            table.systems[0],
            unit.trim_end_matches('s')
        ));
    }
    notes
}

/// Score, interval and p-value of a cell.
fn parts(table: &Table, cell: &Cell) -> [String; 3] {
    let number = |number: f64| format!("{number:.*}", table.digits);
    let deviation = cell
        .deviation
        .map(|deviation| format!(" ± {}", number(deviation)));
    let interval = cell
        .interval
        .map(|interval| format!("[{}, {}]", number(interval.lower), number(interval.upper)));
    let p = cell.comparison.as_ref().map(|comparison| {
        let mark = if comparison.p < SIGNIFICANT { " *" } else { "" };
        written_p(comparison.p) + mark
    });
    [
        number(cell.score) + &deviation.unwrap_or_default(),
        interval.unwrap_or_default(),
        p.unwrap_or_default(),
    ]
}

fn size(table: &Table) -> String {
    let plural = |count: usize, noun: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{} {noun}{ending}", thousands(count))
    };
    let documents = table
        .documents
        .map(|count| format!(" in {}", plural(count, "document")));
    format!(
        "{}{}, {}",
        plural(table.segments, "segment"),
        documents.unwrap_or_default(),
        plural(table.references, "reference")
    )
}

fn len(text: &str) -> usize {
    text.chars().count()
}
