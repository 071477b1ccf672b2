//! Adjacent glyphs are words, words on one baseline a line.

use super::glyphs::Glyph;

/// A gap of this many sizes of the letters is a space.
const SPACE: f64 = 0.2;

/// A gap of this many sizes divides a line: columns, cells of tables.
const GUTTER: f64 = 1.4;

/// Glyphs whose baselines differ by less than this many sizes are on one line, raised and lowered ones included.
const SAME_LINE: f64 = 0.4;

/// A stretch of text on one baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub baseline: f64,
    /// The size of most of its letters.
    pub size: f64,
}

/// The lines of a page, from top to bottom, those of one baseline from left to right.
pub(super) fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut order: Vec<&Glyph> = glyphs
        .iter()
        .filter(|glyph| !glyph.text.is_empty())
        .collect();
    order.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let mut lines = Vec::new();
    let mut rest = &order[..];
    while let Some(first) = rest.first() {
        let mut base = *first;
        let mut count = 1;
        for glyph in &rest[1..] {
            let reach = SAME_LINE * base.size.max(glyph.size);
            if glyph.baseline - base.baseline > reach {
                break;
            }
            // A raised number comes first, the letters next to it are larger.
            if glyph.size > base.size {
                base = glyph;
            }
            count += 1;
        }
        let (row, below) = rest.split_at(count);
        lines.extend(divided(row));
        rest = below;
    }
    lines
}

/// The stretches of one row of glyphs.
fn divided(row: &[&Glyph]) -> Vec<Line> {
    let mut row = row.to_vec();
    row.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut lines: Vec<Vec<&Glyph>> = Vec::new();
    let mut right = f64::NEG_INFINITY;
    for glyph in row {
        // The same glyph drawn twice, a little aside, is a bold one.
        let is_double = lines
            .last()
            .and_then(|line| line.last())
            .is_some_and(|last| {
                last.text == glyph.text
                    && (last.left - glyph.left).abs() < 0.1 * glyph.size
                    && !glyph.text.trim().is_empty()
            });
        if is_double {
            continue;
        }
        match lines.last_mut() {
            Some(line) if glyph.left - right <= GUTTER * glyph.size => line.push(glyph),
            _ => lines.push(vec![glyph]),
        }
        right = if glyph.text.trim().is_empty() && glyph.right - glyph.left > GUTTER * glyph.size {
            right
        } else {
            right.max(glyph.right)
        };
    }
    lines.iter().filter_map(|glyphs| line(glyphs)).collect()
}

fn line(glyphs: &[&Glyph]) -> Option<Line> {
    let mut text = String::new();
    let mut end: Option<f64> = None;
    for glyph in glyphs {
        let is_apart = end.is_some_and(|end| glyph.left - end > SPACE * glyph.size);
        if (is_apart || glyph.text.chars().all(char::is_whitespace)) && !text.ends_with(' ') {
            text.push(' ');
        }
        let letters = glyph.text.chars().filter(|letter| !letter.is_whitespace());
        for letter in letters {
            push(letter, &mut text);
        }
        end = Some(end.map_or(glyph.right, |end| end.max(glyph.right)));
    }
    let seen = |glyph: &&&Glyph| !glyph.text.trim().is_empty();
    let mut sizes: Vec<f64> = glyphs.iter().filter(seen).map(|glyph| glyph.size).collect();
    sizes.sort_by(f64::total_cmp);
    let size = *sizes.get(sizes.len() / 2)?;
    let largest = glyphs
        .iter()
        .filter(seen)
        .max_by(|a, b| a.size.total_cmp(&b.size))?;
    let left = glyphs.iter().find(seen)?.left;
    let right = glyphs.iter().filter(seen).map(|glyph| glyph.right);
    Some(Line {
        text: text.trim().to_owned(),
        left,
        right: right.fold(left, f64::max),
        baseline: largest.baseline,
        size,
    })
}

/// Adds a letter; ligatures as the letters that they stand for, control characters not at all.
fn push(letter: char, text: &mut String) {
    match letter {
        '\u{FB00}' => text.push_str("ff"),
        '\u{FB01}' => text.push_str("fi"),
        '\u{FB02}' => text.push_str("fl"),
        '\u{FB03}' => text.push_str("ffi"),
        '\u{FB04}' => text.push_str("ffl"),
        '\u{FB05}' | '\u{FB06}' => text.push_str("st"),
        _ if letter.is_control() => {}
        // Letters of Symbol and other special fonts mean nothing in other fonts.
        '\u{E000}'..='\u{F8FF}' => text.push('•'),
        _ => text.push(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyph(text: &str, left: f64, baseline: f64, size: f64) -> Glyph {
        Glyph {
            text: text.to_owned(),
            left,
            right: left + size / 2.0,
            baseline,
            size,
        }
    }

    #[test]
    fn gaps_are_spaces_and_wide_gaps_divide() {
        let row = [
            glyph("a", 0.0, 20.0, 10.0),
            glyph("b", 5.0, 20.0, 10.0),
            glyph("c", 13.0, 20.2, 10.0),
            glyph("2", 18.0, 17.0, 6.0),
            glyph("d", 60.0, 20.0, 10.0),
            glyph("\u{FB01}", 0.0, 8.0, 10.0),
        ];
        let lines = lines(&row);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["fi", "ab c2", "d"]);
        assert!((lines[1].size - 10.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_drawn_twice_is_read_once() {
        let row = [
            glyph("l", 0.0, 20.0, 10.0),
            glyph("l", 0.3, 20.0, 10.0),
            glyph("l", 5.0, 20.0, 10.0),
        ];
        assert_eq!(lines(&row)[0].text, "ll");
    }
}
