//! A decoder-only Transformer, computed from the numbers of its files.
//!
//! Touvron et al., "LLaMA", 2023, for the layers; in what other families differ stands in one table, `families.rs`.

mod cache;
mod families;
mod folder_parts;
mod layer;
mod rotation;
mod sizes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use canopy_base::error::Result;
use rayon::prelude::*;

use super::folder::Folder;
use super::gguf::Gguf;
use super::parts::{OUTPUT, Parts};
use super::product::{attend, gate, log_sum_exp, products, rms_norm};
use super::weights::{Tensor, Weights};
pub use cache::Cache;
use families::Family;
use folder_parts::parts_of_folder;
use layer::{Layer, Linear};
use rotation::{Angles, Rotation};
use sizes::Sizes;

const EMBEDDING: &str = "token_embd.weight";
const NORM: &str = "output_norm.weight";

/// Tokens of a prompt that are computed together.
pub(crate) const BATCH: usize = 256;

/// Tokens whose logits are held together.
const SCORED: usize = 16;

/// Products of scores below which attention is not worth a second thread.
const LEAST_PRODUCTS: usize = 1 << 17;

/// The attention of a query to what it sees.
#[derive(Debug, Clone, Copy)]
pub struct Attention<'w> {
    pub layer: usize,
    pub head: usize,
    /// Position of the query.
    pub position: usize,
    /// Position of the first weight.
    pub first: usize,
    /// Up to the query itself; their sum is 1.
    pub weights: &'w [f32],
}

/// Hears of the attention of each query.
pub type Recorder<'r> = dyn FnMut(Attention<'_>) + Send + 'r;

/// A network whose weights stay in its files.
#[derive(Debug)]
pub struct Network {
    weights: Arc<Weights>,
    sizes: Sizes,
    embedding: Tensor,
    layers: Vec<Layer>,
    output_norm: Vec<f32>,
    /// The embedding, if the file has no other.
    output: Tensor,
    rotation: Rotation,
    /// Rotation of layers with a window.
    sliding_rotation: Rotation,
}

impl Network {
    /// Whether there are networks of a `model_type` of Hugging Face here.
    pub(crate) fn is_known(model_type: &str) -> bool {
        Family::of_model_type(model_type).is_some()
    }

    /// Finds the weights of a network in its file; nothing but norms and biases is copied.
    ///
    /// # Errors
    /// [`LanguageModel`](canopy_base::error::Error::LanguageModel) with the key or tensor, if the family is not known here,
    /// or tensors are missing or have another shape than the sizes say.
    pub fn read(file: &Gguf) -> Result<Self> {
        let sizes = Sizes::read(file)?;
        let rotation = Rotation::read(file, &sizes)?;
        let base = sizes.family.sliding.and_then(|it| it.base);
        let plain = base.map(|base| Rotation::plain(file, &sizes, base));
        let sliding = plain.transpose()?.unwrap_or_else(|| rotation.clone());
        let parts = Parts::of_file(file.weights());
        let has_output = parts.matrix(OUTPUT, sizes.d_model, None)?.is_some();
        let weights = file.weights();
        Self::found(weights, &parts, (sizes, has_output), [rotation, sliding])
    }

