//! Attention to capsules: the tokens of the previous sentences, clustered under the guidance of the sentence that reads.
//!
//! Yang et al., "Enhancing Context Modeling with a Query-Guided Capsule Network for Document-level Translation" (QCN),
//! EMNLP 2019. The paper's text was not at hand: routing with Pearson's correlation to a query follows Geng et al.,
//! "Dynamic Memory Induction Networks for Few-Shot Text Classification", ACL 2020, Algorithm 1, who cite it for that, and
//! Sabour, Frosst & Hinton, "Dynamic Routing Between Capsules", NIPS 2017, Eq. 1-3, both from memory and not compared with
//! the papers. Ours: the query is the mean of the
//! sentence's states, and a norm brings capsules to the size of states before they are read. QCN's regularising layer,
//! which draws the two into one space, is not built.

use std::ops::Range;
use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::activation::{softmax, tanh};
use burn::tensor::{Device, Tensor, TensorData};

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::identity_init::parameter;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::pooling::{Pooling, pooled};
use crate::model::query_spans::QuerySpan;
use crate::model::rows::select_rows;
use canopy_kernels::{Dropout, Segment};

/// Sizes of a [`QueryCapsules`] layer.
#[derive(Config, Debug)]
pub struct QueryCapsulesConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Clusters of the context.
    pub num_capsules: usize,
    /// Iterations of the routing.
    #[config(default = 3)]
    pub num_iterations: usize,
}

impl QueryCapsulesConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> QueryCapsules {
        let d = self.d_model;
        assert!(self.num_capsules > 0, "at least one capsule");
        assert!(self.num_iterations > 0, "at least one iteration of routing");
        QueryCapsules {
            votes: Linear::without_bias(d, self.num_capsules * d, device),
            norm: Norm::new(d, device),
            attention: MultiHeadAttentionConfig::new(d, self.num_heads).init(device),
            num_capsules: self.num_capsules,
            num_iterations: self.num_iterations,
        }
    }
}

/// Votes of tokens for capsules, and attention to these.
#[derive(Module, Debug)]
pub struct QueryCapsules {
    /// `W_j` of all capsules side by side, `[d_model, num_capsules · d_model]`.
    pub votes: Linear,
    /// Norm of the votes.
    pub norm: Norm,
    /// Attention to the capsules.
    pub attention: MultiHeadAttention,
    /// Clusters of the context.
    pub num_capsules: usize,
    /// Iterations of the routing.
    pub num_iterations: usize,
}

/// Capsules of the context of some readers.
#[derive(Debug, Clone)]
pub struct RoutedCapsules {
    /// `[readers, num_capsules, d_model]`, zeros where there is no context.
    pub capsules: Tensor<3>,
    /// Share `c_ij + p_ij` of each token in each capsule, `[readers, longest context, num_capsules]`, zeros for padding.
    pub coupling: Tensor<3>,
}

