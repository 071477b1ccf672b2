//! The Transformer: encoder, decoder and their embeddings, with what either reads beyond the sentence.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017; with other encoder layouts, Liu & Chen 2022.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

use super::bert::BertReader;
use super::config::{ModelConfig, Positions};
use super::context_config::Context;
use super::counting::{Counting, Place};
use super::decoder::{Decoder, DecoderMemory, DecoderOutput, DecoderState};
use super::documents::Documents;
use super::embedding::Embedding;
use super::encoder::{Encoder, EncoderOutput};
use super::executor::SearchWeights;
use super::input_layer::InputLayer;
use super::packed_batch::PackedBatch;
use super::positions::count_absolutely;
use super::prepared::Memory;
use super::recorder::{AttentionKind, AttentionRecorder, Joined};
use super::systems::FlatSegments;
use super::variant::SpecialTokens;
use canopy_kernels::{
    DropoutSource, StepScores, TokenSelection, dropout, log_softmax, product_with_table,
};

/// A whole network.
#[derive(Module, Debug)]
pub struct Transformer {
    /// Embeds the source, and the target too unless it has its own.
    pub embedding: Embedding,
    /// The target's own table; none if it shares the source's.
    pub target_embedding: Option<Embedding>,
    /// The decoder's input layer where the target has no table of its own.
    pub target_input: Option<InputLayer>,
    /// The encoder.
    pub encoder: Encoder,
    /// The decoder.
    pub decoder: Decoder,
    /// `[vocab, d_model]`; none if the embedding serves.
    pub logits: Option<Param<Tensor<2>>>,
    /// `[vocab]`, added to the scores.
    pub output_bias: Option<Param<Tensor<1>>>,
    /// How many previous sentences are read before each one, as one sequence.
    pub concatenated: usize,
    /// Segments of an encoder whose top sees the sentence alone.
    pub flat: Option<FlatSegments>,
    /// The BERT that encoder and decoder read in every layer.
    pub bert: Option<BertReader>,
    /// With absolute positions, tokens that a window keeps free for a translation.
    pub reserve: Option<usize>,
    /// Ids of the special tokens.
    #[module(skip)]
    pub tokens: SpecialTokens,
    /// The weights of its searches; none where burn's layers search.
    #[module(skip)]
    pub(super) search_weights: Option<SearchWeights>,
}

impl Transformer {
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Self {
        let target_size = config.target_vocab_size();
        let target_table = || Embedding::sized(config, target_size, device);
        let absolute = matches!(
            config.positions,
            Positions::MultiLevel {
                counting: Counting::Absolute,
                ..
            }
        );
        Self {
            embedding: Embedding::new(config, device),
            target_embedding: config.has_target_table().then(target_table),
            target_input: (!config.has_target_table())
                .then(|| InputLayer::new(config, device))
                .flatten(),
            encoder: Encoder::new(config, device),
            decoder: Decoder::new(config, device),
            logits: config.has_output_table().then(|| target_table().words),
            output_bias: config
                .variant
                .output_bias
                .then(|| Param::from_tensor(Tensor::zeros([target_size], device))),
            concatenated: config.context.map_or(0, Context::concatenated),
            flat: FlatSegments::new(config, device),
            bert: config
                .bert
                .as_ref()
                .map(|reading| BertReader::new(reading, device)),
            reserve: absolute
                .then(|| ModelConfig::least_window(config.max_tokens) - config.max_tokens),
            tokens: config.tokens.clone(),
            search_weights: None,
        }
    }

    /// The sentence-level model that gives other sentences' states, without gradients: the encoder, and the rest if
    /// translations are read too.
    pub(super) fn into_stage_one(mut self, bilingual: bool) -> Self {
        self.search_weights = None;
        if !bilingual {
            self.decoder.layers.clear();
            self.decoder.final_norm = None;
            (self.target_embedding, self.logits) = (None, None);
            (self.target_input, self.output_bias) = (None, None);
        }
        self.no_grad()
    }

