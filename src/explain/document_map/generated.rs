//! Maps without a model, for tests and benches.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::DocumentMap;

impl DocumentMap {
    /// `rows` × `rows` with `top_t` cells a row: half near the diagonal, some in the first sentences, the others anywhere. A
    /// row sums to 1; every ninth has a rest.
    pub fn generated(rows: u32, top_t: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut map = Self::empty(rows as usize);
        map.query = format!("generated · T = {top_t}");
        for row in 0..rows {
            let mut keys: Vec<u32> = (0..top_t.min(rows as usize))
                .map(|index| match index % 8 {
                    0..4 => (row + rows - random.random_range(0..=rows.min(24))) % rows,
                    4 => random.random_range(0..rows.min(40)),
                    _ => random.random_range(0..rows),
                })
                .collect();
            keys.sort_unstable();
            keys.dedup();
            let rest = if row % 9 == 0 {
                0.4 * random.random::<f32>()
            } else {
                0.0
            };
            let weights: Vec<f32> = keys.iter().map(|_| share(&mut random)).collect();
            let sum: f32 = weights.iter().sum::<f32>() / (1.0 - rest);
            let weights = weights.into_iter().map(|weight| weight / sum);
            map.push_row(keys.into_iter().zip(weights), rest);
        }
        map
    }
}

/// Few large ones, many small ones.
fn share(random: &mut impl Rng) -> f32 {
    random.random::<f32>().powi(3) + 1e-4
}
