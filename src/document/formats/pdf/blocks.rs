//! Columns and paragraphs of a page, in the order in which they are read.

use super::lines::Line;

/// White space of this many sizes of the letters, all the way down, divides columns.
const GUTTER: f64 = 0.8;

/// Minimum number of lines of a column.
const COLUMN_LINES: usize = 3;

/// Distance in font sizes to the right of the others at which a line is indented.
const INDENT: f64 = 0.8;

/// Lines of a paragraph are no farther apart than this share of their usual distance.
const LOOSE: f64 = 1.25;

/// Sizes of letters that differ by more than this share are different.
const SAME_SIZE: f64 = 0.06;

/// A paragraph as it is on a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub lines: Vec<Line>,
    /// The size of most of its letters.
    pub size: f64,
}

/// The paragraphs of a page: columns from left to right, each from top to bottom.
pub(super) fn blocks(lines: Vec<Line>) -> Vec<Block> {
    let mut blocks = Vec::new();
    divide(lines, &mut blocks);
    blocks
}

/// Recursive XY cut (Nagy & Seth, "Hierarchical Representation of Optically Scanned Documents", ICPR 1984): along the
/// first white space that goes all the way down, else across the highest one.
fn divide(mut lines: Vec<Line>, blocks: &mut Vec<Block>) {
    let mut open = Vec::new();
    loop {
        if let Some(cut) = gutter(&lines) {
            let (left, right) = lines.into_iter().partition(|line| line.left < cut);
            open.push(right);
            lines = left;
        } else if let Some(cut) = gap(&lines) {
            let (above, below) = lines.into_iter().partition(|line| line.baseline < cut);
            open.push(below);
            lines = above;
        } else {
            paragraphs(rows(std::mem::take(&mut lines)), blocks);
            match open.pop() {
                Some(next) => lines = next,
                None => return,
            }
        }
    }
}

/// Where the lines can be divided into columns.
fn gutter(lines: &[Line]) -> Option<f64> {
    if lines.len() < 2 * COLUMN_LINES {
        return None;
    }
    let mut spans: Vec<&Line> = lines.iter().collect();
    spans.sort_by(|a, b| a.left.total_cmp(&b.left));
    let wanted = GUTTER * typical(lines.iter().map(|line| line.size));
    let mut right = spans[0].right;
    for (count, line) in spans.iter().enumerate().skip(1) {
        let is_column = |lines: &[&Line]| distinct_rows(lines) >= COLUMN_LINES;
        if line.left - right >= wanted && is_column(&spans[..count]) && is_column(&spans[count..]) {
            return Some(f64::midpoint(line.left, right));
        }
        right = right.max(line.right);
    }
    None
}

fn distinct_rows(lines: &[&Line]) -> usize {
    let mut baselines: Vec<f64> = lines.iter().map(|line| line.baseline).collect();
    baselines.sort_by(f64::total_cmp);
    baselines.dedup_by(|a, b| (*a - *b).abs() < 2.0);
    baselines.len()
}

/// The highest space between lines, where it may hide columns: where some lines are side by side.
fn gap(lines: &[Line]) -> Option<f64> {
    let pairs = || lines.windows(2);
    let is_beside = |pair: &[Line]| pair[0].right < pair[1].left || pair[1].right < pair[0].left;
    if lines.len() <= 2 * COLUMN_LINES || !pairs().any(is_beside) {
        return None;
    }
    let distance = |pair: &[Line]| pair[1].baseline - pair[0].baseline;
    let widest = pairs().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let usual = typical(pairs().map(distance).filter(|distance| *distance > 2.0));
    (distance(widest) > LOOSE * usual).then(|| widest[0].baseline + distance(widest) / 2.0)
}

/// Joins adjacent pieces on one baseline.
fn rows(lines: Vec<Line>) -> Vec<Line> {
    let mut rows: Vec<Line> = Vec::new();
    for line in lines {
        match rows.last_mut() {
            Some(row) if (line.baseline - row.baseline).abs() < row.size / 2.0 => {
                row.text.push(' ');
                row.text.push_str(&line.text);
                row.right = row.right.max(line.right);
            }
            _ => rows.push(line),
        }
    }
    rows
}

