//! Accuracies as a figure: a dot for each cell and model, with its interval.

use plotters::prelude::DrawingBackend;

use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Picture, readable_height};
use canopy_contrast::{Accuracies, Cell};

const MARGIN: f64 = 20.0;
const HEAD: f64 = 58.0;
const FOOT: f64 = 64.0;
const GROUP: f64 = 30.0;
const SMALL: f64 = 11.0;
/// Names of cells.
const LABELS: f64 = 190.0;
/// Counts after the intervals.
const COUNTS: f64 = 110.0;
/// Between two models in a row, and around them.
const STEP: f64 = 9.0;
const ROOM: f64 = 12.0;

/// One or several models on the same set.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyFigure {
    /// Heading of the figure.
    pub title: String,
    /// A line in small print below the heading.
    pub subtitle: String,
    /// Name and accuracies of each model.
    pub models: Vec<(String, Accuracies)>,
}

/// A line of the figure: a heading, or the same cell of every model.
enum Row<'a> {
    Heading(&'a str),
    Cells(&'a str, Vec<Option<&'a Cell>>),
}

impl AccuracyFigure {
    /// Height in pixels at which everything is easy to read.
    pub fn height(&self) -> u32 {
        let rows: f64 = self.rows().iter().map(|row| self.row_height(row)).sum();
        readable_height(2.0 * MARGIN + HEAD + rows + FOOT)
    }

    fn row_height(&self, row: &Row) -> f64 {
        match row {
            Row::Heading(_) => GROUP,
            Row::Cells(..) => ROOM + STEP * self.models.len() as f64,
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let totals = self.models.iter().map(|(_, found)| Some(&found.total));
        let mut rows = vec![Row::Cells("total", totals.collect())];
        let Some((_, first)) = self.models.first() else {
            return rows;
        };
        for (by, cells) in first.groups() {
            rows.push(Row::Heading(by));
            for cell in cells {
                let found = self.models.iter().map(|(_, found)| found);
                let same = found.map(|found| find(found, by, &cell.name));
                rows.push(Row::Cells(&cell.name, same.collect()));
            }
        }
        rows
    }
}

fn find<'a>(found: &'a Accuracies, by: &str, name: &str) -> Option<&'a Cell> {
    let groups = found.groups();
    let (_, cells) = groups.into_iter().find(|(other, _)| *other == by)?;
    cells.iter().find(|cell| cell.name == name)
}

impl Picture for AccuracyFigure {
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        let theme = pen.theme;
        pen.area.fill(&theme.page)?;
        let (width, height) = pen.area.dim_in_pixel();
        let right = f64::from(width) / pen.scale - MARGIN - COUNTS;
        let bottom = f64::from(height) / pen.scale - MARGIN - FOOT;
        let left = MARGIN + LABELS;
        let heading = Lettering::new(15.0, theme.strong).bold();
        pen.text(&self.title, (MARGIN, MARGIN + 12.0), heading)?;
        let weak = Lettering::new(SMALL, theme.weak);
        pen.text(&self.subtitle, (MARGIN, MARGIN + 30.0), weak)?;
        let top = MARGIN + HEAD;
        let x = |share: f64| left + share * (right - left);
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            pen.hairline((x(share), top - 6.0), (x(share), bottom), theme.grid)?;
            let at = (x(share), bottom + 15.0);
            let label = format!("{:.0} %", share * 100.0);
            pen.text(&label, at, weak.anchored(Anchor::Centre))?;
        }
        let mut y = top;
        for row in self.rows() {
            let height = self.row_height(&row);
            match row {
                Row::Heading(by) => {
                    let small = Lettering::new(SMALL, theme.strong).bold();
                    pen.text(by, (MARGIN, y + height - 8.0), small)?;
                }
                Row::Cells(name, cells) => {
                    let small = Lettering::new(SMALL, theme.text);
                    let middle = y + height / 2.0;
                    pen.text(name, (MARGIN + 10.0, middle + SMALL * 0.36), small)?;
                    if let Some(cell) = cells.iter().flatten().next() {
                        let lot = x(cell.chance);
                        pen.line(&[(lot, y + 2.0), (lot, y + height - 2.0)], 2.0, theme.axis)?;
                    }
                    let mut line = y + ROOM / 2.0 + STEP / 2.0;
                    for (colour, cell) in cells.into_iter().enumerate() {
                        draw_cell(pen, cell, (line, colour), &x)?;
                        line += STEP;
                    }
                }
            }
            y += height;
        }
        let inner = f64::from(width) / pen.scale - 2.0 * MARGIN;
        self.legend(pen, f64::from(height) / pen.scale - MARGIN - 4.0, inner)
    }
}

