//! A model that looks tokens up, and what it finds.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};

use super::batch::Batch;
use super::encoder::EncoderOutput;
use super::executor::BurnExecutor;
use super::prepared::Memory;
use super::system::Model;
use crate::datastore::{KnnConfig, Neighbours};
use canopy_kernels::DropoutSource;

/// A token that follows others, and what was found at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievedToken {
    /// The neighbours that were found.
    pub near: Neighbours,
    /// Its probability by the model alone, and mixed with what was found.
    pub alone: f32,
    /// Its probability mixed with what was found.
    pub mixed: f32,
}

impl Model {
    /// This model, which mixes the tokens of a search with those that followed similar states in these batches; it
    /// stays as it is if there are none, or if it is recurrent.
    ///
    /// States are numbered in the order of the batches and of their labels.
    #[must_use]
    pub fn with_datastore(
        mut self,
        batches: impl IntoIterator<Item = Batch>,
        config: KnnConfig,
    ) -> Self {
        let found = self.executor().datastore(&mut batches.into_iter(), config);
        self.datastore = found.or(self.datastore);
        self
    }

    /// The nearest neighbours of each of `batch.labels`; None if the model has no datastore.
    pub fn retrieved(&self, batch: &Batch) -> Option<Vec<RetrievedToken>> {
        let datastore = self.datastore.as_ref()?;
        let drop = DropoutSource::none();
        let encoded = self.encode(&batch.source, &drop);
        let network = self.network.as_ref();
        let last = network.last_layer(batch, &encoded)?;
        let translations = self.translations(&batch.source, &batch.references, &encoded, &drop);
        let scores = network.scores(&encoded, translations.as_ref(), batch, &drop);
        let alone = label_log_probs(scores, &batch.labels)
            .into_iter()
            .map(f32::exp);
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
    /// in a search, by burn's layers.
    pub fn label_log_probs(
        &self,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        batch: &Batch,
    ) -> Vec<f32> {
        BurnExecutor::new(self).label_log_probs_with(encoded, translations, batch)
    }
}

/// Log-probabilities of `labels`, one for each row of `scores`.
///
/// # Shapes
/// - scores: `[rows, vocab]`
pub(super) fn label_log_probs(scores: Tensor<2>, labels: &[u32]) -> Vec<f32> {
    let ids: Vec<i64> = labels.iter().map(|&id| i64::from(id)).collect();
    let ids = TensorData::new(ids, [labels.len(), 1]);
    let ids = Tensor::<2, Int>::from_data(ids, &scores.device());
    let log_probs = log_softmax(scores, 1).gather(1, ids).into_data();
    log_probs.iter::<f32>().collect()
}
