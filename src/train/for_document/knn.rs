//! Looking up what was translated before: the next tokens of a search are mixed with those that followed similar states in
//! translations of similar sentences.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::examples;
use crate::{Example, ExampleSet};
use canopy_corpus::memory::TranslationMemory;
use canopy_nn::datastore::KnnConfig;
use canopy_nn::model::{MemoryUse, Model};
use canopy_translate::inference::{Reads, Translator};

/// Sentences that pairs are chosen for between two reported steps.
const SENTENCES_A_STEP: usize = 64;

/// Minimum number of sentences that show whether a document is like the memory.
const TELLING: usize = 5;

/// Pairs of a sentence and target tokens of a pair, to estimate the number of batches.
const PAIRS: usize = 5;
const PAIR_TOKENS: usize = 16;

/// The pairs of a document's datastore, and the weight of its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnnRetrieval {
    /// Pairs of the memory for each sentence, at most: those that [cover](canopy_corpus::memory::TranslationMemory::covering) it.
    pub pairs: usize,
    /// Pairs for the whole document, at most: every token of the search is compared with all of their tokens. First every
    /// sentence gets the pair that brings most, then the next one, and so on. In a document with more sentences than that,
    /// pairs are chosen for some of them, spread evenly.
    pub all_pairs: usize,
    /// Target tokens of all these pairs, at most: if they are longer, some are left out, spread evenly.
    pub all_tokens: usize,
    /// A document that [resembles](canopy_corpus::memory::TranslationMemory::likeness) the memory less gets no pairs of it:
    /// they would agree by chance.
    pub least_likeness: f32,
    /// Number and weight of the neighbours of a token.
    pub config: KnnConfig,
    /// Target tokens that are read at once, at most.
    pub batch_tokens: usize,
}

/// A model that looks up for one document, and the pairs that it looks up in.
#[derive(Debug)]
pub struct Prepared {
    pub(super) model: Model,
    pub(super) examples: ExampleSet,
    /// Sentences of the document, as a reader sees them.
    pub(super) sentences: Vec<String>,
    /// Batches of example numbers, as the model has read them.
    batches: Vec<Vec<Range<usize>>>,
}

impl Default for KnnRetrieval {
    fn default() -> Self {
        Self {
            pairs: 40,
            all_pairs: 3_200,
            all_tokens: 240_000,
            least_likeness: 0.15,
            config: KnnConfig::default(),
            batch_tokens: 2_500,
        }
    }
}

impl KnnRetrieval {
    /// A translator for the document of these sentences, as a reader sees them; `step` gets how much is done and to be
    /// done, roughly while pairs are chosen, then in batches of pairs that are read, and may break it off. None if its
    /// model looks nothing up, the document is unlike its memory, or nothing there shares a word with the sentences.
    pub fn for_sentences(
        &self,
        translator: &Translator,
        sentences: &[String],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        self.with_confirmed(translator, sentences, &[], step)
    }

    /// Retrieves from the memory, and from translations of other sentences that a person has `confirmed`, in the order of the
    /// document.
    pub fn with_confirmed(
        &self,
        translator: &Translator,
        sentences: &[String],
        confirmed: &[(String, String)],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        let prepared = self.prepared(translator, sentences, confirmed, step)?;
        Some(translator.with_model(prepared.model))
    }

    /// A translator for a sentence after others of its document, whose translations a person has `confirmed`:
    /// it retrieves from these, in the order of the document, and from [the memory](Self::memory) of the document. None if
    /// its model looks nothing up, or there is nothing to look up in.
    pub fn for_next_sentence(
        &self,
        translator: &Translator,
        memory: Option<&TranslationMemory>,
        sentence: &str,
        confirmed: &[(String, String)],
    ) -> Option<Translator> {
        if !looks_up(translator) {
            return None;
        }
        let step = &mut |_, _| ControlFlow::Continue(());
        let sentences = &[sentence.to_owned()];
        let prepared = self.prepared_from(memory, translator, sentences, confirmed, step)?;
        Some(translator.with_model(prepared.model))
    }

