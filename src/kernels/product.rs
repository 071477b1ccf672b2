//! Matrix products, in 16 bits where a training says so.
//!
//! Micikevicius et al., "Mixed Precision Training", ICLR 2018: products take and give numbers of 16 bits; weights, sums,
//! norms, softmax and the loss stay in 32 bits.

use std::cell::Cell;

use burn::tensor::{FloatDType, Tensor, module};

thread_local! {
    static NUMBERS: Cell<Option<FloatDType>> = const { Cell::new(None) };
}

/// Calls `compute` with every [`product`] of this thread of these numbers, if any, as PyTorch's autocast does.
pub fn with_products<T>(numbers: Option<FloatDType>, compute: impl FnOnce() -> T) -> T {
    /// What was before, also after a panic.
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

/// `x W + b`, with a [`product`].
///
/// # Shapes
/// - x: `[rows, inputs]`; weight: `[inputs, outputs]`; bias: `[outputs]`
/// - output: `[rows, outputs]`
pub fn linear(x: Tensor<2>, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
    if NUMBERS.get().is_none() {
        return module::linear(x, weight, bias);
    }
    let mapped = product(x, weight);
    match bias {
        Some(bias) => mapped + bias.unsqueeze(),
        None => mapped,
    }
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
            let mapped = with_products(kind, || {
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
    fn after_a_call_products_are_what_they_were_also_after_a_panic() {
        let half = Some(FloatDType::F16);
        let caught = std::panic::catch_unwind(|| {
            with_products(half, || {
                with_products(None, || assert_eq!(NUMBERS.get(), None));
                assert_eq!(NUMBERS.get(), half);
                panic!("on purpose")
            })
        });
        assert!(caught.is_err());
        assert_eq!(NUMBERS.get(), None);
    }
}
