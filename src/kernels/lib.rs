//! Fused operations with gradients, each with its plain tensor version.
//!
//! The fused version runs on the CPU (burn's flex backend), where a chain of small tensor operations spends most of its
//! time on memory traffic, and on a GPU as WGSL: `gpu_training` for trainings, on burn's tensors, [`gpu`] for searches. The plain
//! version, of burn's tensor operations, is the reference in tests and the fallback.
//! Every matrix here is `[rows, columns]`: sentences are runs of rows, so that padding costs nothing.
//!
//! ```
//! use canopy_kernels::sparsemax_row;
//!
//! let mut scores = [1.0, 0.9, -1.0];
//! sparsemax_row(&mut scores);
//! assert!((scores[0] - 0.55).abs() < 1e-6 && scores[2] == 0.0);
//! ```

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "plain loops stay in the vector instructions of their caller, as adapters of iterators and `copy_from_slice` may \
    not; memory whose address these get is in no register"
)]
#![warn(missing_docs, unreachable_pub)]

mod adam;
mod additive;
mod attention;
#[cfg(test)]
mod comparison;
mod cpu;
mod cross_entropy;
mod dropout;
mod each_weight;
mod freed_memory;
mod gelu;
pub mod gpu;
mod gpu_training;
mod log_softmax;
mod matmul;
mod norm;
pub mod packed;
mod product;
mod row_selection;
mod scores_in_parts;
mod selected;
mod sparsemax;
mod tape;
mod top_k;
mod vectors;

pub use adam::{AdamStep, Adapted, Moments, adam, adam_at_once, is_adapted_at_once, square_sum};
pub use additive::{Alignment, additive_alignment, additive_context};
pub use attention::{
    Attention, PaddedRuns, Segment, attention, attention_weights, padded_attention,
};
pub use cpu::is_cpu;
pub use cross_entropy::label_smoothed_cross_entropy;
pub use dropout::{Dropout, DropoutSource, dropout, relu_dropout};
pub use each_weight::{each_alignment, each_attention};
pub use freed_memory::{never_purge_memory, purge_memory_promptly};
pub use gelu::gelu;
pub use log_softmax::log_softmax;
pub use matmul::multiply;
pub use norm::{add_norm, layer_norm};
pub use product::{linear, product, product_with_table, with_matmul_dtype};
pub use row_selection::{RowNumbers, select_rows};
pub use scores_in_parts::ScoresInParts;
pub use selected::{
    Projected, SelectedAttention, SelectedWeights, Weighting, WordNormaliser, each_selected,
    selected_attention, selected_weights,
};
pub use sparsemax::{sparsemax, sparsemax_row};
pub use top_k::{ScoreRow, SelectedScores, StepScores, TokenSelection, largest};
