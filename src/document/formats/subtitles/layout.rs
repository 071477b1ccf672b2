//! Where the lines and cues of a translation end.

use std::ops::Range;

use icu_segmenter::{LineSegmenter, options::LineBreakOptions};
use serde::{Deserialize, Serialize};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::cues::mark;

/// How much room subtitles have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubtitleLayout {
    /// Characters of a line, combining marks aside.
    pub max_chars: usize,
    /// Lines of a cue.
    pub max_lines: usize,
}

impl Default for SubtitleLayout {
    fn default() -> Self {
        Self {
            max_chars: 42,
            max_lines: 2,
        }
    }
}

/// A piece of a text that is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Glyph {
    /// A character that is seen, and how it is written.
    Char(char, String),
    /// A tag without a partner, and the block that it belongs to, if it must stay there.
    Mark(String, Option<usize>),
    /// Both tags of a pair, at its beginning.
    Open(String, String),
    /// Closes the innermost open pair.
    Close,
}

/// A text and the places where it may be divided.
pub(super) struct Laid<'g> {
    glyphs: &'g [Glyph],
    /// Glyphs before which a line may begin: the first, each after an opportunity, and the end.
    places: Vec<usize>,
    /// How much is shown before each place, with and without the space right before it.
    widths: Vec<(usize, usize)>,
}

