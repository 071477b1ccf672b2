//! The pieces of a text that are never torn: letters with their marks, ligatures, chips.

use std::ops::Range;
use std::sync::Arc;

use egui::Galley;
use egui::epaint::text::{FontsView, Glyph};
use egui::text::{LayoutJob, TextFormat};

use super::Text;
use crate::typesetting::{
    Direction, is_extending, is_ideographic, is_simple, joins, levels, line_breaks, mirrored,
};

/// Characters that stand together.
#[derive(Clone)]
pub(super) struct Cluster {
    /// Of the whole text.
    pub chars: Range<usize>,
    pub letters: Vec<char>,
    /// Odd from right to left.
    pub level: u8,
    pub section: usize,
    pub width: f32,
    pub is_space: bool,
    /// A line may begin after it.
    pub breaks: bool,
    /// The glyphs that are drawn, from its left edge.
    pub shapes: Vec<Glyph>,
    /// For each character, where it begins and where it ends, from the left edge.
    pub edges: Vec<(f32, f32)>,
    /// Measures of its font.
    pub measure: Glyph,
}

/// A paragraph in clusters, in the order in which they are read.
pub(super) struct Paragraph {
    pub clusters: Vec<Cluster>,
    /// The section in which it stands, for its height where it is empty.
    pub section: usize,
}

/// Sets pieces of text.
pub(super) struct Setter<'a, 'b> {
    fonts: &'a mut FontsView<'b>,
    pub pixels_per_point: f32,
}

impl<'a, 'b> Setter<'a, 'b> {
    pub fn new(fonts: &'a mut FontsView<'b>, pixels_per_point: f32) -> Self {
        Self {
            fonts,
            pixels_per_point,
        }
    }

    /// A piece on one line.
    pub fn set(&mut self, text: &str, format: &TextFormat) -> Arc<Galley> {
        let mut job = LayoutJob::single_section(text.to_owned(), format.clone());
        job.break_on_newline = false;
        job.round_output_to_gui = false;
        self.fonts.layout_job(job)
    }

    /// The paragraphs of a text.
    pub fn paragraphs(&mut self, text: &Text) -> Vec<Paragraph> {
        let mut paragraphs = vec![];
        let (mut byte, mut first) = (0, 0);
        let whole = &text.job.text;
        loop {
            let end = match whole[byte..].find('\n') {
                Some(at) if text.job.break_on_newline => byte + at,
                _ => whole.len(),
            };
            let bytes = byte..end;
            let count = whole[bytes.clone()].chars().count();
            paragraphs.push(self.paragraph(text, bytes, first));
            if end == whole.len() {
                return paragraphs;
            }
            (byte, first) = (end + 1, first + count + 1);
        }
    }

    fn paragraph(&mut self, text: &Text, bytes: Range<usize>, first: usize) -> Paragraph {
        let characters = characters(text, &bytes, first);
        let section = section_at(&text.job, bytes.start);
        let mut clusters: Vec<Cluster> = vec![];
        let mut start = 0;
        while start < characters.len() {
            let end = start + piece_length(&characters[start..]);
            self.piece(
                &text.job,
                &characters[start..end],
                first + start,
                &mut clusters,
            );
            start = end;
        }
        let mut sections_seen = None;
        for cluster in &mut clusters {
            let leading = text.job.sections[cluster.section].leading_space;
            let opens = sections_seen.replace(cluster.section) != Some(cluster.section);
            if opens && leading > 0.0 {
                cluster.lead(leading);
            }
        }
        Paragraph { clusters, section }
    }

    /// One direction, one section, and what egui can set at once.
    fn piece(
        &mut self,
        job: &LayoutJob,
        characters: &[Character],
        first: usize,
        clusters: &mut Vec<Cluster>,
    ) {
        let Some(lead) = characters.first().copied() else {
            return;
        };
        let is_right = lead.level % 2 == 1 && lead.object.is_none();
        let written: String = characters
            .iter()
            .map(|it| match is_right && !joins(it.character) {
                true => mirrored(it.character),
                false => it.character,
            })
            .collect();
        let galley = self.set(&written, &job.sections[lead.section].format);
        let glyphs = galley
            .rows
            .first()
            .map_or(&[][..], |row| &row.row.glyphs[..]);
        let Some(measure) = glyphs.first().copied() else {
            return;
        };
        let shown: Vec<char> = written.chars().collect();
        let aligned = aligned(glyphs, &shown, is_right);
        let mut pieces: Vec<Cluster> = aligned
            .into_iter()
            .map(|group| {
                let measure = group.shapes.first().map_or(measure, |(glyph, _)| *glyph);
                let last = characters[group.chars.end - 1];
                let of_cluster = &characters[group.chars.clone()];
                Cluster {
                    chars: first + group.chars.start..first + group.chars.end,
                    letters: of_cluster.iter().map(|it| it.character).collect(),
                    level: lead.level,
                    section: lead.section,
                    width: group.width,
                    is_space: of_cluster.iter().all(|it| it.character.is_whitespace()),
                    breaks: last.breaks,
                    edges: edges(of_cluster, group.width, is_right),
                    shapes: group
                        .shapes
                        .into_iter()
                        .map(|(mut glyph, offset)| {
                            glyph.pos.x = offset;
                            glyph
                        })
                        .collect(),
                    measure,
                }
            })
            .collect();
        if lead.object.is_some() {
            pieces = whole(pieces).into_iter().collect();
        }
        clusters.append(&mut pieces);
    }
}

