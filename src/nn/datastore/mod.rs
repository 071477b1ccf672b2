//! The datastore of nearest-neighbour translation: decoder states, and the token that followed each.
//!
//! Khandelwal et al., "Nearest Neighbor Machine Translation", ICLR 2021: the tokens that followed the nearest states, each
//! with a weight of `exp(−d² / temperature)`, are mixed with the model's own next tokens (Eq. 2 and 3). Their share is here
//! `weight · exp(−d² / reach) · a²`, where d is the distance of the nearest one and a the largest weight that one token has among
//! them: it falls with the distance, and where they do not agree. Zheng et al., "Adaptive Nearest Neighbor Machine Translation",
//! ACL 2021, let a network choose it, which reads the distances and how many different tokens there are. States are what
//! enters the last feed-forward sublayer, as theirs.

mod on_gpu;
mod subset;

use std::sync::Arc;

/// Distances that are held at once, if rows of them are not longer.
const HELD: usize = 1 << 21;

/// Candidates with exact distances, as a multiple of the states that are read.
const CANDIDATES: usize = 4;

use burn::tensor::Tensor;
use rayon::prelude::*;

use on_gpu::OnGpu;
pub use subset::{StatesOfPairs, Subset};

use canopy_kernels::packed::{PackedMatrix, Quantization, Scratch, Weights};

/// How nearest states are weighed; distances are squared ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnnConfig {
    /// How many of them are read.
    pub nearest: usize,
    /// Temperature of the softmax over negative squared distances.
    pub temperature: f32,
    /// Their share of the next token where a state is exactly the same and the same token followed them all.
    pub weight: f32,
    /// Distance at which that share has fallen to a third, by e.
    pub reach: f32,
}

impl Default for KnnConfig {
    fn default() -> Self {
        Self {
            nearest: 8,
            temperature: 10.0,
            weight: 0.95,
            reach: 40.0,
        }
    }
}

/// The nearest neighbours of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// Numbers of the nearest states, nearest first, and the share that each has of `weight`.
    pub states: Vec<(u32, f32)>,
    /// Their share of the next token's probability, in `[0, 1]`.
    pub weight: f32,
}

/// How states are compared with those of a search.
#[derive(Debug, Clone)]
enum Keys {
    Tensor {
        /// `[states, d_model]`
        keys: Tensor<2>,
        /// Squared length of each.
        squares: Vec<f32>,
    },
    Packed(PackedKeys),
}

/// Keys for a search with packed weights.
#[derive(Debug, Clone)]
struct PackedKeys {
    /// Gives about the squared distance of a state to all keys, less its own square: keys have 8 bits.
    near: PackedMatrix,
    /// `[states, d_model]`
    keys: Arc<[f32]>,
    /// Squared length of each.
    squares: Vec<f32>,
}

/// States of a decoder, and the token that followed each.
#[derive(Debug, Clone)]
pub struct Datastore {
    keys: Keys,
    next: Vec<u32>,
    config: KnnConfig,
    on_gpu: OnGpu,
    pairs: Option<Arc<StatesOfPairs>>,
}

impl Datastore {
    /// How many states it holds.
    pub fn num_states(&self) -> usize {
        self.next.len()
    }

    /// # Shapes
    /// - keys: `[states, d_model]`; next: one for each of them, at least one
    pub fn new(keys: Tensor<2>, next: Vec<u32>, config: KnnConfig) -> Self {
        assert_eq!(keys.dims()[0], next.len(), "a word for each state");
        assert!(!next.is_empty() && config.nearest > 0, "nobody is near");
        Self {
            keys: Keys::Tensor {
                squares: squares(&keys),
                keys,
            },
            next,
            config,
            on_gpu: OnGpu::default(),
            pairs: None,
        }
    }

