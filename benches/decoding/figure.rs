//! Draws tokens a second over the sentences of the document, both axes logarithmic: a panel for each model.

use std::error::Error;
use std::path::Path;

use canopy::charts::{FONT, register_fonts};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::Case;

/// The speed of one program with one model and one kind of weights.
pub struct Line {
    system: &'static str,
    program: &'static str,
    kind: &'static str,
    /// Sentences, and tokens a second.
    points: Vec<(usize, f64)>,
}

/// Okabe & Ito's colours, distinguishable by everybody.
fn colour(program: &str) -> RGBColor {
    match program {
        "Canopy" => RGBColor(0, 114, 178),
        "CTranslate2" => RGBColor(213, 94, 0),
        _ => RGBColor(0, 158, 115),
    }
}

impl Line {
    /// Adds a case to the lines of its programs.
    pub fn push_case(lines: &mut Vec<Self>, case: &Case, rates: &[(&'static str, f64)]) {
        for &(program, rate) in rates {
            let is_own = |line: &&mut Self| {
                (line.system, line.program, line.kind) == (case.system, program, case.kind)
            };
            let point = (case.sentences, rate);
            match lines.iter_mut().find(is_own) {
                Some(line) => line.points.push(point),
                None => lines.push(Self {
                    system: case.system,
                    program,
                    kind: case.kind,
                    points: vec![point],
                }),
            }
        }
    }
}

/// Writes the figure as SVG.
pub fn draw(lines: &[Line], path: &Path) -> Result<(), Box<dyn Error>> {
    register_fonts();
    let mut systems: Vec<&str> = lines.iter().map(|line| line.system).collect();
    systems.dedup();
    let width = 480 * u32::try_from(systems.len())?;
    let root = SVGBackend::new(path, (width, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let (panels, legend) = root.split_vertically(370);
    for (system, area) in systems.iter().zip(panels.split_evenly((1, systems.len()))) {
        let own: Vec<&Line> = lines.iter().filter(|line| line.system == *system).collect();
        draw_panel(system, &own, &area)?;
    }
    let mut named: Vec<(&str, &str)> = lines.iter().map(|line| (line.program, line.kind)).collect();
    named.sort_unstable();
    named.dedup();
    for (index, (program, kind)) in named.iter().enumerate() {
        let x = 30 + 185 * i32::try_from(index)?;
        let style = colour(program).stroke_width(3);
        if *kind == "float32" {
            legend.draw(&PathElement::new([(x, 20), (x + 28, 20)], style))?;
        } else {
            let dashes = [0, 10, 20].map(|at| [(x + at, 20), (x + at + 6, 20)]);
            for dash in dashes {
                legend.draw(&PathElement::new(dash, style))?;
            }
        }
        let text = format!("{program}, {kind}");
        legend.draw(&Text::new(text, (x + 36, 12), (FONT, 15)))?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(
    system: &str,
    lines: &[&Line],
    area: &DrawingArea<SVGBackend, Shift>,
) -> Result<(), Box<dyn Error>> {
    let points = lines.iter().flat_map(|line| &line.points);
    let (mut rates, mut last) = ((f64::MAX, 0.0_f64), 2);
    for &(sentences, rate) in points {
        rates = (rates.0.min(rate), rates.1.max(rate));
        last = last.max(sentences);
    }
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{system}: target tokens a second"), (FONT, 17))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(
            (1..last).log_scale(),
            (rates.0 * 0.7..rates.1 * 1.4).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("sentences of the document")
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(230, 230, 230))
        .label_style((FONT, 13))
        .x_label_formatter(&|n| n.to_string())
        .y_label_formatter(&|y| format!("{y}"))
        .draw()?;
    for line in lines {
        let style = colour(line.program).stroke_width(2);
        let points = line.points.iter().copied();
        if line.kind == "float32" {
            chart.draw_series(LineSeries::new(points.clone(), style))?;
        } else {
            chart.draw_series(DashedLineSeries::new(points.clone(), 6, 5, style))?;
        }
        let dot = |at| Circle::new(at, 3, colour(line.program).filled());
        chart.draw_series(points.map(dot))?;
    }
    Ok(())
}
