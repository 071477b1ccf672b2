//! Matrix products, in 16 bits where a training says so.
//!
//! Micikevicius et al., "Mixed Precision Training", ICLR 2018: products take and give numbers of 16 bits; weights, sums,
//! norms, softmax and the loss stay in 32 bits.
//!
//! The gradients of what all rows share, of weights and biases, are sums over rows. On a graphics card each number of them
//! is summed by one thread, and where there are fewer numbers than threads the GPU waits; so there rows are taken in parts,
//! whose sums are added. Products of 32 bits have a kernel of their own there (`gpu_training`), and those of 16 where the card has
//! cooperative matrices.

use std::cell::Cell;

use burn::tensor::{FloatDType, Tensor, module};

use super::cpu;
use super::gpu_training::{self, Turned, Way};

thread_local! {
    static NUMBERS: Cell<Option<FloatDType>> = const { Cell::new(None) };
}

/// Calls `compute` with every [`product`] of this thread of these numbers, if any, as PyTorch's autocast does.
pub fn with_matmul_dtype<T>(numbers: Option<FloatDType>, compute: impl FnOnce() -> T) -> T {
    /// Restores the previous value, also after a panic.
    struct Before(Option<FloatDType>);

    impl Drop for Before {
        fn drop(&mut self) {
            NUMBERS.set(self.0);
        }
    }

    let _before = Before(NUMBERS.replace(numbers));
    compute()
}

/// `a · b` of matrices of 32 bits; its gradients are products of the same numbers.
///
/// # Shapes
/// - a: `[.., rows, inner]`; b: `[.., inner, columns]`; output: `[.., rows, columns]`
pub fn product<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    match NUMBERS.get() {
        Some(numbers) => a
            .cast(numbers)
            .matmul(b.cast(numbers))
            .cast(FloatDType::F32),
        None => a.matmul(b),
    }
}

/// `x Eᵀ`, with a [`product`]: scores of words whose table of embeddings is E.
///
/// # Shapes
/// - x: `[rows, inputs]`; table: `[words, inputs]`; output: `[rows, words]`
pub fn product_with_table(x: Tensor<2>, table: Tensor<2>) -> Tensor<2> {
    own_product(&x, &table, Turned::Second).unwrap_or_else(|| product(x, table.transpose()))
}

/// `x W + b`, with a [`product`].
///
/// # Shapes
/// - x: `[rows, inputs]`; weight: `[inputs, outputs]`; bias: `[outputs]`
/// - output: `[rows, outputs]`
pub fn linear(x: Tensor<2>, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
    let device = x.device();
    let on_gpu = !cpu::is_cpu(&device);
    if NUMBERS.get().is_none() && !(on_gpu && device.is_autodiff()) {
        return module::linear(x, weight, bias);
    }
    let rows = x.dims()[0];
    let mapped = match own_product(&x, &weight, Turned::Neither) {
        Some(mapped) => mapped,
        None if on_gpu => product_in_parts(x, weight),
        None => product(x, weight),
    };
    match bias {
        Some(bias) if on_gpu => gpu_training::add_bias(&mapped, &bias)
            .unwrap_or_else(|| mapped + for_each_row(bias, rows)),
        Some(bias) => mapped + bias.unsqueeze(),
        None => mapped,
    }
}

/// A [`product`] by the kernel of a graphics card, where there is one for it.
fn own_product(a: &Tensor<2>, b: &Tensor<2>, turned: Turned) -> Option<Tensor<2>> {
    let by_halves = match NUMBERS.get() {
        None => false,
        Some(FloatDType::F16) => true,
        Some(_) => return None,
    };
    gpu_training::product(a, b, Way { turned, by_halves })
}

/// [`product`] of rows with weights whose gradient is summed part by part.
///
/// # Shapes
/// - x: `[rows, inputs]`; weight: `[inputs, outputs]`; output: `[rows, outputs]`
fn product_in_parts(x: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
    /// Tiles of 64 × 64 numbers that keep a card busy.
    const TILES: usize = 512;
    /// Rows that are worth a part.
    const LEAST: usize = 64;
    let ([rows, inputs], [_, outputs]) = (x.dims(), weight.dims());
    let tiles = inputs.div_ceil(64) * outputs.div_ceil(64);
    let parts = (TILES / tiles).min(rows / LEAST);
    if parts < 2 {
        return product(x, weight);
    }
    let part = rows.div_ceil(parts).next_multiple_of(8);
    let parts = rows.div_ceil(part);
    let missing = parts * part - rows;
    let x = if missing == 0 {
        x
    } else {
        let zeros = Tensor::zeros([missing, inputs], &x.device());
        Tensor::cat(vec![x, zeros], 0)
    };
    let mapped = product(x.reshape([parts, part, inputs]), weight.unsqueeze::<3>());
    let mapped = mapped.reshape([parts * part, outputs]);
    if missing == 0 {
        mapped
    } else {
        mapped.narrow(0, 0, rows)
    }
}

