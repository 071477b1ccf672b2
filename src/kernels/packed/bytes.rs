//! Weights as 8-bit integers, multiplied four at a time by the processor's products of bytes.
//!
//! A row `x` becomes bytes `u = round(127 x / max|x|) + 128`, a column `w` becomes `round(127 w / max|w|)`; since the sum of
//! `(u - 128) w` is that of `u w` less 128 times that of `w`, the sums begin with the latter. Where there
//! is no VNNI, AVX2 adds products in pairs of 16 bits, which hold them if `u` is at most 127: there a row has 7 bits.
//!
//! Integers of a file stay what they are. Where it has the multiplier of the rows, too, they are rounded by it, and all
//! processors compute the same sums.

mod narrow;
mod rounding;

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_mul_ps,
    _mm512_set1_epi32, _mm512_set1_ps,
};
use std::ops::Range;

use narrow::{PAIR_TILES, VNNI_TILES};
use pulp::{Arch, bytemuck};
use rounding::{to_bytes, to_bytes_by};

use super::{COLUMNS, Column, groups, pack_panels, rounded, runs, step, wide_tiles};

/// The byte of a number 0 in rows that have a multiplier, as intgemm has it.
const INTGEMM_ZERO: u8 = 127;

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
    pub(super) fn here() -> Option<Self> {
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
    /// Offsets of each panel's columns: their sum times the byte of 0, negative.
    offsets: Vec<[i32; COLUMNS]>,
    scales: Vec<[f32; COLUMNS]>,
    bias: Vec<[f32; COLUMNS]>,
    /// The multiplier of rows; none if each has one of its own.
    activations: Option<f32>,
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
    pub(super) fn new(
        instructions: Instructions,
        [inputs, outputs]: [usize; 2],
        bias: &[f32],
    ) -> Self {
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
            activations: None,
        }
    }

    /// The byte of a number 0, and how many steps there are from it to the largest one.
    fn levels(&self) -> (u8, f32) {
        match (self.instructions, self.activations) {
            (_, None) => self.instructions.levels(),
            // Products of signed bytes: absolute values and signs are separated.
            (Instructions::Avx2, Some(_)) => (0, 127.0),
            (_, Some(_)) => (INTGEMM_ZERO, 127.0),
        }
    }

    /// Adds columns after the existing ones.
    pub(super) fn push(&mut self, columns: &[Column<'_>]) {
        let (zero, inputs) = (i32::from(self.levels().0), self.inputs);
        pack_panels(
            &mut self.new_panels(columns.len()),
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

    /// Adds columns of integers, each with its multiplier, all that there are; `activations` is that of the rows. If it is
    /// known, sums are those of intgemm's unsigned rows, whose zero is taken off again by the bias: the same rounding,
    /// without which every fourth translation of a small model becomes another one.
    pub(super) fn push_integers(
        &mut self,
        columns: &[Column<'_, i8>],
        multipliers: &[f32],
        activations: Option<f32>,
    ) {
        self.activations = activations;
        let (zero, inputs) = (i32::from(self.levels().0), self.inputs);
        // Sums are to be of rows whose zero is that of intgemm.
        let kept = activations.map_or(0, |_| i32::from(INTGEMM_ZERO));
        pack_panels(
            &mut self.new_panels(columns.len()),
            columns,
            #[inline(always)]
            |(lines, (offsets, _)), columns| {
                for row in 0..inputs {
                    for lane in 0..columns.len() {
                        let byte = columns[lane].values[row * columns[lane].stride];
                        offsets[lane] += (kept - zero) * i32::from(byte);
                        lines[row / DEPTH].0[lane * DEPTH + row % DEPTH] = byte;
                    }
                }
            },
        );
        let scales = self.scales.as_flattened_mut().iter_mut();
        for (scale, multiplier) in scales.zip(multipliers) {
            *scale = 1.0 / (activations.unwrap_or(1.0) * multiplier);
        }
        if let Some(activations) = activations {
            self.take_off_zero(columns, multipliers, activations);
        }
    }

    /// Takes what the zero of unsigned rows adds to every sum off the bias, with the operations of intgemm.
    fn take_off_zero(&mut self, columns: &[Column<'_, i8>], multipliers: &[f32], activations: f32) {
        const LARGEST: f32 = 127.0;
        let inputs = self.inputs;
        let columns = columns.iter().zip(multipliers);
        let bias = self.bias.as_flattened_mut().iter_mut();
        for (bias, (column, multiplier)) in bias.zip(columns) {
            let sum: i32 = column.iter().take(inputs).map(i32::from).sum();
            let step = -((LARGEST / activations) * (LARGEST / multiplier)) / LARGEST;
            let of_zero = sum as f32 * step;
            *bias += of_zero;
        }
    }

    /// Panels for a number of further columns, empty: lines, offsets and scales.
    #[expect(clippy::type_complexity, reason = "what `pack_panels` deals out")]
    fn new_panels(
        &mut self,
        columns: usize,
    ) -> Vec<(&mut [Line], (&mut [i32; COLUMNS], &mut [f32; COLUMNS]))> {
        let (first, depth) = (self.scales.len(), self.depth);
        let panels = first + columns.div_ceil(COLUMNS);
        self.lines
            .resize(panels * depth, Line([0; COLUMNS * DEPTH]));
        self.offsets.resize(panels, [0; COLUMNS]);
        self.scales.resize(panels, [0.0; COLUMNS]);
        let lines = self.lines[first * depth..].chunks_mut(depth.max(1));
        let others = self.offsets[first..].iter_mut();
        lines.zip(others.zip(&mut self.scales[first..])).collect()
    }

    /// Some of its columns, in this order.
    pub(super) fn select(&self, columns: &[u32]) -> Self {
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
    pub(super) fn quantise(&self, x: &[f32], rows: usize, quantised: &mut Quantised) {
        let Quantised { quads, scales, row } = quantised;
        let (zero, steps) = self.levels();
        quads.resize(rows * self.depth, 0);
        scales.clear();
        // What is after the last number is multiplied with weights of 0.
        row.resize(self.depth * DEPTH, 0);
        for run in runs(rows, self.instructions.rows()) {
            let quads = &mut quads[run.start * self.depth..run.end * self.depth];
            let x = &x[run.start * self.inputs..run.end * self.inputs];
            for (place, x) in x.chunks_exact(self.inputs).enumerate() {
                scales.push(Arch::new().dispatch(
                    #[inline(always)]
                    || match self.activations {
                        Some(multiplier) => to_bytes_by(x, row, (zero, multiplier)),
                        None => to_bytes(x, row, (zero, steps)),
                    },
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
    pub(super) fn multiply(&self, x: &Quantised, panels: Range<usize>, output: &mut [f32]) {
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
        // SAFETY: the processor has `self.instructions`, which both functions are compiled for, by the assertion above.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_this_processor_multiply_alike() {
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
            let is_emulated = instructions == Instructions::AvxVnni
                && !instructions.are_here()
                && Instructions::Avx512Vnni.are_here();
            if !instructions.are_here() && !is_emulated {
                continue;
            }
            let mut panels = BytePanels::new(instructions, [inputs, columns.len()], &bias);
            panels.push(&columns);
            let (mut quantised, mut found) = (Quantised::default(), vec![0.0; rows * outputs]);
            panels.quantise(&x, rows, &mut quantised);
            let all = 0..outputs.div_ceil(COLUMNS);
            if is_emulated {
                panels.multiply_by_avx512(&quantised, all, &mut found);
            } else {
                panels.multiply(&quantised, all, &mut found);
            }
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
