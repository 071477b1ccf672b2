//! Blocks of 256 numbers, whose groups have scales (and minima) of 4 to 8 bits.

use super::{Blocks, half};

pub(crate) struct Q2K;

impl Blocks for Q2K {
    const BYTES: usize = 84;
    const NUMBERS: usize = 256;
    const GROUP: usize = 16;
    const ZERO: u8 = 0;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        two_bits(&block[16..80], quants);
    }

    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        let (scale, minimum) = (half(block, 80), half(block, 82));
        for group in 0..16 {
            scales[group] = scale * f32::from(block[group] & 15);
            minima[group] = -(minimum * f32::from(block[group] >> 4));
        }
    }
}

/// 64 bytes: of each 32 the lowest two bits of each, then the next two, and so on.
#[inline(always)]
fn two_bits(bytes: &[u8], quants: &mut [u8]) {
    for (bytes, quants) in bytes.chunks_exact(32).zip(quants.chunks_exact_mut(128)) {
        let quants = quants.as_chunks_mut::<32>().0;
        shifted::<0>(bytes, &mut quants[0]);
        shifted::<2>(bytes, &mut quants[1]);
        shifted::<4>(bytes, &mut quants[2]);
        shifted::<6>(bytes, &mut quants[3]);
    }
}

/// Two bits of each byte.
#[inline(always)]
fn shifted<const BITS: u32>(bytes: &[u8], quants: &mut [u8; 32]) {
    for (byte, quant) in bytes.iter().zip(quants) {
        *quant = byte >> BITS & 3;
    }
}

pub(crate) struct Q3K;

impl Blocks for Q3K {
    const BYTES: usize = 110;
    const NUMBERS: usize = 256;
    const GROUP: usize = 16;
    const ZERO: u8 = 4;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        two_bits(&block[32..96], quants);
        for (part, quants) in quants.chunks_exact_mut(32).enumerate() {
            for (byte, quant) in block[..32].iter().zip(quants) {
                *quant |= (byte >> part & 1) << 2;
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        let (packed, scale) = (&block[96..108], half(block, 108));
        for group in 0..16 {
            let low = packed[group % 8] >> (4 * (group / 8)) & 15;
            let high = packed[8 + group % 4] >> (2 * (group / 4)) & 3;
            scales[group] = scale * (f32::from(low | high << 4) - 32.0);
            minima[group] = 0.0;
        }
    }
}

/// Scales and minima of 6 bits for 8 groups in 12 bytes.
#[inline(always)]
fn scales_of_six_bits(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
    let (scale, minimum, packed) = (half(block, 0), half(block, 2), &block[4..16]);
    for group in 0..4 {
        let (first, second, rest) = (packed[group], packed[4 + group], packed[8 + group]);
        scales[group] = scale * f32::from(first & 63);
        minima[group] = -(minimum * f32::from(second & 63));
        scales[4 + group] = scale * f32::from(rest & 15 | first >> 2 & 0x30);
        minima[4 + group] = -(minimum * f32::from(rest >> 4 | second >> 2 & 0x30));
    }
}

/// 128 bytes: of each 32 the lower halves, then the upper ones.
#[inline(always)]
fn four_bits(bytes: &[u8], quants: &mut [u8]) {
    for (bytes, quants) in bytes.chunks_exact(32).zip(quants.chunks_exact_mut(64)) {
        let (low, high) = quants.split_at_mut(32);
        for ((byte, low), high) in bytes.iter().zip(low).zip(high) {
            *low = byte & 15;
            *high = byte >> 4;
        }
    }
}

pub(crate) struct Q4K;

impl Blocks for Q4K {
    const BYTES: usize = 144;
    const NUMBERS: usize = 256;
    const GROUP: usize = 32;
    const ZERO: u8 = 0;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        four_bits(&block[16..144], quants);
    }

    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        scales_of_six_bits(block, scales, minima);
    }
}

pub(crate) struct Q5K;

impl Blocks for Q5K {
    const BYTES: usize = 176;
    const NUMBERS: usize = 256;
    const GROUP: usize = 32;
    const ZERO: u8 = 0;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        four_bits(&block[48..176], quants);
        for (part, quants) in quants.chunks_exact_mut(32).enumerate() {
            for (byte, quant) in block[16..48].iter().zip(quants) {
                *quant |= (byte >> part & 1) << 4;
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        scales_of_six_bits(block, scales, minima);
    }
}

pub(crate) struct Q6K;

impl Blocks for Q6K {
    const BYTES: usize = 210;
    const NUMBERS: usize = 256;
    const GROUP: usize = 16;
    const ZERO: u8 = 32;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        for (part, quants) in quants.as_chunks_mut::<128>().0.iter_mut().enumerate() {
            let low = block[64 * part..].as_chunks::<32>().0;
            let high = &block[128 + 32 * part..][..32];
            let quants = quants.as_chunks_mut::<32>().0;
            six_bits::<0, 0>(&low[0], high, &mut quants[0]);
            six_bits::<0, 2>(&low[1], high, &mut quants[1]);
            six_bits::<4, 4>(&low[0], high, &mut quants[2]);
            six_bits::<4, 6>(&low[1], high, &mut quants[3]);
        }
    }

    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        let scale = half(block, 208);
        for group in 0..16 {
            scales[group] = scale * f32::from(block[192 + group].cast_signed());
            minima[group] = 0.0;
        }
    }
}

/// Four bits of each of the lower bytes from `LOW` on, two of the upper ones from `HIGH` on.
#[inline(always)]
fn six_bits<const LOW: u32, const HIGH: u32>(low: &[u8; 32], high: &[u8], quants: &mut [u8; 32]) {
    for ((low, high), quant) in low.iter().zip(high).zip(quants) {
        *quant = low >> LOW & 15 | (high >> HIGH & 3) << 4;
    }
}
