//! Executors: how a network is computed when it searches, scores and records.
//!
//! Burn's layers, with which a model is trained, are the definition. On the CPU packed weights compute the same on plain
//! slices, on a GPU kernels of our own, both as far as they have the parts of a network; an executor falls back on burn's
//! layers for the rest. [`Model::executor`] is the one place that chooses.

mod burn;
mod cpu;
mod decode;
mod draft_states;
mod gpu;
mod sentence_states;
mod weights;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use super::batch::Batch;
use super::decoder::DecoderMemory;
use super::document_window::DocumentWindow;
use super::encoder::EncoderOutput;
use super::network::Network;
use super::packed::{PackedEncoderOutput, SharedTranslations, TranslationStates};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::recorder::AttentionRecorder;
use super::system::Model;
use ::burn::tensor::Tensor;

use crate::datastore::{Datastore, KnnConfig};
use crate::shortlist::Shortlist;

pub use sentence_states::SentenceStates;
pub(super) use weights::SearchWeights;

pub(super) use burn::BurnExecutor;
use cpu::CpuExecutor;
use gpu::GpuExecutor;
use weights::Loaded;

pub use decode::Decode;
pub use draft_states::DraftStates;

/// The kind of weights that compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutorKind {
    /// Burn's layers, on whichever device they are.
    Burn,
    /// Packed weights on the CPU.
    Cpu,
    /// Kernels on a GPU.
    Gpu,
}

/// How a search deals its sentences out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batching {
    /// Each core searches a batch of its own, of about this many source tokens times hypotheses.
    Cores {
        /// Source tokens times hypotheses of a batch.
        tokens: usize,
    },
    /// One batch after the other, of about this many source tokens times hypotheses; sentences change places within a
    /// window of this many.
    Device {
        /// Source tokens times hypotheses of a batch.
        tokens: usize,
        /// Sentences within which the order is free.
        window: usize,
    },
}

impl Batching {
    /// Source tokens in a batch on the CPU: enough to keep the cores busy, few enough that first results come soon.
    pub const TOKENS: usize = 1_536;

    const ON_CPU: Self = Self::Device {
        tokens: Self::TOKENS,
        window: 256,
    };

    /// A token of a few hypotheses takes a GPU as long as one of many.
    const ON_GPU: Self = Self::Device {
        tokens: 24_576,
        window: 1_024,
    };
}

/// Settings of the sentences of a batch before their first tokens.
#[derive(Debug, Default)]
pub struct BatchSetup<'a> {
    /// The ids of each sentence, by which a datastore chooses the states that it is compared with; none for all states.
    pub sources: Vec<&'a [u32]>,
    /// The ids, ascending, of which alone translations are made; none if of all. See [`Executor::shortlist`].
    pub vocabulary: Option<Vec<u32>>,
    /// Whether there is one batch alone, which may use all cores.
    pub several_cores: bool,
    /// Where the states of drafts are kept, see [`Executor::keeps_draft_states`].
    pub draft_states: Option<Rc<RefCell<DraftStates>>>,
}

/// The memory of all hypotheses of some documents beyond their own sentence, as the executor that prepared it reads it.
#[derive(Debug, Clone)]
pub struct SearchMemory {
    /// None of a recurrent network.
    memory: Option<DecoderMemory>,
    /// Translations where packed weights read them.
    translations: Option<Arc<SharedTranslations>>,
}

impl SearchMemory {
    /// Encoded sentences as weights of searches read them, with this memory of their documents.
    fn with_encoded(&self, encoded: &EncoderOutput) -> PackedEncoderOutput {
        let memory = self.memory.as_ref();
        let memory = memory.map(|memory| (memory, self.translations.clone()));
        PackedEncoderOutput::from_encoder(encoded, memory)
    }
}

/// A network as a device computes it.
///
/// Documents are encoded, what their hypotheses read beyond their sentence is prepared, and hypotheses are started, which
/// [`Decode`] lets grow. Sentences that are read by themselves are started at once.
pub trait Executor: Debug + Sync {
    /// Returns which executor this is.
    fn kind(&self) -> ExecutorKind;

    /// How a search distributes its sentences over a number of cores.
    fn batching(&self, cores: usize) -> Batching;

    /// The target words that a search scores for each source word; none if it scores all.
    fn shortlist(&self) -> Option<&Shortlist> {
        None
    }

