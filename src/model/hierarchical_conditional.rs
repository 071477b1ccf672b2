//! Hierarchical conditional attention: the sentences that a word reads are found by going down the content tree.
//!
//! Trankova et al. 2024, §3.3, last equation: `TraverseTree[X, tree, t]` in place of KeepTopT. The equation names no
//! projections; on every level the relevance of a node `e` to a word `x` is `x W^Q_S (e W^K_S)ᵀ / √d_k`, and the score of
//! a sentence is the sum on its path.

use burn::config::Config;
use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor};

use super::attention::projection;
use super::choice::Kept;
use super::conditional::{ConditionalHeads, ConditionalHeadsConfig};
use super::documents::{Documents, select_rows};
use super::source2token::{Source2Token, Source2TokenConfig};
use super::traversal::{Traversal, TraversalRule, TreeSearch};
use super::tree::{ContentTree, Merge, MergeConfig, MergeKind, path_sums};
use crate::kernels::Projected;

/// Sizes of a [`HierarchicalConditionalAttention`] layer.
#[derive(Config, Debug)]
pub struct HierarchicalConditionalAttentionConfig {
    pub d_model: usize,
    pub num_heads: usize,
    /// T: how many nodes survive on each level, and how many sentences a word reads in each head.
    pub top_t: usize,
    #[config(default = "MergeKind::Source2Token")]
    pub merge: MergeKind,
    #[config(default = "TraversalRule::ByNode")]
    pub rule: TraversalRule,
}

impl HierarchicalConditionalAttentionConfig {
    pub fn init(&self, device: &Device) -> HierarchicalConditionalAttention {
        let d = self.d_model;
        HierarchicalConditionalAttention {
            source2token: Source2TokenConfig::new(d, d, d).init(device),
            tree: TreeHeads {
                heads: ConditionalHeadsConfig::new(d, d, d, self.num_heads, self.top_t)
                    .init(device),
                merge: MergeConfig::new(d, self.merge).init(device),
                rule: self.rule,
            },
            output: projection(d, d, device),
        }
    }
}

/// Conditional heads that choose by a tree, before their output is projected.
#[derive(Module, Debug)]
pub struct TreeHeads {
    pub heads: ConditionalHeads,
    pub merge: Merge,
    #[module(skip)]
    pub rule: TraversalRule,
}

/// One document's tree and the way of its queries through it.
#[derive(Debug, Clone)]
pub struct TreeReading {
    pub tree: ContentTree,
    /// Sentence of every leaf: those with words.
    pub leaves: Vec<usize>,
    /// Rows of the document's words.
    pub rows: Vec<usize>,
    /// Of word `rows[i]`, head `h`, at `i · num_heads + h`.
    pub traversals: Vec<Traversal>,
}

/// What is attended to, and by which choice.
#[derive(Debug, Clone)]
pub struct TreeChoice {
    /// Sentence keys are the sums on their paths.
    pub projected: Projected,
    /// Of row `r`, head `h` at `r · num_heads + h`; scores are sums on paths.
    pub choice: Vec<Kept>,
    /// One entry for each document that has words.
    pub readings: Vec<TreeReading>,
}

impl TreeHeads {
    /// Grows the trees and goes down each for all heads of all words of its document.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`; encodings: `[sentences, d_model]`
    pub fn choose(
        &self,
        words: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> TreeChoice {
        let mut projected = self.heads.project(words, encodings.clone());
        let num_heads = self.heads.num_heads;
        let search = TreeSearch {
            num_heads,
            top_t: self.heads.top_t,
            rule: self.rule,
        };
        let [rows, _] = projected.sentence_queries.dims();
        let mut choice = vec![Kept::default(); rows * num_heads];
        let mut readings = Vec::new();
        // Keys of the leaves of all documents, and for every sentence which of them is its own.
        let mut leaf_keys = Vec::new();
        let mut own_leaf = vec![0; documents.sentences.len()];
        let mut num_leaves = 0;
        for document in &documents.documents {
            let spoken = document
                .clone()
                .filter(|&sentence| !documents.sentences[sentence].is_empty());
            let leaves: Vec<usize> = spoken.collect();
            if leaves.is_empty() {
                continue;
            }
            let tree = ContentTree::grow(select_rows(encodings.clone(), &leaves), &self.merge);
            let levels: Vec<Tensor<2>> = tree
                .levels
                .iter()
                .map(|level| self.heads.key_sentence.forward(level.clone()))
                .collect();
            let rows: Vec<usize> = leaves
                .iter()
                .flat_map(|&sentence| documents.sentences[sentence].clone())
                .collect();
            let traversals = search.traverse_tensors(
                select_rows(projected.sentence_queries.clone(), &rows),
                &levels,
            );
            for (index, traversal) in traversals.iter().enumerate() {
                let kept = traversal.kept_leaves();
                let (sentences, scores) = kept
                    .map(|visit| (leaves[visit.node], visit.cumulative))
                    .unzip();
                choice[rows[index / num_heads] * num_heads + index % num_heads] =
                    Kept { sentences, scores };
            }
            for (place, &sentence) in leaves.iter().enumerate() {
                own_leaf[sentence] = num_leaves + place;
            }
            num_leaves += leaves.len();
            leaf_keys.push(path_sums(&levels));
            readings.push(TreeReading {
                tree,
                leaves,
                rows,
                traversals,
            });
        }
        if !leaf_keys.is_empty() {
            // A sentence without words gets another one's key: nobody reads it.
            projected.sentence_keys = select_rows(Tensor::cat(leaf_keys, 0), &own_leaf);
        }
        TreeChoice {
            projected,
            choice,
            readings,
        }
    }

    /// # Shapes
    /// - words: `[rows, d_model]`; encodings: `[sentences, d_model]`
    /// - output: `[rows, d_v]`
    pub fn forward(
        &self,
        words: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let TreeChoice {
            projected, choice, ..
        } = self.choose(words, encodings, documents);
        self.heads.attend(projected, &documents.sentences, &choice)
    }
}

/// Hierarchical conditional attention in the multi-head block: each head goes down the tree itself.
#[derive(Module, Debug)]
pub struct HierarchicalConditionalAttention {
    pub source2token: Source2Token,
    pub tree: TreeHeads,
    /// `[d_model, d_model]`
    pub output: Linear,
}

impl HierarchicalConditionalAttention {
    /// # Shapes
    /// - words, output: `[rows, d_model]`
    pub fn forward(&self, words: Tensor<2>, documents: &Documents) -> Tensor<2> {
        let encodings = self
            .source2token
            .forward(words.clone(), &documents.sentences);
        self.output
            .forward(self.tree.forward(words, encodings, documents))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn keeping_every_node_reads_the_whole_document_whatever_the_rule() {
        let device = Device::flex();
        device.seed(13);
        let config = HierarchicalConditionalAttentionConfig::new(8, 2, 9);
        let mut attention = config.init(&device);
        let words = Tensor::<2>::random([14, 8], Distribution::Normal(0.0, 1.0), &device);
        let documents = Documents {
            sentences: vec![0..3, 3..4, 4..4, 4..9, 10..14],
            documents: vec![0..4, 4..5],
        };
        let by_node = attention.forward(words.clone(), &documents);
        attention.tree.rule = TraversalRule::ByCumulative;
        let difference = (by_node.clone() - attention.forward(words, &documents))
            .abs()
            .max()
            .into_scalar::<f32>();
        assert!(difference < 1e-6, "the rules differ by {difference}");
        let nobody = by_node.narrow(0, 9, 1).abs().max().into_scalar::<f32>();
        assert!(nobody == 0.0, "a row of no sentence gets {nobody}");
    }
}
