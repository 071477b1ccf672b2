//! Rows of numbers become bytes.

use super::COLUMNS;

/// Adding it rounds to the nearest integer, which then is in the lowest bits.
const SHIFT: f32 = 12_582_912.0;

/// The byte of a number of at most 127 steps, around that of 0.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lowest byte is the number"
)]
fn byte(steps: f32, zero: u8) -> u8 {
    ((steps + SHIFT).to_bits() as u8).wrapping_add(zero)
}

/// Rounds a row to bytes around that of 0; gives what a step is to be multiplied with. What is no number makes that no
/// number.
#[inline(always)]
pub(super) fn to_bytes(x: &[f32], bytes: &mut [u8], (zero, steps): (u8, f32)) -> f32 {
    let mut largest = [0.0_f32; COLUMNS];
    // 0, unless one of the numbers is NaN: the largest ignores those.
    let mut nothing = [0.0_f32; COLUMNS];
    let (blocks, rest) = x.as_chunks::<COLUMNS>();
    for block in 0..blocks.len() {
        for lane in 0..COLUMNS {
            largest[lane] = largest[lane].max(blocks[block][lane].abs());
            nothing[lane] += blocks[block][lane] * 0.0;
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        largest[lane] = largest[lane].max(x.abs());
        nothing[lane] += x * 0.0;
    }
    let largest = largest.into_iter().fold(0.0, f32::max);
    let factor = if largest > 0.0 { steps / largest } else { 0.0 };
    let bytes = &mut bytes[..x.len()];
    for place in 0..x.len() {
        bytes[place] = byte(x[place] * factor, zero);
    }
    largest / steps + nothing.iter().sum::<f32>()
}

/// Rounds a row to bytes by a given multiplier and clamps to the largest step. The steps are known, so that the scale
/// is 1.
#[inline(always)]
pub(super) fn to_bytes_by(x: &[f32], bytes: &mut [u8], (zero, multiplier): (u8, f32)) -> f32 {
    let mut nothing = [0.0_f32; COLUMNS];
    let (blocks, rest) = x.as_chunks::<COLUMNS>();
    for block in 0..blocks.len() {
        for lane in 0..COLUMNS {
            nothing[lane] += blocks[block][lane] * 0.0;
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        nothing[lane] += x * 0.0;
    }
    let bytes = &mut bytes[..x.len()];
    for place in 0..x.len() {
        let steps = (x[place] * multiplier).clamp(-127.0, 127.0);
        bytes[place] = byte(steps, zero);
    }
    1.0 + nothing.iter().sum::<f32>()
}
