//! A model of the opposite direction beside a model, to tell its translations apart.

use super::system::Model;

/// How well the source can be told from a translation: p(source | translation), which Yee et al., "Simple and Effective
/// Noisy Channel Modeling for Neural Machine Translation", EMNLP 2019, call the channel.
#[derive(Debug, Clone)]
pub struct Reranker {
    /// Translates back, with the same vocabulary.
    pub model: Box<Model>,
    /// Their λ₁: what its log-probability counts against the model's own.
    pub weight: f32,
    /// Tokens that it reads and writes at most, with the end of the sentence.
    pub max_tokens: usize,
}
