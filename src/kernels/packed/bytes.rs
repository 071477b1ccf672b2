//! Weights as 8-bit integers, multiplied four at a time by the processor's products of bytes.
//!
//! A row `x` becomes bytes `u = round(127 x / max|x|) + 128`, a column `w` becomes `round(127 w / max|w|)`; since the sum of
//! `(u - 128) w` is that of `u w` less 128 times that of `w`, the latter stands in the sums from the beginning. Where there
//! is no VNNI, AVX2 adds products in pairs of 16 bits, which hold them if `u` is at most 127: there a row has 7 bits.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops stay in the vector instructions of their caller, as the adapters of iterators may not"
)]

mod narrow;

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_mul_ps,
    _mm512_set1_epi32, _mm512_set1_ps,
};
use std::ops::Range;

use narrow::{PAIR_TILES, VNNI_TILES};
use pulp::{Arch, bytemuck};

use super::{COLUMNS, Column, groups, pack_panels, rounded, runs, step, wide_tiles};

/// Numbers of a column that one instruction multiplies and adds.
const DEPTH: usize = 4;

/// [`DEPTH`] numbers of each of [`COLUMNS`] columns.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([i8; COLUMNS * DEPTH]);

/// How the processor multiplies bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    Avx512Vnni,
    AvxVnni,
    Avx2,
}

impl Instructions {
    /// The best ones first.
    const ALL: [Self; 3] = [Self::Avx512Vnni, Self::AvxVnni, Self::Avx2];

