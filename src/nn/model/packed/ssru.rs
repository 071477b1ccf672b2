//! The packed recurrent unit of a decoder layer.

use std::ops::Range;

use super::layers::{Buffers, Packing};
use crate::model::ssru::Ssru;
use canopy_kernels::packed::{Activation, PackedMatrix};

/// The two maps of an [`Ssru`] side by side.
#[derive(Debug, Clone)]
pub(super) struct PackedSsru {
    /// To what is kept of the cell, and to what is added: `[d_model, 2 · d_model]`.
    gates: PackedMatrix,
}

impl PackedSsru {
    pub(super) fn new(ssru: &Ssru, packing: Packing<'_>) -> Self {
        Self {
            gates: packing.linears(&[&ssru.forget, &ssru.input]),
        }
    }

    pub(super) fn num_bytes(&self) -> usize {
        self.gates.num_bytes()
    }

    /// One word for every hypothesis, whose `cells` are `None` before the first; what it makes of `x` is in
    /// `buffers.branch`.
    ///
    /// # Shapes
    /// - x, cells: `[hypotheses, d_model]`
    pub(super) fn step(&self, x: &[f32], cells: &mut Vec<f32>, buffers: &mut Buffers) {
        let d_model = self.gates.inputs();
        let Buffers {
            branch,
            wide,
            scratch,
            ..
        } = buffers;
        self.gates.multiply(x, wide, scratch);
        cells.resize(x.len(), 0.0);
        branch.resize(x.len(), 0.0);
        let rows = wide.chunks_exact_mut(2 * d_model);
        let rows = rows.zip(cells.chunks_exact_mut(d_model));
        for ((gates, cell), output) in rows.zip(branch.chunks_exact_mut(d_model)) {
            word(gates, cell, output);
        }
    }

    /// All words of whole sentences.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub(super) fn forward(
        &self,
        x: &[f32],
        sentences: impl Iterator<Item = Range<usize>>,
        buffers: &mut Buffers,
    ) {
        let d_model = self.gates.inputs();
        let Buffers {
            branch,
            wide,
            context,
            scratch,
            ..
        } = buffers;
        self.gates.multiply(x, wide, scratch);
        branch.resize(x.len(), 0.0);
        context.resize(d_model, 0.0);
        let cell = &mut context[..d_model];
        for row in sentences.flat_map(|rows| rows.clone().map(move |row| (row, row == rows.start)))
        {
            let (row, is_first) = row;
            if is_first {
                cell.fill(0.0);
            }
            let gates = &mut wide[row * 2 * d_model..][..2 * d_model];
            word(gates, cell, &mut branch[row * d_model..][..d_model]);
        }
    }
}

/// `c = f ∘ c' + (1 - f) ∘ x W`, `h = max(0, c)` of one row.
fn word(gates: &mut [f32], cell: &mut [f32], output: &mut [f32]) {
    let (keep, added) = gates.split_at_mut(cell.len());
    Activation::Sigmoid.apply(keep);
    let values = cell.iter_mut().zip(output).zip(keep.iter().zip(added));
    for ((cell, output), (keep, added)) in values {
        *cell = *keep * *cell + (1.0 - *keep) * *added;
        // What is no number stays so.
        *output = if *cell < 0.0 { 0.0 } else { *cell };
    }
}
