//! The search with weights on a graphics card.

use super::decode::Decode;
use crate::kernels::{NextScores, ReadTokens};
use crate::model::{CardState, CardTransformer, SearchRule};

impl Decode for CardTransformer {
    type State = CardState;

    fn vocab_size(&self) -> usize {
        Self::vocab_size(self)
    }

    fn step(&self, state: &mut CardState, ids: &[u32]) -> Vec<f32> {
        let mut scores = NextScores::default();
        self.read_next(state, ids, None, &mut scores);
        scores.values
    }

    fn score(
        &self,
        state: &mut CardState,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        self.read_next(state, ids, read, scores);
    }

    fn select(&self, state: &mut CardState, hypotheses: &[usize]) {
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
