//! The binary content tree over the sentence encodings of a document.
//!
//! Trankova et al. 2024, §3.3.1: neighbours are merged in pairs, level by level, until one node is left; the last of an
//! odd number is copied up. Node `i` of a level has parent `i / 2`.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::activation::{elu, softmax};
use burn::tensor::{Device, Tensor};

use super::traversal::TreeKeys;
use crate::model::context_config::MergeKind;
use crate::model::identity_init::parameter;
use crate::model::linear::Linear;
use crate::model::prepared::SelectedMemory;
use crate::model::rows::select_rows;
use crate::model::source2token::{Source2Token, Source2TokenConfig};

/// Sizes of a [`Merge`].
#[derive(Config, Debug)]
pub struct MergeConfig {
    /// Width of a state.
    pub d_model: usize,
    /// How two nodes become one.
    pub kind: MergeKind,
}

impl MergeConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> Merge {
        let d = self.d_model;
        Merge {
            source2token: (self.kind == MergeKind::Source2Token)
                .then(|| Source2TokenConfig::new(d, d, d).init(device)),
            multi_dim: (self.kind == MergeKind::MultiDim)
                .then(|| MultiDimSource2TokenConfig::new(d, d).init(device)),
        }
    }
}

/// Makes a level of the tree of the one below; without parts it takes the mean.
#[derive(Module, Debug)]
pub struct Merge {
    /// Attention over the two nodes, one weight a node.
    pub source2token: Option<Source2Token>,
    /// Attention over the two nodes, one weight a feature.
    pub multi_dim: Option<MultiDimSource2Token>,
}

impl Merge {
    /// # Shapes
    /// - level: `[nodes, d_model]`
    /// - output: `[nodes / 2 rounded up, d_model]`
    pub fn forward(&self, level: Tensor<2>) -> Tensor<2> {
        let [nodes, d_model] = level.dims();
        let pairs = nodes / 2;
        let paired = level.clone().narrow(0, 0, pairs * 2);
        let parents = match (&self.source2token, &self.multi_dim) {
            (Some(merge), _) => {
                let children: Vec<_> = (0..pairs).map(|pair| 2 * pair..2 * pair + 2).collect();
                merge.forward(paired, &children)
            }
            (None, Some(merge)) => merge.forward(paired),
            (None, None) => paired
                .reshape([pairs, 2, d_model])
                .mean_dim(1)
                .squeeze_dim(1),
        };
        if nodes % 2 == 0 {
            parents
        } else {
            Tensor::cat(vec![parents, level.narrow(0, nodes - 1, 1)], 0)
        }
    }
}

impl Merge {
    pub(super) fn average(&mut self) {
        if let Some(source2token) = &mut self.source2token {
            source2token.average();
        }
        if let Some(multi_dim) = &mut self.multi_dim {
            let outer = &mut multi_dim.outer;
            outer.weight = parameter(outer.weight.val().zeros_like());
            if let Some(bias) = &mut outer.bias {
                *bias = parameter(bias.val().zeros_like());
            }
        }
    }
}

/// Sizes of a [`MultiDimSource2Token`].
#[derive(Config, Debug)]
pub struct MultiDimSource2TokenConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width of the hidden layer.
    pub d_hidden: usize,
}

impl MultiDimSource2TokenConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> MultiDimSource2Token {
        MultiDimSource2Token {
            inner: Linear::new(self.d_model, self.d_hidden, device),
            outer: Linear::new(self.d_hidden, self.d_model, device),
        }
    }
}

/// Source2token with a weight for every feature: Shen et al., "DiSAN", AAAI 2018, Eq. 14-15.
#[derive(Module, Debug)]
pub struct MultiDimSource2Token {
    /// `[d_model, d_hidden]` and `[d_hidden]`
    pub inner: Linear,
    /// `[d_hidden, d_model]` and `[d_model]`
    pub outer: Linear,
}

impl MultiDimSource2Token {
    /// `Σ softmax(f(x)) ⊙ x` over the two rows of every pair, with `f(x) = elu(x W₁ + b₁) W₂ + b₂`.
    ///
    /// # Shapes
    /// - x: `[2 · pairs, d_model]`
    /// - output: `[pairs, d_model]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let [rows, d_model] = x.dims();
        let scores = self.outer.forward(elu(self.inner.forward(x.clone()), 1.0));
        let weights = softmax(scores.reshape([rows / 2, 2, d_model]), 1);
        (weights * x.reshape([rows / 2, 2, d_model]))
            .sum_dim(1)
            .squeeze_dim(1)
    }
}

