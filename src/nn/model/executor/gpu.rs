//! Kernels on a GPU as an executor; burn's layers encode what reads more than the sentence.

use std::collections::HashMap;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::burn::BurnExecutor;
use super::{BatchSetup, Batching, Decode, Executor, ExecutorKind, SearchMemory, SentenceStates};
use crate::datastore::{Datastore, KnnConfig};
use crate::model::batch::Batch;
use crate::model::document_window::DocumentWindow;
use crate::model::encoder::EncoderOutput;
use crate::model::packed::{GpuState, GpuTransformer, TranslationStates};
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::recorder::AttentionRecorder;
use crate::model::variant::SearchRule;
use canopy_kernels::{StepScores, TokenSelection};

/// A Transformer with weights on a GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct GpuExecutor<'m> {
    burn: BurnExecutor<'m>,
    weights: &'m GpuTransformer,
}

impl<'m> GpuExecutor<'m> {
    pub(super) fn new(burn: BurnExecutor<'m>, weights: &'m GpuTransformer) -> Self {
        Self { burn, weights }
    }

    fn hypotheses(&self, state: GpuState) -> Box<dyn Decode + 'm> {
        Box::new(Hypotheses {
            weights: self.weights,
            datastore: self.burn.lookup(),
            state,
        })
    }
}

impl Executor for GpuExecutor<'_> {
    fn kind(&self) -> ExecutorKind {
        ExecutorKind::Gpu
    }

    fn batching(&self, _: usize) -> Batching {
        Batching::ON_GPU
    }

    fn encode(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        self.burn.encode(source, window, recorder)
    }

    fn encode_sentences(
        &self,
        source: &PackedBatch,
        kept: &mut SentenceStates,
    ) -> Option<Tensor<2>> {
        self.burn.encode_sentences(source, kept)
    }

    fn translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        known: HashMap<usize, TranslationStates>,
    ) -> Option<Memory> {
        self.burn.translations(source, target, encoded, known)
    }

    fn prepare(&self, encoded: &EncoderOutput, translations: Option<&Memory>) -> SearchMemory {
        match translations.and_then(|read| self.weights.prepare(read)) {
            Some(packed) => SearchMemory {
                translations: Some(Arc::new(packed)),
                ..self.burn.prepare(encoded, None)
            },
            None => self.burn.prepare(encoded, translations),
        }
    }

    fn start<'e>(&'e self, rows: &PackedBatch, setup: BatchSetup<'_>) -> Box<dyn Decode + 'e> {
        match self.weights.start(rows, self.burn.lookup()) {
            Some(state) => self.hypotheses(state),
            None => self.burn.start(rows, setup),
        }
    }

    fn start_with<'e>(
        &'e self,
        encoded: &EncoderOutput,
        memory: &SearchMemory,
        _: BatchSetup<'_>,
    ) -> Box<dyn Decode + 'e> {
        let encoded = memory.with_encoded(encoded);
        self.hypotheses(self.weights.start_with(&encoded, self.burn.lookup()))
    }

    fn record(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        recorder: &mut AttentionRecorder,
    ) {
        self.burn.record(target, encoded, translations, recorder);
    }

    fn label_log_probs(&self, batch: &Batch) -> Vec<f32> {
        let found = self.weights.label_log_probs(batch, self.burn.lookup());
        found.unwrap_or_else(|| self.burn.label_log_probs(batch))
    }

    fn datastore(
        &self,
        batches: &mut dyn Iterator<Item = Batch>,
        config: KnnConfig,
    ) -> Option<Datastore> {
        if !self.weights.decodes_whole() {
            return self.burn.datastore(batches, config);
        }
        let (mut keys, mut next) = (Vec::new(), Vec::new());
        for batch in batches {
            keys.extend(self.weights.label_states(&batch)?);
            next.extend(batch.labels);
        }
        let d_model = keys.len().checked_div(next.len())?;
        Some(Datastore::packed(&keys, d_model, next, config))
    }
}

/// Hypotheses on a GPU, and what their next tokens are mixed with.
struct Hypotheses<'m> {
    weights: &'m GpuTransformer,
    datastore: Option<&'m Datastore>,
    state: GpuState,
}

impl Decode for Hypotheses<'_> {
    fn step(&mut self, ids: &[u32]) -> Vec<f32> {
        let mut scores = StepScores::default();
        self.score(ids, None, &mut scores);
        scores.values
    }

    fn score(&mut self, ids: &[u32], read: Option<TokenSelection>, scores: &mut StepScores) {
        let read = (read, self.datastore);
        self.weights.read_next(&mut self.state, ids, read, scores);
    }

    fn select(&mut self, hypotheses: &[usize]) {
        self.state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.weights.tokens().start
    }

    fn end(&self) -> u32 {
        self.weights.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.weights.tokens().search
    }
}
