//! Training examples in batches counted in tokens.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use canopy_document::document::SectionNumbers;
use canopy_nn::model::{Batch, BertSequence, ContextReach};
use canopy_tokenize::{SpecialIds, Tokenizer};

/// A sentence pair as ids, without what [`SpecialIds`] puts around them but for the forced prefix of translations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// With what is read after it, from a translation memory.
    pub source: Vec<u32>,
    /// The translation's ids.
    pub target: Vec<u32>,
    /// The sentence's place in its paragraph and the paragraph's place in the document.
    pub place: (usize, usize),
    /// Numbers of the sections that it is in.
    pub headings: SectionNumbers,
    /// Whether its target counts in the loss; else it is nothing but context.
    pub counts: bool,
}

impl Example {
    /// Target tokens that count in the loss: its tokens and `eos`.
    pub fn target_tokens(&self) -> usize {
        self.target.len() + 1
    }

    /// The tokens of the sentence itself.
    pub(super) fn own_source(&self, special: &SpecialIds) -> &[u32] {
        let suffix = self.source_suffix(special).len();
        &self.source[..self.source.len() - suffix]
    }

    /// The tokens that are read after the sentence, beginning with the break; empty where nothing is.
    pub(super) fn source_suffix(&self, special: &SpecialIds) -> &[u32] {
        let sentence_break = special.sentence_break();
        let end = self
            .source
            .iter()
            .position(|&id| Some(id) == sentence_break);
        &self.source[end.unwrap_or(self.source.len())..]
    }

    /// Rows of both sides.
    pub(super) fn both_rows(&self) -> usize {
        self.source.len() + self.target.len() + 2
    }

    /// Rows of the longer side.
    fn rows(&self) -> usize {
        self.source.len().max(self.target.len()) + 1
    }
}

/// Sentence pairs in the order of their documents.
#[derive(Debug, Clone, Default)]
pub struct ExampleSet {
    /// All pairs.
    pub examples: Vec<Example>,
    /// Examples of every document.
    pub documents: Vec<Range<usize>>,
    /// BERT's sequence of each example and its context; empty where no BERT is read.
    pub pieces: Vec<BertSequence>,
    /// The translation of each example as other sentences read it, where that is another than its target; empty where none is.
    pub read_translations: Vec<Option<Vec<u32>>>,
    /// The ids around every sentence.
    pub special: SpecialIds,
}

impl ExampleSet {
    /// How many examples count in the loss.
    pub fn num_counted(&self) -> usize {
        self.examples
            .iter()
            .filter(|example| example.counts)
            .count()
    }

    /// Leaves of each document the sentences that count and those that one of them reads: what is farther away is no
    /// longer part of it, and where such sentences come between it becomes two.
    #[must_use]
    pub fn within_reach(mut self, reach: ContextReach) -> Self {
        let mut documents = Vec::with_capacity(self.documents.len());
        for document in &self.documents {
            let counted = document
                .clone()
                .filter(|&number| self.examples[number].counts);
            let mut runs: Vec<Range<usize>> = Vec::new();
            for number in counted {
                let read = match reach {
                    ContextReach::Document => document.clone(),
                    ContextReach::Before => document.start..number + 1,
                    ContextReach::Previous(before) => {
                        document.start.max(number.saturating_sub(before))..number + 1
                    }
                };
                match runs.last_mut() {
                    Some(last) if read.start <= last.end => last.end = last.end.max(read.end),
                    _ => runs.push(read),
                }
            }
            documents.extend(runs);
        }
        self.documents = documents;
        self
    }

    /// The examples of `runs` alone, each as `change` makes it of its number here and itself, and the runs among them.
    pub(super) fn changed(
        &self,
        runs: &[Range<usize>],
        change: impl Fn(usize, &Example) -> Example + Sync,
    ) -> (Self, Vec<Range<usize>>) {
        let numbers: Vec<usize> = runs.iter().cloned().flatten().collect();
        let examples = numbers.par_iter();
        let examples = examples.map(|&number| change(number, &self.examples[number]));
        let pieces = numbers.iter().filter_map(|&number| self.pieces.get(number));
        let mut end = 0;
        let runs: Vec<Range<usize>> = runs
            .iter()
            .map(|run| {
                end += run.len();
                end - run.len()..end
            })
            .collect();
        let changed = Self {
            examples: examples.collect(),
            documents: runs.clone(),
            pieces: pieces.cloned().collect(),
            read_translations: Vec::new(),
            special: self.special.clone(),
        };
        (changed, runs)
    }

    /// The batch of the examples in `runs`, each of which is a document or a window of one.
    pub fn batch(&self, runs: &[Range<usize>]) -> Batch {
        let mut batch = Batch::default();
        for run in runs {
            for side in [&mut batch.source, &mut batch.target, &mut batch.references] {
                side.begin_document();
            }
            for number in run.clone() {
                let example = &self.examples[number];
                let source = self.special.framed(&example.source);
                let begun = |words: &[u32]| [&[self.special.start], words].concat();
                let target = begun(&example.target);
                let other = self.read_translations.get(number);
                let other = other.and_then(|read| read.as_deref()).map(begun);
                batch.source.push(&source, example.place);
                batch.source.push_headings(example.headings);
                if let Some(pieces) = self.pieces.get(number) {
                    batch.source.push_pieces(pieces);
                }
                let read = other.as_ref().unwrap_or(&target);
                batch.references.push(read, example.place);
                if example.counts {
                    batch.translated.push(batch.source.sentences.len() - 1);
                    batch.target.push(&target, example.place);
                    batch.labels.extend_from_slice(&example.target);
                    batch.labels.push(self.special.eos);
                }
            }
        }
        batch
    }

