//! The encoder: sublayers in the order of a [`Layout`](super::Layout), and what reads beyond the sentence.

use std::collections::HashMap;
use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::config::{ModelConfig, NormPosition};
use super::context_attention::ContextSublayer;
use super::counting::Place;
use super::documents::Documents;
use super::encoder_sublayer::EncoderSublayer;
use super::layout::Sublayer;
use super::norm::Norm;
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::recorder::{AttentionKind, AttentionRecorder};
use super::rows::select_rows;
use super::systems::{BertFusion, GatedContext, MemoryEncoder};
use canopy_kernels::DropoutSource;

/// Encoded sentences.
#[derive(Debug, Clone)]
pub struct EncoderOutput {
    /// `[rows, d_model]`
    pub states: Tensor<2>,
    /// Rows of every sentence that is to be translated.
    pub sentences: Vec<Range<usize>>,
    /// Place of the first token of each of them, as in [`PackedBatch::positions`].
    pub positions: Vec<Place>,
    /// Number in `documents` of each of them.
    pub numbers: Vec<usize>,
    /// All sentences that were encoded.
    pub documents: Documents,
    /// BERT's states of each of these and its context, where the model reads them.
    pub bert: Option<Memory>,
    /// The sentences before each of these as an encoder of their own encodes them, in its place, where one does.
    pub previous: Option<Memory>,
    /// These sentences as the sentence-level model encodes them, where encoder and decoder read its states.
    pub stage_one: Option<Box<Self>>,
}

impl EncoderOutput {
    /// All sentences of `rows`.
    pub(super) fn new(states: Tensor<2>, rows: &PackedBatch) -> Self {
        Self {
            states,
            sentences: rows.sentences.clone(),
            positions: rows.positions.clone(),
            numbers: (0..rows.sentences.len()).collect(),
            documents: rows.layout(),
            bert: None,
            previous: None,
            stage_one: None,
        }
    }

    /// The sentences of `rows` with these numbers, whose states are one below the other.
    pub(super) fn from_selected(states: Tensor<2>, rows: &PackedBatch, numbers: &[usize]) -> Self {
        let mut first = 0;
        let sentences = numbers.iter().map(|&number| {
            let start = first;
            first += rows.sentences[number].len();
            start..first
        });
        Self {
            sentences: sentences.collect(),
            positions: numbers
                .iter()
                .map(|&number| rows.positions[number])
                .collect(),
            numbers: numbers.to_vec(),
            documents: rows.layout(),
            states,
            bert: None,
            previous: None,
            stage_one: None,
        }
    }

    /// The states of some of the sentences only, by their numbers in `documents`.
    #[must_use]
    pub fn select(&self, numbers: &[usize]) -> Self {
        let index = |number: &usize| {
            self.numbers
                .binary_search(number)
                .expect("a sentence that was encoded")
        };
        let chosen: Vec<usize> = numbers.iter().map(index).collect();
        Self {
            states: self.states.clone(),
            sentences: chosen
                .iter()
                .map(|&at| self.sentences[at].clone())
                .collect(),
            positions: chosen.iter().map(|&at| self.positions[at]).collect(),
            numbers: numbers.to_vec(),
            documents: self.documents.clone(),
            bert: self.bert.clone(),
            previous: self.previous.clone(),
            stage_one: None,
        }
    }

    /// The memory of other sentences that the layers of a decoder read: those before each one, where they have an encoder of their own,
    /// else the states of all that were encoded.
    pub(super) fn decoder_memory(&self) -> Memory {
        let previous = self.previous.clone();
        previous.unwrap_or_else(|| Memory::from_states(self.states.clone(), self.documents.clone()))
    }

