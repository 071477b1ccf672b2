use wgpu::naga;

use super::*;
use crate::packed::{Activation, RowNorm, Weights};
use crate::{StepScores, TokenSelection};

fn gpu() -> Arc<Gpu> {
    Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least")
}

/// Numbers from -1 to 1 without a pattern.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    let number = |i: usize| (((i + seed * 7_919) * 2_654_435_761 % 1_009) as f32 - 504.0) / 504.0;
    (0..count).map(number).collect()
}

fn numbers_of(run: Run<'_>, buffer: &wgpu::Buffer, count: usize) -> Vec<u32> {
    let [numbers] = run.read([(buffer, count)]);
    numbers
}

fn floats(bits: Vec<u32>) -> Vec<f32> {
    bits.into_iter().map(f32::from_bits).collect()
}

#[track_caller]
fn assert_near(found: &[f32], expected: &[f32], most: f32) {
    assert_eq!(found.len(), expected.len());
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let apart = (found - expected).abs();
        assert!(apart <= most, "{place}: {found} for {expected}");
    }
}

/// `x W + b`, summed in 64 bits.
fn product(x: &[f32], weights: &[f32], bias: &[f32], inputs: usize) -> Vec<f32> {
    let outputs = bias.len();
    let row = |x: &[f32]| {
        let column = |column: usize| {
            let terms = x.iter().zip(weights[column..].iter().step_by(outputs));
            let sum: f64 = terms.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "numbers have 32 bits there"
            )]
            let sum = (sum + f64::from(bias[column])) as f32;
            sum
        };
        (0..outputs).map(column).collect::<Vec<f32>>()
    };
    x.chunks(inputs).flat_map(row).collect()
}

#[test]
fn every_kernel_is_valid() {
    let flags = naga::valid::ValidationFlags::all();
    // Kernels of language models unpack half floats.
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let kernels = Kernel::OF_SEARCH.into_iter();
    for kernel in kernels.chain(Kernel::for_language_models()) {
        let (source, entry, _) = kernel.program();
        let module = naga::front::wgsl::parse_str(&source);
        let module = module.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        let mut names = module.entry_points.iter().map(|it| it.name.as_str());
        assert!(names.any(|name| name == entry), "{kernel:?}");
        let checked = naga::valid::Validator::new(flags, capabilities).validate(&module);
        checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
    }
}

#[test]
fn products_of_few_rows_and_of_many_are_those_of_64_bits() {
    let gpu = gpu();
    let mut bound = Bound::new(&gpu);
    for [rows, inputs, outputs] in [
        [1, 5, 3],
        [3, 96, 64],
        [4, 70, 133],
        [70, 33, 65],
        [130, 64, 100],
    ] {
        let (x, weights, bias) = (
            numbers(rows * inputs, 1),
            numbers(inputs * outputs, 2),
            numbers(outputs, 3),
        );
        let sums = product(&x, &weights, &bias, inputs);
        // After a row of another hypothesis.
        let before = numbers(outputs, 4);
        let of = |in_halves: bool, few: usize, bound: &mut Bound| {
            let by_rows = Weights::by_rows(&weights, outputs);
            let shape = [inputs, outputs];
            let matrix = GpuMatrix::new(&gpu, shape, by_rows, Some(&bias), in_halves);
            let input = gpu.filled(&x);
            let y = gpu.room((rows + 1) * outputs);
            gpu.write(&y, &before);
            let mut run = Run::new(&gpu, bound);
            run.few = few;
            let activation = Some(Activation::Relu);
            run.product(&matrix, &input, (&y, 1), rows, activation);
            floats(numbers_of(run, &y, (rows + 1) * outputs))
        };
        for few in [0, usize::MAX] {
            for (in_halves, most) in [(false, 1e-5), (true, 4e-3)] {
                let found = of(in_halves, few, &mut bound);
                assert_eq!(found[..outputs], before);
                let positive: Vec<f32> = sums.iter().map(|sum| sum.max(0.0)).collect();
                assert_near(&found[outputs..], &positive, most);
            }
        }
    }
}

