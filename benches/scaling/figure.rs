//! Draws what was measured: operations, seconds and memory over the number of sentences, both axes logarithmic.

use std::error::Error;
use std::path::Path;

use canopy::charts::{FONT, register_fonts};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::{MECHANISMS, Measured};

/// Okabe & Ito's colours, distinguishable by everybody.
const COLOURS: [RGBColor; 4] = [
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
];

/// Title, unit and values of a panel.
type Panel = (&'static str, fn(&Measured) -> f64);

const PANELS: [Panel; 3] = [
    ("multiply-adds", |point| point.operations),
    ("seconds", |point| point.seconds),
    ("memory, MB", |point| point.megabytes),
];

/// Writes the figure as SVG.
pub fn draw(points: &[Measured], path: &Path) -> Result<(), Box<dyn Error>> {
    register_fonts();
    let root = SVGBackend::new(path, (1140, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let (panels, legend) = root.split_vertically(370);
    for (panel, area) in PANELS.iter().zip(panels.split_evenly((1, PANELS.len()))) {
        draw_panel(points, panel, &area)?;
    }
    for (index, (name, colour)) in MECHANISMS.iter().zip(COLOURS).enumerate() {
        let x = 60 + 270 * i32::try_from(index)?;
        legend.draw(&PathElement::new(
            [(x, 20), (x + 28, 20)],
            colour.stroke_width(3),
        ))?;
        legend.draw(&Text::new(*name, (x + 36, 12), (FONT, 15)))?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(
    points: &[Measured],
    (title, value): &Panel,
    area: &DrawingArea<SVGBackend, Shift>,
) -> Result<(), Box<dyn Error>> {
    let values = points.iter().map(|point| value(point).max(1e-4));
    let (low, high) = values.fold((f64::MAX, 0.0_f64), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    let sentences = points.iter().map(|point| point.sentences);
    let (first, last) = (
        sentences.clone().min().unwrap_or(1),
        sentences.max().unwrap_or(2),
    );
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 17))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(
            (first..last).log_scale().base(2.0),
            (low * 0.7..high * 1.4).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("sentences of the document")
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(230, 230, 230))
        .label_style((FONT, 13))
        .x_label_formatter(&|n| n.to_string())
        .y_label_formatter(&|y| power(*y))
        .draw()?;
    for (name, colour) in MECHANISMS.iter().zip(COLOURS) {
        let of = |measured: bool| {
            let mine = points.iter().filter(|point| point.mechanism == *name);
            mine.filter(|point| point.extrapolated != measured)
                .map(|point| (point.sentences, value(point)))
                .collect::<Vec<_>>()
        };
        let (solid, mut dashed) = (of(true), of(false));
        if let Some(&end) = solid.last() {
            dashed.insert(0, end);
        }
        chart.draw_series(LineSeries::new(
            solid.iter().copied(),
            colour.stroke_width(2),
        ))?;
        chart.draw_series(solid.iter().map(|&at| Circle::new(at, 3, colour.filled())))?;
        if dashed.len() > 1 {
            let line = DashedLineSeries::new(dashed.iter().copied(), 6, 5, colour.stroke_width(2));
            chart.draw_series(line)?;
        }
    }
    Ok(())
}

/// `10⁶`, or a small number as it is.
fn power(value: f64) -> String {
    let exponent = value.log10().round();
    if (-1.0..3.0).contains(&exponent) {
        return format!("{value}");
    }
    let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let sign = if exponent < 0.0 { "⁻" } else { "" };
    let raised: String = format!("{}", exponent.abs())
        .chars()
        .filter_map(|digit| digits.chars().nth(digit.to_digit(10)? as usize))
        .collect();
    format!("10{sign}{raised}")
}
