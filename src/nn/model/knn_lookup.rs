//! A model that looks tokens up, and what it finds.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use rayon::prelude::*;

use super::batch::Batch;
use super::decoder::DecoderOutput;
use super::packed::{GpuTransformer, PackedTransformer};
use super::prepared::Memory;
use super::system::{Encoded, Model, Network};
use crate::datastore::{Datastore, KnnConfig, Neighbours, StatesOfPairs};
use canopy_kernels::DropoutSource;

/// A token that follows others, and what was found where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievedToken {
    pub near: Neighbours,
    /// Its probability by the model alone, and mixed with what was found.
    pub alone: f32,
    pub mixed: f32,
}

impl Model {
    /// The same model, which mixes the tokens of a search with those that followed similar states in these batches; it
    /// stays as it is if there are none, or if it is recurrent.
    ///
    /// States are numbered in the order of the batches and of their labels.
    #[must_use]
    pub fn with_datastore(
        mut self,
        batches: impl IntoIterator<Item = Batch>,
        config: KnnConfig,
    ) -> Self {
        if let Some(packed) = self.packed().filter(|packed| packed.encodes()) {
            self.datastore = packed_datastore(packed, batches, config);
            return self;
        }
        if let Some(gpu) = self.on_gpu().filter(|gpu| gpu.decodes_whole()) {
            self.datastore = gpu_datastore(gpu, batches, config);
            return self;
        }
        let (mut keys, mut next) = (Vec::new(), Vec::new());
        for batch in batches {
            let encoded = self.encode(&batch.source, &DropoutSource::none());
            if let Some(words) = self.last_layer(&batch, &encoded) {
                keys.push(words.fed_forward);
                next.extend(batch.labels);
            }
        }
        if !keys.is_empty() {
            let datastore = Datastore::new(Tensor::cat(keys, 0), next, config);
            self.datastore = Some(match self.packed() {
                Some(_) => datastore.into_packed(),
                None => datastore,
            });
        }
        self
    }

    /// The nearest neighbours of each of `batch.labels`; None if the model has no datastore.
    pub fn retrieved(&self, batch: &Batch) -> Option<Vec<RetrievedToken>> {
        let datastore = self.datastore.as_ref()?;
        let drop = DropoutSource::none();
        let encoded = self.encode(&batch.source, &drop);
        let last = self.last_layer(batch, &encoded)?;
        let translations =
            self.known_translations(&batch.source, &batch.references, &encoded, &drop);
        let scores = self.scores_with(&encoded, translations.as_ref(), batch, &drop);
        let alone = of_labels(scores, &batch.labels).into_iter().map(f32::exp);
        let words = alone
            .zip(&batch.labels)
            .zip(datastore.near_translations(last.fed_forward, batch.translations()));
        let words = words.map(|((alone, &label), near)| RetrievedToken {
            mixed: datastore.mixed(alone, label, &near),
            near,
            alone,
        });
        Some(words.collect())
    }

    /// Log-probability of each of `batch.labels` after the tokens before it, in which has part what the model looks up, as
    /// in [`Self::next_log_probs`].
    pub fn label_log_probs(
        &self,
        encoded: &Encoded,
        translations: Option<&Memory>,
        batch: &Batch,
    ) -> Vec<f32> {
        let scores = self.scores_with(encoded, translations, batch, &DropoutSource::none());
        let alone = of_labels(scores, &batch.labels);
        let Some(datastore) = &self.datastore else {
            return alone;
        };
        let Some(last) = self.last_layer(batch, encoded) else {
            return alone;
        };
        let words = alone.into_iter().zip(&batch.labels);
        words
            .zip(datastore.near_translations(last.fed_forward, batch.translations()))
            .map(|((alone, &label), near)| datastore.mixed(alone.exp(), label, &near).ln())
            .collect()
    }

    /// The last decoder layer, a row for each of `batch.target`; None if the model is recurrent.
    fn last_layer(&self, batch: &Batch, encoded: &Encoded) -> Option<DecoderOutput> {
        match (&self.network, encoded) {
            (Network::Transformer(network), Encoded::Transformer(encoded)) => {
                let encoded = encoded.select(&batch.translated);
                Some(network.decode(&batch.target, &encoded, &DropoutSource::none()))
            }
            _ => None,
        }
    }
}

/// States of all words of these batches by the weights on a GPU.
fn gpu_datastore(
    gpu: &GpuTransformer,
    batches: impl IntoIterator<Item = Batch>,
    config: KnnConfig,
) -> Option<Datastore> {
    let (mut keys, mut next) = (Vec::new(), Vec::new());
    for batch in batches {
        keys.extend(gpu.label_states(&batch)?);
        next.extend(batch.labels);
    }
    let d_model = keys.len().checked_div(next.len())?;
    Some(Datastore::packed(&keys, d_model, next, config))
}

/// States of all words of these batches, which are computed on all cores; None if there are none.
fn packed_datastore(
    packed: &PackedTransformer,
    batches: impl IntoIterator<Item = Batch>,
    config: KnnConfig,
) -> Option<Datastore> {
    let (mut keys, mut next) = (Vec::new(), Vec::new());
    let mut pairs = StatesOfPairs::default();
    let mut batches = batches.into_iter();
    loop {
        let batches: Vec<Batch> = batches
            .by_ref()
            .take(rayon::current_num_threads())
            .collect();
        if batches.is_empty() {
            break;
        }
        let states = batches.par_iter().map(|batch| packed.label_states(batch));
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
    Some(Datastore::packed(&keys, d_model, next, config).of_pairs(pairs))
}

/// Log-probabilities of `labels`, one for each row of `scores`.
///
/// # Shapes
/// - scores: `[rows, vocab]`
fn of_labels(scores: Tensor<2>, labels: &[u32]) -> Vec<f32> {
    let ids: Vec<i64> = labels.iter().map(|&id| i64::from(id)).collect();
    let ids = TensorData::new(ids, [labels.len(), 1]);
    let ids = Tensor::<2, Int>::from_data(ids, &scores.device());
    let log_probs = log_softmax(scores, 1).gather(1, ids).into_data();
    log_probs.iter::<f32>().collect()
}