    /// The examples of one epoch that count, each a run by itself, in batches of up to so many target tokens and sentences.
    ///
    /// Examples of similar length are together, lengths blurred a little from epoch to epoch, and the batches come in
    /// random order; all of it depends on `seed` and `epoch` alone.
    pub fn sentence_batches(
        &self,
        limits: impl Into<BatchLimits>,
        seed: u64,
        epoch: usize,
    ) -> Vec<Vec<Range<usize>>> {
        let mut rng = generator(seed, epoch);
        let mut order: Vec<usize> = (0..self.examples.len()).collect();
        order.retain(|&number| self.examples[number].counts);
        order.shuffle(&mut rng);
        let mut keyed: Vec<(usize, usize)> = order
            .into_iter()
            .map(|number| {
                let blurred = self.examples[number].source.len() + rng.random_range(0..4);
                (blurred, number)
            })
            .collect();
        keyed.sort_by_key(|&(length, _)| length);
        let runs = keyed.into_iter().map(|(_, number)| number..number + 1);
        let tokens = |run: &Range<usize>| self.examples[run.start].target_tokens();
        let mut batches = packed(runs, limits.into(), tokens);
        batches.shuffle(&mut rng);
        batches
    }

    /// The documents of one epoch in random order, in batches of up to so many rows of their longer side, and sentences; a
    /// longer document is cut into windows. A window in which nothing counts is left out.
    pub fn document_batches(
        &self,
        limits: impl Into<BatchLimits>,
        seed: u64,
        epoch: usize,
    ) -> Vec<Vec<Range<usize>>> {
        let (mut rng, limits) = (generator(seed, epoch), limits.into());
        let rows = |run: &Range<usize>| -> usize {
            self.examples[run.clone()].iter().map(Example::rows).sum()
        };
        let mut windows = Vec::new();
        for document in &self.documents {
            let sentences = document.clone().map(|number| number..number + 1);
            let parts = packed(sentences, limits, rows).into_iter();
            let bounds = parts.filter_map(|part| Some(part.first()?.start..part.last()?.end));
            windows
                .extend(bounds.filter(|run| self.examples[run.clone()].iter().any(|e| e.counts)));
        }
        windows.shuffle(&mut rng);
        packed(windows.into_iter(), limits, rows)
    }
}

/// Hides about `share` of the tokens of `batch.source` behind `unk`, the same ones for the same `seed` and `step`; markup
/// and ends of sentences stay.
pub(super) fn hide_words(
    batch: &mut Batch,
    share: f32,
    tokenizer: &dyn Tokenizer,
    seed: u64,
    step: usize,
) {
    if share == 0.0 {
        return;
    }
    let mut rng = generator(seed ^ 0x5EED, step);
    let special = tokenizer.special();
    let Some(unknown) = special.unk else { return };
    let around = [&special.source_prefix, &special.source_suffix];
    let around = around.into_iter().flatten();
    let around: Vec<u32> = around
        .copied()
        .chain(special.pad)
        .chain(special.sentence_break())
        .collect();
    for id in &mut batch.source.ids {
        let is_word = !around.contains(id) && tokenizer.placeholder(*id).is_none();
        if rng.random_bool(f64::from(share)) && is_word {
            *id = unknown;
        }
    }
}

/// For what depends on a seed and an epoch or an update alone.
pub(super) fn generator(seed: u64, epoch: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(epoch as u64 + 1);
    rng
}

/// How much a batch holds at most; a run that is larger is a batch by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Tokens, counted as [`TrainingConfig::batch_tokens`](crate::TrainingConfig) are.
    pub tokens: usize,
    /// Sentences; 0 for any number.
    pub sentences: usize,
}

impl From<usize> for BatchLimits {
    /// So many tokens, and any number of sentences.
    fn from(tokens: usize) -> Self {
        Self {
            tokens,
            sentences: usize::MAX,
        }
    }
}

/// Runs in the order given, in batches within these limits.
fn packed(
    runs: impl Iterator<Item = Range<usize>>,
    limits: BatchLimits,
    tokens: impl Fn(&Range<usize>) -> usize,
) -> Vec<Vec<Range<usize>>> {
    let mut batches = Vec::new();
    let (mut batch, mut sum, mut sentences) = (Vec::new(), 0, 0);
    for run in runs {
        let more = tokens(&run);
        let is_full = sum + more > limits.tokens || sentences + run.len() > limits.sentences;
        if is_full && !batch.is_empty() {
            batches.push(std::mem::take(&mut batch));
            (sum, sentences) = (0, 0);
        }
        sentences += run.len();
        batch.push(run);
        sum += more;
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}
