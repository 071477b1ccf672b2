//! The datastore of a search that reads some scores: on a GPU, where the nearest states are found, or with a shortlist.

use std::sync::{Arc, OnceLock};

use super::{Datastore, Keys, Neighbours, square, values};
use canopy_kernels::gpu::{Gpu, GpuKeys};
use canopy_kernels::{SelectedScores, StepScores};

/// Keys that are brought to a GPU by the first search that needs them.
#[derive(Debug, Clone, Default)]
pub(super) struct OnGpu(Arc<OnceLock<GpuKeys>>);

impl Datastore {
    /// The keys on a GPU, which are brought there now if they never were.
    ///
    /// # Panics
    /// If the GPU has too little memory, with a message that says so.
    pub fn on_gpu(&self, gpu: &Arc<Gpu>) -> &GpuKeys {
        self.on_gpu.0.get_or_init(|| match &self.keys {
            Keys::Tensor { keys, squares } => {
                GpuKeys::new(gpu, &values(keys.clone()), squares, &self.next)
            }
            Keys::Packed(packed) => GpuKeys::new(gpu, &packed.keys, &packed.squares, &self.next),
        })
    }

    /// How many states are read for each token.
    pub fn num_nearest(&self) -> usize {
        self.config.nearest.min(self.next.len())
    }

    /// The nearest neighbours of a state, of which the GPU has found the numbers, the nearest first, and how near they are,
    /// see [`GpuKeys`].
    pub fn selected_near(&self, nearness: &[f32], numbers: &[u32], state: &[f32]) -> Neighbours {
        // There are none where states are not finite.
        let last = u32::try_from(self.next.len() - 1).expect("states fit 32 bits");
        let nearest = nearness.iter().zip(numbers);
        let nearest = nearest.map(|(near, &number)| (-2.0 * near, number.min(last)));
        self.weighed(&nearest.collect::<Vec<_>>(), square(state))
    }

    /// Mixes what followed the nearest states into the whole vocabulary's scores before their softmax, or into those that
    /// were selected; `theirs` are the scores of the tokens that followed them, in their order.
    pub fn mix_in_selected(&self, near: &[Neighbours], theirs: &[f32], scores: &mut StepScores) {
        let nearest = self.num_nearest();
        let Some(selected) = scores.columns.take() else {
            self.mix_rows(near, &mut scores.values, &mut scores.normalisers);
            return;
        };
        let rows = near.len();
        let width = scores.values.len() / rows.max(1);
        let mut values = Vec::with_capacity(rows * (width + nearest));
        let mut ids = Vec::with_capacity(selected.others.len() + rows * nearest);
        let of_rows = scores.values.chunks_exact(width.max(1)).zip(near);
        let of_rows = of_rows.zip(theirs.chunks_exact(nearest.max(1)));
        for (row, ((own, near), theirs)) in of_rows.enumerate() {
            let of_model = scores.normalisers[row];
            let kept = 1.0 - near.weight;
            let normaliser = of_model - kept.ln();
            scores.normalisers[row] = normaliser;
            let others = selected.others_of(row, rows);
            let first = own.len() - others.len();
            let begin = values.len();
            values.extend_from_slice(own);
            ids.extend_from_slice(others);
            let (end, ids_end) = (begin + width + nearest, ids.len() + nearest);
            for (id, share) in self.followed(&near.states) {
                let column = if (id as usize) < first {
                    Some(id as usize)
                } else {
                    let place = others.iter().position(|&other| other == id);
                    // What names no token is impossible.
                    let place = place.filter(|place| own[first + place] > f32::NEG_INFINITY);
                    place.map(|place| first + place)
                };
                let mixed = |score: f32| {
                    let alone = kept * (score - of_model).exp();
                    (alone + near.weight * share).ln() + normaliser
                };
                if let Some(column) = column {
                    values[begin + column] = mixed(own[column]);
                    continue;
                }
                let states = near.states.iter().map(|state| self.next(state.0));
                let place = states.zip(theirs).find(|(next, _)| *next == id);
                let (_, &score) = place.expect("it followed one of them");
                values.push(mixed(score));
                ids.push(id);
            }
            values.resize(end, f32::NEG_INFINITY);
            ids.resize(ids_end, 0);
        }
        scores.values = values;
        scores.columns = Some(SelectedScores { others: ids });
    }
}
