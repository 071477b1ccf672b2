//! Looking up what was translated before: the next words of a search are mixed with those that followed similar states in
//! translations of similar sentences.

use std::ops::{ControlFlow, Range};

use super::examples;
use crate::inference::Translator;
use crate::model::{Matches, Model, Weighing};
use crate::training::ExampleSet;

/// What is looked up for a document, and how it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookUp {
    /// Pairs of the memory for each sentence, at most: those that [cover](crate::memory::TranslationMemory::covering) it.
    pub pairs: usize,
    /// Pairs for the whole document, at most: every word of the search is compared with all of their words.
    pub all_pairs: usize,
    pub weighing: Weighing,
    /// Target tokens that are read at once, at most.
    pub batch_tokens: usize,
}

/// A model that looks up for one document, and the pairs that it looks up in.
#[derive(Debug)]
pub struct Prepared {
    pub(super) model: Model,
    pub(super) examples: ExampleSet,
    /// Of the document, as a reader sees them.
    pub(super) sentences: Vec<String>,
    /// Of numbers of examples, as the model has read them.
    batches: Vec<Vec<Range<usize>>>,
}

impl Default for LookUp {
    fn default() -> Self {
        Self {
            pairs: 40,
            all_pairs: 4_800,
            weighing: Weighing::default(),
            batch_tokens: 2_500,
        }
    }
}

impl LookUp {
    /// A translator for the document of these sentences, as a reader sees them; `step` is told how many batches of pairs
    /// are read and to be read, and may break it off. None if its model looks nothing up, or nothing shares a word with
    /// the sentences.
    pub fn for_sentences(
        &self,
        translator: &Translator,
        sentences: &[String],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        let prepared = self.prepared(translator, sentences, step)?;
        Some(translator.with_model(prepared.model))
    }

    pub(super) fn prepared(
        &self,
        translator: &Translator,
        sentences: &[String],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Prepared> {
        let description = translator.description();
        let memory = description.memory.as_ref();
        let memory = memory.filter(|_| description.model.matches == Some(Matches::LookUp))?;
        let each = self
            .pairs
            .min(self.all_pairs / sentences.len().max(1))
            .max(1);
        let pairs = sentences
            .iter()
            .flat_map(|sentence| memory.covering(sentence, each));
        let examples = examples(pairs, translator);
        let batches = examples.sentence_batches(self.batch_tokens, 1, 0);
        if batches.is_empty() {
            return None;
        }
        let mut goes_on = true;
        let read = batches.iter().enumerate().map_while(|(number, runs)| {
            goes_on = step(number, batches.len()).is_continue();
            goes_on.then(|| examples.batch(runs))
        });
        let model = translator.model().clone().looking_up(read, self.weighing);
        goes_on.then(|| Prepared {
            model,
            examples,
            sentences: sentences.to_vec(),
            batches,
        })
    }
}

impl Prepared {
    /// Pair and place in its translation of every state that is looked up in, in the order of their numbers; the place
    /// behind the last word is the end's.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let pairs = self.batches.iter().flatten().flat_map(Clone::clone);
        let places = pairs.flat_map(|pair| {
            let words = self.examples.examples[pair].target_tokens();
            (0..words).map(move |place| (pair, place))
        });
        places.collect()
    }
}
