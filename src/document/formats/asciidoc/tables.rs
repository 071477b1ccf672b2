//! Cells of AsciiDoc's tables.

use std::ops::Range;

/// A cell by what it holds.
pub(super) struct Cell {
    pub range: Range<usize>,
    pub content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Paragraphs, whatever their lines look like.
    Paragraphs,
    /// Blocks as in a document.
    Blocks,
    /// Text that stays as it is.
    Code,
}

impl Content {
    /// By the style of a cell or a column.
    fn from_style(style: &str) -> Option<Self> {
        match style.chars().next_back()? {
            'a' => Some(Self::Blocks),
            'l' | 'm' => Some(Self::Code),
            'd' | 'e' | 'h' | 's' | 'v' => Some(Self::Paragraphs),
            _ => None,
        }
    }
}

/// Returns the cells in the lines of a table with these attributes.
pub(super) fn cells(source: &str, lines: &[Range<usize>], attributes: &str) -> Vec<Cell> {
    let columns = columns(attributes);
    let mut cells: Vec<Cell> = Vec::new();
    let (mut column, mut has_spans) = (0, false);
    for range in lines {
        let line = &source[range.clone()];
        let mut begin = 0;
        let bars = line
            .match_indices('|')
            .filter(|(place, _)| !line[..*place].ends_with('\\'));
        for (bar, _) in bars {
            let spec = line[..bar].rfind([' ', '|']).map_or(0, |place| place + 1);
            let is_spec = is_cell_spec(&line[spec..bar]) && spec >= begin;
            let end = if is_spec { spec } else { bar };
            if let Some(cell) = cells.last_mut().filter(|_| begin < end) {
                cell.range.end = range.start + end;
            }
            let style = if is_spec { &line[spec..bar] } else { "" };
            has_spans |= style.contains(['+', '*']);
            // Where cells span columns nobody can count them easily.
            let of_column = match columns.len() {
                count if count > 0 && !has_spans => columns[column % count],
                _ if columns.contains(&Some(Content::Blocks)) => Some(Content::Blocks),
                _ => None,
            };
            column += 1;
            let content = Content::from_style(style).or(of_column);
            let start = range.start + bar + 1;
            cells.push(Cell {
                range: start..start,
                content: content.unwrap_or(Content::Paragraphs),
            });
            begin = bar + 1;
        }
        if let Some(cell) = cells.last_mut().filter(|_| begin < line.len()) {
            cell.range.end = range.end;
        }
    }
    cells
}

/// The styles of the columns that `cols` gives; none where they are only counted.
fn columns(attributes: &str) -> Vec<Option<Content>> {
    let Some((_, value)) = attributes.split_once("cols=") else {
        return Vec::new();
    };
    let value = match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next(),
        None => value.split([',', ']']).next(),
    };
    let mut columns = Vec::new();
    for column in value.unwrap_or_default().split([',', ';']).map(str::trim) {
        let (count, style) = column.split_once('*').unwrap_or(("1", column));
        let count = count.parse::<usize>().unwrap_or(1).min(100);
        columns.extend(std::iter::repeat_n(Content::from_style(style), count));
    }
    columns
}

/// Whether the cells of a table are separated by other signs than bars.
pub(super) fn is_separated(attributes: &str) -> bool {
    ["format=", "separator="]
        .iter()
        .any(|name| attributes.contains(name) && !attributes.contains("format=psv"))
}

/// The parts of a cell between blank lines.
pub(super) fn paragraphs(source: &str, cell: Range<usize>) -> Vec<Range<usize>> {
    let (mut paragraphs, mut place) = (Vec::new(), cell.start);
    let mut part: Option<Range<usize>> = None;
    for line in source[cell].split_inclusive('\n') {
        let ink = line.trim();
        let start = place + line.len() - line.trim_start().len();
        if ink.is_empty() {
            paragraphs.extend(part.take());
        } else {
            part.get_or_insert(start..start).end = start + ink.len();
        }
        place += line.len();
    }
    paragraphs.extend(part);
    paragraphs
}

/// Whether a text is the specification of a cell: spans, alignment, style.
pub(super) fn is_cell_spec(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || "+.*<>^adehlmsv".contains(c))
        && (text.len() == 1 && "adehlmsv<>^".contains(text)
            || text.contains(['+', '*', '<', '>', '^', '.']))
}
