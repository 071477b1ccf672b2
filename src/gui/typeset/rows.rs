//! Lines of clusters as rows of egui.

use std::sync::Arc;

use egui::epaint::text::{Glyph, PlacedRow, Row, RowVisuals};
use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, Galley, Mesh, Pos2, Rect, Stroke, pos2, vec2};

use super::Text;
use super::clusters::{Cluster, Paragraph, Setter, level_of};
use super::lines::{lines, shortened};
use canopy_chart::typesetting::visual_order;

/// Lays out a text.
pub(super) fn galley(setter: &mut Setter<'_, '_>, text: &Text) -> Galley {
    let paragraphs = setter.paragraphs(text);
    let template = setter.set(
        "",
        &text
            .job
            .sections
            .first()
            .map_or_else(TextFormat::default, |it| it.format.clone()),
    );
    let mut galley = Galley::clone(&template);
    let (rows, elided) = all_rows(setter, text, &paragraphs);
    galley.job = Arc::new(text.job.clone());
    galley.elided = elided;
    galley.rect = Rect::ZERO;
    galley.mesh_bounds = Rect::NOTHING;
    (galley.num_vertices, galley.num_indices) = (0, 0);
    for row in &rows {
        let (left, right) = (row.pos.x, row.pos.x + row.row.size.x);
        let bottom = row.pos.y + row.row.size.y;
        galley.rect |= Rect::from_min_max(
            pos2(left.min(right), row.pos.y),
            pos2(left.max(right), bottom),
        );
        galley.mesh_bounds |= row.row.visuals.mesh_bounds.translate(row.pos.to_vec2());
        galley.num_vertices += row.row.visuals.mesh.vertices.len();
        galley.num_indices += row.row.visuals.mesh.indices.len();
    }
    // It begins on the left of its column, and what runs from the right ends on its right.
    galley.rect.min.x = 0.0;
    let max_width = text.job.wrap.max_width;
    if max_width.is_finite() {
        galley.rect.max.x = galley.rect.max.x.min(max_width);
    }
    galley.rows = rows;
    galley
}

fn all_rows(
    setter: &mut Setter<'_, '_>,
    text: &Text,
    paragraphs: &[Paragraph],
) -> (Vec<PlacedRow>, bool) {
    let mut rows: Vec<PlacedRow> = vec![];
    let mut top = 0.0;
    let job = &text.job;
    let base = level_of(text.direction);
    // egui's own margin for widths that were rounded down.
    let width = job.effective_wrap_width();
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let is_last = index + 1 == paragraphs.len();
        let lines = lines(&paragraph.clusters, width);
        for (number, line) in lines.iter().enumerate() {
            let ends_paragraph = number + 1 == lines.len();
            let is_cut = rows.len() + 1 == job.wrap.max_rows && !(ends_paragraph && is_last);
            let mut clusters = paragraph.clusters[line.clone()].to_vec();
            if is_cut || job.wrap.max_rows == 1 && too_wide(&clusters, width) {
                cut(setter, job, &mut clusters, paragraph.section, base, width);
            }
            let mut row = if clusters.is_empty() {
                empty_row(setter, text, paragraph.section)
            } else {
                let template = setter.set("", &TextFormat::default());
                row(setter.pixels_per_point, text, &clusters, base, &template)
            };
            row.pos.y = top;
            top = rounded(top + row.row.size.y, setter.pixels_per_point);
            row.ends_with_newline = ends_paragraph && !is_last;
            rows.push(row);
            if is_cut {
                return (rows, true);
            }
        }
    }
    (rows, false)
}

fn too_wide(clusters: &[Cluster], width: f32) -> bool {
    clusters.iter().map(|it| it.width).sum::<f32>() > width
}