    /// The memory that the document of these sentences retrieves from; none if it is unlike it.
    pub fn memory<'t>(
        &self,
        translator: &'t Translator,
        sentences: &[String],
    ) -> Option<&'t TranslationMemory> {
        let memory = translator.description().memory.as_deref()?;
        let is_long_enough = sentences.len() >= TELLING;
        (!is_long_enough || memory.likeness(sentences) >= self.least_likeness).then_some(memory)
    }

    pub(super) fn prepared(
        &self,
        translator: &Translator,
        sentences: &[String],
        confirmed: &[(String, String)],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Prepared> {
        if !looks_up(translator) {
            return None;
        }
        let memory = self.memory(translator, sentences);
        self.prepared_from(memory, translator, sentences, confirmed, step)
    }

    fn prepared_from(
        &self,
        memory: Option<&TranslationMemory>,
        translator: &Translator,
        sentences: &[String],
        confirmed: &[(String, String)],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Prepared> {
        if memory.is_none() && confirmed.is_empty() {
            return None;
        }
        let stride = sentences.len().div_ceil(self.all_pairs.max(1)).max(1);
        let mut known = HashSet::new();
        let chosen = sentences.iter().step_by(stride);
        let chosen: Vec<&String> = chosen.filter(|it| known.insert(*it)).collect();
        let begun = chosen.len().saturating_sub(1) / SENTENCES_A_STEP;
        let expected = self.all_pairs.min(chosen.len() * PAIRS) * PAIR_TOKENS;
        let expected = expected.div_ceil(self.batch_tokens);
        // Among equal sentences the one confirmed last counts.
        let own = confirmed.iter().rev();
        let own = own.map(|(source, target)| (source.as_str(), target.as_str()));
        let (mut pairs, mut covering) = (own.collect::<Vec<_>>(), Vec::new());
        for (number, sentences) in chosen.chunks(SENTENCES_A_STEP).enumerate() {
            if number > 0 && step(number - 1, begun + expected).is_break() {
                return None;
            }
            if let Some(memory) = memory {
                let of_each = sentences.par_iter();
                covering.par_extend(of_each.map(|it| memory.covering(it, self.pairs)));
            }
        }
        pairs.extend(in_turns(&covering, self.all_pairs));
        let mut examples = examples(pairs, translator);
        leave_out(&mut examples, self.all_tokens);
        let batches = examples.sentence_batches(self.batch_tokens, 1, 0);
        if batches.is_empty() {
            return None;
        }
        let mut goes_on = true;
        let read = batches.iter().enumerate().map_while(|(number, runs)| {
            goes_on = step(begun + number, begun + batches.len()).is_continue();
            goes_on.then(|| examples.batch(runs))
        });
        let model = translator.model().clone().with_datastore(read, self.config);
        goes_on.then(|| Prepared {
            model,
            examples,
            sentences: sentences.to_vec(),
            batches,
        })
    }
}

/// Whether a translator's model looks anything up.
fn looks_up(translator: &Translator) -> bool {
    match translator.description().model.memory_use {
        Some(used) => used == MemoryUse::KnnMt,
        None => translator.info().reads == Reads::Confirmed,
    }
}

/// The first pair of each list, then the second of each, and so on, each pair once and `most` in all.
fn in_turns<'m>(lists: &[Vec<(&'m str, &'m str)>], most: usize) -> Vec<(&'m str, &'m str)> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let turns = (0..longest).flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn)));
    let mut known = HashSet::new();
    let new = turns.filter(|pair| known.insert(pair.0));
    new.take(most).copied().collect()
}

/// Leaves out pairs, spread evenly, until the others have no more than `all_tokens` target tokens, if they are of
/// similar length.
fn leave_out(examples: &mut ExampleSet, all_tokens: usize) {
    let tokens = examples.examples.iter().map(Example::target_tokens);
    let stride = tokens.sum::<usize>().div_ceil(all_tokens.max(1)).max(1);
    for (number, example) in examples.examples.iter_mut().enumerate() {
        example.counts = number % stride == 0;
    }
}

impl Prepared {
    /// Pair and place in its translation of every state that is looked up in, in the order of their numbers; the place
    /// after the last token is the end's.
    pub fn positions(&self) -> Vec<(usize, usize)> {
        let pairs = self.batches.iter().flatten().flat_map(Clone::clone);
        let places = pairs.flat_map(|pair| {
            let words = self.examples.examples[pair].target_tokens();
            (0..words).map(move |place| (pair, place))
        });
        places.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_gets_its_best_pair_before_another_gets_its_second() {
        let lists = [
            vec![("a", "A"), ("b", "B"), ("c", "C")],
            vec![("b", "B")],
            vec![],
            vec![("d", "D"), ("e", "E")],
        ];
        let chosen = |most| {
            let chosen = in_turns(&lists, most).into_iter();
            chosen.map(|pair| pair.0).collect::<String>()
        };
        assert_eq!(chosen(10), "abdec", "each once");
        assert_eq!(chosen(3), "abd");
        assert_eq!(chosen(0), "");
    }
}
