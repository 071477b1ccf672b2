//! Burn's layers as an executor: of every network, on every device.

use std::collections::HashMap;

use burn::tensor::Tensor;

use super::{BatchSetup, Batching, Decode, Executor, ExecutorKind, SearchMemory, SentenceStates};
use crate::datastore::{Datastore, KnnConfig};
use crate::model::batch::Batch;
use crate::model::decoder::{DecoderOutput, DecoderState};
use crate::model::document_window::DocumentWindow;
use crate::model::encoder::EncoderOutput;
use crate::model::knn_lookup::label_log_probs;
use crate::model::network::NetworkRef;
use crate::model::packed::TranslationStates;
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::recorder::{AttentionKind, AttentionRecorder};
use crate::model::rnn_search::{RnnSearch, RnnState};
use crate::model::system::Model;
use crate::model::transformer::Transformer;
use crate::model::variant::SearchRule;
use canopy_kernels::{DropoutSource, StepScores, TokenSelection, log_softmax};

/// A network of a model.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct BurnExecutor<'m> {
    pub model: &'m Model,
    network: NetworkRef<'m>,
    /// Whether it is the sentence-level model that training began with, whose translations are its own.
    is_stage_one: bool,
}

impl<'m> BurnExecutor<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self {
            model,
            network: model.network.as_ref(),
            is_stage_one: false,
        }
    }

    pub(crate) fn for_stage_one(model: &'m Model, network: &'m Transformer) -> Self {
        Self {
            model,
            network: NetworkRef::Transformer(network),
            is_stage_one: true,
        }
    }

    /// The distribution that the network's is interpolated with.
    pub(crate) fn lookup(&self) -> Option<&'m Datastore> {
        self.model.datastore().filter(|_| !self.is_stage_one)
    }

    /// As [`Model::label_log_probs`].
    pub(crate) fn label_log_probs_with(
        &self,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        batch: &Batch,
    ) -> Vec<f32> {
        let none = DropoutSource::none();
        let scores = self.network.scores(encoded, translations, batch, &none);
        let alone = label_log_probs(scores, &batch.labels);
        let Some(datastore) = self.lookup() else {
            return alone;
        };
        let Some(last) = self.network.last_layer(batch, encoded) else {
            return alone;
        };
        let tokens = alone.into_iter().zip(&batch.labels);
        tokens
            .zip(datastore.near_translations(last.fed_forward, batch.translations()))
            .map(|((alone, &label), near)| datastore.mixed(alone.exp(), label, &near).ln())
            .collect()
    }
}

