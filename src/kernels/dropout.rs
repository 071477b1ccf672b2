//! Dropout with masks that are computed, not stored.
//!
//! Srivastava et al., "Dropout", JMLR 2014, in its inverted form: what is kept is divided by the share kept.

use std::cell::Cell;

use burn::tensor::{Distribution, Tensor, activation::relu};

use super::cpu::{self, CpuOperation, Matrix};
use super::gpu_training;

/// One dropout mask: element `i` is a function of the stream and `i` alone. Where there are no kernels of our own, a device draws its
/// masks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// Share of elements that become zero, in `[0, 1)`.
    pub prob: f32,
    /// Names the mask; the same stream gives the same mask again.
    pub stream: u64,
}

/// Hands out a fresh mask for every place and step of a training run.
#[derive(Debug)]
pub struct DropoutSource {
    prob: f32,
    /// Share of attention weights that become zero.
    attention: f32,
    next: Cell<u64>,
}

impl DropoutSource {
    /// Masks of a training step; `seed` should differ from step to step.
    pub fn new(prob: f32, seed: u64) -> Self {
        assert!(
            (0.0..1.0).contains(&prob),
            "dropout {prob} is not in [0, 1)"
        );
        Self {
            prob,
            attention: 0.0,
            next: Cell::new(mix(seed)),
        }
    }

    /// Drops this share of the weights of every attention too.
    #[must_use]
    pub fn with_attention(self, prob: f32) -> Self {
        assert!(
            (0.0..1.0).contains(&prob),
            "dropout {prob} is not in [0, 1)"
        );
        Self {
            attention: prob,
            ..self
        }
    }

    /// For a device that draws its own masks.
    pub fn seed(&self) -> u64 {
        self.next.get()
    }

    /// No dropout: for validation and translation.
    pub fn none() -> Self {
        Self::new(0.0, 0)
    }

    /// The next mask, or `None` where nothing is dropped.
    pub fn next(&self) -> Option<Dropout> {
        self.mask(self.prob)
    }

    /// The next mask of attention weights, or `None` where none are dropped.
    pub fn attention(&self) -> Option<Dropout> {
        self.mask(self.attention)
    }

    fn mask(&self, prob: f32) -> Option<Dropout> {
        if prob == 0.0 {
            return None;
        }
        let stream = self.next.get();
        self.next.set(mix(stream));
        Some(Dropout { prob, stream })
    }
}

/// `SplitMix64`, Steele et al. 2014.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Dropout {
    /// Drops nothing.
    pub(super) const NONE: Self = Self {
        prob: 0.0,
        stream: 0,
    };

    /// The factors of kept and dropped elements of `x`, as its device draws them.
    pub(super) fn drawn<const D: usize>(self, x: &Tensor<D>) -> Tensor<D> {
        let keep = f64::from(1.0 - self.prob);
        let kept = x.random_like(Distribution::Bernoulli(keep));
        kept.div_scalar(keep)
    }

    /// Elements whose hash is below it are dropped.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a probability is below 1")]
    #[expect(clippy::cast_sign_loss, reason = "a probability is not negative")]
    pub(super) fn threshold(self) -> u32 {
        (f64::from(self.prob) * 4_294_967_296.0) as u32
    }

    /// The factor of kept numbers.
    #[inline(always)]
    pub(super) fn scale(self) -> f32 {
        1.0 / (1.0 - self.prob)
    }

    /// Multiplies `values`, whose first element is number `first` of the mask.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the mask repeats after 2^32 elements"
    )]
    pub(super) fn apply(self, values: &mut [f32], first: usize) {
        let (threshold, scale) = (self.threshold(), self.scale());
        let (low, high) = (self.stream as u32, (self.stream >> 32) as u32);
        for (offset, value) in values.iter_mut().enumerate() {
            let keep = hash((first as u32).wrapping_add(offset as u32) ^ low, high) >= threshold;
            *value = if keep { *value * scale } else { 0.0 };
        }
    }
}

/// A hash of 32 bits with good avalanche ("lowbias32", Wellons 2018), keyed.
#[inline(always)]
fn hash(index: u32, key: u32) -> u32 {
    let mut x = index.wrapping_mul(0x9E37_79B1) ^ key;
    x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D);
    x = (x ^ (x >> 15)).wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// Drops elements of `x` (`[rows, columns]`).
