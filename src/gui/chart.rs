//! A chart in the window: move about in it, read values, save it.

use egui::{Context, Event, Key, Modifiers, Pos2, Rect, Response, Sense, Ui, Vec2, WidgetInfo};

use super::plot::{SCALE, record};
use super::recording::Recording;
use canopy_chart::charts::{Chart, Plan, Span, Theme, View};

/// A command of a chart's menu; who shows the chart opens the dialogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartAction {
    /// Saves the chart as SVG.
    SaveSvg,
    /// Saves the chart as PNG.
    SavePng,
    /// Copies [`Chart::csv`] of the chart's [`View`].
    CopyCsv,
}

/// State of a chart between frames.
#[derive(Debug, Default)]
pub struct ChartViewState {
    /// The part of the chart that is shown.
    pub view: View,
    kept: Option<Kept>,
}

/// A drawing without its pointer, good as long as its key is.
#[derive(Debug)]
struct Kept {
    key: DrawingKey,
    plan: Plan,
    recording: Recording,
}

/// All that a drawing depends on.
#[derive(Debug, Clone, PartialEq)]
struct DrawingKey {
    revision: u64,
    rect: Rect,
    pixels_per_point: f32,
    is_dark: bool,
    view: View,
}

impl DrawingKey {
    /// Whether only colours and the place in the window differ.
    fn is_planned_like(&self, other: &Self) -> bool {
        self.revision == other.revision
            && self.rect.size() == other.rect.size()
            && self.view == other.view
    }
}

/// Shows `chart` as large as there is room, in the colours of the window.
///
/// Dragging moves along the horizontal axis, the wheel zooms it about the pointer, with Ctrl or Shift the vertical axis
/// of the panel under the pointer; a double click shows everything again. With the keyboard: arrows, plus, minus and Home.
/// A right click opens the menu, whose choice is returned.
pub fn chart_view(ui: &mut Ui, state: &mut ChartViewState, chart: &Chart) -> Option<ChartAction> {
    let (rect, response) = ui.allocate_exact_size(wanted_size(ui, chart), Sense::click_and_drag());
    let label = || WidgetInfo::labeled(egui::accesskit::Role::Figure, true, chart.description());
    response.widget_info(label);
    if !ui.is_rect_visible(rect) {
        return None;
    }
    state.interact(ui, &response, chart);
    state.paint(ui, rect, chart);
    if response.has_focus() {
        let stroke = ui.visuals().selection.stroke;
        let inside = egui::StrokeKind::Inside;
        ui.painter().rect_stroke(rect, 2.0, stroke, inside);
    }
    let mut action = None;
    response.context_menu(|ui| action = menu_ui(ui, &mut state.view));
    action
}

fn menu_ui(ui: &mut Ui, view: &mut View) -> Option<ChartAction> {
    let choices = [
        ("Save as SVG…", ChartAction::SaveSvg),
        ("Save as PNG…", ChartAction::SavePng),
        ("Copy values as CSV", ChartAction::CopyCsv),
    ];
    let mut action = None;
    for (label, choice) in choices {
        if ui.button(label).clicked() {
            action = Some(choice);
            ui.close();
        }
    }
    ui.separator();
    let zoomed = view.x.is_some() || view.y.iter().any(Option::is_some);
    let show_all = egui::Button::new("Show everything");
    if ui.add_enabled(zoomed, show_all).clicked() {
        *view = View::default();
        ui.close();
    }
    action
}

/// All the room there is, but not so little that nothing can be read.
#[expect(clippy::cast_possible_truncation, reason = "the size of a window")]
fn wanted_size(ui: &Ui, chart: &Chart) -> Vec2 {
    let width = ui.available_width().max(240.0);
    let comfortable = Plan::comfortable_height(chart, f64::from(width)) as f32;
    let height = ui.available_height();
    let height = if height.is_finite() {
        height
    } else {
        comfortable
    };
    Vec2::new(width, height.max(0.5 * comfortable))
}

