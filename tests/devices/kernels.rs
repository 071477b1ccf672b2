//! Kernels of a training: what a GPU computes is what the CPU computes, gradients too.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor, TensorData};
use canopy::kernels::{
    Attention, Dropout, Projected, Segment, SelectedAttention, Weighting, WordNormaliser, add_norm,
    attention, dropout, label_smoothed_cross_entropy, layer_norm, linear, product_with_table,
    relu_dropout, selected_attention,
};
use canopy::model::{Batch, Model, Preset};
use canopy::training::{Adam, Example, ExampleSet};

use super::{gpu, on_lavapipe};

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

fn multiply_with_gradients() {
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(5);
    // Tiles that are full and not, few rows and many, enough that tiles are twice as large, lines that are no whole fours of
    // numbers.
    for [rows, inputs, outputs] in [
        [64, 64, 64],
        [130, 12, 20],
        [1_037, 256, 72],
        [4_000, 64, 520],
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
    let name = "kernels::products_of_a_training_are_the_same_on_a_gpu";
    on_lavapipe(name, multiply_with_gradients);
}

fn attend_with_gradients() {
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
                dropout: None,
            };
            let random = |rows: usize| -> TensorData {
                let normal = Distribution::Normal(0.0, 1.0);
                Tensor::<2>::random([rows, heads * head], normal, &cpu).into_data()
            };
            let (read, factors) = ([random(rows), random(keys), random(keys)], random(rows));
            let [found, expected] = [&gpu, &cpu].map(|device| {
                let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
                let read = [&read[0], &read[1], &read[2]].map(|it| tensor(it).require_grad());
                let attend = |[q, k, v]: [Tensor<2>; 3]| attention(q, k, v, &spec);
                let output = attend(read.clone());
                let gradients = (output.clone() * tensor(&factors)).sum().backward();
                let untracked = attend(read.clone().map(Tensor::inner));
                let [q, k, v] = read.map(|it| it.grad(&gradients).expect("a gradient"));
                [output.inner(), untracked, q, k, v].map(numbers)
            });
            assert_near(&found, &expected, (1e-4, 1.0), (heads, head, causal));
        }
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn attention_of_a_training_is_the_same_on_a_gpu() {
    let name = "kernels::attention_of_a_training_is_the_same_on_a_gpu";
    on_lavapipe(name, attend_with_gradients);
}

