//! The search with packed weights.

mod tasks;

use std::cell::RefCell;

use super::decode::Decode;
use super::trail::Trail;
use crate::kernels::packed::{Scratch, log_normalisers};
use crate::kernels::{NextScores, ReadTokens};
use crate::memory::{Datastore, Neighbours, Subset};
use crate::model::{
    PackedDecoderOutput, PackedEncoderOutput, PackedState, PackedTransformer, SearchRule, SomeWords,
};

/// A packed model, and what its next words are mixed with.
struct PackedSearch<'a> {
    packed: &'a PackedTransformer,
    datastore: Option<&'a Datastore>,
    /// The states of the datastore that each sentence of the batch is compared with, if not with all.
    subsets: Vec<Option<Subset>>,
    /// The only words that translations of a batch are made of; none if of all.
    some: Option<SomeWords>,
    /// What is kept of every word of drafts.
    trail: Option<RefCell<Trail>>,
}

/// A state, and what it shares with the datastore.
struct State {
    hypotheses: PackedState,
    scratch: Scratch,
    /// Of the last words.
    told: PackedDecoderOutput,
    /// Of [`PackedSearch::some`] words.
    few: Vec<f32>,
}

impl Decode for PackedSearch<'_> {
    type State = State;

    fn vocab_size(&self) -> usize {
        self.packed.vocab_size()
    }

    fn step(&self, state: &mut State, ids: &[u32]) -> Vec<f32> {
        let mut scores = NextScores::default();
        self.score(state, ids, None, &mut scores);
        let rows = scores.values.chunks_exact_mut(self.vocab_size());
        for (row, normaliser) in rows.zip(&scores.normalisers) {
            for score in row {
                *score -= normaliser;
            }
        }
        scores.values
    }

    fn score(
        &self,
        state: &mut State,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        if let (Some(some), Some(read)) = (&self.some, read) {
            self.score_some(state, ids, (some, read), scores);
            return;
        }
        let vocab = self.vocab_size();
        let in_parts = self.datastore.is_none() && self.packed.has_parts(ids.len());
        if let Some(read) = read.filter(|read| in_parts && read.is_less_than(vocab)) {
            self.score_in_parts(state, ids, read, scores);
            return;
        }
        let State {
            hypotheses,
            scratch,
            told,
            ..
        } = state;
        scores.columns = None;
        let NextScores {
            values,
            normalisers,
            ..
        } = scores;
        let asked = self.asks().then_some(&mut *told);
        self.packed.step(hypotheses, ids, None, values, asked);
        self.keep(hypotheses, ids, told);
        let tokens = self.packed.tokens();
        let suppressed = tokens.suppressed.iter().map(|&id| id as usize);
        // What is never generated has no part in a sum that is made one again.
        if tokens.renormalised && self.datastore.is_none() {
            suppress(values, vocab, suppressed.clone());
        }
        log_normalisers(values, vocab, normalisers);
        if let Some(datastore) = self.datastore {
            let near = self.near(datastore, (hypotheses, &told.fed_forward), scratch);
            datastore.mix_rows(&near, values, normalisers);
            if tokens.renormalised {
                suppress(values, vocab, suppressed.clone());
                log_normalisers(values, vocab, normalisers);
            }
        }
        if let (Some(first), true) = (tokens.forced_first, hypotheses.is_first_word()) {
            values.fill(f32::NEG_INFINITY);
            values
                .iter_mut()
                .skip(first as usize)
                .step_by(vocab)
                .for_each(|score| *score = 0.0);
            normalisers.fill(0.0);
        } else {
            suppress(values, vocab, suppressed);
        }
    }

    fn start(&self) -> u32 {
        self.packed.tokens().start
    }

    fn end(&self) -> u32 {
        self.packed.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.packed.tokens().search
    }

    fn select(&self, state: &mut State, hypotheses: &[usize]) {
        state.hypotheses.select(hypotheses);
    }
}

