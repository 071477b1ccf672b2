//! Floats of 16 bits, without tables and branches, so that loops over them become vector instructions.

use super::Kind;

/// The number of an IEEE 754 half float, as any conversion has it.
#[inline(always)]
pub(crate) fn f16_to_f32(half: u16) -> f32 {
    /// `2^112`: between the biases of both exponents.
    const SHIFT: f32 = f32::from_bits(0x7780_0000);
    let bits = u32::from(half);
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * SHIFT;
    let is_special = bits & 0x7c00 == 0x7c00;
    let special = 0x7f80_0000 | ((bits & 0x3ff) << 13);
    let magnitude = if is_special {
        special
    } else {
        magnitude.to_bits()
    };
    f32::from_bits(magnitude | ((bits & 0x8000) << 16))
}

/// The nearest half float, ties to even.
#[inline(always)]
pub(crate) fn f32_to_f16(number: f32) -> u16 {
    let bits = number.to_bits();
    let (sign, magnitude) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    let half = if magnitude >= 0x4780_0000 {
        // Infinite or not a number; so is what is too large.
        0x7c00 | if magnitude > 0x7f80_0000 { 0x200 } else { 0 }
    } else if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 rounds to multiples of 2^-24.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5_f32.to_bits()
    } else {
        let is_odd = (magnitude >> 13) & 1;
        (magnitude - 0x3800_0000 + 0xfff + is_odd) >> 13
    };
    #[expect(clippy::cast_possible_truncation, reason = "16 bits")]
    let half = (sign | half) as u16;
    half
}

#[inline(always)]
fn bf16_to_f32(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Writes the numbers of a kind without blocks.
#[inline(always)]
pub(crate) fn unpack(kind: Kind, bytes: &[u8], numbers: &mut [f32]) {
    let halves = || {
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|it| u16::from_le_bytes(*it))
    };
    match kind {
        Kind::F16 => {
            for (number, half) in numbers.iter_mut().zip(halves()) {
                *number = f16_to_f32(half);
            }
        }
        Kind::BF16 => {
            for (number, half) in numbers.iter_mut().zip(halves()) {
                *number = bf16_to_f32(half);
            }
        }
        _ => {
            for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *number = f32::from_le_bytes(*bytes);
            }
        }
    }
}
