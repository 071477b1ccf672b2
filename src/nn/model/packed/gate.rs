//! The gate between own states and what is read, as [`ContextGate`] over tensors.

use super::layers::{Buffers, Map, Packing, packed};
use crate::model::context::ContextGate;
use canopy_kernels::packed::{Activation, PackedMatrix};

/// Gate of own states next to what is read, `[2 · d_model, d_model]`.
#[derive(Debug, Clone)]
pub(in crate::model) struct PackedGate(PackedMatrix);

impl PackedGate {
    pub(crate) fn new(gate: &ContextGate, packing: Packing<'_>) -> Self {
        let [own, context] =
            [&gate.own, &gate.context].map(|linear| Map::from_linear(linear, packing));
        let both = Map {
            weights: [own.weights, context.weights].concat(),
            bias: own.bias,
            outputs: own.outputs,
        };
        Self(packed(&[both], packing))
    }

    /// Joins `own` with what is in `buffers.branch`.
    ///
    /// # Shapes
    /// - own: `[rows, d_model]`
    pub(crate) fn join(&self, own: &mut [f32], buffers: &mut Buffers) {
        let d_model = self.0.outputs();
        let Buffers {
            branch,
            wide,
            context: both,
            scratch,
            ..
        } = buffers;
        both.clear();
        for (own, read) in own.chunks_exact(d_model).zip(branch.chunks_exact(d_model)) {
            both.extend_from_slice(own);
            both.extend_from_slice(read);
        }
        self.0.multiply(both, wide, scratch);
        Activation::Sigmoid.apply(wide);
        for ((own, read), passes) in own.iter_mut().zip(&*branch).zip(&*wide) {
            *own = passes * (*own - read) + read;
        }
    }
}
