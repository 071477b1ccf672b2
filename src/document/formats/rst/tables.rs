//! Tables that are drawn with characters: columns grow with what is translated.

use std::collections::BTreeMap;
use std::ops::Range;

use super::RstParagraph;
use super::blocks::Line;
use super::inline::RstInline;
use crate::builder::{Builder, Context};
use crate::document::ParagraphKind;
use crate::view::Translation;

/// A table and the cells of it that are translated.
#[derive(Debug)]
pub(super) struct Table {
    pub range: Range<usize>,
    /// Bytes of its lines.
    lines: Vec<Range<usize>>,
    cells: Vec<Cell>,
}

/// A rectangle of characters.
#[derive(Debug, Clone)]
struct Frame {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Whether nothing is to its right.
    is_last: bool,
}

#[derive(Debug)]
struct Cell {
    frame: Frame,
    paragraph: RstParagraph,
}

/// Whether a line is a border such as `+---+===+`.
pub(super) fn is_grid_border(line: &str) -> bool {
    line.len() > 2
        && line.starts_with('+')
        && line.ends_with('+')
        && line.bytes().all(|byte| b"+-=".contains(&byte))
        && line.contains(['-', '='])
}

/// Whether a line is a border such as `====  ===`.
pub(super) fn is_simple_border(line: &str) -> bool {
    line.starts_with('=') && line.contains(" =") && line.bytes().all(|byte| b"= ".contains(&byte))
}

/// How many columns a text takes in a file.
pub(in crate::formats) fn width(text: &str) -> usize {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
    let width = |c: char| match c {
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{303E}'
        | '\u{3041}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        c => usize::from(!matches!(
            c.general_category(),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        )),
    };
    text.chars().map(width).sum()
}

impl Table {
    /// Makes paragraphs of the cells that hold one each; none if the table is not drawn as it should be.
    pub(super) fn read(source: &str, lines: &[Line], builder: &mut Builder) -> Option<Self> {
        let (first, last) = (lines.first()?, lines.last()?);
        let table = first.range.start..last.range.end;
        // Lines begin in the column of the table; what is wider than one column would shift the others.
        let start_of = |line: &Line| {
            let outside = line.indent.saturating_sub(first.indent);
            let start = line.range.start.checked_sub(outside)?;
            source
                .get(start..line.range.start)
                .filter(|space| space.bytes().all(|byte| byte == b' '))?;
            Some(start..line.range.end)
        };
        let lines: Vec<Range<usize>> = lines
            .iter()
            .map(|line| {
                if line.range.is_empty() {
                    Some(line.range.clone())
                } else {
                    start_of(line)
                }
            })
            .collect::<Option<_>>()?;
        let texts: Vec<Vec<char>> = lines
            .iter()
            .map(|line| source[line.clone()].chars().collect())
            .collect();
        if lines.iter().any(|line| {
            width(&source[line.clone()]) != source[line.clone()].chars().count()
                || source[line.clone()].contains('\t')
        }) {
            return None;
        }
        let frames = if is_grid_border(&source[lines[0].clone()]) {
            grid(&texts)
        } else {
            simple(&texts)?
        };
        let mut cells = Vec::new();
        for frame in frames {
            if let Some(paragraph) = cell(source, &lines, &frame, builder) {
                cells.push(Cell { frame, paragraph });
            }
        }
        Some(Self {
            range: table,
            lines,
            cells,
        })
    }

    /// The table with its translated cells; none if nothing is translated.
    pub(super) fn written(&self, source: &str, translation: &Translation) -> Option<String> {
        let translated: BTreeMap<usize, String> = self
            .cells
            .iter()
            .enumerate()
            .filter_map(|(index, cell)| Some((index, cell.paragraph.written(source, translation)?)))
            .collect();
        if translated.is_empty() {
            return None;
        }
        let mut canvas: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| source[line.clone()].chars().map(String::from).collect())
            .collect();
        let mut frames: Vec<Frame> = self.cells.iter().map(|cell| cell.frame.clone()).collect();
        for (&index, text) in &translated {
            let frame = &frames[index];
            for row in frame.rows.clone() {
                let line = &mut canvas[row];
                let end = if frame.is_last {
                    line.len()
                } else {
                    frame.columns.end.min(line.len())
                };
                for cell in &mut line[frame.columns.start.min(end)..end] {
                    " ".clone_into(cell);
                }
            }
            let num_rows = frame.rows.len();
            let room = frame.columns.len();
            let needed = narrowest(text, num_rows, room);
            if needed > room && !frame.is_last {
                widen(&mut canvas, &mut frames, index, needed - room);
            }
        }
        for index in translated.keys() {
            let frame = &frames[*index];
            let room = if frame.is_last {
                usize::MAX
            } else {
                frame.columns.len()
            };
            let lines = wrapped(
                &translated[index],
                if frame.is_last {
                    narrowest(&translated[index], frame.rows.len(), 1)
                } else {
                    room
                },
            );
            for (row, line) in frame.rows.clone().zip(lines) {
                paint(&mut canvas[row], frame.columns.start, &line);
            }
        }
        Some(self.joined(source, &canvas))
    }

    /// The lines with what is between them.
    fn joined(&self, source: &str, canvas: &[Vec<String>]) -> String {
        let mut written = String::new();
        let mut place = self.range.start;
        for (line, cells) in self.lines.iter().zip(canvas) {
            written += &source[place..line.start.max(place)];
            let text: String = cells.concat();
            written += text.trim_end();
            place = line.end;
        }
        written + &source[place.min(self.range.end)..self.range.end]
    }
}

