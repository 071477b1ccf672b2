//! A model that looks words up, and what it finds.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::batch::Batch;
use super::decoder::DecoderOutput;
use super::neighbours::{Near, Neighbours, Weighing};
use super::system::{Encoded, Model, Network};
use crate::kernels::DropoutSource;

/// A word that follows others, and what was found where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct LookedUpWord {
    pub near: Near,
    /// Its probability by the model alone, and mixed with what was found.
    pub alone: f32,
    pub mixed: f32,
}

impl Model {
    /// The same model, which mixes the words of a search with those that followed similar states in these batches; it
    /// stays as it is if there are none, or if it is recurrent.
    ///
    /// States are numbered in the order of the batches and of their labels.
    #[must_use]
    pub fn looking_up(
        mut self,
        batches: impl IntoIterator<Item = Batch>,
        weighing: Weighing,
    ) -> Self {
        let (mut keys, mut next) = (Vec::new(), Vec::new());
        for batch in batches {
            let encoded = self.encode(&batch.source, &DropoutSource::none());
            if let Some(words) = self.last_layer(&batch, &encoded) {
                keys.push(words.fed_forward);
                next.extend(batch.labels);
            }
        }
        if !keys.is_empty() {
            self.neighbours = Some(Neighbours::new(Tensor::cat(keys, 0), next, weighing));
        }
        self
    }

    /// What is found for each of `batch.labels`; None if the model looks nothing up.
    pub fn looked_up(&self, batch: &Batch) -> Option<Vec<LookedUpWord>> {
        let neighbours = self.neighbours.as_ref()?;
        let drop = DropoutSource::none();
        let encoded = self.encode(&batch.source, &drop);
        let last = self.last_layer(batch, &encoded)?;
        let translations =
            self.known_translations(&batch.source, &batch.references, &encoded, &drop);
        let scores = self.scores_with(&encoded, translations.as_ref(), batch, &drop);
        let vocab_size = scores.dims()[1];
        let log_probs = log_softmax(scores, 1).into_data().try_into_vec::<f32>();
        let log_probs = log_probs.expect("scores are 32-bit floats");
        let rows = log_probs.chunks_exact(vocab_size).zip(&batch.labels);
        let words = rows
            .zip(neighbours.near(last.fed_forward))
            .map(|((row, &label), near)| {
                let alone = row[label as usize].exp();
                let followed = near
                    .states
                    .iter()
                    .filter(|(state, _)| neighbours.next(*state) == label);
                let agreeing: f32 = followed.map(|(_, share)| share).sum();
                LookedUpWord {
                    mixed: (1.0 - near.weight) * alone + near.weight * agreeing,
                    near,
                    alone,
                }
            });
        Some(words.collect())
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