    /// Finds the weights of a network in a folder of Hugging Face.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of_folder(folder: &Folder) -> Result<Self> {
        const TIED: &str = "tie_word_embeddings";
        let (sizes, config) = Sizes::of_folder(folder)?;
        let rotation = Rotation::of_folder(&config, &sizes, false)?;
        let sliding = if sizes.window.is_some() {
            Rotation::of_folder(&config, &sizes, true)?
        } else {
            rotation.clone()
        };
        let weights = folder.weights();
        let parts = parts_of_folder(weights, sizes.family, sizes.num_layers)?;
        let tied = config.bool(TIED)?.or(folder.config().bool(TIED)?);
        let has_output = match tied {
            Some(tied) => !tied,
            None => parts.matrix(OUTPUT, sizes.d_model, None)?.is_some(),
        };
        Self::found(weights, &parts, (sizes, has_output), [rotation, sliding])
    }

    fn found(
        weights: &Arc<Weights>,
        parts: &Parts<'_>,
        (sizes, has_output): (Sizes, bool),
        [rotation, sliding_rotation]: [Rotation; 2],
    ) -> Result<Self> {
        let d_model = sizes.d_model;
        let embedding = parts.needed(EMBEDDING, parts.matrix(EMBEDDING, d_model, None)?)?;
        let output = if has_output {
            let output = parts.matrix(OUTPUT, d_model, Some(embedding.rows))?;
            parts.needed(OUTPUT, output)?
        } else {
            embedding.clone()
        };
        let output_norm = parts.needed(NORM, parts.vector(NORM, d_model)?)?;
        let layers: Result<Vec<Layer>> = (0..sizes.num_layers)
            .map(|number| Layer::read(parts, &sizes, number))
            .collect();
        Ok(Self {
            weights: Arc::clone(weights),
            layers: layers?,
            rotation,
            sliding_rotation,
            output,
            embedding,
            output_norm,
            sizes,
        })
    }

    /// The name of its family, as GGUF has it.
    pub fn family(&self) -> &'static str {
        self.sizes.family.name
    }

    /// Number of tokens that it has embeddings of.
    pub fn vocab(&self) -> usize {
        self.embedding.rows
    }

    pub fn num_layers(&self) -> usize {
        self.sizes.num_layers
    }

    /// Heads of queries in each layer.
    pub fn num_heads(&self) -> usize {
        self.sizes.heads
    }

    /// Positions that it was trained with.
    pub fn context(&self) -> usize {
        self.sizes.context
    }

    /// A cache without positions.
    pub fn new_cache(&self) -> Cache {
        let sizes = &self.sizes;
        let Sizes {
            num_layers,
            kv_heads,
            in_halves,
            ..
        } = *sizes;
        Cache::new(num_layers, kv_heads, sizes.attention.d_head, in_halves)
    }

    /// Reads tokens after those of the cache; gives the logits `[vocab]` of what follows the last one.
    ///
    /// # Panics
    /// If there are no tokens, or one of them is outside the vocabulary.
    pub fn read_tokens(&self, ids: &[u32], cache: &mut Cache) -> Vec<f32> {
        assert!(!ids.is_empty(), "no tokens");
        let (context, rest) = ids.split_at((ids.len() - 1) / BATCH * BATCH);
        self.read_context(context, cache);
        // In the pool's own threads, where waiting for the next product costs least.
        rayon::scope(|_| {
            let states = self.states(rest, cache, None);
            self.logits(&states[states.len() - self.sizes.d_model..])
        })
    }

    /// Reads tokens after those of the cache, for what is read after them.
    ///
    /// # Panics
    /// If one of them is outside the vocabulary.
    pub fn read_context(&self, ids: &[u32], cache: &mut Cache) {
        rayon::scope(|_| {
            for ids in ids.chunks(BATCH) {
                self.states(ids, cache, None);
            }
        });
    }

    /// Reads tokens after those of the cache, and returns their attention: all heads of a layer for one token after the other,
    /// then the next layer.
    ///
    /// # Panics
    /// If one of them is outside the vocabulary.
    pub fn read_recorded(&self, ids: &[u32], cache: &mut Cache, recorder: &mut Recorder<'_>) {
        rayon::scope(|_| {
            for ids in ids.chunks(BATCH) {
                self.states(ids, cache, Some(recorder));
            }
        });
    }

    /// Reads tokens behind those of the cache; gives the log-probability of the token that follows each of them, which are
    /// `following`.
    ///
    /// # Panics
    /// If a token is beyond the vocabulary, or not as many follow as are read.
    pub fn read_forced(&self, ids: &[u32], following: &[u32], cache: &mut Cache) -> Vec<f32> {
        assert_eq!(ids.len(), following.len(), "a token follows each");
        let mut log_probs = Vec::with_capacity(ids.len());
        for (ids, following) in ids.chunks(BATCH).zip(following.chunks(BATCH)) {
            let states = rayon::scope(|_| self.states(ids, cache, None));
            let states = states.chunks(SCORED * self.sizes.d_model);
            for (states, following) in states.zip(following.chunks(SCORED)) {
                let logits = rayon::scope(|_| self.logits(states));
                let rows = logits.chunks_exact(self.vocab()).zip(following);
                log_probs.extend(rows.map(|(row, id)| row[*id as usize] - log_sum_exp(row)));
            }
        }
        log_probs
    }

    /// Logits of states: `[states, vocab]`.
    fn logits(&self, states: &[f32]) -> Vec<f32> {
        let mut state = states.to_vec();
        self.norm(&mut state, &self.output_norm);
        let rows = state.len() / self.sizes.d_model;
        let mut outputs = products(&self.weights, &[&self.output], &state, rows);
        let mut logits = outputs.pop().unwrap_or_default();
        if let Some(cap) = self.sizes.logit_cap {
            for logit in &mut logits {
                *logit = cap * (*logit / cap).tanh();
            }
        }
        logits
    }

    /// States after the last layer: `[tokens, d_model]`.
    fn states(
        &self,
        ids: &[u32],
        cache: &mut Cache,
        mut recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let mut x = self.embedded(ids);
        let angles = self.rotation.angles(cache.length, ids.len());
        let sliding = self.sliding_rotation.angles(cache.length, ids.len());
        for (number, layer) in self.layers.iter().enumerate() {
            let slides = self.sizes.slides(number);
            let rotation = if slides {
                (&self.sliding_rotation, &sliding)
            } else {
                (&self.rotation, &angles)
            };
            let recorder = recorder.as_deref_mut();
            let attended = self.attended(number, &x, rotation, cache, recorder);
            self.add(&mut x, attended, layer.attention_post_norm.as_deref());
            let fed = self.fed_forward(layer, &x, ids.len());
            self.add(&mut x, fed, layer.feed_forward_post_norm.as_deref());
        }
        cache.length += ids.len();
        x
    }

    fn embedded(&self, ids: &[u32]) -> Vec<f32> {
        let (table, d_model) = (&self.embedding, self.sizes.d_model);
        let bytes = self.weights.bytes(table);
        let row = d_model / table.kind.numbers() * table.kind.bytes();
        let mut x = vec![0.0; ids.len() * d_model];
        for (id, x) in ids.iter().zip(x.chunks_exact_mut(d_model)) {
            table
                .kind
                .dequantise(&bytes[*id as usize * row..][..row], x);
        }
        if self.sizes.family.scales_embeddings {
            #[expect(clippy::cast_precision_loss, reason = "a width")]
            let scale = (d_model as f32).sqrt();
            for number in &mut x {
                *number *= scale;
            }
        }
        x
    }

    /// Adds what a part of a layer computes to what went into it.
    fn add(&self, x: &mut [f32], mut part: Vec<f32>, post_norm: Option<&[f32]>) {
        if let Some(norm) = post_norm {
            self.norm(&mut part, norm);
        }
        for (x, part) in x.iter_mut().zip(part) {
            *x += part;
        }
    }

    /// Normalises rows as long as `weights`.
    fn norm(&self, x: &mut [f32], weights: &[f32]) {
        let epsilon = self.sizes.epsilon;
        let rows = x.par_chunks_exact_mut(weights.len()).with_min_len(16);
        rows.for_each(|row| rms_norm(row, weights, epsilon));
    }

    /// Products with matrices of a layer, each with its bias.
    fn linear(&self, parts: &[&Linear], x: &[f32], rows: usize) -> Vec<Vec<f32>> {
        let weights: Vec<&Tensor> = parts.iter().map(|it| &it.weights).collect();
        let mut outputs = products(&self.weights, &weights, x, rows);
        for (output, part) in outputs.iter_mut().zip(parts) {
            let Some(bias) = &part.bias else { continue };
            for row in output.chunks_exact_mut(bias.len()) {
                row.iter_mut().zip(bias).for_each(|(it, bias)| *it += bias);
            }
        }
        outputs
    }

    /// Attention of a layer: `[tokens, d_model]`.
    fn attended(
        &self,
        number: usize,
        x: &[f32],
        (rotation, angles): (&Rotation, &Angles),
        cache: &mut Cache,
        recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let (layer, sizes) = (&self.layers[number], &self.sizes);
        let tokens = x.len() / sizes.d_model;
        let d_head = sizes.attention.d_head;
        let mut normed = x.to_vec();
        self.norm(&mut normed, &layer.attention_norm);
        let parts = [&layer.queries, &layer.keys, &layer.values];
        let parts = self.linear(&parts, &normed, tokens);
        let [mut queries, mut keys, values] = <[Vec<f32>; 3]>::try_from(parts).unwrap_or_default();
        for (heads, norm) in [
            (&mut queries, &layer.query_norm),
            (&mut keys, &layer.key_norm),
        ] {
            let norm = norm.as_deref();
            let [before, after] = if sizes.family.rotates_first {
                [None, norm]
            } else {
                [norm, None]
            };
            if let Some(norm) = before {
                self.norm(heads, norm);
            }
            let width = heads.len() / tokens;
            for (index, heads) in heads.chunks_exact_mut(width).enumerate() {
                rotation.rotate(angles, index, heads, d_head);
            }
            if let Some(norm) = after {
                self.norm(heads, norm);
            }
        }
        cache.push(number, &keys, &values);
        let attended = self.weighted_values(number, &queries, cache, recorder);
        let mut outputs = self.linear(&[&layer.attention_output], &attended, tokens);
        outputs.pop().unwrap_or_default()
    }

    /// Values weighted by attention: `[tokens, heads, d_head]`, as the queries.
    fn weighted_values(
        &self,
        number: usize,
        queries: &[f32],
        cache: &Cache,
        recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let sizes = &self.sizes;
        let (d_head, kv_heads) = (sizes.attention.d_head, sizes.kv_heads);
        let group = sizes.heads / kv_heads * d_head;
        let heads = &cache.layers[number];
        let mut output = vec![0.0; queries.len()];
        let visible = |index: usize| sizes.visible(number, cache.length + index / kv_heads);
        let attend_one = |(index, output): (usize, &mut [f32])| {
            let visible = visible(index);
            let part = visible.start * d_head..visible.end * d_head;
            let head = &heads[index % kv_heads];
            let pair = head.part(part);
            let queries = &queries[index * group..][..group];
            attend(&sizes.attention, queries, pair, output)
        };
        if let Some(recorder) = recorder {
            let parts = output.par_chunks_exact_mut(group).enumerate();
            let weights: Vec<Vec<f32>> = parts.map(attend_one).collect();
            for (index, weights) in weights.iter().enumerate() {
                let visible = visible(index);
                for (query, weights) in weights.chunks_exact(visible.len()).enumerate() {
                    recorder(Attention {
                        layer: number,
                        head: index % kv_heads * (group / d_head) + query,
                        position: visible.end - 1,
                        first: visible.start,
                        weights,
                    });
                }
            }
            return output;
        }
        let tokens = queries.len() / (sizes.heads * d_head);
        let seen = (cache.length + tokens) * d_head;
        if queries.len() / d_head * seen < LEAST_PRODUCTS {
            let parts = output.chunks_exact_mut(group).enumerate();
            parts.for_each(|part| drop(attend_one(part)));
        } else {
            let parts = output.par_chunks_exact_mut(group).enumerate();
            parts.for_each(|part| drop(attend_one(part)));
        }
        output
    }

    /// The gated layer: `[tokens, d_model]`.
    fn fed_forward(&self, layer: &Layer, x: &[f32], tokens: usize) -> Vec<f32> {
        let mut normed = x.to_vec();
        self.norm(&mut normed, &layer.feed_forward_norm);
        let parts = self.linear(&[&layer.gate, &layer.up], &normed, tokens);
        let [mut gates, values] = <[Vec<f32>; 2]>::try_from(parts).unwrap_or_default();
        let width = gates.len() / tokens;
        let rows = gates.par_chunks_mut(width).zip(values.par_chunks(width));
        rows.for_each(|(gates, values)| gate(self.sizes.gate, gates, values));
        let mut outputs = self.linear(&[&layer.down], &gates, tokens);
        outputs.pop().unwrap_or_default()
    }
}