    /// States of the tokens of the sentences that are held, each sentence once, and the rows of each sentence in them.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn own_states(&self) -> (Tensor<2>, Vec<Range<usize>>) {
        let mut begins = HashMap::new();
        let mut rows: Vec<usize> = Vec::new();
        let position = |sentence: &Range<usize>| {
            let begin = *begins.entry(sentence.start).or_insert_with(|| {
                rows.extend(sentence.clone());
                rows.len() - sentence.len()
            });
            begin..begin + sentence.len()
        };
        let sentences = self.sentences.iter().map(position).collect();
        let states = self.states.clone();
        if rows.iter().copied().eq(0..states.dims()[0]) {
            return (states, sentences);
        }
        (select_rows(states, &rows), sentences)
    }
}

/// All sublayers, and the attention to the document where the model has one.
#[derive(Module, Debug)]
pub struct Encoder {
    /// The sublayers in the order of the layout.
    pub sublayers: Vec<EncoderSublayer>,
    /// Whether norms are before or after their branches.
    #[module(skip)]
    pub norm_position: NormPosition,
    /// With norms before their branches.
    pub final_norm: Option<Norm>,
    /// One for each self-attention, or none at all.
    pub contexts: Vec<ContextSublayer>,
    /// Attention to BERT's states, one for each self-attention, or none at all.
    pub fusions: Vec<BertFusion>,
    /// The encoder of the memory that `contexts` read, unless it is the states themselves.
    pub previous: Option<MemoryEncoder>,
    /// After the last sublayer.
    pub gated: Option<GatedContext>,
    /// The token that ends a sentence, where `gated` does not read it.
    #[module(skip)]
    pub unread_end: Option<u32>,
}

