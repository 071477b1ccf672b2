//! Tables for papers.

use super::table::{Cell, Column, Table};
use super::text::notes;
use canopy_chart::charts::latex_escaped;
use canopy_metrics::comparison::{SIGNIFICANT, written_p};

/// A `tabular` with the rules of the package booktabs; signatures and the meaning of marks as comments.
pub(super) fn table(table: &Table) -> String {
    let mut lines = vec![
        "% Needs \\usepackage{booktabs}.".to_owned(),
        format!("\\begin{{tabular}}{{l{}}}", "r".repeat(table.columns.len())),
        "\\toprule".to_owned(),
    ];
    let mut header = vec!["System".to_owned()];
    let signs = ["$\\uparrow$", "$\\downarrow$", "$\\to 100$"];
    header.extend(table.columns.iter().map(|column| column.title(signs)));
    lines.push(row(&header));
    lines.push("\\midrule".to_owned());
    for (system, name) in table.systems.iter().enumerate() {
        let mut cells = vec![latex_escaped(name)];
        cells.extend(
            table
                .columns
                .iter()
                .map(|column| cell_text(table, &column.cells[system], column.is_best(system))),
        );
        lines.push(row(&cells));
    }
    lines.push("\\bottomrule".to_owned());
    lines.push("\\end{tabular}".to_owned());
    lines.extend(notes(table).iter().map(|note| format!("% {note}")));
    lines.extend(table.columns.iter().filter_map(|it| p_values(table, it)));
    lines.extend(
        table
            .columns
            .iter()
            .map(|column| format!("% {}: {}", column.name, column.signature)),
    );
    lines.join("\n") + "\n"
}

/// The p-values of a column, of which the table itself has the stars alone.
fn p_values(table: &Table, column: &Column) -> Option<String> {
    let systems = table.systems.iter().zip(&column.cells);
    let values = systems.filter_map(|(system, cell)| {
        let comparison = cell.comparison.as_ref()?;
        Some(format!("{system} {}", written_p(comparison.p)))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    (!values.is_empty()).then(|| format!("% {}: {values}", column.name))
}

fn row(cells: &[String]) -> String {
    format!("{} \\\\", cells.join(" & "))
}

fn cell_text(table: &Table, cell: &Cell, best: bool) -> String {
    let number = |number: f64| format!("{number:.*}", table.digits);
    let score = number(cell.score);
    let score = if best {
        format!("\\textbf{{{score}}}")
    } else {
        score
    };
    let deviation = cell
        .deviation
        .map(|deviation| format!(" $\\pm$ {}", number(deviation)));
    let interval = cell.interval.map(|interval| {
        let [lower, upper] = [interval.lower, interval.upper].map(number);
        format!(" {{\\scriptsize [{lower}, {upper}]}}")
    });
    let comparison = cell.comparison.as_ref();
    let mark = comparison
        .filter(|comparison| comparison.p < SIGNIFICANT)
        .map(|_| "$^{*}$".to_owned());
    [Some(score), deviation, interval, mark]
        .into_iter()
        .flatten()
        .collect()
}
