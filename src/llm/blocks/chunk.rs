//! Blocks that are unpacked together.

use super::{Blocks, MOST_GROUPS, MOST_NUMBERS, half_bits};

/// Blocks of 32 numbers in a chunk: those of the largest block, or small ones that are unpacked together.
pub(crate) const CHUNK: usize = MOST_NUMBERS / 32;

/// Weights as integers with scale and minimum of each group.
pub(crate) struct Chunk {
    pub quants: [[u8; 32]; CHUNK],
    pub scales: [f32; MOST_GROUPS],
    /// With what the zero point adds.
    pub minima: [f32; MOST_GROUPS],
}

impl Chunk {
    /// Unpacks a chunk, or the first `BLOCKS` blocks of one; `halves` converts half floats.
    #[inline(always)]
    pub(crate) fn unpacked<B: Blocks, const BLOCKS: usize>(
        blocks: &[u8],
        halves: impl Fn([u16; 8]) -> [f32; 8],
    ) -> Self {
        let mut chunk = Self {
            quants: [[0; 32]; CHUNK],
            scales: [0.0; MOST_GROUPS],
            minima: [0.0; MOST_GROUPS],
        };
        if B::NUMBERS == MOST_NUMBERS {
            let blocks = &blocks[..B::BYTES];
            B::quants(blocks, chunk.quants.as_flattened_mut());
            let groups = MOST_NUMBERS / B::GROUP;
            B::scales(
                blocks,
                &mut chunk.scales[..groups],
                &mut chunk.minima[..groups],
            );
        } else {
            let blocks = &blocks[..BLOCKS * B::BYTES];
            for index in 0..BLOCKS {
                let block = &blocks[index * B::BYTES..][..B::BYTES];
                B::quants(block, &mut chunk.quants[index]);
            }
            let heads = |place: usize| {
                let mut heads = [0; CHUNK];
                for (index, head) in heads[..BLOCKS].iter_mut().enumerate() {
                    *head = half_bits(blocks, index * B::BYTES + place);
                }
                heads
            };
            chunk.scales[..CHUNK].copy_from_slice(&halves(heads(0)));
            if B::HAS_MINIMUM {
                chunk.minima[..CHUNK].copy_from_slice(&halves(heads(2)));
            }
        }
        if B::ZERO != 0 {
            for (minimum, scale) in chunk.minima.iter_mut().zip(&chunk.scales) {
                *minimum = -f32::from(B::ZERO) * scale;
            }
        }
        chunk
    }
}
