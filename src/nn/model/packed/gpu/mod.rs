//! A Transformer for inference on a GPU: its weights there once, its steps computed by kernels of our own.
//!
//! Words are embedded on the CPU, which has the tables anyway; all else stays on the GPU, but for the few scores of each
//! word of a search.

mod decoder;
mod encoder;
mod labels;
mod layers;
mod state;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use wgpu::Buffer;

use super::PackedTransformer;
use super::context::ContextLayers;
use super::embedding::PackedEmbedding;
use super::embedding_tables::EmbeddingTables;
use super::layers::Packing;
use super::state::PackedEncoderOutput;
use super::translations::SharedTranslations;
use crate::datastore::{Datastore, Neighbours};
use crate::model::config::NormPosition;
use crate::model::context_config::Context;
use crate::model::counting::Place;
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::transformer::Transformer;
use crate::model::unread::UnreadWeights;
use crate::model::variant::SpecialTokens;
use canopy_kernels::gpu::{Bound, Gpu, GpuMatrix, Keys, LARGEST_HEAD, Run};
use canopy_kernels::packed::{Quantization, Weights, log_normalisers};
use canopy_kernels::{StepScores, TokenSelection};
use decoder::{GpuDecoder, Reads, Wanted};
use encoder::GpuEncoder;
use layers::OnGpu;
use state::{GpuSource, Widths};

pub use state::GpuState;

/// A model whose weights are on a GPU.
#[derive(Debug, Clone)]
pub struct GpuTransformer {
    gpu: Arc<Gpu>,
    source: PackedEmbedding,
    target: PackedEmbedding,
    /// None where anything reads more than the sentence: burn's encoder reads then.
    encoder: Option<GpuEncoder>,
    decoder: GpuDecoder,
    /// Layers after the decoder that read other translations, on the CPU.
    context_layers: Option<ContextLayers>,
    /// `[d_model, vocab]`
    logits: GpuMatrix,
    tokens: SpecialTokens,
}

impl GpuTransformer {
    /// Brings the weights of a model to the GPU that it is on; none if it has parts that are not computed here. Weights of
    /// products are kept in 32 bits, or in 16 if `quantization` says so.
    pub fn new(
        network: &Transformer,
        context: Option<Context>,
        quantization: Quantization,
        unread: Option<&dyn UnreadWeights>,
    ) -> Option<Self> {
        Self::on(Self::gpu(network)?, network, context, quantization, unread)
    }

    /// The transformer on any GPU.
    pub(in crate::model) fn on(
        gpu: Arc<Gpu>,
        network: &Transformer,
        context: Option<Context>,
        quantization: Quantization,
        unread: Option<&dyn UnreadWeights>,
    ) -> Option<Self> {
        let packing = Packing {
            quantization,
            unread,
        };
        let EmbeddingTables {
            source,
            target,
            words,
            bias,
        } = EmbeddingTables::from_network(network, packing);
        let (vocab, d_model) = (words.rows(), words.columns());
        if !gpu.has_room((vocab * d_model * size_of::<f32>()) as u64) {
            return None;
        }
        let on_gpu = OnGpu { gpu: &gpu, packing };
        let logits = GpuMatrix::new(
            &gpu,
            [d_model, vocab],
            Weights::transposed(&words.values(), d_model),
            bias.as_deref(),
            on_gpu.in_halves(),
        );
        Some(Self {
            source,
            target,
            tokens: network.tokens.clone(),
            encoder: (context.is_none() && PackedTransformer::packs_encoder(network, context))
                .then(|| GpuEncoder::new(&network.encoder, on_gpu)),
            decoder: GpuDecoder::new(&network.decoder, on_gpu),
            context_layers: ContextLayers::from_decoder(&network.decoder, packing),
            logits,
            gpu,
        })
    }

    /// The GPU that a model is on, if its decoder is computed there by kernels of our own. This is the one place that
    /// decides.
    pub fn gpu(network: &Transformer) -> Option<Arc<Gpu>> {
        let device = network.embedding.words.lazy_device();
        Gpu::from_device(&device).filter(|_| Self::computes(network))
    }

    /// Whether there are kernels for all parts of a decoder, but for what packed weights read after it.
    pub(in crate::model) fn computes(network: &Transformer) -> bool {
        let decoder = &network.decoder;
        let is_post = decoder.norm_position == NormPosition::Post;
        ContextLayers::are_packed_behind(decoder)
            && (is_post || decoder.gated.is_none())
            && decoder.layers.iter().all(|layer| {
                let own = layer.self_attention.as_ref();
                let mut heads = own.into_iter().chain([&layer.cross_attention]);
                (own.is_some() || is_post) && heads.all(|it| it.head_width() <= LARGEST_HEAD)
            })
    }

