//! Nodes of the trees that are shown.

use serde::Serialize;

/// The fate of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Among the top T of its level, or with weight.
    Kept,
    /// Looked at, and cut with all below it.
    Cut,
    /// Never looked at, or without weight.
    Unseen,
}

/// A node with its numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeNode {
    /// Index of its parent; none of the root.
    pub parent: Option<usize>,
    /// In reading order; nodes of the view of the tree.
    pub children: Vec<usize>,
    /// 0 for leaves.
    pub level: usize,
    /// First and last sentence below.
    pub span: (usize, usize),
    /// Number of leaves below, or 1.
    pub leaves: usize,
    /// In a content tree: of one word and one head, or the mean of those that looked at the node.
    pub relevance: Option<f32>,
    /// In a content tree: sum of the relevance from the root down to this node.
    pub cumulative: Option<f32>,
    /// In a content tree: share of the words and heads that kept the node, 0 to 1.
    pub frequency: Option<f32>,
    /// Whether most words and heads came this way: from the root down to the child that most of them kept.
    pub most_frequent: bool,
    /// Weight of the sentences below, 0 to 1.
    pub mass: f32,
    /// Whether the query looked at the node and kept it.
    pub state: NodeState,
    /// A leaf whose sentence was attended to.
    pub chosen: bool,
    /// Heading of a section; else empty.
    pub name: String,
}

impl TreeNode {
    pub(super) fn new(parent: Option<usize>, level: usize, span: (usize, usize)) -> Self {
        Self {
            parent,
            children: Vec::new(),
            level,
            span,
            leaves: 1,
            relevance: None,
            cumulative: None,
            frequency: None,
            most_frequent: false,
            mass: 0.0,
            state: NodeState::Unseen,
            chosen: false,
            name: String::new(),
        }
    }
}
