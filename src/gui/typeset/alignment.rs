//! Which glyphs of egui belong to which characters.

use std::ops::Range;

use egui::epaint::text::Glyph;

use canopy_chart::typesetting::is_extending;

/// Characters and the glyphs that are drawn for them.
pub(super) struct Group {
    pub chars: Range<usize>,
    pub width: f32,
    /// With its place from the left edge of the group.
    pub shapes: Vec<(Glyph, f32)>,
}

/// Finds which glyphs belong to which characters: egui keeps the first character of each glyph's cluster.
pub(super) fn aligned(glyphs: &[Glyph], characters: &[char], is_right: bool) -> Vec<Group> {
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
        let is_empty = is_nothing(&glyph);
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
        let is_rest = glyphs[shaped..]
            .iter()
            .zip(rest)
            .all(|(glyph, character)| glyph.chr == *character && is_nothing(glyph));
        if is_rest {
            return shaped;
        }
    }
    glyphs.len()
}

/// Neither seen nor taking room.
fn is_nothing(glyph: &Glyph) -> bool {
    glyph.advance_width.abs() < f32::EPSILON && glyph.uv_rect.is_nothing()
}
