//! The open document: source and target side by side, only the visible rows laid out.

use std::ops::Range;
use std::sync::Arc;

use egui::{Align2, FontId, Id, Rect, ScrollArea, Ui, pos2, vec2};

use super::editor;
use super::estimate::CharWidths;
use super::languages::{LanguageLine, LanguageMenus};
use super::row_heights::RowHeights;
use super::row_layout::{Columns, Row, Scripts, row_style};
use super::sentence_row::{RowContext, TermContext, sentence_row_ui};
use super::shading::MarginShading;
use super::terms::TermSpans;
use super::theme::Palette;
use canopy_app::jobs::State;
use canopy_app::{Command, Filter, GoCommand, OpenDocument, TermsCommand};
use canopy_document::document::{Document, SubtitleLayout};
use canopy_qa::checks::Finding;

/// Rows laid out above and below the visible ones, so that heights are right before they come into view.
const OVERSCAN: usize = 6;
const MARGIN: f32 = 16.0;

/// View state of the document: what has been measured and where the reader is.
#[derive(Default)]
pub(crate) struct DocumentPanel {
    document: Option<Arc<Document>>,
    width: f32,
    rows: RowHeights,
    revisions: Vec<u32>,
    measured: Vec<bool>,
    visible: Range<usize>,
    scroll_id: Option<Id>,
    edited: Option<usize>,
    /// The filter, and how many sentences it shows.
    filtered: Option<(Filter, usize)>,
    editor_height: f32,
    char_widths: CharWidths,
    term_spans: TermSpans,
    scripts: Scripts,
    /// How much room subtitles have.
    subtitles: SubtitleLayout,
    languages: LanguageMenus,
    /// The document and languages that the scripts belong to.
    scripts_of: Option<(Arc<Document>, Languages)>,
}

/// Facts about the document other than its text.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub line: LanguageLine<'a>,
    /// Attention of the selected sentence.
    pub margin: Option<&'a MarginShading<'a>>,
    pub terms: TermContext<'a>,
    /// Findings of the checks, in the order of the sentences.
    pub findings: &'a [Finding],
    /// Whether it is being translated.
    pub running: bool,
    /// Whether a translation memory is in use.
    pub has_memory: bool,
}

/// Codes of source and target, where a model says them.
type Languages = Option<(String, String)>;

