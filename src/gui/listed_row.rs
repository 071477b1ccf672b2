//! Rows of the lists below a document, in its columns: matches of the memory, and alternatives.

use egui::{Align, Layout, Response, RichText, Ui, vec2};

use super::row_layout::Columns;
use super::segment_history::marked;
use super::theme::Palette;
use super::typeset;
use canopy_document::changes::Part;

/// Width of the button at the end of a row.
pub(crate) const BUTTON: f32 = 62.0;

/// A row, whose cells follow each other without gaps.
pub(crate) fn row(ui: &mut Ui, cells: impl FnOnce(&mut Ui, Columns)) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let columns = Columns::new(ui.available_width());
        cells(ui, columns);
    });
}

/// A cell of a row.
pub(crate) fn cell<R>(ui: &mut Ui, width: f32, content: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = Layout::top_down(Align::Min);
    let cell = ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
        ui.set_width(width);
        content(ui)
    });
    cell.inner
}

/// The share at the beginning of a row.
pub(crate) fn share_ui(ui: &mut Ui, width: f32, (share, hint): (&str, &str), palette: &Palette) {
    cell(ui, width, |ui| {
        let share = RichText::new(share).color(palette.accent).size(12.5);
        let response = ui.vertical_centered(|ui| ui.label(share));
        response.inner.on_hover_text(hint);
    });
}

/// A text with its changes.
pub(crate) fn text_ui(
    ui: &mut Ui,
    width: f32,
    parts: &[(Part, String)],
    palette: &Palette,
) -> Response {
    cell(ui, width, |ui| {
        let mut job = marked(parts, palette);
        job.wrap.max_width = ui.available_width();
        ui.label(typeset::galley(ui, typeset::Text::new(job)))
    })
}

/// The end of a row.
pub(crate) fn end_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    cell(ui, BUTTON, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Min), content);
    });
}
