//! Weights of plain attention layers.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::source2token::{Source2Token, spec};
use super::weights::{AttentionWeights, HeadWeights, Recording};
use canopy_kernels::{Segment, each_attention};

/// Keeps the weights of keys that are one after the other.
pub(in super::super) fn run(
    keep: Recording,
) -> impl Fn(usize, &[f32]) -> HeadWeights + Send + Sync {
    move |first, weights| {
        let keys = first..first + weights.len();
        HeadWeights::new(keys.zip(weights.iter().copied()), keep.least)
    }
}

impl MultiHeadAttention {
    /// The weights of [`Self::forward`].
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; memory: `[key rows, d_model]`
    pub fn attention_weights(
        &self,
        x: Tensor<2>,
        memory: Tensor<2>,
        segments: &Arc<[Segment]>,
        keep: &Recording,
    ) -> AttentionWeights {
        self.weights_of(x, &self.key.forward(memory), segments, keep)
    }

    /// The weights of [`Self::attend`].
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; keys: projected, `[key rows, d_model]`
    pub fn weights_of(
        &self,
        x: Tensor<2>,
        keys: &Tensor<2>,
        segments: &Arc<[Segment]>,
        keep: &Recording,
    ) -> AttentionWeights {
        let queries = self.query.forward(x);
        AttentionWeights {
            num_heads: self.num_heads,
            rows: each_attention(&queries, keys, &self.spec(segments), run(*keep)),
        }
    }
}

impl Source2Token {
    /// The weights of the tokens in each sentence's encoding.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`
    pub fn attention_weights(
        &self,
        words: Tensor<2>,
        sentences: &[Range<usize>],
        keep: &Recording,
    ) -> AttentionWeights {
        let (queries, keys) = (self.queries(sentences.len()), self.key.forward(words));
        AttentionWeights {
            num_heads: 1,
            rows: each_attention(&queries, &keys, &spec(sentences), run(*keep)),
        }
    }
}
