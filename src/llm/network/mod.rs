//! A Transformer that continues or answers texts, computed from the numbers of its files.
//!
//! Touvron et al., "LLaMA", 2023, for the layers of a decoder; one table has the differences of other families,
//! `families.rs`. T5, an encoder and a decoder, is read by `encoder_decoder.rs`.

mod cache;
mod encoder_decoder;
mod families;
mod folder_parts;
mod gpu;
mod layer;
mod positions;
mod relative;
mod rotation;
mod sizes;
mod stack;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::error::Result;
use canopy_kernels::gpu::Gpu;

use super::folder::Folder;
use super::gguf::Gguf;
use super::parts::{OUTPUT, Parts};
use super::product::{log_sum_exp, products};
use super::weights::{Tensor, Weights};
pub use cache::Cache;
use cache::Sequence;
use families::{Family, Shape};
use folder_parts::parts_of_folder;
use gpu::{GpuNetwork, RECORDED};
use layer::Layer;
use positions::Positions;
use rotation::Rotation;
use sizes::Sizes;
use stack::Stack;

const EMBEDDING: &str = "token_embd.weight";
const NORM: &str = "output_norm.weight";

/// Tokens of a prompt that are computed together.
pub(crate) const BATCH: usize = 256;

/// Tokens whose logits are held together.
const SCORED: usize = 16;

/// The attention of a query to what it sees: to tokens up to itself, or to all of a source that an encoder has read.
#[derive(Debug, Clone, Copy)]
pub struct Attention<'w> {
    /// Layer of the decoder, counted from 0.
    pub layer: usize,
    /// Head of the layer, counted from 0.
    pub head: usize,
    /// Position of the query in what the decoder reads.
    pub position: usize,
    /// Position of the first weight.
    pub first: usize,
    /// Their sum is 1.
    pub weights: &'w [f32],
}

/// Hears of the attention of each query.
pub type Recorder<'r> = dyn FnMut(Attention<'_>) + Send + 'r;

/// A network whose weights stay in its files: a decoder, behind an encoder or alone.
#[derive(Debug)]
pub struct Network {
    decoder: Stack,
    encoder: Option<Encoder>,
    embedding: Tensor,
    /// The embedding, if the file has no other.
    output: Tensor,
    /// Factor of states before the output.
    output_scale: f32,
    /// The network on a GPU, which computes in place of the CPU.
    gpu: Option<GpuNetwork>,
}

/// The layers that read a source, whose states the decoder attends to.
#[derive(Debug)]
struct Encoder {
    stack: Stack,
    /// The token before the first one that the decoder writes.
    start: u32,
}

impl Network {
    /// Whether there are networks of a `model_type` of Hugging Face here.
    pub(crate) fn is_known(model_type: &str) -> bool {
        Family::from_model_type(model_type).is_some()
    }

    /// Finds the weights of a network in its file; nothing but norms and biases is copied.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the key or tensor, if the family is not known here,
    /// or tensors are missing or have another shape than the sizes say.
    pub fn read(file: &Gguf) -> Result<Self> {
        if Sizes::family_of_file(file)?.shape == Shape::EncoderDecoder {
            return encoder_decoder::read_file(file);
        }
        let sizes = Sizes::read(file)?;
        let rotation = Rotation::read(file, &sizes)?;
        let base = sizes.family.sliding.and_then(|it| it.base);
        let plain = base.map(|base| Rotation::plain(file, &sizes, base));
        let sliding = plain.transpose()?.unwrap_or_else(|| rotation.clone());
        let parts = Parts::from_file(file.weights());
        let has_output = parts.matrix(OUTPUT, sizes.d_model, None)?.is_some();
        let positions = Positions::Rotated { rotation, sliding };
        Self::found(file.weights(), &parts, (sizes, has_output), positions)
    }

