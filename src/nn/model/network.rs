//! The network of a model, whichever architecture it has.

use burn::module::Module;
use burn::tensor::Tensor;

use super::batch::Batch;
use super::bert::{Bert, BertReader, BertReading};
use super::decoder::DecoderOutput;
use super::encoder::EncoderOutput;
use super::executor::SearchWeights;
use super::prepared::Memory;
use super::rnn_search::RnnSearch;
use super::transformer::Transformer;
use super::variant::SpecialTokens;
use canopy_kernels::{DropoutSource, is_cpu};

/// The network.
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them, and they live long"
)]
#[derive(Module, Debug)]
pub enum Network {
    /// A Transformer, Vaswani et al. 2017.
    Transformer(Transformer),
    /// RNNSearch, Bahdanau et al. 2015.
    RnnSearch(RnnSearch),
}

/// A network of a model, or the sentence-level model that its training began with.
#[derive(Debug, Clone, Copy)]
pub(super) enum NetworkRef<'m> {
    Transformer(&'m Transformer),
    RnnSearch(&'m RnnSearch),
}

impl Network {
    pub(super) fn as_ref(&self) -> NetworkRef<'_> {
        match self {
            Self::Transformer(network) => NetworkRef::Transformer(network),
            Self::RnnSearch(network) => NetworkRef::RnnSearch(network),
        }
    }

    /// Whether burn's CPU backend computes it.
    pub fn is_on_cpu(&self) -> bool {
        let table = match self {
            Self::Transformer(network) => &network.embedding.words,
            Self::RnnSearch(network) => &network.source_words,
        };
        is_cpu(&table.lazy_device())
    }

    /// Tokens of the target vocabulary.
    pub fn vocab_size(&self) -> usize {
        match self {
            Self::Transformer(network) => network.target_vocab_size(),
            Self::RnnSearch(network) => network.logits.lazy_shape()[0],
        }
    }

    /// Ids of the special tokens.
    pub fn tokens(&self) -> SpecialTokens {
        match self {
            Self::Transformer(network) => network.tokens.clone(),
            Self::RnnSearch(_) => SpecialTokens::default(),
        }
    }

    /// Forces the first token of all translations, or frees it.
    pub fn force_first(&mut self, token: Option<u32>) {
        if let Self::Transformer(network) = self {
            network.tokens.forced_first = token;
            network.search_weights = network.search_weights.as_ref().map(SearchWeights::anew);
        }
    }

    /// How many sentences a token reads in each head, where there is a choice.
    pub fn set_top_t(&mut self, top_t: usize) {
        if let Self::Transformer(network) = self {
            network.encoder.set_top_t(top_t);
        }
    }

    /// Puts the weights of a trained BERT in, if the network reads one.
    pub fn set_bert(&mut self, bert: Bert, reading: &BertReading) {
        if let Self::Transformer(network) = self
            && network.bert.is_some()
        {
            network.bert = Some(BertReader::from_bert(bert, reading));
        }
    }
}

impl NetworkRef<'_> {
    /// [`Model::scores`](super::Model::scores) with the encoded sentences of `batch.source` and what is read of their
    /// translations; here a sentence may be translated several times.
    ///
    /// # Shapes
    /// - output: `[target rows, vocab]`
    pub(super) fn scores(
        self,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        batch: &Batch,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let encoded = encoded.select(&batch.translated);
        match self {
            Self::Transformer(network) => {
                let (target, layers) = (&batch.target, &network.decoder);
                let decoded = network.decode(target, &encoded, drop);
                let states = layers.join(decoded, target, &encoded, translations, drop);
                network.vocabulary_scores(states)
            }
            Self::RnnSearch(network) => {
                network.scores(&network.encoded(&encoded), &batch.target, drop)
            }
        }
    }

    /// The last decoder layer, a row for each of `batch.target`; none if the network is recurrent.
    pub(super) fn last_layer(
        self,
        batch: &Batch,
        encoded: &EncoderOutput,
    ) -> Option<DecoderOutput> {
        match self {
            Self::Transformer(network) => {
                let encoded = encoded.select(&batch.translated);
                Some(network.decode(&batch.target, &encoded, &DropoutSource::none()))
            }
            Self::RnnSearch(_) => None,
        }
    }
}
