//! One sentence, source and target side by side.

mod menu;
mod painting;

use std::ops::Range;
use std::sync::Arc;

use egui::{Id, Rangef, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

use self::menu::{SentenceMenu, clicks};
use self::painting::{
    caption_ui, changed_ui, paint_background, paint_number, paint_paragraph_mark, paint_source,
    paint_target,
};
use super::cell::Cell;
use super::labels::capitalised;
use super::row_layout::{Columns, PADDING, Row};
use super::shading::MarginShading;
use super::terms::TermSpan;
use super::theme::{self, Palette};
use super::{icons, labels};
use canopy_app::jobs::State;
use canopy_app::markup::Token;
use canopy_app::{
    Command, EditCommand, GoCommand, OpenDocument, SourceSelection, Target, TermsCommand,
};
use canopy_chart::typesetting::Direction;
use canopy_document::document::{Document, Markup};
use canopy_document::placeholder;
use canopy_qa::checks::{Finding, Severity};
use canopy_qa::terms::TermIndex;

pub(crate) use self::painting::{margin_bar_ui, paint_editor_frame};

/// Facts about a row other than its text.
#[expect(clippy::struct_excessive_bools, reason = "what holds of a row")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowContext<'a> {
    pub columns: &'a Columns,
    /// Attention of the selected sentence.
    pub margin: Option<&'a MarginShading<'a>>,
    pub terms: TermContext<'a>,
    /// Terms in its source.
    pub spans: &'a [TermSpan],
    /// Findings of the checks in this sentence.
    pub findings: &'a [Finding],
    pub selected: bool,
    pub editing: bool,
    /// A translation that includes this sentence may be running.
    pub running: bool,
    /// Whether a translation memory is in use.
    pub has_memory: bool,
    pub palette: &'a Palette,
}

/// The termbase, and what is selected for a new term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermContext<'a> {
    pub index: Option<&'a Arc<TermIndex>>,
    pub selected: Option<&'a SourceSelection>,
    pub selected_target: &'a str,
}

/// Draws a row into `rect`; returns where the editor goes.
pub(crate) fn sentence_row_ui(
    ui: &mut Ui,
    rect: Rect,
    row: &Row,
    open: &OpenDocument,
    context: RowContext<'_>,
    commands: &mut Vec<Command>,
) -> Rect {
    let RowContext {
        columns,
        selected,
        palette,
        ..
    } = context;
    let body = rect.with_min_y(rect.top() + row.gap);
    let id = Id::unique("sentence").with(row.sentence);
    let target = open.target(row.sentence);
    let source_text = open.document.sentences[row.sentence].plain_text();
    let target_text = placeholder::stripped(&target.text);

    let split = columns.state.center() + body.left();
    let source_side = cell_response(ui, body.with_max_x(split), id.with("source"), &source_text);
    let target_side = cell_response(ui, body.with_min_x(split), id.with("target"), &target_text);
    let hovered = source_side.contains_pointer() || target_side.contains_pointer();
    paint_background(ui, body, context, hovered);

    if let Some(caption) = &row.caption {
        caption_ui(ui, body, caption, columns, palette);
    }
    let painter = ui.painter();
    let first_line = body.top() + PADDING + row.source_style.line_height / 2.0;
    paint_number(
        ui,
        body,
        first_line,
        row.sentence,
        selected || hovered,
        palette,
    );
    let place = |cell: &Cell, column: Rangef| {
        // What begins on the right is indented there.
        let indent = match cell.direction {
            Direction::LeftToRight => row.indent,
            Direction::RightToLeft => 0.0,
        };
        pos2(body.left() + column.min + indent, body.top() + PADDING)
    };
    let source_pos = place(&row.source, columns.source);
    let target_pos = place(&row.target, columns.target);
    if let Some((color, description)) = context
        .margin
        .and_then(|margin| margin.sentence(row.sentence))
    {
        let bar = body
            .with_max_x(body.left() + 11.0)
            .with_min_x(body.left() + 4.0);
        let id = id.with("margin");
        margin_bar_ui(ui, bar, id, color, &description).on_hover_text(description);
    }
    paint_source(painter, row, source_pos, context);
    let marks = |cell: &Cell, column: Rangef| {
        let column = Columns::at(column, body);
        paint_paragraph_mark(ui, row, cell.direction, column, first_line, palette);
    };
    marks(&row.source, columns.source);
    if !context.editing {
        paint_target(ui, row, target, target_pos, context);
        if target.state != State::Untranslated {
            marks(&row.target, columns.target);
        }
    }
    if open.targets.is_changed(row.sentence) {
        changed_ui(ui, Columns::at(columns.target, body), row.sentence, palette);
    }
    state_ui(
        ui,
        Columns::at(columns.state, body),
        first_line,
        row.sentence,
        (target, context.findings),
        palette,
        commands,
    );

    let menu = SentenceMenu {
        sentence: row.sentence,
        source: &source_text,
        target: &target_text,
        has_memory: context.has_memory,
    };
    clicks(&source_side, &target_side, menu, context.editing, commands);
    select_source(
        ui,
        &source_side,
        &row.source,
        source_pos,
        (row.sentence, menu.source),
        commands,
    );
    let source_side = term_tooltip(source_side, &row.source, source_pos, context.spans);
    let markup = &open.document;
    chip_tooltip(source_side, &row.source, source_pos, markup, row.sentence);
    chip_tooltip(target_side, &row.target, target_pos, markup, row.sentence);
    Columns::at(columns.target, body)
}

