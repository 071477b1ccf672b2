//! The attention of a whole document in the window: move about in it, read weights, choose a cell.
//!
//! Drawn by `shaders/sparse_map.wgsl` where the window is drawn by a GPU that computes, also by one of software; elsewhere by
//! the plain picture of [`MapFrame`].

mod callback;
mod drawing;
mod memory;
mod moving;
mod offscreen;
mod pipelines;

use std::sync::Arc;

use eframe::egui_wgpu;
use egui::emath::GuiRounding as _;
use egui::mutex::Mutex;
use egui::{
    Color32, ColorImage, Painter, Pos2, Rect, Sense, Shape, TextureHandle, TextureOptions, Ui,
    Vec2, WidgetInfo,
};
use plotters::style::RGBColor;

pub use callback::install;
pub use drawing::MapDrawing;
pub use offscreen::Offscreen;
pub use pipelines::MapPipelines;

use super::plot::{SCALE, record};
use callback::MapCallback;
use canopy_chart::charts::{self, Pen, Theme};
use canopy_explain::{DocumentMap, MapCell, MapColours, MapFrame, MapSheet, MapView, Scale, Strip};

/// Distance in pixels within which the pointer finds a small cell.
const REACH: usize = 3;
const SMALLEST: Vec2 = Vec2::new(260.0, 180.0);

/// State of a map between frames.
#[derive(Default)]
pub struct SparseMapState {
    /// The greatest weight of the scale, if it is not the map's own: maps side by side share one.
    pub greatest: Option<f32>,
    shown: Option<Shown>,
    drawing: Arc<Mutex<Option<MapDrawing>>>,
    /// Texture of the frame and its colours, where the GPU does not draw.
    picture: Option<(Arc<MapFrame>, Arc<MapColours>, TextureHandle)>,
}

/// The map of the last frame and how it was drawn.
#[derive(Debug)]
struct Shown {
    map: Arc<DocumentMap>,
    largest: f32,
    view: MapView,
    /// Which pixels show which cells, of a view, a size and a strip.
    frame: Option<(FrameKey, Arc<MapFrame>)>,
    /// Colours for the greatest weight of the scale and a dark or light theme.
    ink: Option<((f32, bool), Arc<MapColours>)>,
}

type FrameKey = (MapView, (u32, u32), Option<Strip>);

/// A row and a column that are chosen somewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marked {
    /// Index of the row.
    pub row: Option<usize>,
    /// Index of the column.
    pub column: Option<usize>,
}

/// The pointer over a map.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MapResponse {
    /// The cell under it.
    pub cell: Option<MapCell>,
    /// Whether that was clicked in this frame.
    pub clicked: bool,
}

/// Shows `map` as large as there is room, in the colours of the window.
///
/// Dragging moves, the wheel zooms about the pointer, with Shift only along the columns, with Ctrl only along the rows; a
/// double click shows everything again. With the keyboard: arrows, plus, minus and Home.
pub fn sparse_map_view(
    ui: &mut Ui,
    state: &mut SparseMapState,
    map: &Arc<DocumentMap>,
    marked: Marked,
) -> MapResponse {
    let size = ui.available_size().max(SMALLEST);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let label = || WidgetInfo::labeled(egui::accesskit::Role::Figure, true, description(map));
    response.widget_info(label);
    if !ui.is_rect_visible(rect) {
        return MapResponse::default();
    }
    let sheet = MapSheet::new(area(rect.size()), map);
    let cells = placed(ui, rect, sheet.cells);
    let greatest = state.greatest;
    let shown = Shown::for_map(&mut state.shown, map);
    shown.interact(ui, &response, cells);
    let theme = if ui.visuals().dark_mode {
        Theme::DARK
    } else {
        Theme::LIGHT
    };
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, colour(theme.page));
    let scale = Scale::new(0.0, greatest.unwrap_or(shown.largest), &theme);
    let ink = shown.ink(&scale, &theme);
    let pixels_per_point = painter.pixels_per_point();
    let strip = sheet.strip(pixels_per_point.into());
    let frame = shown.frame(pixels(cells, pixels_per_point), strip);
    let view = shown.view;
    state.paint_cells(&painter, cells, map, &frame, &ink);
    let around = record(&painter, rect, |area| {
        let pen = Pen {
            area,
            theme: &theme,
            scale: SCALE,
        };
        // Recording cannot fail.
        let _ = sheet.draw(&pen, map, &view, &scale);
    });
    around.paint(&painter);
    paint_marks(&painter, cells, &view, marked, colour(theme.strong));
    if response.has_focus() {
        let stroke = ui.visuals().selection.stroke;
        painter.rect_stroke(rect, 2.0, stroke, egui::StrokeKind::Inside);
    }
    let at = response.hover_pos().filter(|&at| cells.contains(at));
    let at = at.map(|at| (at - cells.min) * pixels_per_point);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a pixel"
    )]
    let cell = at.and_then(|at| frame.cell_at(map, (at.x as usize, at.y as usize), REACH));
    MapResponse {
        cell,
        clicked: cell.is_some() && response.clicked(),
    }
}

impl SparseMapState {
    /// Shows all of the map again.
    pub fn show_all(&mut self) {
        if let Some(shown) = &mut self.shown {
            shown.view = MapView::all(&shown.map);
        }
    }