pub fn dropout(x: Tensor<2>, mask: Option<Dropout>) -> Tensor<2> {
    let Some(mask) = mask else { return x };
    if cpu::is_cpu(&x.device()) {
        cpu::run_in_place(DropoutOperation(mask), x)
    } else {
        gpu_training::dropout(&x, mask).unwrap_or_else(|| dropout_plain(x, mask))
    }
}

/// `dropout(relu(x))` for `x [rows, columns]`.
pub fn relu_dropout(x: Tensor<2>, mask: Option<Dropout>) -> Tensor<2> {
    if cpu::is_cpu(&x.device()) {
        return cpu::run_in_place(ReluDropoutOperation(mask), x);
    }
    if let Some(output) = gpu_training::relu_dropout(&x, mask) {
        return output;
    }
    let x = relu(x);
    match mask {
        Some(mask) => dropout_plain(x, mask),
        None => x,
    }
}

/// Dropout from tensor operations, with the device's own random numbers: without a tape, or where all is SPIR-V.
fn dropout_plain(x: Tensor<2>, mask: Dropout) -> Tensor<2> {
    let kept = mask.drawn(&x);
    x * kept
}

#[derive(Clone, Debug)]
struct DropoutOperation(Dropout);

impl CpuOperation<1> for DropoutOperation {
    type Saved = ();

    fn forward(&self, [mut x]: [Matrix; 1]) -> (Matrix, ()) {
        let columns = x.columns();
        cpu::for_rows(x.values_mut(), columns, |first, rows| {
            self.0.apply(rows, first * columns);
        });
        (x, ())
    }

    fn backward(&self, (): (), gradient: Matrix) -> [Matrix; 1] {
        [self.forward([gradient]).0]
    }
}

#[derive(Clone, Debug)]
struct ReluDropoutOperation(Option<Dropout>);

impl CpuOperation<1> for ReluDropoutOperation {
    /// The output: positive exactly where the gradient passes.
    type Saved = Matrix;

    fn forward(&self, [mut x]: [Matrix; 1]) -> (Matrix, Matrix) {
        let columns = x.columns();
        let mask = self.0;
        cpu::for_rows(x.values_mut(), columns, |first, rows| {
            for value in rows.iter_mut() {
                *value = value.max(0.0);
            }
            if let Some(mask) = mask {
                mask.apply(rows, first * columns);
            }
        });
        (x.clone(), x)
    }

    fn backward(&self, output: Matrix, mut gradient: Matrix) -> [Matrix; 1] {
        let scale = self.0.map_or(1.0, Dropout::scale);
        let columns = gradient.columns();
        let outputs = output.values();
        cpu::for_rows(gradient.values_mut(), columns, |first, rows| {
            let outputs = &outputs[first * columns..][..rows.len()];
            for (gradient, &output) in rows.iter_mut().zip(outputs) {
                *gradient = if output > 0.0 { *gradient * scale } else { 0.0 };
            }
        });
        [gradient]
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::comparison::assert_same;

    #[test]
    fn a_mask_keeps_its_share_and_the_mean() {
        let ones = Tensor::<2>::ones([200, 300], &Device::flex());
        let source = DropoutSource::new(0.25, 3);
        let (first, second) = (
            dropout(ones.clone(), source.next()),
            dropout(ones.clone(), source.next()),
        );
        let mean = first.clone().mean().into_scalar::<f32>();
        assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
        let both = (first * second).mean().into_scalar::<f32>();
        assert!(
            (both - 1.0).abs() < 0.02,
            "masks of one source are not independent: {both}"
        );
    }

    #[test]
    fn relu_and_dropout_pass_the_gradient_of_what_they_kept() {
        let mask = Dropout {
            prob: 0.3,
            stream: 9,
        };
        assert_same(
            [[60, 50]],
            |[x]| relu_dropout(x, Some(mask)),
            |[x]| {
                let ones = Tensor::<2>::ones(x.dims(), &x.device());
                relu(x) * dropout(ones, Some(mask)).detach()
            },
        );
    }
}