fn read_chosen_sentences_with_gradients() {
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(4);
    // Sentences of one word and of more than a group has threads, keys of none between them; lists of one sentence, of all and of
    // none, more of them than are a row's heads.
    let sentences: Arc<[Range<usize>]> = [0..3, 4..5, 5..75, 75..107, 110..143].into();
    let list = |number: usize| -> Vec<usize> {
        let is_read = |sentence: &usize| number % 7 != 3 && (number >> sentence).is_multiple_of(2);
        (0..sentences.len()).filter(is_read).collect()
    };
    let weightings = [
        Weighting::Joint,
        Weighting::Product(WordNormaliser::Softmax),
        Weighting::Product(WordNormaliser::Sparsemax),
    ];
    for (weighting, [rows, heads, key, value]) in weightings.into_iter().flat_map(|weighting| {
        [[33, 4, 64, 64], [9, 2, 12, 8], [5, 1, 4, 128]].map(|it| (weighting, it))
    }) {
        let spec = SelectedAttention {
            num_heads: heads,
            sentences: Arc::clone(&sentences),
            chosen: (0..rows * heads).map(list).collect(),
            weighting,
            dropout: None,
        };
        let sizes = [
            [rows, heads * key],
            [143, heads * key],
            [143, heads * value],
            [rows, heads * key],
            [sentences.len(), heads * key],
        ];
        let random = |sizes: [usize; 2]| -> TensorData {
            Tensor::<2>::random(sizes, Distribution::Normal(0.0, 1.0), &cpu).into_data()
        };
        let (read, factors) = (sizes.map(random), random([rows, heads * value]));
        let attend = |[
            word_queries,
            word_keys,
            values,
            sentence_queries,
            sentence_keys,
        ]: [Tensor<2>; 5]| {
            let read = Projected {
                word_queries,
                word_keys,
                values,
                sentence_queries,
                sentence_keys,
            };
            selected_attention(read, &spec)
        };
        let [found, expected] = [&gpu, &cpu].map(|device| {
            let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
            let inputs = read.each_ref().map(|it| tensor(it).require_grad());
            let output = attend(inputs.clone());
            let gradients = (output.clone() * tensor(&factors)).sum().backward();
            let mut found = vec![numbers(output.inner())];
            found.extend(
                inputs
                    .clone()
                    .map(|it| numbers(it.grad(&gradients).expect("a gradient"))),
            );
            found.push(numbers(attend(inputs.map(Tensor::inner))));
            found
        });
        assert_near(&found, &expected, (1e-4, 1.0), (weighting, rows, heads));
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn attention_to_chosen_sentences_is_the_same_on_a_gpu() {
    let name = "kernels::attention_to_chosen_sentences_is_the_same_on_a_gpu";
    on_lavapipe(name, read_chosen_sentences_with_gradients);
}

fn normalise_and_score_with_gradients() {
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
    let name = "kernels::norms_and_losses_of_a_training_are_the_same_on_a_gpu";
    on_lavapipe(name, normalise_and_score_with_gradients);
}

fn drop_with_gradients() {
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(8);
    let mask = Dropout {
        prob: 0.3,
        stream: 0x1234_5678_9ABC_DEF0,
    };
    for ([rows, columns], mask) in [
        ([1, 4], Some(mask)),
        ([70, 300], Some(mask)),
        ([70, 300], None),
        ([5_000, 64], Some(mask)),
        ([40, 7], Some(mask)),
    ] {
        let random = |sizes: [usize; 2]| -> TensorData {
            Tensor::<2>::random(sizes, Distribution::Normal(0.1, 2.0), &cpu).into_data()
        };
        let [x, branch, factors] = [(); 3].map(|()| random([rows, columns]));
        let weight = random([columns, columns]);
        let [gamma, beta, bias] = [(); 3].map(|()| random([1, columns]));
        let [found, expected] = [&gpu, &cpu].map(|device| {
            let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
            let vector = |data: &TensorData| tensor(data).reshape([columns]).require_grad();
            let factors = tensor(&factors);
            let [x, branch, weight] = [&x, &branch, &weight].map(|it| tensor(it).require_grad());
            let [gamma, beta, bias] = [&gamma, &beta, &bias].map(vector);
            let outputs = [
                dropout(x.clone(), mask),
                relu_dropout(x.clone(), mask),
                linear(x.clone(), weight, Some(bias.clone())),
                add_norm(
                    x.clone(),
                    branch.clone(),
                    mask,
                    gamma.clone(),
                    beta.clone(),
                    1e-5,
                ),
            ];
            let all = outputs.map(|output| {
                let gradients = (output.clone() * factors.clone()).sum().backward();
                let matrices = [&x, &branch].map(|it| it.grad(&gradients).map(numbers));
                let vectors = [&gamma, &beta, &bias].map(|it| it.grad(&gradients).map(numbers));
                let gradients = matrices.into_iter().chain(vectors).flatten();
                let output = std::iter::once(numbers(output.inner()));
                output.chain(gradients).collect::<Vec<_>>()
            });
            all.concat()
        });
        assert_eq!(expected.len(), 2 + 2 + 3 + 5);
        assert_eq!(found.len(), expected.len());
        assert_near(&found, &expected, (3e-4, 3.0), (rows, columns, mask));
    }
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn what_a_training_drops_is_the_same_on_a_gpu() {
    let name = "kernels::what_a_training_drops_is_the_same_on_a_gpu";
    on_lavapipe(name, drop_with_gradients);
}

/// Parameters of several sizes, more than a kernel takes.
#[derive(Module, Debug)]
struct Parameters {
    small: Param<Tensor<1>>,
    odd: Param<Tensor<2>>,
    large: Param<Tensor<2>>,
    larger: Param<Tensor<2>>,
    without_gradient: Param<Tensor<1>>,
}

fn update_all_parameters() {
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(4);
    let random = |sizes: [usize; 2]| -> TensorData {
        Tensor::<2>::random(sizes, Distribution::Normal(0.0, 1.0), &cpu).into_data()
    };
    let sizes = [[1, 5], [3, 7], [100, 200], [300, 257], [1, 9]];
    let (values, first) = (sizes.map(random), sizes.map(random));
    let second = sizes.map(random);
    let [found, expected] = [&gpu, &cpu].map(|device| {
        let tensor = |data: &TensorData| Tensor::<2>::from_data(data.clone(), device);
        let vector = |data: &TensorData| Param::from_tensor(tensor(data).flatten(0, 1));
        let matrix = |data: &TensorData| Param::from_tensor(tensor(data));
        let [small, odd, large, larger, without_gradient] = &values;
        let mut module = Parameters {
            small: vector(small),
            odd: matrix(odd),
            large: matrix(large),
            larger: matrix(larger),
            without_gradient: vector(without_gradient),
        };
        let mut adam = Adam::default();
        let mut norms = Vec::new();
        let mut after = Vec::new();
        // Longer than the limit and not, without one, and not finite.
        for (gradients, factor, limit) in [
            (&first, 1.0_f32, Some(5.0)),
            (&second, 1e-3, Some(5.0)),
            (&first, 1.0, None),
            (&first, f32::INFINITY, Some(5.0)),
            (&second, 1.0, Some(0.5)),
        ] {
            let [a, b, c, d, _] = gradients;
            let all = [(b, &module.odd), (c, &module.large), (d, &module.larger)];
            let all = all.map(|(factors, param)| (tensor(factors) * param.val()).sum());
            let [odd, large, larger] = all;
            let small = (tensor(a).flatten(0, 1) * module.small.val()).sum();
            let loss = (small + odd + large + larger) * factor;
            let mut gradients = loss.backward();
            let (next, norm) = adam.update_scaled(module, &mut gradients, 4.0, 0.01, limit);
            module = next;
            norms.push(if norm.is_finite() { norm } else { -1.0 });
            after.push(numbers(module.small.val().inner()));
            for param in [&module.odd, &module.large, &module.larger] {
                after.push(numbers(param.val().inner()));
            }
            after.push(numbers(module.without_gradient.val().inner()));
        }
        #[expect(clippy::cast_possible_truncation, reason = "compared roughly")]
        after.push(norms.into_iter().map(|norm| norm as f32).collect());
        let state = adam.state().into_iter();
        let moments = state.map(|(name, (_, numbers))| (name, numbers));
        let (names, moments): (Vec<_>, Vec<_>) = moments.unzip();
        assert_eq!(names.len(), 8, "{names:?}");
        after.extend(moments);
        after
    });
    assert!(expected[25].contains(&-1.0), "{:?}", expected[25]);
    assert_near(&found, &expected, (1e-5, 0.1), "updates");
}

#[test]
#[ignore = "kernels are compiled on the CPU"]
fn updates_of_all_parameters_are_the_same_on_a_gpu() {
    let name = "kernels::updates_of_all_parameters_are_the_same_on_a_gpu";
    on_lavapipe(name, update_all_parameters);
}

fn batch_of(sentences: u32) -> Batch {
    let ids = |sentence: u32, len: u32| -> Vec<u32> {
        (0..len)
            .map(|word| 10 + (sentence * 31 + word * 17) % 80)
            .collect()
    };
    let examples: Vec<Example> = (0..sentences)
        .map(|sentence| Example {
            source: ids(sentence, 3 + sentence * 7 % 12),
            target: ids(sentence + 5, 4 + sentence * 5 % 11),
            place: (0, 0),
            headings: [0; 3],
            counts: true,
        })
        .collect();
    let runs: Vec<_> = (0..examples.len())
        .map(|number| number..number + 1)
        .collect();
    let set = ExampleSet {
        documents: runs.clone(),
        examples,
        ..ExampleSet::default()
    };
    set.batch(&runs)
}

fn learn() {
    let (gpu, cpu) = (gpu().device.autodiff(), Device::flex().autodiff());
    cpu.seed(2);
    let mut config = Preset::named("x-transformer-small")
        .expect("one")
        .config(100);
    (config.d_model, config.d_ff) = (32, 64);
    let start = Model::new(&config, &cpu).expect("a model");
    let batch = batch_of(24);
    let [found, expected] = [&gpu, &cpu].map(|device| {
        let mut model = start.clone().fork(device);
        let mut adam = Adam::default();
        let losses = (0..6).map(|step| {
            let drop = canopy::kernels::DropoutSource::new(0.1, step);
            let loss = model.loss(&batch, 0.1, &drop);
            let mut gradients = loss.backward();
            let (next, _) = adam.update(model.clone(), &mut gradients, 2e-3, Some(1.0));
            model = next;
            loss.into_scalar::<f32>()
        });
        losses.collect::<Vec<f32>>()
    });
    println!("{found:?} for {expected:?}");
    assert!(expected[5] < expected[0] - 0.1, "{expected:?}");
    assert_near(&[found], &[expected], (1e-3, 1.0), "losses");
}

/// With dropout: masks are the same on every device.
#[test]
#[ignore = "kernels are compiled on the CPU"]
fn a_training_on_a_gpu_is_that_of_the_cpu() {
    let name = "kernels::a_training_on_a_gpu_is_that_of_the_cpu";
    on_lavapipe(name, learn);
}
