//! Where nodes of a tree are: what is drawn without children is evenly spaced, parents are above the middle of theirs.
//!
//! A width holds a number of slots. Nodes are opened from the root down, those with a number first, until the slots are used
//! up; what stays closed stands for all sentences below it, and neighbours without a number stand for their siblings. So
//! the way to the chosen sentences is open in any width that has room for it, and a drawing that is wide enough shows the
//! rest too: to zoom is to lay out on a larger width, to pan is to move it.

use std::collections::BinaryHeap;

use super::tree::{Measure, TreeView};
use super::tree_node::{NodeState, TreeNode};

/// A node, or several siblings drawn as one, and its centre in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedNode {
    /// The first one.
    pub node: usize,
    /// How many of its siblings after it are drawn with it.
    pub more: usize,
    /// Whether it has children that are not drawn.
    pub collapsed: bool,
    /// First and last sentence that it stands for.
    pub span: (usize, usize),
    /// The greatest number of what it stands for.
    pub greatest: Option<f32>,
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// Place of its parent in [`TreeLayout::placed`].
    pub parent: Option<usize>,
}

/// A tree on an area.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeLayout {
    /// Parents before their children, in reading order.
    pub placed: Vec<PlacedNode>,
    /// Between neighbours without children.
    pub slot: f64,
}

/// The part of a node's children that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    No,
    /// Runs of children without a number are drawn as one.
    Merged,
    Fully,
}

