//! Running means in 8 bits each.
//!
//! Dettmers et al., "8-bit Optimizers via Block-wise Quantization", ICLR 2022: every block of 256 numbers has its largest
//! magnitude beside it (§2.1), and the others are shares of it by a dynamic code (§1.3): so many decimal places below 1, and
//! within a place as many steps as the bits that are left can count. Two things are done as Li et al., "Memory Efficient
//! Optimizers with 4-bit States", NeurIPS 2023, found them needed: a mean of squares is never coded as 0 (§4.1), and codes
//! are rounded up or down by chance, since a mean that changes by less than half a step would stand still.

use burn::tensor::{DType, Device, Int, IntDType, Tensor, TensorData};
use rayon::prelude::*;

use crate::cpu::{self, Matrix, Words};

/// Numbers that share a scale.
pub(super) const BLOCK: usize = 256;

/// Numbers in an integer of 32 bits.
const IN_A_WORD: usize = 4;

const WORDS: usize = BLOCK / IN_A_WORD;

const TENTHS: [f32; 7] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// Running means of `count` numbers, the last block filled up with zeros.
#[derive(Debug, Clone)]
pub struct Coded {
    /// `[blocks × 64]`, four codes in each, the first one lowest.
    words: Tensor<1, Int>,
    /// `[blocks]`: the largest magnitude of each.
    scales: Tensor<1>,
    code: Code,
    count: usize,
}

/// What the 256 codes mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// A sign and seven decimal places.
    Signed,
    /// Eight decimal places of what is not below 0.
    Positive,
}

impl Code {
    fn places(self) -> usize {
        match self {
            Self::Signed => 7,
            Self::Positive => 8,
        }
    }

    /// The largest code of a magnitude, that of 1.
    fn top(self) -> u8 {
        u8::MAX >> (8 - self.places())
    }

    /// The smallest code of a magnitude.
    fn bottom(self) -> u8 {
        match self {
            Self::Signed => 0,
            Self::Positive => 1,
        }
    }

    /// Places of magnitudes of at most 1 among the codes, not rounded. In the place below `10^-d` there are half as many
    /// steps as in the one above.
    #[inline(always)]
    fn place(self, magnitude: f32) -> f32 {
        let (mut tens, mut steps) = (1.0, self.most_steps());
        for &tenth in &TENTHS[..self.places() - 1] {
            let is_below = magnitude <= tenth;
            tens = if is_below { tens * 10.0 } else { tens };
            steps = if is_below { steps * 0.5 } else { steps };
        }
        steps - 1.0 + ((magnitude * tens - 0.1) / 0.9 * steps).max(0.0)
    }

    /// Of the highest place.
    fn most_steps(self) -> f32 {
        f32::from(self.top() / 2 + 1)
    }

    /// The code of a number that is divided by its scale; `chance` in `[0, 1)` rounds, 0.5 to the nearest.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 255"
    )]
    fn of(self, number: f32, chance: f32) -> u8 {
        let place = self.place(number.abs()) + chance;
        let code = (place as i32 as u8).clamp(self.bottom(), self.top());
        code | u8::from(self == Self::Signed && number < 0.0) << 7
    }

    /// `[256]`: the numbers of the codes.
    fn numbers(self) -> [f32; 256] {
        let magnitude = |code: u8| {
            if code == 0 {
                return 0.0;
            }
            let place = code.ilog2();
            let steps = 1_u16 << place;
            let share = f32::from(u16::from(code) + 1 - steps) / f32::from(steps);
            let below = self.places() - 1 - place as usize;
            (0.1 + 0.9 * share) * if below == 0 { 1.0 } else { TENTHS[below - 1] }
        };
        std::array::from_fn(|code| {
            let code = u8::try_from(code).expect("of 256");
            match self {
                Self::Signed if code > 127 => -magnitude(code - 128),
                Self::Signed | Self::Positive => magnitude(code),
            }
        })
    }
}

/// `[256]`: what rounds the numbers of a block after update `step`. Over the updates each number has its chances evenly (a
/// Weyl sequence), the same ones in every run.
fn chances(step: i32) -> [f32; BLOCK] {
    const BY_NUMBER: f64 = 0.618_033_988_749_895;
    const BY_STEP: f64 = 0.754_877_666_246_693;
    std::array::from_fn(|number| {
        let number = u16::try_from(number).expect("of 256");
        let chance = f64::from(number) * BY_NUMBER + f64::from(step) * BY_STEP;
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let chance = chance.fract() as f32;
        chance.min(1.0 - f32::EPSILON)
    })
}

