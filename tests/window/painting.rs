//! Paints what a frame says without a graphics card, and reports the colour and background of every text.

use std::sync::{Arc, Mutex, PoisonError};

use canopy::gui::contrast_ratio;
use egui::epaint::{ClippedShape, Mesh, Primitive, TextShape, Vertex, WHITE_UV};
use egui::{Color32, ColorImage, Pos2, Rect, Shape, TextureId, TexturesDelta, pos2};
use egui_kittest::{Harness, TestRenderer};

/// The glyphs, as egui hands them to the renderer.
#[derive(Clone, Default)]
pub struct Atlas(Arc<Mutex<ColorImage>>);

impl TestRenderer for Atlas {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        let mut atlas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, images) in delta.set.drain() {
            for change in images {
                let egui::ImageData::Color(image) = &change.image;
                match change.pos {
                    _ if id != TextureId::default() => {}
                    None => *atlas = ColorImage::clone(image),
                    Some([left, top]) => {
                        let (width, wide) = (image.width(), atlas.width());
                        for (row, pixels) in image.pixels.chunks(width).enumerate() {
                            let start = (top + row) * wide + left;
                            atlas.pixels[start..start + width].copy_from_slice(pixels);
                        }
                    }
                }
            }
        }
        delta.free.clear();
    }
}

/// A text of a frame.
#[derive(Debug, Clone)]
pub struct PaintedText {
    pub text: String,
    pub color: Color32,
    pub ground: Color32,
    /// The least of its characters.
    pub contrast: f32,
    pub place: Rect,
    /// The part of the window that it may be drawn in.
    pub clip: Rect,
}

/// The pixels of a frame, and its texts.
pub struct Painting {
    width: usize,
    pixels: Vec<Color32>,
    pub texts: Vec<PaintedText>,
    scale: f32,
    atlas: ColorImage,
}

