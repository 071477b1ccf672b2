//! The inner loops, compiled once for each set of vector instructions.
//!
//! `loops!` writes the same functions around the few primitives of a module: sums of eight lanes, products of 32 bytes.

/// Functions around the primitives `Lanes`, `add_block`, `add_products`, `total`, `halves` and `fused` of a module.
macro_rules! loops {
    ($($features:literal)?) => {
        use crate::blocks::{Blocks, Kind, f16_to_f32, f32_to_f16, unpack_floats};
        use crate::product::activations::{Form, Quantised};
        use crate::product::{Gate, Heads};

        /// Rows of weights that are unpacked and multiplied together.
        const ROWS: usize = 4;

        /// Multiplies rows of blocks with rows of integers.
        ///
        /// # Shapes
        /// - weights: rows of blocks of `x.columns` numbers
        /// - output: `[rows of weights, rows of x]`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn tile<B: Blocks>(weights: &[u8], x: &Quantised, rows: usize, output: &mut [f32]) {
            let (columns, groups) = (x.columns, x.columns / B::GROUP);
            let mut quants = vec![0; ROWS * columns];
            let mut scales = vec![0.0; ROWS * groups];
            let mut minima = vec![0.0; ROWS * groups];
            let row_bytes = columns / B::NUMBERS * B::BYTES;
            for (weights, output) in weights.chunks(ROWS * row_bytes).zip(output.chunks_mut(ROWS * rows)) {
                let blocks = weights.chunks_exact(B::BYTES);
                let of_block = B::NUMBERS / B::GROUP;
                let groups_of = scales.chunks_exact_mut(of_block).zip(minima.chunks_exact_mut(of_block));
                for ((block, quants), (scales, minima)) in blocks.zip(quants.chunks_exact_mut(B::NUMBERS)).zip(groups_of) {
                    B::unpack(block, quants, scales, minima);
                }
                if B::ZERO != 0 {
                    for (minimum, scale) in minima.iter_mut().zip(&scales) {
                        *minimum = -f32::from(B::ZERO) * scale;
                    }
                }
                for row in 0..rows {
                    let sums = four_rows::<B>(&quants, &scales, &minima, x.row(row));
                    for (line, sum) in output.chunks_exact_mut(rows).zip(sums) {
                        line[row] = sum;
                    }
                }
            }
        }

        /// Products of four rows of weights with one of integers.
        $(#[target_feature(enable = $features)])?
        #[inline]
        fn four_rows<B: Blocks>(quants: &[u8], scales: &[f32], minima: &[f32], x: (&[i8], &[f32], &[f32])) -> [f32; ROWS] {
            let (bytes, x_scales, x_sums) = (x.0.as_chunks::<32>().0, x.1, x.2);
            let blocks = bytes.len();
            let parts = 32 / B::GROUP;
            let quants = quants.as_chunks::<32>().0;
            let rows: [&[[u8; 32]]; ROWS] = std::array::from_fn(|row| &quants[row * blocks..][..blocks]);
            let scales: [&[f32]; ROWS] = std::array::from_fn(|row| &scales[row * blocks * parts..][..blocks * parts]);
            let x_scales = &x_scales[..blocks];
            let mut sums = [zero(); ROWS];
            for block in 0..blocks {
                for row in 0..ROWS {
                    let first = scales[row][block * parts];
                    let second = if parts == 2 { scales[row][block * parts + 1] } else { first };
                    add_block::<B>(&mut sums[row], &rows[row][block], &bytes[block], x_scales[block], [first, second]);
                }
            }
            std::array::from_fn(|row| {
                let minima = &minima[row * x_sums.len()..][..x_sums.len()];
                total(sums[row]) + dot(minima, x_sums)
            })
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
                    /// `√(2/π)`
                    const FACTOR: f32 = 0.797_884_6;
                    for (gate, value) in gates.iter_mut().zip(values) {
                        // (1 + tanh y) / 2 = 1 / (1 + e^(-2y))
                        let y = FACTOR * *gate * fused(0.044_715 * *gate, *gate, 1.0);
                        *gate = *gate / (1.0 + exp(-2.0 * y)) * value;
                    }
                }
            }
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

        /// Attention of the queries that share a head of keys and values to all of its positions.
        ///
        /// # Shapes
        /// - queries, output: `[queries, d_head]`
        /// - keys, values: half floats `[positions, d_head]`
        $(#[target_feature(enable = $features)])?
        pub(in crate::product) fn attend(heads: &Heads, queries: &[f32], keys: &[u16], values: &[u16], output: &mut [f32]) {
            let d_head = heads.d_head;
            let positions = keys.len() / d_head;
            let mut row = vec![0.0; d_head];
            let mut scores = vec![0.0; queries.len() / d_head * positions];
            for (position, key) in keys.chunks_exact(d_head).enumerate() {
                unpack_halves(key, &mut row);
                for (query, scores) in queries.chunks_exact(d_head).zip(scores.chunks_exact_mut(positions)) {
                    scores[position] = dot(query, &row) * heads.scale;
                }
            }
            for scores in scores.chunks_exact_mut(positions) {
                if let Some(cap) = heads.cap {
                    for score in scores.iter_mut() {
                        *score = cap * (*score / cap).tanh();
                    }
                }
                let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                for score in scores.iter_mut() {
                    *score = exp(*score - largest);
                }
                let sum: f32 = scores.iter().sum();
                for score in scores.iter_mut() {
                    *score /= sum;
                }
            }
            output.fill(0.0);
            for (position, value) in values.chunks_exact(d_head).enumerate() {
                unpack_halves(value, &mut row);
                for (output, scores) in output.chunks_exact_mut(d_head).zip(scores.chunks_exact(positions)) {
                    let weight = scores[position];
                    for (output, value) in output.iter_mut().zip(&row) {
                        *output = fused(weight, *value, *output);
                    }
                }
            }
        }

        $(#[target_feature(enable = $features)])?
        #[inline]
        fn unpack_halves(halves_of: &[u16], numbers: &mut [f32]) {
            let ((eights, rest), (targets, targets_rest)) = (halves_of.as_chunks::<8>(), numbers.as_chunks_mut::<8>());
            for (eight, target) in eights.iter().zip(targets) {
                *target = halves(eight);
            }
            for (half, target) in rest.iter().zip(targets_rest) {
                *target = f16_to_f32(*half);
            }
        }
    };
}
pub(super) use loops;
