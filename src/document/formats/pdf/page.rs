//! The paragraphs of all pages as a page of HTML.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::blocks::{Block, blocks, is_item, is_same_size};
use super::glyphs::Page;
use super::lines::{Line, lines};
use crate::formats::escaped;

/// Text of this many times the usual size is a heading, if it is not longer than a heading is.
const HEADING: f64 = 1.12;
const HEADING_CHARS: usize = 200;

/// Running heads and page numbers are in this share of a page at its top and at its bottom.
const MARGIN: f64 = 0.12;

/// Number of pages with a line in the same place from which the line is a running head.
const REPEATED: usize = 3;

/// A paragraph of the document.
struct PageParagraph {
    text: String,
    size: f64,
}

/// A page of HTML with the text of these pages.
pub(super) fn html(name: &str, pages: &[Page]) -> String {
    let paragraphs = paragraphs(pages);
    let body = usual_size(&paragraphs);
    let levels = heading_sizes(&paragraphs, body);
    let title = name.strip_suffix(".pdf").unwrap_or(name);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"und\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n</head>\n<body>\n",
        escaped(title)
    );
    for paragraph in &paragraphs {
        let level = levels
            .iter()
            .position(|size| is_same_size(*size, paragraph.size));
        let is_short = paragraph.text.chars().count() <= HEADING_CHARS;
        let element = match level {
            Some(level) if is_short => format!("h{}", (level + 1).min(6)),
            _ => "p".to_owned(),
        };
        let text = escaped(&paragraph.text);
        // Writing to a string cannot fail.
        let _ = writeln!(html, "<{element}>{text}</{element}>");
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn paragraphs(pages: &[Page]) -> Vec<PageParagraph> {
    let laid: Vec<[Vec<Line>; 4]> = pages
        .iter()
        .map(|page| page.turned.each_ref().map(|glyphs| lines(glyphs)))
        .collect();
    let running = running_heads(&laid, pages);
    let mut paragraphs: Vec<PageParagraph> = Vec::new();
    for (turned, page) in laid.into_iter().zip(pages) {
        let mut is_first = true;
        for (quarter, lines) in turned.into_iter().enumerate() {
            let is_kept = |line: &Line| {
                quarter > 0 || !place(line, page).is_some_and(|place| running.contains(&place))
            };
            let lines = lines.into_iter().filter(is_kept).collect();
            for block in blocks(lines) {
                let text = joined(&block);
                if text.is_empty() {
                    continue;
                }
                match paragraphs.last_mut() {
                    Some(last) if is_first && goes_on(last, &text, block.size) => {
                        join(&mut last.text, &text);
                    }
                    _ => paragraphs.push(PageParagraph {
                        text,
                        size: block.size,
                    }),
                }
                is_first = false;
            }
        }
    }
    paragraphs
}

/// Whether a paragraph continues at the top of the next page.
fn goes_on(last: &PageParagraph, text: &str, size: f64) -> bool {
    let ends = last.text.ends_with(['.', '!', '?', ':', '"', '”', '“']);
    is_same_size(last.size, size) && !ends && text.starts_with(char::is_lowercase) && !is_item(text)
}

/// The text of a block without the ends of its lines.
fn joined(block: &Block) -> String {
    let mut text = String::new();
    for line in &block.lines {
        join(&mut text, &line.text);
    }
    text
}

/// Adds a line to a text: a word that a hyphen divides becomes whole, Chinese and Japanese need no space.
fn join(text: &mut String, line: &str) {
    let last = text.chars().next_back();
    let (Some(last), Some(first)) = (last, line.chars().next()) else {
        text.push_str(line);
        return;
    };
    let before = text.chars().rev().nth(1);
    let is_hyphen = matches!(last, '-' | '\u{2010}') && before.is_some_and(char::is_alphabetic);
    if last == '\u{AD}' || is_hyphen && first.is_lowercase() {
        text.pop();
    } else if !(is_hyphen || is_unspaced(last) && is_unspaced(first)) {
        text.push(' ');
    }
    text.push_str(line);
}

/// Characters of scripts that put no spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{2E80}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FF60}')
}

/// The text of a line in the margin, its digits as one mark, and its place to a few points; none outside the margins.
type Place = (String, i64);

fn place(line: &Line, page: &Page) -> Option<Place> {
    let is_margin =
        line.baseline < MARGIN * page.height || line.baseline > (1.0 - MARGIN) * page.height;
    let text: String = line
        .text
        .chars()
        .map(|letter| if letter.is_numeric() { '#' } else { letter })
        .collect();
    let text = text.replace("##", "#").replace("##", "#");
    #[expect(clippy::cast_possible_truncation, reason = "points of a page")]
    let height = (line.baseline / 6.0).round() as i64;
    is_margin.then_some((text, height))
}

/// Lines in the margin of several pages; what differs by its numbers only is the same.
fn running_heads(laid: &[[Vec<Line>; 4]], pages: &[Page]) -> HashSet<Place> {
    let mut counts: HashMap<Place, usize> = HashMap::new();
    for ([upright, ..], page) in laid.iter().zip(pages) {
        let mut places: Vec<Place> = upright
            .iter()
            .filter_map(|line| place(line, page))
            .collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            *counts.entry(place).or_default() += 1;
        }
    }
    let repeated = counts.into_iter().filter(|(_, count)| *count >= REPEATED);
    repeated.map(|(place, _)| place).collect()
}

/// The size of most letters.
fn usual_size(paragraphs: &[PageParagraph]) -> f64 {
    let mut sizes: Vec<(f64, usize)> = paragraphs
        .iter()
        .map(|paragraph| (paragraph.size, paragraph.text.chars().count()))
        .collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, count)| count).sum::<usize>() / 2;
    let mut below = 0;
    let median = sizes.iter().find(|(_, count)| {
        below += count;
        below > half
    });
    median.map_or(0.0, |(size, _)| *size)
}

/// The sizes of headings, the largest first.
fn heading_sizes(paragraphs: &[PageParagraph], body: f64) -> Vec<f64> {
    let mut sizes: Vec<f64> = paragraphs
        .iter()
        .filter(|paragraph| paragraph.size > HEADING * body)
        .filter(|paragraph| paragraph.text.chars().count() <= HEADING_CHARS)
        .filter(|paragraph| paragraph.text.chars().any(char::is_alphabetic))
        .map(|paragraph| paragraph.size)
        .collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup_by(|a, b| is_same_size(*a, *b));
    sizes
}

#[cfg(test)]
mod tests {

    #[test]
    fn hyphens_of_divided_words_go_and_others_stay() {
        let join = |first: &str, second: &str| {
            let mut text = first.to_owned();
            super::join(&mut text, second);
            text
        };
        assert_eq!(join("transla-", "tion"), "translation");
        assert_eq!(join("docu\u{AD}", "ment"), "document");
        assert_eq!(join("English-", "German"), "English-German");
        assert_eq!(join("1990 -", "now"), "1990 - now");
        assert_eq!(join("two", "words"), "two words");
        assert_eq!(join("文", "字"), "文字");
    }
}