    /// Whether [`Self::start`] can be called.
    pub fn encodes(&self) -> bool {
        self.encoder.is_some()
    }

    /// Returns the number of target tokens that are scored.
    pub fn vocab_size(&self) -> usize {
        self.logits.outputs()
    }

    /// Ids of the special tokens.
    pub fn tokens(&self) -> &SpecialTokens {
        &self.tokens
    }

    /// A state before the first word, with one hypothesis for each of these sentences, which are encoded by themselves;
    /// none if the model's encoder reads more. With a datastore, it is the one that every word is mixed with.
    ///
    /// # Panics
    /// If the GPU has too little memory, or is lost, with a message that says so.
    pub fn start(&self, rows: &PackedBatch, datastore: Option<&Datastore>) -> Option<GpuState> {
        let encoder = self.encoder.as_ref()?;
        let mut bound = Bound::new(&self.gpu);
        let x = self.source.rows_on_cores(rows, &rows.positions);
        let states = encoder.forward(&self.gpu, &mut bound, &x, &rows.sentences);
        let positions = rows.positions.clone();
        Some(self.begin(
            bound,
            &states,
            (rows.sentences.clone(), positions),
            datastore,
        ))
    }

    /// Starts the hypotheses of sentences that another encoder has read.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with(
        &self,
        encoded: &PackedEncoderOutput,
        datastore: Option<&Datastore>,
    ) -> GpuState {
        let states = self.gpu.filled(&encoded.states);
        let PackedEncoderOutput {
            sentences,
            positions,
            ..
        } = encoded.clone();
        let bound = Bound::new(&self.gpu);
        let state = self.begin(bound, &states, (sentences, positions), datastore);
        state.reading(encoded.context_memory.as_ref())
    }

    /// Translations as hypotheses read them, where packed weights compute that.
    pub(in crate::model) fn prepare(&self, translations: &Memory) -> Option<SharedTranslations> {
        self.context_layers.as_ref()?.prepare(translations)
    }

    fn begin(
        &self,
        mut bound: Bound,
        states: &Buffer,
        (sentences, positions): (Vec<Range<usize>>, Vec<Place>),
        datastore: Option<&Datastore>,
    ) -> GpuState {
        let rows = sentences.iter().map(|rows| rows.end).max().unwrap_or(0);
        let source = GpuSource {
            layers: self.decoder.memory(&self.gpu, &mut bound, states, rows),
            sentences,
            positions,
        };
        bound.forget();
        let widths = Widths {
            d_model: self.logits.inputs(),
            d_ff: self.decoder.widest(),
            vocab: self.vocab_size(),
            states: datastore.map_or(0, Datastore::num_states),
            nearest: datastore.map_or(0, Datastore::num_nearest),
        };
        let num_layers = self.decoder.num_layers();
        GpuState::new(&self.gpu, bound, source, num_layers, widths)
    }

    /// Adds the word `ids[h]` to hypothesis `h` and reads the scores of what may follow, mixed with what followed in the
    /// datastore; log-probabilities of the whole vocabulary if `read` is `None`.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn read_next(
        &self,
        state: &mut GpuState,
        ids: &[u32],
        (read, datastore): (Option<TokenSelection>, Option<&Datastore>),
        scores: &mut StepScores,
    ) {
        let (tokens, len) = (&self.tokens, state.num_words());
        // What is left is made to sum to one by all of its scores.
        let is_forced = tokens.forced_first.is_some() && len == 0;
        let read = read.filter(|_| !tokens.renormalised && !is_forced);
        // Suppressed tokens may be among the top-scoring ones.
        let read = read.map(|read| TokenSelection {
            top_k: read.top_k + tokens.suppressed.len(),
            ..read
        });
        let near = self.step(state, ids, (read, datastore), scores);
        if let (Some(datastore), Some((near, theirs))) = (datastore, near) {
            datastore.mix_in_selected(&near, &theirs, scores);
        }
        if scores.columns.is_some() {
            scores.suppress(&tokens.suppressed);
            return;
        }
        let StepScores {
            values,
            normalisers,
            ..
        } = scores;
        let rows = values.chunks_exact_mut(self.vocab_size());
        for (row, normaliser) in rows.zip(normalisers) {
            for score in row.iter_mut() {
                *score -= *normaliser;
            }
            tokens.constrain(row, len);
            *normaliser = 0.0;
        }
    }

    /// Adds the word `ids[h]` to hypothesis `h`, and what is `read` of the scores before softmax to `scores`, of all if it is
    /// none; gives the nearest neighbours in the datastore, and the scores of what followed them, row by row.
    fn step(
        &self,
        state: &mut GpuState,
        ids: &[u32],
        (read, datastore): (Option<TokenSelection>, Option<&Datastore>),
        scores: &mut StepScores,
    ) -> Option<(Vec<Neighbours>, Vec<f32>)> {
        let y = self.target.words_on_cores(ids, &state.next_positions());
        let read = read.filter(|read| read.is_less_than(self.vocab_size()));
        state.begin_word(&y, read.map_or(0, |read| read.num_values()));
        let (hypotheses, vocab) = (ids.len(), self.vocab_size());
        let GpuState {
            bound,
            work,
            source,
            own,
            last,
            len,
            numbers,
            context_memory,
            ..
        } = state;
        let reads = Reads {
            own: Keys::Listed { first: 0 },
            source: Keys::Rows {
                first: 2 * hypotheses,
            },
            first: *last,
            before: *len - 1,
            count: hypotheses,
        };
        let mut run = Run::new(&self.gpu, bound);
        let joining = { self.context_layers.as_ref().zip(context_memory.as_deref()) }
            .filter(|(_, memory)| memory.has_translations());
        let wanted = Wanted {
            fed: datastore.is_some() || joining.is_some(),
            by_layer: false,
        };
        let mut states = self
            .decoder
            .forward(&mut run, work, (source, own), reads, wanted);
        if let Some((layers, memory)) = joining {
            let count = hypotheses * self.logits.inputs();
            let [own, fed] = run.read([(states, count), (&work.fed, count)]);
            let [own, fed] = [own, fed].map(floats);
            let joined = layers.join_on_cores(&own, &fed, (memory, numbers));
            self.gpu.write(&work.y, &joined);
            states = &work.y;
            run = Run::new(&self.gpu, bound);
        }
        run.product(&self.logits, states, (&work.scores, 0), hypotheses, None);
        let shape = [hypotheses, vocab];
        let (output, count) = match read {
            Some(read) => {
                run.top_k(&work.scores, &work.selected, shape, read);
                (&work.selected, hypotheses * read.num_values())
            }
            None => (&work.scores, hypotheses * vocab),
        };
        let (found, near) = if let Some(datastore) = datastore {
            let (keys, nearest) = (datastore.on_gpu(&self.gpu), datastore.num_nearest());
            run.nearness(keys, &work.fed, &work.nearness, hypotheses);
            let nearest_states = TokenSelection {
                first: 0,
                top_k: nearest,
            };
            let states = [hypotheses, keys.num_states()];
            run.top_k(&work.nearness, &work.near, states, nearest_states);
            let scores_and_near = (&work.scores, &work.near);
            run.gather(
                keys,
                scores_and_near,
                &work.theirs,
                [hypotheses, vocab, nearest],
            );
            let d_model = self.logits.inputs();
            let [found, fed, near, theirs] = run.read([
                (output, count),
                (&work.fed, hypotheses * d_model),
                (&work.near, hypotheses * nearest_states.num_values()),
                (&work.theirs, hypotheses * nearest),
            ]);
            let [fed, theirs] = [fed, theirs].map(floats);
            let rows = near
                .chunks_exact(nearest_states.num_values())
                .zip(fed.chunks_exact(d_model));
            let rows = rows.map(|(output, state)| {
                let (nearness, numbers) = output[1..].split_at(nearest);
                let nearness: Vec<f32> = nearness.iter().copied().map(f32::from_bits).collect();
                datastore.selected_near(&nearness, numbers, state)
            });
            (found, Some((rows.collect(), theirs)))
        } else {
            let [found] = run.read([(output, count)]);
            (found, None)
        };
        if let Some(read) = read {
            let vocab = u32::try_from(vocab).expect("ids have 32 bits");
            let id = |id| (id < vocab).then_some(id);
            read.unpack(&found, scores, f32::from_bits, id);
        } else {
            scores.put(floats(found), hypotheses);
            log_normalisers(&scores.values, vocab, &mut scores.normalisers);
        }
        near
    }
}

fn floats(bits: Vec<u32>) -> Vec<f32> {
    bits.into_iter().map(f32::from_bits).collect()
}