    /// Encodes the sentences of whole documents.
    ///
    /// # Shapes
    /// - memory: `[rows, d_model]`, what tokens read of other sentences; none for their own states
    pub fn encode(
        &self,
        source: &PackedBatch,
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
    ) -> EncoderOutput {
        self.encode_recorded(source, memory, drop, &mut AttentionRecorder::off())
    }

    /// [`Self::encode`], with what it attends to.
    pub(super) fn encode_recorded(
        &self,
        source: &PackedBatch,
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        let counted = self.counted(source);
        let source = counted.as_ref().unwrap_or(source);
        if self.concatenated == 0 {
            let embedded = self.embedding.forward(source, drop);
            let previous = self.encoder.previous.as_ref();
            let previous = previous.map(|previous| previous.memory(&self.embedding, source, drop));
            let previous = previous.or_else(|| Some(self.bert.as_ref()?.read(source)));
            let encoder = &self.encoder;
            return encoder.forward_recorded(embedded, source, (previous, memory), drop, recorder);
        }
        let (joined, own) = source.concatenated(self.concatenated, self.tokens.sentence_break());
        let embedded = self.embedding.forward(&joined, drop);
        if let Some(flat) = &self.flat {
            let (embedded, joined) = (flat.add(embedded, &own), (&joined, own.as_slice()));
            let bert = self.bert.as_ref().map(|bert| bert.read(source));
            let (encoder, reads) = (&self.encoder, (flat.top, bert));
            return encoder.flat(embedded, joined, source, reads, drop, recorder);
        }
        recorder.joined = recorder.is_on().then(|| Joined {
            origin: source.concatenated_from(self.concatenated),
            own: own.clone(),
        });
        let mut encoded =
            self.encoder
                .forward_recorded(embedded, &joined, (None, memory), drop, recorder);
        encoded.sentences.clone_from(&own);
        encoded.documents.sentences = own;
        encoded
    }

    /// These sentences with absolute positions, if the model has such.
    pub(super) fn counted(&self, source: &PackedBatch) -> Option<PackedBatch> {
        let (reserve, tables) = (self.reserve?, self.embedding.positions.as_ref()?);
        let mut counted = source.clone();
        count_absolutely(&mut counted, tables.sizes(), reserve);
        Some(counted)
    }

    /// States of all tokens of translations of the sentences of `encoded`; each begins with `bos`.
    pub fn decode(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
    ) -> DecoderOutput {
        self.decode_recorded(target, encoded, drop, &mut AttentionRecorder::off())
    }

