//! Attention to a document, whichever mechanism it is, and the two ways in which it joins a layer.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::conditional::{ConditionalAttention, ConditionalAttentionConfig};
use super::config::{ModelConfig, NormPosition};
use super::context::{ContextGate, ContextGateConfig, ContextLayer, ContextLayerConfig};
use super::context_config::{Context, Placement};
use super::documents::Documents;
use super::flat::{FlatAttention, FlatAttentionConfig};
use super::han::{HanContext, HanContextConfig};
use super::hierarchical::SentenceAttention;
use super::hierarchical_conditional::{
    HierarchicalConditionalAttention, HierarchicalConditionalAttentionConfig,
};
use super::norm::Norm;
use super::prepared::{Memory, PreparedMemory, ProjectedMemory, WordMemory};
use super::query_spans::QuerySpan;
use super::selective::{SelectiveAttention, SelectiveAttentionConfig};
use crate::kernels::{DropoutSource, Segment, dropout};

/// Attention of words to the other sentences of their document.
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them, and they live long"
)]
#[derive(Module, Debug)]
pub enum ContextAttention {
    Sentences(SentenceAttention),
    Conditional(ConditionalAttention),
    Tree(HierarchicalConditionalAttention),
    Selective(SelectiveAttention),
    Flat(FlatAttention),
    /// Plain attention to what the memory gives as a word's own sentence.
    Previous(MultiHeadAttention),
}

impl ContextAttention {
    /// The attention of a context and where it stands; none if it is of another kind.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<(Self, Placement)> {
        let (d, heads) = (config.d_model, config.num_heads);
        Some(match config.context? {
            Context::HierarchicalEncoding { placement, .. } => (
                Self::Sentences(SentenceAttention::new(d, heads, device)),
                placement,
            ),
            Context::Conditional { top_t, placement } => {
                let config = ConditionalAttentionConfig::new(d, heads, top_t);
                (Self::Conditional(config.init(device)), placement)
            }
            Context::HierarchicalConditional {
                top_t,
                merge,
                rule,
                placement,
            } => {
                let config = HierarchicalConditionalAttentionConfig::new(d, heads, top_t)
                    .with_merge(merge)
                    .with_rule(rule);
                (Self::Tree(config.init(device)), placement)
            }
            Context::Selective { words, reach, .. } => {
                let config = SelectiveAttentionConfig::new(d, heads, reach, words);
                (Self::Selective(config.init(device)), Placement::Gate)
            }
            Context::Flat { level, reach, .. } => {
                let config = FlatAttentionConfig::new(d, heads, level, reach);
                (Self::Flat(config.init(device)), Placement::Gate)
            }
            Context::Zhang { .. } => {
                let attention = MultiHeadAttentionConfig::new(d, heads).init(device);
                (Self::Previous(attention), Placement::Sublayer)
            }
            Context::Concatenation { .. }
            | Context::Han { .. }
            | Context::FlatTransformer { .. }
            | Context::Bert { .. } => return None,
        })
    }

    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
    ) -> Tensor<2> {
        self.attend(queries, query_spans, &self.prepare(memory))
    }

    /// All that does not depend on who reads.
    pub fn prepare(&self, memory: &Memory) -> PreparedMemory {
        use ProjectedMemory as P;
        let (keys, values) = (memory.keys.clone(), memory.values.clone());
        let documents = &memory.documents;
        let encodings = memory.encodings.clone();
        let encodings = encodings.or_else(|| self.encode_sentences(&values, documents));
        let projected = match (self, encodings) {
            (Self::Sentences(attention), Some(encodings)) => {
                P::Visible(attention.prepare(encodings, documents))
            }
            (Self::Conditional(attention), Some(encodings)) => {
                P::Selected(attention.heads.prepare(values, encodings))
            }
            (Self::Tree(attention), Some(encodings)) => {
                P::Tree(attention.tree.prepare(values, encodings, documents))
            }
            (Self::Selective(attention), _) => {
                P::Selected(attention.prepare(keys, values, documents))
            }
            (Self::Flat(attention), _) => P::Visible(attention.prepare(keys, values, documents)),
            (Self::Previous(attention), _) => {
                let (keys, values) = attention.project(values);
                P::Words(WordMemory { keys, values })
            }
            (Self::Sentences(_) | Self::Conditional(_) | Self::Tree(_), None) => {
                unreachable!("these attentions encode sentences")
            }
        };
        PreparedMemory {
            projected,
            documents: documents.clone(),
        }
    }

    /// Encodings of the sentences of `words`; none if the attention does not read any.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(&self, words: &Tensor<2>, documents: &Documents) -> Option<Tensor<2>> {
        let source2token = match self {
            Self::Sentences(attention) => &attention.source2token,
            Self::Conditional(attention) => &attention.source2token,
            Self::Tree(attention) => &attention.source2token,
            Self::Selective(_) | Self::Flat(_) | Self::Previous(_) => return None,
        };
        Some(source2token.forward(words.clone(), &documents.sentences))
    }

    /// [`Self::forward`] over a memory that was prepared before.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &PreparedMemory,
    ) -> Tensor<2> {
        use ProjectedMemory as P;
        let PreparedMemory {
            projected,
            documents,
        } = memory;
        match (self, projected) {
            (Self::Sentences(attention), P::Visible(memory)) => {
                attention.attend(queries, query_spans, memory)
            }
            (Self::Conditional(attention), P::Selected(memory)) => {
                attention.attend(queries, query_spans, memory, documents)
            }
            (Self::Tree(attention), P::Tree(memory)) => {
                attention.attend(queries, query_spans, memory, documents)
            }
            (Self::Selective(attention), P::Selected(memory)) => {
                attention.attend(queries, query_spans, memory, documents)
            }
            (Self::Flat(attention), P::Visible(memory)) => {
                attention.attend(queries, query_spans, memory)
            }
            (Self::Previous(attention), P::Words(memory)) => {
                let segments: Arc<[Segment]> = query_spans
                    .iter()
                    .map(|span| Segment {
                        queries: span.rows.clone(),
                        keys: documents.sentences[span.sentence].clone(),
                    })
                    .collect();
                let projected = (memory.keys.clone(), memory.values.clone());
                attention.attend(queries, projected, &segments)
            }
            _ => unreachable!("an attention reads what it prepared"),
        }
    }

    /// Whether what is read are the words that enter the layer, as the encodings of Trankova et al. 2024, §2, are made of
    /// them, and not those that enter the sublayer.
    pub(super) fn reads_entering_words(&self) -> bool {
        matches!(self, Self::Sentences(_))
    }

    /// How many sentences a word reads in each head, where there is a choice.
    pub(super) fn set_top_t(&mut self, top_t: usize) {
        match self {
            Self::Conditional(attention) => attention.heads.top_t = top_t,
            Self::Tree(attention) => attention.tree.heads.top_t = top_t,
            _ => {}
        }
    }

    /// The last map, after which there is nothing but a sum.
    pub(super) fn output_mut(&mut self) -> &mut burn::nn::Linear {
        match self {
            Self::Sentences(attention) => &mut attention.attention.output,
            Self::Conditional(attention) => &mut attention.output,
            Self::Tree(attention) => &mut attention.output,
            Self::Selective(attention) => &mut attention.output,
            Self::Flat(attention) => &mut attention.attention.output,
            Self::Previous(attention) => &mut attention.output,
        }
    }
}

