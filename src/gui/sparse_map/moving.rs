//! Moving about in a map with pointer, wheel and keyboard.

use egui::{Context, Event, Key, Modifiers, Rect, Response, Ui};

use super::Shown;
use canopy_explain::{DocumentMap, MapView};

impl Shown {
    /// `cells` is their place in the window.
    pub(super) fn interact(&mut self, ui: &Ui, response: &Response, cells: Rect) {
        let (map, view) = (&self.map, &mut self.view);
        if response.clicked() || response.drag_started() {
            response.request_focus();
        }
        if response.double_clicked() {
            *view = MapView::all(map);
        }
        let (rows, columns) = view.spans();
        if response.dragged() {
            let by = response.drag_delta() / cells.size();
            view.pan(-f64::from(by.y) * rows, -f64::from(by.x) * columns, map);
        }
        if let Some(at) = response.hover_pos() {
            let share = (at - cells.min) / cells.size();
            let about = (
                view.rows.0 + f64::from(share.y.clamp(0.0, 1.0)) * rows,
                view.columns.0 + f64::from(share.x.clamp(0.0, 1.0)) * columns,
            );
            view.zoom(about, take_wheel(ui.ctx()), map);
        }
        if response.has_focus() {
            let arrows = egui::EventFilter {
                horizontal_arrows: true,
                vertical_arrows: true,
                ..egui::EventFilter::default()
            };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
            take_keys(ui.ctx(), view, map);
        }
    }
}

fn take_keys(ctx: &Context, view: &mut MapView, map: &DocumentMap) {
    let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let (rows, columns) = view.spans();
    for (key, down, along) in [
        (Key::ArrowUp, -0.1, 0.0),
        (Key::ArrowDown, 0.1, 0.0),
        (Key::ArrowLeft, 0.0, -0.1),
        (Key::ArrowRight, 0.0, 0.1),
    ] {
        if pressed(key) {
            view.pan(down * rows, along * columns, map);
        }
    }
    // Where plus is depends on the keyboard: what is typed counts, not the key.
    for (sign, factor) in [("+", 0.8), ("-", 1.25)] {
        let is_sign = |event: &Event| matches!(event, Event::Text(text) if text == sign);
        if ctx.input(|input| input.events.iter().any(is_sign)) {
            view.zoom(view.middle(), (factor, factor), map);
        }
    }
    if pressed(Key::Home) {
        *view = MapView::all(map);
    }
}

/// How many times as many rows and columns the wheel shows; the event is consumed.
fn take_wheel(ctx: &Context) -> (f64, f64) {
    ctx.input_mut(|input| {
        let turned = std::mem::take(&mut input.smooth_scroll_delta);
        let factor = (-f64::from(turned.x + turned.y) / 240.0).exp();
        let pinched = 1.0 / f64::from(input.zoom_delta());
        if input.modifiers.shift {
            (1.0, factor)
        } else if input.modifiers.command {
            (pinched, 1.0)
        } else {
            (factor * pinched, factor * pinched)
        }
    })
}