    /// [`Self::decode`], with what it attends to.
    pub(super) fn decode_recorded(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> DecoderOutput {
        let mut target = target.clone();
        target.positions.clone_from(&encoded.positions);
        let embedded = self.embed_target(&target.ids, &target.word_positions());
        let embedded = dropout(embedded, drop.next());
        let decoder = &self.decoder;
        let output = decoder.forward_recorded(embedded, &target, encoded, drop, recorder);
        if let (Some(previous), true) = (&self.encoder.previous, recorder.is_on()) {
            let (origin, _) = previous.rows(&encoded.documents);
            recorder.rename_context(AttentionKind::DecoderContext, &origin);
        }
        output
    }

    /// Translations of all encoded sentences as a memory.
    pub fn translations(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
    ) -> Memory {
        let DecoderOutput {
            states,
            fed_forward,
        } = self.decode(target, encoded, drop);
        let documents = Documents {
            sentences: target.sentences.clone(),
            documents: encoded.documents.documents.clone(),
        };
        Memory::from_translations(fed_forward, states, documents)
    }

    /// A search state with one hypothesis for each encoded sentence, which reads a memory of its documents.
    pub fn start(&self, encoded: &EncoderOutput, memory: DecoderMemory) -> DecoderState {
        self.decoder.start(encoded, memory)
    }

    /// Adds the token `ids[h]` to hypothesis `h`.
    ///
    /// # Shapes
    /// - output: scores before softmax, `[hypotheses, vocab]`
    pub fn step(&self, state: &mut DecoderState, ids: &[u32]) -> Tensor<2> {
        self.vocabulary_scores(self.next_words(state, ids).states)
    }

    /// The states of the next words before they become scores; a row for each hypothesis.
    pub fn next_words(&self, state: &mut DecoderState, ids: &[u32]) -> DecoderOutput {
        let embedded = self.embed_target(ids, &state.next_places());
        self.decoder.step(state, embedded)
    }

    /// Log-probabilities of all that may follow in `state`.
    ///
    /// # Shapes
    /// - scores: before softmax, `[hypotheses, vocab]`
    /// - output: `[hypotheses, vocab]`, row by row
    pub fn log_probs(&self, scores: Tensor<2>, state: &DecoderState) -> Vec<f32> {
        let mut log_probs = log_softmax(scores);
        self.constrain(&mut log_probs, state);
        log_probs
    }

    /// Reads the scores of what may follow in `state`, see [`StepScores::read`].
    ///
    /// # Shapes
    /// - scores: before softmax, `[hypotheses, vocab]`
    pub fn read_scores(
        &self,
        scores: Tensor<2>,
        state: &DecoderState,
        read: Option<TokenSelection>,
        into: &mut StepScores,
    ) {
        let tokens = &self.tokens;
        // What is left is made to sum to one by all of its scores.
        let is_forced = tokens.forced_first.is_some() && state.len() == 1;
        let Some(read) = read.filter(|_| !tokens.renormalised && !is_forced) else {
            into.put(self.log_probs(scores, state), state.num_hypotheses());
            return;
        };
        // Suppressed tokens may be among the top-scoring ones.
        let read = TokenSelection {
            top_k: read.top_k + tokens.suppressed.len(),
            ..read
        };
        into.read(scores, Some(read));
        into.suppress(&tokens.suppressed);
    }

    /// Keeps of the log-probabilities of what follows in `state` what may be generated.
    pub fn constrain(&self, log_probs: &mut [f32], state: &DecoderState) {
        if self.tokens.suppressed.is_empty() && self.tokens.forced_first.is_none() {
            return;
        }
        let len = state.len() - 1;
        for row in log_probs.chunks_exact_mut(self.target_vocab_size()) {
            self.tokens.constrain(row, len);
        }
    }

    pub(super) fn target_embedding(&self) -> &Embedding {
        self.target_embedding.as_ref().unwrap_or(&self.embedding)
    }

    /// Target words with their places.
    fn embed_target(&self, ids: &[u32], positions: &[Place]) -> Tensor<2> {
        let table = self.target_embedding();
        let mut words = table.words(ids);
        let is_start = |&[word, ..]: &Place| word == 0;
        if self.tokens.zero_start && positions.iter().any(is_start) {
            let keep = positions.iter().map(|place| f32::from(!is_start(place)));
            let keep = TensorData::new(keep.collect::<Vec<f32>>(), [ids.len(), 1]);
            words = words.clone() * Tensor::from_data(keep, &words.device());
        }
        table.embed_at(words, positions, self.before_decoder())
    }

    /// The layer between the target's words and the first decoder layer.
    pub(super) fn before_decoder(&self) -> Option<&InputLayer> {
        match &self.target_embedding {
            Some(own) => own.input.as_ref(),
            None => self.target_input.as_ref(),
        }
    }

    /// Tokens of the target vocabulary.
    pub fn target_vocab_size(&self) -> usize {
        let table = self.logits.as_ref();
        let table = table.unwrap_or(&self.target_embedding().words);
        table.lazy_shape()[0]
    }

    /// # Shapes
    /// - states: `[rows, d_model]`
    /// - output: scores before softmax, `[rows, vocab]`
    pub fn vocabulary_scores(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self
            .logits
            .as_ref()
            .unwrap_or(&self.target_embedding().words);
        let scores = product_with_table(states, table.val());
        match &self.output_bias {
            Some(bias) => scores + bias.val().unsqueeze(),
            None => scores,
        }
    }
}
