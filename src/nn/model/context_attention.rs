//! The two ways in which an attention to the document joins a layer, whichever mechanism it is.

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::config::{ModelConfig, NormPosition};
use super::context::{ContextGate, ContextGateConfig, ContextLayer, ContextLayerConfig};
use super::context_config::{Context, Placement};
use super::documents::Documents;
use super::han::{HanContext, HanContextConfig};
use super::identity_init::set_to_identity;
use super::norm::Norm;
use super::prepared::{Memory, PreparedMemory, WordMemory};
use super::query_spans::QuerySpan;
use super::systems::ContextAttention;
use canopy_kernels::{DropoutSource, dropout};

/// Attention to the document inside a layer.
#[derive(Module, Debug)]
pub struct ContextSublayer {
    pub attention: ContextAttention,
    /// In place of the residual, Zhang et al. 2018, §3.3.
    pub gate: Option<ContextGate>,
    /// None where the attention is part of the sublayer before it, as additional heads.
    pub norm: Option<Norm>,
    /// Whether it stands before the attention of a decoder layer to its source sentence.
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
            attention: ContextAttention::new(config, device)?,
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

/// A context layer after the last layer of encoder or decoder.
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them, and they live long"
)]
#[derive(Module, Debug)]
pub enum GatedContext {
    Layer(LayeredContext),
    Han(HanContext),
}

/// Attention to the document with the layer that follows it.
#[derive(Module, Debug)]
pub struct LayeredContext {
    pub attention: ContextAttention,
    pub layer: ContextLayer,
}

impl GatedContext {
    /// None if the context is attended to in another place.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        if let Some(Context::Han { previous, .. }) = config.context {
            let config = HanContextConfig::new(config.d_model, config.d_ff, config.num_heads)
                .with_context_size(previous)
                .with_warm_gate(config.warm_gate);
            return Some(Self::Han(config.init(device)));
        }
        if !config.context?.is_gated() {
            return None;
        }
        let attention = ContextAttention::new(config, device)?;
        let layer =
            ContextLayerConfig::new(config.d_model, config.d_ff).with_warm_gate(config.warm_gate);
        Some(Self::Layer(LayeredContext {
            attention,
            layer: layer.init(device),
        }))
    }

    /// Begins by likeness; `norm` gives what the layer is to give in size.
    pub(super) fn init_identity(&mut self, norm: Norm) {
        match self {
            Self::Layer(context) => {
                context.attention.init_near_identity();
                context.layer.feed_forward.pass_on();
                context.layer.norm_ff = norm;
            }
            Self::Han(han) => {
                set_to_identity(&mut han.word_query);
                set_to_identity(&mut han.sentence_query);
                han.word_attention.init_identity();
                han.sentence_attention.init_identity();
                han.feed_forward.pass_on();
            }
        }
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
        match self {
            Self::Layer(context) => GatedMemory::Layer {
                memory: context.attention.prepare(memory),
                layer: Box::new(context.layer.clone()),
            },
            Self::Han(han) => GatedMemory::Han {
                words: Box::new(han.prepare(memory.values.clone())),
                documents: memory.documents.clone(),
                han: Box::new(han.clone()),
            },
        }
    }
}

/// A memory as a [`GatedContext`] reads it, with the layers that do.
#[derive(Debug, Clone)]
pub enum GatedMemory {
    Layer {
        memory: PreparedMemory,
        layer: Box<ContextLayer>,
    },
    Han {
        words: Box<WordMemory>,
        documents: Documents,
        han: Box<HanContext>,
    },
}

impl GatedMemory {
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
        match self {
            Self::Layer { memory, layer } => {
                let read = memory.attend(queries, query_spans, drop.attention());
                layer.forward(read, own, drop)
            }
            Self::Han {
                words,
                documents,
                han,
            } => han.attend(own, query_spans, words, documents, drop),
        }
    }
}
