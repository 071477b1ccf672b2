//! Packed products and the operations between them, compared with their definitions.

use burn::tensor::{Device, Tensor, TensorData};

use super::*;
use crate::{Projected, SelectedAttention, Weighting, WordNormaliser, selected_attention};

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    let number = |i: usize| (((i + seed) * 2_654_435_761 % 1_009) as f32 - 504.0) / 504.0;
    (0..count).map(number).collect()
}

fn product(x: &[f32], weights: &[f32], bias: &[f32], [inputs, outputs]: [usize; 2]) -> Vec<f32> {
    let rows = x.chunks_exact(inputs);
    rows.flat_map(|x| {
        (0..outputs).map(|column| {
            let products = x.iter().enumerate();
            let products = products.map(|(row, x)| x * weights[row * outputs + column]);
            bias[column] + products.sum::<f32>()
        })
    })
    .collect()
}

fn packed(weights: &[f32], bias: &[f32], sizes: [usize; 2], how: Quantization) -> PackedMatrix {
    let weights = Weights::by_rows(weights, sizes[1]);
    PackedMatrix::new(sizes[0], &[(weights, sizes[1], Some(bias))], how)
}

/// The largest difference, as a share of the largest number.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1e-9_f32, |a, b| a.max(b.abs()));
    let pairs = found.iter().zip(expected);
    pairs.fold(0.0_f32, |worst, (a, b)| worst.max((a - b).abs())) / largest
}

#[test]
fn packed_products_are_products() {
    for sizes in [[1, 1], [5, 3], [64, 16], [33, 70], [130, 257]] {
        let (weights, bias) = (numbers(sizes[0] * sizes[1], 3), numbers(sizes[1], 5));
        for rows in [1, 2, 3, 4, 5, 9, 10, 11, 23] {
            let x = numbers(rows * sizes[0], 7);
            let expected = product(&x, &weights, &bias, sizes);
            for (how, tolerance) in [(Quantization::None, 1e-5), (Quantization::Int8, 5e-2)] {
                let matrix = packed(&weights, &bias, sizes, how);
                let mut found = vec![f32::NAN; 3];
                matrix.multiply(&x, &mut found, &mut Scratch::default());
                let worst = difference(&found, &expected);
                assert!(worst < tolerance, "{how:?} {rows} × {sizes:?}: {worst}");
            }
        }
    }
}

#[test]
fn cores_share_a_product_without_a_trace() {
    let sizes = [256, 12_100];
    let (weights, bias) = (numbers(sizes[0] * sizes[1], 3), numbers(sizes[1], 5));
    let rows = 40;
    let x = numbers(rows * sizes[0], 7);
    for how in [Quantization::None, Quantization::Int8] {
        let matrix = packed(&weights, &bias, sizes, how);
        let [alone, shared] = [false, true].map(|several| {
            let mut found = Vec::new();
            matrix.multiply(&x, &mut found, &mut Scratch::on_cores(several));
            found
        });
        assert!(alone == shared, "{how:?}");
        for several in [false, true] {
            let mut scratch = Scratch::on_cores(several);
            let keep = |kept: &mut Vec<_>, first: usize, part: &mut [f32]| {
                kept.push((first, part.to_vec()));
            };
            let kept = matrix.multiply_in_parts(&x, &mut scratch, Vec::new, keep);
            let mut next = 0;
            for (first, part) in kept.into_iter().flatten() {
                let width = part.len() / rows;
                assert_eq!(first, next);
                next += width;
                let whole = alone.chunks_exact(sizes[1]);
                for (whole, part) in whole.zip(part.chunks_exact(width)) {
                    assert!(whole[first..next] == *part, "{how:?}");
                }
                assert!(width < sizes[1], "one part");
            }
            assert_eq!(next, sizes[1]);
        }
    }
}