impl Encoder {
    /// Initialises the sublayers of a configuration with random weights on `device`.
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        let attentions = config.encoder.count(Sublayer::SelfAttention);
        Self {
            sublayers: config
                .encoder
                .sublayers()
                .map(|kind| EncoderSublayer::new(kind, config, device))
                .collect(),
            norm_position: config.norm,
            final_norm: (config.norm == NormPosition::Pre)
                .then(|| Norm::from_config(config, device)),
            contexts: ContextSublayer::in_encoder(config, attentions, device),
            fusions: (0..attentions)
                .filter_map(|_| BertFusion::new(config, device))
                .collect(),
            previous: { config.context }
                .and_then(|context| context.mechanism().memory_encoder(config, device)),
            gated: config
                .context
                .filter(|context| context.side().has_encoder())
                .and_then(|_| GatedContext::new(config, device)),
            unread_end: { config.tokens.source_end }.filter(|_| {
                let context = config.context;
                context.is_some_and(|context| !context.mechanism().reads_ends())
            }),
        }
    }

    pub(super) fn set_top_t(&mut self, top_t: usize) {
        for context in &mut self.contexts {
            context.attention.set_top_t(top_t);
        }
        let gated = self.gated.as_mut();
        if let Some(attention) = gated.and_then(GatedContext::attention_mut) {
            attention.set_top_t(top_t);
        }
    }

    /// # Shapes
    /// - x: `[rows, d_model]`, the embedded `rows`
    /// - memory: what the gated context reads, laid out like `rows`; none for the states themselves
    pub fn forward(
        &self,
        x: Tensor<2>,
        rows: &PackedBatch,
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
    ) -> EncoderOutput {
        let of_words = |previous: &MemoryEncoder| previous.forward(&x, &rows.layout(), drop);
        let previous = self.previous.as_ref().map(of_words);
        self.forward_recorded(
            x,
            rows,
            (previous, memory),
            drop,
            &mut AttentionRecorder::off(),
        )
    }

    /// [`Self::forward`] after the encoded previous sentences or BERT's states, with what it attends to.
    pub fn forward_recorded(
        &self,
        x: Tensor<2>,
        rows: &PackedBatch,
        (previous, memory): (Option<Memory>, Option<Tensor<2>>),
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        let bert = previous.clone().filter(|_| !self.fusions.is_empty());
        let encoded = previous.clone().filter(|_| self.previous.is_some());
        let states = self.layers(x, rows, previous, drop, recorder);
        if bert.is_some() {
            let encoded = EncoderOutput::new(states, rows);
            return EncoderOutput { bert, ..encoded };
        }
        let states = self.read_context(states, rows, memory, drop, recorder);
        EncoderOutput {
            previous: encoded,
            ..EncoderOutput::new(states, rows)
        }
    }

    /// States after the last sublayer, joined with those of other sentences where the context is read there.
    ///
    /// # Shapes
    /// - states, output: `[rows, d_model]`
    /// - memory: as in [`Self::forward`]
    pub(super) fn read_context(
        &self,
        states: Tensor<2>,
        rows: &PackedBatch,
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let Some(gated) = &self.gated else {
            return states;
        };
        let documents = rows.layout();
        let query_spans = documents.query_spans();
        let read = documents.without_ends(&rows.ids, self.unread_end);
        let memory = Memory::from_states(memory.unwrap_or_else(|| states.clone()), read);
        if recorder.is_on() {
            let position = (AttentionKind::Context, self.last_attention());
            gated.attend_recorded(&states, &states, &query_spans, &memory, position, recorder)
        } else {
            gated.forward(states.clone(), states, &query_spans, &memory, drop)
        }
    }

    /// States after the last sublayer, before they are joined with those of other sentences.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub(super) fn layers(
        &self,
        mut x: Tensor<2>,
        rows: &PackedBatch,
        previous: Option<Memory>,
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let (segments, documents) = (rows.own_segments(), rows.layout());
        let query_spans = documents.query_spans();
        let last = self.last_attention();
        let (mut contexts, mut layers) = (self.contexts.iter(), 0..);
        for sublayer in &self.sublayers {
            let attention = sublayer.attention.as_ref();
            let layer = attention.and_then(|_| layers.next());
            let context = attention.and_then(|_| contexts.next());
            if let (Some(attention), Some(layer)) = (attention, layer)
                && let (Some(fusion), Some(bert)) = (self.fusions.get(layer), &previous)
            {
                if layer == last {
                    recorder.add(AttentionKind::EncoderSelf, last, |keep| {
                        attention.attention_weights(x.clone(), x.clone(), &segments, keep)
                    });
                }
                let own = attention.forward(x.clone(), x.clone(), &segments, drop.attention());
                let dropout = drop.attention();
                let read = fusion
                    .prepare(bert)
                    .attend(x.clone(), &query_spans, dropout);
                x = fusion.join(&sublayer.norm, x, own, read, drop);
                continue;
            }
            let mut entering = None;
            let read = |context: &ContextSublayer,
                        x: &Tensor<2>,
                        entering: Option<&Tensor<2>>,
                        recorder: &mut AttentionRecorder| {
                let memory = previous.clone().unwrap_or_else(|| {
                    let words = entering.filter(|_| context.attention.reads_entering_states());
                    Memory::from_states(words.unwrap_or(x).clone(), documents.clone())
                });
                let position = (AttentionKind::Context, layer.unwrap_or_default());
                context.attend(x, &query_spans, &memory, drop, position, recorder)
            };
            x = sublayer.norm.residual(self.norm_position, x, drop, |x| {
                if let (Some(attention), true) = (attention, layer == Some(last)) {
                    recorder.add(AttentionKind::EncoderSelf, last, |keep| {
                        attention.attention_weights(x.clone(), x.clone(), &segments, keep)
                    });
                }
                let branch = sublayer.branch(x.clone(), &segments, drop);
                let branch = match context {
                    Some(heads) if heads.norm.is_none() => branch + read(heads, &x, None, recorder),
                    _ => branch,
                };
                entering = context.map(|_| x);
                branch
            });
            if let Some(context) = context {
                x = context.join(self.norm_position, x, drop, |x| {
                    read(context, x, entering.as_ref(), recorder)
                });
            }
        }
        if let Some(previous) = &self.previous {
            let (origin, _) = previous.rows(&documents);
            recorder.rename_context(AttentionKind::Context, &origin);
        }
        match &self.final_norm {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }

    /// Number of the last self-attention.
    pub(super) fn last_attention(&self) -> usize {
        let attentions = self.sublayers.iter();
        let attentions = attentions.filter(|sublayer| sublayer.attention.is_some());
        attentions.count().saturating_sub(1)
    }
}
