use super::*;
use crate::charts::Bounds;

fn chart(points: Vec<(f64, f64)>) -> Chart {
    let panel = Panel {
        bounds: Bounds::Robust,
        curves: vec![Curve::new("a", 0, points)],
        ..Panel::default()
    };
    Chart {
        panels: vec![panel; 6],
        ..Chart::default()
    }
}

#[test]
fn narrow_charts_have_one_column_and_wide_ones_two() {
    let chart = chart(vec![]);
    let lefts = |width| {
        let plan = Plan::new(&chart, &View::default(), (width, 800.0));
        let lefts = plan.places.iter().map(|place| place.plot.left);
        lefts.collect::<Vec<_>>()
    };
    assert!(lefts(500.0).windows(2).all(|pair| pair[0] >= pair[1]));
    assert!(lefts(900.0)[1] > 450.0);
    let low = Plan::new(&chart, &View::default(), (500.0, 300.0));
    assert!(
        low.places[1].plot.left > 250.0,
        "six rows would have no room"
    );
    assert!(low.places.iter().all(|place| place.plot.height() > 30.0));
    let plan = Plan::new(&chart, &View::default(), (900.0, 800.0));
    let lowest = plan.panels.iter().map(|panel| panel.is_lowest);
    assert_eq!(
        lowest.collect::<Vec<_>>(),
        [false, false, false, false, true, true]
    );
}

#[test]
fn a_value_that_is_cut_off_is_noted() {
    let value = |n: u32| if n == 7 { 900.0 } else { f64::from(n % 10) };
    let chart = chart((0..500).map(|n| (f64::from(n), value(n))).collect());
    let plan = Plan::new(&chart, &View::default(), (900.0, 800.0));
    let above = plan.panels[0].above.expect("noted");
    assert_eq!(above.1.to_bits(), 900.0_f64.to_bits());
    assert!((plan.places[0].x_at(above.0) - 7.0).abs() < 1e-6);
    assert!(plan.places[0].y.1 < 20.0);
    assert_eq!(plan.panels[0].below, None);
}

#[test]
fn dots_are_points_and_never_ends_of_what_is_in_view() {
    let mut chart = chart(vec![
        (0.0, 1.0),
        (10.0, 3.0),
        (20.0, 2.0),
        (30.0, f64::NAN),
        (40.0, 2.0),
    ]);
    chart.panels.truncate(1);
    chart.panels[0].curves[0].dotted = true;
    let view = View {
        x: Some((5.0, 45.0)),
        ..View::default()
    };
    let plan = Plan::new(&chart, &view, (600.0, 400.0));
    let (place, panel) = (plan.places[0], &plan.panels[0]);
    let dots = panel.curves[0]
        .dots
        .iter()
        .map(|dot| place.x_at(dot.0).round());
    assert_eq!(dots.collect::<Vec<_>>(), [10.0, 20.0, 40.0]);
    assert_eq!(panel.missing.len(), 1);
}

#[test]
fn everything_drawn_lies_inside_its_plot() {
    let points = (0..5_000).map(|n| (f64::from(n), f64::from(n * 7_919 % 1_000)));
    let view = View {
        x: Some((700.0, 1_500.0)),
        y: vec![Some((100.0, 300.0))],
        pointer: None,
    };
    let plan = Plan::new(&chart(points.collect()), &view, (600.0, 400.0));
    let lines = &plan.panels[0].curves[0].main;
    assert!(!lines.is_empty());
    let plot = plan.places[0].plot;
    let grown = Rect {
        left: plot.left - 1e-6,
        top: plot.top - 1e-6,
        right: plot.right + 1e-6,
        bottom: plot.bottom + 1e-6,
    };
    assert!(lines.iter().flatten().all(|at| grown.contains(*at)));
}

#[test]
fn no_size_and_no_view_is_too_strange() {
    let chart = chart(vec![(f64::NAN, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY)]);
    let views = [(0.0, 0.0), (f64::NAN, 1.0), (5.0, 2.0), (-1e300, 1e300)];
    for x in views {
        let view = View {
            x: Some(x),
            y: vec![Some(x)],
            pointer: Some(x.0),
        };
        for size in [(0.0, 0.0), (1.0, 1.0), (30.0, 2_000.0), (2_000.0, 30.0)] {
            let plan = Plan::new(&chart, &view, size);
            assert_eq!(plan.places.len(), 6);
        }
    }
}
