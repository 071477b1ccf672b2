//! Words and their places as vectors.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor, TensorData};

use super::config::{ModelConfig, Positions};
use super::packed_batch::PackedBatch;
use super::positions::PositionTables;
use super::rows::indices;
use crate::kernels::{DropoutSource, dropout};

/// A table of word vectors and what it adds for their places.
#[derive(Module, Debug)]
pub struct Embedding {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// Learned tables of places for words, sentences and paragraphs, each `[size, d_model]`; none if sinusoidal.
    pub positions: Option<PositionTables>,
}

impl Embedding {
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let table = |rows: usize| {
            let distribution = Distribution::Normal(0.0, deviation);
            Param::from_tensor(Tensor::random([rows, config.d_model], distribution, device))
        };
        let positions = match config.positions {
            Positions::Sinusoidal => None,
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                ..
            } => Some(PositionTables {
                words: table(words),
                sentences: table(sentences),
                paragraphs: table(paragraphs),
            }),
        };
        Self {
            words: table(config.vocab_size),
            positions,
        }
    }

    /// Embeds whole sentences: `words · √d_model + positions`, Vaswani et al. 2017, §3.4.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn forward(&self, rows: &PackedBatch, drop: &DropoutSource) -> Tensor<2> {
        let counted = rows.sentences.iter().zip(&rows.positions);
        let positions: Vec<[usize; 3]> = counted
            .flat_map(|(range, &[first, sentence, paragraph])| {
                (0..range.len()).map(move |word| [first + word, sentence, paragraph])
            })
            .collect();
        dropout(self.embed(&rows.ids, &positions), drop.next())
    }

    /// Embeds single words, each with its place (word, sentence, paragraph).
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn embed(&self, ids: &[u32], positions: &[[usize; 3]]) -> Tensor<2> {
        let table = self.words.val();
        let ([_, d_model], device) = (table.dims(), table.device());
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let scale = (d_model as f64).sqrt();
        let words = table.select(0, indices(ids.iter().map(|&id| id as usize), &device)) * scale;
        let Some(tables) = &self.positions else {
            let sines = sinusoids(positions.iter().map(|&[word, ..]| word), d_model);
            return words
                + Tensor::from_data(TensorData::new(sines, [ids.len(), d_model]), &device);
        };
        let sizes = tables.sizes();
        let wrapped: Vec<[usize; 3]> = positions
            .iter()
            .map(|position| std::array::from_fn(|level| position[level] % sizes[level]))
            .collect();
        words + tables.forward(&wrapped)
    }
}

/// Sines and cosines of places, alternating, Vaswani et al. 2017, §3.5; row by row `[positions, d_model]`.
fn sinusoids(positions: impl Iterator<Item = usize> + Clone, d_model: usize) -> Vec<f32> {
    let count = positions.clone().max().map_or(0, |largest| largest + 1);
    let table = sinusoid_table(count, d_model);
    positions
        .flat_map(|position| &table[position * d_model..(position + 1) * d_model])
        .copied()
        .collect()
}

/// The rows of [`sinusoids`] for the first `count` places or more. They are computed once and kept: a search asks for them
/// at every step.
pub(super) fn sinusoid_table(count: usize, d_model: usize) -> Arc<[f32]> {
    /// By width.
    static TABLES: RwLock<BTreeMap<usize, Arc<[f32]>>> = RwLock::new(BTreeMap::new());
    /// Sentences are seldom longer.
    const LEAST: usize = 64;
    let known = TABLES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = known.get(&d_model)
        && table.len() >= count * d_model
    {
        return Arc::clone(table);
    }
    drop(known);
    let count = count.next_power_of_two().max(LEAST);
    let table: Arc<[f32]> = (0..count * d_model)
        .map(|index| sinusoid(index / d_model, index % d_model, d_model))
        .collect();
    let mut known = TABLES.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have computed a longer one meanwhile.
    let kept = known.entry(d_model).or_insert_with(|| Arc::clone(&table));
    if kept.len() < table.len() {
        *kept = table;
    }
    Arc::clone(kept)
}

#[expect(clippy::cast_precision_loss, reason = "places and widths are small")]
fn sinusoid(position: usize, column: usize, d_model: usize) -> f32 {
    let angle = position as f32 / 10_000_f32.powf((column / 2 * 2) as f32 / d_model as f32);
    if column.is_multiple_of(2) {
        angle.sin()
    } else {
        angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinusoids_are_computed_once() {
        // No other test has this width.
        const WIDTH: usize = 34;
        let positions = [5, 0, 99, 5];
        let expected: Vec<f32> = positions
            .iter()
            .flat_map(|&position| (0..WIDTH).map(move |column| sinusoid(position, column, WIDTH)))
            .collect();
        assert_eq!(sinusoids(positions.into_iter(), WIDTH), expected);
        let first = sinusoid_table(100, WIDTH);
        for count in [0, 1, 100, 128] {
            assert!(Arc::ptr_eq(&first, &sinusoid_table(count, WIDTH)));
        }
        let longer = sinusoid_table(129, WIDTH);
        assert_eq!(longer[..first.len()], first[..]);
        assert!(Arc::ptr_eq(&longer, &sinusoid_table(100, WIDTH)));
    }
}
