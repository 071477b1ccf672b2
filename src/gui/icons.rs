//! Icons, painted: the default fonts have few.

use std::f32::consts::TAU;

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use super::theme::Palette;
use canopy_app::jobs::State;

/// A sentence's state in a circle of 14 points.
pub(crate) fn state(painter: &Painter, center: Pos2, state: State, palette: &Palette) {
    let color = palette.state(state);
    let radius = 5.5;
    match state {
        State::Untranslated => {
            painter.circle_stroke(center, radius - 0.5, Stroke::new(1.3, color));
        }
        State::Draft => {
            painter.circle_stroke(center, radius - 0.5, Stroke::new(1.3, color));
            painter.circle_filled(center, radius - 3.0, color);
        }
        State::Edited => pencil(painter, center, color),
        State::Confirmed => {
            painter.circle_filled(center, radius + 1.0, color);
            check(painter, center, palette.on_accent);
        }
    }
}

/// A draft with the share of its ring that says how likely it is to be good, in a colour of its own for each third.
pub(crate) fn draft(painter: &Painter, center: Pos2, percent: u8, palette: &Palette) {
    const RADIUS: f32 = 5.5;
    const STEPS: u8 = 40;
    let color = match percent {
        0..50 => palette.error,
        50..75 => palette.warning,
        _ => palette.state(State::Draft),
    };
    painter.circle_stroke(center, RADIUS - 0.5, Stroke::new(1.6, palette.line));
    let end = u8::try_from(u32::from(percent) * u32::from(STEPS) / 100).unwrap_or(STEPS);
    let point = |step: u8| {
        let angle = (f32::from(step) / f32::from(STEPS) - 0.25) * std::f32::consts::TAU;
        center + (RADIUS - 0.5) * vec2(angle.cos(), angle.sin())
    };
    let arc: Vec<Pos2> = (0..=end).map(point).collect();
    painter.add(Shape::line(arc, Stroke::new(1.8, color)));
    painter.circle_filled(center, RADIUS - 3.0, color);
}

fn check(painter: &Painter, center: Pos2, color: Color32) {
    let points = [vec2(-3.0, 0.2), vec2(-0.9, 2.3), vec2(3.1, -2.1)].map(|offset| center + offset);
    painter.add(Shape::line(points.to_vec(), Stroke::new(1.6, color)));
}

fn pencil(painter: &Painter, center: Pos2, color: Color32) {
    let along = vec2(0.707, -0.707);
    let across = vec2(0.707, 0.707);
    let at = |length: f32, width: f32| center + along * length + across * width;
    let outline = vec![
        at(6.5, -1.9),
        at(6.5, 1.9),
        at(-3.6, 1.9),
        at(-6.8, 0.0),
        at(-3.6, -1.9),
    ];
    painter.add(Shape::closed_line(outline, Stroke::new(1.3, color)));
    painter.line_segment([at(4.0, -1.9), at(4.0, 1.9)], Stroke::new(1.3, color));
}

/// A triangle with an exclamation mark.
pub(crate) fn warning(painter: &Painter, center: Pos2, color: Color32) {
    let corners = [vec2(0.0, -5.8), vec2(6.4, 5.0), vec2(-6.4, 5.0)].map(|offset| center + offset);
    painter.add(Shape::closed_line(
        corners.to_vec(),
        Stroke::new(1.3, color),
    ));
    painter.line_segment(
        [center + vec2(0.0, -2.0), center + vec2(0.0, 1.6)],
        Stroke::new(1.3, color),
    );
    painter.circle_filled(center + vec2(0.0, 3.3), 0.8, color);
}

/// Points down when open, to the right when closed.
/// Two lines: what is the same.
pub(crate) fn equal(painter: &Painter, center: Pos2, color: Color32) {
    for height in [-2.0, 2.0] {
        let middle = center + vec2(0.0, height);
        painter.line_segment(
            [middle - vec2(4.0, 0.0), middle + vec2(4.0, 0.0)],
            Stroke::new(1.6, color),
        );
    }
}

