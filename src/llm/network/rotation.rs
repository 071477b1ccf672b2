//! Rotary positions and their scalings.
//!
//! Su et al., "RoFormer", 2021, Eq. 15 and 34; linear: Chen et al., "Extending Context Window of Large Language Models via
//! Positional Interpolation", 2023; YaRN: Peng et al., "YaRN", ICLR 2024, Eq. 23 and Section 3.4.

use canopy_base::error::Result;

use super::families::Pairs;
use super::sizes::Sizes;
use crate::gguf::Gguf;

/// Rotations of a head.
#[derive(Debug, Clone)]
pub(super) struct Rotation {
    pairs: Pairs,
    /// Angle of each pair beside that of the pair before: `base^(-2 / rotated)`.
    step: f32,
    /// Factor of the angle of each pair, by its scaling.
    factors: Vec<f32>,
    /// Factor of rotated numbers.
    magnitude: f32,
}

/// Cosines and sines of some positions: `[positions, pairs]`.
pub(super) struct Angles {
    cosines: Vec<f32>,
    sines: Vec<f32>,
}

/// Factors of frequencies in a tensor, as Llama 3.1 has them.
const FACTORS: &str = "rope_freqs.weight";

impl Rotation {
    /// Rotation of layers with full attention.
    pub fn read(file: &Gguf, sizes: &Sizes) -> Result<Self> {
        let name = sizes.family.name;
        let key = |rest: &str| format!("{name}.rope.{rest}");
        let base = file.float(&key("freq_base"))?.unwrap_or(10_000.0);
        let mut rotation = Self::plain(file, sizes, base)?;
        if let Some(tensor) = file.tensors().get(FACTORS) {
            let mut factors = vec![1.0; tensor.columns];
            if tensor.rows != 1 || tensor.columns != rotation.factors.len() {
                let problem = format!(
                    "{} numbers for {} pairs",
                    tensor.columns,
                    rotation.factors.len()
                );
                return Err(file.problem(FACTORS, problem));
            }
            tensor.kind.dequantise(file.bytes(tensor), &mut factors);
            for (own, factor) in rotation.factors.iter_mut().zip(factors) {
                *own /= factor;
            }
        }
        let linear = file.float(&key("scale_linear"))?;
        let factor = file
            .float(&key("scaling.factor"))?
            .or(linear)
            .unwrap_or(1.0);
        if factor <= 0.0 {
            return Err(file.problem(key("scaling.factor"), format!("it is {factor}")));
        }
        match file.text(&key("scaling.type"))? {
            None | Some("linear") => rotation.factors.iter_mut().for_each(|it| *it /= factor),
            Some("none") => {}
            Some("yarn") => rotation.stretch(file, sizes, [base, factor])?,
            Some(other) => {
                let problem = format!("{other:?} is not known here, but none, linear, yarn");
                return Err(file.problem(key("scaling.type"), problem));
            }
        }
        Ok(rotation)
    }

    /// Without scalings.
    #[expect(clippy::cast_precision_loss, reason = "a width")]
    pub fn plain(file: &Gguf, sizes: &Sizes, base: f32) -> Result<Self> {
        let d_head = sizes.attention.d_head;
        let key = format!("{}.rope.dimension_count", sizes.family.name);
        let rotated = file.count(&key, d_head)?.unwrap_or(d_head);
        if !rotated.is_multiple_of(2) || base <= 0.0 {
            return Err(file.problem(key, format!("it is {rotated}, of base {base}")));
        }
        Ok(Self {
            pairs: sizes.family.pairs,
            step: base.powf(-2.0 / rotated as f32),
            factors: vec![1.0; rotated / 2],
            magnitude: 1.0,
        })
    }

    /// YaRN: slow rotations are interpolated, fast ones stay.
    #[expect(clippy::cast_precision_loss, reason = "positions and widths")]
    fn stretch(&mut self, file: &Gguf, sizes: &Sizes, [base, factor]: [f32; 2]) -> Result<()> {
        let key = |rest: &str| format!("{}.rope.scaling.{rest}", sizes.family.name);
        let original = file.count(&key("original_context_length"), usize::MAX)?;
        let original = original.unwrap_or(sizes.context) as f32;
        let number = |rest: &str, default: f32| Ok(file.float(&key(rest))?.unwrap_or(default));
        let [fast, slow] = [
            number("yarn_beta_fast", 32.0)?,
            number("yarn_beta_slow", 1.0)?,
        ];
        let rotated = 2.0 * self.factors.len() as f32;
        let pair_that_turns = |turns: f32| {
            let turn = original / (turns * 2.0 * std::f32::consts::PI);
            rotated * turn.ln() / (2.0 * base.ln())
        };
        let low = pair_that_turns(fast).floor().max(0.0);
        let high = pair_that_turns(slow).ceil().min(rotated - 1.0);
        for (pair, own) in self.factors.iter_mut().enumerate() {
            let ramp = (pair as f32 - low) / (high - low).max(0.001);
            let kept = 1.0 - ramp.clamp(0.0, 1.0);
            *own *= kept + (1.0 - kept) / factor;
        }
        self.magnitude = number("attn_factor", 1.0)? * (1.0 + 0.1 * factor.ln());
        Ok(())
    }

    /// Cosines and sines of `count` positions from `first` on.
    #[expect(clippy::cast_precision_loss, reason = "positions")]
    pub fn angles(&self, first: usize, count: usize) -> Angles {
        let positions = (first..first + count).map(|position| position as f32);
        let angles = positions.flat_map(|position| {
            // One from the other, as llama.cpp: far from the beginning powers give other angles in 32 bits.
            let mut angle = position;
            self.factors.iter().map(move |factor| {
                let own = angle * factor;
                angle *= self.step;
                own
            })
        });
        let both = angles.map(|angle| (angle.cos() * self.magnitude, angle.sin() * self.magnitude));
        let (cosines, sines) = both.unzip();
        Angles { cosines, sines }
    }

    /// Rotates heads of `d_head` numbers at the `index`-th of the positions.
    pub fn rotate(&self, angles: &Angles, index: usize, heads: &mut [f32], d_head: usize) {
        let pairs = self.factors.len();
        let cosines = &angles.cosines[index * pairs..][..pairs];
        let sines = &angles.sines[index * pairs..][..pairs];
        for head in heads.chunks_exact_mut(d_head) {
            for (pair, (cosine, sine)) in cosines.iter().zip(sines).enumerate() {
                let [one, other] = match self.pairs {
                    Pairs::Neighbours => [2 * pair, 2 * pair + 1],
                    Pairs::Halves => [pair, pair + pairs],
                };
                let (x, y) = (head[one], head[other]);
                (head[one], head[other]) = (x * cosine - y * sine, x * sine + y * cosine);
            }
        }
    }
}
