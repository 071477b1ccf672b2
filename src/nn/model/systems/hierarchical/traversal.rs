//! The way down the content tree: which sentences a query keeps.
//!
//! Trankova et al. 2024, §3.3.2 and Fig. 3. A traversal chooses and has no gradient; the scores of what it chose have
//! theirs through [`path_sums`](super::tree::path_sums).

use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::top_t::top_t;

/// The number by which the nodes of a level are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraversalRule {
    /// Their own relevance.
    ByNode,
    /// The sum of the relevance on their path.
    ByCumulative,
}

/// One node that a query looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// Number in its level.
    pub node: usize,
    /// Relevance to the query.
    pub relevance: f32,
    /// Sum of the relevance of all nodes from the root down to this one.
    pub cumulative: f32,
    /// Whether it is among the top T of its level.
    pub kept: bool,
}

/// The nodes that one query looked at, level by level, the leaves first; ascending in each level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traversal {
    /// Visited nodes of each level.
    pub levels: Vec<Vec<Visit>>,
}

impl Traversal {
    /// Leaves that survived.
    pub fn kept_leaves(&self) -> impl Iterator<Item = &Visit> {
        self.levels
            .first()
            .into_iter()
            .flatten()
            .filter(|visit| visit.kept)
    }
}

/// The projected nodes of a tree where a search reads them: brought there once, however often it is searched.
#[derive(Debug, Clone)]
pub struct TreeKeys {
    /// Rows of every level, the leaves first.
    levels: Arc<[Vec<f32>]>,
    sizes: Vec<usize>,
}

impl TreeKeys {
    /// # Shapes
    /// - levels: `[nodes, d_k]` each, the leaves first
    pub fn from_levels(levels: &[Tensor<2>]) -> Self {
        let numbers = |level: &Tensor<2>| level.to_data().iter().collect();
        Self {
            levels: levels.iter().map(numbers).collect(),
            sizes: levels.iter().map(|level| level.dims()[0]).collect(),
        }
    }
}

/// How to go down a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSearch {
    /// Number of attention heads.
    pub num_heads: usize,
    /// T: how many nodes survive on each level.
    pub top_t: usize,
    /// How heads choose among the nodes of a level.
    pub rule: TraversalRule,
}

impl TreeSearch {
    /// From the root down, for every query and head: the relevance `q kᵀ / √d_head` of the nodes whose parent survived,
    /// then KeepTopT over all of them together; a choice has no gradient.
    ///
    /// `keep` says what should be remembered of a traversal; that of query `r`, head `h` is at `r · num_heads + h`.
    ///
    /// # Shapes
    /// - queries: `[rows, d_k]`
    pub fn traverse<K: Send>(
        &self,
        queries: &Tensor<2>,
        keys: &TreeKeys,
        keep: impl Fn(Traversal) -> K + Send + Sync,
    ) -> Vec<K> {
        let [_, d_k] = queries.dims();
        let d_head = d_k / self.num_heads;
        let queries: Vec<f32> = queries.to_data().iter().collect();
        let queries = queries.par_chunks_exact(d_head).enumerate();
        let traversals = queries.map(|(index, query)| {
            let column = index % self.num_heads * d_head;
            self.descend(&keys.sizes, |level, node| {
                let key = &keys.levels[level][node * d_k + column..][..d_head];
                query.iter().zip(key).map(|(q, k)| q * k).sum::<f32>() / root(d_head)
            })
        });
        traversals.map(keep).collect()
    }

    /// # Shapes
    /// - sizes: nodes of each level, the leaves first
    fn descend(&self, sizes: &[usize], relevance: impl Fn(usize, usize) -> f32) -> Traversal {
        let mut levels = vec![Vec::new(); sizes.len()];
        // Node and cumulative relevance of its parent.
        let mut candidates = vec![(0, 0.0_f32)];
        for level in (0..sizes.len()).rev() {
            let visit = |&(node, above): &(usize, f32)| {
                let relevance = relevance(level, node);
                Visit {
                    node,
                    relevance,
                    cumulative: above + relevance,
                    kept: false,
                }
            };
            let mut visits: Vec<Visit> = candidates.iter().map(visit).collect();
            let scores: Vec<f32> = visits.iter().map(|visit| self.score(visit)).collect();
            for kept in top_t(&scores, self.top_t) {
                visits[kept].kept = true;
            }
            if let Some(below) = level.checked_sub(1) {
                let kept = visits.iter().filter(|visit| visit.kept);
                let children = kept.flat_map(|visit| {
                    [2 * visit.node, 2 * visit.node + 1].map(|child| (child, visit.cumulative))
                });
                candidates = children
                    .filter(|&(child, _)| child < sizes[below])
                    .collect();
            }
            levels[level] = visits;
        }
        Traversal { levels }
    }

    fn score(&self, visit: &Visit) -> f32 {
        match self.rule {
            TraversalRule::ByNode => visit.relevance,
            TraversalRule::ByCumulative => visit.cumulative,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
fn root(d_head: usize) -> f32 {
    (d_head as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f32; 7] = [3.0, 0.5, 2.0, -1.0, 4.0, 1.5, 0.0];

    #[test]
    fn every_level_keeps_at_most_t_nodes_and_children_of_kept_ones() {
        let search = TreeSearch {
            num_heads: 1,
            top_t: 2,
            rule: TraversalRule::ByNode,
        };
        let sizes = [11, 6, 3, 2, 1];
        let traversal = search.descend(&sizes, |level, node| {
            SCORES[(level * 7 + node * 5) % SCORES.len()]
        });
        for (level, visits) in traversal.levels.iter().enumerate() {
            let kept: Vec<usize> = visits
                .iter()
                .filter(|visit| visit.kept)
                .map(|visit| visit.node)
                .collect();
            assert_eq!(kept.len(), sizes[level].min(2));
            let Some(above) = traversal.levels.get(level + 1) else {
                continue;
            };
            assert!(visits.iter().all(|visit| {
                above
                    .iter()
                    .any(|parent| parent.kept && parent.node == visit.node / 2)
            }));
        }
    }
}