impl Coded {
    /// Codes of `[numbers]`, each to the nearest: exact for numbers that were coded before.
    pub(super) fn nearest(numbers: &[f32], code: Code, device: &Device) -> Self {
        let (mut words, mut scales) = (Vec::new(), Vec::new());
        for block in numbers.chunks(BLOCK) {
            let mut whole = [0.0; BLOCK];
            whole[..block.len()].copy_from_slice(block);
            let mut coded = [0; WORDS];
            scales.push(encode(&whole, code, &[0.5; BLOCK], &mut coded));
            words.extend(coded);
        }
        Self {
            words: words_on(words, device),
            scales: Tensor::from_floats(scales.as_slice(), device),
            code,
            count: numbers.len(),
        }
    }

    /// `[count]`
    pub(super) fn numbers(&self) -> Tensor<1> {
        let blocks = self.scales.dims()[0];
        let device = self.scales.device();
        let words = self.words.clone().reshape([blocks * WORDS, 1]);
        let parts = (0..IN_A_WORD).map(|part| {
            let part = words.clone().bitwise_right_shift_scalar(shift(part));
            part.bitwise_and_scalar(255)
        });
        let codes = Tensor::cat(parts.collect(), 1).reshape([blocks * BLOCK]);
        let table = Tensor::<1>::from_floats(self.code.numbers(), &device);
        let shares = table.select(0, codes).reshape([blocks, BLOCK]);
        let numbers = shares * self.scales.clone().reshape([blocks, 1]);
        numbers.reshape([blocks * BLOCK]).slice(0..self.count)
    }

    /// `[count]` after update `step`.
    pub(super) fn encoded(numbers: Tensor<1>, code: Code, step: i32) -> Self {
        let device = numbers.device();
        let count = numbers.dims()[0];
        let blocks = count.div_ceil(BLOCK);
        let filling = Tensor::zeros([blocks * BLOCK - count], &device);
        let numbers = Tensor::cat(vec![numbers, filling], 0).reshape([blocks, BLOCK]);
        let magnitudes = numbers.clone().abs();
        let scales = magnitudes.clone().max_dim(1);
        let shares = magnitudes / scales.clone().clamp_min(f32::MIN_POSITIVE);
        let (mut tens, mut steps) = (shares.ones_like(), shares.full_like(code.most_steps()));
        for &tenth in &TENTHS[..code.places() - 1] {
            let is_below = shares.clone().lower_equal_scalar(tenth);
            tens = tens.clone().mask_where(is_below.clone(), tens * 10.0);
            steps = steps.clone().mask_where(is_below, steps * 0.5);
        }
        let within = ((shares * tens - 0.1) / 0.9 * steps.clone()).clamp_min(0.0);
        let chances = Tensor::<1>::from_floats(chances(step), &device).reshape([1, BLOCK]);
        let codes = (steps - 1.0 + within + chances).floor();
        let mut codes = codes.clamp(f32::from(code.bottom()), f32::from(code.top()));
        if code == Code::Signed {
            codes = codes
                .clone()
                .mask_where(numbers.lower_scalar(0.0), codes + 128.0);
        }
        let codes = codes
            .int()
            .cast(IntDType::I32)
            .reshape([blocks * WORDS, IN_A_WORD]);
        let words = (0..IN_A_WORD).map(|part| {
            let codes = codes.clone().slice([0..blocks * WORDS, part..part + 1]);
            codes.bitwise_left_shift_scalar(shift(part))
        });
        let words = words.reduce(Tensor::bitwise_or).expect("four parts");
        Self {
            words: words.reshape([blocks * WORDS]),
            scales: scales.reshape([blocks]),
            code,
            count,
        }
    }
}

fn shift(part: usize) -> i32 {
    i32::try_from(8 * part).expect("of four")
}

fn words_on(words: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = words.len();
    Tensor::from_data(TensorData::new(words, [len]), (device, DType::I32))
}

#[inline(always)]
fn decode(words: &[i32], scale: f32, table: &[f32; 256], numbers: &mut [f32; BLOCK]) {
    for (numbers, word) in numbers.chunks_exact_mut(IN_A_WORD).zip(words) {
        for (number, code) in numbers.iter_mut().zip(word.to_le_bytes()) {
            *number = table[usize::from(code)] * scale;
        }
    }
}