#[test]
fn a_product_is_added_to_what_stands_there() {
    let gpu = gpu();
    let (x, weights, y) = (numbers(2 * 6, 1), numbers(6 * 4, 2), numbers(2 * 4, 3));
    let matrix = GpuMatrix::new(&gpu, [6, 4], Weights::by_rows(&weights, 4), None, false);
    let sums = product(&x, &weights, &[0.0; 4], 6);
    let expected: Vec<f32> = y.iter().zip(&sums).map(|(y, sum)| y + sum).collect();
    let (x, y) = (gpu.filled(&x), gpu.filled(&y));
    let mut bound = Bound::new(&gpu);
    let mut run = Run::new(&gpu, &mut bound);
    run.add_product(&matrix, &x, &y, 2);
    assert_near(&floats(numbers_of(run, &y, 8)), &expected, 1e-5);
}

#[test]
fn activations_are_those_of_the_cpu() {
    let gpu = gpu();
    let x: Vec<f32> = (-400_i16..400).map(|x| f32::from(x) * 0.05).collect();
    let matrix = GpuMatrix::new(&gpu, [1, 1], Weights::by_rows(&[1.0], 1), None, false);
    let (input, y) = (gpu.filled(&x), gpu.room(x.len()));
    let mut bound = Bound::new(&gpu);
    for activation in [
        Activation::Relu,
        Activation::Swish,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::GeluSigmoid,
        Activation::Tanh,
        Activation::Sigmoid,
    ] {
        let mut run = Run::new(&gpu, &mut bound);
        run.product(&matrix, &input, (&y, 0), x.len(), Some(activation));
        let mut expected = x.clone();
        activation.apply(&mut expected);
        assert_near(&floats(numbers_of(run, &y, x.len())), &expected, 3e-6);
    }
}

#[test]
fn norms_are_those_of_the_cpu() {
    let gpu = gpu();
    let (rows, columns) = (3, 150);
    let (branch, y) = (numbers(rows * columns, 1), numbers(rows * columns, 2));
    let norm = RowNorm {
        gamma: numbers(columns, 3),
        beta: numbers(columns, 4),
        epsilon: 1e-5,
    };
    let parameters = gpu.filled(&[norm.gamma.clone(), norm.beta.clone()].concat());
    let mut bound = Bound::new(&gpu);
    for adds in [false, true] {
        let mut expected = if adds { y.clone() } else { vec![0.0; y.len()] };
        norm.add(&mut expected, &branch);
        let (branch, y) = (gpu.filled(&branch), gpu.filled(&y));
        let mut run = Run::new(&gpu, &mut bound);
        let parameters = (&parameters, norm.epsilon);
        run.norm(parameters, &branch, (&y, adds), [rows, columns]);
        assert_near(
            &floats(numbers_of(run, &y, rows * columns)),
            &expected,
            1e-5,
        );
    }
}

/// Attention of a query to these rows of keys and values, head by head.
fn expected_rows(query: &[f32], memory: &[f32], rows: &[u32], num_heads: usize) -> Vec<f32> {
    let (columns, width) = (query.len(), query.len() / num_heads);
    let head = |head: usize| {
        let q = &query[head * width..][..width];
        let part = |row: &u32, first: usize| {
            &memory[*row as usize * 2 * columns + first + head * width..][..width]
        };
        let score = |row: &u32| {
            let terms = q.iter().zip(part(row, 0)).map(|(q, k)| q * k);
            let scale = (width as f32).sqrt();
            (terms.sum::<f32>() / scale).exp()
        };
        let weights: Vec<f32> = rows.iter().map(score).collect();
        let total: f32 = weights.iter().sum();
        let column = move |column: usize| {
            let terms = weights.iter().zip(rows);
            terms
                .map(|(weight, row)| weight * part(row, columns)[column])
                .sum::<f32>()
                / total
        };
        (0..width).map(column).collect::<Vec<f32>>()
    };
    (0..num_heads).flat_map(head).collect()
}

