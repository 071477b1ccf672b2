//! The search with weights on a graphics card.

use super::decode::Decode;
use crate::datastore::Datastore;
use crate::model::{CardState, CardTransformer, SearchRule};
use canopy_kernels::{NextScores, ReadTokens};

/// A model on a card, and what its next words are mixed with.
#[derive(Debug, Clone, Copy)]
pub(super) struct CardSearch<'a> {
    pub card: &'a CardTransformer,
    pub datastore: Option<&'a Datastore>,
}

impl Decode for CardSearch<'_> {
    type State = CardState;

    fn vocab_size(&self) -> usize {
        self.card.vocab_size()
    }

    fn step(&self, state: &mut CardState, ids: &[u32]) -> Vec<f32> {
        let mut scores = NextScores::default();
        self.score(state, ids, None, &mut scores);
        scores.values
    }

    fn score(
        &self,
        state: &mut CardState,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        let read = (read, self.datastore);
        self.card.read_next(state, ids, read, scores);
    }

    fn select(&self, state: &mut CardState, hypotheses: &[usize]) {
        state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.card.tokens().start
    }

    fn end(&self) -> u32 {
        self.card.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.card.tokens().search
    }
}
