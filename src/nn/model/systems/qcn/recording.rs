//! The weights of the tokens of which capsules are made.

use burn::tensor::Tensor;

use super::layer::{Capsules, QueryCapsules};
use crate::model::recorder::{AttentionWeights, HeadWeights, Recording};
use canopy_kernels::each_attention;

impl QueryCapsules {
    /// The weights of the tokens of which capsules were made: those of the capsules, spread over each one's tokens by their
    /// share in it. A token may count against a capsule: its share is the size of that.
    pub fn weights_of_tokens(
        &self,
        queries: Tensor<2>,
        read: &Capsules,
        keep: &Recording,
    ) -> AttentionWeights {
        let [_, longest, capsules] = read.coupling.dims();
        let coupling = read.coupling.clone().abs();
        let coupling = coupling.clone() / (coupling.sum_dim(1) + 1e-9);
        let shares: Vec<f32> = (coupling.into_data().try_into_vec()).expect("coupling is f32");
        let spread = |first: usize, weights: &[f32]| {
            if weights.is_empty() {
                return HeadWeights::default();
            }
            let reader = first / capsules;
            let tokens = &shares[reader * longest * capsules..][..longest * capsules];
            let tokens = tokens.chunks_exact(capsules).map(|shares| {
                let pairs = shares.iter().zip(weights);
                pairs.map(|(share, weight)| share * weight).sum()
            });
            HeadWeights::new(read.contexts[reader].clone().zip(tokens), keep.least)
        };
        let queries = self.attention.query.forward(queries);
        AttentionWeights {
            num_heads: self.attention.num_heads,
            rows: each_attention(
                &queries,
                &read.keys,
                &self.attention.spec(&read.segments),
                spread,
            ),
        }
    }
}