    /// One for a search with packed weights.
    ///
    /// # Shapes
    /// - keys: `[states, d_model]`, row by row
    pub fn packed(keys: &[f32], d_model: usize, next: Vec<u32>, config: KnnConfig) -> Self {
        assert_eq!(keys.len(), next.len() * d_model, "a word for each state");
        assert!(!next.is_empty() && config.nearest > 0, "nobody is near");
        let squares: Vec<f32> = keys.chunks_exact(d_model).map(square).collect();
        let scaled: Vec<f32> = keys.iter().map(|key| -2.0 * key).collect();
        let weights = Weights::transposed(&scaled, d_model);
        let parts = [(weights, next.len(), Some(squares.as_slice()))];
        Self {
            keys: Keys::Packed(PackedKeys {
                near: PackedMatrix::new(d_model, &parts, Quantization::Int8),
                keys: keys.into(),
                squares,
            }),
            next,
            config,
            on_gpu: OnGpu::default(),
            pairs: None,
        }
    }

    /// The datastore for a search with packed weights.
    #[must_use]
    pub fn into_packed(self) -> Self {
        match self.keys {
            Keys::Packed(_) => self,
            Keys::Tensor { keys, .. } => {
                let d_model = keys.dims()[1];
                Self::packed(&values(keys), d_model, self.next, self.config)
            }
        }
    }

    /// Mixes what followed the nearest states into the model's own next tokens.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`; log_probs: `[rows, vocab]`, row by row
    pub fn mix_in(&self, states: Tensor<2>, log_probs: &mut [f32]) {
        let near = self.near(states);
        let vocab = log_probs.len() / near.len().max(1);
        for (row, near) in log_probs.chunks_exact_mut(vocab.max(1)).zip(near) {
            self.mix(row, &near);
        }
    }

    /// Finds the nearest neighbours of each of these states.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`
    fn near(&self, states: Tensor<2>) -> Vec<Neighbours> {
        let Keys::Tensor {
            keys,
            squares: of_keys,
        } = &self.keys
        else {
            return self.near_rows(&values(states), None, &mut Scratch::on_cores(true));
        };
        let own = squares(&states);
        let mut products = values(states.matmul(keys.clone().transpose()));
        let products = products.par_chunks_exact_mut(self.next.len());
        let near = products.zip(own).map(|(products, own)| {
            for (product, square) in products.iter_mut().zip(of_keys) {
                *product = square - 2.0 * *product;
            }
            self.weighed(&smallest(products, self.config.nearest), own)
        });
        near.collect()
    }

    /// Finds the neighbours of plain rows among all states or some, in the calling thread.
    ///
    /// # Panics
    /// If the datastore was not made for packed weights.
    pub fn near_rows(
        &self,
        states: &[f32],
        subset: Option<&Subset>,
        scratch: &mut Scratch,
    ) -> Vec<Neighbours> {
        let Keys::Packed(keys) = &self.keys else {
            panic!("a datastore of tensors");
        };
        let matrix = subset.map_or(&keys.near, |subset| &subset.near);
        let number = |place: u32| subset.map_or(place, |subset| subset.numbers[place as usize]);
        let (d_model, num_states) = (matrix.inputs(), matrix.outputs());
        let mut near = Vec::with_capacity(states.len() / d_model);
        let mut distances = std::mem::take(&mut scratch.wide);
        for states in states.chunks((HELD / num_states).max(8) * d_model) {
            matrix.multiply(states, &mut distances, scratch);
            let rows = states.chunks_exact(d_model);
            for (state, distances) in rows.zip(distances.chunks_exact(num_states)) {
                let about = smallest(distances, CANDIDATES * self.config.nearest);
                let exact = about.into_iter().map(|(_, place)| {
                    let number = number(place);
                    let key = &keys.keys[number as usize * d_model..][..d_model];
                    (
                        keys.squares[number as usize] - 2.0 * product(state, key),
                        number,
                    )
                });
                let mut exact: Vec<(f32, u32)> = exact.collect();
                exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                exact.truncate(self.config.nearest);
                near.push(self.weighed(&exact, square(state)));
            }
        }
        scratch.wide = distances;
        near
    }