/// Gives the scale.
#[inline(always)]
fn encode(numbers: &[f32; BLOCK], code: Code, chances: &[f32; BLOCK], words: &mut [i32]) -> f32 {
    let scale = numbers.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
    let divisor = scale.max(f32::MIN_POSITIVE);
    let mut codes = [0; BLOCK];
    for ((coded, number), &chance) in codes.iter_mut().zip(numbers).zip(chances) {
        *coded = code.of(number / divisor, chance);
    }
    for (word, codes) in words.iter_mut().zip(codes.as_chunks().0) {
        *word = i32::from_le_bytes(*codes);
    }
    scale
}

/// Calls `work(first number, means, means of squares)` for every block on all cores and keeps what it makes of them.
pub(super) fn for_blocks(
    (first, second): (Coded, Coded),
    step: i32,
    values: &mut [f32],
    work: impl Fn(usize, &mut [f32], &mut [f32; BLOCK], &mut [f32; BLOCK]) + Sync,
) -> (Coded, Coded) {
    let chances = chances(step);
    let (codes, count) = ([first.code, second.code], first.count);
    let tables = codes.map(Code::numbers);
    let [mut words_1, mut words_2] = [first.words, second.words].map(cpu::words);
    let [mut largest_1, mut largest_2] = [first.scales, second.scales].map(cpu::matrix);
    let blocks = values
        .par_chunks_mut(BLOCK)
        .zip(words_1.values_mut().par_chunks_mut(WORDS))
        .zip(words_2.values_mut().par_chunks_mut(WORDS))
        .zip(largest_1.values_mut())
        .zip(largest_2.values_mut())
        .enumerate();
    blocks.with_min_len(64).for_each(|(number, parts)| {
        let ((((values, words_1), words_2), scale_1), scale_2) = parts;
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let (mut first, mut second) = ([0.0; BLOCK], [0.0; BLOCK]);
                decode(words_1, *scale_1, &tables[0], &mut first);
                decode(words_2, *scale_2, &tables[1], &mut second);
                work(number * BLOCK, values, &mut first, &mut second);
                *scale_1 = encode(&first, codes[0], &chances, words_1);
                *scale_2 = encode(&second, codes[1], &chances, words_2);
            },
        );
    });
    let whole = |words: Words, scales: Matrix, code| Coded {
        words: words.into_tensor(),
        scales: scales.into_vector(),
        code,
        count,
    };
    (
        whole(words_1, largest_1, codes[0]),
        whole(words_2, largest_2, codes[1]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [Code; 2] = [Code::Signed, Code::Positive];

    #[test]
    fn codes_ascend_from_0_to_1() {
        for code in CODES {
            let numbers = &code.numbers()[..=usize::from(code.top())];
            assert!(
                numbers.is_sorted_by(|one, other| one < other),
                "{numbers:?}"
            );
            assert!((numbers[numbers.len() - 1] - 1.0).abs() < f32::EPSILON);
            // So many bits are left for steps in the highest place.
            let highest = numbers.iter().filter(|&&number| number > 0.1).count();
            assert_eq!(highest, usize::from(code.top() / 2) + 1);
        }
        let negative = &Code::Signed.numbers()[128..];
        assert!(
            negative
                .iter()
                .zip(Code::Signed.numbers())
                .all(|(&one, other)| (one + other).abs() <= 0.0)
        );
    }

    #[test]
    fn what_was_coded_is_coded_again_without_a_change() {
        for code in CODES {
            for scale in [1.0, 3.7e-12, 2.9e5] {
                let numbers = code.numbers().map(|share| share * scale);
                let coded = Coded::nearest(&numbers, code, &Device::flex());
                let again: Vec<f32> = coded.numbers().into_data().try_into_vec().expect("floats");
                // What is never 0 is never coded so.
                let first = usize::from(code.bottom());
                assert_eq!(again[first..], numbers[first..]);
                assert!(code == Code::Signed || again[0] > 0.0);
            }
        }
    }

    /// Every number is rounded to a neighbour, and over many updates to itself.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "few updates")]
    fn chances_even_out() {
        const UPDATES: i32 = 2_000;
        for code in CODES {
            let table = code.numbers();
            let number = 0.9_f32.powi(19);
            for place in [0, 7, 255] {
                let mut sum = 0.0;
                for step in 0..UPDATES {
                    let coded = code.of(number, chances(step)[place]);
                    sum += table[usize::from(coded)];
                    let (low, high) =
                        (table[usize::from(coded) - 1], table[usize::from(coded) + 1]);
                    assert!(low < number && number < high);
                }
                let mean = sum / UPDATES as f32;
                assert!((mean / number - 1.0).abs() < 1e-3, "{mean} for {number}");
            }
        }
    }
}
