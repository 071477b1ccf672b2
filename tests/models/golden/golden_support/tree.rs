//! The content tree and the way down.

use burn::tensor::{Bool, Tensor, TensorData};
use canopy::model::{
    ContentTree, Merge, MultiDimSource2Token, Traversal, TraversalRule, TreeKeys, TreeSearch,
    Visit, path_sums, relevance,
};

use super::Case;

impl Case<'_> {
    /// The merge whose weights the file holds.
    pub fn merge(&self) -> Merge {
        let linear = |weight, bias| self.linear_with_bias(weight, bias);
        Merge {
            source2token: self
                .has_weight("merge.q")
                .then(|| self.source2token_layer("merge.")),
            multi_dim: self.has_weight("merge.w_1").then(|| MultiDimSource2Token {
                inner: linear("merge.w_1", "merge.b_1"),
                outer: linear("merge.w_2", "merge.b_2"),
            }),
        }
    }
}

pub fn binary_tree(case: &Case) {
    let tree = ContentTree::grow(case.input::<2>("sentences"), &case.merge());
    case.output_sizes(
        "level_sizes",
        tree.levels.iter().map(|level| level.dims()[0]),
    );
    for (level, nodes) in tree.levels.iter().enumerate() {
        case.output(&format!("level_{level}"), nodes.clone());
    }
    case.output("nodes", tree.nodes());
    case.differentiate("nodes", tree.nodes());
}

pub fn traverse_tree(case: &Case) {
    let queries = case.input::<2>("queries");
    let keys: Vec<Tensor<2>> = (0..case.size("levels"))
        .map(|level| case.input::<2>(&format!("keys_level_{level}")))
        .collect();
    let [leaves, _] = keys[0].dims();
    let search = |top_t, rule| TreeSearch {
        num_heads: 1,
        top_t,
        rule,
    };
    let search_keys = TreeKeys::from_levels(&keys);
    let sizes: Vec<usize> = keys.iter().map(|level| level.dims()[0]).collect();

    // Whoever keeps every node sees the relevance of every node.
    let everything =
        search(leaves, TraversalRule::ByNode)
            .traverse(&queries, &search_keys, |traversal| traversal);
    for (level, &size) in sizes.iter().enumerate() {
        let relevance = dense(&everything, level, size, |visit| visit.relevance);
        case.output_numbers(&format!("relevance_level_{level}"), relevance);
    }
    case.output_numbers(
        "path_sums",
        dense(&everything, 0, leaves, |visit| visit.cumulative),
    );

    for (name, rule) in [
        ("by_node", TraversalRule::ByNode),
        ("by_cumulative", TraversalRule::ByCumulative),
    ] {
        let traversals =
            search(case.size("t"), rule).traverse(&queries, &search_keys, |traversal| traversal);
        for (level, &size) in sizes.iter().enumerate() {
            let kept = dense(&traversals, level, size, |visit| {
                f32::from(u8::from(visit.kept))
            });
            case.output_numbers(&format!("{name}_kept_level_{level}"), kept);
        }
        // What the layers attend with: the relevance of the sums of keys on the paths to the kept leaves.
        let scores = relevance(queries.clone(), path_sums(&keys), 1).squeeze_dim::<2>(0);
        let dropped = dense(&traversals, 0, leaves, |visit| {
            f32::from(u8::from(visit.kept))
        });
        let dropped: Vec<bool> = dropped.into_iter().map(|kept| kept == 0.0).collect();
        let dropped =
            Tensor::<2, Bool>::from_data(TensorData::new(dropped, scores.dims()), case.device());
        let scores = scores.mask_fill(dropped, f32::NEG_INFINITY);
        case.output(name, scores.clone());
        if rule == TraversalRule::ByNode {
            case.differentiate(name, scores);
        }
    }
}

/// `[queries, size]` numbers of a level, 0 for nodes that were not visited.
fn dense(
    traversals: &[Traversal],
    level: usize,
    size: usize,
    of: impl Fn(&Visit) -> f32,
) -> Vec<f64> {
    let mut numbers = vec![0.0; traversals.len() * size];
    for (query, traversal) in traversals.iter().enumerate() {
        for visit in &traversal.levels[level] {
            numbers[query * size + visit.node] = f64::from(of(visit));
        }
    }
    numbers
}
