//! The values of a context gate.

use serde::{Deserialize, Serialize};

use super::map::Side;

/// A gate's value for every word of one side, each 0 to 1, over the features of the word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateValues {
    /// The gate and the meaning of 1, such as `context gate (1: only the sentence itself)`.
    pub name: String,
    /// Layer of the gate, from 0.
    pub layer: usize,
    /// Side of the words.
    pub side: Side,
    /// `[words]`
    pub mean: Vec<f32>,
    /// `[words]`: the least of a word's features.
    pub min: Vec<f32>,
    /// `[words]`: the greatest of a word's features.
    pub max: Vec<f32>,
}

impl GateValues {
    /// # Shapes
    /// - values: `[words · features]`, word by word
    pub fn new(name: String, layer: usize, side: Side, values: &[f32], features: usize) -> Self {
        assert!(features > 0, "a gate without features");
        assert_eq!(
            values.len() % features,
            0,
            "{} values of {features} features",
            values.len()
        );
        let words = || values.chunks_exact(features);
        let extreme = |start, choose: fn(f32, f32) -> f32| {
            words()
                .map(|word| word.iter().copied().fold(start, choose))
                .collect()
        };
        Self {
            name,
            layer,
            side,
            mean: words().map(mean).collect(),
            min: extreme(f32::INFINITY, f32::min),
            max: extreme(f32::NEG_INFINITY, f32::max),
        }
    }
}

fn mean(features: &[f32]) -> f32 {
    features.iter().sum::<f32>() / features.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_shown_word_by_word() {
        let gate = GateValues::new(String::new(), 0, Side::Source, &[0.0, 1.0, 0.25, 0.75], 2);
        assert_eq!(gate.mean, [0.5, 0.5]);
        assert_eq!(gate.min, [0.0, 0.25]);
        assert_eq!(gate.max, [1.0, 0.75]);
    }
}
