//! The interface of a model to search.

use crate::model::{DecoderState, Model, SearchRule, SearchState, Transformer};
use canopy_kernels::{NextScores, ReadTokens};
use canopy_tokenize::vocabulary::Vocabulary;

/// Next-token probabilities of a number of hypotheses that grow together.
pub trait Decode {
    type State;

    /// Tokens of the vocabulary.
    fn vocab_size(&self) -> usize;

    /// Adds `ids[h]` to hypothesis `h`; gives the log-probabilities (natural logarithm) of what may follow.
    ///
    /// # Shapes
    /// - output: `[hypotheses, vocab]`, row by row
    fn step(&self, state: &mut Self::State, ids: &[u32]) -> Vec<f32>;

    /// As [`Self::step`], but the scores may lack their normalisers and what is not among `read`, of which none reads all.
    /// Their place is used again.
    fn score(
        &self,
        state: &mut Self::State,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        let _ = read;
        scores.put(self.step(state, ids), ids.len());
    }

    /// Keeps the named hypotheses in this order, one maybe several times.
    fn select(&self, state: &mut Self::State, hypotheses: &[usize]);

    /// The id that stands before the first word.
    fn start(&self) -> u32 {
        Vocabulary::BOS
    }

    /// The id that ends a translation.
    fn end(&self) -> u32 {
        Vocabulary::EOS
    }

    /// The way in which a beam is kept.
    fn rule(&self) -> SearchRule {
        SearchRule::Canopy
    }
}

impl Decode for Model {
    type State = SearchState;

    fn vocab_size(&self) -> usize {
        Self::vocab_size(self)
    }

    fn step(&self, state: &mut SearchState, ids: &[u32]) -> Vec<f32> {
        self.next_log_probs(state, ids)
    }

    fn score(
        &self,
        state: &mut SearchState,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        self.read_next(state, ids, read, scores);
    }

    fn select(&self, state: &mut SearchState, hypotheses: &[usize]) {
        state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.tokens().start
    }

    fn end(&self) -> u32 {
        self.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.tokens().search
    }
}

/// The sentence-level model inside a document-level one.
impl Decode for Transformer {
    type State = DecoderState;

    fn vocab_size(&self) -> usize {
        self.target_vocab_size()
    }

    fn step(&self, state: &mut DecoderState, ids: &[u32]) -> Vec<f32> {
        let scores = Self::step(self, state, ids);
        self.log_probs(scores, state)
    }

    fn score(
        &self,
        state: &mut DecoderState,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        let found = Self::step(self, state, ids);
        self.read_scores(found, state, read, scores);
    }

    fn select(&self, state: &mut DecoderState, hypotheses: &[usize]) {
        state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.tokens.start
    }

    fn end(&self) -> u32 {
        self.tokens.end
    }

    fn rule(&self) -> SearchRule {
        self.tokens.search
    }
}
