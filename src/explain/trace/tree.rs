//! The content tree that a traversal went down, without its numbers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A binary tree over sentences: node `i` of a level has parent `i / 2` in the level above, and an odd last node is copied
/// up. Level 0 holds the leaves, the last level the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedTree {
    /// Sentence of every leaf, ascending; sentences without words are no leaves, and one that was read in parts has a leaf
    /// for each of them.
    pub leaves: Vec<u32>,
}

impl TracedTree {
    /// Number of levels, the leaves' one among them.
    pub fn num_levels(&self) -> usize {
        self.level_sizes().len()
    }

    /// Number of nodes on each level, the leaves first.
    pub fn level_sizes(&self) -> Vec<usize> {
        let halves = |&size: &usize| (size > 1).then(|| size.div_ceil(2));
        std::iter::successors(Some(self.leaves.len()), halves).collect()
    }

    /// Leaves below a node.
    pub fn span(&self, level: usize, node: usize) -> Range<usize> {
        let end = self.leaves.len();
        let leaf = |node: usize| {
            let shift = u32::try_from(level).unwrap_or(u32::MAX);
            node.checked_mul(1_usize.checked_shl(shift).unwrap_or(usize::MAX))
                .map_or(end, |leaf| leaf.min(end))
        };
        leaf(node)..leaf(node.saturating_add(1))
    }

    /// Sentences below a node.
    pub fn sentences(&self, level: usize, node: usize) -> &[u32] {
        &self.leaves[self.span(level, node)]
    }

    /// Nodes of the level below that were merged into this one; none below a leaf.
    pub fn children(&self, level: usize, node: usize) -> Range<usize> {
        let Some(below) = level.checked_sub(1) else {
            return 0..0;
        };
        let end = self.level_sizes().get(below).copied().unwrap_or(0);
        let child = |node: usize| node.saturating_mul(2).min(end);
        child(node)..child(node.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eleven() -> TracedTree {
        TracedTree {
            leaves: (0..11).map(|leaf| 2 * leaf).collect(),
        }
    }

    #[test]
    fn spans_of_eleven_leaves_are_those_of_the_golden_tree() {
        let tree = eleven();
        assert_eq!(tree.level_sizes(), [11, 6, 3, 2, 1]);
        assert_eq!(tree.span(0, 10), 10..11);
        assert_eq!(tree.span(1, 5), 10..11);
        assert_eq!(tree.span(2, 1), 4..8);
        assert_eq!(tree.span(2, 2), 8..11);
        assert_eq!(tree.span(3, 1), 8..11);
        assert_eq!(tree.span(4, 0), 0..11);
        assert_eq!(tree.sentences(2, 2), [16, 18, 20]);
        assert_eq!(tree.span(200, 1), 11..11);
    }

    #[test]
    fn children_share_the_span_of_their_parent() {
        let tree = eleven();
        for (level, &size) in tree.level_sizes().iter().enumerate().skip(1) {
            for node in 0..size {
                let below: Vec<usize> = tree
                    .children(level, node)
                    .flat_map(|child| tree.span(level - 1, child))
                    .collect();
                assert_eq!(below, tree.span(level, node).collect::<Vec<_>>());
            }
        }
        assert!(tree.children(0, 3).is_empty());
        assert_eq!(tree.children(1, 5), 10..11);
    }
}
