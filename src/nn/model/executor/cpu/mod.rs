//! Packed weights on the CPU as an executor; burn's layers encode what reads more than the sentence.

mod hypotheses;
mod passes;

use std::collections::HashMap;
use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::burn::{BurnExecutor, record_translations};
use super::weights::Loaded;
use super::{BatchSetup, Batching, Decode, Executor, ExecutorKind, SearchMemory, SentenceStates};
use crate::datastore::{Datastore, KnnConfig, StatesOfPairs};
use crate::model::batch::Batch;
use crate::model::document_window::DocumentWindow;
use crate::model::encoder::EncoderOutput;
use crate::model::packed::{
    PackedDecoderOutput, PackedEncoderOutput, PackedTransformer, TranslationStates,
};
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::recorder::AttentionRecorder;
use crate::model::transformer::Transformer;
use crate::shortlist::Shortlist;
use canopy_kernels::DropoutSource;
use canopy_kernels::packed::Scratch;

/// A Transformer with packed weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuExecutor<'m> {
    burn: BurnExecutor<'m>,
    network: &'m Transformer,
    weights: &'m PackedTransformer,
}

impl<'m> CpuExecutor<'m> {
    pub(super) fn new(
        burn: BurnExecutor<'m>,
        network: &'m Transformer,
        weights: &'m PackedTransformer,
    ) -> Self {
        Self {
            burn,
            network,
            weights,
        }
    }

    /// The weights that write the translations that other sentences read, if they compute these.
    fn weights_of_translations(&self) -> Option<&'m PackedTransformer> {
        let model = self.burn.model;
        let weights = match &model.stage_one {
            None => self.weights,
            Some(stage_one) => match stage_one.loaded(None, model.unread.as_deref()) {
                Loaded::Cpu(weights) => weights,
                _ => return None,
            },
        };
        (model.is_bilingual() && weights.decodes_translations()).then_some(weights)
    }
}

impl Executor for CpuExecutor<'_> {
    fn kind(&self) -> ExecutorKind {
        ExecutorKind::Cpu
    }

    fn batching(&self, cores: usize) -> Batching {
        Batching::Cores {
            tokens: self.weights.batch_tokens(cores, Batching::TOKENS),
        }
    }

    fn shortlist(&self) -> Option<&Shortlist> {
        self.burn.model.shortlist.as_deref()
    }

    fn keeps_draft_states(&self) -> bool {
        self.weights.decodes_translations()
    }

    fn encode(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        let packed = match window {
            None => passes::encode(self.weights, source, recorder),
            Some(_) => None,
        };
        packed
            .or_else(|| self.encode_documents(source, window, recorder))
            .unwrap_or_else(|| self.burn.encode(source, window, recorder))
    }

    fn encode_sentences(
        &self,
        source: &PackedBatch,
        kept: &mut SentenceStates,
    ) -> Option<Tensor<2>> {
        let model = self.burn.model;
        if model.stage_one.is_some() || model.is_bilingual() {
            return self.burn.encode_sentences(source, kept);
        }
        match passes::states_below_context_again(self.weights, source, kept) {
            Some(states) => (self.network.encoder).encode_sentences(&states, &source.layout()),
            None => self.burn.encode_sentences(source, kept),
        }
    }

    fn encode_again(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        wanted: &[usize],
        kept: &mut SentenceStates,
    ) -> EncoderOutput {
        self.encode_wanted(source, window, wanted, kept)
            .unwrap_or_else(|| self.encode(source, window, &mut AttentionRecorder::off()))
    }

    fn translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        known: HashMap<usize, TranslationStates>,
    ) -> Option<Memory> {
        let stage_one = self.burn.model.stage_one.is_some();
        let read = match &encoded.stage_one {
            _ if !stage_one => Some(encoded),
            read => read.as_deref(),
        };
        let weights = self.weights_of_translations();
        let packed = weights.filter(|weights| read.is_some() || weights.encodes());
        match packed {
            Some(weights) => {
                let documents = &encoded.documents.documents;
                let translations = (target, known);
                Some(passes::translations(
                    weights,
                    (source, documents),
                    read,
                    translations,
                ))
            }
            None => self.burn.translations(source, target, encoded, known),
        }
    }

    fn prepare(&self, encoded: &EncoderOutput, translations: Option<&Memory>) -> SearchMemory {
        let packed = translations.and_then(|read| self.weights.prepare(read));
        match packed {
            Some(packed) => SearchMemory {
                translations: Some(Arc::new(packed)),
                ..self.burn.prepare(encoded, None)
            },
            None => self.burn.prepare(encoded, translations),
        }
    }

    fn start<'e>(&'e self, rows: &PackedBatch, setup: BatchSetup<'_>) -> Box<dyn Decode + 'e> {
        let scratch = Scratch::on_cores(setup.several_cores);
        match self.weights.encode(rows, scratch) {
            Some(encoded) => self.begin(&encoded, setup),
            None => self.burn.start(rows, setup),
        }
    }

    fn start_with<'e>(
        &'e self,
        encoded: &EncoderOutput,
        memory: &SearchMemory,
        setup: BatchSetup<'_>,
    ) -> Box<dyn Decode + 'e> {
        self.begin(&memory.with_encoded(encoded), setup)
    }

    fn record(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        recorder: &mut AttentionRecorder,
    ) {
        let network = self.network;
        let decoded =
            passes::decode(self.weights, target, encoded, recorder).unwrap_or_else(|| {
                network.decode_recorded(target, encoded, &DropoutSource::none(), recorder)
            });
        record_translations(network, &decoded, target, (encoded, translations), recorder);
    }

    fn label_log_probs(&self, batch: &Batch) -> Vec<f32> {
        if self.weights.encodes() {
            self.weights.label_log_probs(batch, self.burn.lookup())
        } else {
            self.burn.label_log_probs(batch)
        }
    }

    /// Computed on all cores.
    fn datastore(
        &self,
        batches: &mut dyn Iterator<Item = Batch>,
        config: KnnConfig,
    ) -> Option<Datastore> {
        if !self.packs_label_states() {
            return self.burn.datastore(batches, config);
        }
        let (mut keys, mut next) = (Vec::new(), Vec::new());
        let mut pairs = StatesOfPairs::default();
        loop {
            let at_once = (&mut *batches).take(rayon::current_num_threads());
            let batches: Vec<Batch> = at_once.collect();
            if batches.is_empty() {
                break;
            }
            let states = batches.par_iter();
            let states = states.map(|batch| self.label_states(batch));
            for states in states.collect::<Vec<_>>() {
                keys.extend(states.fed_forward);
            }
            for batch in batches {
                let mut first = next.len();
                for (source, states) in batch.translations() {
                    pairs.push(source, first..first + states);
                    first += states;
                }
                next.extend(batch.labels);
            }
        }
        let d_model = keys.len().checked_div(next.len())?;
        Some(Datastore::packed(&keys, d_model, next, config).with_pairs(pairs))
    }
}

