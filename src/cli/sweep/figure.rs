//! The figure of a sweep: measured time and counted operations of every row, relative to the reference.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use canopy_train::sweep::SweepTable;

const WIDTH: u32 = 760;
const TOP: i32 = 46;
const ROW: i32 = 46;
const BAR: i32 = 15;
/// Where bars begin.
const LEFT: i32 = 220;
/// How long the bar of 1 may be, with its number after it.
const LENGTH: f64 = 470.0;

/// Okabe & Ito's colours, distinguishable by everybody.
const TIME: RGBColor = RGBColor(0, 114, 178);
const OPERATIONS: RGBColor = RGBColor(230, 159, 0);

/// The figure as SVG.
pub(super) fn svg(table: &SweepTable) -> Result<String, Box<dyn Error>> {
    let font = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
    if register_font("sans-serif", FontStyle::Normal, font).is_err() {
        return Err("the font cannot be read".into());
    }
    let height = u32::try_from(TOP)? + u32::try_from(ROW)? * u32::try_from(table.rows.len())?;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let titles = [
            ("time of an epoch, measured", TIME),
            ("operations, counted", OPERATIONS),
        ];
        for ((title, colour), x) in titles.into_iter().zip([LEFT, LEFT + 230]) {
            let square = [(x, 16), (x + 12, 28)];
            root.draw(&Rectangle::new(square, colour.filled()))?;
            root.draw(&Text::new(title, (x + 18, 15), ("sans-serif", 14)))?;
        }
        let values = |value: fn(&canopy_train::sweep::TableRow) -> Option<f64>| {
            table.rows.iter().filter_map(value)
        };
        let largest = values(|row| row.relative_time)
            .chain(values(|row| row.relative_operations))
            .fold(1.0, f64::max);
        let mut y = TOP;
        for row in &table.rows {
            root.draw(&Text::new(
                row.name.as_str(),
                (16, y + 8),
                ("sans-serif", 14),
            ))?;
            bar(
                &root,
                y,
                row.relative_time.map(|v| v / largest),
                row.relative_time,
                TIME,
            )?;
            let operations = row.relative_operations;
            bar(
                &root,
                y + BAR + 1,
                operations.map(|v| v / largest),
                operations,
                OPERATIONS,
            )?;
            y += ROW;
        }
        root.present()?;
    }
    Ok(svg)
}

#[expect(clippy::cast_possible_truncation, reason = "a number of pixels")]
fn bar(
    root: &DrawingArea<SVGBackend, Shift>,
    y: i32,
    share: Option<f64>,
    value: Option<f64>,
    colour: RGBColor,
) -> Result<(), Box<dyn Error>> {
    let (Some(share), Some(value)) = (share, value) else {
        root.draw(&Text::new("not measured", (LEFT, y), ("sans-serif", 13)))?;
        return Ok(());
    };
    let end = LEFT + (share * LENGTH) as i32;
    root.draw(&Rectangle::new(
        [(LEFT, y), (end, y + BAR)],
        colour.filled(),
    ))?;
    let number = format!("{value:.2}");
    root.draw(&Text::new(number, (end + 6, y + 1), ("sans-serif", 13)))?;
    Ok(())
}