impl PackedSearch<'_> {
    /// A state with one hypothesis for each sentence that was encoded.
    fn begin(&self, encoded: &PackedEncoderOutput, several_cores: bool) -> State {
        let mut scratch = Scratch::on_cores(several_cores);
        let source = self.packed.source(encoded, &mut scratch);
        let numbers: Vec<usize> = (0..encoded.sentences.len()).collect();
        State {
            hypotheses: self.packed.start(source, &numbers, scratch.clone()),
            scratch,
            told: PackedDecoderOutput::default(),
            few: Vec::new(),
        }
    }

    /// Whether more is read of a word than its scores.
    fn asks(&self) -> bool {
        self.datastore.is_some() || self.trail.is_some()
    }

    /// Keeps what is told of the words `ids` of drafts.
    fn keep(&self, hypotheses: &PackedState, ids: &[u32], told: &PackedDecoderOutput) {
        if let Some(trail) = &self.trail {
            trail.borrow_mut().add(hypotheses.sentences(), ids, told);
        }
    }

    /// The nearest states of every hypothesis.
    fn near(
        &self,
        datastore: &Datastore,
        (hypotheses, queries): (&PackedState, &[f32]),
        scratch: &mut Scratch,
    ) -> Vec<Neighbours> {
        if self.subsets.iter().all(Option::is_none) {
            return datastore.near_rows(queries, None, scratch);
        }
        let sentences = hypotheses.sentences();
        let d_model = queries.len() / sentences.len().max(1);
        let mut near = Vec::with_capacity(sentences.len());
        for of_sentence in sentences.chunk_by(|a, b| a == b) {
            let rows = near.len() * d_model..(near.len() + of_sentence.len()) * d_model;
            let subset = self.subsets[of_sentence[0]].as_ref();
            near.extend(datastore.near_rows(&queries[rows], subset, scratch));
        }
        near
    }

    /// [`Self::score`] of many hypotheses and a large vocabulary, without a datastore.
    fn score_in_parts(
        &self,
        state: &mut State,
        ids: &[u32],
        read: ReadTokens,
        scores: &mut NextScores,
    ) {
        let State {
            hypotheses,
            few,
            told,
            ..
        } = state;
        let (tokens, vocab) = (self.packed.tokens(), self.vocab_size());
        let forced = tokens.forced_first.filter(|_| hypotheses.num_words() == 0);
        let suppressed = || tokens.suppressed.iter().map(|&id| id as usize);
        let id = |column| u32::try_from(column).expect("ids fit 32 bits");
        let mut normalisers = Vec::new();
        scores.normalisers.clear();
        ReadTokens::tell_none(scores);
        let asked = self.asks().then_some(&mut *told);
        let step = (few, asked);
        self.packed.step_in_parts(hypotheses, ids, step, |values| {
            if let Some(first) = forced {
                values.fill(f32::NEG_INFINITY);
                let forced = values.iter_mut().skip(first as usize).step_by(vocab);
                forced.for_each(|score| *score = 0.0);
                normalisers.clear();
                normalisers.resize(values.len() / vocab, 0.0);
            } else {
                if tokens.renormalised {
                    suppress(values, vocab, suppressed());
                }
                log_normalisers(values, vocab, &mut normalisers);
                suppress(values, vocab, suppressed());
            }
            scores.normalisers.append(&mut normalisers);
            read.tell_more(values, vocab, id, scores);
        });
        self.keep(hypotheses, ids, told);
    }

    /// [`Self::score`] with some words alone, of which those that are read are told. A probability is one among them.
    fn score_some(
        &self,
        state: &mut State,
        ids: &[u32],
        (some, read): (&SomeWords, ReadTokens),
        scores: &mut NextScores,
    ) {
        let State {
            hypotheses,
            scratch,
            told,
            few,
        } = state;
        let tokens = self.packed.tokens();
        let asked = self.asks().then_some(&mut *told);
        self.packed.step(hypotheses, ids, Some(some), few, asked);
        self.keep(hypotheses, ids, told);
        let width = some.ids.len();
        if let (Some(first), true) = (tokens.forced_first, hypotheses.is_first_word()) {
            few.fill(f32::NEG_INFINITY);
            if let Ok(place) = some.ids.binary_search(&first) {
                few.iter_mut()
                    .skip(place)
                    .step_by(width)
                    .for_each(|it| *it = 0.0);
            }
            scores.normalisers.clear();
            scores.normalisers.resize(ids.len(), 0.0);
            read.tell_of(few, &some.ids, scores);
            return;
        }
        let columns = tokens.suppressed.iter();
        let columns = columns.filter_map(|id| some.ids.binary_search(id).ok());
        let columns: Vec<usize> = columns.collect();
        if tokens.renormalised {
            suppress(few, width, columns.iter().copied());
        }
        log_normalisers(few, width, &mut scores.normalisers);
        suppress(few, width, columns.into_iter());
        read.tell_of(few, &some.ids, scores);
        if let Some(datastore) = self.datastore {
            let near = self.near(datastore, (hypotheses, &told.fed_forward), scratch);
            let theirs = datastore.scores_of_next(&near, few, &some.ids);
            datastore.mix_in_told(&near, &theirs, scores);
            scores.suppress(&tokens.suppressed);
        }
    }
}

/// Takes what is never generated out of scores `[rows, width]`.
fn suppress(scores: &mut [f32], width: usize, columns: impl Iterator<Item = usize>) {
    for column in columns {
        let column = scores.iter_mut().skip(column).step_by(width);
        column.for_each(|score| *score = f32::NEG_INFINITY);
    }
}
