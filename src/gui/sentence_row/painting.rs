//! Paints a row: its background, number, texts and marks.

use egui::{Color32, CornerRadius, Id, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{NOT_TRANSLATED, RowContext};
use crate::captions::{self, Caption};
use crate::labels;
use crate::row_layout::{Columns, Row};
use crate::theme::{self, Palette};
use canopy_app::Target;
use canopy_app::jobs::State;
use canopy_chart::typesetting::Direction;
use canopy_document::document::ParagraphKind;

pub(super) fn paint_background(ui: &Ui, body: Rect, context: RowContext<'_>, hovered: bool) {
    let palette = context.palette;
    let fill = match (context.selected, hovered) {
        (true, _) => palette.selected,
        (false, true) => palette.hovered,
        (false, false) => return,
    };
    let radius = CornerRadius::same(theme::RADIUS);
    for range in [context.columns.source, context.columns.target] {
        let side = Columns::at(range.expand(8.0), body);
        ui.painter().rect_filled(side, radius, fill);
    }
    if context.selected {
        let side = Columns::at(context.columns.source.expand(8.0), body);
        let bar = Rect::from_x_y_ranges(
            side.left() - 5.0..=side.left() - 2.0,
            side.y_range().shrink(3.0),
        );
        ui.painter().rect_filled(bar, 1.5, palette.accent);
    }
}

pub(super) fn paint_number(
    ui: &Ui,
    body: Rect,
    middle: f32,
    sentence: usize,
    strong: bool,
    palette: &Palette,
) {
    let color = if strong { palette.strong } else { palette.weak };
    let pos = pos2(body.left() + 42.0, middle);
    let font = egui::FontId::proportional(11.0);
    ui.painter()
        .text(pos, egui::Align2::RIGHT_CENTER, sentence + 1, font, color);
}

/// The attention that a sentence or section gets.
pub(crate) fn margin_bar_ui(
    ui: &Ui,
    bar: Rect,
    id: Id,
    color: Color32,
    description: &str,
) -> Response {
    let response = ui.interact(bar.expand2(vec2(4.0, 0.0)), id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Label, true, description));
    ui.painter()
        .rect_filled(bar.shrink2(vec2(0.0, 2.0)), 1.5, color);
    response
}

/// A bullet for a list item, a line left of a table cell.
pub(super) fn paint_paragraph_mark(
    ui: &Ui,
    row: &Row,
    direction: Direction,
    column: Rect,
    first_line: f32,
    palette: &Palette,
) {
    // In the indent, eleven points before the text.
    let x = match direction {
        Direction::LeftToRight => column.left() + row.indent - 11.0,
        Direction::RightToLeft => column.right() - row.indent + 11.0,
    };
    match row.kind {
        ParagraphKind::ListItem if row.opens_paragraph => {
            ui.painter()
                .circle_filled(pos2(x, first_line), 2.3, palette.weak);
        }
        ParagraphKind::TableCell => {
            let line = Rect::from_x_y_ranges(x - 1.0..=x + 1.0, column.y_range().shrink(3.0));
            ui.painter().rect_filled(line, 1.0, palette.line);
        }
        _ => {}
    }
}

/// The source with what is selected of it, the caret and its terms.
pub(super) fn paint_source(
    painter: &egui::Painter,
    row: &Row,
    pos: egui::Pos2,
    context: RowContext<'_>,
) {
    let palette = context.palette;
    let here = context.terms.selected;
    let here = here.filter(|it| it.sentence == row.sentence);
    if let Some(selection) = here {
        row.source
            .paint_selection(painter, pos, &selection.chars, palette);
    }
    row.source.paint(painter, pos, palette);
    if let Some(caret) = here.filter(|it| it.chars.is_empty() && context.selected) {
        row.source
            .paint_caret(painter, pos, caret.chars.start, palette);
    }
    row.source.underline(painter, pos, context.spans, palette);
}

pub(super) fn paint_target(
    ui: &Ui,
    row: &Row,
    target: &Target,
    pos: egui::Pos2,
    context: RowContext<'_>,
) {
    if target.state != State::Untranslated {
        row.target.paint(ui.painter(), pos, context.palette);
        return;
    }
    let hint = match (context.running, context.selected) {
        (true, _) => "…",
        (false, true) => NOT_TRANSLATED,
        (false, false) => return,
    };
    let middle = pos + vec2(0.0, row.source_style.line_height / 2.0);
    let color = context.palette.weak;
    ui.painter().text(
        middle,
        egui::Align2::LEFT_CENTER,
        hint,
        egui::FontId::proportional(14.0),
        color,
    );
}

/// A bar at the right of a target that an update has changed.
pub(super) fn changed_ui(ui: &Ui, column: Rect, sentence: usize, palette: &Palette) {
    let x = column.right() + 4.0;
    let bar = Rect::from_x_y_ranges(x..=x + 3.0, column.y_range().shrink(3.0));
    let id = Id::unique("changed").with(sentence);
    let response = ui.interact(bar.expand2(vec2(4.0, 0.0)), id, Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Label, true, labels::CHANGED));
    ui.painter().rect_filled(bar, 1.5, palette.accent);
    response.on_hover_text(labels::CHANGED);
}

/// A frame around the target while it is edited.
pub(crate) fn paint_editor_frame(ui: &Ui, rect: Rect, palette: &Palette, broken: bool) {
    let color: Color32 = if broken {
        palette.error
    } else {
        palette.accent
    };
    let radius = CornerRadius::same(theme::RADIUS);
    ui.painter().rect(
        rect,
        radius,
        palette.page,
        Stroke::new(1.5, color),
        egui::StrokeKind::Inside,
    );
}

/// The line above a row.
pub(super) fn caption_ui(
    ui: &Ui,
    body: Rect,
    caption: &Caption,
    columns: &Columns,
    palette: &Palette,
) {
    let y = body.top() - captions::HEIGHT / 2.0 + 2.0;
    let color = if caption.warns {
        palette.warning
    } else {
        palette.weak
    };
    for (text, column, color) in [
        (&caption.source, columns.source, palette.weak),
        (&caption.target, columns.target, color),
    ] {
        if text.is_empty() {
            continue;
        }
        let pos = pos2(body.left() + column.min, y);
        let font = egui::FontId::proportional(11.0);
        let place = ui
            .painter()
            .text(pos, egui::Align2::LEFT_CENTER, text, font, color);
        let id = Id::unique("caption").with((text, body.top().to_bits()));
        let response = ui.interact(place, id, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Label, true, text));
    }
}