/// Ends a line with an ellipsis.
fn cut(
    setter: &mut Setter<'_, '_>,
    job: &LayoutJob,
    clusters: &mut Vec<Cluster>,
    section: usize,
    base: u8,
    width: f32,
) {
    let Some(sign) = job.wrap.overflow_character else {
        return;
    };
    let section = clusters.last().map_or(section, |last| last.section);
    let galley = setter.set(&sign.to_string(), &job.sections[section].format);
    let Some(glyph) = galley.rows.first().and_then(|row| row.row.glyphs.first()) else {
        return;
    };
    clusters.truncate(shortened(clusters, width, glyph.advance_width));
    let end = clusters.last().map_or(0, |last| last.chars.end);
    clusters.push(Cluster {
        chars: end..end,
        letters: vec![sign],
        level: base,
        section,
        width: glyph.advance_width,
        is_space: false,
        breaks: false,
        shapes: vec![*glyph],
        edges: vec![(0.0, glyph.advance_width)],
        measure: *glyph,
    });
}

fn empty_row(setter: &mut Setter<'_, '_>, text: &Text, section: usize) -> PlacedRow {
    let format = text
        .job
        .sections
        .get(section)
        .map_or_else(TextFormat::default, |it| it.format.clone());
    let galley = setter.set("", &format);
    let mut row = first_row(&galley);
    row.size.x = 0.0;
    let is_right = level_of(text.direction) == 1;
    let max_width = text.job.wrap.max_width;
    let x = if is_right && max_width.is_finite() {
        max_width
    } else {
        0.0
    };
    PlacedRow {
        pos: pos2(x, 0.0),
        row: Arc::new(row),
        ends_with_newline: false,
    }
}

fn first_row(galley: &Galley) -> Row {
    let row = galley
        .rows
        .first()
        .expect("egui gives an empty text one row");
    Row::clone(&row.row)
}

fn rounded(length: f32, pixels_per_point: f32) -> f32 {
    (length * pixels_per_point).round() / pixels_per_point
}

/// Puts clusters in their order. A row that begins on the right has its place there and a negative
/// width, so that egui finds its end on the left.
fn row(
    pixels_per_point: f32,
    text: &Text,
    clusters: &[Cluster],
    base: u8,
    template: &Galley,
) -> PlacedRow {
    let mut levels: Vec<u8> = clusters.iter().map(|it| it.level).collect();
    // Rule L1: white space at the end of a line runs with the paragraph.
    let spaces = clusters.iter().rev().take_while(|it| it.is_space).count();
    let first_space = levels.len() - spaces;
    levels[first_space..].fill(base);
    let mut lefts = vec![0.0; clusters.len()];
    let mut total = 0.0;
    let order = visual_order(&levels);
    for &index in &order {
        lefts[index] = total;
        total += clusters[index].width;
    }
    let max_width = text.job.wrap.max_width;
    let mut shift = 0.0;
    let mut origin = 0.0;
    if base % 2 == 1 {
        origin = if max_width.is_finite() {
            max_width
        } else {
            total
        };
        origin = rounded(origin, pixels_per_point);
        shift = -total;
    }
    let height = clusters
        .iter()
        .map(|it| it.measure.line_height)
        .fold(0.0, f32::max);
    let height = rounded(height, pixels_per_point);
    let mut builder = Builder {
        pixels_per_point,
        height,
        mesh: Mesh::default(),
        glyphs: vec![],
    };
    for &index in &order {
        builder.background(text, &clusters[index], shift + lefts[index]);
    }
    let glyph_index_start = builder.mesh.indices.len();
    let first_vertex = builder.mesh.vertices.len();
    for (cluster, left) in clusters.iter().zip(&lefts) {
        builder.cluster(
            &text.job.sections[cluster.section].format,
            cluster,
            shift + left,
        );
    }
    let glyph_vertex_range = first_vertex..builder.mesh.vertices.len();
    for &index in &order {
        builder.strokes(text, &clusters[index], shift + lefts[index]);
    }
    let mut row = first_row(template);
    row.size = vec2(if base % 2 == 1 { -total } else { total }, height);
    row.glyphs = builder.glyphs;
    row.visuals = RowVisuals {
        mesh_bounds: builder.mesh.calc_bounds(),
        mesh: builder.mesh,
        glyph_index_start,
        glyph_vertex_range,
    };
    PlacedRow {
        pos: pos2(origin, 0.0),
        row: Arc::new(row),
        ends_with_newline: false,
    }
}