/// Puts lines of one column together as paragraphs.
fn paragraphs(lines: Vec<Line>, blocks: &mut Vec<Block>) {
    let distances = lines
        .windows(2)
        .map(|pair| pair[1].baseline - pair[0].baseline);
    let usual = typical(distances.clone());
    let smallest = distances.fold(f64::INFINITY, f64::min);
    // Where most paragraphs have one line, the usual distance is that between paragraphs.
    let usual = usual.min(smallest * LOOSE);
    let left = typical(lines.iter().map(|line| line.left));
    let right = lines.iter().map(|line| line.right).fold(left, f64::max);
    let mut last: Option<Line> = None;
    for line in lines {
        let goes_on = last.as_ref().is_some_and(|last| {
            // The second line of an item is below its text, not below its mark.
            let hangs =
                blocks.last().is_some_and(|block| block.lines.len() == 1) && is_item(&last.text);
            let is_indented = line.left - left > INDENT * line.size
                && line.left - last.left > INDENT * line.size / 2.0
                && !hangs;
            let is_full = last.right > right - 0.15 * (right - left);
            let ends = last.text.ends_with(['.', '!', '?', ':', '。', '！', '？']);
            line.baseline - last.baseline <= LOOSE * usual
                && is_same_size(line.size, last.size)
                && !is_indented
                && !is_item(&line.text)
                && (is_full || !ends)
        });
        match blocks.last_mut() {
            Some(block) if goes_on => block.lines.push(line.clone()),
            _ => blocks.push(Block {
                lines: vec![line.clone()],
                size: line.size,
            }),
        }
        last = Some(line);
    }
}

pub(super) fn is_same_size(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_SIZE * one.max(other)
}

/// Whether a line begins an item of a list: with a bullet, or a number and its mark.
pub(super) fn is_item(text: &str) -> bool {
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_bullet = ["•", "◦", "▪", "‣", "–", "-", "*", "·"].contains(&mark);
    let number = mark.strip_suffix(['.', ')']);
    let is_number = number.is_some_and(|number| {
        !number.is_empty()
            && number.len() <= 3
            && number.chars().all(|digit| digit.is_ascii_digit())
    });
    (is_bullet || is_number) && !rest.is_empty()
}

/// The median; 0 of nothing.
fn typical(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f64, right: f64, baseline: f64) -> Line {
        Line {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size: 10.0,
        }
    }

    fn texts(blocks: &[Block]) -> Vec<Vec<String>> {
        let texts = |block: &'_ Block| {
            let lines = block.lines.iter();
            lines.map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        blocks.iter().map(texts).collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other_below_what_stands_across() {
        let mut lines = vec![line("title", 50.0, 250.0, 10.0)];
        for row in 0..4 {
            let baseline = 50.0 + 12.0 * f64::from(row);
            lines.push(line(&format!("l{row}"), 0.0, 140.0, baseline));
            lines.push(line(&format!("r{row}"), 160.0, 300.0, baseline));
        }
        let blocks = blocks(lines);
        assert_eq!(
            texts(&blocks),
            [
                vec!["title"],
                vec!["l0", "l1", "l2", "l3"],
                vec!["r0", "r1", "r2", "r3"]
            ]
        );
    }

    #[test]
    fn space_indents_and_items_begin_paragraphs() {
        let lines = vec![
            line("a", 0.0, 100.0, 10.0),
            line("b.", 0.0, 60.0, 22.0),
            line("c", 12.0, 100.0, 34.0),
            line("d", 0.0, 100.0, 46.0),
            line("e", 0.0, 100.0, 70.0),
            line("1. f", 0.0, 100.0, 82.0),
            line("g", 12.0, 100.0, 94.0),
        ];
        let blocks = blocks(lines);
        assert_eq!(
            texts(&blocks),
            [
                vec!["a", "b."],
                vec!["c", "d"],
                vec!["e"],
                vec!["1. f", "g"]
            ]
        );
    }

    #[test]
    fn a_dash_alone_is_no_item() {
        assert!(is_item("• word") && is_item("12) word") && is_item("- word"));
        assert!(!is_item("-") && !is_item("1990. word") && !is_item("word. Word"));
    }
}
