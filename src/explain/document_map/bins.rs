//! How the cells along one axis fall onto pixels.

use std::ops::Range;

/// Length of a cell in pixels from which cells are separated by a line.
const SEPARATED: f64 = 8.0;

/// One axis of a picture. Cells smaller than a pixel share it: each is in one *bin*, of which every pixel has one. Larger
/// cells have a bin each, and their pixels show it. So there are never more bins than pixels, and no cell is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    /// Cells that are seen.
    pub cells: Range<usize>,
    /// `[cells]`: the bin of each, ascending.
    pub of_cell: Vec<u32>,
    /// `[pixels]`: the bin that each shows, or [`Bins::LINE`].
    pub of_pixel: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Bins {
    /// A pixel that separates two cells.
    pub const LINE: u32 = u32::MAX;

    /// `seen` is what `pixels` show of `cells`, see [`MapView`](super::MapView).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places on a map, not negative"
    )]
    pub fn new((from, to): (f64, f64), cells: usize, pixels: u32) -> Self {
        let per_cell = f64::from(pixels) / (to - from);
        if per_cell < 1.0 {
            // Where the middle of a cell is, the cell is.
            let edge = |place: f64| ((place - 0.5).ceil().max(0.0) as usize).min(cells);
            let last = pixels.saturating_sub(1);
            let bin = |cell: usize| (((cell as f64 + 0.5 - from) * per_cell) as u32).min(last);
            let cells = edge(from)..edge(to);
            return Self {
                of_cell: cells.clone().map(bin).collect(),
                of_pixel: (0..pixels).collect(),
                count: pixels,
                cells,
            };
        }
        let cells = (from.floor().max(0.0) as usize).min(cells)..(to.ceil() as usize).min(cells);
        let count = cells.len() as u32;
        let cell = |pixel: u32| {
            let cell = from + (f64::from(pixel) + 0.5) / per_cell - cells.start as f64;
            (cell.max(0.0) as u32).min(count.saturating_sub(1))
        };
        let of_pixel = (0..pixels).map(|pixel| {
            let begins = pixel > 0 && cell(pixel) != cell(pixel - 1);
            if count == 0 || (begins && per_cell >= SEPARATED) {
                Self::LINE
            } else {
                cell(pixel)
            }
        });
        Self {
            of_cell: (0..count).collect(),
            of_pixel: of_pixel.collect(),
            count,
            cells,
        }
    }

    /// Whether every pixel shows the bin of its own number.
    pub fn is_direct(&self) -> bool {
        let numbers = self.of_pixel.iter().zip(0..);
        numbers.into_iter().all(|(&bin, number)| bin == number)
    }

    /// The cells that some pixels show.
    pub fn cells_of(&self, pixels: Range<usize>) -> Range<usize> {
        let shown = self.of_pixel[pixels].iter();
        let shown = shown.copied().filter(|&bin| bin != Self::LINE);
        let Some(least) = shown.clone().min() else {
            return 0..0;
        };
        let most = shown.max().unwrap_or(least);
        let place = |bin: u32| self.of_cell.partition_point(|&other| other < bin);
        self.cells.start + place(least)..self.cells.start + place(most + 1)
    }
}
