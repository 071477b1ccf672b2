//! Products of matrices of blocks with rows of numbers, and what else a layer computes number by number.

mod activations;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod loops;
#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod wide;

use rayon::prelude::*;

use crate::blocks::{Kind, with_blocks};
use crate::weights::{Tensor, Weights};
use activations::{Form, Quantised};

/// The function of a gated layer: SwiGLU or GeGLU (Shazeer, "GLU Variants Improve Transformer", 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Silu,
    /// With tanh in place of the error function.
    Gelu,
    /// GELU with tanh of a half float, rounded to one, as llama.cpp's table has it.
    RoundedGelu,
}

/// How heads attend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads {
    pub d_head: usize,
    /// Factor of scores.
    pub scale: f32,
    /// Scores `s` become `cap · tanh(s / cap)`.
    pub cap: Option<f32>,
}

/// Keys or values `[positions, d_head]`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stored<'s> {
    Halves(&'s [u16]),
    Floats(&'s [f32]),
}

impl Stored<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Halves(numbers) => numbers.len(),
            Self::Floats(numbers) => numbers.len(),
        }
    }
}

/// Vector instructions of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Wide,
    #[cfg(target_arch = "x86_64")]
    Narrow,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

impl Instructions {
    /// The best ones that the processor has.
    fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let is_narrow = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c");
            let is_wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni");
            if is_narrow {
                return if is_wide { Self::Wide } else { Self::Narrow };
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            return Self::Neon;
        }
        Self::Portable
    }
}

/// Calls a function of the loops for `$instructions`.
macro_rules! with_instructions {
    ($instructions:expr, $name:ident $(::<$blocks:ty>)? ($($argument:expr),*)) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Wide => {
                // SAFETY: `Instructions::here` gives this only where the processor has all of the features.
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                unsafe {
                    wide::$name$(::<$blocks>)?($($argument),*)
                }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Narrow => {
                // SAFETY: `Instructions::here` gives this only where the processor has all of the features.
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                unsafe {
                    narrow::$name$(::<$blocks>)?($($argument),*)
                }
            }
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => {
                // SAFETY: `Instructions::here` gives this only where the processor has NEON.
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                unsafe {
                    neon::$name$(::<$blocks>)?($($argument),*)
                }
            }
            Instructions::Portable => portable::$name$(::<$blocks>)?($($argument),*),
        }
    };
}

#[cfg(test)]
mod tests;

/// Multiplies `gates`, put through their function, with `values`, in place.
pub(crate) fn gate(function: Gate, gates: &mut [f32], values: &[f32]) {
    with_instructions!(Instructions::here(), gate(function, gates, values));
}

/// `ln Σ e^x`
pub(crate) fn log_sum_exp(x: &[f32]) -> f32 {
    with_instructions!(Instructions::here(), log_sum_exp(x))
}

/// RMSNorm in place: Zhang & Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019, Eq. 4.
pub(crate) fn rms_norm(x: &mut [f32], weights: &[f32], epsilon: f32) {
    with_instructions!(Instructions::here(), rms_norm(x, weights, epsilon));
}