impl QueryCapsules {
    /// Routes the votes of each reader's context, `û_ij = squash(W_j u_i)`, in turns: `c_i = softmax(b_i)`,
    /// `v_j = squash(Σ_i (c_ij + p_ij) û_ij)`, `b_ij += p_ij û_ij·v_j`, where `p_ij = tanh(PCC(û_ij, q_j))` is the
    /// correlation with the query, which moves halfway to the capsule each time.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; votes: `[rows, num_capsules · d_model]`
    /// - contexts: rows of the votes, one range for each reader
    pub fn route(
        &self,
        queries: Tensor<2>,
        readers: &[Range<usize>],
        votes: &Tensor<2>,
        contexts: &[Range<usize>],
    ) -> RoutedCapsules {
        let [count, capsules, d_model] = [
            readers.len(),
            self.num_capsules,
            self.attention.query.weight.dims()[0],
        ];
        let longest = contexts.iter().map(Range::len).max().unwrap_or(0).max(1);
        let (rows, mask) = padded(contexts, longest);
        let mask = TensorData::new(mask, [count, longest, 1]);
        let mask = Tensor::<3>::from_data(mask, &queries.device());
        let votes = select_rows(votes.clone(), &rows);
        let votes = squash(votes.reshape([count, longest, capsules, d_model]));
        let query = self.votes.forward(pooled(queries, readers, Pooling::Mean));
        let mut query = squash(query.reshape([count, 1, capsules, d_model]));

        let mut agreement = tanh(correlation(&votes, &query));
        let mut logits = agreement.zeros_like();
        let mut turn = 1;
        loop {
            let coupling = (softmax(logits.clone(), 2) + agreement.clone()) * mask.clone();
            let sum = votes.clone() * coupling.clone().unsqueeze_dim(3);
            let routed = squash(sum.sum_dim(1));
            if turn == self.num_iterations {
                return RoutedCapsules {
                    capsules: routed.squeeze_dim(1),
                    coupling,
                };
            }
            turn += 1;
            let likeness = (votes.clone() * routed.clone()).sum_dim(3).squeeze_dim(3);
            logits = logits + agreement * likeness;
            query = (query + routed) / 2.0;
            agreement = tanh(correlation(&votes, &query));
        }
    }

    /// Every token of a reader attends to the capsules of its context.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; votes: `[rows, num_capsules · d_model]`
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        votes: &Tensor<2>,
        sentences: &[Range<usize>],
        dropout: Option<Dropout>,
    ) -> (Tensor<2>, Capsules) {
        let readers: Vec<_> = query_spans.iter().map(|span| span.rows.clone()).collect();
        let contexts: Vec<_> = query_spans
            .iter()
            .map(|span| sentences[span.sentence].clone())
            .collect();
        let routed = self.route(queries.clone(), &readers, votes, &contexts);
        let [count, capsules, d_model] = routed.capsules.dims();
        let keys = self
            .norm
            .forward(routed.capsules.reshape([count * capsules, d_model]));
        let segments: Arc<[Segment]> = (readers.into_iter().zip(&contexts).enumerate())
            .map(|(reader, (queries, context))| {
                let read = if context.is_empty() { 0 } else { capsules };
                Segment {
                    queries,
                    keys: reader * capsules..reader * capsules + read,
                }
            })
            .collect();
        let (keys, values) = self.attention.project(keys);
        let read = self
            .attention
            .attend(queries, (keys.clone(), values), &segments, dropout);
        let capsules = Capsules {
            keys,
            segments,
            contexts,
            coupling: routed.coupling,
        };
        (read, capsules)
    }
}

impl QueryCapsules {
    /// Votes begin as the tokens plus what makes capsules different.
    pub(super) fn init_votes(&mut self) {
        self.attention.init_identity();
        let votes = self.votes.weight.val();
        let one = Tensor::<2>::eye(votes.dims()[0], &votes.device());
        self.votes.weight = parameter(votes + one.repeat_dim(1, self.num_capsules));
    }
}

/// The capsules attended to.
#[derive(Debug, Clone)]
pub struct Capsules {
    /// Projected, `[readers · num_capsules, d_model]`.
    pub keys: Tensor<2>,
    /// Which rows of queries read which capsules.
    pub segments: Arc<[Segment]>,
    /// Rows of the memory that each reader's capsules were made of.
    pub contexts: Vec<Range<usize>>,
    /// As in [`RoutedCapsules`].
    pub coupling: Tensor<3>,
}

/// `|s|² / (1 + |s|²) · s / |s|` along the last axis: as long as a probability.
fn squash(s: Tensor<4>) -> Tensor<4> {
    let square = s.clone().square().sum_dim(3);
    // The root of exactly zero has no gradient.
    let length = (square.clone() + 1e-9).sqrt();
    s * (square.clone() / (square + 1.0) / length)
}

