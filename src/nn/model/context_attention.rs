//! The two ways in which an attention to the document joins a layer, whichever mechanism it is.

use std::fmt::Debug;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::config::{ModelConfig, NormPosition};
use super::context::{ContextGate, ContextGateConfig, ContextLayer, ContextLayerConfig};
use super::context_config::{Context, Placement};
use super::documents::Documents;
use super::linear::Linear;
use super::mechanism::GatedLayer;
use super::norm::Norm;
use super::packed::Pack;
use super::prepared::{Memory, PreparedMemory};
use super::query_spans::QuerySpan;
use super::recorder::{AttentionKind, AttentionRecorder};
use super::source2token::Source2Token;
use super::systems::{ContextAttention, GatedContext};
use canopy_kernels::{DropoutSource, dropout};

/// Attention to the document inside a layer.
#[derive(Module, Debug)]
pub struct ContextSublayer {
    /// The mechanism.
    pub attention: ContextAttention,
    /// In place of the residual, Zhang et al. 2018, §3.3.
    pub gate: Option<ContextGate>,
    /// None where the attention is part of the sublayer before it, as additional heads.
    pub norm: Option<Norm>,
    /// Whether it is before the attention of a decoder layer to its source sentence.
    pub before_source: bool,
}

impl ContextSublayer {
    /// One for each of `count` sublayers, none if the context is attended to in another place.
    pub(super) fn in_encoder(config: &ModelConfig, count: usize, device: &Device) -> Vec<Self> {
        let mechanism = config.context.map(Context::mechanism);
        let placement = mechanism.and_then(|mechanism| mechanism.placement());
        let Some(placement) = placement.filter(|it| *it != Placement::Gate) else {
            return Vec::new();
        };
        let sublayer = |_| Self::new(config, placement, device);
        (0..count).filter_map(sublayer).collect()
    }

    /// Attention of a decoder layer to other source sentences.
    pub(super) fn in_decoder(config: &ModelConfig, device: &Device) -> Option<Self> {
        config.context?.mechanism().decoder_placement()?;
        Self::new(config, Placement::Sublayer, device)
    }

    fn new(config: &ModelConfig, placement: Placement, device: &Device) -> Option<Self> {
        let mechanism = config.context?.mechanism();
        Some(Self {
            attention: mechanism.attention(config, device)?,
            gate: mechanism
                .has_gated_sublayers()
                .then(|| gate(config, device)),
            norm: (placement == Placement::Sublayer).then(|| Norm::new(config.d_model, device)),
            before_source: mechanism.reads_before_source(),
        })
    }

    /// `x` and what is read for it, joined by the residual or by `norm(γ ⊙ x + (1 - γ) ⊙ dropout(attended))`; nothing
    /// where the attention was part of the sublayer before.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub(super) fn join(
        &self,
        position: NormPosition,
        x: Tensor<2>,
        drop: &DropoutSource,
        read: impl FnOnce(&Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        match (&self.gate, &self.norm) {
            (Some(gate), Some(norm)) => {
                let attended = dropout(read(&x), drop.next());
                norm.forward(gate.forward(x, attended))
            }
            (None, Some(norm)) => norm.residual(position, x, drop, |x| read(&x)),
            (_, None) => x,
        }
    }
}

fn gate(config: &ModelConfig, device: &Device) -> ContextGate {
    ContextGateConfig::new(config.d_model)
        .with_warm(config.warm_gate)
        .init(device)
}

impl ContextAttention {
    /// Projects all that does not depend on who reads.
    pub fn prepare(&self, memory: &Memory) -> PreparedMemory {
        self.layer().prepared(memory)
    }

    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
    ) -> Tensor<2> {
        self.prepare(memory).attend(queries, query_spans, None)
    }

    /// Encodings of the sentences of `words`; none if the attention does not read any.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(&self, words: &Tensor<2>, documents: &Documents) -> Option<Tensor<2>> {
        let encoder = self.source2token()?;
        Some(encoder.forward(words.clone(), &documents.sentences))
    }

    /// The encoder of sentences that it has.
    pub fn source2token(&self) -> Option<&Source2Token> {
        self.layer().source2token()
    }

    /// Whether keys are tokens; else they are sentences.
    pub(super) fn reads_tokens(&self) -> bool {
        self.layer().reads_tokens()
    }

    /// Whether it reads the states that enter the layer, and not those that enter the sublayer.
    pub(super) fn reads_entering_states(&self) -> bool {
        self.layer().reads_entering_states()
    }

    /// Whether it chooses sentences by a tree of them.
    pub(super) fn has_trees(&self) -> bool {
        self.layer().has_trees()
    }

    /// Reads this many sentences from now on, where there is a choice.
    pub(super) fn set_top_t(&mut self, top_t: usize) {
        self.layer_mut().set_top_t(top_t);
    }

    pub(super) fn init_near_identity(&mut self) {
        self.layer_mut().init_near_identity();
    }

    /// The last projection, after which there is nothing but a sum.
    pub(super) fn output_mut(&mut self) -> &mut Linear {
        self.layer_mut().output_mut()
    }

    /// Its form on the CPU with the `layer` that follows it after the last layer of a decoder; none where burn's layers
    /// compute the two.
    fn pack<'a>(&'a self, layer: &'a ContextLayer) -> Option<Pack<'a>> {
        self.layer().pack(layer)
    }
}

