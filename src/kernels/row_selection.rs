//! Rows of a matrix by their numbers, with a gradient that a GPU sums on all of its cores.
//!
//! Burn's gradient of `select` goes through the selected rows one after the other, a thread for each column. Here the rows that
//! a row was selected for are listed first, and summed a few at a time until each has one sum.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::NoCheckpointing};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Cube};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// Rows that are summed at once.
const AT_ONCE: usize = 8;

/// Numbers of selected rows.
#[derive(Debug, Clone, Default)]
pub struct RowNumbers {
    numbers: Vec<i32>,
    /// Places of rows that nobody reads: they have no gradient. In order.
    unread: Vec<usize>,
}

impl RowNumbers {
    /// The row at the next place.
    ///
    /// # Panics
    /// If its number does not fit 31 bits.
    pub fn push(&mut self, number: usize) {
        self.numbers.push(row_number(number));
    }

    /// Adds a row that nobody reads and that only fills a place.
    pub fn push_unread(&mut self, number: usize) {
        self.unread.push(self.numbers.len());
        self.push(number);
    }

    /// `[rows]`
    pub fn tensor(&self, device: &Device) -> Tensor<1, Int> {
        numbers(&self.numbers, device)
    }
}

impl FromIterator<usize> for RowNumbers {
    fn from_iter<I: IntoIterator<Item = usize>>(rows: I) -> Self {
        let mut numbers = Self::default();
        rows.into_iter().for_each(|row| numbers.push(row));
        numbers
    }
}

/// The number of a row as devices have it.
///
/// # Panics
/// If it does not fit 31 bits.
pub(super) fn row_number(row: usize) -> i32 {
    i32::try_from(row).expect("rows fit 31 bits")
}

fn numbers(numbers: &[i32], device: &Device) -> Tensor<1, Int> {
    Tensor::from_data(TensorData::new(numbers.to_vec(), [numbers.len()]), device)
}

/// The rows of `x` with these numbers.
///
/// # Shapes
/// - x: `[rows, columns]`
/// - output: `[numbers, columns]`
pub fn select_rows(x: Tensor<2>, rows: &RowNumbers) -> Tensor<2> {
    let device = x.device();
    let tracked = if device.is_autodiff() {
        x.clone().try_into_primitive::<Autodiff<Cube>>().ok()
    } else {
        None
    };
    let Some(tracked) = tracked else {
        return x.select(0, rows.tensor(&device));
    };
    let [count, _] = x.dims();
    drop(x);
    let (primitive, guard) = tracked.into_parts();
    let x = Tensor::<2>::from_primitive::<Cube>(primitive);
    let selected = x.clone().select(0, rows.tensor(&x.device()));
    let selected = selected
        .try_into_primitive::<Cube>()
        .expect("a tensor of the same device");
    let preparation = Selection
        .prepare::<NoCheckpointing>([guard])
        .compute_bound()
        .stateful();
    Tensor::from_primitive::<Autodiff<Cube>>(match preparation {
        OpsKind::Tracked(preparation) => preparation.finish(Sums::new(rows, count), selected),
        OpsKind::UnTracked(preparation) => preparation.finish(selected),
    })
}

#[derive(Clone, Debug)]
struct Selection;

impl Backward<Cube, 1> for Selection {
    type State = Sums;

    fn backward(self, ops: Ops<Sums, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient: FloatTensor<Cube> = gradients.consume::<Cube>(&ops.node);
        let [parent] = ops.parents;
        if let Some(parent) = parent {
            let sums = ops.state.by_row(Tensor::from_primitive::<Cube>(gradient));
            let sums = sums
                .try_into_primitive::<Cube>()
                .expect("a tensor of the same device");
            gradients.register::<Cube>(parent.id, sums);
        }
    }
}

/// How the gradients of selected rows become those of the rows they are.
#[derive(Debug, Clone)]
struct Sums {
    /// Each makes one row of each `width` of those before it; the number that is one too large is that of a row of zeros.
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    rows: Vec<i32>,
    width: usize,
}

impl Sums {
    fn new(selected: &RowNumbers, rows: usize) -> Self {
        let mut places: Vec<Vec<i32>> = vec![Vec::new(); rows];
        let mut unread = selected.unread.iter().peekable();
        for (place, &row) in (0_i32..).zip(&selected.numbers) {
            if unread
                .next_if(|&&unread| i32::try_from(unread) == Ok(place))
                .is_none()
            {
                places[usize::try_from(row).expect("a number of a row")].push(place);
            }
        }
        let mut steps = Vec::new();
        let mut count = selected.numbers.len();
        while places.iter().any(|places| places.len() > 1) {
            let mut sums = Vec::new();
            let mut next = 0;
            let zeros = row_number(count);
            for places in &mut places {
                let parts = places.chunks(AT_ONCE).flat_map(|part| {
                    let filled = part.iter().copied().chain(std::iter::repeat(zeros));
                    filled.take(AT_ONCE)
                });
                sums.extend(parts);
                let parts = places.len().div_ceil(AT_ONCE);
                let first = next;
                next += parts;
                *places = (first..next).map(row_number).collect();
            }
            steps.push(Step {
                rows: sums,
                width: AT_ONCE,
            });
            count = next;
        }
        let zeros = row_number(count);
        let last = places
            .iter()
            .map(|places| places.first().copied().unwrap_or(zeros));
        steps.push(Step {
            rows: last.collect(),
            width: 1,
        });
        Self { steps }
    }

    /// # Shapes
    /// - gradient: `[selected, columns]`
    /// - output: `[rows, columns]`
    fn by_row(&self, mut gradient: Tensor<2>) -> Tensor<2> {
        let ([_, columns], device) = (gradient.dims(), gradient.device());
        for Step { rows, width } in &self.steps {
            let zeros = Tensor::zeros([1, columns], &device);
            let parts = Tensor::cat(vec![gradient, zeros], 0).select(0, numbers(rows, &device));
            gradient = if *width == 1 {
                parts
            } else {
                let sums = rows.len() / width;
                let parts = parts.reshape([sums, *width, columns]);
                parts.sum_dim(1).reshape([sums, columns])
            };
        }
        gradient
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn gradients_are_summed_for_each_row() {
        let device = Device::flex();
        device.seed(2);
        // Row 3 is selected 150 times, row 1 never, row 0 where nobody reads it.
        let mut selected: RowNumbers = (0..150).map(|_| 3).chain([2, 4, 2]).collect();
        selected.push_unread(0);
        let gradient = Tensor::<2>::random([154, 6], Distribution::Default, &device);
        let read = gradient.clone().slice(0..153);
        let expected = Tensor::<2>::zeros([5, 6], &device).select_assign(
            0,
            selected.tensor(&device).slice(0..153),
            read,
            burn::tensor::IndexingUpdateOp::Add,
        );
        let sums = Sums::new(&selected, 5);
        assert_eq!(sums.steps.len(), 4, "150, 19, 3, 1");
        let apart = (sums.by_row(gradient) - expected)
            .abs()
            .max()
            .into_scalar::<f32>();
        assert!(apart < 1e-4, "{apart}");
    }

    #[test]
    fn rows_that_are_selected_once_take_one_step() {
        let selected: RowNumbers = [2, 0].into_iter().collect();
        let sums = Sums::new(&selected, 4);
        assert_eq!(sums.steps.len(), 1);
        assert_eq!(sums.steps[0].rows, [1, 2, 0, 2]);
    }
}
