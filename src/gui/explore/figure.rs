//! The view itself: the drawing of a figure, in which one can move and point.

use egui::{Pos2, Rect, Response, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use crate::plot::{SCALE, record};
use crate::recording::Recording;
use crate::theme::Palette;
use canopy_app::explorer::Explorer;
use canopy_app::jobs::Answer;
use canopy_chart::charts::{Pen, Theme};
use canopy_explain::{Explanation, HitArea, TextPosition, ViewKind, Viewport};

/// Left, right and above.
const MARGIN: f64 = 4.0;

/// State of the figure between frames.
#[derive(Default)]
pub(super) struct FigureView {
    viewport: Viewport,
    /// Another view begins with everything.
    sight_of: Option<ViewKind>,
    kept: Option<Kept>,
    /// The answer whose selected row was last brought into view.
    shown: u64,
}

/// A drawing, good as long as its key is.
struct Kept {
    key: DrawingKey,
    recording: Recording,
    marks: Vec<HitArea>,
}

#[derive(Clone, PartialEq)]
struct DrawingKey {
    revision: u64,
    rect: Rect,
    pixels_per_point: f32,
    is_dark: bool,
    viewport: Viewport,
}

/// The pointer over the figure.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    pub hovered: Option<HitArea>,
    pub clicked: Option<HitArea>,
}