#[test]
fn attention_reads_the_rows_that_are_named() {
    let gpu = gpu();
    let (columns, num_heads) = (2 * 70, 2);
    let (queries, memory) = (numbers(3 * columns, 1), numbers(200 * 2 * columns, 2));
    // More keys than a group has threads, one key, none.
    let spans: [(u32, u32); 3] = [(3, 150), (199, 1), (7, 0)];
    let listed: Vec<u32> = (0..151).map(|row| row * 37 % 200).collect();
    let lists: [(u32, u32); 3] = [(12, 150), (12 + 150, 1), (12, 0)];
    let flat = |spans: [(u32, u32); 3]| spans.map(|(first, count)| [first, count]).concat();
    let places = [flat(spans), flat(lists), listed.clone()].concat();
    let (on_gpu, read, places) = (
        gpu.filled(&queries),
        gpu.filled(&memory),
        gpu.filled(&places),
    );
    let y = gpu.room(3 * columns);
    let mut bound = Bound::new(&gpu);
    for (keys, named) in [
        (
            Keys::Rows { first: 0 },
            spans.map(|(first, count)| (first..first + count).collect::<Vec<u32>>()),
        ),
        (
            Keys::Listed { first: 6 },
            [listed[..150].to_vec(), listed[150..].to_vec(), vec![]],
        ),
    ] {
        let mut run = Run::new(&gpu, &mut bound);
        let attended = Attended {
            queries: &on_gpu,
            memory: &read,
            places: &places,
            keys,
            num_heads,
            columns,
        };
        run.attend(attended, &y, 3);
        let found = floats(numbers_of(run, &y, 3 * columns));
        for (row, rows) in named.iter().enumerate() {
            let query = &queries[row * columns..][..columns];
            let expected = if rows.is_empty() {
                vec![0.0; columns]
            } else {
                expected_rows(query, &memory, rows, num_heads)
            };
            assert_near(&found[row * columns..][..columns], &expected, 1e-5);
        }
    }
}

#[test]
fn the_top_scores_come_with_the_lowest_ids_first() {
    let gpu = gpu();
    let vocab = 700;
    // Equal scores, impossible ones, and others.
    let equal: Vec<f32> = (0..700_u16).map(|id| f32::from(id * 7 % 5)).collect();
    let mut impossible = vec![f32::NEG_INFINITY; vocab];
    (impossible[1], impossible[600]) = (0.5, 0.25);
    let scores = [equal, impossible, numbers(vocab, 3)].concat();
    let on_gpu = gpu.filled(&scores);
    let mut bound = Bound::new(&gpu);
    for (first, top_k) in [(0, 1), (5, 8)] {
        let read = TokenSelection { first, top_k };
        let selected = gpu.room(3 * read.num_values());
        let mut run = Run::new(&gpu, &mut bound);
        run.top_k(&on_gpu, &selected, [3, vocab], read);
        let selected = numbers_of(run, &selected, 3 * read.num_values());
        let mut found = StepScores::default();
        read.unpack(&selected, &mut found, f32::from_bits, Some);
        let columns = found.columns.clone().expect("a part of them");
        for (row, scores) in scores.chunks(vocab).enumerate() {
            let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
            assert!((f64::from(found.normalisers[row]) - sum.ln()).abs() < 1e-5);
            let mut ids: Vec<u32> = (0..).take(vocab).skip(first).collect();
            ids.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
            ids.truncate(top_k);
            assert_eq!(columns.others_of(row, 3), ids);
            let all = (0..)
                .take(first)
                .chain(ids)
                .map(|id: u32| scores[id as usize]);
            let values = &found.values[row * (first + top_k)..][..first + top_k];
            assert!(all.eq(values.iter().copied()));
        }
    }
}