/// Attention to the document with the layer that follows it.
#[derive(Module, Debug)]
pub struct LayeredContext {
    /// The mechanism.
    pub attention: ContextAttention,
    /// Norms, feed-forward layer and gate after it.
    pub layer: ContextLayer,
}

impl LayeredContext {
    /// An attention with a layer that is drawn at random.
    pub(super) fn new(attention: ContextAttention, config: &ModelConfig, device: &Device) -> Self {
        let layer =
            ContextLayerConfig::new(config.d_model, config.d_ff).with_warm_gate(config.warm_gate);
        Self {
            attention,
            layer: layer.init(device),
        }
    }
}

impl GatedLayer for LayeredContext {
    fn prepared(&self, memory: &Memory) -> GatedMemory {
        GatedMemory::new(LayeredMemory {
            memory: self.attention.prepare(memory),
            layer: self.layer.clone(),
        })
    }

    fn init_near_identity(&mut self, norm: Norm) {
        self.attention.init_near_identity();
        self.layer.feed_forward.pass_on();
        self.layer.norm_ff = norm;
    }

    fn gate(&self) -> &ContextGate {
        &self.layer.gate
    }

    fn read_recorded(
        &self,
        [_, queries]: [&Tensor<2>; 2],
        query_spans: &[QuerySpan],
        memory: &Memory,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let (attention, none) = (&self.attention, DropoutSource::none());
        let read =
            attention.attend_recorded(queries, query_spans, memory, &none, position, recorder);
        self.layer.context(read, &none)
    }

    fn attention(&self) -> Option<&ContextAttention> {
        Some(&self.attention)
    }

    fn attention_mut(&mut self) -> Option<&mut ContextAttention> {
        Some(&mut self.attention)
    }

    fn pack(&self) -> Option<Pack<'_>> {
        self.attention.pack(&self.layer)
    }
}

impl GatedContext {
    /// None if the context is attended to in another place.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        config.context?.mechanism().gated_layer(config, device)
    }

    /// Begins by likeness; `norm` gives what the layer is to give in size.
    pub(super) fn init_near_identity(&mut self, norm: Norm) {
        self.layer_mut().init_near_identity(norm);
    }

    /// The states `own`, joined with what their tokens read with `queries`.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub fn forward(
        &self,
        own: Tensor<2>,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let memory = self.prepare(memory);
        memory.attend(own, queries, query_spans, drop)
    }

    /// Projects all that does not depend on who reads.
    pub fn prepare(&self, memory: &Memory) -> GatedMemory {
        self.layer().prepared(memory)
    }

    /// The attention that it has, if it is one of those of layers, too.
    pub(super) fn attention(&self) -> Option<&ContextAttention> {
        self.layer().attention()
    }

    pub(super) fn attention_mut(&mut self) -> Option<&mut ContextAttention> {
        self.layer_mut().attention_mut()
    }

    /// Its form on the CPU after the last layer of a decoder; none where burn's layers compute it.
    pub(super) fn pack(&self) -> Option<Pack<'_>> {
        self.layer().pack()
    }
}

/// A memory as a [`GatedContext`] reads it, with the layers that do.
#[derive(Debug, Clone)]
pub struct GatedMemory(Arc<dyn JoinMemory>);

/// Joins states with a memory that is prepared.
pub(super) trait JoinMemory: Debug + Send + Sync {
    /// The states `own`, joined with what their tokens read with `queries`.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    fn join(
        &self,
        own: Tensor<2>,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        drop: &DropoutSource,
    ) -> Tensor<2>;
}

impl GatedMemory {
    pub(super) fn new(memory: impl JoinMemory + 'static) -> Self {
        Self(Arc::new(memory))
    }

    /// [`GatedContext::forward`] over this memory.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub fn attend(
        &self,
        own: Tensor<2>,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        drop: &DropoutSource,
    ) -> Tensor<2> {
        self.0.join(own, queries, query_spans, drop)
    }
}

/// A memory of an attention, with the layer that follows it.
#[derive(Debug)]
struct LayeredMemory {
    memory: PreparedMemory,
    layer: ContextLayer,
}

impl JoinMemory for LayeredMemory {
    fn join(
        &self,
        own: Tensor<2>,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let read = self.memory.attend(queries, query_spans, drop.attention());
        self.layer.forward(read, own, drop)
    }
}
