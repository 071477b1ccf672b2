//! Blocks of a file in the form in which a GPU reads them: integers apart from their scales.

use canopy_kernels::gpu::{BlockNumbers, Grouped};
use rayon::prelude::*;

use crate::blocks::{Blocks, Kind, MOST_NUMBERS, with_blocks};

/// Most groups of a block.
const MOST_GROUPS: usize = 16;

/// Blocks that a task has at least.
const LEAST: usize = 256;

/// The numbers of whole blocks.
pub(super) fn numbers(kind: Kind, bytes: &[u8]) -> BlockNumbers {
    let is_short = matches!(
        kind,
        Kind::Q2_K | Kind::Q3_K | Kind::Q4_0 | Kind::Q4_1 | Kind::Q4_K
    );
    let grouped = with_blocks!(
        kind,
        B => if is_short { grouped::<B, 4>(bytes) } else { grouped::<B, 8>(bytes) },
        return floats(kind, bytes)
    );
    if is_short {
        BlockNumbers::Nibbles(grouped)
    } else {
        BlockNumbers::Bytes(grouped)
    }
}

fn floats(kind: Kind, bytes: &[u8]) -> BlockNumbers {
    let (words, _) = bytes.as_chunks::<4>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    match kind {
        Kind::F16 => BlockNumbers::Halves(words),
        Kind::BF16 => BlockNumbers::UpperHalves(words),
        _ => BlockNumbers::Floats(words),
    }
}

/// Integers of `BITS` bits each, the first one of a word lowest.
fn grouped<B: Blocks, const BITS: usize>(bytes: &[u8]) -> Grouped {
    let (per_word, groups) = (32 / BITS, B::NUMBERS / B::GROUP);
    let blocks = bytes.len() / B::BYTES;
    let mut words = vec![0; blocks * B::NUMBERS / per_word];
    let mut scales = vec![[0.0; 2]; blocks * groups];
    let parts = words
        .par_chunks_mut(B::NUMBERS / per_word)
        .zip(scales.par_chunks_mut(groups));
    let all = bytes.par_chunks_exact(B::BYTES).zip(parts);
    all.with_min_len(LEAST)
        .for_each(|(block, (words, scales))| {
            let mut quants = [0; MOST_NUMBERS];
            let (mut factors, mut minima) = ([0.0; MOST_GROUPS], [0.0; MOST_GROUPS]);
            B::quants(block, &mut quants[..B::NUMBERS]);
            B::scales(block, &mut factors[..groups], &mut minima[..groups]);
            for (word, quants) in words.iter_mut().zip(quants.chunks_exact(per_word)) {
                let packed = quants.iter().rev();
                *word = packed.fold(0, |word, quant| word << BITS | u32::from(*quant));
            }
            let numbers = factors.iter().zip(minima);
            for (scale, (factor, minimum)) in scales.iter_mut().zip(numbers) {
                *scale = [*factor, minimum - factor * f32::from(B::ZERO)];
            }
        });
    Grouped {
        words,
        scales,
        group: B::GROUP,
    }
}
