//! The picture of a map, computed plainly: what the shader `shaders/sparse_map.wgsl` is checked against, what is shown
//! where there is no shader, and what figures are made of.

use plotters::style::RGBColor;

use super::{Bins, DocumentMap, MapCell, MapView};
use crate::colours::{Scale, mixed};
use canopy_chart::charts::Theme;

/// Distance in pixels of the diagonal lines through the bars of the rest.
const HATCH: usize = 4;
/// Pixels of the shortest bar of a rest.
const SHORTEST: f32 = 2.0;

/// Which pixels show which cells.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFrame {
    /// Columns of the map along the width.
    pub columns: Bins,
    /// Rows of the map along the height.
    pub rows: Bins,
    /// The place of the rest of the rows, right of the cells.
    pub strip: Option<Strip>,
}

/// Pixels between the cells and the bars of the rest, and of a bar if all of a row is rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strip {
    /// Pixels between the cells and the bars.
    pub gap: u32,
    /// Pixels of a bar, if all of its row is rest.
    pub width: u32,
}

/// The colours of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct MapColours {
    /// 256 steps from the least weight to the greatest.
    pub ramp: Vec<RGBColor>,
    /// Steps of the ramp a unit of weight.
    pub steps: f32,
    /// Blank cells.
    pub page: RGBColor,
    /// Between cells.
    pub line: RGBColor,
    /// Bars of the rest, and the lines through them.
    pub rest: RGBColor,
    /// The lines through the bars.
    pub hatch: RGBColor,
}

impl MapFrame {
    /// The cells fill `size` pixels, width and height; the strip comes on the right of them.
    pub fn new(
        map: &DocumentMap,
        view: &MapView,
        (width, height): (u32, u32),
        strip: Option<Strip>,
    ) -> Self {
        Self {
            columns: Bins::new(view.columns, map.columns(), width),
            rows: Bins::new(view.rows, map.rows(), height),
            strip,
        }
    }

    /// Width and height of the picture, in pixels.
    pub fn size(&self) -> (usize, usize) {
        let strip = self
            .strip
            .map_or(0, |strip| (strip.gap + strip.width) as usize);
        let (columns, rows) = (&self.columns.of_pixel, &self.rows.of_pixel);
        (columns.len() + strip, rows.len())
    }

    /// The cell at a pixel. Where the cells are small and none with weight is right there, the greatest within `reach`
    /// pixels counts.
    pub fn cell_at(
        &self,
        map: &DocumentMap,
        (x, y): (usize, usize),
        reach: usize,
    ) -> Option<MapCell> {
        let within = |bins: &Bins, pixel: usize, reach: usize| {
            let end = (pixel + reach + 1).min(bins.of_pixel.len());
            bins.cells_of(pixel.saturating_sub(reach).min(end)..end)
        };
        let found = |reach| {
            let columns = within(&self.columns, x, reach);
            map.greatest(within(&self.rows, y, reach), &columns)
        };
        if x >= self.columns.of_pixel.len() || y >= self.rows.of_pixel.len() {
            return None;
        }
        let small = |bins: &Bins| bins.of_pixel.len() < bins.cells.len() * reach.max(1);
        let reach = if small(&self.columns) || small(&self.rows) {
            reach
        } else {
            0
        };
        let blank = || MapCell {
            row: within(&self.rows, y, 0).start,
            column: within(&self.columns, x, 0).start,
            weight: 0.0,
        };
        let is_line = self.columns.of_pixel[x] == Bins::LINE || self.rows.of_pixel[y] == Bins::LINE;
        let here = if is_line { None } else { found(0) };
        here.or_else(|| found(reach))
            .or_else(|| (!is_line).then(blank))
    }

    /// `[rows, columns]` bins: the greatest weight in each, 0 for none; then the greatest rest of each row of bins.
    pub fn greatest(&self, map: &DocumentMap) -> (Vec<f32>, Vec<f32>) {
        let across = self.columns.count as usize;
        let mut cells = vec![0.0_f32; across * self.rows.count as usize];
        let mut rests = vec![0.0_f32; self.rows.count as usize];
        let seen = &self.columns.cells;
        for (row, &bin) in self.rows.cells.clone().zip(&self.rows.of_cell) {
            let bins = &mut cells[bin as usize * across..][..across];
            for (column, weight) in map.row(row) {
                if seen.contains(&(column as usize)) {
                    let bin = self.columns.of_cell[column as usize - seen.start] as usize;
                    bins[bin] = bins[bin].max(weight);
                }
            }
            let rest = &mut rests[bin as usize];
            *rest = rest.max(map.rest()[row]);
        }
        (cells, rests)
    }

    /// Red, green, blue and 255 of every pixel, row by row.
    pub fn picture(&self, map: &DocumentMap, ink: &MapColours) -> Vec<u8> {
        let (width, height) = self.size();
        let across = self.columns.count as usize;
        let (cells, rests) = self.greatest(map);
        let mut bytes = Vec::with_capacity(width * height * 4);
        let mut push = |RGBColor(red, green, blue)| bytes.extend([red, green, blue, 255]);
        for (y, &row) in self.rows.of_pixel.iter().enumerate() {
            for &column in &self.columns.of_pixel {
                if row == Bins::LINE || column == Bins::LINE {
                    push(ink.line);
                } else {
                    push(ink.colour(cells[row as usize * across + column as usize]));
                }
            }
            let rest = rests.get(row as usize).copied().unwrap_or(0.0);
            for x in self.columns.of_pixel.len()..width {
                push(self.strip_colour(ink, rest, (x, y)));
            }
        }
        bytes
    }

    fn strip_colour(&self, ink: &MapColours, rest: f32, (x, y): (usize, usize)) -> RGBColor {
        let Some(strip) = self.strip else {
            return ink.page;
        };
        let start = self.columns.of_pixel.len() + strip.gap as usize;
        let length = (rest * strip.width as f32).max(SHORTEST);
        if x < start || rest <= 0.0 || (x - start) as f32 + 0.5 >= length {
            ink.page
        } else if (x + y).is_multiple_of(HATCH) {
            ink.hatch
        } else {
            ink.rest
        }
    }
}

impl MapColours {
    /// Computes the colours of a scale on the page of a theme.
    pub fn new(scale: &Scale, theme: &Theme) -> Self {
        let last = 255_u8;
        let step = |step: u8| {
            let share = f32::from(step) / f32::from(last);
            scale.colour(scale.high * share)
        };
        Self {
            ramp: (0..=last).map(step).collect(),
            steps: if scale.high > 0.0 {
                f32::from(last) / scale.high
            } else {
                0.0
            },
            page: theme.page,
            line: theme.grid,
            rest: mixed(theme.page, theme.weak, 0.3),
            hatch: theme.weak,
        }
    }

    /// Colour of a weight; cells without weight are as blank as the page.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a step of the ramp"
    )]
    pub fn colour(&self, weight: f32) -> RGBColor {
        if weight > 0.0 {
            let step = (weight * self.steps + 0.5) as usize;
            self.ramp[step.min(self.ramp.len() - 1)]
        } else {
            self.page
        }
    }
}