    /// Whether hypotheses keep what other sentences read of a translation.
    fn keeps_draft_states(&self) -> bool {
        false
    }

    /// Encodes the sentences of whole documents, or of a window of one, with what they attend to.
    fn encode(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput;

    /// Encodings by which other sentences of a document choose these; none if the model does not choose so after its last
    /// encoder layer.
    ///
    /// # Shapes
    /// - output: `[sentences, d_model]`
    fn encode_sentences(
        &self,
        source: &PackedBatch,
        kept: &mut SentenceStates,
    ) -> Option<Tensor<2>>;

    /// As [`Self::encode`], of at least the `wanted` sentences, which ascend, with the states of sentences that were encoded before
    /// by the same model.
    fn encode_again(
        &self,
        source: &PackedBatch,
        window: Option<&DocumentWindow>,
        wanted: &[usize],
        kept: &mut SentenceStates,
    ) -> EncoderOutput {
        let _ = (wanted, kept);
        self.encode(source, window, &mut AttentionRecorder::off())
    }

    /// The translations `target` of all sentences of `source`, each of which begins with `bos`, as other sentences read
    /// them; what is `known` of some of them, with `bos`, need not be computed again. None if the model reads none.
    fn translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        known: HashMap<usize, TranslationStates>,
    ) -> Option<Memory>;

    /// Prepares the memory that the hypotheses of all sentences of some documents read beyond their own.
    fn prepare(&self, encoded: &EncoderOutput, translations: Option<&Memory>) -> SearchMemory;

    /// One hypothesis for each of these sentences, which are encoded by themselves.
    fn start<'e>(&'e self, rows: &PackedBatch, setup: BatchSetup<'_>) -> Box<dyn Decode + 'e>;

    /// One hypothesis for each encoded sentence; `memory` is of their documents.
    fn start_with<'e>(
        &'e self,
        encoded: &EncoderOutput,
        memory: &SearchMemory,
        setup: BatchSetup<'_>,
    ) -> Box<dyn Decode + 'e>;

    /// Records what the tokens of `target`, translations of the sentences of `encoded`, attend to.
    fn record(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        recorder: &mut AttentionRecorder,
    );

    /// Log-probability of each of `batch.labels` after the tokens before it, mixed with what the model looks up; sentences
    /// are encoded by themselves.
    fn label_log_probs(&self, batch: &Batch) -> Vec<f32>;

    /// The states of all tokens of these batches as a datastore of this executor's searches; none if there are none, or if
    /// the network is recurrent.
    fn datastore(
        &self,
        batches: &mut dyn Iterator<Item = Batch>,
        config: KnnConfig,
    ) -> Option<Datastore>;
}

impl Model {
    /// The executor that searches, scores and records with this model: packed weights where it keeps such and they compute what it
    /// reads, else burn's layers. They are created for their device by the first call.
    ///
    /// # Panics
    /// If the device has too little memory, or is lost, with a message that says so.
    pub fn executor(&self) -> Box<dyn Executor + '_> {
        let burn = BurnExecutor::new(self);
        let Network::Transformer(network) = &self.network else {
            return Box::new(burn);
        };
        // Packed decoders continue from burn's encoders, but where these read one sentence, burn's decoder is used, too.
        let computes = |encodes: bool| encodes || self.encodes_documents();
        match network.loaded(self.context, self.unread.as_deref()) {
            Loaded::Cpu(weights) if computes(weights.encodes()) => {
                Box::new(CpuExecutor::new(burn, network, weights))
            }
            Loaded::Gpu(weights) if computes(weights.encodes()) => {
                Box::new(GpuExecutor::new(burn, weights))
            }
            _ => Box::new(burn),
        }
    }

    /// The executor of the sentence-level model that training began with; none if there is no such model.
    ///
    /// # Panics
    /// As [`Self::executor`].
    pub fn stage_one_executor(&self) -> Option<Box<dyn Executor + '_>> {
        let network = self.stage_one.as_ref()?;
        let burn = BurnExecutor::for_stage_one(self, network);
        Some(match network.loaded(None, self.unread.as_deref()) {
            Loaded::Cpu(weights) if weights.encodes() => {
                Box::new(CpuExecutor::new(burn, network, weights))
            }
            Loaded::Gpu(weights) if weights.encodes() => Box::new(GpuExecutor::new(burn, weights)),
            _ => Box::new(burn),
        })
    }
}
