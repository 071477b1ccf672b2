//! One translation model, whichever system it is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor};

use super::batch::Batch;
use super::bert::BertReader;
use super::config::{Architecture, ModelConfig};
use super::context_config::{Context, ContextSentence, MemorySource};
use super::encoder::EncoderOutput;
use super::network::Network;
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::rnn_search::RnnSearch;
use super::transformer::Transformer;
use super::unread::UnreadWeights;
use crate::datastore::Datastore;
use crate::error::Result;
use crate::shortlist::Shortlist;
use canopy_kernels::{DropoutSource, is_cpu, label_smoothed_cross_entropy};
use canopy_tokenize::Tokenizer;

/// All random weights of a process come from one generator of burn's: models are drawn one after the other, or another
/// thread's would change what a seed gives.
fn rng_lock() -> MutexGuard<'static, ()> {
    static RNG: Mutex<()> = Mutex::new(());
    RNG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws every weight now; burn would draw it when it is first used, after whatever else was drawn by then.
pub(super) struct InitParams;

impl ModuleVisitor for InitParams {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        param.val();
    }
}

/// A whole model.
#[derive(Module, Debug)]
pub struct Model {
    /// The layers.
    pub network: Network,
    /// The sentence-level model that training began with, where others' states come from it; it does not change.
    pub stage_one: Option<Transformer>,
    #[module(skip)]
    pub(crate) context: Option<Context>,
    /// The datastore whose tokens are mixed with the next tokens of a search.
    #[module(skip)]
    pub(super) datastore: Option<Datastore>,
    /// The words that a search on the CPU scores for each source word; none if it scores all.
    #[module(skip)]
    pub shortlist: Option<Arc<Shortlist>>,
    /// Chooses among the translations of a search; none if the most probable one is taken.
    #[module(skip)]
    pub reranker: Option<Reranker>,
    /// Default exponent of the length penalty of its searches; none for the general default.
    #[module(skip)]
    pub length_penalty: Option<f32>,
    /// Default beam size of its searches; none for the general default.
    #[module(skip)]
    pub beam_size: Option<usize>,
    /// The place of the weights that are not read yet; none if all are here.
    #[module(skip)]
    pub(super) unread: Option<Arc<dyn UnreadWeights>>,
}

/// How well the source can be recovered from a translation: p(source | translation), which Yee et al., "Simple and Effective
/// Noisy Channel Modeling for Neural Machine Translation", EMNLP 2019, call the channel.
#[derive(Debug, Clone)]
pub struct Reranker {
    /// Translates back.
    pub model: Box<Model>,
    /// Its tokenizer; none if it has the ids of the model whose translations it ranks.
    pub tokenizer: Option<Arc<dyn Tokenizer>>,
    /// Their λ₁: what its log-probability counts against the model's own.
    pub weight: f32,
    /// Tokens that it reads and writes at most, with the end of the sentence.
    pub max_tokens: usize,
}

