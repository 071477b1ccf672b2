//! The rows of an alignment: only those in view are laid out.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{
    Align2, Color32, CornerRadius, FontId, Galley, Id, Rangef, Rect, Response, ScrollArea, Sense,
    Stroke, StrokeKind, Ui, WidgetInfo, accesskit::Role, pos2, vec2,
};

use crate::row_heights::RowHeights;
use crate::row_layout::{Columns, PADDING};
use crate::theme::{self, Palette};
use crate::{icons, typeset};
use canopy_app::jobs::State;
use canopy_app::{AlignCommand, Aligning, Command};
use canopy_corpus::{AlignmentRow, AlignmentTable, Column, RowState};

const FONT_SIZE: f32 = 14.0;
const LINE: f32 = 20.0;
const CHAR_WIDTH: f32 = 7.0;
/// Above the first row.
const MARGIN: f32 = 8.0;
/// Minimum distance of a shown row from the edge.
const NEAR_THE_EDGE: f32 = 48.0;

/// Heights of rows, by their sentences, so that an edit of one leaves the others where they are.
type Measured = HashMap<(Range<usize>, Range<usize>), f32>;

/// View state of the rows.
pub(super) struct AlignmentRows {
    heights: RowHeights,
    measured: Measured,
    width: f32,
    revision: u64,
    /// The visible range of the last frame.
    viewport: Rangef,
}

impl Default for AlignmentRows {
    fn default() -> Self {
        Self {
            heights: RowHeights::default(),
            measured: Measured::default(),
            width: 0.0,
            revision: 0,
            viewport: Rangef::NOTHING,
        }
    }
}

impl AlignmentRows {
    pub(super) fn ui(&mut self, ui: &mut Ui, aligning: &Aligning, commands: &mut Vec<Command>) {
        let scroll_to = aligning.scroll_to.take();
        let (selected, revision) = (aligning.selected, aligning.revision);
        let Some(open) = &aligning.open else { return };
        let table = &open.table;
        let columns = Columns::new(ui.available_width());
        self.follow(ui, table, revision, &columns);
        let mut area = ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("alignment");
        if let Some(offset) =
            scroll_to.and_then(|row| self.offset_showing(row, ui.available_height()))
        {
            area = area.vertical_scroll_offset(offset);
        }
        area.show_viewport(ui, |ui, viewport| {
            self.viewport = viewport.y_range();
            ui.set_height(MARGIN * 2.0 + self.heights.total());
            let origin = ui.min_rect().min;
            let mut row = self.heights.row_at(viewport.top() - MARGIN);
            while row < self.heights.len() {
                let top = MARGIN + self.heights.top(row);
                if top > viewport.bottom() {
                    break;
                }
                let cells = laid_out(ui, table, &table.rows()[row], &columns);
                let height = height_of(&cells);
                self.measure(&table.rows()[row], row, height);
                let place = pos2(origin.x, origin.y + top);
                let rect = Rect::from_min_size(place, vec2(ui.available_width(), height));
                let looked_at = (selected.0 == row).then_some(selected.1);
                row_ui(
                    ui,
                    rect,
                    (row, &table.rows()[row]),
                    &cells,
                    &columns,
                    looked_at,
                    commands,
                );
                row += 1;
            }
        });
    }

    /// Where to scroll so that a row is in the middle; `None` if it is in view.
    fn offset_showing(&self, row: usize, view: f32) -> Option<f32> {
        if row >= self.heights.len() {
            return None;
        }
        let top = MARGIN + self.heights.top(row);
        let bottom = top + self.heights.height(row);
        let is_seen = self.viewport.shrink(NEAR_THE_EDGE.min(view / 4.0));
        let is_shown = is_seen.contains(top) && is_seen.contains(bottom);
        (!is_shown).then(|| ((top + bottom - view) / 2.0).max(0.0))
    }

    fn measure(&mut self, row: &AlignmentRow, index: usize, height: f32) {
        self.heights.set(index, height);
        let key = (row.source.clone(), row.target.clone());
        self.measured.insert(key, height);
    }

    /// Guesses the heights of all rows that were not measured yet.
    fn follow(&mut self, ui: &Ui, table: &AlignmentTable, revision: u64, columns: &Columns) {
        let width = ui.available_width();
        let is_resized = (self.width - width).abs() > 0.5;
        if !is_resized && self.revision == revision {
            return;
        }
        if is_resized || self.heights.len() == 0 {
            self.measured.clear();
        }
        (self.width, self.revision) = (width, revision);
        let heights = table.rows().iter().map(|row| {
            let key = (row.source.clone(), row.target.clone());
            let known = self.measured.get(&key).copied();
            known.unwrap_or_else(|| estimated(table, row, columns))
        });
        self.heights = RowHeights::new(heights.collect());
    }
}