    /// Mixes what followed the nearest states into scores before their softmax, whose `normalisers` change with it.
    ///
    /// # Shapes
    /// - near, normalisers: `[rows]`; scores: `[rows, vocab]`
    pub fn mix_rows(&self, near: &[Neighbours], scores: &mut [f32], normalisers: &mut [f32]) {
        let vocab = scores.len() / normalisers.len().max(1);
        let rows = scores.chunks_exact_mut(vocab.max(1)).zip(normalisers);
        for ((row, normaliser), near) in rows.zip(near) {
            let of_model = *normaliser;
            *normaliser -= (1.0 - near.weight).ln();
            for (id, share) in self.followed(&near.states) {
                let own = &mut row[id as usize];
                let alone = (1.0 - near.weight) * (*own - of_model).exp();
                *own = (alone + near.weight * share).ln() + *normaliser;
            }
        }
    }

    /// Probability of a token that the model itself finds as probable as `alone`, mixed with those that followed `near`.
    pub fn mixed(&self, alone: f32, id: u32, near: &Neighbours) -> f32 {
        let followed = near.states.iter();
        let followed = followed.filter(|(state, _)| self.next(*state) == id);
        let agreeing: f32 = followed.map(|(_, share)| share).sum();
        (1.0 - near.weight) * alone + near.weight * agreeing
    }

    /// The token that followed a state.
    pub fn next(&self, state: u32) -> u32 {
        self.next[state as usize]
    }

    /// Shares of states at these squared distances, the nearest first, less the square `own`.
    fn weighed(&self, nearest: &[(f32, u32)], own: f32) -> Neighbours {
        let KnnConfig {
            temperature,
            weight,
            reach,
            ..
        } = self.config;
        let least = (nearest[0].0 + own).max(0.0);
        let share = |distance: f32| ((least - (distance + own).max(0.0)) / temperature).exp();
        let mut states: Vec<(u32, f32)> = nearest
            .iter()
            .map(|&(distance, number)| (number, share(distance)))
            .collect();
        let sum: f32 = states.iter().map(|state| state.1).sum();
        for (_, share) in &mut states {
            *share /= sum;
        }
        let agreement = self.followed(&states).into_iter().map(|(_, share)| share);
        let agreement = agreement.fold(0.0, f32::max);
        Neighbours {
            states,
            weight: weight * (-least / reach).exp() * agreement.powi(2),
        }
    }

    /// The tokens that followed these states, each once with its share.
    fn followed(&self, states: &[(u32, f32)]) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = Vec::with_capacity(states.len());
        for &(number, share) in states {
            let id = self.next(number);
            match found.iter_mut().find(|(other, _)| *other == id) {
                Some((_, sum)) => *sum += share,
                None => found.push((id, share)),
            }
        }
        found
    }

    /// Mixes the words that followed these states into a row of log-probabilities.
    fn mix(&self, log_probs: &mut [f32], near: &Neighbours) {
        let kept = (1.0 - near.weight).ln();
        for value in &mut *log_probs {
            *value += kept;
        }
        for (id, share) in self.followed(&near.states) {
            let own = &mut log_probs[id as usize];
            *own = (own.exp() + near.weight * share).ln();
        }
    }
}

/// The `count` smallest distances with their numbers, the smallest first.
fn smallest(distances: &[f32], count: usize) -> Vec<(f32, u32)> {
    /// Distances that are passed over together.
    const BLOCK: usize = 64;
    let mut near: Vec<(f32, u32)> = Vec::with_capacity(count + 1);
    let mut farthest = f32::INFINITY;
    for (block, distances) in distances.chunks(BLOCK).enumerate() {
        let is_near = |near: bool, distance: &f32| near || *distance < farthest;
        if near.len() == count && !distances.iter().fold(false, is_near) {
            continue;
        }
        for (place, &distance) in distances.iter().enumerate() {
            if near.len() < count || distance < farthest {
                let position = near.partition_point(|near| near.0 <= distance);
                let number = u32::try_from(block * BLOCK + place).expect("states fit 32 bits");
                near.insert(position, (distance, number));
                near.truncate(count);
                farthest = near[near.len() - 1].0;
            }
        }
    }
    near
}

