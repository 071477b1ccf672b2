//! Recording of the attention to a document, whichever mechanism it is.

use burn::tensor::Tensor;

use super::super::context_attention::ContextSublayer;
use super::super::prepared::Memory;
use super::super::query_spans::QuerySpan;
use super::super::systems::{ContextAttention, GatedContext};
use super::{AttentionKind, AttentionRecorder};
use canopy_kernels::DropoutSource;

impl ContextAttention {
    /// Attends to `memory` and adds the weights, as well as those of its sentence encodings where it is the
    /// source.
    pub(in super::super) fn attend_recorded(
        &self,
        queries: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        drop: &DropoutSource,
        (kind, layer): (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let prepared = self.prepare(memory);
        if let (AttentionKind::Context, Some(encoder)) = (kind, self.source2token()) {
            recorder.add(AttentionKind::SentenceEncoding, layer, |keep| {
                encoder.attention_weights(memory.values.clone(), &memory.documents.sentences, keep)
            });
        }
        if recorder.is_on() && self.has_trees() {
            recorder.leaves = memory.documents.non_empty().collect();
        }
        let mut read = None;
        recorder.add(kind, layer, |keep| {
            let (output, attention_weights) =
                prepared.attend_with_weights(queries.clone(), query_spans, keep);
            read = Some(output);
            attention_weights
        });
        read.unwrap_or_else(|| prepared.attend(queries.clone(), query_spans, drop.attention()))
    }
}

impl ContextSublayer {
    /// Attends and adds the weights, with the gate if there is one.
    pub(in super::super) fn attend(
        &self,
        x: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        drop: &DropoutSource,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let attention = &self.attention;
        let read = attention.attend_recorded(x, query_spans, memory, drop, position, recorder);
        if let Some(gate) = &self.gate {
            recorder.add_gate(position, || gate.gate(x.clone(), read.clone()));
        }
        read
    }
}

impl GatedContext {
    /// [`Self::forward`] without dropout; adds what is read, and the gate.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub(in super::super) fn attend_recorded(
        &self,
        own: &Tensor<2>,
        queries: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let (layer, rows) = (self.layer(), [own, queries]);
        let context = layer.read_recorded(rows, query_spans, memory, position, recorder);
        let gate = layer.gate();
        recorder.add_gate(position, || gate.gate(own.clone(), context.clone()));
        gate.forward(own.clone(), context)
    }
}