/// Attention to the document inside a layer.
#[derive(Module, Debug)]
pub struct ContextSublayer {
    pub attention: ContextAttention,
    /// In place of the residual, Zhang et al. 2018, §3.3.
    pub gate: Option<ContextGate>,
    /// None where the attention is part of the sublayer before it, as additional heads.
    pub norm: Option<Norm>,
}

impl ContextSublayer {
    /// One for each of `count` sublayers, none if the context stands elsewhere.
    pub(super) fn in_encoder(config: &ModelConfig, count: usize, device: &Device) -> Vec<Self> {
        let sublayer = |_| {
            let (attention, placement) = ContextAttention::new(config, device)?;
            let zhang = matches!(config.context, Some(Context::Zhang { .. }));
            (placement != Placement::Gate).then(|| Self {
                attention,
                gate: zhang.then(|| gate(config, device)),
                norm: (placement == Placement::Sublayer).then(|| Norm::new(config.d_model, device)),
            })
        };
        (0..count).filter_map(sublayer).collect()
    }

    /// Of a decoder layer: attention to the encodings of the source sentences.
    pub(super) fn in_decoder(config: &ModelConfig, device: &Device) -> Option<Self> {
        let sentences = matches!(
            config.context,
            Some(Context::HierarchicalEncoding { decoder: true, .. })
        );
        sentences.then(|| Self {
            attention: ContextAttention::Sentences(SentenceAttention::new(
                config.d_model,
                config.num_heads,
                device,
            )),
            gate: None,
            norm: Some(Norm::new(config.d_model, device)),
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
    /// None if the context stands elsewhere.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        if let Some(Context::Han { previous, .. }) = config.context {
            let config = HanContextConfig::new(config.d_model, config.d_ff, config.num_heads)
                .with_context_size(previous)
                .with_warm_gate(config.warm_gate);
            return Some(Self::Han(config.init(device)));
        }
        let (attention, placement) = ContextAttention::new(config, device)?;
        (placement == Placement::Gate).then(|| {
            let layer = ContextLayerConfig::new(config.d_model, config.d_ff)
                .with_warm_gate(config.warm_gate);
            Self::Layer(LayeredContext {
                attention,
                layer: layer.init(device),
            })
        })
    }

    /// The states `own`, joined with what their words read when they ask with `queries`.
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
        self.attend(own, queries, query_spans, &self.prepare(memory), drop)
    }

    /// All that does not depend on who reads.
    pub fn prepare(&self, memory: &Memory) -> PreparedMemory {
        match self {
            Self::Layer(context) => context.attention.prepare(memory),
            Self::Han(han) => PreparedMemory {
                projected: ProjectedMemory::Words(han.prepare(memory.values.clone())),
                documents: memory.documents.clone(),
            },
        }
    }

    /// [`Self::forward`] over a memory that was prepared before.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub fn attend(
        &self,
        own: Tensor<2>,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &PreparedMemory,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        match (self, &memory.projected) {
            (Self::Layer(context), _) => {
                let attended = context.attention.attend(queries, query_spans, memory);
                context.layer.forward(attended, own, drop)
            }
            (Self::Han(han), ProjectedMemory::Words(words)) => {
                han.attend(own, query_spans, words, &memory.documents, drop)
            }
            (Self::Han(_), _) => unreachable!("an attention reads what it prepared"),
        }
    }
}
