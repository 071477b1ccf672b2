//! Sizes and constants of a network, as its file has them.

use canopy_base::error::Result;

use super::families::Family;
use crate::gguf::Gguf;
use crate::product::Heads;

/// More than any network has, so that products of sizes stay small.
const MOST: usize = 1 << 24;

#[derive(Debug, Clone)]
pub(super) struct Sizes {
    pub family: &'static Family,
    pub num_layers: usize,
    pub d_model: usize,
    pub heads: usize,
    /// Heads of keys and values, each shared by `heads / kv_heads` of queries.
    pub kv_heads: usize,
    pub attention: Heads,
    pub epsilon: f32,
    /// Positions that the network was trained with.
    pub context: usize,
    /// Positions that layers with a window see.
    pub window: Option<usize>,
    /// Logits `x` become `cap · tanh(x / cap)`.
    pub logit_cap: Option<f32>,
}

impl Sizes {
    pub fn read(file: &Gguf) -> Result<Self> {
        const ARCHITECTURE: &str = "general.architecture";
        let name = file.needed(ARCHITECTURE, file.text(ARCHITECTURE)?)?;
        let family = Family::named(name).ok_or_else(|| {
            let known = Family::names();
            file.problem(
                ARCHITECTURE,
                format!("{name:?} is not known here, but {known}"),
            )
        })?;
        let key = |rest: &str| format!("{name}.{rest}");
        let count = |rest: &str, most: usize| file.count(&key(rest), most);
        let needed = |rest: &str| file.needed(&key(rest), count(rest, MOST)?);
        if file.metadata().contains_key(&key("expert_count")) {
            let problem = "networks with several experts are not known here";
            return Err(file.problem(key("expert_count"), problem));
        }
        let (num_layers, d_model) = (needed("block_count")?, needed("embedding_length")?);
        let heads = needed("attention.head_count")?;
        let kv_heads = count("attention.head_count_kv", MOST)?.unwrap_or(heads);
        let d_head = count("attention.key_length", MOST)?.unwrap_or(d_model / heads);
        let d_value = count("attention.value_length", MOST)?.unwrap_or(d_head);
        if !heads.is_multiple_of(kv_heads) || d_head == 0 || d_value != d_head {
            let problem = format!("{heads} heads of {d_head}, {kv_heads} of {d_value} for values");
            return Err(file.problem(key("attention.head_count"), problem));
        }
        let epsilon = key("attention.layer_norm_rms_epsilon");
        let is_wide = family.scaled_by_width == Some(num_layers);
        let width = if is_wide { d_model / heads } else { d_head };
        #[expect(clippy::cast_precision_loss, reason = "a width")]
        let scale = 1.0 / (width as f32).sqrt();
        let window = count("attention.sliding_window", usize::MAX)?;
        Ok(Self {
            family,
            num_layers,
            d_model,
            heads,
            kv_heads,
            attention: Heads {
                d_head,
                scale,
                cap: cap(file, &key("attn_logit_softcapping"))?,
            },
            epsilon: file.needed(&epsilon, file.float(&epsilon)?)?,
            context: needed("context_length")?,
            window: window.filter(|_| family.sliding.is_some()),
            logit_cap: cap(file, &key("final_logit_softcapping"))?,
        })
    }

    /// Whether the layer sees a window alone.
    pub fn slides(&self, layer: usize) -> bool {
        let sliding = self.family.sliding.filter(|_| self.window.is_some());
        sliding.is_some_and(|it| layer % it.period != it.period - 1)
    }

    /// Positions that a query at `position` sees.
    pub fn visible(&self, layer: usize, position: usize) -> std::ops::Range<usize> {
        let window = self.window.filter(|_| self.slides(layer));
        let first = window.map_or(0, |window| (position + 1).saturating_sub(window));
        first..position + 1
    }
}

fn cap(file: &Gguf, key: &str) -> Result<Option<f32>> {
    match file.float(key)? {
        Some(cap) if cap < 0.0 => Err(file.problem(key, format!("it is {cap}"))),
        cap => Ok(cap.filter(|cap| *cap > 0.0)),
    }
}
