//! Runs of rows padded to the longest one, on devices without our kernel. Only where each run begins and how long it is goes to
//! the device: the numbers of its rows, and which of them are padding, are computed there.

use std::ops::Range;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::product;
use crate::row_selection::row_number;

/// The number added to the scores of hidden keys.
pub(super) const HIDDEN: f32 = -1e9;

/// Runs of the rows of a matrix, each of at least one row, side by side.
#[derive(Debug, Clone)]
pub struct PaddedRuns {
    /// `[runs · longest]`; none where the rows are laid out so already.
    rows: Option<Tensor<1, Int>>,
    /// Added to the scores of each run's keys, `[runs, 1, 1, longest]`; none if no run is padded.
    hidden: Option<Tensor<4>>,
    runs: usize,
    longest: usize,
}

impl PaddedRuns {
    /// These runs of `rows` rows; none if one of them is empty.
    pub fn new(runs: &[Range<usize>], rows: usize, device: &Device) -> Option<Self> {
        let longest = runs.iter().map(Range::len).max()?;
        if runs.iter().any(Range::is_empty) {
            return None;
        }
        let is_padded = runs.iter().any(|run| run.len() < longest);
        let hidden = is_padded.then(|| {
            let is_seen = fewer_than(runs.iter().map(Range::len), longest, device);
            let hidden = (is_seen - 1.0) * -HIDDEN;
            hidden.reshape([runs.len(), 1, 1, longest])
        });
        Some(Self {
            rows: padded_rows(runs.iter(), longest, rows, device),
            hidden,
            runs: runs.len(),
            longest,
        })
    }

    /// The runs of `x` by heads.
    ///
    /// # Shapes
    /// - x: `[rows, columns]`
    /// - output: `[runs, heads, longest, columns / heads]`
    pub fn split(&self, x: Tensor<2>, heads: usize) -> Tensor<4> {
        let [_, columns] = x.dims();
        let x = match &self.rows {
            Some(rows) => x.select(0, rows.clone()),
            None => x,
        };
        x.reshape([self.runs, self.longest, heads, columns / heads])
            .swap_dims(1, 2)
    }
}

/// [`super::attention`] of one query for each of some runs of keys.
///
/// # Shapes
/// - q: `[runs, d_model]`
/// - k, v: `[runs, heads, longest, d_model / heads]`, as [`PaddedRuns::split`] gives them
/// - output: `[runs, d_model]`
pub fn padded_attention(q: Tensor<2>, k: Tensor<4>, v: Tensor<4>, runs: &PaddedRuns) -> Tensor<2> {
    let [_, heads, _, d_head] = k.dims();
    let d_value = v.dims()[3];
    let queries = q.reshape([runs.runs, heads, 1, d_head]);
    let scale = 1.0 / (d_head as f32).sqrt();
    let scores = product(queries * scale, k.transpose());
    let scores = match &runs.hidden {
        Some(hidden) => scores + hidden.clone(),
        None => scores,
    };
    product(softmax(scores, 3), v).reshape([runs.runs, heads * d_value])
}

/// The numbers of the rows of each run, `[runs · longest]`, those of padding being any; none if the runs are of `longest` rows
/// each, one after the other, and leave out none of `rows`.
fn padded_rows<'a>(
    runs: impl ExactSizeIterator<Item = &'a Range<usize>> + Clone,
    longest: usize,
    rows: usize,
    device: &Device,
) -> Option<Tensor<1, Int>> {
    if are_even(runs.clone(), longest, rows) {
        return None;
    }
    let count = runs.len();
    let starts: Vec<i32> = runs.map(|run| row_number(run.start)).collect();
    let starts = Tensor::<2, Int>::from_data(TensorData::new(starts, [count, 1]), device);
    let ids = starts + within(longest, device).unsqueeze::<2>();
    let last = i64::from(row_number(rows)) - 1;
    Some(ids.clamp(0, last).reshape([count * longest]))
}

/// Whether `runs` are of `len` rows each, one after the other, and leave out none of `rows`.
pub(super) fn are_even<'a>(
    mut runs: impl Iterator<Item = &'a Range<usize>> + Clone,
    len: usize,
    rows: usize,
) -> bool {
    are_all(runs.clone(), rows) && runs.all(|run| run.len() == len)
}

/// Whether `runs` follow one another and leave out none of `rows`.
pub(crate) fn are_all<'a>(mut runs: impl Iterator<Item = &'a Range<usize>>, rows: usize) -> bool {
    let mut end = 0;
    let follow = runs.all(|run| {
        let follows = run.start == end;
        end = run.end;
        follows
    });
    follow && end == rows
}

/// 1 in the first `lens[i]` of `longest` columns, 0 in the others, `[lens, longest]`.
pub(super) fn fewer_than(
    lens: impl ExactSizeIterator<Item = usize>,
    longest: usize,
    device: &Device,
) -> Tensor<2> {
    let within = within(longest, device).float();
    (column(lens, device) - within.unsqueeze::<2>())
        .greater_elem(0.0)
        .float()
}

/// Numbers of at most 24 bits as `[numbers, 1]`.
pub(super) fn column(numbers: impl ExactSizeIterator<Item = usize>, device: &Device) -> Tensor<2> {
    let count = numbers.len();
    let numbers: Vec<f32> = numbers.map(|number| number as f32).collect();
    Tensor::from_data(TensorData::new(numbers, [count, 1]), device)
}

/// The numbers `0..len` on a device.
pub(super) fn within(len: usize, device: &Device) -> Tensor<1, Int> {
    Tensor::arange(0..i64::from(row_number(len)), device)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;
    use crate::{Attention, Segment, attention};

    #[test]
    fn one_query_for_each_run_attends_as_segments_do() {
        let device = Device::flex();
        device.seed(5);
        let random = |rows| Tensor::<2>::random([rows, 8], Distribution::Default, &device);
        let (q, k, v) = (random(3), random(9), random(9));
        for runs in [[0..3, 3..6, 6..9], [4..9, 0..2, 0..2]] {
            let spec = Attention {
                num_heads: 2,
                causal: false,
                segments: Segment::one_query_each(runs.iter().cloned()),
                dropout: None,
            };
            let expected = attention(q.clone(), k.clone(), v.clone(), &spec);
            let padded = PaddedRuns::new(&runs, 9, &device).expect("no run is empty");
            let [keys, values] = [&k, &v].map(|it| padded.split(it.clone(), 2));
            let found = padded_attention(q.clone(), keys, values, &padded);
            let apart = (found - expected).abs().max().into_scalar::<f32>();
            assert!(apart < 1e-6, "{apart}");
        }
        let with_none = [0..3, 3..3];
        assert!(PaddedRuns::new(&with_none, 9, &device).is_none());
    }
}
