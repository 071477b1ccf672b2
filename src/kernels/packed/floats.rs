//! Weights as 32-bit floats in panels of [`COLUMNS`] columns, multiplied by runs of rows that stay in registers.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::{COLUMNS, Column, groups, pack_panels, runs, wide_tiles};

/// A row of a panel, where a register can be loaded without crossing cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; COLUMNS]);

/// Rows that are computed together: as many as registers hold sums of.
const WIDE_ROWS: usize = 10;
const NARROW_ROWS: usize = 6;

/// How many numbers a register of this machine holds.
struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

/// Rows computed together on this machine.
fn largest_run() -> usize {
    match Arch::new().dispatch(Lanes) {
        lanes if lanes >= COLUMNS => WIDE_ROWS,
        lanes if lanes * 4 >= COLUMNS => NARROW_ROWS,
        _ => 1,
    }
}

#[derive(Debug, Clone)]
pub(super) struct FloatPanels {
    inputs: usize,
    outputs: usize,
    /// Panel by panel, each `[inputs]` lines.
    lines: Vec<Line>,
    /// A line for each panel.
    bias: Vec<Line>,
}

impl FloatPanels {
    /// Without its columns, which [`Self::push`] adds, all but the last in whole panels.
    pub(super) fn new([inputs, outputs]: [usize; 2], bias: &[f32]) -> Self {
        let bias = bias.chunks(COLUMNS).map(|bias| {
            let mut line = Line([0.0; COLUMNS]);
            line.0[..bias.len()].copy_from_slice(bias);
            line
        });
        Self {
            inputs,
            outputs,
            lines: Vec::with_capacity(outputs.div_ceil(COLUMNS) * inputs),
            bias: bias.collect(),
        }
    }

    /// Adds columns after the existing ones.
    pub(super) fn push(&mut self, columns: &[Column<'_>]) {
        let (first, inputs) = (self.lines.len(), self.inputs);
        let more = columns.len().div_ceil(COLUMNS) * inputs;
        self.lines.resize(first + more, Line([0.0; COLUMNS]));
        let lines = self.lines[first..].chunks_mut(inputs.max(1));
        let mut panels: Vec<_> = lines.collect();
        pack_panels(
            &mut panels,
            columns,
            #[inline(always)]
            |lines, columns| {
                for row in 0..inputs {
                    for lane in 0..columns.len() {
                        let Column { values, stride } = columns[lane];
                        lines[row].0[lane] = values[row * stride];
                    }
                }
            },
        );
    }

    /// Adds the weights of a column to `values`.
    pub(super) fn extend(&self, column: usize, values: &mut Vec<f32>) {
        let (panel, lane) = (column / COLUMNS, column % COLUMNS);
        let lines = &self.lines[panel * self.inputs..][..self.inputs];
        values.extend(lines.iter().map(|line| line.0[lane]));
    }

    /// Some of its columns, in this order.
    pub(super) fn select(&self, columns: &[u32]) -> Self {
        let (inputs, panels) = (self.inputs, columns.len().div_ceil(COLUMNS));
        let mut lines = vec![Line([0.0; COLUMNS]); panels * inputs];
        let mut bias = vec![Line([0.0; COLUMNS]); panels];
        for (place, &column) in columns.iter().enumerate() {
            let (panel, lane) = (place / COLUMNS, place % COLUMNS);
            let (from, from_lane) = (column as usize / COLUMNS, column as usize % COLUMNS);
            bias[panel].0[lane] = self.bias[from].0[from_lane];
            let lines = lines[panel * inputs..][..inputs].iter_mut();
            for (line, from) in lines.zip(&self.lines[from * inputs..][..inputs]) {
                line.0[lane] = from.0[from_lane];
            }
        }
        Self {
            inputs,
            outputs: columns.len(),
            lines,
            bias,
        }
    }

    /// The rows of `x` as [`Self::multiply`] reads them: run by run, each column by column.
    pub(super) fn tiles(&self, x: &[f32], rows: usize, tiles: &mut Vec<f32>) {
        tiles.resize(rows * self.inputs, 0.0);
        for run in runs(rows, largest_run()) {
            let from = &x[run.start * self.inputs..run.end * self.inputs];
            let to = &mut tiles[run.start * self.inputs..run.end * self.inputs];
            if run.len() == 1 {
                to.copy_from_slice(from);
                continue;
            }
            transpose(from, to, run.len());
        }
    }

    /// Some panels' columns of the product.
    ///
    /// # Shapes
    /// - output: `[rows, columns]`
    pub(super) fn multiply(
        &self,
        tiles: &[f32],
        rows: usize,
        panels: Range<usize>,
        output: &mut [f32],
    ) {
        if panels.is_empty() {
            return;
        }
        let width = self.outputs.min(panels.end * COLUMNS) - panels.start * COLUMNS;
        Arch::new().dispatch(Product {
            of: self,
            tiles,
            rows,
            panels,
            output,
            width,
        });
    }
}

/// Puts the numbers of `count` rows in one column side by side.
fn transpose(from: &[f32], to: &mut [f32], count: usize) {
    let inputs = from.len() / count;
    for place in 0..count {
        let row = &from[place * inputs..][..inputs];
        let mut at = place;
        for input in 0..inputs {
            to[at] = row[input];
            at += count;
        }
    }
}

struct Product<'a> {
    of: &'a FloatPanels,
    tiles: &'a [f32],
    rows: usize,
    panels: Range<usize>,
    output: &'a mut [f32],
    width: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.rows;
        match COLUMNS / S::F32_LANES {
            1 => self.by_panels::<S, 1>(simd, if rows <= 4 { 4 } else { 2 }),
            2 => {
                let group = match rows {
                    1 => 4,
                    2 | 3 => 2,
                    _ => 1,
                };
                self.by_panels::<S, 2>(simd, group);
            }
            4 => self.by_panels::<S, 4>(simd, 1),
            _ => self.one_by_one::<S>(simd),
        }
    }
}

