//! The inner loops, compiled once for each set of vector instructions.
//!
//! `loops!` writes the same functions around the few primitives of a module: sums of eight lanes, products of 32 bytes.

/// Functions around the primitives of a module: of eight numbers (`zero`, `add_block`, `add_products`, `added`, `total`, `halves`), of
/// as many as a panel has rows (`zeros`, `no_integers`, `add_fours`, `add_scaled`, `add_times`, `numbers_of`), and `fused`.
macro_rules! loops {
    ($($features:literal)?) => {
        use crate::blocks::{Blocks, CHUNK, Chunk, Kind, MOST_NUMBERS, f16_to_f32, f32_to_f16, unpack_floats};
        use crate::product::activations::{Form, Quantised};
        use crate::product::{Gate, Heads, Stored};

        /// Sums of a row under way.
        struct Sums {
            products: [Lanes; 4],
            minima: Lanes,
        }

        /// Adds the products of a chunk, or of the first `BLOCKS` blocks of one.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn add_chunk<B: Blocks, const BLOCKS: usize>(sums: &mut Sums, blocks: &[u8], bytes: &[[i8; 32]], x_scales: &[f32], x_sums: &[f32]) {
            let chunk = Chunk::unpacked::<B, BLOCKS>(blocks, |it| halves(it));
            let (bytes, x_scales) = (&bytes[..BLOCKS], &x_scales[..BLOCKS]);
            let parts = 32 / B::GROUP;
            let mut scales = chunk.scales;
            for (group, scale) in scales[..BLOCKS * parts].iter_mut().enumerate() {
                *scale *= x_scales[group / parts];
            }
            for block in 0..BLOCKS {
                let scales = [scales[block * parts], scales[block * parts + parts - 1]];
                add_block::<B>(&mut sums.products[block % 4], &chunk.quants[block], &bytes[block], scales);
            }
            if B::ZERO == 0 && B::NUMBERS != MOST_NUMBERS && !B::HAS_MINIMUM {
                return;
            }
            let x_sums = &x_sums[..BLOCKS * parts];
            if BLOCKS == CHUNK {
                let minima = chunk.minima.as_chunks::<8>().0;
                for (minima, x_sums) in minima.iter().zip(x_sums.as_chunks::<8>().0) {
                    add_products(&mut sums.minima, minima, x_sums);
                }
            } else {
                let mut some = [0.0; 8];
                some[..BLOCKS * parts].copy_from_slice(x_sums);
                let minima = chunk.minima.first_chunk().unwrap_or(&[0.0; 8]);
                add_products(&mut sums.minima, minima, &some);
            }
        }

        /// Multiplies rows of blocks with one row of integers.
        ///
        /// # Shapes
        /// - weights: rows of blocks of `x.columns` numbers
        /// - output: `[rows of weights]`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn line<B: Blocks>(weights: &[u8], x: &Quantised, output: &mut [f32]) {
            let (bytes, x_scales, x_sums) = x.row(0);
            let bytes = bytes.as_chunks::<32>().0;
            let parts = 32 / B::GROUP;
            let per_block = if B::NUMBERS == MOST_NUMBERS { 0 } else { B::BYTES };
            for (weights, output) in weights.chunks_exact(x.columns / B::NUMBERS * B::BYTES).zip(output) {
                let mut sums = Sums { products: [zero(); 4], minima: zero() };
                let whole = bytes.len() / CHUNK;
                let chunk_bytes = MOST_NUMBERS / B::NUMBERS * B::BYTES;
                for chunk in 0..whole {
                    let first = chunk * CHUNK;
                    let blocks = &weights[chunk * chunk_bytes..][..chunk_bytes];
                    add_chunk::<B, CHUNK>(&mut sums, blocks, &bytes[first..], &x_scales[first..], &x_sums[first * parts..]);
                }
                let mut block = whole * CHUNK;
                while block < bytes.len() {
                    let (blocks, bytes) = (&weights[block * per_block..], &bytes[block..]);
                    let (x_scales, x_sums) = (&x_scales[block..], &x_sums[block * parts..]);
                    if bytes.len() >= 2 {
                        add_chunk::<B, 2>(&mut sums, blocks, bytes, x_scales, x_sums);
                        block += 2;
                    } else {
                        add_chunk::<B, 1>(&mut sums, blocks, bytes, x_scales, x_sums);
                        block += 1;
                    }
                }
                let [a, b, c, d] = sums.products;
                *output = total(added(added(added(a, b), added(c, d)), sums.minima));
            }
        }

        /// Rows of weights side by side, each number of a vector from another row.
        struct Panel {
            /// `[blocks of 32, fours, rows, 4]`
            quants: Vec<[[[u8; 4]; PANEL]; 8]>,
            /// `[groups, rows]`
            scales: Vec<[f32; PANEL]>,
            minima: Vec<[f32; PANEL]>,
        }

        impl Panel {
            fn new(columns: usize, groups: usize) -> Self {
                Self {
                    quants: vec![[[[0; 4]; PANEL]; 8]; columns / 32],
                    scales: vec![[0.0; PANEL]; groups],
                    minima: vec![[0.0; PANEL]; groups],
                }
            }
        }

        /// Unpacks a row of weights into a column of a panel.
        $(#[target_feature(enable = $features)])?
        fn fill<B: Blocks>(panel: &mut Panel, row: usize, weights: &[u8]) {
            let mut put = |first: usize, count: usize, chunk: &Chunk| {
                for (column, quants) in panel.quants[first..first + count].iter_mut().zip(&chunk.quants) {
                    for (column, quants) in column.iter_mut().zip(quants.as_chunks::<4>().0) {
                        column[row] = *quants;
                    }
                }
                let groups = first * 32 / B::GROUP..(first + count) * 32 / B::GROUP;
                for (column, scale) in panel.scales[groups.clone()].iter_mut().zip(&chunk.scales) {
                    column[row] = *scale;
                }
                for (column, minimum) in panel.minima[groups].iter_mut().zip(&chunk.minima) {
                    column[row] = *minimum;
                }
            };
            let chunks = weights.chunks_exact(MOST_NUMBERS / B::NUMBERS * B::BYTES);
            let rest = chunks.remainder();
            let whole = chunks.len() * CHUNK;
            for (number, blocks) in chunks.enumerate() {
                put(number * CHUNK, CHUNK, &Chunk::unpacked::<B, CHUNK>(blocks, |it| halves(it)));
            }
            for (number, block) in rest.chunks_exact(B::BYTES).enumerate() {
                put(whole + number, 1, &Chunk::unpacked::<B, 1>(block, |it| halves(it)));
            }
        }

        /// Multiplies rows of blocks with rows of integers.
        ///
        /// # Shapes
        /// - weights: rows of blocks of `x.columns` numbers
        /// - output: `[rows of weights, rows of x]`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn tile<B: Blocks>(weights: &[u8], x: &Quantised, rows: usize, output: &mut [f32]) {
            /// Rows of x that are multiplied together.
            const TOGETHER: usize = 4;
            let row_bytes = x.columns / B::NUMBERS * B::BYTES;
            let mut panel = Panel::new(x.columns, x.columns / B::GROUP);
            for (weights, output) in weights.chunks(PANEL * row_bytes).zip(output.chunks_mut(PANEL * rows)) {
                for (row, weights) in weights.chunks_exact(row_bytes).enumerate() {
                    fill::<B>(&mut panel, row, weights);
                }
                let mut put = |first: usize, sums: &[[f32; PANEL]]| {
                    for (row, line) in output.chunks_exact_mut(rows).enumerate() {
                        for (place, sums) in line[first..].iter_mut().zip(sums) {
                            *place = sums[row];
                        }
                    }
                };
                let whole = rows - rows % TOGETHER;
                for first in (0..whole).step_by(TOGETHER) {
                    put(first, &columns::<B, TOGETHER>(&panel, x, first));
                }
                for row in whole..rows {
                    put(row, &columns::<B, 1>(&panel, x, row));
                }
            }
        }

        /// Products of a panel with `ROWS` rows from `first` on.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn columns<B: Blocks, const ROWS: usize>(panel: &Panel, x: &Quantised, first: usize) -> [[f32; PANEL]; ROWS] {
            let rows: [(&[i8], &[f32], &[f32]); ROWS] = std::array::from_fn(|row| x.row(first + row));
            let blocks = panel.quants.len();
            let words: [&[[[i8; 4]; 8]]; ROWS] = rows.map(|row| &row.0.as_chunks::<4>().0.as_chunks::<8>().0[..blocks]);
            let x_scales: [&[f32]; ROWS] = rows.map(|row| &row.1[..blocks]);
            let parts = 32 / B::GROUP;
            let scales = &panel.scales[..blocks * parts];
            let mut sums = [zeros(); ROWS];
            for block in 0..blocks {
                for part in 0..parts {
                    let mut integers = [no_integers(); ROWS];
                    for four in 8 / parts * part..8 / parts * (part + 1) {
                        let quants = &panel.quants[block][four];
                        for row in 0..ROWS {
                            integers[row] = add_fours(integers[row], quants, words[row][block][four], B::WIDE);
                        }
                    }
                    for row in 0..ROWS {
                        let scale = &scales[block * parts + part];
                        sums[row] = add_scaled(sums[row], integers[row], scale, x_scales[row][block]);
                    }
                }
            }
            let groups = panel.minima.len();
            let x_sums: [&[f32]; ROWS] = rows.map(|row| &row.2[..groups]);
            for (group, minima) in panel.minima.iter().enumerate() {
                for row in 0..ROWS {
                    sums[row] = add_times(sums[row], minima, x_sums[row][group]);
                }
            }
            sums.map(|sums| numbers_of(sums))
        }

        /// Sum of products of two slices of one length.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn dot(a: &[f32], b: &[f32]) -> f32 {
            let b = &b[..a.len()];
            let ((fours, rest), (other_fours, _)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
            let mut sums = [zero(); 4];
            for (a, b) in fours.iter().zip(other_fours) {
                let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
                for lane in 0..4 {
                    add_products(&mut sums[lane], &a[lane], &b[lane]);
                }
            }
            let first = a.len() - rest.len();
            let ((eights, rest), (other_eights, others)) = (a[first..].as_chunks::<8>(), b[first..].as_chunks::<8>());
            for (a, b) in eights.iter().zip(other_eights) {
                add_products(&mut sums[0], a, b);
            }
            let rest: f32 = rest.iter().zip(others).map(|(a, b)| a * b).sum();
            let sums = sums.map(|it| total(it));
            (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
        }

        /// Multiplies rows of floats of any kind with rows of floats; shapes as of [`tile`].
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn float_tile(kind: Kind, weights: &[u8], x: &[f32], columns: usize, output: &mut [f32]) {
            let rows = x.len() / columns;
            let mut numbers = vec![0.0; columns];
            for (weights, output) in weights.chunks_exact(columns * kind.bytes()).zip(output.chunks_exact_mut(rows)) {
                unpack_floats(kind, weights, &mut numbers);
                for (x, output) in x.chunks_exact(columns).zip(output) {
                    *output = dot(&numbers, x);
                }
            }
        }

        /// Rounds a row to integers.
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn quantise(form: Form, numbers: &[f32], bytes: &mut [i8], scales: &mut [f32], sums: &mut [f32]) {
            if let Form::Large { group } = form {
                let blocks = numbers.as_chunks::<256>().0.iter().zip(bytes.as_chunks_mut::<256>().0);
                let parts = scales.chunks_exact_mut(8).zip(sums.chunks_exact_mut(256 / group));
                for ((numbers, bytes), (scales, sums)) in blocks.zip(parts) {
                    let largest = numbers.iter().fold(0.0_f32, |largest, it| if it.abs() > largest.abs() { *it } else { largest });
                    let factor = if largest == 0.0 { 0.0 } else { -127.0 / largest };
                    let scale = if largest == 0.0 { 0.0 } else { 1.0 / factor };
                    round(numbers, factor, bytes);
                    scales.fill(scale);
                    for (sum, bytes) in sums.iter_mut().zip(bytes.chunks_exact(group)) {
                        *sum = scale * sum_of(bytes);
                    }
                }
                return;
            }
            let blocks = numbers.as_chunks::<32>().0.iter().zip(bytes.as_chunks_mut::<32>().0);
            for ((numbers, bytes), (scale, sum)) in blocks.zip(scales.iter_mut().zip(sums)) {
                let largest = numbers.iter().fold(0.0_f32, |largest, it| largest.max(it.abs()));
                let factor = if largest == 0.0 { 0.0 } else { 127.0 / largest };
                round(numbers, factor, bytes);
                let exact = largest / 127.0;
                *scale = f16_to_f32(f32_to_f16(exact));
                *sum = if form == Form::Summed {
                    f16_to_f32(f32_to_f16(exact * sum_of(bytes)))
                } else {
                    *scale * sum_of(bytes)
                };
            }
        }

        /// The nearest integers, ties to even, of numbers times `factor`.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn round(numbers: &[f32], factor: f32, bytes: &mut [i8]) {
            /// Adding it leaves an integer in the lowest bits.
            const SHIFT: f32 = 12_582_912.0;
            for (byte, number) in bytes.iter_mut().zip(numbers) {
                let bits = (number * factor + SHIFT).to_bits();
                #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
                let integer = bits.wrapping_sub(SHIFT.to_bits()).cast_signed().min(127) as i8;
                *byte = integer;
            }
        }

        $(#[target_feature(enable = $features)])?
        #[inline]
        #[expect(clippy::cast_precision_loss, reason = "a sum of few bytes")]
        fn sum_of(bytes: &[i8]) -> f32 {
            bytes.iter().map(|it| i32::from(*it)).sum::<i32>() as f32
        }

        /// `e^x` to seven digits, by the polynomial of Cephes (`expf.c`).
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn exp(x: f32) -> f32 {
            const SHIFT: f32 = 12_582_912.0;
            let x = x.clamp(-87.0, 88.0);
            let shifted = fused(x, std::f32::consts::LOG2_E, SHIFT);
            let whole = shifted - SHIFT;
            let rest = fused(whole, 2.121_944_4e-4, fused(whole, -0.693_359_4, x));
            let mut y = 1.987_569_1e-4;
            for factor in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
                y = fused(y, rest, factor);
            }
            let y = fused(y, rest * rest, rest) + 1.0;
            let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127);
            y * f32::from_bits(exponent << 23)
        }

        /// The nearest half float.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn rounded(number: f32) -> f32 {
            f16_to_f32(f32_to_f16(number))
        }

        /// Multiplies `gates`, put through their function, with `values`.
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn gate(function: Gate, gates: &mut [f32], values: &[f32]) {
            match function {
                Gate::Silu => {
                    for (gate, value) in gates.iter_mut().zip(values) {
                        *gate = *gate / (1.0 + exp(-*gate)) * value;
                    }
                }
                Gate::Gelu => {
                    for (gate, value) in gates.iter_mut().zip(values) {
                        *gate = gelu(*gate) * value;
                    }
                }
                Gate::RoundedGelu => {
                    for (gate, value) in gates.iter_mut().zip(values) {
                        *gate = rounded(gelu(rounded(*gate))) * value;
                    }
                }
            }
        }

        /// GELU with tanh: Hendrycks & Gimpel, "Gaussian Error Linear Units", 2016, Section 2.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn gelu(x: f32) -> f32 {
            /// `√(2/π)`
            const FACTOR: f32 = 0.797_884_6;
            // (1 + tanh y) / 2 = 1 / (1 + e^(-2y))
            let y = FACTOR * x * fused(0.044_715 * x, x, 1.0);
            x / (1.0 + exp(-2.0 * y))
        }

        /// `ln Σ e^x`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn log_sum_exp(x: &[f32]) -> f32 {
            let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let (eights, rest) = x.as_chunks::<8>();
            let mut sums = [0.0; 8];
            for eight in eights {
                for (sum, x) in sums.iter_mut().zip(eight) {
                    *sum += exp(*x - largest);
                }
            }
            let rest: f32 = rest.iter().map(|x| exp(*x - largest)).sum();
            largest + (sums.iter().sum::<f32>() + rest).ln()
        }

        /// `x / √(mean of x² + epsilon)` times `weights`.
        $(#[target_feature(enable = $features)])?
        #[expect(clippy::cast_precision_loss, reason = "a width")]
        pub(in crate::product) fn rms_norm(x: &mut [f32], weights: &[f32], epsilon: f32) {
            let scale = 1.0 / (dot(x, x) / x.len() as f32 + epsilon).sqrt();
            for (x, weight) in x.iter_mut().zip(weights) {
                *x *= scale * weight;
            }
        }

        /// Attention of the queries that share a head of keys and values to all of its positions. Beside half floats, queries and
        /// weights are rounded to such before they are multiplied, as in llama.cpp: its greedy choices cannot be met otherwise.
        ///
        /// # Shapes
        /// - queries, output: `[queries, d_head]`
        /// - keys, values: `[positions, d_head]`
        /// - weights, which are given: `[queries, positions]`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn attend(
            heads: &Heads,
            queries: &[f32],
            keys: [Stored<'_>; 2],
            values: [Stored<'_>; 2],
            biases: &[f32],
            output: &mut [f32],
        ) -> Vec<f32> {
            let d_head = heads.d_head;
            let positions = (keys[0].len() + keys[1].len()) / d_head;
            let mut row = vec![0.0; d_head];
            let rounds = matches!(keys[1], Stored::Halves(_));
            let queries: Vec<f32> = queries.iter().map(|number| if rounds { rounded(*number) } else { *number }).collect();
            let mut scores = vec![0.0; queries.len() / d_head * positions];
            for position in 0..positions {
                unpack_row(keys, position, &mut row);
                for (query, scores) in queries.chunks_exact(d_head).zip(scores.chunks_exact_mut(positions)) {
                    scores[position] = dot(query, &row) * heads.scale;
                }
            }
            for (query, scores) in scores.chunks_exact_mut(positions).enumerate() {
                if let Some(cap) = heads.cap {
                    for score in scores.iter_mut() {
                        *score = cap * (*score / cap).tanh();
                    }
                }
                for (score, bias) in scores.iter_mut().zip(biases.iter().skip(query * positions)) {
                    *score += bias;
                }
                let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                for score in scores.iter_mut() {
                    *score = exp(*score - largest);
                }
                let sum: f32 = scores.iter().sum();
                let factor = 1.0 / sum;
                for score in scores.iter_mut() {
                    *score *= factor;
                }
            }
            let weights: Vec<f32> = scores.iter().map(|score| if rounds { rounded(*score) } else { *score }).collect();
            output.fill(0.0);
            for position in 0..positions {
                unpack_row(values, position, &mut row);
                for (output, weights) in output.chunks_exact_mut(d_head).zip(weights.chunks_exact(positions)) {
                    let weight = weights[position];
                    for (output, value) in output.iter_mut().zip(&row) {
                        *output = fused(weight, *value, *output);
                    }
                }
            }
            scores
        }

        /// Writes the numbers of a position.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn unpack_row([first, second]: [Stored<'_>; 2], position: usize, row: &mut [f32]) {
            let (stored, before) = if position * row.len() < first.len() { (first, 0) } else { (second, first.len()) };
            let begin = position * row.len() - before;
            let part = begin..begin + row.len();
            match stored {
                Stored::Halves(halves) => unpack_halves(&halves[part], row),
                Stored::Floats(floats) => row.copy_from_slice(&floats[part]),
            }
        }

        $(#[target_feature(enable = $features)])?
        #[inline]
        fn unpack_halves(halves_of: &[u16], numbers: &mut [f32]) {
            let ((eights, rest), (targets, targets_rest)) = (halves_of.as_chunks::<8>(), numbers.as_chunks_mut::<8>());
            for (eight, target) in eights.iter().zip(targets) {
                *target = halves(*eight);
            }
            for (half, target) in rest.iter().zip(targets_rest) {
                *target = f16_to_f32(*half);
            }
        }
    };
}
pub(super) use loops;
