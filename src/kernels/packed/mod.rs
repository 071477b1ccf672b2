//! Products with weights that are packed once, for a search that computes with the same ones at every word; and what
//! is between these products. Plain slices without a gradient graph: the tensors of burn are the definition.
//!
//! Rows of one matrix are what one thread computes; [`Scratch::on_cores`] lets large products of few rows use several.

#[cfg(target_arch = "x86_64")]
mod bytes;
mod floats;
mod integers;
mod reading;
mod rows;
mod selected_rows;
mod shared_rows;
mod table;

use std::ops::Range;

use rayon::prelude::*;

use floats::FloatPanels;
use pulp::Arch;

pub use reading::{Columns, attend, attend_once, each_attention};
pub use rows::{Activation, RowNorm, log_normalisers};
pub use selected_rows::{Readers, SelectedRows};
pub use shared_rows::SharedRows;
pub use table::{Integers, Kept, Table};

/// Columns of a matrix that are packed together: one AVX-512 register, two of AVX2.
const COLUMNS: usize = 16;

/// The operations from which a second core pays off.
const LARGE: usize = 1 << 24;

/// How weights are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantization {
    /// As 32-bit floats.
    #[default]
    None,
    /// As 8-bit integers with a scale for each column, or as the 8-bit integers of a file that has such; rows of numbers are
    /// brought to 8 bits as they come. Where the processor has no products of bytes, all is rounded alike and computed as
    /// floats.
    Int8,
    /// As 16-bit floats where a GPU searches; on the CPU as [`Self::None`].
    Float16,
}

/// A matrix of weights as its reader finds it: number `(row, column)` is at `row · strides[0] + column · strides[1]`.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a, T = f32> {
    /// All numbers.
    pub values: &'a [T],
    /// Distances between rows and between columns.
    pub strides: [usize; 2],
}

impl<'a, T> Weights<'a, T> {
    /// Row by row, each of `columns` numbers.
    pub fn by_rows(values: &'a [T], columns: usize) -> Self {
        Self {
            values,
            strides: [columns, 1],
        }
    }

    /// The transpose of what is stored row by row, each of `columns` numbers.
    pub fn transposed(values: &'a [T], columns: usize) -> Self {
        Self {
            values,
            strides: [1, columns],
        }
    }

    fn column(&self, column: usize) -> Column<'a, T> {
        Column {
            values: &self.values[column * self.strides[1]..],
            stride: self.strides[0],
        }
    }
}

/// A column of weights: one number in every `stride`.
#[derive(Debug, Clone, Copy)]
struct Column<'a, T = f32> {
    values: &'a [T],
    stride: usize,
}

impl<T: Copy> Column<'_, T> {
    fn iter(self) -> impl Iterator<Item = T> {
        self.values.iter().step_by(self.stride).copied()
    }
}

/// A linear map `x W + b` whose weights are packed.
#[derive(Debug, Clone)]
pub struct PackedMatrix {
    inputs: usize,
    outputs: usize,
    panels: Panels,
    /// The multiplier of rows that are rounded to integers alike, see [`Integers`].
    activations: Option<f32>,
}

#[derive(Debug, Clone)]
enum Panels {
    Floats(FloatPanels),
    #[cfg(target_arch = "x86_64")]
    Bytes(bytes::BytePanels),
}

/// A thread's scratch space from product to product, so that nothing is allocated twice.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    floats: Vec<f32>,
    #[cfg(target_arch = "x86_64")]
    bytes: bytes::Quantised,
    part: Vec<f32>,
    several_cores: bool,
    /// Scratch space of the caller of products.
    pub wide: Vec<f32>,
}

impl Scratch {
    /// One whose large products are shared among all cores.
    #[must_use]
    pub fn on_cores(several_cores: bool) -> Self {
        Self {
            several_cores,
            ..Self::default()
        }
    }
}

