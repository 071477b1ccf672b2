//! Sizes and constants of a network, as its file has them.

use crate::error::Result;

use super::families::Family;
use crate::folder::{Folder, Settings};
use crate::gguf::Gguf;
use crate::product::{Gate, Heads};

/// More than any network has, so that products of sizes stay small.
pub(super) const MOST: usize = 1 << 24;

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
    /// Whether each layer sees a window alone.
    pub slides: Vec<bool>,
    pub gate: Gate,
    /// Whether keys and values are kept as half floats, as llama.cpp keeps them.
    pub in_halves: bool,
    /// Logits `x` become `cap · tanh(x / cap)`.
    pub logit_cap: Option<f32>,
}

impl Sizes {
    /// The family of a file.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel), if it is not known here.
    pub(crate) fn family_of_file(file: &Gguf) -> Result<&'static Family> {
        const ARCHITECTURE: &str = "general.architecture";
        let name = file.needed(ARCHITECTURE, file.text(ARCHITECTURE)?)?;
        Family::named(name).ok_or_else(|| {
            let known = Family::names();
            let problem = format!("{name:?} is not known here, but {known}");
            file.problem(ARCHITECTURE, problem)
        })
    }

    /// The sizes of a decoder.
    pub(crate) fn read(file: &Gguf) -> Result<Self> {
        let family = Self::family_of_file(file)?;
        let name = family.name;
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
        let window = window.filter(|_| family.sliding.is_some());
        Ok(Self {
            slides: periods(family, num_layers, window),
            gate: family.gate,
            in_halves: true,
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
            window,
            logit_cap: cap(file, &key("final_logit_softcapping"))?,
        })
    }

    /// The family of a folder and the settings of its text model, in which fields that it leaves out have their defaults.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the field.
    pub(crate) fn family_of_folder(folder: &Folder) -> Result<(&'static Family, Settings)> {
        let (family, config) = text_model_settings(folder.config())?;
        Ok((family, config.with_defaults(family.defaults)))
    }

    /// The sizes of a decoder.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the field.
    pub(crate) fn from_folder(family: &'static Family, config: &Settings) -> Result<Self> {
        let count = |key: &str| config.count(key, MOST);
        let needed = |key: &str| config.needed(key, count(key)?);
        let (num_layers, d_model) = (needed("num_hidden_layers")?, needed("hidden_size")?);
        let heads = needed("num_attention_heads")?;
        let kv_heads = count("num_key_value_heads")?.unwrap_or(heads);
        let d_head = count("head_dim")?.unwrap_or(d_model / heads);
        if !heads.is_multiple_of(kv_heads) || d_head == 0 {
            let problem = format!("{heads} heads of {d_head}, {kv_heads} of keys");
            return Err(config.problem("num_attention_heads", problem));
        }
        if config.bool("use_bidirectional_attention")? == Some(true) {
            let problem = "models that read on from a word are not known here";
            return Err(config.problem("use_bidirectional_attention", problem));
        }
        #[expect(clippy::cast_precision_loss, reason = "a width")]
        let width = d_head as f32;
        let width = config.positive("query_pre_attn_scalar")?.unwrap_or(width);
        let slides = sliding_layers(config, family, num_layers)?;
        let window = config.count("sliding_window", usize::MAX)?;
        let epsilon = config.positive("rms_norm_eps")?;
        Ok(Self {
            family,
            num_layers,
            d_model,
            heads,
            kv_heads,
            attention: Heads {
                d_head,
                scale: 1.0 / width.sqrt(),
                cap: config.positive("attn_logit_softcapping")?,
            },
            epsilon: config.needed("rms_norm_eps", epsilon)?,
            context: needed("max_position_embeddings")?,
            window: window.filter(|_| slides.contains(&true)),
            slides,
            gate: gate(config, family)?,
            in_halves: false,
            logit_cap: config.positive("final_logit_softcapping")?,
        })
    }

    /// Whether the layer sees a window alone.
    pub(crate) fn slides(&self, layer: usize) -> bool {
        self.slides[layer]
    }

    /// Positions that a query at `position` sees.
    pub(crate) fn visible(&self, layer: usize, position: usize) -> std::ops::Range<usize> {
        let window = self.window.filter(|_| self.slides(layer));
        let first = window.map_or(0, |window| (position + 1).saturating_sub(window));
        first..position + 1
    }
}

/// The layers with a window, by the period of a family.
fn periods(family: &Family, num_layers: usize, window: Option<usize>) -> Vec<bool> {
    let sliding = family.sliding.filter(|_| window.is_some());
    let slides = |layer| sliding.is_some_and(|it| layer % it.period != it.period - 1);
    (0..num_layers).map(slides).collect()
}

/// Family and settings of the model of texts: those of the folder, or of a part of it.
fn text_model_settings(config: &Settings) -> Result<(&'static Family, Settings)> {
    const TYPE: &str = "model_type";
    let text = config.section("text_config")?;
    let config = text.unwrap_or_else(|| config.clone());
    let name = config.needed(TYPE, config.text(TYPE)?)?;
    let family = Family::from_model_type(name).ok_or_else(|| {
        let known = Family::model_types();
        config.problem(TYPE, format!("{name:?} is not known here, but {known}"))
    })?;
    Ok((family, config))
}

/// The layers with a window: named one by one, from one on, by a period, or all.
fn sliding_layers(config: &Settings, family: &Family, num_layers: usize) -> Result<Vec<bool>> {
    const TYPES: &str = "layer_types";
    let window = config.count("sliding_window", usize::MAX)?;
    if window.is_none() || config.bool("use_sliding_window")? == Some(false) {
        return Ok(vec![false; num_layers]);
    }
    if let Some(types) = config.texts(TYPES)? {
        if types.len() != num_layers {
            let problem = format!("{} types for {num_layers} layers", types.len());
            return Err(config.problem(TYPES, problem));
        }
        let slides = |name: &&str| match *name {
            "sliding_attention" => Ok(true),
            "full_attention" => Ok(false),
            other => Err(config.problem(TYPES, format!("{other:?} is not known here"))),
        };
        return types.iter().map(slides).collect();
    }
    if config.bool("use_sliding_window")? == Some(true) {
        let first = config.count("max_window_layers", MOST)?.unwrap_or(0);
        return Ok((0..num_layers).map(|layer| layer >= first).collect());
    }
    if family.sliding.is_some() {
        if let Some(period) = config.count("sliding_window_pattern", MOST)? {
            return Ok((0..num_layers).map(|it| (it + 1) % period != 0).collect());
        }
        return Ok(periods(family, num_layers, window));
    }
    Ok(vec![true; num_layers])
}

/// The function of the gated layers.
fn gate(config: &Settings, family: &Family) -> Result<Gate> {
    for key in ["hidden_activation", "hidden_act"] {
        return match config.text(key)? {
            None => continue,
            Some("silu" | "swish") => Ok(Gate::Silu),
            Some("gelu_pytorch_tanh" | "gelu_new") => Ok(Gate::Gelu),
            Some(other) => {
                let problem = format!("{other:?} is not known here, but silu, gelu_pytorch_tanh");
                Err(config.problem(key, problem))
            }
        };
    }
    Ok(match family.gate {
        Gate::RoundedGelu => Gate::Gelu,
        gate => gate,
    })
}

fn cap(file: &Gguf, key: &str) -> Result<Option<f32>> {
    match file.float(key)? {
        Some(cap) if cap < 0.0 => Err(file.problem(key, format!("it is {cap}"))),
        cap => Ok(cap.filter(|cap| *cap > 0.0)),
    }
}
