//! A Transformer for inference on the CPU: its weights packed once, its steps computed on plain slices.
//!
//! The layers of burn, with which a model is trained, are the definition; a test compares the two. What
//! [`PackedTransformer::new`] refuses is computed by them.

mod context;
mod decoder;
mod embedding;
mod embedding_tables;
mod encoder;
mod gate;
mod gpu;
mod layers;
mod ssru;
mod state;
#[cfg(test)]
mod tests;
mod translations;

use std::sync::Arc;

use burn::tensor::Device;

use super::batch::Batch;
use super::config::{Architecture, ModelConfig};
use super::context_config::Context;
use super::decoder::DecoderMemory;
use super::encoder::EncoderOutput;
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::recorder::AttentionRecorder;
use super::transformer::Transformer;
use super::unread::UnreadWeights;
use super::variant::SpecialTokens;
use crate::datastore::Datastore;
use canopy_kernels::gpu::Gpu;
use canopy_kernels::packed::{PackedMatrix, Quantization, Scratch, Table, log_normalisers};
use context::ContextMemory;
use decoder::PackedDecoder;
use embedding::PackedEmbedding;
use embedding_tables::EmbeddingTables;
use encoder::PackedEncoder;

// The parts of a system's form on the CPU.
pub(super) use context::{Pack, PackedContext};
pub(super) use gate::PackedGate;
pub(super) use layers::{Buffers, Map, PackedFeedForward, Packing, packed};
pub(super) use translations::shared_words;

pub use gpu::{GpuState, GpuTransformer};

pub use state::{
    PackedDecoderOutput, PackedEncoderOutput, PackedSource, PackedState, TranslationStates,
};
pub(super) use translations::SharedTranslations;

/// A packed model.
#[derive(Debug, Clone)]
pub struct PackedTransformer {
    source: PackedEmbedding,
    target: PackedEmbedding,
    /// None where burn's encoder has to read: it reads more than the sentence.
    encoder: Option<PackedEncoder>,
    /// The sublayers of an encoder that reads its document after the last of them; none for any other one.
    below_context: Option<PackedEncoder>,
    /// Whether nothing is read but the sentence.
    reads_sentences: bool,
    decoder: PackedDecoder,
    /// `[d_model, vocab]`
    logits: Arc<PackedMatrix>,
    tokens: SpecialTokens,
}

/// The words of the target vocabulary whose scores a search needs.
#[derive(Debug, Clone)]
pub struct VocabularySubset {
    /// Their ids, in order.
    pub ids: Vec<u32>,
    /// `[d_model, words]`
    logits: PackedMatrix,
}