struct Builder {
    pixels_per_point: f32,
    height: f32,
    mesh: Mesh,
    glyphs: Vec<Glyph>,
}

impl Builder {
    /// All fonts of a row are on one baseline.
    fn baseline(&self, measure: &Glyph, format: &TextFormat) -> f32 {
        let y = measure.font_ascent
            + format.valign.to_factor() * (self.height - measure.line_height)
            + 0.5 * (measure.line_height - measure.font_height);
        rounded(y, self.pixels_per_point)
    }

    /// Shapes, and a glyph for every character.
    fn cluster(&mut self, format: &TextFormat, cluster: &Cluster, left: f32) {
        let y = self.baseline(&cluster.measure, format);
        let letters = cluster.edges.iter().zip(&cluster.letters);
        for (place, ((start, end), letter)) in letters.enumerate() {
            let mut glyph = cluster.measure;
            glyph.chr = *letter;
            glyph.pos = pos2(left + start, y);
            glyph.advance_width = end - start;
            glyph.first_vertex = u32::try_from(self.mesh.vertices.len()).unwrap_or(u32::MAX);
            if place > 0 {
                glyph.uv_rect.max = glyph.uv_rect.min;
            }
            self.glyphs.push(glyph);
            if place == 0 {
                for shape in &cluster.shapes {
                    self.shape(shape, pos2(left + shape.pos.x, y), format);
                }
            }
        }
    }

    fn shape(&mut self, shape: &Glyph, at: Pos2, format: &TextFormat) {
        let uv = shape.uv_rect;
        if uv.is_nothing() {
            return;
        }
        let corner = at + uv.offset;
        let round = |length| rounded(length, self.pixels_per_point);
        let corner = pos2(round(corner.x), round(corner.y));
        let place = Rect::from_min_size(corner, uv.size);
        let texture = |at: [u16; 2]| pos2(f32::from(at[0]), f32::from(at[1]));
        let texture = Rect::from_min_max(texture(uv.min), texture(uv.max));
        let first = self.mesh.vertices.len();
        self.mesh.add_rect_with_uv(place, texture, format.color);
        if format.italics {
            for vertex in &mut self.mesh.vertices[first..] {
                if vertex.pos.y < place.center().y {
                    vertex.pos.x += 0.25 * place.height();
                }
            }
        }
    }

    fn rect(&mut self, left: f32, right: f32, top: f32, bottom: f32, color: Color32) {
        let round = |length| rounded(length, self.pixels_per_point);
        let rect = Rect::from_min_max(
            pos2(round(left), round(top)),
            pos2(round(right), round(bottom)),
        );
        self.mesh.add_colored_rect(rect, color);
    }

    fn background(&mut self, text: &Text, cluster: &Cluster, left: f32) {
        let format = &text.job.sections[cluster.section].format;
        if format.background == Color32::TRANSPARENT {
            return;
        }
        let top = self.baseline(&cluster.measure, format) - cluster.measure.font_ascent;
        let bottom = top + cluster.measure.line_height;
        let more = format.expand_bg;
        self.rect(
            left,
            left + cluster.width,
            top - more,
            bottom + more,
            format.background,
        );
    }

    fn strokes(&mut self, text: &Text, cluster: &Cluster, left: f32) {
        let format = &text.job.sections[cluster.section].format;
        let top = self.baseline(&cluster.measure, format) - cluster.measure.font_ascent;
        let size = cluster.measure.line_height;
        let pixel = 1.0 / self.pixels_per_point;
        let line = |stroke: Stroke, y: f32| {
            (!stroke.is_empty()).then(|| (stroke, y, stroke.width.max(pixel)))
        };
        let under = line(format.underline, top + size);
        let through = line(format.strikethrough, top + size / 2.0);
        for (stroke, y, width) in under.into_iter().chain(through) {
            self.rect(
                left,
                left + cluster.width,
                y - width / 2.0,
                y + width / 2.0,
                stroke.color,
            );
        }
    }
}