impl AccuracyFigure {
    /// The names of the models, and below them what is drawn; the baseline of the latter is at `y`.
    fn legend<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>, y: f64, width: f64) -> DrawResult<DB> {
        /// The dot before a name, and what follows it.
        const AROUND: f64 = 36.0;
        let small = Lettering::new(SMALL, pen.theme.text);
        let names = self.models.iter().map(|(name, _)| name);
        let needed: f64 = names.map(|name| pen.width(name, small) + AROUND).sum();
        let room = if needed > width {
            width / self.models.len() as f64 - AROUND
        } else {
            width
        };
        let (mut left, above) = (MARGIN, y - 18.0);
        for (colour, (name, _)) in self.models.iter().enumerate() {
            let name = pen.shortened(name, small, room);
            pen.disc((left + 5.0, above - 4.0), 4.0, pen.theme.run(colour))?;
            pen.text(&name, (left + 14.0, above), small)?;
            left += pen.width(&name, small) + AROUND;
        }
        let weak = Lettering::new(SMALL, pen.theme.weak);
        let about = "line: 95 % (Wilson); grey: chance; right of items; no accuracy under 30";
        pen.text(about, (MARGIN, y), weak)
    }
}

/// The dot and the interval of a cell, and its counts; nothing but the counts where there is no accuracy.
fn draw_cell<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    cell: Option<&Cell>,
    (y, colour): (f64, usize),
    x: &dyn Fn(f64) -> f64,
) -> DrawResult<DB> {
    let Some(cell) = cell else { return Ok(()) };
    if let (Some(share), Some((lower, upper))) = (cell.accuracy, cell.interval) {
        let colour = pen.theme.run(colour);
        pen.line(&[(x(lower), y), (x(upper), y)], 1.5, colour)?;
        pen.disc((x(share), y), 3.5, colour)?;
    }
    let weak = Lettering::new(9.0, pen.theme.weak);
    let counts = format!("{} of {}", cell.right, cell.items);
    pen.text(&counts, (x(1.0) + 14.0, y + 3.2), weak)
}

#[cfg(test)]
mod tests {
    use canopy_contrast::{Contrast, ContrastiveSet, Item};

    use super::*;
    use canopy_chart::charts::{Theme, picture_svg};

    #[test]
    fn the_figure_names_models_and_cells_and_dots_only_large_ones() {
        let item = |number: usize| Item {
            pronoun: Some(if number < 35 { "er" } else { "sie" }.to_owned()),
            contrasts: vec![Contrast::default()],
            ..Item::default()
        };
        let set = ContrastiveSet {
            items: (0..40).map(item).collect(),
            ..ContrastiveSet::default()
        };
        let scores = vec![Some(vec![1.0, 0.0]); 40];
        let found = Accuracies::from_scores(&set, &scores);
        let figure = AccuracyFigure {
            title: "Pronouns".to_owned(),
            subtitle: "of a set".to_owned(),
            models: vec![
                ("first".to_owned(), found.clone()),
                ("second".to_owned(), found),
            ],
        };
        let size = (720, figure.height());
        let svg = picture_svg(&figure, &Theme::LIGHT, size).expect("drawn");
        for text in ["Pronouns", "first", "second", "35 of 35", "5 of 5", "sie"] {
            assert!(svg.contains(text), "{text}");
        }
        // Two models: total and "er" have dots, "sie" has none; two more explain the colours.
        assert_eq!(svg.matches("<circle").count(), 6);
    }

    #[test]
    fn long_names_leave_room_for_all_models_and_for_what_is_drawn() {
        let found = Accuracies::from_scores(&ContrastiveSet::default(), &[]);
        let name =
            |run: usize| format!("runs/ladder/hierarchical-conditional-{run}/checkpoints/best");
        let figure = AccuracyFigure {
            title: "Pronouns".to_owned(),
            subtitle: "of a set".to_owned(),
            models: (0..3).map(|run| (name(run), found.clone())).collect(),
        };
        let size = (760, figure.height());
        let svg = picture_svg(&figure, &Theme::LIGHT, size).expect("drawn");
        assert_eq!(svg.matches('…').count(), 3, "{svg}");
        assert!(svg.contains("line: 95 % (Wilson)"));
    }
}