#[expect(clippy::cast_precision_loss, reason = "characters of a row")]
fn estimated(table: &AlignmentTable, row: &AlignmentRow, columns: &Columns) -> f32 {
    let lines = |column: Column, width: f32| {
        let sentences = &table.document(column).sentences[row.cell(column).clone()];
        let chars: usize = sentences.iter().map(|it| it.text.len()).sum();
        (chars as f32 * CHAR_WIDTH / width).ceil().max(1.0)
    };
    let source = lines(Column::Source, columns.source.span());
    let target = lines(Column::Target, columns.target.span());
    source.max(target) * LINE + 2.0 * PADDING
}

/// Both texts of a row, and what reads them aloud.
struct Cells {
    texts: [String; 2],
    galleys: [Arc<Galley>; 2],
}

fn laid_out(ui: &Ui, table: &AlignmentTable, row: &AlignmentRow, columns: &Columns) -> Cells {
    let palette = Palette::from_ui(ui);
    let color = match row.state {
        RowState::LeftOut => palette.weak,
        _ => palette.text,
    };
    let texts = [Column::Source, Column::Target].map(|column| table.text(row, column));
    let galley = |text: &str, width: f32| {
        let font = FontId::proportional(FONT_SIZE);
        let mut job = LayoutJob::simple(text.to_owned(), font, color, width);
        if row.state == RowState::LeftOut {
            for section in &mut job.sections {
                section.format.strikethrough = Stroke::new(1.0, palette.weak);
            }
        }
        typeset::galley(ui, typeset::Text::new(job))
    };
    let galleys = [
        galley(&texts[0], columns.source.span()),
        galley(&texts[1], columns.target.span()),
    ];
    Cells { texts, galleys }
}

fn height_of(cells: &Cells) -> f32 {
    let heights = cells.galleys.iter().map(|galley| galley.size().y);
    heights.fold(LINE, f32::max) + 2.0 * PADDING
}

fn row_ui(
    ui: &Ui,
    rect: Rect,
    (index, row): (usize, &AlignmentRow),
    cells: &Cells,
    columns: &Columns,
    looked_at: Option<Column>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let sides = [
        (Column::Source, columns.source, "source"),
        (Column::Target, columns.target, "target"),
    ];
    for ((column, range, name), (text, galley)) in sides
        .into_iter()
        .zip(cells.texts.iter().zip(&cells.galleys))
    {
        let place = Columns::at(range.expand(8.0), rect);
        let id = Id::unique("alignment cell").with((index, name));
        let response = ui.interact(place, id, Sense::click());
        let is_looked_at = looked_at == Some(column);
        let description = format!("Row {}, {name}: {text}", index + 1);
        response
            .widget_info(|| WidgetInfo::selected(Role::Button, true, is_looked_at, &description));
        paint_cell(
            ui,
            place,
            &response,
            looked_at.is_some(),
            is_looked_at,
            &palette,
        );
        let x = range.min + rect.left();
        let at = pos2(x, rect.top() + PADDING);
        ui.painter().galley(at, galley.clone(), palette.text);
        if response.clicked() {
            commands.push(Command::Align(AlignCommand::Select(index, column)));
        }
    }
    let middle = rect.top() + PADDING + LINE / 2.0;
    let number = pos2(rect.left() + 42.0, middle);
    let font = FontId::proportional(11.0);
    ui.painter()
        .text(number, Align2::RIGHT_CENTER, index + 1, font, palette.weak);
    let center = pos2(rect.left() + columns.state.center(), middle);
    state_ui(ui, center, index, row, &palette);
}

fn paint_cell(
    ui: &Ui,
    place: Rect,
    response: &Response,
    is_row: bool,
    is_cell: bool,
    palette: &Palette,
) {
    let radius = CornerRadius::same(theme::RADIUS);
    let fill = match (is_row, response.hovered()) {
        (true, _) => palette.selected,
        (false, true) => palette.hovered,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter()
        .rect_filled(place.shrink2(vec2(0.0, 1.0)), radius, fill);
    if is_cell {
        let stroke = Stroke::new(1.5, palette.accent);
        let place = place.shrink2(vec2(0.0, 1.0));
        ui.painter()
            .rect_stroke(place, radius, stroke, StrokeKind::Inside);
    }
}

/// Right, doubtful, alone or left out; likely rows have no sign.
fn state_ui(ui: &Ui, center: egui::Pos2, index: usize, row: &AlignmentRow, palette: &Palette) {
    let place = Rect::from_center_size(center, vec2(22.0, LINE));
    let painter = ui.painter();
    let description = match row.state {
        RowState::Right => {
            icons::state(painter, center, State::Confirmed, palette);
            "Right"
        }
        RowState::Doubtful => {
            icons::warning(painter, center, palette.warning);
            "They may not belong together"
        }
        RowState::LeftOut => {
            icons::cross(painter, center, palette.weak);
            "Left out"
        }
        RowState::Likely if !row.is_pair() => {
            painter.circle_stroke(center, 5.0, Stroke::new(1.5, palette.warning));
            "Nothing on the other side matches it"
        }
        RowState::Likely => return,
    };
    let id = Id::unique("alignment state").with(index);
    let response = ui.interact(place, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, description));
    response.on_hover_text(description);
}