fn cell_response(ui: &Ui, rect: Rect, id: Id, label: &str) -> Response {
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let name = if label.is_empty() {
        NOT_TRANSLATED
    } else {
        label
    };
    response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Label, true, name));
    if response.has_focus() {
        let stroke = ui.visuals().selection.stroke;
        let inside = egui::StrokeKind::Inside;
        ui.painter()
            .rect_stroke(rect.shrink(1.0), theme::RADIUS, stroke, inside);
    }
    response
}

/// In place of an empty translation.
const NOT_TRANSLATED: &str = "Not translated yet";

/// Selects what the pointer is drawn over, for a new term; a click puts the caret there, a double click selects the word.
fn select_source(
    ui: &Ui,
    response: &Response,
    cell: &Cell,
    pos: egui::Pos2,
    (sentence, source): (usize, &str),
    commands: &mut Vec<Command>,
) {
    let anchor = response.id.with("where the selection begins");
    let select = |chars| {
        let selection = SourceSelection { sentence, chars };
        Command::from(TermsCommand::SelectSource(selection))
    };
    if response.clicked()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let at = cell.char_at(pointer - pos);
        let word = response.double_clicked().then(|| word_at(source, at));
        commands.push(select(word.unwrap_or(at..at)));
    }
    let pressed = ui.input(|input| input.pointer.press_origin());
    let (Some(pointer), Some(pressed)) = (response.interact_pointer_pos(), pressed) else {
        return;
    };
    if !response.dragged() {
        return;
    }
    let before = ui.data(|data| data.get_temp::<usize>(anchor));
    let first = match before.filter(|_| !response.drag_started()) {
        Some(first) => first,
        None => cell.char_at(pressed - pos),
    };
    ui.data_mut(|data| data.insert_temp(anchor, first));
    let last = cell.char_at(pointer - pos);
    commands.push(select(first.min(last)..first.max(last)));
}

/// The characters of the word at a caret, at either end of it too; none without one.
fn word_at(text: &str, caret: usize) -> Range<usize> {
    let letters: Vec<char> = text.chars().collect();
    let is_letter = |at: &usize| letters.get(*at).is_some_and(|it| it.is_alphanumeric());
    let before = (0..caret.min(letters.len())).rev().take_while(is_letter);
    let start = before.last().unwrap_or(caret);
    start..caret + (caret..letters.len()).take_while(is_letter).count()
}

/// The termbase entry of the term under the pointer.
fn term_tooltip(response: Response, cell: &Cell, pos: egui::Pos2, spans: &[TermSpan]) -> Response {
    let under = response
        .hover_pos()
        .and_then(|pointer| cell.term_at(pos, pointer, spans));
    match under {
        Some(span) => response.on_hover_text_at_pointer(&span.hint),
        None => response,
    }
}

/// State icon and, where there is something to know, a mark; each with its explanation.
fn state_ui(
    ui: &Ui,
    column: Rect,
    middle: f32,
    sentence: usize,
    (target, findings): (&Target, &[Finding]),
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let id = Id::unique("state").with(sentence);
    let center = pos2(column.center().x, middle);
    // The same as in the list of the checks, and as long as the text is the one that was looked at.
    let found = findings.iter().map(|it| capitalised(&it.message));
    let noted = target
        .flags
        .iter()
        .map(|flag| labels::flag(*flag).to_owned());
    let mut reasons: Vec<String> = noted.chain(found).collect();
    reasons.dedup();
    let marked = !reasons.is_empty();
    let state_center = if marked {
        center - vec2(8.5, 0.0)
    } else {
        center
    };
    let response = ui.interact(
        Rect::from_center_size(state_center, vec2(17.0, 20.0)),
        id,
        Sense::click(),
    );
    let label = labels::state(target.state);
    response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Button, true, label));
    match target.draft_confidence() {
        Some(percent) => icons::draft(ui.painter(), state_center, percent, palette),
        None => icons::state(ui.painter(), state_center, target.state, palette),
    }
    if response.clicked() {
        commands.push(GoCommand::Select(sentence).into());
        commands.push(EditCommand::ToggleConfirmed(sentence).into());
    }
    response.on_hover_text(labels::state_tooltip(target));
    if marked {
        let center = center + vec2(9.0, 0.0);
        let response = ui.interact(
            Rect::from_center_size(center, vec2(17.0, 20.0)),
            id.with("flags"),
            Sense::hover(),
        );
        let reasons = reasons.join("\n");
        response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Label, true, &reasons));
        let is_error = findings.iter().any(|it| it.severity == Severity::Error);
        if is_error {
            icons::warning(ui.painter(), center, palette.error);
        } else if !findings.is_empty() || target.flags.iter().any(|flag| flag.warns()) {
            icons::warning(ui.painter(), center, palette.warning);
        } else {
            icons::equal(ui.painter(), center, palette.accent);
        }
        response.on_hover_text(reasons);
    }
}

/// The tags behind the chip under the pointer.
fn chip_tooltip(
    response: Response,
    cell: &Cell,
    pos: egui::Pos2,
    document: &Document,
    sentence: usize,
) {
    let Some(token) = response
        .hover_pos()
        .and_then(|pointer| cell.token_at(pos, pointer))
    else {
        return;
    };
    let (Token::Open(number) | Token::Close(number) | Token::Point(number)) = token;
    let Some(markup) = document.sentences[sentence].markup.get(number) else {
        return;
    };
    let range = match (markup, token) {
        (Markup::Pair { close, .. }, Token::Close(_)) => close,
        (Markup::Pair { open, .. }, _) => open,
        (Markup::Point { range }, _) => range,
    };
    let Some(text) = document.original.get(range.clone()) else {
        return;
    };
    response.on_hover_ui_at_pointer(|ui| {
        ui.monospace(text);
    });
}
