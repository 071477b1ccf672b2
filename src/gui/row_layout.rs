//! The layout of a sentence's row: columns, gaps between paragraphs, heights.

use egui::{Rangef, Rect, Ui};

use super::captions::{self, Caption};
use super::cell::{Cell, CellStyle, Content};
use super::theme::Palette;
use canopy_app::OpenDocument;
use canopy_app::find::Side;
use canopy_chart::typesetting::Han;
use canopy_document::document::{Document, ParagraphKind, SubtitleLayout};

/// Space above and below the text of a row.
pub(crate) const PADDING: f32 = 5.0;

/// The columns of a document, from the left edge of its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Columns {
    pub source: Rangef,
    pub state: Rangef,
    pub target: Rangef,
}

impl Columns {
    pub(crate) fn new(width: f32) -> Self {
        let (number, state, right, inset) = (52.0, 44.0, 26.0, 10.0);
        let text = ((width - number - state - right) / 2.0).max(80.0);
        let source = number..number + text;
        let target = source.end + state..source.end + state + text;
        Self {
            source: Rangef::new(source.start + inset, source.end - inset),
            state: Rangef::new(source.end, target.start),
            target: Rangef::new(target.start + inset, target.end - inset),
        }
    }

    /// The part of a row in a column.
    pub(crate) fn at(range: Rangef, rect: Rect) -> Rect {
        Rect::from_x_y_ranges(
            range.min + rect.left()..=range.max + rect.left(),
            rect.y_range(),
        )
    }
}

/// Languages and scripts of both sides, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Scripts {
    pub source: Script,
    pub target: Script,
}

/// How one side is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Script {
    /// Its code.
    pub language: Option<String>,
    /// Whose Chinese characters.
    pub han: Option<Han>,
}

impl Scripts {
    pub(crate) fn side(&self, side: Side) -> &Script {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// Scripts of a document; where its language does not determine the Chinese characters, its beginning does.
    pub(crate) fn from_document(document: &Document, languages: Option<(&str, &str)>) -> Self {
        const SEEN: usize = 200;
        let script = |language: Option<&str>| Script {
            language: language.map(str::to_owned),
            han: language.and_then(Han::from_language),
        };
        let mut source = script(languages.map(|(source, _)| source));
        if source.han.is_none() {
            let mut seen = document.sentences.iter().take(SEEN);
            source.han = seen.find_map(|sentence| Han::from_text(&sentence.text));
        }
        let target = match languages {
            Some((_, target)) => script(Some(target)),
            None => source.clone(),
        };
        Self { source, target }
    }
}

/// The parts of a row, laid out.
pub(crate) struct Row {
    pub sentence: usize,
    pub gap: f32,
    pub indent: f32,
    /// Captions above the source and the target.
    pub caption: Option<Caption>,
    pub kind: ParagraphKind,
    pub opens_paragraph: bool,
    pub source: Cell,
    pub target: Cell,
    pub source_style: CellStyle,
}

/// How one sentence looks, without its text.
pub(crate) fn row_style(
    document: &Document,
    sentence: usize,
    palette: &Palette,
) -> (CellStyle, f32, f32) {
    let index = document.sentences[sentence].paragraph;
    let paragraph = &document.paragraphs[index];
    let level = document.sections[paragraph.section].level;
    let style = CellStyle::new(paragraph.kind, level, palette);
    let opens = paragraph.sentences.start == sentence;
    let follows = index
        .checked_sub(1)
        .map(|before| document.paragraphs[before].kind);
    let gap = match (opens, paragraph.kind, follows) {
        (false, ..) => 0.0,
        (_, _, None) if captions::has_one(document, sentence) => captions::HEIGHT,
        (_, _, None) => 0.0,
        (_, ParagraphKind::Heading | ParagraphKind::Title, _) => 20.0,
        _ if captions::has_one(document, sentence) => 9.0 + captions::HEIGHT,
        (_, ParagraphKind::ListItem, Some(ParagraphKind::ListItem))
        | (_, ParagraphKind::TableCell, Some(ParagraphKind::TableCell)) => 2.0,
        _ => 9.0,
    };
    let indent = match paragraph.kind {
        ParagraphKind::ListItem => 18.0,
        ParagraphKind::TableCell => 14.0,
        _ => 0.0,
    };
    (style, gap, indent)
}

impl Row {
    pub(crate) fn new(
        ui: &Ui,
        open: &OpenDocument,
        sentence: usize,
        columns: &Columns,
        (scripts, layout): (&Scripts, SubtitleLayout),
        palette: &Palette,
    ) -> Self {
        let document = &open.document;
        let (style, gap, indent) = row_style(document, sentence, palette);
        let paragraph = &document.paragraphs[document.sentences[sentence].paragraph];
        let points = &document.sentences[sentence].points;
        let cell = |side: Side, text: &str, span: f32| {
            let scripts = scripts.side(side);
            let content = Content {
                text,
                points,
                marks: &open.find.marks(sentence, side),
                language: scripts.language.as_deref(),
            };
            let style = CellStyle {
                han: scripts.han,
                ..style
            };
            Cell::new(ui, content, style, span - indent, palette)
        };
        Self {
            sentence,
            gap,
            indent,
            caption: captions::caption(open, sentence, layout),
            kind: paragraph.kind,
            opens_paragraph: paragraph.sentences.start == sentence,
            source: cell(
                Side::Source,
                &document.sentences[sentence].text,
                columns.source.span(),
            ),
            target: cell(
                Side::Target,
                &open.target(sentence).text,
                columns.target.span(),
            ),
            source_style: style,
        }
    }

    pub(crate) fn height(&self) -> f32 {
        self.gap + self.source.height().max(self.target.height()) + 2.0 * PADDING
    }

    /// The height with an editor in place of the target text.
    pub(crate) fn height_with_editor(&self, editor_height: f32) -> f32 {
        self.gap + self.source.height().max(editor_height) + 2.0 * PADDING
    }
}