#[test]
fn a_selection_has_the_columns_of_the_whole() {
    let sizes = [37, 130];
    let (weights, bias) = (numbers(sizes[0] * sizes[1], 3), numbers(sizes[1], 5));
    let x = numbers(6 * sizes[0], 7);
    let columns: Vec<u32> = (0..130)
        .filter(|column| column % 7 < 2)
        .chain([3])
        .collect();
    for how in [Quantization::None, Quantization::Int8] {
        let matrix = packed(&weights, &bias, sizes, how);
        let few = matrix.select(&columns);
        assert_eq!([few.inputs(), few.outputs()], [37, columns.len()]);
        let (mut all, mut found) = (Vec::new(), Vec::new());
        matrix.multiply(&x, &mut all, &mut Scratch::default());
        few.multiply(&x, &mut found, &mut Scratch::default());
        let rows = all.chunks_exact(sizes[1]);
        let expected = rows.flat_map(|row| columns.iter().map(|&column| row[column as usize]));
        let worst = difference(&found, &expected.collect::<Vec<_>>());
        assert!(worst < 1e-6, "{how:?}: {worst}");
    }
}

#[test]
fn parts_stand_side_by_side() {
    let (left, right) = (numbers(12 * 5, 1), numbers(12 * 7, 2));
    let bias = numbers(7, 4);
    let parts = [
        (Weights::by_rows(&left, 5), 5, None),
        (Weights::transposed(&right, 12), 7, Some(bias.as_slice())),
    ];
    let matrix = PackedMatrix::new(12, &parts, Quantization::None);
    let x = numbers(3 * 12, 9);
    let mut found = Vec::new();
    matrix.multiply(&x, &mut found, &mut Scratch::default());
    let turned: Vec<f32> = (0..12 * 7).map(|i| right[i % 7 * 12 + i / 7]).collect();
    let expected_left = product(&x, &left, &[0.0; 5], [12, 5]);
    let expected_right = product(&x, &turned, &bias, [12, 7]);
    for (row, found) in found.chunks_exact(12).enumerate() {
        let expected = [
            &expected_left[row * 5..][..5],
            &expected_right[row * 7..][..7],
        ]
        .concat();
        assert!(difference(found, &expected) < 1e-5);
    }
}

#[test]
fn what_is_no_number_stays_so() {
    let weights = numbers(20 * 18, 1);
    for how in [Quantization::None, Quantization::Int8] {
        let matrix = packed(&weights, &[0.0; 18], [20, 18], how);
        for broken in [f32::NAN, f32::INFINITY] {
            let mut x = numbers(40, 2);
            x[37] = broken;
            let mut found = Vec::new();
            matrix.multiply(&x, &mut found, &mut Scratch::default());
            assert!(found[..18].iter().all(|x| x.is_finite()), "{how:?}");
            assert!(found[18..].iter().all(|x| !x.is_finite()), "{how:?}");
        }
    }
}

#[test]
fn one_query_reads_as_many_do() {
    let (heads, d_model, keys) = (2, 24, 5);
    let [q, k, v] = [1, 2, 3].map(|seed| numbers(keys * d_model, seed));
    let columns = |values| Columns {
        values,
        width: d_model,
        first: 0,
    };
    let mut together = vec![0.0; keys * d_model];
    let segments = [(0..keys, 0..keys)];
    attend(
        [&q, &k, &v].map(|it| columns(it.as_slice())),
        segments.into_iter(),
        (heads, true),
        (&mut together, d_model),
    );
    let (mut weights, mut alone) = (Vec::new(), vec![0.0; d_model]);
    for (query, together) in together.chunks_exact(d_model).enumerate() {
        let row = |place: usize| [&k, &v].map(|it| &it[place * d_model..][..d_model]);
        let q = &q[query * d_model..][..d_model];
        attend_once(q, query + 1, row, heads, &mut weights, &mut alone);
        assert!(difference(&alone, together) < 1e-5);
    }
}

#[test]
fn several_queries_read_as_one_does() {
    // A head of 19 columns fills no registers.
    for (heads, d_model, lens) in [
        (2, 38, [5, 0, 16]),
        (4, 256, [70, 1, 33]),
        (1, 16, [3, 2, 64]),
    ] {
        let rows = lens.iter().sum::<usize>();
        let [q, k, v] = [1, 2, 3].map(|seed| numbers(rows.max(9) * d_model, seed));
        let columns = |values| Columns {
            values,
            width: d_model,
            first: 0,
        };
        let mut end = 0;
        let runs = lens.map(|len| {
            end += len;
            end - len..end
        });
        let shared = SharedRows::new(
            [&k, &v].map(|it| columns(it.as_slice())),
            runs.clone(),
            d_model,
        );
        let (mut weights, mut alone) = (Vec::new(), vec![0.0; d_model]);
        for (run, rows) in runs.into_iter().enumerate() {
            for queries in [0..9, 2..3, 4..4, 0..6] {
                let width = d_model + 3;
                let mut found = vec![7.0; queries.len() * width];
                let queries_of_all = (columns(&q), queries.clone());
                shared.attend(
                    run,
                    queries_of_all,
                    heads,
                    &mut weights,
                    (&mut found, width),
                );
                for (query, found) in queries.zip(found.chunks_exact(width)) {
                    let row = |place: usize| {
                        [&k, &v].map(|it| &it[(rows.start + place) * d_model..][..d_model])
                    };
                    let q = &q[query * d_model..][..d_model];
                    attend_once(q, rows.len(), row, heads, &mut Vec::new(), &mut alone);
                    assert!(difference(&alone, &found[..d_model]) < 1e-5, "{rows:?}");
                    assert_eq!(found[d_model..], [7.0; 3], "what lies between rows");
                }
            }
        }
    }
}

