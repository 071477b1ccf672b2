use super::*;
use canopy_chart::charts::{self, Chart, Curve, FINE, Panel, Theme, View};

fn chart() -> Chart {
    let panel = |title: &str, curves| Panel {
        title: title.to_owned(),
        unit: "a unit".to_owned(),
        curves,
        empty: "nothing yet".to_owned(),
        ..Panel::default()
    };
    let points = (0..200).map(|n| (f64::from(n), f64::from(n * 37 % 100)));
    let mut curve = Curve::new("a run", 0, points.collect()).with_smoothing(0.9);
    curve.best = Some(150);
    Chart {
        panels: vec![panel("First", vec![curve]), panel("Second", vec![])],
        note: "small print".to_owned(),
        ..Chart::default()
    }
}

/// Records the chart as a window with `pixels_per_point` would.
fn recording(size: (u32, u32), pixels_per_point: f32, view: &View) -> Recording {
    let mut recorded = Recording::default();
    let mut harness = egui_kittest::Harness::builder()
        .with_pixels_per_point(pixels_per_point)
        .with_context_setup(crate::install_theme)
        .build_ui(|ui| {
            #[expect(clippy::cast_precision_loss, reason = "pixels")]
            let size = egui::vec2(size.0 as f32, size.1 as f32);
            let rect = Rect::from_min_size(Pos2::ZERO, size);
            recorded = record(ui.painter(), rect, |area| {
                charts::draw(area, &chart(), view, &Theme::LIGHT, SCALE).expect("drawn");
            });
            recorded.paint(ui.painter());
        });
    harness.run();
    drop(harness);
    recorded
}

/// Text, anchor and baseline of every text of an SVG figure.
fn texts_of(svg: &str) -> Vec<(String, Align, Pos2)> {
    let mut lines = svg.lines();
    let mut texts = Vec::new();
    while let Some(line) = lines.next() {
        if !line.starts_with("<text") {
            continue;
        }
        let attribute = |name: &str| {
            let start = line.find(&format!(" {name}=\"")).expect("there") + name.len() + 3;
            line[start..].split('"').next().expect("closed")
        };
        let number = |name: &str| attribute(name).parse::<f32>().expect("a number");
        assert_eq!(attribute("dy"), "0.76em");
        let baseline = number("y") + 0.76 * number("font-size");
        let anchor = match attribute("text-anchor") {
            "start" => Align::Min,
            "middle" => Align::Center,
            _ => Align::Max,
        };
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let at = Pos2::new(number("x"), baseline) / FINE as f32;
        texts.push((lines.next().expect("text").to_owned(), anchor, at));
    }
    texts
}

#[test]
fn the_window_shows_the_texts_of_the_svg_figure_in_the_same_places() {
    let size = (900, 420);
    let svg = charts::svg(&chart(), &View::default(), &Theme::LIGHT, size).expect("drawn");
    let expected = texts_of(&svg);
    assert!(expected.len() > 15);
    for pixels_per_point in [1.0, 1.5, 2.0] {
        let recording = recording(size, pixels_per_point, &View::default());
        assert_eq!(recording.texts.len(), expected.len());
        for (found, (text, anchor, at)) in recording.texts.iter().zip(&expected) {
            assert_eq!((&found.words, found.anchor), (text, *anchor));
            // Fonts are measured by different programs.
            let (x, y) = ((found.at.x - at.x).abs(), (found.at.y - at.y).abs());
            assert!(x < 4.0 && y < 0.5, "{text}: {:?} {at:?}", found.at);
        }
    }
}

#[test]
fn lines_along_an_axis_lie_on_pixels() {
    for pixels_per_point in [1.0_f32, 1.25, 2.0] {
        let recording = recording((900, 420), pixels_per_point, &View::default());
        let mut found = 0;
        for shape in &recording.shapes {
            let Shape::LineSegment {
                points: [a, b],
                stroke,
            } = shape
            else {
                continue;
            };
            let across = if same(a.x, b.x) { a.x } else { a.y };
            let edge = (across - stroke.width / 2.0) * pixels_per_point;
            assert!((edge - edge.round()).abs() < 0.01, "{edge}");
            found += 1;
        }
        assert!(found > 10);
    }
}

#[test]
fn a_star_is_filled_and_nothing_leaves_the_rectangle() {
    let view = View {
        x: Some((50.0, 160.0)),
        pointer: Some(100.0),
        ..View::default()
    };
    let recording = recording((600, 300), 1.0, &view);
    let is_mesh = |shape: &&Shape| matches!(shape, Shape::Mesh(_));
    assert_eq!(recording.shapes.iter().filter(is_mesh).count(), 2);
    let area = Rect::from_min_size(Pos2::ZERO, egui::vec2(600.0, 300.0));
    for shape in &recording.shapes {
        let bounds = shape.visual_bounding_rect();
        assert!(area.expand(0.5).contains_rect(bounds), "{bounds:?}");
    }
}
