//! Test support: a fused operation and its plain version must agree in outputs and gradients.

use burn::tensor::{Device, Distribution, Tensor};

/// Compares two functions of `N` matrices of the given shapes, and their gradients under random cotangents.
pub(super) fn assert_same<const N: usize, const D: usize>(
    shapes: [[usize; 2]; N],
    fused: impl Fn([Tensor<2>; N]) -> Tensor<D>,
    plain: impl Fn([Tensor<2>; N]) -> Tensor<D>,
) {
    let device = Device::flex().autodiff();
    device.seed(7);
    let inputs =
        shapes.map(|shape| Tensor::<2>::random(shape, Distribution::Normal(0.0, 1.0), &device));
    let run = |function: &dyn Fn([Tensor<2>; N]) -> Tensor<D>, cotangent: Option<Tensor<D>>| {
        let inputs = inputs.clone().map(|input| input.detach().require_grad());
        let output = function(inputs.clone());
        let cotangent =
            cotangent.unwrap_or_else(|| output.clone().detach().random_like(Distribution::Default));
        let gradients = (output.clone() * cotangent.clone()).sum().backward();
        (
            output,
            inputs.map(|input| input.grad(&gradients)),
            cotangent,
        )
    };
    let (fused_output, fused_gradients, cotangent) = run(&fused, None);
    let (plain_output, plain_gradients, _) = run(&plain, Some(cotangent));
    assert_close(&fused_output, &plain_output, "output");
    for (number, (fused, plain)) in fused_gradients.into_iter().zip(plain_gradients).enumerate() {
        let (fused, plain) = (
            fused.expect("a fused gradient"),
            plain.expect("a plain gradient"),
        );
        assert_close(&fused, &plain, &format!("gradient of input {number}"));
    }
}

fn assert_close<const D: usize>(got: &Tensor<D>, want: &Tensor<D>, what: &str) {
    assert_eq!(got.dims(), want.dims(), "shape of {what}");
    let largest = want.clone().abs().max().into_scalar::<f32>().max(1.0);
    let difference = (got.clone() - want.clone())
        .abs()
        .max()
        .into_scalar::<f32>();
    assert!(
        difference <= 2e-5 * largest,
        "{what} differs by {difference} at {largest}"
    );
}