#[test]
fn several_queries_select_as_tensors_do() {
    for (heads, d_model) in [(2, 38), (4, 256)] {
        for normaliser in [WordNormaliser::Softmax, WordNormaliser::Sparsemax] {
            let (queries, rows) = (6, 45);
            // The second one has no words, the last one is of another document.
            let sentences = [0..3, 3..3, 3..20, 20..41, 41..45];
            let documents = [0..4, 4..5];
            let hidden = [false, true, true, false];
            let sizes = [queries, rows, rows, queries, sentences.len()];
            let inputs: Vec<Vec<f32>> = (1..)
                .zip(sizes)
                .map(|(seed, rows)| numbers(rows * d_model, seed))
                .collect();
            let tensor = |number: usize| {
                let data = TensorData::new(inputs[number].clone(), [sizes[number], d_model]);
                Tensor::<2>::from_data(data, &Device::flex())
            };
            let expected = selected_attention(
                Projected {
                    word_queries: tensor(0),
                    word_keys: tensor(1),
                    values: tensor(2),
                    sentence_queries: tensor(3),
                    sentence_keys: tensor(4),
                },
                &SelectedAttention {
                    num_heads: heads,
                    sentences: sentences.clone().into(),
                    chosen: vec![vec![0, 3]; queries * heads].into(),
                    weighting: Weighting::Product(normaliser),
                    dropout: None,
                },
            );
            let expected: Vec<f32> = expected.into_data().iter().collect();
            let columns = |number: usize| Columns {
                values: &inputs[number],
                width: d_model,
                first: 0,
            };
            let words = SharedRows::new([1, 2].map(columns), sentences, d_model);
            let keys = SharedRows::new([4, 4].map(columns), documents, d_model);
            let rows = SelectedRows {
                documents: &keys,
                words: &words,
                num_heads: heads,
                normaliser,
            };
            let readers = Readers {
                document: (0, 0),
                hidden: &hidden,
                sentence_queries: columns(3),
                word_queries: columns(0),
            };
            let mut found = vec![0.0; queries * d_model];
            rows.attend(readers, 0..queries, &mut Vec::new(), &mut found);
            assert!(difference(&found, &expected) < 1e-5, "{normaliser:?}");
            let readers = Readers {
                hidden: &[true; 4],
                ..readers
            };
            found.fill(0.0);
            rows.attend(readers, 0..queries, &mut Vec::new(), &mut found);
            assert!(found.iter().all(|&it| it == 0.0), "nothing is read");
        }
    }
}

#[test]
fn a_table_is_packed_in_parts_as_at_once() {
    let [inputs, outputs] = [6, 64 * COLUMNS + 21];
    let (weights, bias) = (numbers(inputs * outputs, 3), numbers(outputs, 5));
    let table = Table::kept(Kept::Floats(weights.clone()), [outputs, inputs]);
    let x = numbers(3 * inputs, 7);
    for how in [Quantization::None, Quantization::Int8] {
        let by_rows = Weights::transposed(&weights, inputs);
        let whole = PackedMatrix::new(inputs, &[(by_rows, outputs, Some(&bias))], how);
        let parts = PackedMatrix::transposed(&table, Some(&bias), how);
        let [mut found, mut expected] = [const { Vec::new() }; 2];
        parts.multiply(&x, &mut found, &mut Scratch::default());
        whole.multiply(&x, &mut expected, &mut Scratch::default());
        assert_eq!(found, expected, "{how:?}");
    }
}
