//! The search with weights on a GPU.

use super::decode::Decode;
use crate::datastore::Datastore;
use crate::model::{GpuState, GpuTransformer, SearchRule};
use canopy_kernels::{NextScores, ReadTokens};

/// A model on a GPU, and what its next words are mixed with.
#[derive(Debug, Clone, Copy)]
pub(super) struct GpuSearch<'a> {
    pub gpu: &'a GpuTransformer,
    pub datastore: Option<&'a Datastore>,
}

impl Decode for GpuSearch<'_> {
    type State = GpuState;

    fn vocab_size(&self) -> usize {
        self.gpu.vocab_size()
    }

    fn step(&self, state: &mut GpuState, ids: &[u32]) -> Vec<f32> {
        let mut scores = NextScores::default();
        self.score(state, ids, None, &mut scores);
        scores.values
    }

    fn score(
        &self,
        state: &mut GpuState,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        let read = (read, self.datastore);
        self.gpu.read_next(state, ids, read, scores);
    }

    fn select(&self, state: &mut GpuState, hypotheses: &[usize]) {
        state.select(hypotheses);
    }

    fn start(&self) -> u32 {
        self.gpu.tokens().start
    }

    fn end(&self) -> u32 {
        self.gpu.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.gpu.tokens().search
    }
}