impl FigureView {
    /// Draws the answer and leaves `below` free.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        explorer: &Explorer,
        answer: &Answer,
        highlighted: Option<TextPosition>,
        below: f32,
    ) -> Seen {
        let view = answer.question.view;
        if self.sight_of != Some(view) {
            (self.viewport, self.sight_of) = (Viewport::default(), Some(view));
        }
        let height = (ui.available_height() - below - ui.spacing().item_spacing.y).max(160.0);
        let mut seen = Seen::default();
        ScrollArea::vertical()
            .id_salt("figure")
            .auto_shrink(false)
            .max_height(height)
            .show(ui, |ui| {
                let width = ui.available_width();
                let wanted = wanted_height(&answer.explanation, width);
                let size = vec2(width, wanted.max(height));
                let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
                response.widget_info(|| {
                    let label = answer.explanation.description();
                    WidgetInfo::labeled(egui::accesskit::Role::Figure, true, label)
                });
                let fits = wanted <= height + 1.0;
                self.move_about(ui, &response, rect, view, fits);
                self.paint(ui, rect, explorer.revision, &answer.explanation);
                let mut selected = explorer.inquiry.selected();
                if view == ViewKind::Similarity {
                    selected.word = None;
                    self.frame_row(ui, rect, selected);
                }
                if !fits && self.shown != explorer.revision {
                    self.show_row(ui, rect, selected);
                }
                self.shown = explorer.revision;
                seen = self.point(ui, &response, rect, highlighted);
            });
        seen
    }

    /// Dragging moves, the wheel zooms about the pointer, a double click shows everything again.
    fn move_about(&mut self, ui: &Ui, response: &Response, rect: Rect, view: ViewKind, fits: bool) {
        if !matches!(
            view,
            ViewKind::Tree
                | ViewKind::Sentences
                | ViewKind::Words
                | ViewKind::Cross
                | ViewKind::Itself
        ) {
            return;
        }
        if response.double_clicked() {
            self.viewport = Viewport::default();
        }
        if response.dragged() && !self.viewport.is_everything() {
            let share = f64::from(response.drag_delta().x / rect.width());
            self.viewport = self.viewport.panned(-share);
        }
        let Some(at) = response.hover_pos() else {
            return;
        };
        let share = f64::from(((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0));
        let (turned, pinched, sideways) = ui.input_mut(|input| {
            let scrolled = input.smooth_scroll_delta;
            // A figure that is higher than its place scrolls.
            let turned = if fits { scrolled.y } else { 0.0 };
            input.smooth_scroll_delta.x = 0.0;
            if fits {
                input.smooth_scroll_delta.y = 0.0;
            }
            (turned, input.zoom_delta(), scrolled.x)
        });
        let factor = (-f64::from(turned) / 240.0).exp() / f64::from(pinched);
        if (factor - 1.0).abs() > 1e-6 {
            self.viewport = self.viewport.zoomed(share, factor);
        }
        if sideways.abs() > 0.1 {
            let share = f64::from(sideways / rect.width());
            self.viewport = self.viewport.panned(-share);
        }
    }

    fn paint(&mut self, ui: &Ui, rect: Rect, revision: u64, explanation: &Explanation) {
        let painter = ui.painter_at(rect);
        let is_dark = ui.visuals().dark_mode;
        let key = DrawingKey {
            revision,
            rect,
            pixels_per_point: painter.pixels_per_point(),
            is_dark,
            viewport: self.viewport,
        };
        if self.kept.as_ref().is_none_or(|kept| kept.key != key) {
            let theme = if is_dark { Theme::DARK } else { Theme::LIGHT };
            let mut marks = Vec::new();
            let recording = record(&painter, rect, |area| {
                let pen = Pen {
                    area,
                    theme: &theme,
                    scale: SCALE,
                };
                // Recording cannot fail.
                let area = canopy_chart::charts::Rect {
                    left: MARGIN,
                    top: MARGIN,
                    right: f64::from(rect.width()) - MARGIN,
                    bottom: f64::from(rect.height()),
                };
                let _ = explanation.draw_seen(&pen, area, key.viewport, &mut marks);
            });
            self.kept = Some(Kept {
                key,
                recording,
                marks,
            });
        }
        if let Some(kept) = &self.kept {
            kept.recording.paint(&painter);
        }
    }

    /// Scrolls to the selected row, if it is outside the viewport.
    fn show_row(&self, ui: &Ui, rect: Rect, selected: TextPosition) {
        let marks = self.kept.iter().flat_map(|kept| &kept.marks);
        let mut rows = marks.filter(|mark| mark.query == Some(selected));
        if let Some(row) = rows.next() {
            let place = on_screen(row, rect);
            if !ui.clip_rect().y_range().contains(place.bottom()) {
                ui.scroll_to_rect(place, Some(egui::Align::Center));
            }
        }
    }

    /// Shows which row of a matrix is the selected sentence's.
    fn frame_row(&self, ui: &Ui, rect: Rect, selected: TextPosition) {
        let marks = self.kept.iter().flat_map(|kept| &kept.marks);
        let row = marks.filter(|mark| mark.query == Some(selected));
        let row = row.map(|mark| on_screen(mark, rect)).reduce(Rect::union);
        if let Some(row) = row {
            let stroke = Stroke::new(1.5, Palette::from_ui(ui).strong);
            ui.painter_at(rect)
                .rect_stroke(row, 1.0, stroke, StrokeKind::Outside);
        }
    }

    /// Finds what the pointer is on, and shows where else in the figure the same word or sentence is.
    fn point(
        &self,
        ui: &Ui,
        response: &Response,
        rect: Rect,
        highlighted: Option<TextPosition>,
    ) -> Seen {
        let Some(kept) = &self.kept else {
            return Seen::default();
        };
        let palette = Palette::from_ui(ui);
        let painter = ui.painter_at(rect);
        let at = |pointer: Option<Pos2>| {
            let at = pointer? - rect.min;
            // What was drawn last is on top.
            let mut marks = kept.marks.iter().rev();
            marks.find(|mark| mark.place.contains((at.x.into(), at.y.into())))
        };
        let hovered = at(response.hover_pos());
        let frame = |mark: &HitArea, stroke: Stroke| {
            let place = on_screen(mark, rect);
            painter.rect_stroke(place, 2.0, stroke, StrokeKind::Outside);
        };
        if let Some(spot) = highlighted {
            let thin = Stroke::new(1.0, palette.accent);
            let same = kept.marks.iter().filter(|mark| mark.is_of(&spot));
            for mark in same.take(400) {
                frame(mark, thin);
            }
        }
        if let Some(mark) = hovered {
            frame(mark, Stroke::new(2.0, palette.accent));
            ui.ctx().set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        let clicked = response
            .clicked()
            .then(|| at(response.interact_pointer_pos()))
            .flatten();
        Seen {
            hovered: hovered.copied(),
            clicked: clicked.copied(),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places on a screen")]
fn on_screen(mark: &HitArea, rect: Rect) -> Rect {
    let corner = |x: f64, y: f64| rect.min + vec2(x as f32, y as f32);
    let place = mark.place;
    Rect::from_min_max(
        corner(place.left, place.top),
        corner(place.right, place.bottom),
    )
}

#[expect(clippy::cast_possible_truncation, reason = "the size of a window")]
fn wanted_height(explanation: &Explanation, width: f32) -> f32 {
    (explanation.least_height(f64::from(width) - 2.0 * MARGIN) + MARGIN) as f32
}