    /// By the GPU if it can, else as a picture.
    fn paint_cells(
        &mut self,
        painter: &Painter,
        cells: Rect,
        map: &Arc<DocumentMap>,
        frame: &Arc<MapFrame>,
        ink: &Arc<MapColours>,
    ) {
        let pixels_per_point = painter.pixels_per_point();
        let (width, height) = frame.size();
        #[expect(clippy::cast_precision_loss, reason = "pixels")]
        let size = Vec2::new(width as f32, height as f32) / pixels_per_point;
        let place = Rect::from_min_size(cells.min, size);
        let limits = callback::limits(painter.ctx());
        if limits.is_some_and(|limits| MapDrawing::fits(map, frame, &limits)) {
            let origin = (cells.min * pixels_per_point).round();
            let callback = MapCallback {
                map: map.clone(),
                frame: frame.clone(),
                ink: ink.clone(),
                origin: [origin.x, origin.y],
                drawing: self.drawing.clone(),
            };
            let callback = egui_wgpu::Callback::new_paint_callback(place, callback);
            painter.add(Shape::Callback(callback));
            return;
        }
        let is_of = |(of_frame, of_ink, _): &(Arc<MapFrame>, Arc<MapColours>, TextureHandle)| {
            Arc::ptr_eq(of_frame, frame) && Arc::ptr_eq(of_ink, ink)
        };
        if !self.picture.as_ref().is_some_and(is_of) {
            let bytes = frame.picture(map, ink);
            let image = ColorImage::from_rgba_unmultiplied([width, height], &bytes);
            let options = TextureOptions::NEAREST;
            let texture = painter.ctx().load_texture("sparse map", image, options);
            self.picture = Some((frame.clone(), ink.clone(), texture));
        }
        if let Some((.., texture)) = &self.picture {
            let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            painter.image(texture.id(), place, whole, Color32::WHITE);
        }
    }
}

impl Shown {
    /// The state that is kept, if it is of this map.
    fn for_map<'a>(kept: &'a mut Option<Self>, map: &Arc<DocumentMap>) -> &'a mut Self {
        let before = kept.take();
        let same = before.filter(|shown| Arc::ptr_eq(&shown.map, map));
        kept.insert(same.unwrap_or_else(|| Self {
            map: map.clone(),
            largest: map.largest(),
            view: MapView::all(map),
            frame: None,
            ink: None,
        }))
    }

    fn frame(&mut self, size: (u32, u32), strip: Option<Strip>) -> Arc<MapFrame> {
        let key = (self.view, size, strip);
        let kept = self.frame.take().filter(|(before, _)| *before == key);
        let frame = || Arc::new(MapFrame::new(&self.map, &self.view, size, strip));
        let (_, frame) = self.frame.insert(kept.unwrap_or_else(|| (key, frame())));
        frame.clone()
    }

    fn ink(&mut self, scale: &Scale, theme: &Theme) -> Arc<MapColours> {
        let key = (scale.high, *theme == Theme::DARK);
        let kept = self.ink.take().filter(|(before, _)| *before == key);
        let ink = || Arc::new(MapColours::new(scale, theme));
        let (_, ink) = self.ink.insert(kept.unwrap_or_else(|| (key, ink())));
        ink.clone()
    }
}

/// For screen readers.
fn description(map: &DocumentMap) -> String {
    format!(
        "{}, {}: {} rows, {} columns, {} cells with weight, greatest {:.3}",
        map.title,
        map.query,
        map.rows(),
        map.columns(),
        map.num_cells(),
        map.largest()
    )
}

fn area(size: Vec2) -> charts::Rect {
    charts::Rect {
        left: 8.0,
        top: 4.0,
        right: f64::from(size.x) - 8.0,
        bottom: f64::from(size.y),
    }
}

/// The place of a part of the sheet in the window, on whole pixels.
#[expect(clippy::cast_possible_truncation, reason = "the size of a window")]
fn placed(ui: &Ui, rect: Rect, part: charts::Rect) -> Rect {
    let min = Vec2::new(part.left as f32, part.top as f32);
    let max = Vec2::new(part.right as f32, part.bottom as f32);
    Rect::from_min_max(rect.min + min, rect.min + max).round_to_pixels(ui.pixels_per_point())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels of a window"
)]
fn pixels(rect: Rect, pixels_per_point: f32) -> (u32, u32) {
    let size = (rect.size() * pixels_per_point).round();
    (size.x.max(1.0) as u32, size.y.max(1.0) as u32)
}

fn colour(RGBColor(red, green, blue): RGBColor) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

/// A frame around the chosen row and one around the chosen column.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "places in a window"
)]
fn paint_marks(painter: &Painter, cells: Rect, view: &MapView, marked: Marked, colour: Color32) {
    let painter = painter.with_clip_rect(cells.intersect(painter.clip_rect()));
    let (rows, columns) = view.spans();
    let stroke = egui::Stroke::new(1.0, colour);
    let frame = |rect| {
        painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Outside);
    };
    if let Some(row) = marked.row {
        let y = |place: f64| cells.top() + ((place - view.rows.0) / rows) as f32 * cells.height();
        let y = y(row as f64)..=y(row as f64 + 1.0);
        frame(Rect::from_x_y_ranges(cells.x_range().expand(2.0), y));
    }
    if let Some(column) = marked.column {
        let x =
            |place: f64| cells.left() + ((place - view.columns.0) / columns) as f32 * cells.width();
        let x = x(column as f64)..=x(column as f64 + 1.0);
        frame(Rect::from_x_y_ranges(x, cells.y_range().expand(2.0)));
    }
}

#[cfg(test)]
mod tests;
