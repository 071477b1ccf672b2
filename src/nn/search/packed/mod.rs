//! The search with packed weights.

mod tasks;

use std::cell::RefCell;

use super::decode::Decode;
use super::trail::Trail;
use crate::datastore::{Datastore, Neighbours, Subset};
use crate::model::{
    PackedDecoderOutput, PackedEncoderOutput, PackedState, PackedTransformer, SearchRule, SomeWords,
};
use canopy_kernels::packed::{Scratch, log_normalisers};
use canopy_kernels::{NextScores, ReadTokens, ScoresInParts};

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
        let vocab = self.vocab_size();
        if let Some(read) = read.filter(|read| self.reads_parts(*read)) {
            self.score_in_parts(state, ids, read, scores);
            return;
        }
        let State {
            hypotheses,
            scratch,
            told,
        } = state;
        scores.columns = None;
        let NextScores {
            values,
            normalisers,
            ..
        } = scores;
        let asked = self.asks().then_some(&mut *told);
        self.packed.step(hypotheses, ids, values, asked);
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

    /// Whether scores are read part by part, of which nothing is left but what is told. Without [`Self::some`] words, a mixture
    /// that is made one again is of the whole vocabulary.
    fn reads_parts(&self, read: ReadTokens) -> bool {
        let is_mixed_whole = self.datastore.is_some() && self.packed.tokens().renormalised;
        self.some.is_some() || (read.is_less_than(self.vocab_size()) && !is_mixed_whole)
    }

    /// [`Self::score`] of what is `read`. With [`Self::some`] words, a probability is one among them.
    fn score_in_parts(
        &self,
        state: &mut State,
        ids: &[u32],
        read: ReadTokens,
        scores: &mut NextScores,
    ) {
        let State {
            hypotheses,
            scratch,
            told,
        } = state;
        let (tokens, some) = (self.packed.tokens(), self.some.as_ref());
        let column = |id: u32| match some {
            Some(some) => some.ids.binary_search(&id).ok(),
            None => Some(id as usize),
        };
        let id = |column: usize| match some {
            Some(some) => some.ids[column],
            None => u32::try_from(column).expect("ids fit 32 bits"),
        };
        let forced = tokens.forced_first.filter(|_| hypotheses.num_words() == 0);
        let asked = self.asks().then_some(&mut *told);
        let states = self.packed.next_states(hypotheses, ids, asked);
        self.keep(hypotheses, ids, told);
        let rows = ids.len();
        if let Some(first) = forced {
            let (mut found, certain) = (ScoresInParts::new(read, rows, 0), vec![0.0; rows]);
            if let Some(column) = column(first) {
                found.sum(&certain);
                found.rank(column, &certain);
            }
            found.tell(scores, id);
            return;
        }
        let near = self.datastore.map(|datastore| {
            let near = self.near(datastore, (hypotheses, &told.fed_forward), scratch);
            (datastore, near)
        });
        let next = near.iter().flat_map(|(datastore, near)| {
            let states = near.iter().flat_map(|near| &near.states);
            states.map(|state| column(datastore.next(state.0)))
        });
        let next: Vec<Option<usize>> = next.collect();
        let suppressed = tokens.suppressed.iter().filter_map(|&id| column(id));
        let suppressed: Vec<usize> = suppressed.collect();
        let start = || ScoresInParts::new(read, rows, next.len());
        let parts = self.packed.scores_in_parts(
            (hypotheses, &states),
            some,
            start,
            |found, first, part| {
                let width = part.len() / rows;
                let columns = suppressed.iter().filter_map(|it| it.checked_sub(first));
                let columns = columns.filter(|column| *column < width);
                if tokens.renormalised {
                    suppress(part, width, columns.clone());
                }
                found.sum(part);
                found.keep(first, part, &next);
                suppress(part, width, columns);
                found.rank(first, part);
            },
        );
        let found = parts.into_iter().reduce(ScoresInParts::and);
        let found = found.expect("one core at least");
        found.tell(scores, id);
        if let Some((datastore, near)) = near {
            datastore.mix_in_told(&near, found.kept(), scores);
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
