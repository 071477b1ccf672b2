//! Blocks of 32 numbers with one scale.

use super::Blocks;

/// The lower halves of 16 bytes, then the upper ones.
#[inline(always)]
fn nibbles(bytes: &[u8], quants: &mut [u8]) {
    // One loop for each half becomes one instruction.
    let (low, high) = quants[..32].split_at_mut(16);
    for (byte, low) in bytes[..16].iter().zip(low) {
        *low = byte & 15;
    }
    for (byte, high) in bytes[..16].iter().zip(high) {
        *high = byte >> 4;
    }
}

/// Adds a fifth bit to each of 32 integers.
#[inline(always)]
fn fifth_bits(bytes: &[u8], quants: &mut [u8]) {
    const EACH: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    const BITS: [[u8; 8]; 4] = [EACH; 4];
    // Each byte eight times, side by side.
    let eight = |index: usize| u64::from(bytes[index]) * 0x0101_0101_0101_0101;
    let bytes: [u8; 32] = bytemuck::cast([eight(0), eight(1), eight(2), eight(3)]);
    let quants = quants[..32].iter_mut();
    for ((quant, byte), bit) in quants.zip(&bytes).zip(BITS.as_flattened()) {
        *quant |= u8::from(byte & bit != 0) << 4;
    }
}

pub(crate) struct Q4_0;

impl Blocks for Q4_0 {
    const BYTES: usize = 18;
    const NUMBERS: usize = 32;
    const GROUP: usize = 32;
    const ZERO: u8 = 8;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        nibbles(&block[2..18], quants);
    }
}

pub(crate) struct Q4_1;

impl Blocks for Q4_1 {
    const BYTES: usize = 20;
    const NUMBERS: usize = 32;
    const GROUP: usize = 32;
    const ZERO: u8 = 0;
    const HAS_MINIMUM: bool = true;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        nibbles(&block[4..20], quants);
    }
}

pub(crate) struct Q5_0;

impl Blocks for Q5_0 {
    const BYTES: usize = 22;
    const NUMBERS: usize = 32;
    const GROUP: usize = 32;
    const ZERO: u8 = 16;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        nibbles(&block[6..22], quants);
        fifth_bits(&block[2..6], quants);
    }
}

pub(crate) struct Q5_1;

impl Blocks for Q5_1 {
    const BYTES: usize = 24;
    const NUMBERS: usize = 32;
    const GROUP: usize = 32;
    const ZERO: u8 = 0;
    const HAS_MINIMUM: bool = true;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        nibbles(&block[8..24], quants);
        fifth_bits(&block[4..8], quants);
    }
}

pub(crate) struct Q8_0;

impl Blocks for Q8_0 {
    const BYTES: usize = 34;
    const NUMBERS: usize = 32;
    const GROUP: usize = 32;
    const ZERO: u8 = 128;
    const WIDE: bool = true;

    #[inline(always)]
    fn quants(block: &[u8], quants: &mut [u8]) {
        for (quant, byte) in quants[..32].iter_mut().zip(&block[2..34]) {
            // From signed to unsigned: 128 more.
            *quant = byte ^ 0x80;
        }
    }
}
