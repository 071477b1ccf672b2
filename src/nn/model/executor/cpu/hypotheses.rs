//! The hypotheses of a search with packed weights.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::{BatchSetup, Decode, DraftStates};
use crate::datastore::{Datastore, Neighbours, Subset};
use crate::model::packed::{
    PackedDecoderOutput, PackedEncoderOutput, PackedState, PackedTransformer, VocabularySubset,
};
use crate::model::variant::SearchRule;
use canopy_kernels::packed::{Scratch, log_normalisers};
use canopy_kernels::{ScoresInParts, StepScores, TokenSelection};

/// Hypotheses, and what their next tokens are mixed with.
pub(super) struct Hypotheses<'m> {
    weights: &'m PackedTransformer,
    lookup: Lookup<'m>,
    /// The only tokens that translations are made of; none if of all.
    vocabulary: Option<VocabularySubset>,
    /// States kept of every token of drafts.
    draft_states: Option<Rc<RefCell<DraftStates>>>,
    state: PackedState,
    /// Shared with the datastore.
    scratch: Scratch,
    /// Decoder outputs of the last tokens.
    last_output: PackedDecoderOutput,
}

/// The states that are looked up.
struct Lookup<'m> {
    datastore: Option<&'m Datastore>,
    /// The states that each sentence is compared with, if not with all.
    subsets: Vec<Option<Subset>>,
}

impl Lookup<'_> {
    /// The states of a datastore that are nearest to each hypothesis of these sentences, by their queries `[hypotheses, d_model]`.
    fn near(
        &self,
        datastore: &Datastore,
        sentences: &[usize],
        queries: &[f32],
        scratch: &mut Scratch,
    ) -> Vec<Neighbours> {
        if self.subsets.iter().all(Option::is_none) {
            return datastore.near_rows(queries, None, scratch);
        }
        let d_model = queries.len() / sentences.len().max(1);
        let mut near = Vec::with_capacity(sentences.len());
        for of_sentence in sentences.chunk_by(|a, b| a == b) {
            let rows = near.len() * d_model..(near.len() + of_sentence.len()) * d_model;
            let subset = self.subsets[of_sentence[0]].as_ref();
            near.extend(datastore.near_rows(&queries[rows], subset, scratch));
        }
        near
    }
}

impl<'m> Hypotheses<'m> {
    /// One for each sentence that was encoded.
    pub(super) fn new(
        weights: &'m PackedTransformer,
        datastore: Option<&'m Datastore>,
        encoded: &PackedEncoderOutput,
        setup: BatchSetup<'_>,
    ) -> Self {
        let mut scratch = Scratch::on_cores(setup.several_cores);
        let source = weights.source(encoded, &mut scratch);
        let numbers: Vec<usize> = (0..encoded.sentences.len()).collect();
        let subsets = datastore.map_or_else(Vec::new, |datastore| {
            let sources = setup.sources.iter();
            sources.map(|ids| datastore.subset(ids)).collect()
        });
        Self {
            weights,
            lookup: Lookup { datastore, subsets },
            vocabulary: setup.vocabulary.map(|ids| weights.vocabulary_subset(ids)),
            draft_states: setup.draft_states,
            state: weights.start(source, &numbers, scratch.clone()),
            scratch,
            last_output: PackedDecoderOutput::default(),
        }
    }

    /// Keeps what was computed of the tokens `ids` of drafts.
    fn keep(&self, ids: &[u32]) {
        if let Some(states) = &self.draft_states {
            let mut states = states.borrow_mut();
            states.add(self.state.sentences(), ids, &self.last_output);
        }
    }

    /// Whether scores are computed part by part, keeping only what is selected. Without [`Self::vocabulary`], a
    /// mixture that is made one again is of all tokens.
    fn reads_parts(&self, read: TokenSelection) -> bool {
        let is_mixed_whole = self.lookup.datastore.is_some() && self.weights.tokens().renormalised;
        let is_less = read.is_less_than(self.weights.vocab_size());
        self.vocabulary.is_some() || (is_less && !is_mixed_whole)
    }

    /// Adds a token to each hypothesis; gives the states from which the next ones are scored.
    fn next_states(&mut self, ids: &[u32]) -> Vec<f32> {
        let reads_states = self.lookup.datastore.is_some() || self.draft_states.is_some();
        let output = reads_states.then_some(&mut self.last_output);
        let states = self.weights.next_states(&mut self.state, ids, output);
        self.keep(ids);
        states
    }