impl ChartViewState {
    fn interact(&mut self, ui: &Ui, response: &Response, chart: &Chart) {
        let Some(Kept { key, plan, .. }) = &self.kept else {
            return;
        };
        let extent = chart.x_extent();
        let in_chart = |at: Pos2| {
            let at = at - key.rect.min;
            (f64::from(at.x), f64::from(at.y))
        };
        if response.clicked() || response.drag_started() {
            response.request_focus();
        }
        if response.double_clicked() {
            self.view = View::default();
        }
        let pressed = response.interact_pointer_pos().map(in_chart);
        let panel = pressed.and_then(|at| plan.panel_at(at));
        if response.dragged()
            && let Some(first) = plan.places.first()
        {
            let by = response.drag_delta();
            self.view
                .pan_x(first.x_at(0.0) - first.x_at(by.x.into()), extent);
            if let Some(panel) = panel {
                self.view.pan_y(panel, &plan.places[panel], by.y.into());
            }
        }
        let hovered = response.hover_pos().map(in_chart);
        let hovered = hovered.and_then(|at| Some((plan.panel_at(at)?, at)));
        if let Some((panel, (x, y))) = hovered {
            let place = plan.places[panel];
            let (along, up) = take_wheel(ui.ctx());
            self.view.zoom_x(place.x_at(x), along, extent);
            if (up - 1.0).abs() > 1e-6 {
                self.view.zoom_y(panel, &place, y, up);
            }
        }
        if response.has_focus() {
            let arrows = egui::EventFilter {
                horizontal_arrows: true,
                ..egui::EventFilter::default()
            };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
            take_keys(ui.ctx(), &mut self.view, extent);
        }
        self.view.pointer = hovered.map(|(panel, (x, _))| plan.places[panel].x_at(x));
    }

    fn paint(&mut self, ui: &Ui, rect: Rect, chart: &Chart) {
        let is_dark = ui.visuals().dark_mode;
        let theme = if is_dark { Theme::DARK } else { Theme::LIGHT };
        let painter = ui.painter_at(rect);
        let key = DrawingKey {
            revision: chart.revision,
            rect,
            pixels_per_point: painter.pixels_per_point(),
            is_dark,
            view: View {
                pointer: None,
                ..self.view.clone()
            },
        };
        if self.kept.as_ref().is_none_or(|kept| kept.key != key) {
            let plan = match self.kept.take() {
                Some(kept) if kept.key.is_planned_like(&key) => kept.plan,
                _ => {
                    let size = (f64::from(rect.width()), f64::from(rect.height()));
                    Plan::new(chart, &key.view, size)
                }
            };
            let recording = record(&painter, rect, |area| {
                // Recording cannot fail.
                let _ = plan.draw(area, chart, &theme, SCALE);
            });
            self.kept = Some(Kept {
                key,
                plan,
                recording,
            });
        }
        let Some(kept) = &self.kept else { return };
        kept.recording.paint(&painter);
        let values = record(&painter, rect, |area| {
            let _ = kept
                .plan
                .draw_values(area, chart, self.view.pointer, &theme, SCALE);
        });
        values.paint(&painter);
    }
}

fn take_keys(ctx: &Context, view: &mut View, extent: Span) {
    let (from, to) = view.x.unwrap_or(extent);
    let (step, middle) = (0.1 * (to - from), f64::midpoint(from, to));
    let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowLeft) {
        view.pan_x(-step, extent);
    }
    if pressed(Key::ArrowRight) {
        view.pan_x(step, extent);
    }
    // Where plus is depends on the keyboard: what is typed counts, not the key.
    let typed = |sign: &str| {
        ctx.input(|input| {
            let is_sign = |event: &Event| matches!(event, Event::Text(text) if text == sign);
            input.events.iter().any(is_sign)
        })
    };
    if typed("+") {
        view.zoom_x(middle, 0.8, extent);
    }
    if typed("-") {
        view.zoom_x(middle, 1.25, extent);
    }
    if pressed(Key::Home) {
        *view = View::default();
    }
}

/// By how much the wheel shows more of the horizontal and of the vertical axis; the event is consumed.
fn take_wheel(ctx: &Context) -> (f64, f64) {
    ctx.input_mut(|input| {
        let turned = std::mem::take(&mut input.smooth_scroll_delta);
        let factor = |points: f32| (-f64::from(points) / 240.0).exp();
        let pinched = 1.0 / f64::from(input.zoom_delta());
        if input.modifiers.shift {
            return (1.0, factor(turned.x + turned.y));
        }
        (factor(turned.y), pinched)
    })
}

#[cfg(test)]
mod tests;
