use super::*;

/// Numbers that are the same in every run, between -1 and 1.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 12345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    };
    #[expect(clippy::cast_precision_loss, reason = "random numbers")]
    let number = |bits: u32| (bits >> 8) as f32 / 8_388_608.0 - 1.0;
    (0..count).map(|_| number(next())).collect()
}

/// Random blocks with small scales.
fn blocks(kind: Kind, count: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = numbers(count * kind.bytes())
        .iter()
        .map(|it| it.to_bits().to_le_bytes()[1])
        .collect();
    let places: &[usize] = match kind {
        Kind::Q4_1 | Kind::Q5_1 | Kind::Q4_K | Kind::Q5_K => &[0, 2],
        Kind::Q2_K => &[80, 82],
        Kind::Q3_K => &[108],
        Kind::Q6_K => &[208],
        Kind::F32 | Kind::F16 | Kind::BF16 => &[],
        _ => &[0],
    };
    for block in bytes.chunks_exact_mut(kind.bytes()) {
        for place in places {
            // 0.0131 as a half float, and a little more.
            block[place + 1] = 0x22;
        }
        match kind {
            Kind::F32 => block.copy_from_slice(&(f32::from(block[0]) / 99.0 - 1.0).to_le_bytes()),
            Kind::F16 => block[1] = 0x30 | block[1] & 0x83,
            Kind::BF16 => block[1] = 0x3e | block[1] & 0x80,
            _ => {}
        }
    }
    bytes
}

const KINDS: [Kind; 13] = [
    Kind::F32,
    Kind::F16,
    Kind::BF16,
    Kind::Q4_0,
    Kind::Q4_1,
    Kind::Q5_0,
    Kind::Q5_1,
    Kind::Q8_0,
    Kind::Q2_K,
    Kind::Q3_K,
    Kind::Q4_K,
    Kind::Q5_K,
    Kind::Q6_K,
];

fn sets() -> Vec<Instructions> {
    let mut sets = vec![Instructions::Portable];
    #[cfg(target_arch = "x86_64")]
    if Instructions::here() != Instructions::Portable {
        sets.push(Instructions::Narrow);
        sets.push(Instructions::here());
    }
    #[cfg(target_arch = "aarch64")]
    sets.push(Instructions::Neon);
    sets
}

