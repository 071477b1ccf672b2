//! The pieces of a text that are never torn: letters with their marks, ligatures, chips.

use std::ops::Range;
use std::sync::Arc;

use egui::Galley;
use egui::epaint::text::{FontsView, Glyph};
use egui::text::{LayoutJob, TextFormat};

use super::Text;
use super::alignment::aligned;
use crate::theme;
use canopy_chart::typesetting::{
    Direction, is_extending, is_ideographic, is_simple, joins, levels, line_breaks, mirrored,
    wide_signs,
};

/// Characters that form a unit.
#[derive(Clone)]
pub(super) struct Cluster {
    /// Characters of the whole text.
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
    /// Its section, for its height where it is empty.
    pub section: usize,
}

/// Sets pieces of text.
pub(super) struct Setter<'a, 'b> {
    fonts: &'a mut FontsView<'b>,
    pub pixels_per_point: f32,
    /// Whether there are families of [`theme::wide`].
    has_wide: bool,
}

impl<'a, 'b> Setter<'a, 'b> {
    pub(super) fn new(fonts: &'a mut FontsView<'b>, pixels_per_point: f32, has_wide: bool) -> Self {
        Self {
            fonts,
            pixels_per_point,
            has_wide,
        }
    }

    /// A piece on one line.
    pub(super) fn set(&mut self, text: &str, format: &TextFormat) -> Arc<Galley> {
        let mut job = LayoutJob::single_section(text.to_owned(), format.clone());
        job.break_on_newline = false;
        job.round_output_to_gui = false;
        self.fonts.layout_job(job)
    }

    /// The paragraphs of a text.
    pub(super) fn paragraphs(&mut self, text: &Text) -> Vec<Paragraph> {
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
        let mut characters = characters(text, &bytes, first);
        if self.has_wide {
            let signs = wide_signs(&text.job.text[bytes.clone()]);
            for (character, is_wide) in characters.iter_mut().zip(signs) {
                character.is_wide = is_wide && character.object.is_none();
            }
        }
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
            .map(|it| {
                if is_right && !joins(it.letter) {
                    mirrored(it.letter)
                } else {
                    it.letter
                }
            })
            .collect();
        let format = &job.sections[lead.section].format;
        let mut galley = self.set(&written, format);
        let Some(measure) = first_glyphs(&galley).first().copied() else {
            return;
        };
        if lead.is_wide {
            let mut wide = format.clone();
            wide.font_id.family = theme::wide(&format.font_id.family);
            galley = self.set(&written, &wide);
        }
        let glyphs = first_glyphs(&galley);
        let shown: Vec<char> = written.chars().collect();
        let aligned = aligned(glyphs, &shown, is_right);
        let mut pieces: Vec<Cluster> = aligned
            .into_iter()
            .map(|group| {
                let of_group = group.shapes.first().map(|(glyph, _)| *glyph);
                // Such signs are on the line as all others are.
                let measure = of_group.filter(|_| !lead.is_wide).unwrap_or(measure);
                let last = characters[group.chars.end - 1];
                let of_cluster = &characters[group.chars.clone()];
                Cluster {
                    chars: first + group.chars.start..first + group.chars.end,
                    letters: of_cluster.iter().map(|it| it.letter).collect(),
                    level: lead.level,
                    section: lead.section,
                    width: group.width,
                    is_space: of_cluster.iter().all(|it| it.letter.is_whitespace()),
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

fn first_glyphs(galley: &Galley) -> &[Glyph] {
    let row = galley.rows.first();
    row.map_or(&[][..], |row| &row.row.glyphs[..])
}

impl Cluster {
    /// Empty space before it.
    fn lead(&mut self, space: f32) {
        self.width += space;
        if self.level.is_multiple_of(2) {
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
    letter: char,
    level: u8,
    section: usize,
    /// Which of [`Text::objects`] it is part of.
    object: Option<usize>,
    /// A line may begin after it.
    breaks: bool,
    /// The rules of its script let a line begin after it.
    ends_word: bool,
    /// It is as wide as the Chinese characters around it.
    is_wide: bool,
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
    let mut masked = String::with_capacity(paragraph.len());
    for (place, character) in paragraph.chars().enumerate() {
        masked.push(if object(place).is_some() {
            '\u{FFFC}'
        } else {
            character
        });
    }
    let levels = levels(&masked, text.direction);
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
                letter: character,
                level,
                section: section_at(&text.job, bytes.start + at),
                object: object(place),
                breaks: text.job.wrap.break_anywhere || ends_word,
                ends_word,
                is_wide: false,
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
        (it.section, it.level, it.object, it.is_wide)
            == (lead.section, lead.level, lead.object, lead.is_wide)
    };
    let alike = characters.iter().take_while(same).count();
    let alike = &characters[..alike];
    if lead.object.is_some() {
        return alike.len();
    }
    if lead.level % 2 == 1 {
        // The parts of a word that runs from right to left egui turns round, words it does not.
        return if joins(lead.letter) {
            alike.iter().take_while(|it| joins(it.letter)).count()
        } else {
            1
        };
    }
    // Digits of Arabic run from the left, but egui would shape them as its letters, from the right.
    if matches!(lead.letter, '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}') {
        return 1;
    }
    // Where letters become other shapes, places within a word are not known, so a line ends after a piece.
    let is_plain =
        |it: &Character| is_ideographic(it.letter) || is_simple(it.letter.encode_utf8(&mut [0; 4]));
    if is_plain(&lead) {
        let plain = alike.iter().take_while(|it| is_plain(it)).count();
        let is_marked = alike.get(plain).is_some_and(|it| is_extending(it.letter));
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

/// Letters share the width of their cluster, marks have none.
fn edges(characters: &[Character], width: f32, is_right: bool) -> Vec<(f32, f32)> {
    let is_letter = |place: usize| place == 0 || !is_extending(characters[place].letter);
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
            if is_right {
                (width - start, width - at)
            } else {
                (start, at)
            }
        })
        .collect()
}

/// The direction of a paragraph as a level.
pub(super) fn level_of(direction: Direction) -> u8 {
    u8::from(direction == Direction::RightToLeft)
}