impl Model {
    /// A model with random weights.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn new(config: &ModelConfig, device: &Device) -> Result<Self> {
        let _alone = rng_lock();
        Self::draw(config, device)
    }

    /// A model whose random weights follow from `seed`.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn seeded(config: &ModelConfig, seed: u64, device: &Device) -> Result<Self> {
        let _alone = rng_lock();
        device.seed(seed);
        Self::draw(config, device)
    }

    /// A model whose weights are still to come: those that are not put in are drawn when they are first used.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn uninitialised(config: &ModelConfig, device: &Device) -> Result<Self> {
        let _alone = rng_lock();
        Self::build(config, device)
    }

    fn draw(config: &ModelConfig, device: &Device) -> Result<Self> {
        let model = Self::build(config, device)?;
        model.visit(&mut InitParams);
        Ok(model)
    }

    fn build(config: &ModelConfig, device: &Device) -> Result<Self> {
        config.validate()?;
        let bilingual = config.context.is_some_and(Context::is_bilingual);
        let stage_one = (config.memory == MemorySource::StageOne).then(|| {
            let whole = Transformer::new(&config.sentence_level(), device);
            whole.into_stage_one(bilingual)
        });
        Ok(Self {
            network: match config.architecture {
                Architecture::Transformer => Network::Transformer(Transformer::new(config, device)),
                Architecture::RnnSearch => {
                    Network::RnnSearch(RnnSearch::new(&config.rnn_search(), device))
                }
            },
            stage_one,
            context: config.context,
            datastore: None,
            shortlist: None,
            reranker: None,
            length_penalty: None,
            beam_size: None,
            unread: None,
        })
    }

    /// Lets devices that draw dropout masks themselves draw those that follow from `seed`.
    pub fn seed_masks(&self, seed: u64) {
        let drawn = |device: &Device| !is_cpu(device);
        for device in self.devices().into_iter().filter(drawn) {
            let _alone = rng_lock();
            device.seed(seed);
        }
    }

    /// The distribution that the model's is interpolated with.
    pub fn datastore(&self) -> Option<&Datastore> {
        self.datastore.as_ref()
    }

    /// Whether translations of other sentences are read.
    pub fn is_bilingual(&self) -> bool {
        self.context.is_some_and(Context::is_bilingual)
    }

    /// Whether other sentences have to be encoded with each one.
    pub fn encodes_documents(&self) -> bool {
        self.context.is_some_and(Context::encodes_documents)
    }

    /// The BERT that is read, and which sentence is after each one where no file says it.
    pub fn bert(&self) -> Option<(&BertReader, ContextSentence)> {
        let (_, sentence) = self.context?.bert()?;
        match &self.network {
            Network::Transformer(network) => Some((network.bert.as_ref()?, sentence)),
            Network::RnnSearch(_) => None,
        }
    }

    /// Whether anything beyond the sentence is read.
    pub fn reads_documents(&self) -> bool {
        self.context.is_some()
    }

    /// Encodes the sentences of whole documents.
    pub fn encode(&self, source: &PackedBatch, drop: &DropoutSource) -> EncoderOutput {
        match &self.network {
            Network::Transformer(network) => {
                self.with_stage_one(source, |memory| network.encode(source, memory, drop))
            }
            Network::RnnSearch(network) => {
                EncoderOutput::new(network.annotations(source, drop), source)
            }
        }
    }

    /// The output of `encode` for the states of the sentence-level model, with these where the decoder reads them, too.
    pub(super) fn with_stage_one(
        &self,
        source: &PackedBatch,
        encode: impl FnOnce(Option<Tensor<2>>) -> EncoderOutput,
    ) -> EncoderOutput {
        let stage_one = self.stage_one_reads(source);
        let memory = stage_one.as_ref();
        let memory = memory.map(|encoded| encoded.states.clone().detach());
        let stage_one = stage_one.filter(|_| self.is_bilingual());
        EncoderOutput {
            stage_one: stage_one.map(Box::new),
            ..encode(memory)
        }
    }

    /// Encodings by which other sentences of a document choose these; none if the model does not choose so after its last
    /// encoder layer.
    ///
    /// # Shapes
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(&self, source: &PackedBatch) -> Option<Tensor<2>> {
        match &self.network {
            Network::Transformer(network)
                if !self.is_bilingual() && network.encoder.chooses_by_encodings() =>
            {
                network.encode_sentences(source, self.memory(source))
            }
            _ => None,
        }
    }

    /// States of the sentence-level model, without gradient, where the encoder reads them.
    pub(super) fn memory(&self, source: &PackedBatch) -> Option<Tensor<2>> {
        Some(self.stage_one_reads(source)?.states.detach())
    }

    /// The encoding by the sentence-level model, where the encoder reads it.
    fn stage_one_reads(&self, source: &PackedBatch) -> Option<EncoderOutput> {
        let stage_one = self.stage_one.as_ref()?;
        self.context
            .filter(|context| context.side().has_encoder())?;
        Some(stage_one.encode(source, None, &DropoutSource::none()))
    }

    /// Translations of all sentences of some documents as other sentences read them, without gradient if they are the
    /// sentence-level model's.
    ///
    /// `target` begins every sentence with `bos`, and translates the sentences of `encoded`. None if the model is not
    /// bilingual.
    pub fn translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
    ) -> Option<Memory> {
        let Network::Transformer(network) = &self.network else {
            return None;
        };
        if !self.is_bilingual() {
            return None;
        }
        let Some(stage_one) = &self.stage_one else {
            return Some(network.translations(target, encoded, drop));
        };
        let none = DropoutSource::none();
        let known = encoded.stage_one.clone();
        let known = known.unwrap_or_else(|| Box::new(stage_one.encode(source, None, &none)));
        let memory = stage_one.translations(target, &known, &none);
        Some(Memory {
            keys: memory.keys.detach(),
            values: memory.values.detach(),
            documents: memory.documents,
            encodings: None,
        })
    }

    /// Scores before softmax of the tokens that follow each row of `batch.target`.
    ///
    /// # Shapes
    /// - output: `[target rows, vocab]`
    pub fn scores(&self, batch: &Batch, drop: &DropoutSource) -> Tensor<2> {
        let encoded = self.encode_translated(batch, drop);
        let translations = self.translations(&batch.source, &batch.references, &encoded, drop);
        let network = self.network.as_ref();
        network.scores(&encoded, translations.as_ref(), batch, drop)
    }

    /// Encodes the documents of a batch: of read-only sentences only what others read of them, where that can be separated
    /// apart.
    fn encode_translated(&self, batch: &Batch, drop: &DropoutSource) -> EncoderOutput {
        let (source, translated) = (&batch.source, batch.translated.as_slice());
        let network = match &self.network {
            // The live model's translations of all sentences are read.
            _ if self.is_bilingual() && self.stage_one.is_none() => None,
            _ if translated.len() == source.sentences.len() => None,
            Network::Transformer(network) => Some(network),
            Network::RnnSearch(_) => None,
        };
        let Some(network) = network else {
            return self.encode(source, drop);
        };
        self.with_stage_one(source, |memory| {
            let only = network.encode_only(source, translated, memory.clone(), drop);
            only.unwrap_or_else(|| network.encode(source, memory, drop))
        })
    }

    /// Mean label-smoothed loss in nats a token.
    ///
    /// # Shapes
    /// - output: `[1]`
    pub fn loss(&self, batch: &Batch, label_smoothing: f32, drop: &DropoutSource) -> Tensor<1> {
        label_smoothed_cross_entropy(self.scores(batch, drop), &batch.labels, label_smoothing)
    }
}