/// Pearson's correlation of vectors along the last axis.
///
/// # Shapes
/// - votes: `[readers, context, capsules, d_model]`; query: `[readers, 1, capsules, d_model]`
/// - output: `[readers, context, capsules]`
fn correlation(votes: &Tensor<4>, query: &Tensor<4>) -> Tensor<3> {
    let centred = |x: &Tensor<4>| {
        let x = x.clone() - x.clone().mean_dim(3);
        let length = (x.clone().square().sum_dim(3) + 1e-9).sqrt();
        x / length
    };
    (centred(votes) * centred(query)).sum_dim(3).squeeze_dim(3)
}

/// Rows of all contexts padded to the longest one, and which of them are tokens.
fn padded(contexts: &[Range<usize>], longest: usize) -> (Vec<usize>, Vec<f32>) {
    let rows = contexts.iter().flat_map(|context| {
        let tokens = context.clone().map(|row| (row, 1.0));
        tokens.chain(std::iter::repeat((0, 0.0))).take(longest)
    });
    rows.unzip()
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use burn::tensor::Distribution;

    use super::*;

    const D: usize = 8;

    fn layer(device: &Device) -> QueryCapsules {
        device.seed(5);
        QueryCapsulesConfig::new(D, 2, 3).init(device)
    }

    fn numbers<const N: usize>(x: Tensor<N>) -> Vec<f32> {
        x.into_data().try_into_vec().expect("floats")
    }

    #[test]
    fn capsules_do_not_depend_on_padding_or_other_readers() {
        let device = Device::flex();
        let layer = layer(&device);
        let queries = Tensor::<2>::random([5, D], Distribution::Normal(0.0, 1.0), &device);
        let words = Tensor::<2>::random([9, D], Distribution::Normal(0.0, 1.0), &device);
        let votes = layer.votes.forward(words);
        let both = layer.route(queries.clone(), &[0..2, 2..5], &votes, &[0..3, 3..9]);
        let (own, read) = (0..2, 0..3);
        let alone = layer.route(queries, from_ref(&own), &votes, from_ref(&read));
        let found = numbers(both.capsules.narrow(0, 0, 1));
        for (found, want) in found.iter().zip(numbers(alone.capsules)) {
            assert!((found - want).abs() < 1e-5, "{found} {want}");
        }
        let padding = both.coupling.narrow(0, 0, 1).narrow(1, 3, 3);
        assert!(numbers(padding).iter().all(|&share| share == 0.0));
    }

    #[test]
    fn the_query_guides_the_routing() {
        let device = Device::flex();
        let layer = layer(&device);
        let words = Tensor::<2>::random([4, D], Distribution::Normal(0.0, 1.0), &device);
        let votes = layer.votes.forward(words.clone());
        // A reader that is the first token agrees with it most, a reader that is the last one with that.
        let shares = |token: usize| {
            let query = words.clone().narrow(0, token, 1);
            let query: Vec<[f32; D]> = vec![numbers(query).try_into().expect("one row")];
            let query = Tensor::<2>::from_floats([query[0]], &device);
            let one = QueryCapsules {
                num_iterations: 1,
                ..layer.clone()
            };
            let routed = one.route(
                query,
                std::slice::from_ref(&(0..1)),
                &votes,
                std::slice::from_ref(&(0..4)),
            );
            numbers(routed.coupling.sum_dim(2))
        };
        for token in [0, 3] {
            let shares = shares(token);
            let most = shares.iter().copied().fold(f32::MIN, f32::max);
            assert!((shares[token] - most).abs() < 1e-6, "{shares:?}");
        }
    }

    #[test]
    fn without_context_nothing_is_read() {
        let device = Device::flex();
        let layer = layer(&device);
        let queries = Tensor::<2>::random([2, D], Distribution::Normal(0.0, 1.0), &device);
        let votes = layer.votes.forward(queries.clone());
        let span = QuerySpan {
            rows: 0..2,
            sentence: 0,
        };
        let (read, _) = layer.attend(
            queries,
            &[span],
            &votes,
            std::slice::from_ref(&(0..0)),
            None,
        );
        assert!(numbers(read).iter().all(|&x| x == 0.0));
    }
}