impl Executor for BurnExecutor<'_> {
    fn kind(&self) -> ExecutorKind {
        ExecutorKind::Burn
    }

    fn batching(&self, _: usize) -> Batching {
        if self.model.network.is_on_cpu() {
            Batching::ON_CPU
        } else {
            Batching::ON_GPU
        }
    }

    fn encode(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        let none = DropoutSource::none();
        let network = match self.network {
            NetworkRef::Transformer(network) => network,
            NetworkRef::RnnSearch(network) => {
                return EncoderOutput::new(network.annotations(source, &none), source);
            }
        };
        if self.is_stage_one {
            return network.encode_recorded(source, None, &none, recorder);
        }
        let model = self.model;
        let among = window.and_then(|window| {
            let memory = model.memory(source);
            network.encode_in_window_recorded(source, memory, window, recorder)
        });
        among.unwrap_or_else(|| {
            model.with_stage_one(source, |memory| {
                network.encode_recorded(source, memory, &none, recorder)
            })
        })
    }

    fn encode_sentences(&self, source: &PackedBatch, _: &mut SentenceStates) -> Option<Tensor<2>> {
        self.model.encode_sentences(source)
    }

    fn translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        _: HashMap<usize, TranslationStates>,
    ) -> Option<Memory> {
        let none = DropoutSource::none();
        self.model.translations(source, target, encoded, &none)
    }

    fn prepare(&self, encoded: &EncoderOutput, translations: Option<&Memory>) -> SearchMemory {
        let memory = match self.network {
            NetworkRef::Transformer(network) => {
                let decoder = &network.decoder;
                let source = decoder.prepare(encoded);
                Some(match translations {
                    Some(translations) => decoder.with_translations(&source, translations),
                    None => source,
                })
            }
            NetworkRef::RnnSearch(_) => None,
        };
        SearchMemory {
            memory,
            translations: None,
        }
    }

    fn start<'e>(&'e self, rows: &PackedBatch, setup: BatchSetup<'_>) -> Box<dyn Decode + 'e> {
        let encoded = self.encode(rows, None, &mut AttentionRecorder::off());
        self.start_with(&encoded, &self.prepare(&encoded, None), setup)
    }

    fn start_with<'e>(
        &'e self,
        encoded: &EncoderOutput,
        memory: &SearchMemory,
        _: BatchSetup<'_>,
    ) -> Box<dyn Decode + 'e> {
        match self.network {
            NetworkRef::Transformer(network) => {
                let memory = memory.memory.clone();
                let memory = memory.unwrap_or_else(|| network.decoder.prepare(encoded));
                Box::new(Hypotheses {
                    network,
                    state: network.start(encoded, memory),
                    datastore: self.lookup(),
                })
            }
            NetworkRef::RnnSearch(network) => Box::new(RecurrentHypotheses {
                network,
                state: network.start(&network.encoded(encoded)),
            }),
        }
    }

    fn record(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        recorder: &mut AttentionRecorder,
    ) {
        match self.network {
            NetworkRef::Transformer(network) => {
                let none = DropoutSource::none();
                let decoded = network.decode_recorded(target, encoded, &none, recorder);
                record_translations(network, &decoded, target, (encoded, translations), recorder);
            }
            NetworkRef::RnnSearch(network) => {
                let last = network.decoder.cells.len() - 1;
                recorder.add(AttentionKind::Cross, last, |keep| {
                    network.attention_weights(&network.encoded(encoded), target, keep)
                });
            }
        }
    }

    fn label_log_probs(&self, batch: &Batch) -> Vec<f32> {
        let encoded = self.encode(&batch.source, None, &mut AttentionRecorder::off());
        self.label_log_probs_with(&encoded, None, batch)
    }

    fn datastore(
        &self,
        batches: &mut dyn Iterator<Item = Batch>,
        config: KnnConfig,
    ) -> Option<Datastore> {
        let (mut keys, mut next) = (Vec::new(), Vec::new());
        for batch in batches {
            let encoded = self.encode(&batch.source, None, &mut AttentionRecorder::off());
            if let Some(last) = self.network.last_layer(&batch, &encoded) {
                keys.push(last.fed_forward);
                next.extend(batch.labels);
            }
        }
        if keys.is_empty() {
            return None;
        }
        let datastore = Datastore::new(Tensor::cat(keys, 0), next, config);
        let is_packed = self.model.packing().is_some() && self.model.network.is_on_cpu();
        Some(if is_packed {
            datastore.into_packed()
        } else {
            datastore
        })
    }
}

/// Records what decoded translations read of those of other sentences.
pub(super) fn record_translations(
    network: &Transformer,
    decoded: &DecoderOutput,
    target: &PackedBatch,
    (encoded, translations): (&EncoderOutput, Option<&Memory>),
    recorder: &mut AttentionRecorder,
) {
    if let Some(memory) = translations {
        let layers = &network.decoder;
        layers.attend_to_translations(decoded, target, encoded, memory, recorder);
    }
}

/// Hypotheses of a Transformer.
struct Hypotheses<'m> {
    network: &'m Transformer,
    state: DecoderState,
    datastore: Option<&'m Datastore>,
}

impl Decode for Hypotheses<'_> {
    fn step(&mut self, ids: &[u32]) -> Vec<f32> {
        let (network, state) = (self.network, &mut self.state);
        let tokens = network.next_words(state, ids);
        let scores = network.vocabulary_scores(tokens.states);
        let Some(datastore) = self.datastore else {
            return network.log_probs(scores, state);
        };
        let mut log_probs = log_softmax(scores);
        datastore.mix_in(tokens.fed_forward, &mut log_probs);
        network.constrain(&mut log_probs, state);
        log_probs
    }

    fn score(&mut self, ids: &[u32], read: Option<TokenSelection>, scores: &mut StepScores) {
        if self.datastore.is_some() {
            scores.put(self.step(ids), ids.len());
            return;
        }
        let found = self.network.step(&mut self.state, ids);
        self.network.read_scores(found, &self.state, read, scores);
    }

    fn select(&mut self, hypotheses: &[usize]) {
        self.state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.network.tokens.start
    }

    fn end(&self) -> u32 {
        self.network.tokens.end
    }

    fn rule(&self) -> SearchRule {
        self.network.tokens.search
    }
}

/// Hypotheses of a recurrent network.
struct RecurrentHypotheses<'m> {
    network: &'m RnnSearch,
    state: RnnState,
}

impl Decode for RecurrentHypotheses<'_> {
    fn step(&mut self, ids: &[u32]) -> Vec<f32> {
        log_softmax(self.network.step(&mut self.state, ids))
    }

    fn score(&mut self, ids: &[u32], read: Option<TokenSelection>, scores: &mut StepScores) {
        scores.read(self.network.step(&mut self.state, ids), read);
    }

    fn select(&mut self, hypotheses: &[usize]) {
        self.state.select(hypotheses);
    }
}
