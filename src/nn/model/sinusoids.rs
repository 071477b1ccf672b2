//! Sines and cosines of places.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, §3.5, and the ways in which other programs lay them out.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::variant::{SineColumns, SineFrequencies, Sinusoids};

/// By width and layout.
type Tables = BTreeMap<(usize, Sinusoids), Arc<[f32]>>;

/// Sines and cosines of places, row by row `[positions, d_model]`.
pub(super) fn sinusoids(
    positions: impl Iterator<Item = usize> + Clone,
    d_model: usize,
    kind: Sinusoids,
) -> Vec<f32> {
    let count = positions.clone().max().map_or(0, |largest| largest + 1);
    let table = sinusoid_table(count, d_model, kind);
    positions
        .flat_map(|position| &table[position * d_model..(position + 1) * d_model])
        .copied()
        .collect()
}

/// The rows of [`sinusoids`] for the first `count` places or more. They are computed once and kept: a search needs them
/// at every step.
pub(super) fn sinusoid_table(count: usize, d_model: usize, kind: Sinusoids) -> Arc<[f32]> {
    static TABLES: RwLock<Tables> = RwLock::new(BTreeMap::new());
    /// Sentences are seldom longer.
    const LEAST: usize = 64;
    let known = TABLES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = known.get(&(d_model, kind))
        && table.len() >= count * d_model
    {
        return Arc::clone(table);
    }
    drop(known);
    let count = count.next_power_of_two().max(LEAST);
    let table: Arc<[f32]> = (0..count * d_model)
        .map(|index| sinusoid(index / d_model, index % d_model, d_model, kind))
        .collect();
    let mut known = TABLES.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have computed a longer one meanwhile.
    let kept = known
        .entry((d_model, kind))
        .or_insert_with(|| Arc::clone(&table));
    if kept.len() < table.len() {
        *kept = table;
    }
    Arc::clone(kept)
}

/// One number of the table; those of the paper in 32 bits, as the models here were trained, those of Marian as it computes
/// them, the others in 64.
#[expect(clippy::cast_precision_loss, reason = "places and widths are small")]
fn sinusoid(place: usize, column: usize, d_model: usize, kind: Sinusoids) -> f32 {
    let half = d_model / 2;
    if kind == Sinusoids::PAPER {
        let angle = place as f32 / 10_000_f32.powf((column / 2 * 2) as f32 / d_model as f32);
        return if column.is_multiple_of(2) {
            angle.sin()
        } else {
            angle.cos()
        };
    }
    let (pair, is_sine) = match kind.columns {
        SineColumns::Alternating => (column / 2, column.is_multiple_of(2)),
        SineColumns::Halves => (column % half, column < half),
    };
    if kind.frequencies == SineFrequencies::Tensor2tensor {
        let step = 10_000_f32.ln() / (half.saturating_sub(1).max(1)) as f32;
        let angle = (kind.first + place) as f32 * (pair as f32 * -step).exp();
        return if is_sine { angle.sin() } else { angle.cos() };
    }
    let exponent = 2.0 * pair as f64 / d_model as f64;
    let angle = (kind.first + place) as f64 / 10_000_f64.powf(exponent);
    #[expect(clippy::cast_possible_truncation, reason = "at most 1")]
    let value = if is_sine { angle.sin() } else { angle.cos() } as f32;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinusoids_are_computed_once() {
        // No other test has this width.
        const WIDTH: usize = 34;
        const KIND: Sinusoids = Sinusoids::PAPER;
        let positions = [5, 0, 99, 5];
        let expected: Vec<f32> = positions
            .iter()
            .flat_map(|&position| {
                (0..WIDTH).map(move |column| sinusoid(position, column, WIDTH, KIND))
            })
            .collect();
        assert_eq!(sinusoids(positions.into_iter(), WIDTH, KIND), expected);
        let first = sinusoid_table(100, WIDTH, KIND);
        for count in [0, 1, 100, 128] {
            assert!(Arc::ptr_eq(&first, &sinusoid_table(count, WIDTH, KIND)));
        }
        let longer = sinusoid_table(129, WIDTH, KIND);
        assert_eq!(longer[..first.len()], first[..]);
        assert!(Arc::ptr_eq(&longer, &sinusoid_table(100, WIDTH, KIND)));
    }

    #[test]
    fn other_programs_lay_them_out_in_their_ways() {
        let kind = |columns, frequencies, first| Sinusoids {
            columns,
            frequencies,
            first,
        };
        let (halves, alternating) = (SineColumns::Halves, SineColumns::Alternating);
        let theirs = sinusoids([3].into_iter(), 4, kind(halves, SineFrequencies::Paper, 0));
        let ours = sinusoids([3].into_iter(), 4, Sinusoids::PAPER);
        // The angles are rounded in another order.
        for (theirs, ours) in theirs.into_iter().zip([ours[0], ours[2], ours[1], ours[3]]) {
            assert!((theirs - ours).abs() < 1e-7, "{theirs} and {ours}");
        }
        let slow = kind(alternating, SineFrequencies::Tensor2tensor, 1);
        let [.., sine, cosine] = sinusoids([1].into_iter(), 4, slow)[..] else {
            panic!("four columns");
        };
        assert!((sine - 2e-4).abs() < 1e-7 && (cosine - 1.0).abs() < 1e-7);
    }
}