impl Painting {
    pub fn capture<State>(harness: &Harness<'_, State>, atlas: &Atlas) -> Self {
        let output = harness.output();
        let scale = output.pixels_per_point;
        let size = harness.ctx.content_rect().size() * scale;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a window has some thousand pixels"
        )]
        let [width, height] = [size.x, size.y].map(|length| length.round() as usize);
        let atlas = atlas.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut painting = Self {
            width,
            pixels: vec![Color32::BLACK; width * height],
            texts: vec![],
            scale,
            atlas: atlas.clone(),
        };
        drop(atlas);
        for shape in &output.shapes {
            painting.shape(&harness.ctx, shape.clip_rect, &shape.shape);
        }
        painting
    }

    fn shape(&mut self, ctx: &egui::Context, clip: Rect, shape: &Shape) {
        match shape {
            Shape::Vec(shapes) => {
                for shape in shapes {
                    self.shape(ctx, clip, shape);
                }
            }
            Shape::Text(text) => self.text(clip, text),
            shape => {
                let shape = ClippedShape {
                    clip_rect: clip,
                    shape: shape.clone(),
                    transform_after_tessellation: egui::emath::TSTransform::IDENTITY,
                };
                for primitive in ctx.tessellate(vec![shape], self.scale) {
                    if let Primitive::Mesh(mesh) = primitive.primitive {
                        self.mesh(clip, &mesh.vertices, &mesh.indices, false);
                    }
                }
            }
        }
    }

    fn text(&mut self, clip: Rect, shape: &TextShape) {
        if shape.opacity_factor <= 0.0 {
            return;
        }
        let mut painted: Option<PaintedText> = None;
        for row in &shape.galley.rows {
            let rotation = egui::emath::Rot2::from_angle(shape.angle);
            let origin = shape.pos + rotation * row.pos.to_vec2();
            let glyphs = row.visuals.glyph_vertex_range.clone();
            let Mesh {
                vertices, indices, ..
            } = &row.visuals.mesh;
            let vertices = vertices.iter().enumerate().map(|(index, vertex)| {
                let color = match shape.override_text_color {
                    Some(color) if glyphs.contains(&index) => color,
                    _ if vertex.color == Color32::PLACEHOLDER => shape.fallback_color,
                    _ => vertex.color,
                };
                Vertex {
                    pos: origin + rotation * vertex.pos.to_vec2(),
                    color: color.gamma_multiply(shape.opacity_factor),
                    ..*vertex
                }
            });
            let vertices: Vec<Vertex> = vertices.collect();
            let (ground, letters) = indices.split_at(row.visuals.glyph_index_start);
            self.mesh(clip, &vertices, ground, true);
            for corners in vertices[glyphs].chunks_exact(4) {
                let place = Rect::from_points(&[corners[0].pos, corners[3].pos]);
                self.add_text(&mut painted, &shape.galley, clip, place, corners[0].color);
            }
            self.mesh(clip, &vertices, letters, true);
        }
        self.texts.extend(painted);
    }

    /// Notes a character that is drawn.
    fn add_text(
        &self,
        painted: &mut Option<PaintedText>,
        galley: &egui::Galley,
        clip: Rect,
        place: Rect,
        color: Color32,
    ) {
        if color == Color32::TRANSPARENT {
            // Nobody sees it: the brackets of a tag in an editor, on whose place a chip is.
            return;
        }
        let Some(ground) = clip
            .contains(place.center())
            .then(|| self.at(place.center()))
            .flatten()
        else {
            if let Some(painted) = painted {
                painted.place |= place;
            }
            return;
        };
        let color = over(color, ground);
        let contrast = contrast_ratio(color, ground);
        let painted = painted.get_or_insert_with(|| PaintedText {
            text: galley.text().to_owned(),
            color,
            ground,
            contrast,
            place,
            clip,
        });
        painted.place |= place;
        if contrast < painted.contrast {
            (painted.color, painted.ground, painted.contrast) = (color, ground, contrast);
        }
    }

    fn at(&self, place: Pos2) -> Option<Color32> {
        let [x, y] = [place.x, place.y].map(|length| (length * self.scale).floor());
        if x < 0.0 || y < 0.0 {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative"
        )]
        let (x, y) = (x as usize, y as usize);
        (x < self.width)
            .then(|| self.pixels.get(y * self.width + x).copied())
            .flatten()
    }

    fn mesh(&mut self, clip: Rect, vertices: &[Vertex], indices: &[u32], is_text: bool) {
        for corners in indices.chunks_exact(3) {
            let corners = [corners[0], corners[1], corners[2]];
            self.triangle(clip, corners.map(|index| vertices[index as usize]), is_text);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "pixels of a window"
    )]
    fn triangle(&mut self, clip: Rect, corners: [Vertex; 3], is_text: bool) {
        let scale = self.scale;
        let [a, b, c] = corners.map(|corner| corner.pos.to_vec2() * scale);
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area.abs() < 1e-9 {
            return;
        }
        let height = self.pixels.len() / self.width;
        let bounds = Rect::from_points(&[a, b, c].map(egui::Vec2::to_pos2));
        let clip = Rect::from_min_max(clip.min * scale, clip.max * scale);
        let window = Rect::from_min_max(Pos2::ZERO, pos2(self.width as f32, height as f32));
        let bounds = bounds.intersect(clip).intersect(window);
        if bounds.is_negative() {
            return;
        }
        let first = |from: f32| (from - 0.5).ceil().max(0.0) as usize;
        let flat = corners[0].color == corners[1].color && corners[1].color == corners[2].color;
        let plain = corners.iter().all(|corner| corner.uv == WHITE_UV);
        for y in first(bounds.top())..first(bounds.bottom()) {
            for x in first(bounds.left())..first(bounds.right()) {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let second = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / area;
                let third = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / area;
                let shares = [1.0 - second - third, second, third];
                if shares.iter().any(|share| *share < 0.0) {
                    continue;
                }
                let mut color = if flat {
                    corners[0].color
                } else {
                    blend(corners.map(|corner| corner.color), shares)
                };
                if !plain {
                    color = self.textured(color, corners, shares, is_text);
                }
                let at = y * self.width + x;
                self.pixels[at] = over(color, self.pixels[at]);
            }
        }
    }

    /// Glyphs: places of the texture in pixels.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pixels of a texture"
    )]
    fn textured(
        &self,
        color: Color32,
        corners: [Vertex; 3],
        shares: [f32; 3],
        is_text: bool,
    ) -> Color32 {
        let [wide, high] = self.atlas.size;
        if !is_text || wide * high == 0 {
            return color;
        }
        let place = |axis: fn(&Pos2) -> f32| -> f32 {
            let values = corners.iter().zip(shares);
            values.map(|(corner, share)| axis(&corner.uv) * share).sum()
        };
        let x = (place(|uv| uv.x) as usize).min(wide - 1);
        let y = (place(|uv| uv.y) as usize).min(high - 1);
        let texel = self.atlas.pixels[y * wide + x];
        color * texel
    }

    /// Writes a picture.
    pub fn save(&self, path: &std::path::Path) {
        let file = std::fs::File::create(path).expect("a file");
        let [width, height] = [self.width, self.pixels.len() / self.width]
            .map(|length| u32::try_from(length).expect("a window"));
        let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let bytes: Vec<u8> = self
            .pixels
            .iter()
            .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b(), 255])
            .collect();
        let mut writer = encoder.write_header().expect("a picture");
        writer.write_image_data(&bytes).expect("written");
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between bytes lies a byte"
)]
fn blend(colors: [Color32; 3], shares: [f32; 3]) -> Color32 {
    let channel = |channel: usize| {
        let values = colors.iter().zip(shares);
        let sum: f32 = values
            .map(|(color, share)| f32::from(color.to_array()[channel]) * share)
            .sum();
        sum.round() as u8
    };
    Color32::from_rgba_premultiplied(channel(0), channel(1), channel(2), channel(3))
}

/// A colour that may let another one through, upon that.
fn over(color: Color32, ground: Color32) -> Color32 {
    ground.blend(color)
}
