//! Rotary positions and their scalings.
//!
//! Su et al., "RoFormer", 2021, Eq. 15 and 34; linear: Chen et al., "Extending Context Window of Large Language Models via
//! Positional Interpolation", 2023; YaRN: Peng et al., "YaRN", ICLR 2024, Eq. 23 and Section 3.4; dynamic and Llama 3.1:
//! `modeling_rope_utils.py` of transformers 5.24, and `modeling_hunyuan_v1_dense.py` for a fixed alpha.

use crate::error::Result;

use super::families::Pairs;
use super::sizes::Sizes;
use crate::folder::Settings;
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

/// YaRN's settings.
#[derive(Debug, Clone, Copy)]
struct Yarn {
    base: f32,
    factor: f32,
    /// Positions before the stretching.
    original: f32,
    /// Turns within these positions above which pairs stay as they are, and below which they are interpolated.
    fast: f32,
    slow: f32,
    /// Whether both bounds are rounded to whole pairs.
    truncates: bool,
    magnitude: f32,
}

impl Rotation {
    /// Rotation of layers with full attention.
    pub(crate) fn read(file: &Gguf, sizes: &Sizes) -> Result<Self> {
        let name = sizes.family.name;
        let key = |rest: &str| format!("{name}.rope.{rest}");
        let base = file.float(&key("freq_base"))?.unwrap_or(10_000.0);
        let mut rotation = Self::plain(file, sizes, base)?;
        let weights = file.weights();
        if let Some(tensor) = weights.tensors().get(FACTORS) {
            let mut factors = vec![1.0; tensor.columns];
            if tensor.rows != 1 || tensor.columns != rotation.factors.len() {
                let problem = format!(
                    "{} numbers for {} pairs",
                    tensor.columns,
                    rotation.factors.len()
                );
                return Err(file.problem(FACTORS, problem));
            }
            tensor.kind.dequantise(weights.bytes(tensor), &mut factors);
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
            None | Some("linear") => rotation.interpolate(factor),
            Some("none") => {}
            Some("yarn") => rotation.stretch(yarn_of_file(file, sizes, [base, factor])?),
            Some(other) => {
                let problem = format!("{other:?} is not known here, but none, linear, yarn");
                return Err(file.problem(key("scaling.type"), problem));
            }
        }
        Ok(rotation)
    }