/// Attention of queries `[queries, d_head]` to the positions of a head of keys and values, in two parts one behind the other;
/// gives its weights `[queries, positions]`. Scores get `biases` `[queries, positions]`, if there are any.
pub(crate) fn attend(
    heads: &Heads,
    queries: &[f32],
    [keys, values]: [[Stored<'_>; 2]; 2],
    biases: &[f32],
    output: &mut [f32],
) -> Vec<f32> {
    with_instructions!(
        Instructions::here(),
        attend(heads, queries, keys, values, biases, output)
    )
}

/// Rows of numbers, in all forms that some matrices want.
struct Inputs<'x> {
    numbers: &'x [f32],
    rows: usize,
    quantised: Vec<Quantised>,
}

impl<'x> Inputs<'x> {
    fn new(
        instructions: Instructions,
        numbers: &'x [f32],
        rows: usize,
        kinds: impl Iterator<Item = Kind>,
    ) -> Self {
        let columns = numbers.len() / rows;
        let mut quantised: Vec<Quantised> = Vec::new();
        for form in kinds.map(Form::wanted_by) {
            if form == Form::Floats || quantised.iter().any(|it| it.form == form) {
                continue;
            }
            let mut all = Quantised::new(form, rows, columns);
            let parts = all
                .scales
                .par_chunks_mut(columns / 32)
                .zip(all.sums.par_chunks_mut(columns / form.group()));
            let all_rows = numbers
                .par_chunks(columns)
                .zip(all.bytes.par_chunks_mut(columns))
                .zip(parts);
            all_rows
                .with_min_len(8)
                .for_each(|((numbers, bytes), (scales, sums))| {
                    with_instructions!(instructions, quantise(form, numbers, bytes, scales, sums));
                });
            quantised.push(all);
        }
        Self {
            numbers,
            rows,
            quantised,
        }
    }

    /// Multiplies rows of a matrix of `kind`; `output` is `[rows of weights, rows]`.
    fn multiply(&self, instructions: Instructions, kind: Kind, weights: &[u8], output: &mut [f32]) {
        let columns = self.numbers.len() / self.rows;
        let form = Form::wanted_by(kind);
        let Some(x) = self.quantised.iter().find(|it| it.form == form) else {
            with_instructions!(
                instructions,
                float_tile(kind, weights, self.numbers, columns, output)
            );
            return;
        };
        if self.rows == 1 {
            with_blocks!(
                kind,
                B => with_instructions!(instructions, line::<B>(weights, x, output)),
                unreachable!("floats are multiplied above")
            );
        } else {
            with_blocks!(
                kind,
                B => with_instructions!(instructions, tile::<B>(weights, x, self.rows, output)),
                unreachable!("floats are multiplied above")
            );
        }
    }
}

/// Rows of weights that a task has at least: those of the widest panel.
const LEAST_ROWS: usize = 16;

/// Tasks for each thread, so that a slow one does not hold up the others.
const TASKS: usize = 4;

/// Multiplies several matrices `[outputs, columns]` of a model with the same rows.
///
/// # Shapes
/// - x: `[rows, columns]`
/// - each output: `[rows, outputs]`
///
/// # Panics
/// If a matrix has another number of columns.
pub(crate) fn products(
    weights: &Weights,
    matrices: &[&Tensor],
    x: &[f32],
    rows: usize,
) -> Vec<Vec<f32>> {
    products_by(Instructions::here(), weights, matrices, x, rows)
}

fn products_by(
    instructions: Instructions,
    all_weights: &Weights,
    matrices: &[&Tensor],
    x: &[f32],
    rows: usize,
) -> Vec<Vec<f32>> {
    for matrix in matrices {
        assert_eq!(matrix.columns * rows, x.len(), "{matrix:?}, {rows} rows");
    }
    let inputs = Inputs::new(instructions, x, rows, matrices.iter().map(|it| it.kind));
    let all: usize = matrices.iter().map(|it| it.rows).sum();
    let part = all.div_ceil(TASKS * rayon::current_num_threads());
    let part = part.max(LEAST_ROWS).next_multiple_of(LEAST_ROWS);
    let zeros = |matrix: &&Tensor| vec![0.0; matrix.rows * rows];
    let mut outputs: Vec<Vec<f32>> = matrices.iter().map(zeros).collect();
    let mut tasks = Vec::new();
    for (matrix, output) in matrices.iter().zip(&mut outputs) {
        let row_bytes = matrix.columns / matrix.kind.numbers() * matrix.kind.bytes();
        let weights = all_weights.bytes(matrix).chunks(part * row_bytes);
        let parts = weights.zip(output.chunks_mut(part * rows));
        tasks.extend(parts.map(|(weights, output)| (matrix.kind, weights, output)));
    }
    tasks.into_par_iter().for_each(|(kind, weights, output)| {
        inputs.multiply(instructions, kind, weights, output);
    });
    if rows > 1 {
        for output in &mut outputs {
            *output = transposed(output, rows);
        }
    }
    outputs
}

/// `[any, rows]` as `[rows, any]`.
fn transposed(numbers: &[f32], rows: usize) -> Vec<f32> {
    let columns = numbers.len() / rows;
    let mut output = vec![0.0; numbers.len()];
    output
        .par_chunks_mut(columns)
        .enumerate()
        .for_each(|(row, output)| {
            for (column, number) in output.iter_mut().enumerate() {
                *number = numbers[column * rows + row];
            }
        });
    output
}