/// Puts a text into a line; what takes two columns has an empty one after it.
fn paint(line: &mut Vec<String>, start: usize, text: &str) {
    let mut column = start;
    while line.len() < start {
        line.push(" ".to_owned());
    }
    for character in text.chars() {
        let spelt = character.to_string();
        match width(&spelt) {
            0 if column > start => line[column - 1] += &spelt,
            wide => {
                while line.len() < column + wide.max(1) {
                    line.push(" ".to_owned());
                }
                line[column] = spelt;
                for empty in &mut line[column + 1..column + wide.max(1)] {
                    empty.clear();
                }
                column += wide.max(1);
            }
        }
    }
}

/// Makes the column in which a cell ends wider, in all lines.
fn widen(canvas: &mut [Vec<String>], frames: &mut [Frame], index: usize, by: usize) {
    let at = frames[index].columns.end;
    for line in canvas.iter_mut() {
        if line.len() < at || at == 0 {
            continue;
        }
        let filler = match line[at - 1].as_str() {
            border @ ("-" | "=") => border.to_owned(),
            _ => " ".to_owned(),
        };
        // Not within a word of a cell that goes across.
        let is_ink = |cell: &String| !matches!(cell.as_str(), " " | "-" | "=" | "+" | "|");
        let mut place = at;
        while place < line.len() && is_ink(&line[place - 1]) && is_ink(&line[place]) {
            place += 1;
        }
        line.splice(place..place, std::iter::repeat_n(filler, by));
    }
    for frame in frames {
        if frame.columns.start >= at {
            frame.columns.start += by;
        }
        if frame.columns.end >= at {
            frame.columns.end += by;
        }
    }
}

/// The least width, from `from` on, in which a text takes at most a number of lines.
fn narrowest(text: &str, num_lines: usize, from: usize) -> usize {
    let words: Vec<usize> = text.split_whitespace().map(width).collect();
    let longest = words.iter().copied().max().unwrap_or_default();
    let (mut least, mut most) = (from.max(longest), width(text).max(from));
    // The wider the room, the fewer the lines.
    while least < most {
        let room = usize::midpoint(least, most);
        if num_lines_of(&words, room) <= num_lines {
            most = room;
        } else {
            least = room + 1;
        }
    }
    most
}

/// The number of lines of words so wide.
fn num_lines_of(words: &[usize], room: usize) -> usize {
    let mut lines = Wrapping::default();
    words
        .iter()
        .filter(|&&word| lines.begins(word, room))
        .count()
}

/// How far the line is that words are put into.
#[derive(Default)]
struct Wrapping {
    /// None before the first word.
    line: Option<usize>,
}

impl Wrapping {
    /// Adds a word of this width after the others, and returns whether it begins a line.
    fn begins(&mut self, word: usize, room: usize) -> bool {
        let longer = self.line.map(|line| line + 1 + word);
        let fits = longer.filter(|longer| *longer <= room);
        self.line = Some(fits.unwrap_or(word));
        fits.is_none()
    }
}

/// The lines of a text; longer words have their own.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut wrapping = Wrapping::default();
    for word in text.split_whitespace() {
        let begins = wrapping.begins(width(word), room);
        match lines.last_mut().filter(|_| !begins) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The paragraph in a cell, if it holds just one.
fn cell(
    source: &str,
    lines: &[Range<usize>],
    frame: &Frame,
    builder: &mut Builder,
) -> Option<RstParagraph> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for row in frame.rows.clone() {
        let line = &source[lines[row].clone()];
        let offset = |column: usize| {
            line.char_indices()
                .nth(column)
                .map_or(line.len(), |(place, _)| place)
        };
        let end = if frame.is_last {
            line.len()
        } else {
            offset(frame.columns.end)
        };
        let start = offset(frame.columns.start).min(end);
        let inner = line[start..end].trim();
        if inner.is_empty() {
            if !parts.is_empty() {
                parts.push(0..0);
            }
            continue;
        }
        let begin = lines[row].start
            + start
            + (line[start..end].len() - line[start..end].trim_start().len());
        parts.push(begin..begin + inner.len());
    }
    while parts.last().is_some_and(Range::is_empty) {
        parts.pop();
    }
    let first = &source[parts.first()?.clone()];
    let is_block = |text: &str| {
        ["- ", "* ", "+ ", ".. ", "| ", ":"]
            .iter()
            .any(|mark| text.starts_with(mark))
            || text.ends_with("::")
            || super::spelling::is_enumerator(text)
    };
    if parts.iter().any(Range::is_empty)
        || parts.iter().any(|part| is_block(&source[part.clone()]))
        || first.is_empty()
    {
        return None;
    }
    let mut inline = RstInline::new(source);
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            inline.run.decoded(" ", part.start..part.start);
        }
        inline.add(part.clone());
    }
    let references = inline.references;
    let context = Context::new(ParagraphKind::TableCell, None);
    Some(RstParagraph {
        place: inline.run.unit(builder, context)?,
        references,
        lines: Vec::new(),
        is_title: false,
    })
}