/// All nodes of one document's tree.
#[derive(Debug, Clone)]
pub struct ContentTree {
    /// `[nodes, d_model]` each: the leaves first, the root last.
    pub levels: Vec<Tensor<2>>,
}

impl ContentTree {
    /// The tree over `leaves`.
    ///
    /// # Shapes
    /// - leaves: `[sentences, d_model]`
    pub fn grow(leaves: Tensor<2>, merge: &Merge) -> Self {
        assert!(leaves.dims()[0] > 0, "a tree without leaves");
        let mut levels = vec![leaves];
        while let Some(level) = levels.last()
            && level.dims()[0] > 1
        {
            let next = merge.forward(level.clone());
            levels.push(next);
        }
        Self { levels }
    }

    /// All levels, one below the other.
    ///
    /// # Shapes
    /// - output: `[nodes, d_model]`
    pub fn nodes(&self) -> Tensor<2> {
        Tensor::cat(self.levels.clone(), 0)
    }
}

/// One document's tree with the keys of its nodes.
#[derive(Debug, Clone)]
pub struct DocumentTree {
    /// The nodes.
    pub tree: ContentTree,
    /// Projected nodes of every level, `[nodes, d_k]` each.
    pub keys: Vec<Tensor<2>>,
    /// The keys in the order of the search.
    pub search_keys: TreeKeys,
    /// Sentence of every leaf: those with tokens.
    pub leaves: Vec<usize>,
}

/// Trees and tokens, as often as they are read.
#[derive(Debug, Clone)]
pub struct TreeMemory {
    /// Sentence keys are the sums on their paths.
    pub selected: SelectedMemory,
    /// One for each document; none where nothing is said.
    pub trees: Vec<Option<DocumentTree>>,
}

/// For every leaf the sum of the rows of the nodes on its path, root and leaf included.
///
/// Relevance is linear in the keys, so the relevance of a path's sum of keys is the sum of the relevance scores on it.
///
/// # Shapes
/// - levels: `[nodes, d_k]` each
/// - output: `[leaves, d_k]`
pub fn path_sums(levels: &[Tensor<2>]) -> Tensor<2> {
    let leaves = levels[0].dims()[0];
    let above = levels.iter().enumerate().skip(1).map(|(level, keys)| {
        let ancestors: Vec<usize> = (0..leaves).map(|leaf| leaf >> level).collect();
        select_rows(keys.clone(), &ancestors)
    });
    above.fold(levels[0].clone(), |sum, keys| sum + keys)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn a_merge_that_is_fine_tuned_begins_as_the_mean() {
        let device = Device::flex();
        let level = Tensor::<2>::random([4, 6], Distribution::Default, &device);
        let mean = MergeConfig::new(6, MergeKind::Average).init(&device);
        let mean = mean.forward(level.clone());
        for kind in [MergeKind::Source2Token, MergeKind::MultiDim] {
            let mut merge = MergeConfig::new(6, kind).init(&device);
            merge.average();
            let away = (merge.forward(level.clone()) - mean.clone()).abs().max();
            let away = away.into_scalar::<f32>();
            assert!(away < 1e-6, "{kind:?} is {away} from the mean");
        }
    }

    #[test]
    fn a_tree_halves_its_levels_down_to_one_root() {
        let device = Device::flex();
        for kind in [
            MergeKind::Source2Token,
            MergeKind::Average,
            MergeKind::MultiDim,
        ] {
            let merge = MergeConfig::new(6, kind).init(&device);
            for (leaves, want) in [(1, vec![1]), (2, vec![2, 1]), (11, vec![11, 6, 3, 2, 1])] {
                let sentences = Tensor::random([leaves, 6], Distribution::Default, &device);
                let tree = ContentTree::grow(sentences, &merge);
                let sizes: Vec<usize> = tree.levels.iter().map(|level| level.dims()[0]).collect();
                assert_eq!(sizes, want, "{kind:?}");
            }
        }
    }
}