impl<'g> Laid<'g> {
    pub(super) fn new(glyphs: &'g [Glyph]) -> Self {
        let (mut shown, mut indices) = (String::new(), Vec::new());
        for (index, glyph) in glyphs.iter().enumerate() {
            if let Glyph::Char(character, _) = glyph {
                indices.push((shown.len(), index));
                shown.push(*character);
            }
        }
        let segmenter = LineSegmenter::new_dictionary(LineBreakOptions::default());
        let mut places = vec![0];
        for offset in segmenter
            .segment_str(&shown)
            .filter(|&it| it > 0 && it < shown.len())
        {
            // Such a line would be read as another speaker's.
            if mark(&shown[offset..]) > 0 {
                continue;
            }
            let char_index = indices.partition_point(|(start, _)| *start < offset);
            let Some(&(_, mut place)) = indices.get(char_index) else {
                continue;
            };
            // Tags before a word go with it.
            while place > 0 && matches!(glyphs[place - 1], Glyph::Open(..) | Glyph::Mark(..)) {
                place -= 1;
            }
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        if !glyphs.is_empty() {
            places.push(glyphs.len());
        }
        let (mut widths, mut width, mut inked, mut next) = (Vec::new(), 0, 0, 0);
        for &place in &places {
            for glyph in &glyphs[next..place] {
                if let Glyph::Char(character, _) = glyph {
                    width += width_of(*character);
                    if !character.is_whitespace() {
                        inked = width;
                    }
                }
            }
            next = place;
            widths.push((width, inked));
        }
        Self {
            glyphs,
            places,
            widths,
        }
    }

    /// Returns how much is shown between two places.
    fn width(&self, from: usize, to: usize) -> usize {
        self.widths[to].1.saturating_sub(self.widths[from].0)
    }

    /// Where the lines that begin at a place and are as long as they may be end, up to `to`.
    fn line_ends(&self, from: usize, to: usize, max_chars: usize) -> Vec<usize> {
        let (mut ends, mut start) = (Vec::new(), from);
        while start < to {
            let mut end = start + 1;
            while end < to && self.width(start, end + 1) <= max_chars {
                end += 1;
            }
            ends.push(end);
            start = end;
        }
        ends
    }

    /// The lines of the text: as few as its length allows, and then of similar length.
    pub(super) fn lines(&self, layout: SubtitleLayout) -> Vec<Range<usize>> {
        let last = self.places.len() - 1;
        let num_lines = self.line_ends(0, last, layout.max_chars).len();
        let (mut low, mut high) = (1, layout.max_chars);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.line_ends(0, last, middle).len() <= num_lines {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let mut start = 0;
        let mut lines = Vec::new();
        for end in self.line_ends(0, last, high) {
            lines.push(self.places[start]..self.places[end]);
            start = end;
        }
        lines
    }

    /// Divides the text among cues in proportion to `shares`, so that each has room for its part in addition to what it holds
    /// already.
    pub(super) fn divided(
        &self,
        shares: &[usize],
        held: &[usize],
        layout: SubtitleLayout,
    ) -> Vec<Range<usize>> {
        const MOST: usize = 600;
        let last = self.places.len() - 1;
        let all: usize = shares.iter().sum::<usize>().max(1);
        let total = self.width(0, last);
        if last == 0 || last > MOST {
            return self.by_shares(shares, all);
        }
        let cost = |cue: usize, from: usize, to: usize| {
            if from == to {
                return f64::from(u16::MAX);
            }
            let width = self.width(from, to);
            let wanted = as_f64(total * shares[cue]) / as_f64(all);
            let is_over = if held[cue] == 0 {
                self.line_ends(from, to, layout.max_chars).len() > layout.max_lines
            } else {
                width + held[cue] + 1 > layout.max_chars * layout.max_lines
            };
            let excess = width.saturating_sub(layout.max_chars * layout.max_lines);
            let over = if is_over { 100.0 + as_f64(excess) } else { 0.0 };
            // A clause that ends with its cue is easier to read.
            let torn = if to < last && !self.ends_clause(to) {
                wanted / 10.0
            } else {
                0.0
            };
            (as_f64(width) - wanted).powi(2) / wanted.max(1.0) + over * over + torn
        };
        // The least cost of the first cues with the text up to each place, and where the last of them begins.
        let mut best = vec![f64::INFINITY; last + 1];
        best[0] = 0.0;
        let mut begins = Vec::new();
        for cue in 0..shares.len() {
            let (mut next, mut from) = (vec![f64::INFINITY; last + 1], vec![0; last + 1]);
            for to in 0..=last {
                for (start, least) in best.iter().enumerate().take(to + 1) {
                    if least.is_finite() {
                        let sum = least + cost(cue, start, to);
                        if sum < next[to] {
                            (next[to], from[to]) = (sum, start);
                        }
                    }
                }
            }
            best = next;
            begins.push(from);
        }
        let (mut ranges, mut end) = (Vec::new(), last);
        for from in begins.iter().rev() {
            let start = from[end];
            ranges.push(self.places[start]..self.places[end]);
            end = start;
        }
        ranges.reverse();
        ranges
    }

    /// Line ranges by the shares alone.
    fn by_shares(&self, shares: &[usize], all: usize) -> Vec<Range<usize>> {
        let last = self.places.len() - 1;
        let total = self.widths[last].0;
        let (mut sum, mut start, mut ranges) = (0, 0, Vec::new());
        for (number, share) in shares.iter().enumerate() {
            sum += share;
            let wanted = total * sum / all;
            let found = self.widths.partition_point(|(width, _)| *width < wanted);
            let end = if number + 1 == shares.len() {
                last
            } else {
                found.clamp(start, last)
            };
            ranges.push(self.places[start]..self.places[end]);
            start = end;
        }
        ranges
    }

    fn ends_clause(&self, place: usize) -> bool {
        let before = self.glyphs[..self.places[place]].iter().rev();
        let mut characters = before.filter_map(|glyph| match glyph {
            Glyph::Char(character, _) if !character.is_whitespace() => Some(*character),
            _ => None,
        });
        characters
            .next()
            .is_some_and(|c| ",;:.!?…、，。！？،".contains(c))
    }
}

fn as_f64(count: usize) -> f64 {
    count as f64
}

/// How many places of a line a character takes.
fn width_of(character: char) -> usize {
    use GeneralCategory::{EnclosingMark, Format, NonspacingMark};
    usize::from(!matches!(
        character.general_category(),
        NonspacingMark | EnclosingMark | Format
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(text: &str) -> Vec<Glyph> {
        text.chars()
            .map(|c| Glyph::Char(c, c.to_string()))
            .collect()
    }

    fn parts(text: &str, ranges: Vec<Range<usize>>) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        ranges
            .into_iter()
            .map(|range| {
                characters[range]
                    .iter()
                    .collect::<String>()
                    .trim()
                    .to_owned()
            })
            .collect()
    }

    fn lines(text: &str, max_chars: usize) -> Vec<String> {
        let layout = SubtitleLayout {
            max_chars,
            max_lines: 2,
        };
        parts(text, Laid::new(&glyphs(text)).lines(layout))
    }

    #[test]
    fn lines_are_few_and_of_similar_length() {
        assert_eq!(lines("one two three four", 42), ["one two three four"]);
        assert_eq!(
            lines("one two three four five six", 20),
            ["one two three", "four five six"]
        );
        assert_eq!(
            lines("Donaudampfschifffahrt ja", 10),
            ["Donaudampfschifffahrt", "ja"]
        );
        assert_eq!(
            lines("日本語の字幕はとても長い", 8).concat(),
            "日本語の字幕はとても長い"
        );
        assert!(
            lines("日本語の字幕はとても長い", 8)
                .iter()
                .all(|line| line.chars().count() <= 8)
        );
        assert_eq!(lines("", 10), [""; 0]);
    }

    #[test]
    fn a_text_is_divided_by_shares_at_the_ends_of_words() {
        let divided = |text: &str, shares: &[usize], max_chars| {
            let layout = SubtitleLayout {
                max_chars,
                max_lines: 2,
            };
            let held = vec![0; shares.len()];
            parts(
                text,
                Laid::new(&glyphs(text)).divided(shares, &held, layout),
            )
        };
        assert_eq!(
            divided("eins zwei drei, vier fünf sechs", &[10, 10], 42),
            ["eins zwei drei,", "vier fünf sechs"]
        );
        // What the shares want does not fit.
        let parts = divided("aaaa bbbb cccc dddd eeee ffff", &[29, 1], 10);
        assert!(parts[0].len() <= 21, "{parts:?}");
        assert_eq!(divided("ja", &[3, 3], 42).concat(), "ja");
        assert_eq!(divided("", &[3, 3], 42), ["", ""]);
    }
}