impl PackedTransformer {
    /// Packs the weights of a model with this context; the error says what it has that is not computed here. What is in
    /// `unread` is read from there, matrix by matrix, and burn's layers still have not read it.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn new(
        network: &Transformer,
        context: Option<Context>,
        quantization: Quantization,
        unread: Option<&dyn UnreadWeights>,
    ) -> Result<Self, &'static str> {
        Self::check(network)?;
        let packing = Packing {
            quantization,
            unread,
        };
        let mut tables = EmbeddingTables::from_network(network, packing);
        let logits = PackedMatrix::transposed(&tables.words, tables.bias.as_deref(), quantization);
        let logits = Arc::new(logits);
        if quantization != Quantization::Int8 {
            tables.share(&logits);
        }
        let EmbeddingTables { source, target, .. } = tables;
        Ok(Self {
            source,
            target,
            tokens: network.tokens.clone(),
            reads_sentences: context.is_none(),
            encoder: Self::packs_encoder(network, context)
                .then(|| PackedEncoder::new(&network.encoder, packing)),
            below_context: (Self::packs_sublayers(network) && network.encoder.gated.is_some())
                .then(|| PackedEncoder::new(&network.encoder, packing)),
            decoder: PackedDecoder::new(&network.decoder, packing),
            logits,
        })
    }

    /// Whether a model can be packed. This is the one place that decides.
    ///
    /// # Errors
    /// If the model is on a GPU.
    pub fn check(network: &Transformer) -> Result<(), &'static str> {
        if !is_packed_on(&network.embedding.words.lazy_device()) {
            return Err("it is not on the CPU, or learns");
        }
        Ok(())
    }

    /// Whether the encoder reads sentences by themselves, counted from their own beginnings.
    fn packs_encoder(network: &Transformer, context: Option<Context>) -> bool {
        let encoder = &network.encoder;
        context.is_none_or(|context| !context.side().has_encoder())
            && Self::packs_sublayers(network)
            && encoder.gated.is_none()
    }

    /// Whether all sublayers of the encoder read sentences by themselves.
    fn packs_sublayers(network: &Transformer) -> bool {
        let encoder = &network.encoder;
        network.reserve.is_none()
            && network.concatenated == 0
            && network.flat.is_none()
            && network.bert.is_none()
            && encoder.contexts.is_empty()
            && encoder.fusions.is_empty()
            && encoder.previous.is_none()
    }

    /// Whether of all models with this configuration encoder and decoder are packed, here or on the GPU.
    pub fn packs_whole(config: &ModelConfig, device: &Device) -> bool {
        (is_packed_on(device) || Gpu::from_device(device).is_some())
            && config.architecture == Architecture::Transformer
            && config.context.is_none()
            && config.bert.is_none()
    }

    /// The subset with which [`Self::step`] scores these words alone; their ids ascend.
    pub fn vocabulary_subset(&self, ids: Vec<u32>) -> VocabularySubset {
        VocabularySubset {
            logits: self.logits.select(&ids),
            ids,
        }
    }

    /// Whether [`Self::encode`] and [`Self::decode`] are all there is: nothing beyond the sentence is read.
    pub fn encodes(&self) -> bool {
        self.reads_sentences && self.encoder.is_some()
    }

    /// Whether [`Self::decode`] gives what other sentences read of translations.
    pub fn decodes_translations(&self) -> bool {
        self.decoder.layers_read_sentences()
    }

    /// Returns the number of target tokens that are scored.
    pub fn vocab_size(&self) -> usize {
        self.logits.outputs()
    }

    /// Returns the width of a state.
    pub fn d_model(&self) -> usize {
        self.logits.inputs()
    }

    /// Source tokens, at most `most`, that each of several cores should search at a time. If the weights are small, as many
    /// as leave them, and keys and values of all words, in the cache that cores share; if they are large, all go through
    /// that cache at every word anyway, and should serve many.
    pub fn batch_tokens(&self, cores: usize, most: usize) -> usize {
        /// Bytes of a cache that many processors have for two cores or four.
        const CACHE: usize = 8 << 20;
        /// Tokens for which existing weights are worth going through.
        const LEAST: usize = 256;
        let weights = self.decoder.num_bytes() + self.logits.num_bytes();
        if weights >= CACHE {
            return most;
        }
        // A word of the translation for one of the source.
        let token = (2 * self.decoder.bytes_of_token()).max(1);
        ((CACHE - weights) / (cores * token)).clamp(LEAST, most)
    }

    /// Ids of the special tokens.
    pub fn tokens(&self) -> &SpecialTokens {
        &self.tokens
    }

    /// Encodes sentences by themselves; None if the model's encoder reads more.
    pub fn encode(&self, rows: &PackedBatch, scratch: Scratch) -> Option<PackedEncoderOutput> {
        self.encode_recorded(rows, scratch, &mut AttentionRecorder::off())
    }

    /// [`Self::encode`], with what it attends to.
    pub(super) fn encode_recorded(
        &self,
        rows: &PackedBatch,
        scratch: Scratch,
        recorder: &mut AttentionRecorder,
    ) -> Option<PackedEncoderOutput> {
        let encoder = self.encoder.as_ref()?;
        Some(PackedEncoderOutput {
            states: self.sublayers(encoder, rows, scratch, recorder),
            sentences: rows.sentences.clone(),
            positions: rows.positions.clone(),
            context_memory: None,
        })
    }

    /// States of sentences before they are joined with those of their documents; None if the encoder reads these in another
    /// place, or not at all.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub(super) fn encode_below_context(
        &self,
        rows: &PackedBatch,
        scratch: Scratch,
        recorder: &mut AttentionRecorder,
    ) -> Option<Vec<f32>> {
        let encoder = self.below_context.as_ref()?;
        Some(self.sublayers(encoder, rows, scratch, recorder))
    }

    fn sublayers(
        &self,
        encoder: &PackedEncoder,
        rows: &PackedBatch,
        scratch: Scratch,
        recorder: &mut AttentionRecorder,
    ) -> Vec<f32> {
        let x = self.source.rows(rows, &rows.positions);
        encoder.forward(x, &rows.sentences, scratch, recorder)
    }

    /// Whether all but the context after the last sublayer of the encoder is packed.
    pub fn encodes_below_context(&self) -> bool {
        self.below_context.is_some()
    }

    /// States of all words of translations of the sentences of `encoded`, as [`Transformer::decode`]; sentence `n` of
    /// `target` translates sentence `translated[n]`.
    pub fn decode(
        &self,
        target: &PackedBatch,
        encoded: &PackedEncoderOutput,
        translated: &[usize],
        scratch: Scratch,
    ) -> PackedDecoderOutput {
        let recorder = &mut AttentionRecorder::off();
        self.decode_recorded((target, encoded), translated, scratch, recorder)
    }

    /// [`Self::decode`], with what it attends to of the source.
    pub(super) fn decode_recorded(
        &self,
        (target, encoded): (&PackedBatch, &PackedEncoderOutput),
        translated: &[usize],
        scratch: Scratch,
        recorder: &mut AttentionRecorder,
    ) -> PackedDecoderOutput {
        let of = |number: &usize| {
            (
                encoded.sentences[*number].clone(),
                encoded.positions[*number],
            )
        };
        let (sources, positions): (Vec<_>, Vec<_>) = translated.iter().map(of).unzip();
        let y = self.target.rows(target, &positions);
        let segments = target.sentences.iter().cloned().zip(sources);
        let segments: Vec<_> = segments.collect();
        let decoder = &self.decoder;
        decoder.forward(y, &segments, &encoded.states, (scratch, recorder))
    }

    /// Log-probability of each of `batch.labels` after the words before it, as
    /// [`Model::label_log_probs`](super::Model::label_log_probs), in the thread of the caller.
    ///
    /// # Panics
    /// If the model's encoder reads more than sentences.
    pub fn label_log_probs(&self, batch: &Batch, datastore: Option<&Datastore>) -> Vec<f32> {
        /// Number of rows whose scores are held at once.
        const ROWS: usize = 64;
        let output = self.label_states(batch);
        let d_model = self.logits.inputs();
        let mut scratch = Scratch::default();
        let (mut scores, mut normalisers) = (Vec::new(), Vec::new());
        let mut log_probs = Vec::with_capacity(batch.labels.len());
        let labels = batch.labels.chunks(ROWS);
        for (states, labels) in output.states.chunks(ROWS * d_model).zip(labels) {
            self.logits.multiply(states, &mut scores, &mut scratch);
            log_normalisers(&scores, self.vocab_size(), &mut normalisers);
            let rows = scores.chunks_exact(self.vocab_size());
            let rows = rows.zip(&normalisers).zip(labels);
            log_probs.extend(
                rows.map(|((scores, normaliser), label)| scores[*label as usize] - normaliser),
            );
        }
        let Some(datastore) = datastore else {
            return log_probs;
        };
        let near = datastore.near_of(&output.fed_forward, batch.translations(), &mut scratch);
        let words = log_probs.into_iter().zip(&batch.labels).zip(near);
        words
            .map(|((alone, &label), near)| datastore.mixed(alone.exp(), label, &near).ln())
            .collect()
    }

    /// Translations as hypotheses read them, where packed weights compute that.
    pub(super) fn prepare(&self, translations: &Memory) -> Option<SharedTranslations> {
        self.decoder.prepare(translations)
    }

    /// States of all words of `batch.target`, in the thread of the caller.
    ///
    /// # Panics
    /// If the model's encoder reads more than sentences.
    pub fn label_states(&self, batch: &Batch) -> PackedDecoderOutput {
        let encoded = self.encode(&batch.source, Scratch::default());
        let encoded = encoded.expect("a packed encoder");
        self.label_states_of(batch, &encoded)
    }

    /// [`Self::label_states`] of sentences that are `encoded` already.
    pub fn label_states_of(
        &self,
        batch: &Batch,
        encoded: &PackedEncoderOutput,
    ) -> PackedDecoderOutput {
        self.decode(
            &batch.target,
            encoded,
            &batch.translated,
            Scratch::default(),
        )
    }

    /// The part of encoded sentences that a search reads.
    pub fn source(&self, encoded: &PackedEncoderOutput, scratch: &mut Scratch) -> PackedSource {
        self.decoder.source(encoded, scratch)
    }

    /// A state before the first word, with one hypothesis for each of these sentences of the source.
    pub fn start(&self, source: PackedSource, numbers: &[usize], scratch: Scratch) -> PackedState {
        PackedState::new(self.decoder.num_layers(), source, numbers, scratch)
    }

    /// Adds the word `ids[h]` to hypothesis `h`: scores before softmax, and in `output` a row of each hypothesis, as
    /// [`Self::decode`] has them.
    ///
    /// # Shapes
    /// - scores: `[hypotheses, vocab]`
    pub fn step(
        &self,
        state: &mut PackedState,
        ids: &[u32],
        scores: &mut Vec<f32>,
        output: Option<&mut PackedDecoderOutput>,
    ) {
        let states = self.next_states(state, ids, output);
        self.scores(state, &states, scores);
    }

    /// Scores before softmax after [`Self::next_states`].
    ///
    /// # Shapes
    /// - scores: `[hypotheses, vocab]`
    pub fn scores(&self, state: &mut PackedState, states: &[f32], scores: &mut Vec<f32>) {
        self.logits.multiply(states, scores, state.scratch());
    }

    /// States after the words `ids` from which the next ones are scored; `output` as in [`Self::step`].
    ///
    /// # Shapes
    /// - output: `[hypotheses, d_model]`
    pub fn next_states(
        &self,
        state: &mut PackedState,
        ids: &[u32],
        output: Option<&mut PackedDecoderOutput>,
    ) -> Vec<f32> {
        let y = self.target.words(ids, &state.next_positions());
        self.decoder.step(state, y, output)
    }

    /// Scores after [`Self::next_states`] of all words, or of `some` alone, as [`PackedMatrix::multiply_in_parts`] has them.
    pub fn scores_in_parts<K: Send>(
        &self,
        (state, states): (&mut PackedState, &[f32]),
        some: Option<&VocabularySubset>,
        start: impl Fn() -> K + Sync,
        read: impl Fn(&mut K, usize, &mut [f32]) + Sync,
    ) -> Vec<K> {
        let logits = some.map_or(&*self.logits, |some| &some.logits);
        logits.multiply_in_parts(states, state.scratch(), start, read)
    }
}

/// Whether models on this device are packed: on the CPU, where they do not learn.
fn is_packed_on(device: &Device) -> bool {
    !device.is_autodiff() && *device == Device::flex()
}

impl PackedEncoderOutput {
    /// Sentences as burn's encoder has encoded them, and what their translations read beyond them.
    pub fn from_encoder(
        encoded: &EncoderOutput,
        memory: Option<(&DecoderMemory, Option<Arc<SharedTranslations>>)>,
    ) -> Self {
        let (states, sentences) = encoded.own_states();
        let context_memory = memory.map(|(memory, words)| {
            Arc::new(ContextMemory::new(memory, encoded.numbers.clone(), words))
        });
        Self {
            states: Table::new(states).values().to_vec(),
            sentences,
            positions: encoded.positions.clone(),
            context_memory,
        }
    }
}