    /// Finds the weights of a network in a folder of Hugging Face.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_folder(folder: &Folder) -> Result<Self> {
        const TIED: &str = "tie_word_embeddings";
        let (family, config) = Sizes::family_of_folder(folder)?;
        if family.shape == Shape::EncoderDecoder {
            return encoder_decoder::read_folder(folder, family, &config);
        }
        let sizes = Sizes::from_folder(family, &config)?;
        let rotation = Rotation::from_folder(&config, &sizes, false)?;
        let sliding = if sizes.window.is_some() {
            Rotation::from_folder(&config, &sizes, true)?
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
        let positions = Positions::Rotated { rotation, sliding };
        Self::found(weights, &parts, (sizes, has_output), positions)
    }

    fn found(
        weights: &Arc<Weights>,
        parts: &Parts<'_>,
        (sizes, has_output): (Sizes, bool),
        positions: Positions,
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
        let decoder = Stack {
            weights: Arc::clone(weights),
            layers: layers?,
            positions,
            output_norm,
            sizes,
            reads_on: false,
        };
        Ok(Self {
            decoder,
            encoder: None,
            embedding,
            output,
            output_scale: 1.0,
            gpu: None,
        })
    }

    /// The name of its family, as GGUF has it.
    pub fn family(&self) -> &'static str {
        self.decoder.sizes.family.name
    }

    /// Number of tokens that it has embeddings of.
    pub fn vocab(&self) -> usize {
        self.embedding.rows
    }

    /// Layers of the decoder.
    pub fn num_layers(&self) -> usize {
        self.decoder.sizes.num_layers
    }

    /// Heads of queries in each layer.
    pub fn num_heads(&self) -> usize {
        self.decoder.sizes.heads
    }

    /// Positions that it was trained with.
    pub fn context(&self) -> usize {
        self.decoder.sizes.context
    }

    /// Whether an encoder reads the prompt, which is not continued then, but answered.
    pub fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }

    /// Whether there is room for `written` tokens behind a prompt of `read` ones.
    pub(crate) fn has_room(&self, read: usize, written: usize) -> bool {
        let all = if self.has_encoder() {
            read.max(written)
        } else {
            read.saturating_add(written)
        };
        all <= self.context()
    }

    /// Computes on a GPU from now on.
    ///
    /// # Errors
    /// The reason why the network stays on the CPU.
    ///
    /// # Panics
    /// If the GPU has too little memory or is lost, with a message that says so.
    pub fn move_to(&mut self, gpu: &Arc<Gpu>) -> std::result::Result<(), String> {
        self.gpu = Some(GpuNetwork::new(gpu, self)?);
        Ok(())
    }

    /// Whether a GPU computes the network.
    pub fn is_on_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// A cache without positions.
    pub fn new_cache(&self) -> Cache {
        let mut cache = self.decoder.new_cache();
        let there = self.gpu.as_ref();
        cache.gpu = there.map(|gpu| gpu.new_cache(self));
        cache
    }

    /// The token with which the decoder begins behind an encoder, if there is one.
    pub(crate) fn start(&self) -> Option<u32> {
        self.encoder.as_ref().map(|encoder| encoder.start)
    }

    /// Reads a prompt, by the encoder if there is one, else behind the tokens of the cache; gives the logits `[vocab]` of the
    /// first token that follows.
    ///
    /// # Panics
    /// As [`Self::read_tokens`].
    pub fn read_prompt(&self, ids: &[u32], cache: &mut Cache) -> Vec<f32> {
        let Some(start) = self.start() else {
            return self.read_tokens(ids, cache);
        };
        self.read_source(ids, cache);
        self.read_tokens(&[start], cache)
    }

    /// Has the encoder read a source, in place of all that the cache has; nothing where there is no encoder.
    ///
    /// # Panics
    /// If there are no tokens, or one of them is outside the vocabulary.
    pub fn read_source(&self, ids: &[u32], cache: &mut Cache) {
        let Some(Encoder { stack, .. }) = &self.encoder else {
            return;
        };
        assert!(!ids.is_empty(), "no tokens");
        if let (Some(gpu), Some(there)) = (&self.gpu, &mut cache.gpu) {
            gpu.read_source(stack, &self.embedded(ids), there);
            cache.clear();
            return;
        }
        rayon::scope(|_| {
            let mut read = Sequence {
                prefix: None,
                cache: &mut stack.new_cache(),
                tokens: ids.len(),
            };
            let read = std::slice::from_mut(&mut read);
            let states = stack.states(self.embedded(ids), read, None);
            self.decoder.begin(&stack.normed(&states), cache);
        });
    }

    /// Reads tokens after those of the cache; gives the logits `[vocab]` of what follows the last one.
    ///
    /// # Panics
    /// If there are no tokens, or one of them is outside the vocabulary.
    pub fn read_tokens(&self, ids: &[u32], cache: &mut Cache) -> Vec<f32> {
        assert!(!ids.is_empty(), "no tokens");
        let (context, rest) = ids.split_at((ids.len() - 1) / BATCH * BATCH);
        self.read_context(context, cache);
        if self.is_on_gpu() {
            let mut logits = Vec::new();
            self.read_on_gpu(rest, cache, 1, &mut |part| logits = part);
            return logits;
        }
        // In the pool's own threads, where waiting for the next product costs least.
        rayon::scope(|_| {
            let states = self.states(rest, cache, None);
            self.logits(&states[states.len() - self.decoder.sizes.d_model..])
        })
    }

    /// Reads a token for each of some caches, after its own and after those of `prefix`, which all of them continue; gives the
    /// logits `[vocab]` of what follows each.
    ///
    /// # Panics
    /// If there are not as many tokens as caches, one of them is outside the vocabulary, or a GPU computes the network.
    pub(crate) fn read_branches(
        &self,
        ids: &[u32],
        prefix: &Cache,
        branches: &mut [&mut Cache],
    ) -> Vec<Vec<f32>> {
        assert_eq!(ids.len(), branches.len(), "a token for each");
        assert!(!self.is_on_gpu(), "the CPU has the caches");
        let sequence = |cache| Sequence {
            prefix: Some(prefix),
            cache,
            tokens: 1,
        };
        let branches = branches.iter_mut().map(|it| &mut **it);
        let mut sequences: Vec<Sequence<'_>> = branches.map(sequence).collect();
        let logits = rayon::scope(|_| {
            let x = self.embedded(ids);
            let states = self.decoder.states(x, &mut sequences, None);
            self.logits(&states)
        });
        let rows = logits.chunks_exact(self.vocab());
        rows.map(<[f32]>::to_vec).collect()
    }

    /// Reads tokens after those of the cache, for what is read after them.
    ///
    /// # Panics
    /// If one of them is outside the vocabulary.
    pub fn read_context(&self, ids: &[u32], cache: &mut Cache) {
        if self.is_on_gpu() {
            for ids in ids.chunks(BATCH) {
                self.read_on_gpu(ids, cache, 0, &mut drop);
            }
            return;
        }
        rayon::scope(|_| {
            for ids in ids.chunks(BATCH) {
                self.states(ids, cache, None);
            }
        });
    }

    /// Reads `context` and then `ids` after the tokens of the cache, and returns the attention of `ids`: all heads of a layer for one
    /// token after the other, then the next layer.
    ///
    /// # Panics
    /// If one of them is outside the vocabulary.
    pub fn read_recorded(
        &self,
        context: &[u32],
        ids: &[u32],
        cache: &mut Cache,
        recorder: &mut Recorder<'_>,
    ) {
        if self.is_on_gpu() {
            self.read_context(context, cache);
        }
        if let (Some(gpu), Some(there)) = (&self.gpu, &mut cache.gpu) {
            for ids in ids.chunks(RECORDED) {
                let place = (&mut *there, cache.length);
                gpu.read_recorded(&self.decoder, &self.embedded(ids), place, recorder);
                cache.length += ids.len();
            }
            return;
        }
        let first = cache.length + context.len();
        let mut record = |attention: Attention<'_>| {
            if attention.position >= first {
                recorder(attention);
            }
        };
        // Together: weights are read once for both.
        let all = [context, ids].concat();
        rayon::scope(|_| {
            for ids in all.chunks(BATCH) {
                let is_context = cache.length + ids.len() <= first;
                let recorder: Option<&mut Recorder<'_>> =
                    if is_context { None } else { Some(&mut record) };
                self.states(ids, cache, recorder);
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
            let mut following = following.chunks(SCORED);
            let mut score = |logits: Vec<f32>| {
                let rows = logits.chunks_exact(self.vocab());
                let rows = rows.zip(following.next().unwrap_or_default());
                log_probs.extend(rows.map(|(row, id)| row[*id as usize] - log_sum_exp(row)));
            };
            if self.is_on_gpu() {
                self.read_on_gpu(ids, cache, ids.len(), &mut score);
                continue;
            }
            let states = rayon::scope(|_| self.states(ids, cache, None));
            for states in states.chunks(SCORED * self.decoder.sizes.d_model) {
                score(rayon::scope(|_| self.logits(states)));
            }
        }
        log_probs
    }

    /// Logits of states: `[states, vocab]`.
    fn logits(&self, states: &[f32]) -> Vec<f32> {
        let sizes = &self.decoder.sizes;
        let mut states = self.decoder.normed(states);
        for number in &mut states {
            *number *= self.output_scale;
        }
        let rows = states.len() / sizes.d_model;
        let mut outputs = products(&self.decoder.weights, &[&self.output], &states, rows);
        self.capped(outputs.pop().unwrap_or_default())
    }

    fn capped(&self, mut logits: Vec<f32>) -> Vec<f32> {
        if let Some(cap) = self.decoder.sizes.logit_cap {
            for logit in &mut logits {
                *logit = cap * (*logit / cap).tanh();
            }
        }
        logits
    }

    /// Reads at most [`BATCH`] tokens after those of a cache of the GPU, and hands on the logits of the last `wanted` ones, up to
    /// [`SCORED`] of them at a time: `[any, vocab]`.
    fn read_on_gpu(
        &self,
        ids: &[u32],
        cache: &mut Cache,
        wanted: usize,
        each: &mut dyn FnMut(Vec<f32>),
    ) {
        let (Some(gpu), Some(there)) = (&self.gpu, &mut cache.gpu) else {
            panic!("the cache is of the time when the CPU computed");
        };
        let x = self.embedded(ids);
        let place = (there, cache.length);
        gpu.read(&self.decoder, &x, place, wanted, &mut |logits| {
            each(self.capped(logits));
        });
        cache.length += ids.len();
    }

    /// States after the last layer of the decoder: `[tokens, d_model]`.
    fn states(
        &self,
        ids: &[u32],
        cache: &mut Cache,
        recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let mut read = Sequence {
            prefix: None,
            cache,
            tokens: ids.len(),
        };
        let read = std::slice::from_mut(&mut read);
        self.decoder.states(self.embedded(ids), read, recorder)
    }

    fn embedded(&self, ids: &[u32]) -> Vec<f32> {
        let (table, sizes) = (&self.embedding, &self.decoder.sizes);
        let d_model = sizes.d_model;
        let bytes = self.decoder.weights.bytes(table);
        let row = d_model / table.kind.numbers() * table.kind.bytes();
        let mut x = vec![0.0; ids.len() * d_model];
        for (id, x) in ids.iter().zip(x.chunks_exact_mut(d_model)) {
            table
                .kind
                .dequantise(&bytes[*id as usize * row..][..row], x);
        }
        if sizes.family.scales_embeddings {
            #[expect(clippy::cast_precision_loss, reason = "a width")]
            let scale = (d_model as f32).sqrt();
            for number in &mut x {
                *number *= scale;
            }
        }
        x
    }
}
