//! What a search keeps of its hypotheses while burn's layers read them, and the scores of their next tokens.

use burn::tensor::Tensor;

use super::decoder::DecoderState;
use super::rnn_search::RnnState;
use super::search_memory::SearchMemory;
use super::system::{Encoded, Model, Network};
use canopy_kernels::{NextScores, ReadTokens, log_softmax};

/// The state of a number of hypotheses.
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them, and they live long"
)]
#[derive(Debug, Clone)]
pub enum SearchState {
    Transformer(DecoderState),
    RnnSearch(RnnState),
}

impl SearchState {
    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        match self {
            Self::Transformer(state) => state.select(hypotheses),
            Self::RnnSearch(state) => state.select(hypotheses),
        }
    }
}

impl Model {
    /// A search state with one hypothesis for each encoded sentence, which reads no translations of others.
    pub fn start(&self, encoded: &Encoded) -> SearchState {
        self.start_with(encoded, &self.prepare(encoded))
    }

    /// A search state with one hypothesis for each encoded sentence; `memory` is of their documents.
    pub fn start_with(&self, encoded: &Encoded, memory: &SearchMemory) -> SearchState {
        match (&self.network, encoded) {
            (Network::Transformer(network), Encoded::Transformer(encoded)) => {
                let memory = memory.whole(network).expect("prepared by the same model");
                SearchState::Transformer(network.start(encoded, memory.clone()))
            }
            (Network::RnnSearch(network), Encoded::RnnSearch(encoded)) => {
                SearchState::RnnSearch(network.start(encoded))
            }
            _ => unreachable!("a model reads what it encoded"),
        }
    }

    /// Adds the token `ids[h]` to hypothesis `h`; the scores are the network's alone.
    ///
    /// # Shapes
    /// - output: scores before softmax, `[hypotheses, vocab]`
    pub fn step(&self, state: &mut SearchState, ids: &[u32]) -> Tensor<2> {
        match (&self.network, state) {
            (Network::Transformer(network), SearchState::Transformer(state)) => {
                network.step(state, ids)
            }
            (Network::RnnSearch(network), SearchState::RnnSearch(state)) => {
                network.step(state, ids)
            }
            _ => unreachable!("a model goes on with its own state"),
        }
    }

    /// [`Self::step`] with log-probabilities, in which has part what the model looks up.
    ///
    /// # Shapes
    /// - output: `[hypotheses, vocab]`, row by row
    pub fn next_log_probs(&self, state: &mut SearchState, ids: &[u32]) -> Vec<f32> {
        match (&self.network, state) {
            (Network::Transformer(network), SearchState::Transformer(state)) => {
                let words = network.next_words(state, ids);
                let scores = network.vocabulary_scores(words.states);
                let Some(datastore) = &self.datastore else {
                    return network.log_probs(scores, state);
                };
                let mut log_probs = log_softmax(scores);
                datastore.mix_in(words.fed_forward, &mut log_probs);
                network.constrain(&mut log_probs, state);
                log_probs
            }
            (_, state) => log_softmax(self.step(state, ids)),
        }
    }

    /// [`Self::next_log_probs`] of what a search reads, and maybe of more; none reads all.
    pub fn read_next(
        &self,
        state: &mut SearchState,
        ids: &[u32],
        read: Option<ReadTokens>,
        into: &mut NextScores,
    ) {
        match (&self.network, state) {
            (Network::Transformer(network), SearchState::Transformer(state))
                if self.datastore.is_none() =>
            {
                let scores = network.step(state, ids);
                network.read_scores(scores, state, read, into);
            }
            (Network::RnnSearch(network), SearchState::RnnSearch(state)) => {
                into.read(network.step(state, ids), read);
            }
            (_, state) => into.put(self.next_log_probs(state, ids), ids.len()),
        }
    }
}
