//! The interface of an executor to search.

use crate::model::variant::SearchRule;
use canopy_kernels::{StepScores, TokenSelection};
use canopy_tokenize::vocabulary::Vocabulary;

/// A number of hypotheses that grow together, and the probabilities of their next tokens.
pub trait Decode {
    /// Adds `ids[h]` to hypothesis `h`; gives the log-probabilities (natural logarithm) of what may follow.
    ///
    /// # Shapes
    /// - output: `[hypotheses, vocab]`, row by row
    fn step(&mut self, ids: &[u32]) -> Vec<f32>;

    /// As [`Self::step`], but the scores may lack their normalisers and what is not among `read`, of which none reads all.
    /// Their place is used again.
    fn score(&mut self, ids: &[u32], read: Option<TokenSelection>, scores: &mut StepScores) {
        let _ = read;
        scores.put(self.step(ids), ids.len());
    }

    /// Keeps the named hypotheses in this order, one maybe several times.
    fn select(&mut self, hypotheses: &[usize]);

    /// The id before the first token.
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
