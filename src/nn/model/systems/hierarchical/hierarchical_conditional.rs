//! Hierarchical conditional attention: the sentences that a token reads are found by going down the content tree.
//!
//! Trankova et al. 2024, §3.3, last equation: `TraverseTree[X, tree, t]` in place of KeepTopT. The equation names no
//! projections; on every level the relevance of a node `e` to a token `x` is `x W^Q_S (e W^K_S)ᵀ / √d_k`, and the score of
//! a sentence is the sum on its path.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::conditional::{ConditionalHeads, ConditionalHeadsConfig};
use crate::model::context_config::MergeKind;
use crate::model::documents::Documents;
use crate::model::linear::Linear;

use super::traversal::{Traversal, TraversalRule, TreeKeys, TreeSearch};
use super::tree::{ContentTree, DocumentTree, Merge, MergeConfig, TreeMemory, path_sums};
use crate::model::query_spans::QuerySpan;
use crate::model::rows::select_rows;
use crate::model::sentence_selection::SelectedSentences;
use crate::model::source2token::{Source2Token, Source2TokenConfig};
use canopy_kernels::{Dropout, Projected};

/// Sizes of a [`HierarchicalConditionalAttention`] layer.
#[derive(Config, Debug)]
pub struct HierarchicalConditionalAttentionConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// T: how many nodes survive on each level, and how many sentences a token reads in each head.
    pub top_t: usize,
    /// How two nodes of the tree become one.
    #[config(default = "MergeKind::Source2Token")]
    pub merge: MergeKind,
    /// How heads choose among the nodes of a level.
    #[config(default = "TraversalRule::ByNode")]
    pub rule: TraversalRule,
}

impl HierarchicalConditionalAttentionConfig {
    /// Initialises the layer with random weights on `device`.
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
            output: Linear::without_bias(d, d, device),
        }
    }
}

/// Conditional heads that choose by a tree, before their output is projected.
#[derive(Module, Debug)]
pub struct TreeHeads {
    /// The heads.
    pub heads: ConditionalHeads,
    /// How two nodes of the tree become one.
    pub merge: Merge,
    /// How heads choose among the nodes of a level.
    #[module(skip)]
    pub rule: TraversalRule,
}

/// The chosen sentences and the trees that they were chosen by.
#[derive(Debug, Clone)]
pub struct TreeChoice {
    /// Sentence keys are the sums on their paths.
    pub projected: Projected,
    /// Choice of query `r`, head `h` at `r · num_heads + h`; scores are sums on paths.
    pub choice: Vec<SelectedSentences>,
    /// One entry for each document that has tokens and readers.
    pub trees: Vec<DocumentTree>,
}

impl TreeHeads {
    /// Grows the trees.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    pub fn prepare(
        &self,
        tokens: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> TreeMemory {
        let mut selected = self.heads.prepare(tokens, encodings.clone());
        let trees = documents.documents.iter().map(|document| {
            let non_empty = |&sentence: &usize| !documents.sentences[sentence].is_empty();
            let leaves: Vec<usize> = document.clone().filter(non_empty).collect();
            (!leaves.is_empty()).then(|| self.grow(&encodings, leaves))
        });
        let trees: Vec<Option<DocumentTree>> = trees.collect();
        if trees.iter().any(Option::is_some) {
            selected.sentence_keys = path_keys(&trees, documents.sentences.len());
        }
        TreeMemory { selected, trees }
    }

    /// Goes down the trees for all heads of all readers, with what `keep` makes of each way.
    pub(super) fn search_trees<K: Default + Clone + Send>(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &TreeMemory,
        documents: &Documents,
        keep: impl Fn(&DocumentTree, Traversal) -> K + Send + Sync,
    ) -> (Projected, Vec<K>) {
        let projected = self.heads.project_queries(queries, &memory.selected);
        let num_heads = self.heads.num_heads;
        let [rows, _] = projected.sentence_queries.dims();
        let mut choice = vec![K::default(); rows * num_heads];
        let query_spans = documents.rows_of_spans(query_spans);
        for (tree, query_spans) in memory.trees.iter().zip(query_spans) {
            let Some(tree) = tree.as_ref().filter(|_| !query_spans.is_empty()) else {
                continue;
            };
            let rows: Vec<usize> = query_spans.into_iter().map(|(row, _)| row).collect();
            let queries = select_rows(projected.sentence_queries.clone(), &rows);
            let kept = self
                .search()
                .traverse(&queries, &tree.search_keys, |traversal| {
                    keep(tree, traversal)
                });
            for (index, kept) in kept.into_iter().enumerate() {
                choice[rows[index / num_heads] * num_heads + index % num_heads] = kept;
            }
        }
        (projected, choice)
    }

    /// The sentences that all heads of all readers keep.
    fn search_kept(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &TreeMemory,
        documents: &Documents,
    ) -> (Projected, Vec<SelectedSentences>) {
        self.search_trees(
            queries,
            query_spans,
            memory,
            documents,
            |tree, traversal| tree.kept(&traversal),
        )
    }