impl Product<'_> {
    /// Keeps up to `group` panels in the nearest cache while all rows pass by.
    #[inline(always)]
    fn by_panels<S: Simd, const V: usize>(self, simd: S, group: usize) {
        let largest = if V == 1 { WIDE_ROWS } else { NARROW_ROWS };
        let inputs = self.of.inputs;
        for (first, count) in groups(&self.panels, group) {
            let column = (first - self.panels.start) * COLUMNS;
            for run in runs(self.rows, largest) {
                let tile = &self.tiles[run.start * inputs..run.end * inputs];
                let output = &mut self.output[run.start * self.width..run.end * self.width];
                let output = (output, self.width, column);
                macro_rules! tile {
                    ($(($rows:literal, $panels:literal)),*) => {
                        match (run.len(), count) {
                            $(($rows, $panels) => {
                                self.of.tile::<S, $rows, $panels, V>(simd, tile, first, output);
                            })*
                            _ => unreachable!("runs and groups have these sizes"),
                        }
                    };
                }
                if V == 1 {
                    wide_tiles!(tile);
                } else {
                    tile!(
                        (1, 1),
                        (2, 1),
                        (3, 1),
                        (4, 1),
                        (5, 1),
                        (6, 1),
                        (1, 2),
                        (2, 2),
                        (3, 2),
                        (1, 3),
                        (1, 4)
                    );
                }
            }
        }
    }

    /// Without registers of several numbers.
    #[inline(always)]
    fn one_by_one<S: Simd>(self, simd: S) {
        let inputs = self.of.inputs;
        for panel in self.panels.clone() {
            let column = (panel - self.panels.start) * COLUMNS;
            for row in 0..self.rows {
                let tile = &self.tiles[row * inputs..(row + 1) * inputs];
                let output = &mut self.output[row * self.width..(row + 1) * self.width];
                let output = (output, self.width, column);
                self.of.tile::<S, 1, 1, COLUMNS>(simd, tile, panel, output);
            }
        }
    }
}

impl FloatPanels {
    /// `R` rows times `P` panels of `V` registers a line.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const P: usize, const V: usize>(
        &self,
        simd: S,
        tile: &[f32],
        first: usize,
        (output, width, column): (&mut [f32], usize, usize),
    ) {
        let inputs = self.inputs;
        let mut panels: [&[Line]; P] = [&[]; P];
        let mut sums = [[[simd.splat_f32s(0.0); V]; P]; R];
        for panel in 0..P {
            panels[panel] = &self.lines[(first + panel) * inputs..][..inputs];
            let (bias, _) = S::as_simd_f32s(&self.bias[first + panel].0);
            for place in 0..V {
                let bias = bias[place];
                for row in 0..R {
                    sums[row][panel][place] = bias;
                }
            }
        }
        let (tile, _) = tile.as_chunks::<R>();
        let tile = &tile[..inputs];
        for input in 0..inputs {
            // Before the rows: with all rows' numbers in registers there would be none left for the sums.
            let mut lines = [[simd.splat_f32s(0.0); V]; P];
            for panel in 0..P {
                let (line, _) = S::as_simd_f32s(&panels[panel][input].0);
                for place in 0..V {
                    lines[panel][place] = line[place];
                }
            }
            for row in 0..R {
                let x = simd.splat_f32s(tile[input][row]);
                for panel in 0..P {
                    for place in 0..V {
                        let sum = sums[row][panel][place];
                        sums[row][panel][place] = simd.mul_add_f32s(x, lines[panel][place], sum);
                    }
                }
            }
        }
        for row in 0..R {
            for panel in 0..P {
                let mut line = Line([0.0; COLUMNS]);
                let (registers, _) = S::as_mut_simd_f32s(&mut line.0);
                for place in 0..V {
                    registers[place] = sums[row][panel][place];
                }
                let column = column + panel * COLUMNS;
                let output = &mut output[row * width + column..];
                match output.first_chunk_mut::<COLUMNS>() {
                    Some(whole) if column + COLUMNS <= width => *whole = line.0,
                    _ => output[..width - column].copy_from_slice(&line.0[..width - column]),
                }
            }
        }
    }
}