impl Cluster {
    /// Empty space before it.
    fn lead(&mut self, space: f32) {
        self.width += space;
        if self.level % 2 == 0 {
            for (start, end) in &mut self.edges {
                (*start, *end) = (*start + space, *end + space);
            }
            for shape in &mut self.shapes {
                shape.pos.x += space;
            }
        }
    }
}

/// Several clusters as one that is read from left to right.
fn whole(clusters: Vec<Cluster>) -> Option<Cluster> {
    clusters.into_iter().reduce(|mut whole, next| {
        let shift = whole.width;
        whole.chars.end = next.chars.end;
        whole.letters.extend(next.letters);
        whole.edges.extend(
            next.edges
                .iter()
                .map(|(start, end)| (start + shift, end + shift)),
        );
        whole
            .shapes
            .extend(next.shapes.into_iter().map(|mut shape| {
                shape.pos.x += shift;
                shape
            }));
        whole.width += next.width;
        whole.is_space = false;
        whole.breaks = next.breaks;
        whole
    })
}

#[derive(Clone, Copy)]
struct Character {
    character: char,
    level: u8,
    section: usize,
    /// Which of [`Text::objects`] it is part of.
    object: Option<usize>,
    /// A line may begin after it.
    breaks: bool,
    /// The rules of its script let a line begin after it.
    ends_word: bool,
}

fn section_at(job: &LayoutJob, byte: usize) -> usize {
    let after = |section: &egui::text::LayoutSection| section.byte_range.end.0 <= byte;
    let index = job.sections.partition_point(after);
    index.min(job.sections.len().saturating_sub(1))
}

fn characters(text: &Text, bytes: &Range<usize>, first: usize) -> Vec<Character> {
    let paragraph = &text.job.text[bytes.clone()];
    let object = |place: usize| {
        text.objects
            .iter()
            .position(|object| object.contains(&(first + place)))
    };
    // To the text around it an object is one sign without direction.
    let mut told = String::with_capacity(paragraph.len());
    for (place, character) in paragraph.chars().enumerate() {
        told.push(if object(place).is_some() {
            '\u{FFFC}'
        } else {
            character
        });
    }
    let levels = levels(&told, text.direction);
    let breaks = line_breaks(paragraph);
    let ends = paragraph.char_indices().map(|(at, it)| at + it.len_utf8());
    let mut characters: Vec<Character> = paragraph
        .char_indices()
        .zip(ends)
        .zip(levels)
        .enumerate()
        .map(|(place, (((at, character), end), level))| {
            let ends_word = breaks.binary_search(&end).is_ok();
            Character {
                character,
                level,
                section: section_at(&text.job, bytes.start + at),
                object: object(place),
                breaks: text.job.wrap.break_anywhere || ends_word,
                ends_word,
            }
        })
        .collect();
    for place in 1..characters.len() {
        let (before, here) = (characters[place - 1], characters[place]);
        if before.object.is_some() && before.object == here.object {
            characters[place - 1].breaks = false;
        }
    }
    characters
}

/// How many characters egui can set at once.
fn piece_length(characters: &[Character]) -> usize {
    let lead = characters[0];
    let same = |it: &&Character| {
        it.section == lead.section && it.level == lead.level && it.object == lead.object
    };
    let alike = characters.iter().take_while(same).count();
    let alike = &characters[..alike];
    if lead.object.is_some() {
        return alike.len();
    }
    if lead.level % 2 == 1 {
        // The parts of a word that runs from right to left egui turns round, words it does not.
        return match joins(lead.character) {
            true => alike.iter().take_while(|it| joins(it.character)).count(),
            false => 1,
        };
    }
    // Where letters become other shapes, places within a word are not known, so a line ends after a piece.
    let is_plain = |it: &Character| {
        is_ideographic(it.character) || is_simple(it.character.encode_utf8(&mut [0; 4]))
    };
    if is_plain(&lead) {
        let plain = alike.iter().take_while(|it| is_plain(it)).count();
        let is_marked = alike
            .get(plain)
            .is_some_and(|it| is_extending(it.character));
        return if is_marked && plain > 1 {
            plain - 1
        } else {
            plain
        };
    }
    let word = alike.iter().position(|it| it.ends_word);
    let unbroken = word.map_or(alike.len(), |at| at + 1);
    unbroken.max(1)
}