#[test]
fn labels_and_tokens_that_followed_states_have_their_scores() {
    let gpu = gpu();
    let (rows, vocab, d_model, states) = (3, 300, 12, 40);
    let scores = numbers(rows * vocab, 1);
    let labels = [7_u32, 299, 0];
    let mut bound = Bound::new(&gpu);
    let (on_gpu, ids, y) = (gpu.filled(&scores), gpu.filled(&labels), gpu.room(rows));
    let mut run = Run::new(&gpu, &mut bound);
    run.log_probs_of((&on_gpu, &ids), &y, [rows, vocab]);
    let found = floats(numbers_of(run, &y, rows));
    for ((scores, label), found) in scores.chunks(vocab).zip(labels).zip(found) {
        let sum: f32 = scores.iter().map(|score| score.exp()).sum();
        assert!((scores[label as usize] - sum.ln() - found).abs() < 1e-5);
    }
    let (keys, queries) = (numbers(states * d_model, 2), numbers(rows * d_model, 3));
    let square = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>();
    let squares: Vec<f32> = keys.chunks(d_model).map(square).collect();
    let next: Vec<u32> = (0..40).map(|state| state * 7 % 300).collect();
    let gpu_keys = GpuKeys::new(&gpu, &keys, &squares, &next);
    let (x, near, selected, theirs) = (
        gpu.filled(&queries),
        gpu.room(rows * states),
        gpu.room(rows * 7),
        gpu.room(rows * 3),
    );
    let mut run = Run::new(&gpu, &mut bound);
    run.nearness(&gpu_keys, &x, &near, rows);
    let nearest = TokenSelection { first: 0, top_k: 3 };
    run.top_k(&near, &selected, [rows, states], nearest);
    run.gather(&gpu_keys, (&on_gpu, &selected), &theirs, [rows, vocab, 3]);
    let [selected, theirs] = run.read([(&selected, rows * 7), (&theirs, rows * 3)]);
    let selected = selected.chunks(7).zip(queries.chunks(d_model));
    for (((selected, query), theirs), scores) in
        selected.zip(theirs.chunks(3)).zip(scores.chunks(vocab))
    {
        let distance = |state: u32| {
            let key = &keys[state as usize * d_model..][..d_model];
            let apart = key.iter().zip(query).map(|(a, b)| (a - b) * (a - b));
            apart.sum::<f32>()
        };
        let mut order: Vec<u32> = (0..40).collect();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        assert_eq!(selected[4..], order[..3]);
        for ((&state, &near), &theirs) in selected[4..].iter().zip(&selected[1..]).zip(theirs) {
            let found = square(query) - 2.0 * f32::from_bits(near);
            assert!((found - distance(state)).abs() < 1e-4);
            let score = scores[next[state as usize] as usize];
            assert_eq!(theirs, score.to_bits());
        }
    }
}

/// Weights of every form, and what they are as floats.
fn block_forms(count: usize) -> Vec<(BlockNumbers, Vec<f32>)> {
    let integer = |place: usize, most: u32| {
        let place = u32::try_from(place).expect("few numbers");
        (place.wrapping_mul(2_654_435_761) >> 7) & most
    };
    let group = 16;
    let scales: Vec<[f32; 2]> = numbers(count / group * 2, 5)
        .chunks(2)
        .map(|pair| [pair[0] / 8.0, pair[1]])
        .collect();
    let grouped = |bits: u32| {
        let most = (1 << bits) - 1;
        let per_word = (32 / bits) as usize;
        let word = |word: usize| {
            let places = (0..per_word).rev();
            places.fold(0, |all, place| {
                all << bits | integer(word * per_word + place, most)
            })
        };
        let values = (0..count).map(|place| {
            let [scale, minimum] = scales[place / group];
            scale * integer(place, most) as f32 + minimum
        });
        let grouped = Grouped {
            words: (0..count / per_word).map(word).collect(),
            scales: scales.clone(),
            group,
        };
        (grouped, values.collect::<Vec<f32>>())
    };
    let floats = numbers(count, 6);
    let halves: Vec<half::f16> = floats.iter().map(|it| half::f16::from_f32(*it)).collect();
    let uppers: Vec<half::bf16> = floats.iter().map(|it| half::bf16::from_f32(*it)).collect();
    let half_words = halves
        .chunks(2)
        .map(|pair| u32::from(pair[0].to_bits()) | u32::from(pair[1].to_bits()) << 16);
    let upper_words = uppers
        .chunks(2)
        .map(|pair| u32::from(pair[0].to_bits()) | u32::from(pair[1].to_bits()) << 16);
    let ((nibbles, of_nibbles), (bytes, of_bytes)) = (grouped(4), grouped(8));
    vec![
        (BlockNumbers::Nibbles(nibbles), of_nibbles),
        (BlockNumbers::Bytes(bytes), of_bytes),
        (
            BlockNumbers::Halves(half_words.collect()),
            halves.iter().map(|it| it.to_f32()).collect(),
        ),
        (
            BlockNumbers::UpperHalves(upper_words.collect()),
            uppers.iter().map(|it| it.to_f32()).collect(),
        ),
        (
            BlockNumbers::Floats(floats.iter().map(|it| it.to_bits()).collect()),
            floats,
        ),
    ]
}