impl CpuExecutor<'_> {
    /// Encoded sentences of documents, or of a window of one, that are read after the last sublayer; none if they are read
    /// in another place, or by the states of another model.
    fn encode_documents(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        recorder: &mut AttentionRecorder,
    ) -> Option<EncoderOutput> {
        if self.burn.model.stage_one.is_some() {
            return None;
        }
        let states = passes::states_below_context(self.weights, source, recorder)?;
        let encoder = &self.network.encoder;
        let states = match window {
            Some(window) => {
                let (words, layout) = (states.clone(), source.layout());
                encoder.read_context_in_window(states, words, &layout, window, recorder)?
            }
            None => encoder.read_context(states, source, None, &DropoutSource::none(), recorder),
        };
        Some(EncoderOutput::new(states, source))
    }

    /// As [`Self::encode_documents`], of the `wanted` sentences alone; none also where a decoder reads the others.
    fn encode_wanted(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        wanted: &[usize],
        kept: &mut SentenceStates,
    ) -> Option<EncoderOutput> {
        let model = self.burn.model;
        if model.stage_one.is_some()
            || model.is_bilingual()
            || self.network.decoder.reads_beyond_sentence()
        {
            return None;
        }
        let states = passes::states_below_context_again(self.weights, source, kept)?;
        let encoder = &self.network.encoder;
        let states = encoder.read_context_for(wanted, states, source, window)?;
        Some(EncoderOutput::from_selected(states, source, wanted))
    }

    /// Whether the states of sentences that are read by themselves are packed: nothing is read beyond the sentence, or only
    /// its document after the last sublayer of the encoder.
    fn packs_label_states(&self) -> bool {
        let model = self.burn.model;
        let reads_documents = self.weights.encodes_below_context() && model.stage_one.is_none();
        self.weights.encodes() || reads_documents && !model.is_bilingual()
    }

    /// States of all words of `batch.target`.
    fn label_states(&self, batch: &Batch) -> PackedDecoderOutput {
        let recorder = &mut AttentionRecorder::off();
        match self.encode_documents(&batch.source, None, recorder) {
            Some(encoded) => self
                .weights
                .label_states_of(batch, &PackedEncoderOutput::from_encoder(&encoded, None)),
            None => self.weights.label_states(batch),
        }
    }

    /// A hypothesis for each sentence that was encoded.
    fn begin(&self, encoded: &PackedEncoderOutput, setup: BatchSetup<'_>) -> Box<dyn Decode + '_> {
        let hypotheses =
            hypotheses::Hypotheses::new(self.weights, self.burn.lookup(), encoded, setup);
        Box::new(hypotheses)
    }
}