    /// The best there are; None if there are none.
    pub fn here() -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.are_here())
    }

    fn are_here(self) -> bool {
        match self {
            Self::Avx512Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
            Self::AvxVnni => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni")
            }
            Self::Avx2 => is_x86_feature_detected!("avx2"),
        }
    }

    /// The byte of a number 0, and how many steps there are from it to the largest one.
    fn levels(self) -> (u8, f32) {
        match self {
            Self::Avx512Vnni | Self::AvxVnni => (128, 127.0),
            Self::Avx2 => (64, 63.0),
        }
    }

    /// Rows that are computed together: as many as registers hold sums of.
    fn rows(self) -> usize {
        match self {
            Self::Avx512Vnni => 10,
            Self::AvxVnni => VNNI_TILES.len(),
            Self::Avx2 => PAIR_TILES.len(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct BytePanels {
    instructions: Instructions,
    /// Lines of a panel.
    depth: usize,
    inputs: usize,
    outputs: usize,
    lines: Vec<Line>,
    /// Of each panel's columns: their sum times the byte of 0, negative.
    offsets: Vec<[i32; COLUMNS]>,
    scales: Vec<[f32; COLUMNS]>,
    bias: Vec<[f32; COLUMNS]>,
}

/// Rows of numbers as bytes, run by run, [`DEPTH`] numbers of each row side by side.
#[derive(Debug, Clone, Default)]
pub(super) struct Quantised {
    quads: Vec<i32>,
    /// The scale of each row.
    scales: Vec<f32>,
    row: Vec<u8>,
}

impl BytePanels {
    /// Without its columns, which [`Self::push`] adds, all but the last in whole panels.
    pub fn new(instructions: Instructions, [inputs, outputs]: [usize; 2], bias: &[f32]) -> Self {
        let (panels, depth) = (outputs.div_ceil(COLUMNS), inputs.div_ceil(DEPTH));
        let of_panel = |panel: usize| {
            let bias = &bias[panel * COLUMNS..];
            std::array::from_fn(|lane| bias.get(lane).copied().unwrap_or_default())
        };
        Self {
            instructions,
            depth,
            inputs,
            outputs,
            lines: Vec::with_capacity(panels * depth),
            offsets: Vec::with_capacity(panels),
            scales: Vec::with_capacity(panels),
            bias: (0..panels).map(of_panel).collect(),
        }
    }

    /// Adds columns behind those that are there.
    pub fn push(&mut self, columns: &[Column<'_>]) {
        let zero = i32::from(self.instructions.levels().0);
        let (first, inputs, depth) = (self.scales.len(), self.inputs, self.depth);
        let panels = first + columns.len().div_ceil(COLUMNS);
        self.lines
            .resize(panels * depth, Line([0; COLUMNS * DEPTH]));
        self.offsets.resize(panels, [0; COLUMNS]);
        self.scales.resize(panels, [0.0; COLUMNS]);
        let lines = self.lines[first * depth..].chunks_mut(depth.max(1));
        let others = self.offsets[first..].iter_mut();
        let others = others.zip(&mut self.scales[first..]);
        let mut panels: Vec<_> = lines.zip(others).collect();
        pack_panels(
            &mut panels,
            columns,
            #[inline(always)]
            |(lines, (offsets, scales)), columns| {
                for row in 0..inputs {
                    for lane in 0..columns.len() {
                        let weight = columns[lane].values[row * columns[lane].stride];
                        scales[lane] = scales[lane].max(weight.abs());
                    }
                }
                for scale in &mut scales[..columns.len()] {
                    *scale = step(*scale);
                }
                for row in 0..inputs {
                    for lane in 0..columns.len() {
                        let weight = columns[lane].values[row * columns[lane].stride];
                        #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
                        let byte = rounded(weight / scales[lane]) as i8;
                        offsets[lane] -= zero * i32::from(byte);
                        lines[row / DEPTH].0[lane * DEPTH + row % DEPTH] = byte;
                    }
                }
            },
        );
    }

    /// Some of its columns, in this order.
    pub fn select(&self, columns: &[u32]) -> Self {
        let (depth, panels) = (self.depth, columns.len().div_ceil(COLUMNS));
        let mut selected = Self {
            lines: vec![Line([0; COLUMNS * DEPTH]); panels * depth],
            offsets: vec![[0; COLUMNS]; panels],
            scales: vec![[0.0; COLUMNS]; panels],
            bias: vec![[0.0; COLUMNS]; panels],
            outputs: columns.len(),
            ..*self
        };
        for (place, &column) in columns.iter().enumerate() {
            let (panel, lane) = (place / COLUMNS, place % COLUMNS);
            let (from, from_lane) = (column as usize / COLUMNS, column as usize % COLUMNS);
            selected.offsets[panel][lane] = self.offsets[from][from_lane];
            selected.scales[panel][lane] = self.scales[from][from_lane];
            selected.bias[panel][lane] = self.bias[from][from_lane];
            let lines = selected.lines[panel * depth..][..depth].iter_mut();
            for (line, from) in lines.zip(&self.lines[from * depth..][..depth]) {
                line.0[lane * DEPTH..][..DEPTH]
                    .copy_from_slice(&from.0[from_lane * DEPTH..][..DEPTH]);
            }
        }
        selected
    }

    /// The rows of `x` as bytes.
    pub fn quantise(&self, x: &[f32], rows: usize, quantised: &mut Quantised) {
        let Quantised { quads, scales, row } = quantised;
        quads.resize(rows * self.depth, 0);
        scales.clear();
        // What stands behind the last number is multiplied with weights of 0.
        row.resize(self.depth * DEPTH, 0);
        for run in runs(rows, self.instructions.rows()) {
            let quads = &mut quads[run.start * self.depth..run.end * self.depth];
            let x = &x[run.start * self.inputs..run.end * self.inputs];
            for (place, x) in x.chunks_exact(self.inputs).enumerate() {
                scales.push(Arch::new().dispatch(
                    #[inline(always)]
                    || to_bytes(x, row, self.instructions.levels()),
                ));
                let (bytes, _) = row.as_chunks::<DEPTH>();
                let mut at = place;
                for quad in 0..self.depth {
                    quads[at] = i32::from_le_bytes(bytes[quad]);
                    at += run.len();
                }
            }
        }
    }

    /// Some panels' columns of the product.
    ///
    /// # Shapes
    /// - output: `[rows, columns]`
    pub fn multiply(&self, x: &Quantised, panels: Range<usize>, output: &mut [f32]) {
        assert!(
            self.instructions.are_here(),
            "panels are made for the processor"
        );
        if panels.is_empty() {
            return;
        }
        #[expect(
            unsafe_code,
            reason = "the processor has the instructions, as asserted"
        )]
        unsafe {
            match self.instructions {
                Instructions::Avx512Vnni => self.multiply_wide(x, panels, output),
                Instructions::AvxVnni | Instructions::Avx2 => {
                    self.multiply_narrow(x, panels, output);
                }
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn multiply_wide(&self, x: &Quantised, panels: Range<usize>, output: &mut [f32]) {
        let rows = x.scales.len();
        let width = self.outputs.min(panels.end * COLUMNS) - panels.start * COLUMNS;
        let group = if rows <= 4 { 4 } else { 2 };
        for (first, count) in groups(&panels, group) {
            let column = (first - panels.start) * COLUMNS;
            for run in runs(rows, self.instructions.rows()) {
                let quads = &x.quads[run.start * self.depth..run.end * self.depth];
                let output = &mut output[run.start * width..run.end * width];
                let (output, x) = ((output, width, column), (quads, &x.scales[run.clone()]));
                macro_rules! tile {
                    ($(($rows:literal, $panels:literal)),*) => {
                        match (run.len(), count) {
                            $(($rows, $panels) => {
                                self.wide_tile::<$rows, $panels>(x, first, output);
                            })*
                            _ => unreachable!("runs and groups have these sizes"),
                        }
                    };
                }
                wide_tiles!(tile);
            }
        }
    }

    /// `R` rows times `P` panels.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn wide_tile<const R: usize, const P: usize>(
        &self,
        (quads, scales): (&[i32], &[f32]),
        first: usize,
        (output, width, column): (&mut [f32], usize, usize),
    ) {
        let depth = self.depth;
        let panels: [&[Line]; P] =
            std::array::from_fn(|panel| &self.lines[(first + panel) * depth..][..depth]);
        let mut sums: [[__m512i; P]; R] = std::array::from_fn(|_| {
            std::array::from_fn(|panel| bytemuck::cast(self.offsets[first + panel]))
        });
        let (quads, _) = quads.as_chunks::<R>();
        let quads = &quads[..depth];
        for place in 0..depth {
            for panel in 0..P {
                let line: __m512i = bytemuck::cast(panels[panel][place].0);
                for row in 0..R {
                    let x = _mm512_set1_epi32(quads[place][row]);
                    sums[row][panel] = _mm512_dpbusd_epi32(sums[row][panel], x, line);
                }
            }
        }
        for row in 0..R {
            for panel in 0..P {
                let of_panel: __m512 = bytemuck::cast(self.scales[first + panel]);
                let bias: __m512 = bytemuck::cast(self.bias[first + panel]);
                let of_panel = _mm512_mul_ps(of_panel, _mm512_set1_ps(scales[row]));
                let sum = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[row][panel]), of_panel);
                let line: [f32; COLUMNS] = bytemuck::cast(_mm512_add_ps(sum, bias));
                let column = column + panel * COLUMNS;
                let output = &mut output[row * width + column..];
                match output.first_chunk_mut::<COLUMNS>() {
                    Some(whole) if column + COLUMNS <= width => *whole = line,
                    _ => output[..width - column].copy_from_slice(&line[..width - column]),
                }
            }
        }
    }
}

/// Rounds a row to bytes around that of 0; gives what a step is to be multiplied with. What is no number makes that no
/// number.
#[inline(always)]
fn to_bytes(x: &[f32], bytes: &mut [u8], (zero, steps): (u8, f32)) -> f32 {
    /// Adding it rounds to the nearest integer, which then stands in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let mut largest = [0.0_f32; COLUMNS];
    // 0, unless one of the numbers is none: the largest passes over those.
    let mut nothing = [0.0_f32; COLUMNS];
    let (blocks, rest) = x.as_chunks::<COLUMNS>();
    for block in 0..blocks.len() {
        for lane in 0..COLUMNS {
            largest[lane] = largest[lane].max(blocks[block][lane].abs());
            nothing[lane] += blocks[block][lane] * 0.0;
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        largest[lane] = largest[lane].max(x.abs());
        nothing[lane] += x * 0.0;
    }
    let largest = largest.into_iter().fold(0.0, f32::max);
    let factor = if largest > 0.0 { steps / largest } else { 0.0 };
    let bytes = &mut bytes[..x.len()];
    for place in 0..x.len() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lowest byte is the number"
        )]
        let rounded = (x[place] * factor + SHIFT).to_bits() as u8;
        bytes[place] = rounded.wrapping_add(zero);
    }
    largest / steps + nothing.iter().sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_instructions_multiply_alike() {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let number = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 50.0;
        let [rows, inputs, outputs] = [7, 70, 41];
        let x: Vec<f32> = (0..rows * inputs).map(number).collect();
        let weight = |row: usize, column: usize| number(row * outputs + column + 5);
        let bias: Vec<f32> = (0..outputs).map(number).collect();
        let weights =
            (0..outputs).flat_map(|column| (0..inputs).map(move |row| weight(row, column)));
        let weights: Vec<f32> = weights.collect();
        let columns = weights.chunks_exact(inputs);
        let columns = columns.map(|values| Column { values, stride: 1 });
        let columns: Vec<Column<'_>> = columns.collect();
        for instructions in Instructions::ALL {
            if !instructions.are_here() {
                println!("skipped: this processor has no {instructions:?}");
                continue;
            }
            let mut panels = BytePanels::new(instructions, [inputs, columns.len()], &bias);
            panels.push(&columns);
            let (mut quantised, mut found) = (Quantised::default(), vec![0.0; rows * outputs]);
            panels.quantise(&x, rows, &mut quantised);
            panels.multiply(&quantised, 0..outputs.div_ceil(COLUMNS), &mut found);
            for (place, found) in found.iter().enumerate() {
                let (row, column) = (place / outputs, place % outputs);
                let products = (0..inputs).map(|i| x[row * inputs + i] * weight(i, column));
                let expected = bias[column] + products.sum::<f32>();
                let difference = (found - expected).abs();
                assert!(difference < 0.3, "{instructions:?}: {found} {expected}");
            }
        }
    }
}