#[test]
fn products_with_blocks_are_those_of_64_bits() {
    let gpu = gpu();
    let mut bound = Bound::new(&gpu);
    for [rows, inputs, outputs] in [[1, 16, 3], [8, 96, 64], [9, 48, 65], [130, 80, 100]] {
        for (weights, values) in block_forms(inputs * outputs) {
            // Rows of x before the first one are none of the product's.
            let (x, bias) = (numbers((rows + 2) * inputs, 1), numbers(outputs, 3));
            let y = numbers(rows * outputs, 4);
            let mut by_columns = vec![0.0; values.len()];
            for (place, value) in values.iter().enumerate() {
                by_columns[place % inputs * outputs + place / inputs] = *value;
            }
            let sums = product(&x[2 * inputs..], &by_columns, &bias, inputs);
            let largest = sums.iter().fold(1.0_f32, |most, it| most.max(it.abs()));
            let matrix = GpuBlocks::new(&gpu, [inputs, outputs], &weights, Some(&bias));
            let (input, output) = (gpu.filled(&x), gpu.filled(&y));
            let mut run = Run::new(&gpu, &mut bound);
            run.multiply_blocks(&matrix, (&input, 2), (&output, true), rows);
            let found = floats(numbers_of(run, &output, rows * outputs));
            let expected: Vec<f32> = sums.iter().zip(&y).map(|(sum, y)| sum + y).collect();
            assert_near(&found, &expected, 3e-6 * largest);
            let mut run = Run::new(&gpu, &mut bound);
            run.multiply_blocks(&matrix, (&input, 2), (&output, false), rows);
            let found = floats(numbers_of(run, &output, rows * outputs));
            assert_near(&found, &sums, 3e-6 * largest);
        }
    }
}

#[test]
fn rows_are_normalised_by_the_root_of_their_mean_square() {
    let gpu = gpu();
    let (rows, columns) = (3, 200);
    let (x, weights, y) = (
        numbers(rows * columns, 1),
        numbers(columns, 2),
        numbers(rows * columns, 3),
    );
    let row = |x: &[f32]| {
        let squares: f32 = x.iter().map(|x| x * x).sum();
        let scale = 1.0 / (squares / columns as f32 + 0.1).sqrt();
        let normed = x.iter().zip(&weights).map(|(x, weight)| x * scale * weight);
        normed.collect::<Vec<f32>>()
    };
    let normed: Vec<f32> = x.chunks(columns).flat_map(row).collect();
    let sums: Vec<f32> = normed
        .iter()
        .zip(&y)
        .map(|(normed, y)| normed + y)
        .collect();
    let (x, weights, y) = (gpu.filled(&x), gpu.filled(&weights), gpu.filled(&y));
    let mut bound = Bound::new(&gpu);
    for (adds, expected) in [(true, &sums), (false, &normed)] {
        let mut run = Run::new(&gpu, &mut bound);
        run.rms_norm((&weights, 0.1), &x, (&y, adds), [rows, columns]);
        assert_near(&floats(numbers_of(run, &y, rows * columns)), expected, 1e-5);
    }
}