impl DocumentPanel {
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        open: &OpenDocument,
        seen: Seen<'_>,
        commands: &mut Vec<Command>,
    ) {
        let Seen {
            line,
            margin,
            terms,
            findings,
            running,
            has_memory,
        } = seen;
        let palette = Palette::from_ui(ui);
        let width = ui.available_width();
        let columns = Columns::new(width);
        self.languages.ui(ui, &columns, line, commands);
        self.know_scripts(&open.document, line.languages);
        self.subtitles = line.settings.subtitles;
        let scroll_to = open.scroll_to.take();
        let offset = self.prepare(ui, open, &columns, width, scroll_to, &palette);
        let mut area = ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("document");
        if let Some(offset) = offset {
            area = area.vertical_scroll_offset(offset);
        }
        let output = area.show_viewport(ui, |ui, viewport| {
            let context = RowContext {
                columns: &columns,
                margin,
                terms,
                spans: &[],
                findings,
                selected: false,
                editing: false,
                running,
                has_memory,
                palette: &palette,
            };
            self.rows_ui(ui, viewport, open, context, commands);
        });
        self.scroll_id = Some(output.id);
    }

    fn know_scripts(&mut self, document: &Arc<Document>, languages: Option<(&str, &str)>) {
        let owned = languages.map(|(source, target)| (source.to_owned(), target.to_owned()));
        let is_known = self
            .scripts_of
            .as_ref()
            .is_some_and(|(known, of)| Arc::ptr_eq(known, document) && *of == owned);
        if is_known {
            return;
        }
        let scripts = Scripts::from_document(document, languages);
        if scripts != self.scripts {
            self.scripts = scripts;
            self.measured.fill(false);
        }
        self.scripts_of = Some((document.clone(), owned));
    }

    /// Brings heights up to date; returns the scroll offset if it must change for what is read to stay in place.
    fn prepare(
        &mut self,
        ui: &Ui,
        open: &OpenDocument,
        columns: &Columns,
        width: f32,
        scroll_to: Option<usize>,
        palette: &Palette,
    ) -> Option<f32> {
        let is_same = self
            .document
            .as_ref()
            .is_some_and(|document| Arc::ptr_eq(document, &open.document));
        let offset = self.scroll_offset(ui);
        let anchor = self.rows.row_at(offset - MARGIN);
        let into_row = offset - self.top(anchor);
        if !is_same {
            *self = Self {
                scroll_id: self.scroll_id,
                scripts: std::mem::take(&mut self.scripts),
                scripts_of: self.scripts_of.take(),
                subtitles: self.subtitles,
                languages: std::mem::take(&mut self.languages),
                ..Self::default()
            };
            self.document = Some(open.document.clone());
            editor::closed(ui);
        }
        let shown = open.filtered.as_ref().map(|it| (it.filter, it.count()));
        let is_filtered_so = self.filtered == shown;
        self.filtered = shown;
        if !is_same || !is_filtered_so || (self.width - width).abs() > 0.5 {
            self.estimate_all(ui, open, columns, palette);
            self.width = width;
        } else {
            self.estimate_changed(ui, open, columns, palette);
        }
        let edited = open.editor.as_ref().map(|editor| editor.sentence);
        if edited != self.edited {
            for row in [edited, self.edited].into_iter().flatten() {
                if let Some(measured) = self.measured.get_mut(row) {
                    *measured = false;
                }
            }
            self.edited = edited;
            // Until it has been drawn once.
            self.editor_height = edited.map_or(0.0, |row| self.rows.height(row) + 36.0);
            if edited.is_none() {
                editor::closed(ui);
            }
        }
        let nearby = self.visible.start.saturating_sub(OVERSCAN)
            ..(self.visible.end + OVERSCAN).min(self.rows.len());
        for row in nearby {
            self.measure(ui, open, row, columns, palette);
        }
        if !is_same {
            // It may be opened where the user left it.
            let row = scroll_to.filter(|row| *row < self.rows.len());
            let showing =
                row.and_then(|row| self.offset_showing(ui, open, row, columns, 0.0, palette));
            return Some(showing.unwrap_or_default());
        }
        if !is_filtered_so && scroll_to.is_none() {
            return Some(0.0);
        }
        if let Some(row) = scroll_to.filter(|row| *row < self.rows.len()) {
            return self.offset_showing(ui, open, row, columns, offset, palette);
        }
        let moved = self.top(anchor) + into_row - offset;
        (moved.abs() > 0.01 && anchor > 0).then_some(offset + moved)
    }

    fn scroll_offset(&self, ui: &Ui) -> f32 {
        let state = self
            .scroll_id
            .and_then(|id| egui::scroll_area::State::load(ui.ctx(), id));
        state.map_or(0.0, |state| state.unclamped_offset().y)
    }

    fn top(&self, row: usize) -> f32 {
        MARGIN + self.rows.top(row)
    }

    /// Where to scroll so that a row can be read; `None` if it can already.
    fn offset_showing(
        &mut self,
        ui: &Ui,
        open: &OpenDocument,
        row: usize,
        columns: &Columns,
        offset: f32,
        palette: &Palette,
    ) -> Option<f32> {
        for near in row.saturating_sub(OVERSCAN)..(row + OVERSCAN).min(self.rows.len()) {
            self.measure(ui, open, near, columns, palette);
        }
        let (top, height) = (self.top(row), self.rows.height(row));
        let view = ui.available_height();
        let margin = 56.0_f32.min(view / 4.0);
        if top - margin < offset {
            // From far away a heading is wanted at the top.
            Some((top - margin.min(24.0)).max(0.0))
        } else if top + height + margin > offset + view {
            let near = top < offset + view + 200.0;
            let wanted = if near {
                top + height + margin - view
            } else {
                top - 24.0
            };
            Some(wanted.max(0.0))
        } else {
            None
        }
    }

    fn estimate_all(&mut self, ui: &Ui, open: &OpenDocument, columns: &Columns, palette: &Palette) {
        let num_rows = open.num_sentences();
        let heights = (0..num_rows)
            .map(|row| estimated_height(ui, &mut self.char_widths, open, row, columns, palette))
            .collect();
        self.rows = RowHeights::new(heights);
        self.revisions = (0..num_rows)
            .map(|row| open.targets.revision(row))
            .collect();
        self.measured = vec![false; num_rows];
        self.visible.end = self.visible.end.min(num_rows);
    }

    fn estimate_changed(
        &mut self,
        ui: &Ui,
        open: &OpenDocument,
        columns: &Columns,
        palette: &Palette,
    ) {
        for row in 0..self.revisions.len() {
            if self.revisions[row] != open.targets.revision(row) {
                self.revisions[row] = open.targets.revision(row);
                self.measured[row] = false;
                self.rows.set(
                    row,
                    estimated_height(ui, &mut self.char_widths, open, row, columns, palette),
                );
            }
        }
    }

    fn row(
        &self,
        ui: &Ui,
        open: &OpenDocument,
        row: usize,
        columns: &Columns,
        palette: &Palette,
    ) -> Row {
        Row::new(
            ui,
            open,
            row,
            columns,
            (&self.scripts, self.subtitles),
            palette,
        )
    }

    fn measure(
        &mut self,
        ui: &Ui,
        open: &OpenDocument,
        row: usize,
        columns: &Columns,
        palette: &Palette,
    ) {
        if self.measured[row] && self.edited != Some(row) {
            return;
        }
        if !open.shows(row) {
            self.rows.set(row, 0.0);
            self.measured[row] = true;
            return;
        }
        let layout = self.row(ui, open, row, columns, palette);
        let height = if self.edited == Some(row) {
            layout.height_with_editor(self.editor_height)
        } else {
            layout.height()
        };
        self.rows.set(row, height);
        self.measured[row] = true;
    }

    /// Each row changes its own part of `context`.
    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        viewport: Rect,
        open: &OpenDocument,
        context: RowContext<'_>,
        commands: &mut Vec<Command>,
    ) {
        let RowContext {
            columns,
            running,
            palette,
            ..
        } = context;
        ui.set_height(self.rows.total() + 2.0 * MARGIN + 40.0);
        if self.rows.len() == 0 {
            let center = ui.clip_rect().center();
            let font = FontId::proportional(15.0);
            ui.painter().text(
                center,
                Align2::CENTER_CENTER,
                "There is no text in this document",
                font,
                palette.weak,
            );
            return;
        }
        let origin = ui.max_rect().left_top();
        let first = self.rows.row_at(viewport.top() - MARGIN);
        let mut row = first;
        while row < self.rows.len() && self.top(row) < viewport.bottom() {
            if !open.shows(row) {
                row += 1;
                continue;
            }
            self.measure(ui, open, row, columns, palette);
            let layout = self.row(ui, open, row, columns, palette);
            let top = origin.y + self.top(row);
            let size = vec2(ui.max_rect().width(), self.rows.height(row));
            let rect = Rect::from_min_size(pos2(origin.x, top), size);
            let editor = open.editor.as_ref().filter(|editor| editor.sentence == row);
            let spans = context.terms.index.map(|index| {
                let spans = &mut self.term_spans;
                spans.for_sentence(&open.document, index, row)
            });
            let context = RowContext {
                spans: spans.as_deref().unwrap_or_default(),
                findings: sentence_findings(context.findings, row),
                selected: open.selected == Some(row),
                editing: editor.is_some(),
                running: running && open.target(row).state == State::Untranslated,
                ..context
            };
            let editor_rect = sentence_row_ui(ui, rect, &layout, open, context, commands);
            if let Some(editor) = editor {
                let source = &open.document.sentences[row].text;
                let script = &self.scripts.target;
                let height =
                    editor::editor_ui(ui, editor_rect, editor, (source, script), palette, commands);
                let selected = editor::selected(ui, editor);
                if selected != context.terms.selected_target {
                    commands.push(TermsCommand::SelectTarget(selected).into());
                }
                if (height - self.editor_height).abs() > 0.5 {
                    self.editor_height = height;
                    ui.ctx().request_discard("the editor has another height");
                }
            }
            row += 1;
        }
        if self.visible != (first..row) {
            self.visible = first..row;
            commands.push(GoCommand::Visible(first..row).into());
        }
    }
}

/// The findings about one sentence.
fn sentence_findings(findings: &[Finding], sentence: usize) -> &[Finding] {
    let first = findings.partition_point(|it| it.segment < sentence);
    let end = findings.partition_point(|it| it.segment <= sentence);
    &findings[first..end]
}

fn estimated_height(
    ui: &Ui,
    char_widths: &mut CharWidths,
    open: &OpenDocument,
    row: usize,
    columns: &Columns,
    palette: &Palette,
) -> f32 {
    if !open.shows(row) {
        return 0.0;
    }
    let (style, gap, indent) = row_style(&open.document, row, palette);
    let mut rows =
        |text: &str, width: f32| char_widths.rows(ui, &style.font_id(), text, width - indent);
    let source = rows(&open.document.sentences[row].text, columns.source.span());
    let target = rows(&open.target(row).text, columns.target.span());
    gap + source.max(target) * style.line_height + 10.0
}
