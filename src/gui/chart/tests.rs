use egui::MouseWheelUnit;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use canopy_chart::charts::{Curve, Panel};

fn chart(points: u32) -> Chart {
    let points = (0..points).map(|n| (f64::from(n), f64::from(n * 37 % 100)));
    let panel = Panel {
        title: "Training loss".to_owned(),
        curves: vec![Curve::new("a", 0, points.collect())],
        ..Panel::default()
    };
    Chart {
        panels: vec![panel],
        ..Chart::default()
    }
}

#[derive(Default)]
struct Shown {
    state: ChartViewState,
    chart: Chart,
    actions: Vec<ChartAction>,
}

fn shown(points: u32) -> Harness<'static, Shown> {
    let state = Shown {
        chart: chart(points),
        ..Shown::default()
    };
    let mut harness = Harness::builder()
        .with_size(Vec2::new(700.0, 500.0))
        .with_step_dt(0.02)
        .with_max_steps(200)
        .with_context_setup(crate::install_theme)
        .build_ui_state(
            |ui, shown: &mut Shown| {
                let action = chart_view(ui, &mut shown.state, &shown.chart);
                shown.actions.extend(action);
            },
            state,
        );
    harness.run();
    harness
}

fn middle(harness: &Harness<Shown>) -> Pos2 {
    let kept = harness.state().state.kept.as_ref().expect("drawn");
    let plot = kept.plan.places[0].plot;
    #[expect(clippy::cast_possible_truncation, reason = "a place in the window")]
    let at = Vec2::new(
        f64::midpoint(plot.left, plot.right) as f32,
        f64::midpoint(plot.top, plot.bottom) as f32,
    );
    kept.key.rect.min + at
}

fn turn_wheel(harness: &mut Harness<Shown>, modifiers: Modifiers) {
    let at = middle(harness);
    harness.event(Event::PointerMoved(at));
    harness.run();
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: Vec2::new(0.0, 120.0),
        phase: egui::TouchPhase::Move,
        modifiers,
        source: egui::MouseWheelSource::Unknown,
    });
    harness.run();
}

#[test]
fn the_wheel_zooms_about_the_pointer_and_a_double_click_shows_all() {
    let mut harness = shown(1_000);
    turn_wheel(&mut harness, Modifiers::NONE);
    let view = &harness.state().state.view;
    let x = view.x.expect("zoomed");
    assert!(x.1 - x.0 < 800.0, "{x:?}");
    assert!((f64::midpoint(x.0, x.1) - 500.0).abs() < 20.0, "{x:?}");
    assert!(view.pointer.is_some_and(|x| (x - 500.0).abs() < 20.0));
    assert!(view.y.is_empty());
    let at = middle(&harness);
    for pressed in [true, false, true, false] {
        harness.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    harness.run();
    assert_eq!(harness.state().state.view.x, None);
}

#[test]
fn dragging_moves_along_the_axis() {
    let mut harness = shown(1_000);
    turn_wheel(&mut harness, Modifiers::NONE);
    let before = harness.state().state.view.x.expect("zoomed");
    let at = middle(&harness);
    harness.drag_at(at);
    harness.run();
    harness.event(Event::PointerMoved(at + Vec2::new(60.0, 0.0)));
    harness.run();
    let after = harness.state().state.view.x.expect("zoomed");
    assert!(
        after.0 < before.0 && after.1 < before.1,
        "{before:?} {after:?}"
    );
}

#[test]
fn the_menu_says_what_to_do() {
    let mut harness = shown(100);
    harness
        .get_by_label_contains("Training loss")
        .click_secondary();
    harness.run();
    harness.get_by_label("Save as PNG…").click();
    harness.run();
    assert_eq!(harness.state().actions, [ChartAction::SavePng]);
}

#[test]
fn what_was_drawn_is_kept_until_the_revision_changes() {
    let mut harness = shown(1_000);
    let lines = |harness: &Harness<Shown>| {
        let kept = harness.state().state.kept.as_ref();
        kept.expect("drawn").recording.len()
    };
    let before = lines(&harness);
    harness.state_mut().chart.panels[0].curves.clear();
    harness.run();
    assert_eq!(lines(&harness), before, "nobody said that it changed");
    harness.state_mut().chart.revision += 1;
    harness.run();
    assert!(lines(&harness) < before);
}

#[test]
fn a_chart_at_rest_requests_no_frame() {
    let mut harness = shown(1_000);
    let at = middle(&harness);
    harness.event(Event::PointerMoved(at));
    harness.run();
    harness.step();
    assert!(!harness.ctx.has_requested_repaint());
}