/// The cells of a table whose every cell has a border around it.
fn grid(lines: &[Vec<char>]) -> Vec<Frame> {
    let at = |row: usize, column: usize| {
        lines
            .get(row)
            .and_then(|line| line.get(column))
            .copied()
            .unwrap_or(' ')
    };
    let is_across = |row: usize, columns: Range<usize>| {
        columns
            .into_iter()
            .all(|column| matches!(at(row, column), '-' | '=' | '+'))
    };
    let is_down = |column: usize, rows: Range<usize>| {
        rows.into_iter()
            .all(|row| matches!(at(row, column), '|' | '+'))
    };
    let mut frames = Vec::new();
    for top in 0..lines.len() {
        for left in (0..lines[top].len()).filter(|&column| at(top, column) == '+') {
            // The nearest corner to the right and below that closes the rectangle.
            let rights = (left + 1..lines[top].len())
                .take_while(|&column| matches!(at(top, column), '-' | '=' | '+'));
            let closed = rights
                .filter(|&right| at(top, right) == '+')
                .find_map(|right| {
                    let bottoms = (top + 1..lines.len()).take_while(|&row| {
                        matches!(at(row, left), '|' | '+') && matches!(at(row, right), '|' | '+')
                    });
                    let bottom = bottoms.into_iter().find(|&bottom| {
                        at(bottom, left) == '+'
                            && at(bottom, right) == '+'
                            && is_across(bottom, left..right + 1)
                            && is_down(left, top..bottom + 1)
                    })?;
                    Some((right, bottom))
                });
            if let Some((right, bottom)) = closed
                && bottom > top + 1
                && right > left + 2
            {
                // A space is between border and text, as a rule.
                let is_free = |column: usize| (top + 1..bottom).all(|row| at(row, column) == ' ');
                let begin = left + 1 + usize::from(is_free(left + 1));
                let end = right - usize::from(is_free(right - 1));
                frames.push(Frame {
                    rows: top + 1..bottom,
                    columns: begin.min(end)..end,
                    is_last: false,
                });
            }
        }
    }
    frames
}

/// The cells of a table whose columns are given by its borders; none where a text crosses them.
fn simple(lines: &[Vec<char>]) -> Option<Vec<Frame>> {
    let spans = |line: &[char], mark: char| {
        let mut spans: Vec<Range<usize>> = Vec::new();
        for (column, &c) in line.iter().enumerate() {
            match spans.last_mut() {
                _ if c != mark => {}
                Some(span) if span.end == column => span.end += 1,
                _ => spans.push(column..column + 1),
            }
        }
        spans
    };
    let border = spans(lines.first()?, '=');
    let is_border = |line: &Vec<char>, mark: char| {
        !line.is_empty() && line.iter().all(|&c| c == mark || c == ' ')
    };
    let mut frames = Vec::new();
    let mut row = 1;
    while row < lines.len() {
        if lines[row].is_empty() || is_border(&lines[row], '=') || is_border(&lines[row], '-') {
            row += 1;
            continue;
        }
        let first = &border[0];
        let begins = |line: &Vec<char>| {
            line.get(first.clone())
                .is_none_or(|cell| cell.iter().any(|c| !c.is_whitespace()))
                && !line.is_empty()
        };
        let mut end = row + 1;
        while end < lines.len()
            && !lines[end].is_empty()
            && !is_border(&lines[end], '=')
            && !is_border(&lines[end], '-')
            && !begins(&lines[end])
        {
            end += 1;
        }
        let columns = lines
            .get(end)
            .filter(|line| is_border(line, '-'))
            .map_or_else(|| border.clone(), |line| spans(line, '-'));
        for (index, column) in columns.iter().enumerate() {
            let is_last = index + 1 == columns.len();
            let next = columns.get(index + 1).map_or(column.end, |next| next.start);
            // Text may be between columns in the last one only.
            if lines[row..end].iter().any(|line| {
                (column.end..next).any(|place| line.get(place).is_some_and(|c| *c != ' '))
            }) {
                return None;
            }
            frames.push(Frame {
                rows: row..end,
                columns: column.clone(),
                is_last,
            });
        }
        row = end;
    }
    Some(frames)
}