    /// Without scalings.
    #[expect(clippy::cast_precision_loss, reason = "a width")]
    pub(crate) fn plain(file: &Gguf, sizes: &Sizes, base: f32) -> Result<Self> {
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

    /// Rotation of a folder's layers, of those with a window or of the others.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the field.
    pub(crate) fn from_folder(config: &Settings, sizes: &Sizes, slides: bool) -> Result<Self> {
        const FACTOR: &str = "partial_rotary_factor";
        let d_head = sizes.attention.d_head;
        let (settings, mut base) = layer_scaling(config, sizes, slides)?;
        let factor = settings
            .as_ref()
            .map(|it| it.positive(FACTOR))
            .transpose()?;
        let factor = factor.flatten().or(config.positive(FACTOR)?);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a part of a width"
        )]
        let rotated = factor.map_or(d_head, |factor| (d_head as f32 * factor) as usize);
        if !rotated.is_multiple_of(2) || rotated > d_head || rotated == 0 {
            let problem = format!("{rotated} numbers of a head of {d_head}");
            return Err(config.problem(FACTOR, problem));
        }
        let kind = settings.as_ref().map(kind).transpose()?.flatten();
        let (Some(settings), Some(kind)) = (&settings, kind) else {
            return Ok(Self::with_frequencies(rotated, base));
        };
        let needed = |key: &str| settings.needed(key, settings.positive(key)?);
        if kind == Scaling::Dynamic
            && let Some(alpha) = settings.positive("alpha")?
        {
            #[expect(clippy::cast_precision_loss, reason = "a width")]
            let width = d_head as f32;
            base *= alpha.powf(width / (width - 2.0));
        }
        let mut rotation = Self::with_frequencies(rotated, base);
        match kind {
            // Within the positions that the model was trained with dynamic scaling changes nothing.
            Scaling::None | Scaling::Dynamic => {}
            Scaling::Linear => rotation.interpolate(needed("factor")?),
            Scaling::Llama3 => {
                let [low, high] = [needed("low_freq_factor")?, needed("high_freq_factor")?];
                let original = original(settings, sizes)?;
                rotation.smooth(needed("factor")?, [low, high], original);
            }
            Scaling::Yarn => rotation.stretch(yarn_of_folder(settings, sizes, base)?),
        }
        Ok(rotation)
    }

    /// Frequencies as transformers computes them: each from the base.
    #[expect(clippy::cast_precision_loss, reason = "a width")]
    fn with_frequencies(rotated: usize, base: f32) -> Self {
        let frequency = |pair: usize| 1.0 / base.powf(2.0 * pair as f32 / rotated as f32);
        Self {
            pairs: Pairs::Halves,
            step: 1.0,
            factors: (0..rotated / 2).map(frequency).collect(),
            magnitude: 1.0,
        }
    }

    fn interpolate(&mut self, factor: f32) {
        self.factors.iter_mut().for_each(|it| *it /= factor);
    }

    /// Llama 3.1: slow rotations are interpolated, fast ones stay, those between are both; `turns` within `original` positions
    /// are the bounds.
    fn smooth(&mut self, factor: f32, turns: [f32; 2], original: f32) {
        let [low, high] = turns;
        for frequency in &mut self.factors {
            let turns = original * *frequency / (2.0 * std::f32::consts::PI);
            let kept = ((turns - low) / (high - low).max(1e-6)).clamp(0.0, 1.0);
            *frequency *= kept + (1.0 - kept) / factor;
        }
    }

    /// YaRN: slow rotations are interpolated, fast ones stay.
    #[expect(clippy::cast_precision_loss, reason = "positions and widths")]
    fn stretch(&mut self, yarn: Yarn) {
        let rotated = 2.0 * self.factors.len() as f32;
        let pair_that_turns = |turns: f32| {
            let turn = yarn.original / (turns * 2.0 * std::f32::consts::PI);
            rotated * turn.ln() / (2.0 * yarn.base.ln())
        };
        let [low, high] = [pair_that_turns(yarn.fast), pair_that_turns(yarn.slow)];
        let [low, high] = if yarn.truncates {
            [low.floor(), high.ceil()]
        } else {
            [low, high]
        };
        let [low, high] = [low.max(0.0), high.min(rotated - 1.0)];
        for (pair, own) in self.factors.iter_mut().enumerate() {
            let ramp = (pair as f32 - low) / (high - low).max(0.001);
            let kept = 1.0 - ramp.clamp(0.0, 1.0);
            *own *= kept + (1.0 - kept) / yarn.factor;
        }
        self.magnitude = yarn.magnitude;
    }

    /// Cosines and sines of `count` positions from `first` on.
    #[expect(clippy::cast_precision_loss, reason = "positions")]
    pub(crate) fn angles(&self, first: usize, count: usize) -> Angles {
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

    /// Which numbers of a head are pairs, and how many pairs there are.
    pub(crate) fn pairs(&self) -> (Pairs, usize) {
        (self.pairs, self.factors.len())
    }

    /// Cosine and sine of `count` positions from `first` on: `[positions, pairs, 2]`.
    pub(crate) fn turns(&self, first: usize, count: usize) -> Vec<f32> {
        let Angles { cosines, sines } = self.angles(first, count);
        cosines
            .into_iter()
            .zip(sines)
            .flat_map(|(cosine, sine)| [cosine, sine])
            .collect()
    }

    /// Rotates heads of `d_head` numbers at the `index`-th of the positions.
    pub(crate) fn rotate(&self, angles: &Angles, index: usize, heads: &mut [f32], d_head: usize) {
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

#[expect(clippy::cast_precision_loss, reason = "positions")]
fn yarn_of_file(file: &Gguf, sizes: &Sizes, [base, factor]: [f32; 2]) -> Result<Yarn> {
    let key = |rest: &str| format!("{}.rope.scaling.{rest}", sizes.family.name);
    let original = file.count(&key("original_context_length"), usize::MAX)?;
    let number = |rest: &str, default: f32| -> Result<f32> {
        Ok(file.float(&key(rest))?.unwrap_or(default))
    };
    Ok(Yarn {
        base,
        factor,
        original: original.unwrap_or(sizes.context) as f32,
        fast: number("yarn_beta_fast", 32.0)?,
        slow: number("yarn_beta_slow", 1.0)?,
        truncates: true,
        magnitude: number("attn_factor", 1.0)? * (1.0 + 0.1 * factor.ln()),
    })
}

fn yarn_of_folder(settings: &Settings, sizes: &Sizes, base: f32) -> Result<Yarn> {
    let original = original(settings, sizes)?;
    #[expect(clippy::cast_precision_loss, reason = "positions")]
    let stretched = sizes.context as f32 / original;
    let factor = settings.positive("factor")?.unwrap_or(stretched);
    let magnitude = |scale: f32| 1.0 + 0.1 * scale * factor.max(1.0).ln();
    let scales = [
        settings.positive("mscale")?,
        settings.positive("mscale_all_dim")?,
    ];
    let usual = match scales {
        [Some(one), Some(all)] => magnitude(one) / magnitude(all),
        _ => magnitude(1.0),
    };
    Ok(Yarn {
        base,
        factor,
        original,
        fast: settings.positive("beta_fast")?.unwrap_or(32.0),
        slow: settings.positive("beta_slow")?.unwrap_or(1.0),
        truncates: settings.bool("truncate")?.unwrap_or(true),
        magnitude: settings.positive("attention_factor")?.unwrap_or(usual),
    })
}

/// Positions before a scaling.
fn original(settings: &Settings, sizes: &Sizes) -> Result<f32> {
    let original = settings.count("original_max_position_embeddings", usize::MAX)?;
    #[expect(clippy::cast_precision_loss, reason = "positions")]
    let original = original.unwrap_or(sizes.context) as f32;
    Ok(original)
}

/// The settings of the scaling and the base of a folder's layers. Transformers 5 has them in `rope_parameters`, which may differ
/// between the types of layers; before that each was a field of its own.
fn layer_scaling(
    config: &Settings,
    sizes: &Sizes,
    slides: bool,
) -> Result<(Option<Settings>, f32)> {
    const BASE: &str = "rope_theta";
    let of_sliding = sizes.family.sliding.and_then(|it| it.base);
    let of_sliding = of_sliding.filter(|_| slides);
    let base = || -> Result<f32> { Ok(config.positive(BASE)?.unwrap_or(10_000.0)) };
    if let Some(all) = config.section("rope_parameters")? {
        let kind = if slides {
            "sliding_attention"
        } else {
            "full_attention"
        };
        let settings = if all.has("full_attention") || all.has("sliding_attention") {
            all.needed(kind, all.section(kind)?)?
        } else {
            all
        };
        let own = settings.positive(BASE)?;
        let base = own.or(of_sliding).map_or_else(base, Ok)?;
        return Ok((Some(settings), base));
    }
    if let Some(default) = of_sliding {
        let own = config.positive("rope_local_base_freq")?;
        return Ok((None, own.unwrap_or(default)));
    }
    Ok((config.section("rope_scaling")?, base()?))
}

/// How rotations are scaled, by a folder's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scaling {
    None,
    Linear,
    Dynamic,
    Llama3,
    Yarn,
}

fn kind(settings: &Settings) -> Result<Option<Scaling>> {
    for key in ["rope_type", "type"] {
        return Ok(Some(match settings.text(key)? {
            None => continue,
            Some("default" | "none") => Scaling::None,
            Some("linear") => Scaling::Linear,
            Some("dynamic") => Scaling::Dynamic,
            Some("llama3") => Scaling::Llama3,
            Some("yarn") => Scaling::Yarn,
            Some(other) => {
                let known = "default, linear, dynamic, llama3, yarn";
                let problem = format!("{other:?} is not known here, but {known}");
                return Err(settings.problem(key, problem));
            }
        }));
    }
    Ok(None)
}