/// A vector once for each of `rows` rows; on a graphics card its gradient is summed part by part.
///
/// # Shapes
/// - vector: `[columns]`; output: `[rows, columns]`, or `[1, columns]` where nothing is gained
pub(super) fn for_each_row(vector: Tensor<1>, rows: usize) -> Tensor<2> {
    /// Rows of a part.
    const PART: usize = 64;
    let device = vector.device();
    if rows < 2 * PART || !device.is_autodiff() || cpu::is_cpu(&device) {
        return vector.unsqueeze();
    }
    repeated(vector, rows, PART)
}

fn repeated(vector: Tensor<1>, rows: usize, part: usize) -> Tensor<2> {
    let columns = vector.dims()[0];
    let parts = rows.div_ceil(part);
    let all = vector.unsqueeze::<3>().expand([parts, part, columns]);
    all.reshape([parts * part, columns]).narrow(0, 0, rows)
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, Distribution};

    use super::*;

    fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        assert_eq!(tensor.dtype(), DType::F32);
        tensor.into_data().try_into_vec().expect("32-bit floats")
    }

    #[test]
    fn products_of_16_bits_and_their_gradients_are_those_of_32_rounded() {
        let device = Device::flex().autodiff();
        device.seed(3);
        let normal = Distribution::Normal(0.0, 1.0);
        let random = |shape: [usize; 2]| Tensor::<2>::random(shape, normal, &device).require_grad();
        let (x, weight) = (random([5, 64]), random([64, 9]));
        let bias = Tensor::<1>::random([9], normal, &device);
        let of = |kind: Option<FloatDType>| {
            let mapped = with_matmul_dtype(kind, || {
                linear(x.clone(), weight.clone(), Some(bias.clone()))
            });
            let gradients = mapped.clone().square().sum().backward();
            [
                numbers(mapped.inner()),
                numbers(x.grad(&gradients).expect("a gradient")),
                numbers(weight.grad(&gradients).expect("a gradient")),
            ]
        };
        let whole = of(None);
        for (kind, most) in [(FloatDType::F16, 1e-3_f32), (FloatDType::BF16, 8e-3)] {
            for (whole, half) in whole.iter().zip(of(Some(kind))) {
                let length = whole.iter().map(|x| x * x).sum::<f32>().sqrt();
                let apart = whole.iter().zip(&half).map(|(x, y)| (x - y) * (x - y));
                let apart = apart.sum::<f32>().sqrt() / length;
                assert!(apart > 0.0 && apart < most, "{kind:?}: {apart}");
            }
        }
    }

    #[test]
    fn gradients_that_are_summed_in_parts_are_those_of_all_rows() {
        let device = Device::flex().autodiff();
        device.seed(5);
        let normal = Distribution::Normal(0.0, 1.0);
        for rows in [130, 256, 301] {
            let random =
                |shape: [usize; 2]| Tensor::<2>::random(shape, normal, &device).require_grad();
            let (x, weight) = (random([rows, 12]), random([12, 7]));
            let bias = Tensor::<1>::random([7], normal, &device).require_grad();
            let of = |mapped: Tensor<2>| {
                let gradients = mapped.clone().square().sum().backward();
                let [x, weight] =
                    [&x, &weight].map(|it| numbers(it.grad(&gradients).expect("one")));
                let bias = numbers(bias.grad(&gradients).expect("one"));
                [numbers(mapped.inner()), x, weight, bias].concat()
            };
            let whole = of(x.clone().matmul(weight.clone()) + bias.clone().unsqueeze());
            let parts = product_in_parts(x.clone(), weight.clone());
            let parts = of(parts + repeated(bias.clone(), rows, 64));
            for (whole, part) in whole.iter().zip(parts) {
                let most = 1e-4 * whole.abs().max(1.0);
                assert!((whole - part).abs() < most, "{rows}: {part} for {whole}");
            }
        }
    }

    #[test]
    fn after_a_call_products_are_what_they_were_also_after_a_panic() {
        let half = Some(FloatDType::F16);
        let caught = std::panic::catch_unwind(|| {
            with_matmul_dtype(half, || {
                with_matmul_dtype(None, || assert_eq!(NUMBERS.get(), None));
                assert_eq!(NUMBERS.get(), half);
                panic!("on purpose")
            })
        });
        assert!(caught.is_err());
        assert_eq!(NUMBERS.get(), None);
    }
}
