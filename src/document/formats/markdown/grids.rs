//! Tables that are drawn with `+---+`: where each row is one line its cells are translated, and the table is drawn again.

use std::ops::Range;

use crate::document::Document;
use crate::formats::rst::width;

/// A table that is drawn.
#[derive(Debug)]
pub(super) struct Grid {
    lines: Vec<GridLine>,
}

#[derive(Debug)]
struct GridLine {
    range: Range<usize>,
    /// Between bars, or between the corners of a border.
    cells: Vec<Range<usize>>,
    is_border: bool,
}

impl Grid {
    /// The table in these lines; none if a row has several lines, or cells go over several columns or rows.
    pub(super) fn read(source: &str, lines: impl Iterator<Item = Range<usize>>) -> Option<Self> {
        let lines: Vec<GridLine> = lines.map(|range| GridLine::read(source, range)).collect();
        let first = lines.first()?;
        let alternates = |(index, line): (usize, &GridLine)| {
            line.is_border == (index % 2 == 0) && line.cells.len() == first.cells.len()
        };
        let ends = lines.len() % 2 == 1 && lines.len() > 2;
        (ends && lines.iter().enumerate().all(alternates)).then_some(Self { lines })
    }

    /// Whether a byte of the file is in it.
    pub(super) fn holds(&self, place: usize) -> bool {
        let ends = (self.lines.first(), self.lines.last());
        matches!(ends, (Some(first), Some(last)) if (first.range.start..last.range.end).contains(&place))
    }

    /// The texts of its cells.
    pub(super) fn texts(&self, source: &str) -> Vec<Range<usize>> {
        let rows = self.lines.iter().filter(|line| !line.is_border);
        let trimmed = |cell: &Range<usize>| {
            let text = &source[cell.clone()];
            let start = cell.end - text.trim_start().len();
            start..start + text.trim().len()
        };
        rows.flat_map(|line| line.cells.iter().map(trimmed))
            .filter(|text| !text.is_empty())
            .collect()
    }

    /// Its lines as they are with these translations; none if nothing in it is translated.
    pub(super) fn written(
        &self,
        document: &Document,
        translations: &[Option<String>],
    ) -> Vec<(Range<usize>, String)> {
        let mut sentences = document.sentences.iter().zip(translations);
        let is_translated = sentences.any(|(it, new)| new.is_some() && self.holds(it.range.start));
        let Some(first) = self.lines.first().filter(|_| is_translated) else {
            return Vec::new();
        };
        let text = |cell: &Range<usize>| {
            let text = document.translated_part(cell.clone(), translations);
            text.trim_end().to_owned()
        };
        let rows: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| {
                let cells = line.cells.iter().filter(|_| !line.is_border);
                cells.map(text).collect()
            })
            .collect();
        let widths: Vec<usize> = (0..first.cells.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                let widest = cells.map(|cell| width(cell) + 1).max();
                widest.unwrap_or(0).max(first.cells[column].len())
            })
            .collect();
        let lines = self.lines.iter().zip(rows);
        let drawn = lines.map(|(line, row)| {
            let mut drawn = String::new();
            for (column, wide) in widths.iter().enumerate() {
                if line.is_border {
                    drawn += "+";
                    drawn += &border(&document.original[line.cells[column].clone()], *wide);
                } else {
                    drawn.extend(["|", &row[column]]);
                    drawn += &" ".repeat(wide.saturating_sub(width(&row[column])));
                }
            }
            drawn.push(if line.is_border { '+' } else { '|' });
            (line.range.clone(), drawn)
        });
        drawn.collect()
    }
}

impl GridLine {
    fn read(source: &str, range: Range<usize>) -> Self {
        let text = &source[range.clone()];
        let is_border = text.starts_with('+');
        let mark = if is_border { '+' } else { '|' };
        let bytes = text.as_bytes();
        let is_mark = |&(place, _): &(usize, &str)| place == 0 || bytes[place - 1] != b'\\';
        let marks: Vec<usize> = text
            .match_indices(mark)
            .filter(is_mark)
            .map(|(place, _)| range.start + place)
            .collect();
        let is_whole = text.ends_with(mark) && marks.first() == Some(&range.start);
        let cells = marks.windows(2).filter(|_| is_whole);
        let cells = cells.map(|pair| pair[0] + 1..pair[1]).collect();
        Self {
            range,
            cells,
            is_border,
        }
    }
}

/// A part of a border between two corners, so wide.
fn border(part: &str, wide: usize) -> String {
    let fill = if part.contains('=') { "=" } else { "-" };
    let begin = if part.starts_with(':') { ":" } else { fill };
    let end = if part.ends_with(':') { ":" } else { fill };
    format!("{begin}{}{end}", fill.repeat(wide.saturating_sub(2)))
}