    /// Grows the trees and goes down each for all heads of all readers of its document.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    pub fn choose(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> TreeChoice {
        let memory = self.prepare(tokens, encodings, documents);
        let (projected, choice) = self.search_kept(queries, query_spans, &memory, documents);
        let is_read = documents.rows_of_spans(query_spans).into_iter();
        let trees = memory.trees.into_iter().zip(is_read);
        let trees =
            trees.filter_map(|(tree, query_spans)| tree.filter(|_| !query_spans.is_empty()));
        let trees = trees.collect();
        TreeChoice {
            projected,
            choice,
            trees,
        }
    }

    /// All nodes that the heads of some queries looked at, row by row: what [`Self::choose`] does not keep.
    ///
    /// # Shapes
    /// - sentence_queries: projected, `[rows, d_k]`, of readers of the tree's document
    pub fn traversals(&self, sentence_queries: &Tensor<2>, tree: &DocumentTree) -> Vec<Traversal> {
        self.search()
            .traverse(sentence_queries, &tree.search_keys, |traversal| traversal)
    }

    fn grow(&self, encodings: &Tensor<2>, leaves: Vec<usize>) -> DocumentTree {
        let tree = ContentTree::grow(select_rows(encodings.clone(), &leaves), &self.merge);
        let levels = tree.levels.iter();
        let keys: Vec<Tensor<2>> = levels
            .map(|level| self.heads.key_sentence.forward(level.clone()))
            .collect();
        DocumentTree {
            search_keys: TreeKeys::from_levels(&keys),
            tree,
            keys,
            leaves,
        }
    }

    fn search(&self) -> TreeSearch {
        TreeSearch {
            num_heads: self.heads.num_heads,
            top_t: self.heads.top_t,
            rule: self.rule,
        }
    }

    /// # Shapes
    /// - queries: `[query rows, d_model]`; tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    /// - output: `[query rows, d_v]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let memory = self.prepare(tokens, encodings, documents);
        self.attend(queries, query_spans, &memory, documents, None)
    }

    /// [`Self::forward`] over trees that were grown before.
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &TreeMemory,
        documents: &Documents,
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let (projected, choice) = self.search_kept(queries, query_spans, memory, documents);
        self.heads
            .attend(projected, &documents.sentences, &choice, dropout)
    }
}

impl DocumentTree {
    /// The sentences whose leaves survived, with the sums on their paths.
    pub(super) fn kept(&self, traversal: &Traversal) -> SelectedSentences {
        let kept = traversal.kept_leaves();
        let (sentences, scores) = kept
            .map(|visit| (self.leaves[visit.node], visit.cumulative))
            .unzip();
        SelectedSentences { sentences, scores }
    }
}

/// For every sentence the sum of the keys on the path to its leaf.
fn path_keys(trees: &[Option<DocumentTree>], num_sentences: usize) -> Tensor<2> {
    // A sentence of no tree gets another one's key: it is not read.
    let mut own_leaf = vec![0; num_sentences];
    let trees = || trees.iter().flatten();
    let leaves = trees().flat_map(|tree| &tree.leaves).enumerate();
    leaves.for_each(|(leaf, &sentence)| own_leaf[sentence] = leaf);
    let sums = trees().map(|tree| path_sums(&tree.keys)).collect();
    select_rows(Tensor::cat(sums, 0), &own_leaf)
}

/// Hierarchical conditional attention in the multi-head block: each head goes down the tree itself.
#[derive(Module, Debug)]
pub struct HierarchicalConditionalAttention {
    /// Encodes the sentences.
    pub source2token: Source2Token,
    /// The heads, with the tree's layers.
    pub tree: TreeHeads,
    /// `[d_model, d_model]`
    pub output: Linear,
}

impl HierarchicalConditionalAttention {
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; tokens: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let memory = self.prepare(tokens, documents);
        self.attend(queries, query_spans, &memory, documents, None)
    }

    /// Sentence encodings with the trees over them, and tokens, projected.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`
    pub fn prepare(&self, tokens: Tensor<2>, documents: &Documents) -> TreeMemory {
        let encodings = self
            .source2token
            .forward(tokens.clone(), &documents.sentences);
        self.tree.prepare(tokens, encodings, documents)
    }

    /// [`Self::forward`] over a memory that was prepared before.
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &TreeMemory,
        documents: &Documents,
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let read = self
            .tree
            .attend(queries, query_spans, memory, documents, dropout);
        self.output.forward(read)
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
        let tokens = Tensor::<2>::random([14, 8], Distribution::Normal(0.0, 1.0), &device);
        let documents = Documents {
            sentences: vec![0..3, 3..4, 4..4, 4..9, 10..14],
            documents: vec![0..4, 4..5],
        };
        let read = |attention: &HierarchicalConditionalAttention| {
            let tokens = tokens.clone();
            attention.forward(tokens.clone(), &documents.query_spans(), tokens, &documents)
        };
        let by_node = read(&attention);
        attention.tree.rule = TraversalRule::ByCumulative;
        let difference = (by_node.clone() - read(&attention))
            .abs()
            .max()
            .into_scalar::<f32>();
        assert!(difference < 1e-6, "the rules differ by {difference}");
        let nobody = by_node.narrow(0, 9, 1).abs().max().into_scalar::<f32>();
        assert!(nobody == 0.0, "a row of no sentence gets {nobody}");
    }

    #[test]
    fn a_very_long_document_is_read_through_the_tree() {
        let device = Device::flex();
        let attention = HierarchicalConditionalAttentionConfig::new(8, 2, 2).init(&device);
        let tokens = Tensor::<2>::random([20_000, 8], Distribution::Normal(0.0, 1.0), &device);
        let documents = Documents::one((0..20_000).map(|row| row..row + 1).collect());
        let encodings = attention
            .source2token
            .forward(tokens.clone(), &documents.sentences);
        let choice = attention.tree.choose(
            tokens.clone(),
            &documents.query_spans(),
            tokens,
            encodings,
            &documents,
        );
        assert!(choice.choice.iter().all(|kept| kept.sentences.len() == 2));
        // Two nodes survive on a level, so at most four are looked at on the next one.
        let queries = choice.projected.sentence_queries.narrow(0, 0, 10);
        let traversals = attention.tree.traversals(&queries, &choice.trees[0]);
        assert!(
            traversals
                .iter()
                .all(|traversal| traversal.levels.iter().all(|level| level.len() <= 4))
        );
    }
}
