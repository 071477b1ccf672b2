//! T5: an encoder that reads a source, and a decoder that attends to it.
//!
//! Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR 2020, Section
//! 2.1; Shazeer, "GLU Variants Improve Transformer", 2020, for the gated layers of version 1.1, which MADLAD-400 has
//! (Kudugunta et al., NeurIPS 2023). For names and layouts in files: `t5.cpp` of llama.cpp and `modeling_t5.py` of
//! transformers 5.24.

mod names;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::error::Result;
use names::{Half, TABLES, check_names, name};

use super::families::Family;
use super::layer::{Cross, Layer, LayerParts};
use super::positions::Positions;
use super::relative::{Buckets, Relative};
use super::sizes::{MOST, Sizes};
use super::stack::Stack;
use super::{EMBEDDING, Encoder, Network};
use crate::folder::{Folder, Settings};
use crate::gguf::Gguf;
use crate::parts::{OUTPUT, Parts};
use crate::product::{Gate, Heads};
use crate::weights::Weights;

/// Distances from which on all are one, in files, which do not say it.
const FARTHEST: usize = 128;

/// Sizes and names, known before the tensors are looked for.
struct Described {
    /// Of the decoder.
    sizes: Sizes,
    encoder_layers: usize,
    buckets: usize,
    farthest: usize,
    /// The token with which the decoder begins.
    start: u32,
    /// Whether states are divided by `√d_model` before the output; none if that follows from the tensors.
    scales_output: Option<bool>,
}

/// The network of a GGUF file.
///
/// # Errors
/// [`LanguageModel`](crate::error::Error::LanguageModel) with the key or tensor.
pub(super) fn read_file(file: &Gguf) -> Result<Network> {
    let family = Sizes::family_of_file(file)?;
    let key = |rest: &str| format!("{}.{rest}", family.name);
    let count = |rest: &str, most: usize| file.count(&key(rest), most);
    let needed = |rest: &str| file.needed(&key(rest), count(rest, MOST)?);
    let encoder_layers = needed("block_count")?;
    let (d_model, heads) = (needed("embedding_length")?, needed("attention.head_count")?);
    let d_head = count("attention.key_length", MOST)?.unwrap_or(d_model / heads);
    let epsilon = key("attention.layer_norm_rms_epsilon");
    let sizes = Sizes {
        num_layers: count("decoder_block_count", MOST)?.unwrap_or(encoder_layers),
        epsilon: file.needed(&epsilon, file.float(&epsilon)?)?,
        context: needed("context_length")?,
        ..sizes(family, [d_model, heads, d_head])
    };
    let start = key("decoder_start_token_id");
    let start = file.id(&start, MOST)?;
    let padding = file.id("tokenizer.ggml.padding_token_id", MOST)?;
    let buckets = key("attention.relative_buckets_count");
    let described = Described {
        encoder_layers,
        buckets: file.needed(&buckets, file.count(&buckets, MOST)?)?,
        farthest: FARTHEST,
        start: start.or(padding).unwrap_or_default(),
        scales_output: None,
        sizes,
    };
    if let Err(problem) = described.check() {
        return Err(file.problem(buckets, problem));
    }
    network(file.weights(), &Parts::from_file(file.weights()), described)
}

/// The network of a folder by its settings.
///
/// # Errors
/// [`LanguageModel`](crate::error::Error::LanguageModel) with the field or tensor.
pub(super) fn read_folder(
    folder: &Folder,
    family: &'static Family,
    config: &Settings,
) -> Result<Network> {
    const BUCKETS: &str = "relative_attention_num_buckets";
    let needed = |key: &str| config.needed(key, config.count(key, MOST)?);
    let encoder_layers = needed("num_layers")?;
    let (is_gated, gate) = feed_forward(config)?;
    let epsilon = config.positive("layer_norm_epsilon")?;
    let sizes = Sizes {
        num_layers: config
            .count("num_decoder_layers", MOST)?
            .unwrap_or(encoder_layers),
        epsilon: config.needed("layer_norm_epsilon", epsilon)?,
        context: needed("n_positions")?,
        gate,
        ..sizes(
            family,
            [needed("d_model")?, needed("num_heads")?, needed("d_kv")?],
        )
    };
    let first = |key: &str| -> Result<Option<u32>> { Ok(folder.ids(key)?.first().copied()) };
    let start = first("decoder_start_token_id")?;
    let described = Described {
        encoder_layers,
        buckets: needed(BUCKETS)?,
        farthest: needed("relative_attention_max_distance")?,
        start: start.or(first("pad_token_id")?).unwrap_or_default(),
        scales_output: Some(config.bool("tie_word_embeddings")? != Some(false)),
        sizes,
    };
    if let Err(problem) = described.check() {
        return Err(config.problem(BUCKETS, problem));
    }
    let weights = folder.weights();
    let table = TABLES.into_iter().find(|it| weights.has(it));
    let table = table.unwrap_or(TABLES[0]);
    let layers = [encoder_layers, described.sizes.num_layers];
    check_names(weights, is_gated, layers)?;
    let parts = Parts::from_folder(weights, |own| name(own, table, is_gated), 0.0);
    network(weights, &parts, described)
}

/// Whether the feed-forward layers are gated, and by what.
fn feed_forward(config: &Settings) -> Result<(bool, Gate)> {
    const KEY: &str = "feed_forward_proj";
    match config.text(KEY)? {
        None | Some("relu") => Ok((false, Gate::Gelu)),
        Some("gated-gelu") => Ok((true, Gate::Gelu)),
        Some("gated-silu") => Ok((true, Gate::Silu)),
        Some(other) => {
            let problem = format!("{other:?} is not known here, but relu, gated-gelu, gated-silu");
            Err(config.problem(KEY, problem))
        }
    }
}