fn square(row: &[f32]) -> f32 {
    product(row, row)
}

/// The sum of products.
fn product(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0_f32; LANES];
    let (blocks, rest) = a.as_chunks::<LANES>();
    let (others, other_rest) = b.as_chunks::<LANES>();
    for (block, other) in blocks.iter().zip(others) {
        for lane in 0..LANES {
            sums[lane] += block[lane] * other[lane];
        }
    }
    let rest = rest.iter().zip(other_rest).map(|(a, b)| a * b);
    sums.iter().sum::<f32>() + rest.sum::<f32>()
}

/// Squared length of every row.
fn squares(rows: &Tensor<2>) -> Vec<f32> {
    values(rows.clone().square().sum_dim(1))
}

fn values(tensor: Tensor<2>) -> Vec<f32> {
    let data = tensor.into_data().try_into_vec();
    data.expect("states are 32-bit floats")
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use canopy_kernels::log_softmax;

    fn tensor<const N: usize>(rows: [[f32; N]; 2]) -> Tensor<2> {
        Tensor::from_data(rows, &Device::flex())
    }

    fn probabilities(config: KnnConfig, next: [u32; 2], state: [f32; 2]) -> Vec<f32> {
        let datastore = Datastore::new(tensor([[0.0, 0.0], [3.0, 4.0]]), next.to_vec(), config);
        let scores = tensor([[0.0, 0.0, 0.0, f32::NEG_INFINITY]; 2]);
        let mut mixed = log_softmax(scores);
        datastore.mix_in(tensor([state; 2]), &mut mixed);
        assert_eq!(mixed[..4], mixed[4..]);
        mixed[..4].iter().map(|log_prob| log_prob.exp()).collect()
    }

    fn assert_close(found: &[f32], expected: [f32; 4]) {
        let close = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close, "{found:?} is not {expected:?}");
    }

    #[test]
    fn near_states_bring_the_words_that_followed_them() {
        let config = KnnConfig {
            nearest: 2,
            temperature: 25.0,
            weight: 0.6,
            reach: 50.0,
        };
        // The other state is 25 away: its share is 1/e of the first one's.
        let (first, second) = (1.0 / (1.0 + (-1.0f32).exp()), 1.0 / (1.0 + 1.0f32.exp()));
        let third = 0.4 / 3.0;
        let found = probabilities(config, [1, 3], [0.0, 0.0]);
        let weight = 0.6 * first * first;
        let own = (1.0 - weight) / 3.0;
        assert_close(&found, [own, own + weight * first, own, weight * second]);
        let found = probabilities(config, [3, 3], [0.0, 0.0]);
        assert_close(&found, [third, third, third, 0.6]);
        let nearest = KnnConfig {
            nearest: 1,
            ..config
        };
        let found = probabilities(nearest, [1, 3], [3.0, 4.0]);
        assert_close(&found, [third, third, third, 0.6]);
    }

    #[test]
    fn far_states_bring_little() {
        let config = KnnConfig {
            nearest: 1,
            ..KnnConfig::default()
        };
        let weight = config.weight * (-36.0f32 / config.reach).exp();
        let found = probabilities(config, [1, 2], [-6.0, 0.0]);
        let third = (1.0 - weight) / 3.0;
        assert_close(&found, [third, third + weight, third, 0.0]);
        let found = probabilities(config, [1, 2], [-60.0, 0.0]);
        assert_close(&found, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
    }
}