impl TreeView {
    /// Lays the tree out on `width` × `height` pixels, a slot at least `slot` pixels wide.
    pub fn layout(&self, (width, height): (f64, f64), slot: f64) -> TreeLayout {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates: no width is 1 slot"
        )]
        let slots = (width / slot).max(1.0) as usize;
        let opened = self.open(slots);
        let mut placed = self.place(&opened);
        let is_parent = |placed: &[PlacedNode]| {
            let mut is_parent = vec![false; placed.len()];
            for parent in placed.iter().filter_map(|here| here.parent) {
                is_parent[parent] = true;
            }
            is_parent
        };
        let is_parent = is_parent(&placed);
        let tips = is_parent.iter().filter(|is_parent| !**is_parent).count();
        let (slot, row) = (
            width / tips.max(1) as f64,
            height / self.num_levels.max(1) as f64,
        );
        let top = self.nodes[self.root].level;
        let mut next = slot / 2.0;
        for (here, is_parent) in placed.iter_mut().zip(&is_parent) {
            let depth = top.saturating_sub(self.nodes[here.node].level) as f64;
            here.y = (depth + 0.5) * row;
            if !is_parent {
                here.x = next;
                next += slot;
            }
        }
        centre_parents(&mut placed);
        TreeLayout { placed, slot }
    }

    /// Which nodes show their children.
    fn open(&self, slots: usize) -> Vec<Opened> {
        let mut opened = vec![Opened::No; self.nodes.len()];
        let mut used = 1;
        // First what has numbers, then the rest, the highest levels first.
        let mut queue = BinaryHeap::from([self.rank(self.root)]);
        let mut merged = Vec::new();
        while let Some(rank) = queue.pop() {
            let children = &self.nodes[rank.node].children;
            if children.is_empty() || !self.is_relevant(rank.node) {
                continue;
            }
            let pieces = self.runs(children).count();
            if used + pieces - 1 <= slots {
                used += pieces - 1;
                opened[rank.node] = Opened::Merged;
                merged.push(rank.node);
                queue.extend(children.iter().map(|&child| self.rank(child)));
            }
        }
        // Half of the slots, so that what has numbers keeps room for them. What the model never looked at is shown as a
        // whole or not at all: parts of it would mean nothing.
        let slots = slots / 2;
        let fits = self.nodes[self.root].leaves <= slots;
        if self.measure != Measure::Mass && !fits {
            return opened;
        }
        let mut queue: BinaryHeap<Rank> = merged.iter().map(|&node| self.rank(node)).collect();
        if opened[self.root] == Opened::No {
            queue.push(self.rank(self.root));
        }
        while let Some(rank) = queue.pop() {
            let children = &self.nodes[rank.node].children;
            let now = match opened[rank.node] {
                Opened::Merged => self.runs(children).count(),
                Opened::No | Opened::Fully => 1,
            };
            if children.is_empty() || used + children.len() - now > slots {
                continue;
            }
            used += children.len() - now;
            opened[rank.node] = Opened::Fully;
            let closed = children
                .iter()
                .filter(|&&child| opened[child] == Opened::No);
            queue.extend(closed.map(|&child| self.rank(child)));
        }
        opened
    }

    /// Whether it or a node below it has weight.
    fn is_relevant(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        node.state == NodeState::Kept || node.mass > 0.0
    }

    fn rank(&self, number: usize) -> Rank {
        let node = &self.nodes[number];
        Rank {
            has_mass: node.mass > 0.0,
            level: node.level,
            leaves: node.leaves,
            node: number,
        }
    }

    /// Children that are drawn: those with a number alone, the others in runs.
    fn runs<'a>(&'a self, children: &'a [usize]) -> impl Iterator<Item = &'a [usize]> {
        let silent = |child: usize| self.nodes[child].state == NodeState::Unseen;
        children.chunk_by(move |&a, &b| silent(a) && silent(b))
    }

    /// The nodes to be drawn, before they have places.
    fn place(&self, opened: &[Opened]) -> Vec<PlacedNode> {
        let mut placed = Vec::new();
        let mut open = vec![(vec![self.root], None)];
        while let Some((nodes, parent)) = open.pop() {
            let here = placed.len();
            let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
            let children = &self.nodes[first].children;
            let runs: Vec<Vec<usize>> = match opened[first] {
                _ if nodes.len() > 1 => Vec::new(),
                Opened::No => Vec::new(),
                Opened::Merged => self.runs(children).map(<[usize]>::to_vec).collect(),
                Opened::Fully => children.iter().map(|&child| vec![child]).collect(),
            };
            let has_children = |node: &usize| !self.nodes[*node].children.is_empty();
            let collapsed = runs.is_empty() && nodes.iter().any(has_children);
            let greatest = |&node: &usize| {
                if collapsed {
                    self.greatest_below(node)
                } else {
                    self.value(&self.nodes[node])
                }
            };
            placed.push(PlacedNode {
                node: first,
                more: nodes.len() - 1,
                collapsed,
                span: (self.nodes[first].span.0, self.nodes[last].span.1),
                greatest: nodes.iter().filter_map(greatest).reduce(f32::max),
                x: 0.0,
                y: 0.0,
                parent,
            });
            // The last one pushed comes first.
            open.extend(runs.into_iter().rev().map(|run| (run, Some(here))));
        }
        placed
    }
}

fn centre_parents(placed: &mut [PlacedNode]) {
    let mut ends: Vec<Option<(f64, f64)>> = vec![None; placed.len()];
    for here in (0..placed.len()).rev() {
        if let Some((left, right)) = ends[here] {
            placed[here].x = f64::midpoint(left, right);
        }
        let x = placed[here].x;
        if let Some(parent) = placed[here].parent {
            // From the right to the left.
            let right = ends[parent].map_or(x, |(_, right)| right);
            ends[parent] = Some((x, right));
        }
    }
}

impl PlacedNode {
    /// Everything it stands for is one sentence or node.
    pub fn is_alone(&self) -> bool {
        self.more == 0 && !self.collapsed
    }

    /// Returns the node itself, the first of several.
    pub fn node<'a>(&self, tree: &'a TreeView) -> &'a TreeNode {
        &tree.nodes[self.node]
    }
}

/// The order in which nodes are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    has_mass: bool,
    level: usize,
    leaves: usize,
    node: usize,
}

#[cfg(test)]
mod tests;
