//! Kernels of a training: what a GPU computes is what the CPU computes, gradients too.

use std::fmt::Debug;
use std::sync::Arc;

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use canopy::kernels::{
    AdamStep, Attention, Moments, Segment, adam, attention, label_smoothed_cross_entropy,
    layer_norm, linear, product_with_table,
};

use super::{gpu, in_a_process, is_alone, lavapipe};

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("floats")
}

/// Numbers of several tensors, each apart by less than a share of what is expected, or of `least` where that is more.
#[track_caller]
fn assert_near(
    found: &[Vec<f32>],
    expected: &[Vec<f32>],
    (share, least): (f32, f32),
    place: impl Debug,
) {
    for (which, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < share * expected.abs().max(least),
                "{place:?}, {which}: {found} for {expected}"
            );
        }
    }
}

#[test]
#[ignore = "in a process of its own"]
fn child_multiplies_with_gradients() {
    if !is_alone() {
        return;
    }
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(5);
    // Tiles that are full and not, few rows and many, lines that are no whole fours of numbers.
    for [rows, inputs, outputs] in [
        [64, 64, 64],
        [130, 12, 20],
        [1_037, 256, 72],
        [3, 8, 4],
        [9, 6, 5],
    ] {
        let random = |sizes: [usize; 2]| -> TensorData {
            Tensor::<2>::random(sizes, Distribution::Normal(0.0, 1.0), &cpu).into_data()
        };
        let x = random([rows, inputs]);
        let matrices = [random([inputs, outputs]), random([outputs, inputs])];
        let factors = random([rows, outputs]);
        for (matrix, is_table) in matrices.into_iter().zip([false, true]) {
            let [found, expected] = [&gpu, &cpu].map(|device| {
                let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
                let [x, matrix] = [&x, &matrix].map(|data| tensor(data).require_grad());
                let mapped = if is_table {
                    product_with_table(x.clone(), matrix.clone())
                } else {
                    linear(x.clone(), matrix.clone(), None)
                };
                let gradients = (mapped.clone() * tensor(&factors)).sum().backward();
                let [x, matrix] = [x, matrix].map(|it| it.grad(&gradients).expect("a gradient"));
                [mapped.inner(), x, matrix].map(numbers)
            });
            let sizes = [rows, inputs, outputs];
            assert_near(&found, &expected, (1e-4, 10.0), sizes);
        }
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn products_of_a_training_are_the_same_on_a_gpu() {
    in_a_process("kernels::child_multiplies_with_gradients", lavapipe());
}

#[test]
#[ignore = "in a process of its own"]
fn child_attends_with_gradients() {
    if !is_alone() {
        return;
    }
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(9);
    // Rows of queries and of keys of each segment: short ones and ones of several blocks, more queries than keys and fewer.
    let segments = |lens: &[(usize, usize)]| -> Arc<[Segment]> {
        let mut ends = (0, 0);
        let segment = |&(queries, keys): &(usize, usize)| {
            let begins = ends;
            ends = (ends.0 + queries, ends.1 + keys);
            Segment {
                queries: begins.0..ends.0,
                keys: begins.1..ends.1,
            }
        };
        lens.iter().map(segment).collect()
    };
    let same = segments(&[(5, 5), (1, 1), (70, 70), (32, 32), (33, 33)]);
    let others = segments(&[(3, 40), (64, 7), (1, 100), (45, 16)]);
    for (segments, heads, head) in [
        (&same, 4, 16),
        (&same, 1, 64),
        (&others, 2, 12),
        (&others, 3, 6),
    ] {
        for causal in [false, true] {
            let sizes = segments.last().map(|it| [it.queries.end, it.keys.end]);
            let [rows, keys] = sizes.expect("segments");
            let spec = Attention {
                num_heads: heads,
                causal,
                segments: Arc::clone(segments),
            };
            let random = |rows: usize| -> TensorData {
                let normal = Distribution::Normal(0.0, 1.0);
                Tensor::<2>::random([rows, heads * head], normal, &cpu).into_data()
            };
            let (read, factors) = ([random(rows), random(keys), random(keys)], random(rows));
            let [found, expected] = [&gpu, &cpu].map(|device| {
                let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
                let read = [&read[0], &read[1], &read[2]].map(|it| tensor(it).require_grad());
                let [q, k, v] = read.clone();
                let output = attention(q, k, v, &spec);
                let gradients = (output.clone() * tensor(&factors)).sum().backward();
                let [q, k, v] = read.map(|it| it.grad(&gradients).expect("a gradient"));
                [output.inner(), q, k, v].map(numbers)
            });
            assert_near(&found, &expected, (1e-4, 1.0), (heads, head, causal));
        }
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn attention_of_a_training_is_the_same_on_a_gpu() {
    in_a_process("kernels::child_attends_with_gradients", lavapipe());
}

#[test]
#[ignore = "in a process of its own"]
fn child_normalises_and_scores_with_gradients() {
    if !is_alone() {
        return;
    }
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(7);
    for [rows, columns] in [[1_u16, 4], [70, 300], [5_000, 64], [40_000, 8], [6, 7]] {
        let targets = (0..u32::from(rows)).map(|row| row * 5 % u32::from(columns));
        let targets: Vec<u32> = targets.collect();
        let count = f32::from(rows);
        let [rows, columns] = [rows, columns].map(usize::from);
        let random = |sizes: [usize; 2]| -> TensorData {
            Tensor::<2>::random(sizes, Distribution::Normal(0.5, 2.0), &cpu).into_data()
        };
        let (x, factors) = (random([rows, columns]), random([rows, columns]));
        let [gamma, beta] = [(); 2].map(|()| random([1, columns]));
        let [found, expected] = [&gpu, &cpu].map(|device| {
            let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
            let vector = |data: &TensorData| tensor(data).reshape([columns]).require_grad();
            let (x, gamma, beta) = (tensor(&x).require_grad(), vector(&gamma), vector(&beta));
            let normal = layer_norm(x.clone(), gamma.clone(), beta.clone(), 1e-5);
            let of_norm = (normal.clone() * tensor(&factors)).sum().backward();
            let loss = label_smoothed_cross_entropy(x.clone(), &targets, 0.1);
            let of_loss = (loss.clone() * count).backward();
            [
                numbers(normal.inner()),
                numbers(x.grad(&of_norm).expect("a gradient")),
                numbers(gamma.grad(&of_norm).expect("a gradient")),
                numbers(beta.grad(&of_norm).expect("a gradient")),
                numbers(loss.inner()),
                numbers(x.grad(&of_loss).expect("a gradient")),
            ]
        });
        assert_near(&found, &expected, (2e-4, 1.0), (rows, columns));
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn norms_and_losses_of_a_training_are_the_same_on_a_gpu() {
    in_a_process(
        "kernels::child_normalises_and_scores_with_gradients",
        lavapipe(),
    );
}

#[test]
#[ignore = "in a process of its own"]
fn child_keeps_moments_of_8_bits() {
    const NUMBERS: usize = 20_000;
    if !is_alone() {
        return;
    }
    let (gpu, cpu) = (gpu().device, Device::flex());
    cpu.seed(3);
    let random = || {
        let normal = Distribution::Normal(0.0, 1.0);
        numbers(Tensor::<1>::random([NUMBERS], normal, &cpu))
    };
    let (values, gradients) = (random(), [(); 5].map(|()| random()));
    let [found, expected] = [&gpu, &cpu].map(|device| {
        let tensor = |numbers: &Vec<f32>| Tensor::<1>::from_floats(numbers.as_slice(), device);
        let start = (tensor(&values), Moments::zeros(NUMBERS, true, device));
        let (values, moments) =
            gradients
                .iter()
                .zip(1..)
                .fold(start, |(values, moments), (gradient, step)| {
                    let step = AdamStep {
                        betas: (0.9, 0.98),
                        step,
                        epsilon: 1e-9,
                        learning_rate: 0.01,
                        scale: 1.0,
                    };
                    adam(values, tensor(gradient), moments, step)
                });
        let (first, second) = moments.to_numbers();
        [numbers(values), first, second]
    });
    for (found, expected) in found.iter().zip(&expected) {
        let apart = found
            .iter()
            .zip(expected)
            .filter(|(x, y)| (*x - *y).abs() > 1e-5);
        let apart = apart.count();
        println!("{apart} of {NUMBERS} were rounded to another code");
        assert!(found.len() == NUMBERS && apart < NUMBERS / 100);
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn moments_of_8_bits_are_the_same_on_a_gpu() {
    in_a_process("kernels::child_keeps_moments_of_8_bits", lavapipe());
}