/// Characters and what is drawn for them.
struct Group {
    chars: Range<usize>,
    width: f32,
    /// With its place from the left edge of the group.
    shapes: Vec<(Glyph, f32)>,
}

/// Finds which glyphs belong to which characters: egui keeps the first character of each glyph's cluster.
fn aligned(glyphs: &[Glyph], characters: &[char], is_right: bool) -> Vec<Group> {
    let drawn = if is_right {
        &glyphs[..num_shaped(glyphs, characters)]
    } else {
        glyphs
    };
    let mut left = 0.0;
    let mut placed: Vec<(Glyph, f32)> = vec![];
    for glyph in drawn {
        placed.push((*glyph, left));
        left += glyph.advance_width;
    }
    if is_right {
        placed.reverse();
    }
    let one_each = !is_right
        && placed.len() == characters.len()
        && placed
            .iter()
            .zip(characters)
            .all(|((glyph, _), character)| glyph.chr == *character);
    let mut groups: Vec<(usize, Vec<(Glyph, f32)>)> = vec![];
    for (index, (glyph, at)) in placed.into_iter().enumerate() {
        let is_empty = glyph.advance_width == 0.0 && glyph.uv_rect.is_nothing();
        let Some((start, shapes)) = groups.last_mut() else {
            groups.push((0, vec![(glyph, at)]));
            continue;
        };
        let next = if one_each {
            // A mark or the rest of a ligature stays with what is before it.
            (!is_empty && !is_extending(glyph.chr)).then_some(index)
        } else {
            let rest = &characters[*start + 1..];
            let later = rest.iter().position(|character| *character == glyph.chr);
            let later = later.filter(|later| *later == 0 || glyph.chr != characters[*start]);
            later.filter(|_| !is_empty).map(|later| *start + 1 + later)
        };
        match next {
            Some(next) => groups.push((next, vec![(glyph, at)])),
            None => shapes.push((glyph, at)),
        }
    }
    let ends: Vec<usize> = groups.iter().skip(1).map(|(start, _)| *start).collect();
    let ends = ends.into_iter().chain([characters.len()]);
    groups
        .into_iter()
        .zip(ends)
        .map(|((start, shapes), end)| {
            let left = shapes.iter().map(|(_, at)| *at).fold(f32::MAX, f32::min);
            let width = shapes.iter().map(|(glyph, _)| glyph.advance_width).sum();
            let shapes = shapes
                .into_iter()
                .map(|(glyph, _)| (glyph, glyph.pos.x - left))
                .collect();
            Group {
                chars: start..end,
                width,
                shapes,
            }
        })
        .collect()
}

/// How many glyphs were shaped. Behind those of text from the right egui puts empty ones: it takes the cluster that it
/// saw last, which is the first of the text, to hold all the rest.
fn num_shaped(glyphs: &[Glyph], characters: &[char]) -> usize {
    for in_cluster in 1..characters.len() {
        let rest = &characters[in_cluster..];
        let Some(shaped) = glyphs
            .len()
            .checked_sub(rest.len())
            .filter(|shaped| *shaped > 0)
        else {
            continue;
        };
        let is_rest = glyphs[shaped..].iter().zip(rest).all(|(glyph, character)| {
            glyph.chr == *character && glyph.advance_width == 0.0 && glyph.uv_rect.is_nothing()
        });
        if is_rest {
            return shaped;
        }
    }
    glyphs.len()
}

/// Letters share the width of their cluster, marks have none.
fn edges(characters: &[Character], width: f32, is_right: bool) -> Vec<(f32, f32)> {
    let is_letter = |place: usize| place == 0 || !is_extending(characters[place].character);
    let count = (0..characters.len())
        .filter(|place| is_letter(*place))
        .count();
    #[expect(clippy::cast_precision_loss, reason = "a few letters")]
    let share = width / count.max(1) as f32;
    let mut at = 0.0;
    (0..characters.len())
        .map(|place| {
            let start = at;
            if is_letter(place) {
                at += share;
            }
            match is_right {
                true => (width - start, width - at),
                false => (start, at),
            }
        })
        .collect()
}

/// The direction of a paragraph as a level.
pub(super) fn level_of(direction: Direction) -> u8 {
    u8::from(direction == Direction::RightToLeft)
}