impl PackedMatrix {
    /// Packs parts side by side: each `[inputs, outputs]` with its bias `[outputs]` or none.
    ///
    /// # Panics
    /// If the parts have no common number of inputs.
    pub fn new(
        inputs: usize,
        parts: &[(Weights<'_>, usize, Option<&[f32]>)],
        quantization: Quantization,
    ) -> Self {
        let outputs = parts.iter().map(|(_, outputs, _)| outputs).sum();
        let mut bias = vec![0.0; outputs];
        let mut columns: Vec<Column<'_>> = Vec::with_capacity(outputs);
        for &(weights, outputs, part) in parts {
            if let Some(part) = part {
                bias[columns.len()..][..outputs].copy_from_slice(part);
            }
            columns.extend((0..outputs).map(|column| weights.column(column)));
        }
        let mut packed = Self::empty([inputs, outputs], &bias, quantization);
        packed.push(&columns, quantization);
        packed
    }

    /// Packs the transpose of `table` `[outputs, inputs]` with its bias `[outputs]` or none; of what is not kept as floats
    /// only a part is brought to floats at a time.
    pub fn transposed(table: &Table, bias: Option<&[f32]>, quantization: Quantization) -> Self {
        /// Columns that are packed at a time: whole panels.
        const PART: usize = 64 * COLUMNS;
        let [inputs, outputs] = [table.columns(), table.rows()];
        if quantization == Quantization::Int8
            && let Some(packed) = Self::from_transposed_integers(table, bias)
        {
            return packed;
        }
        let none = vec![0.0; outputs];
        let mut packed = Self::empty([inputs, outputs], bias.unwrap_or(&none), quantization);
        let mut values = Vec::new();
        for first in (0..outputs).step_by(PART) {
            values.clear();
            table.extend(first..outputs.min(first + PART), &mut values);
            let columns = values.chunks_exact(inputs.max(1));
            let columns = columns.map(|values| Column { values, stride: 1 });
            packed.push(&columns.collect::<Vec<_>>(), quantization);
        }
        packed
    }

    /// Without its columns, which [`Self::push`] adds.
    fn empty([inputs, outputs]: [usize; 2], bias: &[f32], quantization: Quantization) -> Self {
        let sizes = [inputs, outputs];
        Self {
            inputs,
            outputs,
            activations: None,
            panels: match quantization {
                Quantization::None | Quantization::Float16 => {
                    Panels::Floats(FloatPanels::new(sizes, bias))
                }
                Quantization::Int8 => Self::empty_quantised(sizes, bias),
            },
        }
    }

    fn empty_quantised(sizes: [usize; 2], bias: &[f32]) -> Panels {
        #[cfg(target_arch = "x86_64")]
        if let Some(instructions) = bytes::Instructions::here() {
            return Panels::Bytes(bytes::BytePanels::new(instructions, sizes, bias));
        }
        Panels::Floats(FloatPanels::new(sizes, bias))
    }

    /// Adds columns after the existing ones, which are whole panels.
    fn push(&mut self, columns: &[Column<'_>], quantization: Quantization) {
        let inputs = self.inputs;
        let panels = match &mut self.panels {
            #[cfg(target_arch = "x86_64")]
            Panels::Bytes(panels) => return panels.push(columns),
            Panels::Floats(panels) if quantization != Quantization::Int8 => {
                return panels.push(columns);
            }
            Panels::Floats(panels) => panels,
        };
        let coarse = columns.iter().flat_map(|column| {
            let largest = column
                .iter()
                .take(inputs)
                .fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let scale = step(largest);
            let column = column.iter().take(inputs);
            column.map(move |weight| rounded(weight / scale).trunc() * scale)
        });
        let coarse: Vec<f32> = coarse.collect();
        let columns = coarse.chunks_exact(inputs.max(1));
        let columns = columns.map(|values| Column { values, stride: 1 });
        panels.push(&columns.collect::<Vec<_>>());
    }

    /// The weights as floats; none if they are bytes.
    fn floats(&self) -> Option<&FloatPanels> {
        match &self.panels {
            Panels::Floats(panels) => Some(panels),
            #[cfg(target_arch = "x86_64")]
            Panels::Bytes(_) => None,
        }
    }

    /// The map to some of its outputs, in this order.
    #[must_use]
    pub fn select(&self, outputs: &[u32]) -> Self {
        Self {
            inputs: self.inputs,
            outputs: outputs.len(),
            activations: self.activations,
            panels: match &self.panels {
                Panels::Floats(panels) => Panels::Floats(panels.select(outputs)),
                #[cfg(target_arch = "x86_64")]
                Panels::Bytes(panels) => Panels::Bytes(panels.select(outputs)),
            },
        }
    }

    /// Columns of a product.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Columns of the rows that it multiplies.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Bytes of its weights in memory, scales and bias aside.
    pub fn num_bytes(&self) -> usize {
        let of_weight = match self.panels {
            Panels::Floats(_) => size_of::<f32>(),
            #[cfg(target_arch = "x86_64")]
            Panels::Bytes(_) => size_of::<i8>(),
        };
        self.inputs * self.outputs * of_weight
    }

    /// `x W + b`, which replaces what is in `output`.
    ///
    /// # Shapes
    /// - x: `[rows, inputs]`
    /// - output: `[rows, outputs]`
    pub fn multiply(&self, x: &[f32], output: &mut Vec<f32>, scratch: &mut Scratch) {
        let several_cores = scratch.several_cores;
        output.resize(x.len() / self.inputs * self.outputs, 0.0);
        self.with_rows(x, scratch, |rows, compute| {
            if rows > 0 {
                self.shared(rows, output, several_cores, compute);
            }
        });
    }

    /// Multiplies part by part of the columns, so that a part is still in the cache when it is read: every core begins with
    /// what `start` makes, and `read` gets that, the number of a part's first column and the part `[rows, columns]`.
    pub fn multiply_in_parts<K: Send>(
        &self,
        x: &[f32],
        scratch: &mut Scratch,
        start: impl Fn() -> K + Sync,
        read: impl Fn(&mut K, usize, &mut [f32]) + Sync,
    ) -> Vec<K> {
        /// Numbers of a part, near the size of the second nearest cache.
        const PART: usize = 1 << 17;
        /// Panels that pay for looking at every row.
        const FEWEST: usize = 16;
        let several_cores = scratch.several_cores;
        let mut part = std::mem::take(&mut scratch.part);
        let kept = self.with_rows(x, scratch, |rows, compute| {
            let panels = PART / (COLUMNS * rows.max(1));
            let panels = panels.max(1).next_multiple_of(FEWEST);
            let of_core = |own: Range<usize>, part: &mut Vec<f32>| {
                let mut kept = start();
                for first in own.clone().step_by(panels) {
                    let panels = first..own.end.min(first + panels);
                    let columns = panels.start * COLUMNS..self.outputs.min(panels.end * COLUMNS);
                    part.resize(rows * columns.len(), 0.0);
                    compute(panels, part);
                    read(&mut kept, columns.start, part);
                }
                kept
            };
            let panels = self.outputs.div_ceil(COLUMNS);
            let cores = self.cores(rows, several_cores);
            if cores == 1 {
                return vec![of_core(0..panels, &mut part)];
            }
            let shares = (0..cores).into_par_iter();
            let shares = shares.map(|number| share(panels, number, cores));
            shares.map(|own| of_core(own, &mut Vec::new())).collect()
        });
        scratch.part = part;
        kept
    }

    /// Calls `compute` with the number of rows of `x` and what computes some panels' columns of their product.
    fn with_rows<R>(
        &self,
        x: &[f32],
        scratch: &mut Scratch,
        compute: impl FnOnce(usize, &(dyn Fn(Range<usize>, &mut [f32]) + Sync)) -> R,
    ) -> R {
        let (rows, inputs) = (x.len() / self.inputs, self.inputs);
        assert_eq!(rows * inputs, x.len(), "rows of {inputs} numbers");
        match &self.panels {
            Panels::Floats(panels) => {
                let rounded = self.activations.map(|by| integers::rounded_rows(x, by));
                let x = rounded.as_deref().unwrap_or(x);
                let mut tiles = std::mem::take(&mut scratch.floats);
                panels.tiles(x, rows, &mut tiles);
                let result = compute(rows, &|columns, output| {
                    panels.multiply(&tiles, rows, columns, output);
                });
                scratch.floats = tiles;
                result
            }
            #[cfg(target_arch = "x86_64")]
            Panels::Bytes(panels) => {
                let mut quantised = std::mem::take(&mut scratch.bytes);
                panels.quantise(x, rows, &mut quantised);
                let result = compute(rows, &|columns, output| {
                    panels.multiply(&quantised, columns, output);
                });
                scratch.bytes = quantised;
                result
            }
        }
    }

    /// The number of cores on which it pays to compute a product of `rows` rows.
    fn cores(&self, rows: usize, several_cores: bool) -> usize {
        let is_large = rows * self.inputs * self.outputs >= LARGE;
        let cores = if several_cores && is_large {
            rayon::current_num_threads()
        } else {
            1
        };
        cores.max(1)
    }

    /// Computes all panels of columns, on several cores if it pays: then each has its part of the columns to itself.
    fn shared(
        &self,
        rows: usize,
        output: &mut [f32],
        several_cores: bool,
        compute: &(dyn Fn(Range<usize>, &mut [f32]) + Sync),
    ) {
        let panels = self.outputs.div_ceil(COLUMNS);
        let cores = self.cores(rows, several_cores);
        if cores == 1 {
            compute(0..panels, output);
            return;
        }
        let part = |number: usize| {
            let panels = share(panels, number, cores);
            let columns = panels.start * COLUMNS..self.outputs.min(panels.end * COLUMNS);
            let mut output = vec![0.0; rows * columns.len()];
            compute(panels, &mut output);
            (columns, output)
        };
        let parts: Vec<_> = (0..cores).into_par_iter().map(part).collect();
        for (columns, part) in parts.iter().filter(|(columns, _)| !columns.is_empty()) {
            let rows = output.chunks_exact_mut(self.outputs);
            for (row, part) in rows.zip(part.chunks_exact(columns.len())) {
                row[columns.clone()].copy_from_slice(part);
            }
        }
    }
}

/// Calls `pack` with every panel and its columns, on as many threads as there are cores: threads of their own, since those
/// of rayon's pool may be waiting for what is packed here.
fn pack_panels<P: Send, C: Sync>(
    panels: &mut [P],
    columns: &[C],
    pack: impl Fn(&mut P, &[C]) + Sync,
) {
    /// Panels for which a thread pays.
    const FEW: usize = 8;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = panels.len().div_ceil(cores).max(FEW);
    let pack_run = |panels: &mut [P], columns: &[C]| {
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (panel, columns) in panels.iter_mut().zip(columns.chunks(COLUMNS)) {
                    pack(panel, columns);
                }
            },
        );
    };
    let runs = panels.chunks_mut(share);
    let mut runs = runs.zip(columns.chunks(share * COLUMNS));
    let first = runs.next();
    std::thread::scope(|scope| {
        for (panels, columns) in runs {
            let pack_run = &pack_run;
            scope.spawn(move || pack_run(panels, columns));
        }
        if let Some((panels, columns)) = first {
            pack_run(panels, columns);
        }
    });
}

/// The step of 8-bit integers up to 127 that reach as far as a number.
fn step(largest: f32) -> f32 {
    if largest > 0.0 { largest / 127.0 } else { 1.0 }
}

/// A number whose whole part is the whole number nearest to this one: `round` would call a function of the system's library
/// for every weight.
#[inline(always)]
fn rounded(number: f32) -> f32 {
    number + 0.5_f32.copysign(number)
}

/// Runs of up to `largest` rows, as equal as can be.
fn runs(rows: usize, largest: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let count = rows.div_ceil(largest);
    (0..count).map(move |number| share(rows, number, count))
}

/// The part with this number of `count` parts as equal as can be.
fn share(whole: usize, number: usize, count: usize) -> Range<usize> {
    whole * number / count..whole * (number + 1) / count
}

/// Panels in groups of up to `size`, each as its first panel and their number.
fn groups(panels: &Range<usize>, size: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let end = panels.end;
    (panels.start..end)
        .step_by(size)
        .map(move |first| (first, size.min(end - first)))
}

/// Gives `$tile` all sizes `(rows, panels)` of tiles where a register holds a line: sums of up to ten rows of two panels, or
/// of four rows of four, stay in registers.
macro_rules! wide_tiles {
    ($tile:ident) => {
        $tile!(
            (1, 1),
            (2, 1),
            (3, 1),
            (4, 1),
            (5, 1),
            (6, 1),
            (7, 1),
            (8, 1),
            (9, 1),
            (10, 1),
            (1, 2),
            (2, 2),
            (3, 2),
            (4, 2),
            (5, 2),
            (6, 2),
            (7, 2),
            (8, 2),
            (9, 2),
            (10, 2),
            (1, 3),
            (2, 3),
            (3, 3),
            (4, 3),
            (1, 4),
            (2, 4),
            (3, 4),
            (4, 4)
        )
    };
}
use wide_tiles;

#[cfg(test)]
mod tests;