pub(crate) fn chevron(painter: &Painter, center: Pos2, open: bool, color: Color32) {
    let offsets = if open {
        [vec2(-3.5, -1.8), vec2(0.0, 1.8), vec2(3.5, -1.8)]
    } else {
        [vec2(-1.8, -3.5), vec2(1.8, 0.0), vec2(-1.8, 3.5)]
    };
    painter.add(Shape::line(
        offsets.map(|offset| center + offset).to_vec(),
        Stroke::new(1.4, color),
    ));
}

pub(crate) fn cross(painter: &Painter, center: Pos2, color: Color32) {
    let stroke = Stroke::new(1.4, color);
    painter.line_segment([center + vec2(-3.5, -3.5), center + vec2(3.5, 3.5)], stroke);
    painter.line_segment([center + vec2(-3.5, 3.5), center + vec2(3.5, -3.5)], stroke);
}

/// A filled triangle to the right: run.
pub(crate) fn play(painter: &Painter, center: Pos2, color: Color32) {
    let points = [vec2(-3.0, -4.4), vec2(4.4, 0.0), vec2(-3.0, 4.4)].map(|offset| center + offset);
    painter.add(Shape::convex_polygon(points.to_vec(), color, Stroke::NONE));
}

/// The share of translated sentences as a ring, of confirmed ones as its strong part.
pub(crate) fn ring(painter: &Painter, center: Pos2, shares: (f32, f32), palette: &Palette) {
    let (translated, confirmed) = shares;
    let radius = 5.5;
    let width = 2.0;
    painter.circle_stroke(center, radius, Stroke::new(width, palette.line));
    if confirmed >= 1.0 {
        state(painter, center, State::Confirmed, palette);
        return;
    }
    arc(
        painter,
        center,
        radius,
        0.0..translated,
        Stroke::new(width, palette.draft.gamma_multiply(0.75)),
    );
    arc(
        painter,
        center,
        radius,
        0.0..confirmed,
        Stroke::new(width, palette.accent),
    );
}

/// Straight lines that approximate an arc.
const STEPS: u8 = 32;

fn arc(painter: &Painter, center: Pos2, radius: f32, turns: std::ops::Range<f32>, stroke: Stroke) {
    if turns.end - turns.start < 0.005 {
        return;
    }
    let point = |step: u8| {
        let turn = egui::lerp(turns.start..=turns.end, f32::from(step) / f32::from(STEPS)) - 0.25;
        center + radius * Vec2::angled(turn * TAU)
    };
    painter.add(Shape::line((0..=STEPS).map(point).collect(), stroke));
}

/// A leaf, the mark of the program.
pub(crate) fn leaf(painter: &Painter, rect: Rect, color: Color32) {
    let at = |x: f32, y: f32| pos2(egui::lerp(rect.x_range(), x), egui::lerp(rect.y_range(), y));
    let curve = |from: Pos2, control: Pos2, to: Pos2| {
        (0..=16u8).map(move |step| {
            let t = f32::from(step) / 16.0;
            from.lerp(control, t).lerp(control.lerp(to, t), t)
        })
    };
    let (tip, base) = (at(0.94, 0.06), at(0.16, 0.84));
    let mut outline = curve(base, at(0.0, 0.1), tip).collect::<Vec<_>>();
    outline.extend(curve(tip, at(0.9, 1.0), base));
    painter.add(Shape::convex_polygon(
        outline,
        color.gamma_multiply(0.18),
        Stroke::NONE,
    ));
    let stroke = Stroke::new(rect.width() * 0.06, color);
    painter.add(Shape::line(
        curve(base, at(0.0, 0.1), tip).collect(),
        stroke,
    ));
    painter.add(Shape::line(
        curve(tip, at(0.9, 1.0), base).collect(),
        stroke,
    ));
    painter.add(Shape::line(
        curve(at(0.04, 0.98), at(0.3, 0.66), at(0.62, 0.38)).collect(),
        stroke,
    ));
}