/// Sizes of a half whose layers, ε and positions are not known yet.
fn sizes(family: &'static Family, [d_model, heads, d_head]: [usize; 3]) -> Sizes {
    Sizes {
        family,
        num_layers: 0,
        d_model,
        heads,
        kv_heads: heads,
        attention: Heads {
            d_head,
            scale: 1.0,
            cap: None,
        },
        epsilon: 0.0,
        context: 0,
        window: None,
        slides: Vec::new(),
        gate: family.gate,
        in_halves: false,
        logit_cap: None,
    }
}

impl Described {
    /// The problem of the buckets, if there is one.
    fn check(&self) -> Result<(), String> {
        let Self {
            buckets, farthest, ..
        } = *self;
        if buckets < 4 || !buckets.is_multiple_of(4) || farthest <= buckets / 2 {
            return Err(format!("{buckets} buckets of distances up to {farthest}"));
        }
        Ok(())
    }

    fn layers(&self, half: Half) -> usize {
        match half {
            Half::Encoder => self.encoder_layers,
            Half::Decoder => self.sizes.num_layers,
        }
    }
}

/// Finds the weights of a network.
fn network(weights: &Arc<Weights>, parts: &Parts<'_>, described: Described) -> Result<Network> {
    let d_model = described.sizes.d_model;
    let embedding = parts.needed(EMBEDDING, parts.matrix(EMBEDDING, d_model, None)?)?;
    let output = parts.matrix(OUTPUT, d_model, Some(embedding.rows))?;
    let start = described.start;
    if start as usize >= embedding.rows {
        let problem = format!("the decoder begins with token {start}, which it has not");
        return Err(parts.problem(EMBEDDING, problem));
    }
    #[expect(clippy::cast_precision_loss, reason = "a width")]
    let scale = 1.0 / (d_model as f32).sqrt();
    let scales = described.scales_output.unwrap_or(output.is_none());
    let encoder = Encoder {
        stack: stack(weights, parts, &described, Half::Encoder)?,
        start,
    };
    Ok(Network {
        decoder: stack(weights, parts, &described, Half::Decoder)?,
        encoder: Some(encoder),
        output: output.unwrap_or_else(|| embedding.clone()),
        embedding,
        output_scale: if scales { scale } else { 1.0 },
        gpu: None,
    })
}

fn stack(
    weights: &Arc<Weights>,
    parts: &Parts<'_>,
    described: &Described,
    half: Half,
) -> Result<Stack> {
    let [prefix, _] = half.names();
    let num_layers = described.layers(half);
    let sizes = Sizes {
        num_layers,
        slides: vec![false; num_layers],
        ..described.sizes.clone()
    };
    let norm = format!("{prefix}output_norm.weight");
    let output_norm = parts.needed(&norm, parts.vector(&norm, sizes.d_model)?)?;
    let mut tables = Vec::new();
    let mut layers = Vec::with_capacity(num_layers);
    for number in 0..num_layers {
        let layer = LayerParts {
            parts,
            prefix: format!("{prefix}blk.{number}."),
            needs: &[],
        };
        // That of the first layer is shared by all, unless each has its own.
        let name = format!("{}attn_rel_b.weight", layer.prefix);
        let table = parts.numbers(&name, [described.buckets, sizes.heads])?;
        match table {
            Some(table) if tables.len() == number => tables.push(table),
            Some(_) => return Err(parts.problem(&name, "the layer before has none")),
            None if number == 0 => return parts.needed(&name, None),
            None => {}
        }
        layers.push(read_layer(&layer, &sizes, half)?);
    }
    if tables.len() != 1 && tables.len() != num_layers {
        let name = format!("{prefix}blk.{}.attn_rel_b.weight", tables.len());
        return parts.needed(&name, None);
    }
    let reads_on = half == Half::Encoder;
    let buckets = Buckets {
        count: described.buckets,
        farthest: described.farthest,
        reads_on,
    };
    Ok(Stack {
        weights: Arc::clone(weights),
        positions: Positions::Relative(Relative {
            tables,
            heads: sizes.heads,
            buckets,
        }),
        sizes,
        layers,
        output_norm,
        reads_on,
    })
}

fn read_layer(layer: &LayerParts<'_, '_>, sizes: &Sizes, half: Half) -> Result<Layer> {
    let d_model = sizes.d_model;
    let inner = sizes.heads * sizes.attention.d_head;
    let cross = match half {
        Half::Encoder => None,
        Half::Decoder => Some(Cross {
            norm: layer.norm("cross_attn_norm", d_model)?,
            queries: layer.linear("cross_attn_q", d_model, Some(inner))?,
            keys: layer.linear("cross_attn_k", d_model, Some(inner))?,
            values: layer.linear("cross_attn_v", d_model, Some(inner))?,
            output: layer.linear("cross_attn_o", inner, Some(d_model))?,
        }),
    };
    let up = layer.linear("ffn_up", d_model, None)?;
    let d_hidden = Some(up.weights.rows);
    Ok(Layer {
        attention_norm: layer.norm("attn_norm", d_model)?,
        queries: layer.linear("attn_q", d_model, Some(inner))?,
        keys: layer.linear("attn_k", d_model, Some(inner))?,
        values: layer.linear("attn_v", d_model, Some(inner))?,
        query_norm: None,
        key_norm: None,
        attention_output: layer.linear("attn_o", inner, Some(d_model))?,
        attention_post_norm: None,
        cross,
        feed_forward_norm: layer.norm("ffn_norm", d_model)?,
        gate: layer.linear_if_there("ffn_gate", d_model, d_hidden)?,
        down: layer.linear("ffn_down", up.weights.rows, Some(d_model))?,
        up,
        feed_forward_post_norm: None,
    })
}