#[test]
fn products_of_blocks_are_those_of_their_numbers_with_any_instructions() {
    const COLUMNS: usize = 512;
    const OUTPUTS: usize = 7;
    let rows = 3;
    let x = numbers(rows * COLUMNS);
    for kind in KINDS {
        let weights = blocks(kind, OUTPUTS * COLUMNS / kind.numbers());
        let mut floats = vec![0.0; OUTPUTS * COLUMNS];
        kind.dequantise(&weights, &mut floats);
        for instructions in sets() {
            let inputs = Inputs::new(instructions, &x, rows, std::iter::once(kind));
            let mut output = vec![0.0; OUTPUTS * rows];
            inputs.multiply(instructions, kind, &weights, &mut output);
            for (index, product) in output.iter().enumerate() {
                let (line, row) = (index / rows, index % rows);
                let pairs = floats[line * COLUMNS..][..COLUMNS]
                    .iter()
                    .zip(&x[row * COLUMNS..][..COLUMNS]);
                let expected: f64 = pairs.clone().map(|(a, b)| f64::from(a * b)).sum();
                let size: f64 = pairs.map(|(a, b)| f64::from((a * b).powi(2))).sum();
                // Rounding x to 8 bits changes each product by about 0.4 %.
                let tolerance = 0.03 * size.sqrt() + 0.02;
                assert!(
                    (f64::from(*product) - expected).abs() < tolerance,
                    "{kind:?}, {instructions:?}: {product}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn all_instructions_compute_the_same_sums_of_integers() {
    let x = numbers(2 * 256);
    for kind in KINDS {
        let weights = blocks(kind, 5 * 256 / kind.numbers());
        let of = |instructions: Instructions| {
            let inputs = Inputs::new(instructions, &x, 2, std::iter::once(kind));
            let mut output = vec![0.0; 10];
            inputs.multiply(instructions, kind, &weights, &mut output);
            output
        };
        let expected = of(Instructions::Portable);
        for instructions in sets() {
            for (one, other) in of(instructions).iter().zip(&expected) {
                let tolerance = 1e-5 * (1.0 + other.abs() * 10.0);
                assert!(
                    (one - other).abs() < tolerance,
                    "{kind:?}, {instructions:?}: {one}, {other}"
                );
            }
        }
    }
}

/// The largest integers of a kind that needs 8 bits: sums of a few products exceed 16 bits.
#[test]
fn the_largest_integers_are_multiplied_exactly() {
    const COLUMNS: usize = 256;
    let block = |integer: i8| {
        let [low, high] = crate::blocks::f32_to_f16(1.0).to_le_bytes();
        let mut block = [integer.cast_unsigned(); 34];
        block[..2].copy_from_slice(&[low, high]);
        block
    };
    let integers = [-128_i8, 127];
    let weights = integers.map(|it| block(it).repeat(COLUMNS / 32)).concat();
    for x in [127.0, -127.0] {
        for (instructions, rows) in sets().into_iter().flat_map(|it| [(it, 1), (it, 5)]) {
            let numbers = vec![x; rows * COLUMNS];
            let kinds = std::iter::once(Kind::Q8_0);
            let inputs = Inputs::new(instructions, &numbers, rows, kinds);
            let mut output = vec![0.0; 2 * rows];
            inputs.multiply(instructions, Kind::Q8_0, &weights, &mut output);
            let expected = integers.map(|it| vec![f32::from(it) * x * 256.0; rows]);
            assert_eq!(output, expected.concat(), "{instructions:?}, {rows} rows");
        }
    }
}

#[test]
fn attention_to_one_position_is_its_value_and_equal_keys_share() {
    let heads = Heads {
        d_head: 12,
        scale: 0.3,
        cap: Some(5.0),
    };
    let query = numbers(24);
    let halves = |numbers: &[f32]| -> Vec<u16> {
        let half = |it: &f32| crate::blocks::f32_to_f16(*it);
        numbers.iter().map(half).collect()
    };
    let (key, values) = (halves(&numbers(12)), halves(&numbers(24)));
    let value = |index: usize| crate::blocks::f16_to_f32(values[index]);
    for instructions in sets() {
        let mut output = vec![1.0; 24];
        let weights = with_instructions!(
            instructions,
            attend(
                &heads,
                &query,
                [Stored::Halves(&[]), Stored::Halves(&key)],
                [Stored::Halves(&[]), Stored::Halves(&values[..12])],
                &[],
                &mut output
            )
        );
        assert_eq!(weights, [1.0; 2]);
        assert!((output[3] - value(3)).abs() < 1e-6);
        let keys = [key.clone(), key.clone()].concat();
        let weights = with_instructions!(
            instructions,
            attend(
                &heads,
                &query,
                [Stored::Halves(&key), Stored::Halves(&key)],
                [Stored::Halves(&values[..12]), Stored::Halves(&values[12..])],
                &[],
                &mut output
            )
        );
        assert!(weights.iter().all(|weight| (weight - 0.5).abs() < 1e-6));
        let (mut other, biases) = (vec![1.0; 24], [0.0, 1e9, 1e9, 0.0]);
        let weights = with_instructions!(
            instructions,
            attend(
                &heads,
                &query,
                [Stored::Halves(&[]), Stored::Halves(&keys)],
                [Stored::Halves(&[]), Stored::Halves(&values)],
                &biases,
                &mut other
            )
        );
        for (weight, expected) in weights.iter().zip([0.0, 1.0, 1.0, 0.0]) {
            assert!((weight - expected).abs() < 1e-6, "{weights:?}");
        }
        let mean = f32::midpoint(value(5), value(17));
        assert!((output[5] - mean).abs() < 1e-6 && (output[17] - mean).abs() < 1e-6);
        // Numbers of 32 bits that are half floats differ by what queries and weights are rounded to.
        let floats = |halves: &[u16]| -> Vec<f32> {
            let float = |it: &u16| crate::blocks::f16_to_f32(*it);
            halves.iter().map(float).collect()
        };
        let (keys, values) = (floats(&keys), floats(&values));
        let mut other = vec![1.0; 24];
        let weights = with_instructions!(
            instructions,
            attend(
                &heads,
                &query,
                [Stored::Floats(&[]), Stored::Floats(&keys)],
                [Stored::Floats(&[]), Stored::Floats(&values)],
                &[],
                &mut other
            )
        );
        assert!(weights.iter().all(|weight| (weight - 0.5).abs() < 1e-6));
        for (one, other) in output.iter().zip(&other) {
            assert!((one - other).abs() < 1e-3, "{one}, {other}");
        }
    }
}

#[test]
fn the_logarithm_of_a_sum_of_powers_is_that_of_its_definition() {
    let x: Vec<f32> = numbers(100_003).iter().map(|it| it * 40.0).collect();
    let expected = x.iter().map(|it| f64::from(*it).exp()).sum::<f64>().ln();
    for instructions in sets() {
        let sum = with_instructions!(instructions, log_sum_exp(&x));
        assert!((f64::from(sum) - expected).abs() < 1e-4, "{instructions:?}");
    }
}

#[test]
fn gates_are_those_of_their_definitions() {
    /// Argument and value of GELU are half floats, as in llama.cpp.
    const HALF: f32 = 1.0 / 1024.0;
    let x: Vec<f32> = numbers(50).iter().map(|it| it * 30.0).collect();
    for instructions in sets() {
        let mut gates = x.clone();
        with_instructions!(instructions, gate(Gate::Silu, &mut gates, &[2.0; 50]));
        for (gate, x) in gates.iter().zip(&x) {
            let expected = 2.0 * x / (1.0 + (-x).exp());
            assert!(
                (gate - expected).abs() < 1e-5 * (1.0 + x.abs()),
                "{x}: {gate}, {expected}"
            );
        }
        for (function, tolerance) in [(Gate::Gelu, 1e-5), (Gate::RoundedGelu, HALF)] {
            let mut gates = x.clone();
            with_instructions!(instructions, gate(function, &mut gates, &[1.0; 50]));
            for (gate, x) in gates.iter().zip(&x) {
                let tanh = (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh();
                let expected = x * f32::midpoint(1.0, tanh);
                assert!(
                    (gate - expected).abs() < tolerance * (1.0 + x.abs()),
                    "{function:?}, {x}: {gate}, {expected}"
                );
            }
        }
    }
}