    /// The scores of all tokens.
    fn score_whole(&mut self, ids: &[u32], scores: &mut StepScores) {
        let vocab = self.weights.vocab_size();
        let tokens = self.weights.tokens();
        scores.columns = None;
        let StepScores {
            values,
            normalisers,
            ..
        } = scores;
        let states = self.next_states(ids);
        self.weights.scores(&mut self.state, &states, values);
        let suppressed = tokens.suppressed.iter().map(|&id| id as usize);
        // What is never generated has no part in a sum that is made one again.
        if tokens.renormalised && self.lookup.datastore.is_none() {
            suppress(values, vocab, suppressed.clone());
        }
        log_normalisers(values, vocab, normalisers);
        if let Some(datastore) = self.lookup.datastore {
            let queries = &self.last_output.fed_forward;
            let sentences = self.state.sentences();
            let near = self
                .lookup
                .near(datastore, sentences, queries, &mut self.scratch);
            datastore.mix_rows(&near, values, normalisers);
            if tokens.renormalised {
                suppress(values, vocab, suppressed.clone());
                log_normalisers(values, vocab, normalisers);
            }
        }
        if let (Some(first), true) = (tokens.forced_first, self.state.is_first_word()) {
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

    /// The scores of what is `read`. With [`Self::vocabulary`], a probability is one among its tokens.
    fn score_in_parts(&mut self, ids: &[u32], read: TokenSelection, scores: &mut StepScores) {
        let is_first = self.state.num_words() == 0;
        let states = self.next_states(ids);
        let Self {
            weights,
            lookup,
            vocabulary,
            state,
            scratch,
            last_output,
            ..
        } = self;
        let (tokens, some) = (weights.tokens(), vocabulary.as_ref());
        let column = |id: u32| match some {
            Some(some) => some.ids.binary_search(&id).ok(),
            None => Some(id as usize),
        };
        let id = |column: usize| match some {
            Some(some) => some.ids[column],
            None => u32::try_from(column).expect("ids fit 32 bits"),
        };
        let rows = ids.len();
        if let Some(first) = tokens.forced_first.filter(|_| is_first) {
            let (mut found, certain) = (ScoresInParts::new(read, rows, 0), vec![0.0; rows]);
            if let Some(column) = column(first) {
                found.sum(&certain);
                found.rank(column, &certain);
            }
            found.write_to(scores, id);
            return;
        }
        let near = lookup.datastore.map(|datastore| {
            let queries = &last_output.fed_forward;
            let near = lookup.near(datastore, state.sentences(), queries, scratch);
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
        let parts = weights.scores_in_parts((state, &states), some, start, |found, first, part| {
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
        });
        let found = parts.into_iter().reduce(ScoresInParts::and);
        let found = found.expect("one core at least");
        found.write_to(scores, id);
        if let Some((datastore, near)) = near {
            datastore.mix_in_selected(&near, found.kept(), scores);
            scores.suppress(&tokens.suppressed);
        }
    }
}

impl Decode for Hypotheses<'_> {
    fn step(&mut self, ids: &[u32]) -> Vec<f32> {
        let mut scores = StepScores::default();
        self.score(ids, None, &mut scores);
        let rows = scores.values.chunks_exact_mut(self.weights.vocab_size());
        for (row, normaliser) in rows.zip(&scores.normalisers) {
            for score in row {
                *score -= normaliser;
            }
        }
        scores.values
    }

    fn score(&mut self, ids: &[u32], read: Option<TokenSelection>, scores: &mut StepScores) {
        match read.filter(|read| self.reads_parts(*read)) {
            Some(read) => self.score_in_parts(ids, read, scores),
            None => self.score_whole(ids, scores),
        }
    }

    fn select(&mut self, hypotheses: &[usize]) {
        self.state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.weights.tokens().start
    }

    fn end(&self) -> u32 {
        self.weights.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.weights.tokens().search
    }
}

/// Takes what is never generated out of scores `[rows, width]`.
fn suppress(scores: &mut [f32], width: usize, columns: impl Iterator<Item = usize>) {
    for column in columns {
        let column = scores.iter_mut().skip(column).step_by(width);
        column.for_each(|score| *score = f32::NEG_INFINITY);
    }
}
