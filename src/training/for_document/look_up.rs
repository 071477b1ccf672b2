//! Looking up what was translated before: the next words of a search are mixed with those that followed similar states in
//! translations of similar sentences.

use super::Similar;
use crate::inference::Translator;
use crate::model::{Matches, Weighing};

/// What is looked up for a document, and how it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookUp {
    /// Pairs of the memory for each sentence, at most: those that share its rarest words.
    pub pairs: usize,
    /// How much they must resemble it, in `[0, 1]`.
    pub least: f32,
    pub weighing: Weighing,
    /// Target tokens that are read at once, at most.
    pub batch_tokens: usize,
}

impl Default for LookUp {
    fn default() -> Self {
        Self {
            pairs: 40,
            least: 0.0,
            weighing: Weighing::default(),
            batch_tokens: 2_500,
        }
    }
}

impl LookUp {
    /// A translator for the document of these sentences, as a reader sees them. None if its model looks nothing up, or
    /// nothing shares a word with them.
    pub fn for_sentences(
        &self,
        translator: &Translator,
        sentences: &[String],
    ) -> Option<Translator> {
        let description = translator.description();
        let memory = description.memory.as_ref();
        let memory = memory.filter(|_| description.model.matches == Some(Matches::LookUp))?;
        let limits = (translator.vocabulary(), description.model.max_tokens);
        let similar = Similar::of(memory, sentences, (self.pairs, self.least), limits);
        let batches = similar.examples.sentence_batches(self.batch_tokens, 1, 0);
        if batches.is_empty() {
            return None;
        }
        let batches = batches.iter().map(|runs| similar.examples.batch(runs));
        let batches: Vec<_> = batches.collect();
        let model = translator.model().clone();
        Some(translator.with_model(model.looking_up(&batches, self.weighing)))
    }
}
