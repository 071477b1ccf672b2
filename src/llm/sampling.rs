//! Tokens drawn at random from the likeliest ones.
//!
//! Holtzman et al., "The Curious Case of Neural Text Degeneration", ICLR 2020, §3.1: nucleus (top-p) sampling, with a
//! temperature before it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How tokens are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Divides logits: below 1 likely tokens become likelier.
    pub temperature: f32,
    /// Tokens are of the smallest set whose probabilities sum up to it.
    pub top_p: f32,
    /// Equal seeds draw equal tokens.
    pub seed: u64,
}

/// Draws one token after the other.
#[derive(Debug)]
pub(crate) struct Sampler {
    sampling: Sampling,
    random: ChaCha8Rng,
}

impl Sampler {
    pub(crate) fn new(sampling: Sampling) -> Self {
        let random = ChaCha8Rng::seed_from_u64(sampling.seed);
        Self { sampling, random }
    }

    /// The id of a token by its logits `[vocab]`, of which at least one is finite.
    #[expect(clippy::cast_possible_truncation, reason = "ids have 32 bits")]
    pub(crate) fn draw(&mut self, logits: &[f32]) -> u32 {
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let temperature = self.sampling.temperature.max(1e-3);
        let weight = |logit: f32| ((logit - most) / temperature).exp();
        // Those below have no part in a sum of 32 bits.
        let weights = logits.iter().enumerate();
        let weights = weights.map(|(id, logit)| (id as u32, weight(*logit)));
        let mut weights: Vec<(u32, f32)> = weights.filter(|it| it.1 > 1e-9).collect();
        let all: f32 = weights.iter().map(|it| it.1).sum();
        weights.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut sum = 0.0;
        let kept = weights.iter().position(|(_, weight)| {
            sum += weight;
            sum >= self.sampling.top_p * all
        });
        weights.truncate(kept.map_or(weights.len(), |last| last + 1));
        let kept: f32 = weights.iter().map(|it| it.1).sum();
        let mut left = self.random.random::<f32>() * kept;
        for (id, weight) in &weights {
            left -= weight;
            if left < 0.0 {
                return *id;
            }
        }
        weights.last().map_or(0, |(id, _)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(logits: &[f32], temperature: f32, top_p: f32, seed: u64) -> Vec<u32> {
        let mut sampler = Sampler::new(Sampling {
            temperature,
            top_p,
            seed,
        });
        (0..1_000).map(|_| sampler.draw(logits)).collect()
    }

    #[test]
    fn tokens_are_drawn_as_often_as_they_are_probable() {
        let logits = [0.1_f32, 0.6, 0.3].map(f32::ln);
        let drawn = drawn(&logits, 1.0, 1.0, 1);
        for (id, expected) in [(0, 100_i32), (1, 600), (2, 300)] {
            let count = drawn.iter().filter(|it| **it == id).count();
            let count = i32::try_from(count).expect("few");
            assert!((count - expected).abs() < 60, "{id}: {count}");
        }
    }

    #[test]
    fn a_nucleus_or_a_low_temperature_leaves_the_most_probable_and_a_seed_draws_the_same() {
        let logits = [0.1_f32, 0.6, 0.3].map(f32::ln);
        assert!(drawn(&logits, 1.0, 0.5, 1).iter().all(|id| *id == 1));
        assert!(drawn(&logits, 1.0, 0.8, 1).iter().all(|id| *id != 0));
        assert!(drawn(&logits, 0.01, 1.0, 1).iter().all(|id| *id == 1));
        assert_eq!(drawn(&logits, 1.0, 1.0, 7), drawn(&logits, 1.0, 1.0, 7));
        assert_ne!(drawn(&logits, 1.0, 1.0, 7), drawn(&logits, 1.0, 1.0, 8));
        let forbidden = [f32::NEG_INFINITY, 0.0];
        assert!(drawn(&forbidden, 2.0, 1.0, 3).iter().all(|id| *id == 1));
    }
}
