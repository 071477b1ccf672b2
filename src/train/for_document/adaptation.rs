//! Learning for one document: before it is translated, the weights learn from what was translated before and resembles
//! its sentences.
//!
//! Farajian et al., "Multi-Domain Neural Machine Translation through Unsupervised Adaptation", WMT 2017, adapt to each
//! sentence, the more the better its match is. Here a document is one whole, so that its sentences learn from each other's
//! matches and few updates are needed. The adapted weights are thrown away afterwards.

use std::ops::ControlFlow;

use burn::module::Module;

use super::examples;
use crate::Adam;
use canopy_corpus::memory::TranslationMemory;
use canopy_kernels::DropoutSource;
use canopy_nn::model::MemoryUse;
use canopy_translate::inference::Translator;

/// How a model learns for a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptation {
    /// Pairs of the memory for each sentence, at most.
    pub pairs: usize,
    /// How much they must resemble it, in `[0, 1]`.
    pub least: f32,
    /// Updates for a document that the memory has exactly; one that resembles it by s, on average over its words, gets s²
    /// times as many.
    pub updates: usize,
    /// Learning rate of the updates.
    pub learning_rate: f64,
    /// Share of activations dropped, in `[0, 1)`.
    pub dropout: f32,
    /// Share of the probability spread over the whole vocabulary, in `[0, 1)`.
    pub label_smoothing: f32,
    /// Largest common norm of the gradients.
    pub clip_norm: f64,
    /// Target tokens of an update, at most.
    pub batch_tokens: usize,
}

impl Default for Adaptation {
    fn default() -> Self {
        Self {
            pairs: 5,
            least: 0.3,
            updates: 24,
            learning_rate: 3e-4,
            dropout: 0.1,
            label_smoothing: 0.1,
            clip_norm: 2.0,
            batch_tokens: 2_500,
        }
    }
}

impl Adaptation {
    /// A translator for the document of these sentences, as a reader sees them; `step` gets the numbers of updates done and to be
    /// done, and may break it off. None if the model does not learn from a memory, or nothing there resembles the document.
    pub fn to_sentences(
        &self,
        translator: &Translator,
        sentences: &[String],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        let description = translator.description();
        let memory = description.memory.as_ref();
        let memory =
            memory.filter(|_| description.model.memory_use == Some(MemoryUse::FineTune))?;
        let (pairs, resemblance) = self.similar(memory, sentences);
        let (examples, updates) = (examples(pairs, translator), self.updates_for(resemblance));
        let mut batches = Vec::new();
        for epoch in 0.. {
            let more = examples.sentence_batches(self.batch_tokens, 1, epoch);
            if more.is_empty() {
                return None;
            }
            batches.extend(more);
            if batches.len() >= updates {
                break;
            }
        }
        let mut model = translator.model().clone().unpacked().train();
        let mut optimizer = Adam::default();
        for (number, runs) in batches.iter().take(updates).enumerate() {
            if step(number, updates).is_break() {
                return None;
            }
            let batch = examples.batch(runs);
            let dropout = DropoutSource::new(self.dropout, number as u64);
            let loss = model.loss(&batch, self.label_smoothing, &dropout);
            let mut gradients = loss.backward();
            let clip_norm = Some(self.clip_norm);
            (model, _) = optimizer.update(model, &mut gradients, self.learning_rate, clip_norm);
        }
        Some(translator.with_model(model.valid()))
    }

    /// The pairs that resemble the sentences, and how much the best ones do, on average over the words.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    fn similar<'m>(
        &self,
        memory: &'m TranslationMemory,
        sentences: &[String],
    ) -> (Vec<(&'m str, &'m str)>, f64) {
        let (mut pairs, mut resembling, mut all) = (Vec::new(), 0.0, 0.0);
        for sentence in sentences {
            let similar = memory.similar(sentence, self.pairs, self.least);
            let words = sentence.split_whitespace().count() as f64;
            let best = similar.first().map_or(0.0, |best| f64::from(best.score));
            all += words;
            resembling += words * best;
            pairs.extend(similar.iter().map(|found| (found.source, found.target)));
        }
        (pairs, resembling / f64::max(all, 1.0))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "few updates, not negative"
    )]
    fn updates_for(&self, resemblance: f64) -> usize {
        let updates = self.updates as f64 * resemblance * resemblance;
        updates.round().max(1.0) as usize
    }
}
