//! The interface of a model to search.

use crate::kernels::ReadTokens;
use crate::model::{DecoderState, Model, SearchRule, SearchState, Transformer};
use crate::text::vocabulary::Vocabulary;

/// Scores of what may follow each of some hypotheses.
#[derive(Debug, Clone, Default)]
pub struct NextScores {
    /// `[hypotheses, vocab]`, row by row.
    pub values: Vec<f32>,
    /// The excess of each hypothesis's scores over log-probabilities (natural logarithm).
    pub normalisers: Vec<f32>,
}

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

    /// As [`Self::step`], but what is not among `read` may be told as impossible; none reads all.
    fn step_read(
        &self,
        state: &mut Self::State,
        ids: &[u32],
        read: Option<ReadTokens>,
    ) -> Vec<f32> {
        let _ = read;
        self.step(state, ids)
    }

    /// As [`Self::step_read`], but the scores may lack their normalisers, and their place is used again.
    fn score(
        &self,
        state: &mut Self::State,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        scores.values = self.step_read(state, ids, read);
        scores.normalisers.clear();
        scores.normalisers.resize(ids.len(), 0.0);
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
        self.next_log_probs(state, ids, None)
    }

    fn step_read(
        &self,
        state: &mut SearchState,
        ids: &[u32],
        read: Option<ReadTokens>,
    ) -> Vec<f32> {
        self.next_log_probs(state, ids, read)
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
        self.step_read(state, ids, None)
    }

    fn step_read(
        &self,
        state: &mut DecoderState,
        ids: &[u32],
        read: Option<ReadTokens>,
    ) -> Vec<f32> {
        let scores = Self::step(self, state, ids);
        self.log_probs(scores, state, read)
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
