//! Blocks of numbers of few bits, as ggml quantises them.
//!
//! Every kind becomes the same thing: unsigned integers `q` in groups of 16 or 32, a scale `s` and a minimum `m` for each
//! group, and a zero point `z` for the kind: a number is `s (q - z) + m`. Source: `ggml-quants.c` of ggml.

mod chunk;
mod floats;
mod of_256;
mod of_32;
#[cfg(test)]
mod tests;

pub(crate) use chunk::{CHUNK, Chunk};
pub(crate) use floats::unpack as unpack_floats;
pub(crate) use floats::{f16_to_f32, f32_to_f16};
pub(crate) use of_32::{Q4_0, Q4_1, Q5_0, Q5_1, Q8_0};
pub(crate) use of_256::{Q2K, Q3K, Q4K, Q5K, Q6K};

/// Blocks of one kind.
pub(crate) trait Blocks {
    /// Bytes of a block.
    const BYTES: usize;
    /// Numbers of a block.
    const NUMBERS: usize;
    /// Numbers of a group, which have a scale together: 16 or 32.
    const GROUP: usize;
    /// The integer of a number 0, where groups have no minimum.
    const ZERO: u8;
    /// Whether integers need all of 8 bits.
    const WIDE: bool = false;
    /// Whether a block of 32 numbers has a half float for their minimum after that for their scale, with which it begins.
    const HAS_MINIMUM: bool = false;

    /// Writes the integers of a block.
    fn quants(block: &[u8], quants: &mut [u8]);

    /// Writes scale and minimum of each group.
    #[inline(always)]
    fn scales(block: &[u8], scales: &mut [f32], minima: &mut [f32]) {
        scales[0] = half(block, 0);
        minima[0] = if Self::HAS_MINIMUM {
            half(block, 2)
        } else {
            0.0
        };
    }
}

/// The bits of the half float at `place`.
#[inline(always)]
fn half_bits(block: &[u8], place: usize) -> u16 {
    u16::from_le_bytes([block[place], block[place + 1]])
}

/// The half float at `place`.
#[inline(always)]
fn half(block: &[u8], place: usize) -> f32 {
    f16_to_f32(half_bits(block, place))
}

/// How the numbers of a tensor are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    non_camel_case_types,
    missing_docs,
    reason = "the names that ggml gives them"
)]
pub enum Kind {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
}

/// Calls `$call::<B>` with the blocks of a kind; `$float` for kinds without blocks.
macro_rules! with_blocks {
    ($kind:expr, $blocks:ident => $call:expr, $float:expr) => {
        match $kind {
            $crate::blocks::Kind::F32 | $crate::blocks::Kind::F16 | $crate::blocks::Kind::BF16 => {
                $float
            }
            $crate::blocks::Kind::Q4_0 => {
                type $blocks = $crate::blocks::Q4_0;
                $call
            }
            $crate::blocks::Kind::Q4_1 => {
                type $blocks = $crate::blocks::Q4_1;
                $call
            }
            $crate::blocks::Kind::Q5_0 => {
                type $blocks = $crate::blocks::Q5_0;
                $call
            }
            $crate::blocks::Kind::Q5_1 => {
                type $blocks = $crate::blocks::Q5_1;
                $call
            }
            $crate::blocks::Kind::Q8_0 => {
                type $blocks = $crate::blocks::Q8_0;
                $call
            }
            $crate::blocks::Kind::Q2_K => {
                type $blocks = $crate::blocks::Q2K;
                $call
            }
            $crate::blocks::Kind::Q3_K => {
                type $blocks = $crate::blocks::Q3K;
                $call
            }
            $crate::blocks::Kind::Q4_K => {
                type $blocks = $crate::blocks::Q4K;
                $call
            }
            $crate::blocks::Kind::Q5_K => {
                type $blocks = $crate::blocks::Q5K;
                $call
            }
            $crate::blocks::Kind::Q6_K => {
                type $blocks = $crate::blocks::Q6K;
                $call
            }
        }
    };
}
pub(crate) use with_blocks;

impl Kind {
    /// The kind that GGUF numbers so, if it is known here.
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::F32,
            1 => Self::F16,
            2 => Self::Q4_0,
            3 => Self::Q4_1,
            6 => Self::Q5_0,
            7 => Self::Q5_1,
            8 => Self::Q8_0,
            10 => Self::Q2_K,
            11 => Self::Q3_K,
            12 => Self::Q4_K,
            13 => Self::Q5_K,
            14 => Self::Q6_K,
            30 => Self::BF16,
            _ => return None,
        })
    }

    /// Numbers of a block.
    pub fn numbers(self) -> usize {
        with_blocks!(self, B => B::NUMBERS, 1)
    }

    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        let float = if self == Self::F32 { 4 } else { 2 };
        with_blocks!(self, B => B::BYTES, float)
    }

    /// Writes the numbers of whole blocks as floats.
    ///
    /// # Panics
    /// If `numbers` is not as long as the blocks have numbers.
    pub fn dequantise(self, blocks: &[u8], numbers: &mut [f32]) {
        assert_eq!(
            blocks.len() / self.bytes() * self.numbers(),
            numbers.len(),
            "numbers of {self:?}"
        );
        with_blocks!(self, B => dequantise::<B>(blocks, numbers), floats::unpack(self, blocks, numbers));
    }
}

/// Numbers of the largest block, and its groups.
pub(crate) const MOST_NUMBERS: usize = 256;
const MOST_GROUPS: usize = 16;

fn dequantise<B: Blocks>(blocks: &[u8], numbers: &mut [f32]) {
    let (mut quants, groups) = ([0; MOST_NUMBERS], B::NUMBERS / B::GROUP);
    let (mut scales, mut minima) = ([0.0; MOST_GROUPS], [0.0; MOST_GROUPS]);
    let blocks = blocks.chunks_exact(B::BYTES);
    for (block, numbers) in blocks.zip(numbers.chunks_exact_mut(B::NUMBERS)) {
        let quants = &mut quants[..B::NUMBERS];
        B::quants(block, quants);
        B::scales(block, &mut scales[..groups], &mut minima[..groups]);
        for (index, (number, quant)) in numbers.iter_mut().zip(quants.iter()).enumerate() {
            let group = index / B::GROUP;
            *number = scales[group] * (f32::from(*quant) - f32::from(B::ZERO)) + minima[group];
        }
    }
}
