//! Where in the document the context of a word is: the content tree, or the document's own.

use std::ops::Range;

use serde::Serialize;

use super::outline;
use super::query::{Attention, AttentionRole, Query};
use super::rows::{MeanRow, Rows};
use super::tree_node::{NodeState, TreeNode};
use crate::error::Result;
use crate::trace::{MapRow, Side, TraceSource, TracedTree};

/// The meaning of a node's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// One word and one head: relevance of the node, and cumulative relevance from the root down to it.
    Relevance,
    /// Several words or heads: the means of their relevance and cumulative relevance, over those that looked at a node.
    MeanRelevance,
    /// Weight of all sentences below the node; averaged over several words or heads.
    Mass,
}

/// A tree over sentences with the numbers of one query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeView {
    /// Heading of the view.
    pub title: String,
    /// The query, with layer and head.
    pub query: String,
    /// Side of the sentences.
    pub side: Side,
    /// The number that nodes are coloured by.
    pub measure: Measure,
    /// The meaning of mass: weight of one row, or the mean of several.
    pub mass: String,
    /// Number of levels, leaves included.
    pub num_levels: usize,
    /// Index of the root.
    pub root: usize,
    /// All nodes.
    pub nodes: Vec<TreeNode>,
    /// Sentences with weight, most first: number, weight, text.
    pub chosen: Vec<(usize, f32, String)>,
    /// Weight of no sentence.
    pub rest: f32,
}

impl TreeView {
    /// Describes the view for people; `name` is the queried word or sentence of a side.
    pub fn summary(&self, side: Side, name: &str) -> String {
        /// Maximum number of sentences that are named.
        const NAMED: usize = 3;
        let mut named: Vec<usize> = self.chosen.iter().map(|(it, ..)| it + 1).collect();
        named.truncate(NAMED);
        named.sort_unstable();
        let texts: Vec<String> = named.iter().map(usize::to_string).collect();
        let sentences = match texts.as_slice() {
            [] => "no sentence".to_owned(),
            [only] => format!("sentence {only}"),
            [others @ .., end] => format!("sentences {} and {end}", others.join(", ")),
        };
        let purpose = match side {
            Side::Source => "To translate",
            Side::Target => "To write",
        };
        let most = if texts.len() == self.chosen.len() {
            ""
        } else {
            " most"
        };
        let numbers = match self.measure {
            Measure::Relevance => {
                " A box has the relevance of its node and, below it, the sum from the root on. Bright branches were followed, \
                 grey ones cut."
            }
            Measure::MeanRelevance => {
                " A box has the mean relevance of its node, over words and heads that looked at it, and below it the mean of \
                 their sums from the root on. The thick line is the way that most of them went."
            }
            Measure::Mass => {
                " The number of a node is the share of attention that goes to the sentences below it."
            }
        };
        format!("{purpose} {name} the model read {sentences}{most}.{numbers}")
    }

    /// The content tree of the layer if it has one, with relevance, else document, sections, paragraphs and sentences with
    /// attention mass.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn new(source: &TraceSource, query: &Query) -> Result<Self> {
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let overview = source.overview();
        let rows = attention.query_rows(source, query);
        let mass = attention.measure(rows.len());
        let mean = Rows::new(source, &attention).mean(rows.clone())?;
        let side = attention.info(source).keys.side();
        let traversed = traversed(source, &attention, rows)?;
        let tree = traversed
            .first()
            .and_then(|row| overview.trees.get(row.tree as usize));
        let (mut nodes, root, num_levels, title) = if let Some(tree) = tree {
            let nodes = content_nodes(tree);
            let root = nodes.len() - 1;
            (nodes, root, tree.num_levels(), "Content tree")
        } else {
            let (nodes, levels) = outline::nodes(overview, side);
            (nodes, 0, levels, "Document tree")
        };
        add_mass(&mut nodes, &mean);
        let measure = match tree {
            Some(tree) => {
                add_relevance(&mut nodes, tree, &traversed);
                cut_unkept(&mut nodes);
                if query.is_single() {
                    Measure::Relevance
                } else {
                    mark_most_frequent(&mut nodes, root);
                    Measure::MeanRelevance
                }
            }
            None => Measure::Mass,
        };
        if measure == Measure::Mass {
            for node in nodes.iter_mut().filter(|node| node.mass > 0.0) {
                node.state = NodeState::Kept;
            }
        }
        let mut chosen: Vec<_> = mean
            .sentences
            .iter()
            .filter(|(_, weight)| *weight > 0.0)
            .map(|&(sentence, weight)| {
                let sentence = sentence as usize;
                let text = overview.sentences(side)[sentence].plain_text();
                (sentence, weight, text)
            })
            .collect();
        chosen.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(Self {
            title: title.to_owned(),
            query: query.breadcrumb(overview, &attention),
            side,
            measure,
            mass,
            num_levels,
            root,
            nodes,
            chosen,
            rest: mean.sentence_rest,
        })
    }

    /// The number that colours a node: cumulative relevance or attention mass; `None` if it has none.
    pub fn value(&self, node: &TreeNode) -> Option<f32> {
        match self.measure {
            Measure::Relevance | Measure::MeanRelevance => node.cumulative,
            Measure::Mass => (node.mass > 0.0).then_some(node.mass),
        }
    }

    /// Least and greatest number of the nodes that were kept, the only coloured ones; a mass starts at 0.
    pub fn range(&self) -> (f32, f32) {
        let kept = self.nodes.iter();
        let kept = kept.filter(|node| node.state == NodeState::Kept);
        let values = kept.filter_map(|node| self.value(node));
        let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        match self.measure {
            Measure::Mass => (0.0, high.max(0.0)),
            Measure::Relevance | Measure::MeanRelevance => (low, high),
        }
    }

    /// Whether it is the document's own: its levels are sections, paragraphs and sentences.
    pub fn has_names(&self) -> bool {
        !self.nodes[self.root].name.is_empty()
    }

    /// The greatest number of a node and all below it, what a collapsed node shows.
    pub fn greatest_below(&self, node: usize) -> Option<f32> {
        let mut greatest: Option<f32> = None;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let node = &self.nodes[node];
            if let Some(value) = self.value(node) {
                greatest = Some(greatest.map_or(value, |greatest| greatest.max(value)));
            }
            open.extend(&node.children);
        }
        greatest
    }
}

/// Index of the first node of each level.
fn level_starts(tree: &TracedTree) -> Vec<usize> {
    let sizes = tree.level_sizes().into_iter();
    sizes
        .scan(0, |next, size| {
            *next += size;
            Some(*next - size)
        })
        .collect()
}

/// Level by level, the root last.
fn content_nodes(tree: &TracedTree) -> Vec<TreeNode> {
    let (starts, sizes) = (level_starts(tree), tree.level_sizes());
    let mut nodes = Vec::with_capacity(sizes.iter().sum());
    for (level, &size) in sizes.iter().enumerate() {
        for number in 0..size {
            let sentences = tree.sentences(level, number);
            let ends = [sentences.first(), sentences.last()];
            let [first, last] = ends.map(|end| end.map_or(0, |&sentence| sentence as usize));
            let parent = starts.get(level + 1).map(|start| start + number / 2);
            let children = tree.children(level, number);
            nodes.push(TreeNode {
                children: match level.checked_sub(1) {
                    Some(below) => children.map(|child| starts[below] + child).collect(),
                    None => Vec::new(),
                },
                leaves: sentences.len(),
                ..TreeNode::new(parent, level, (first, last))
            });
        }
    }
    nodes
}

/// The rows of a query, over all of its heads, that went down one tree: that of the first of them.
fn traversed(
    source: &TraceSource,
    attention: &Attention,
    rows: Range<usize>,
) -> Result<Vec<MapRow>> {
    let mut found: Vec<MapRow> = Vec::new();
    for row in rows {
        for &map in &attention.maps {
            let row = source.row(map, row)?.into_owned();
            let is_same = found.first().is_none_or(|first| first.tree == row.tree);
            if !row.visits.is_empty() && is_same {
                found.push(row);
            }
        }
    }
    Ok(found)
}

/// The mean relevance of each node over the rows that looked at it, and the share of all rows that kept it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "means of f32 over words and heads"
)]
fn add_relevance(nodes: &mut [TreeNode], tree: &TracedTree, rows: &[MapRow]) {
    let starts = level_starts(tree);
    // Looked at, kept, and the sums of both numbers.
    let mut sums = vec![(0_u32, 0_u32, 0.0_f64, 0.0_f64); nodes.len()];
    for visit in rows.iter().flat_map(|row| &row.visits) {
        let sum = &mut sums[starts[usize::from(visit.level)] + visit.node as usize];
        sum.0 += 1;
        sum.1 += u32::from(visit.kept);
        sum.2 += f64::from(visit.relevance);
        sum.3 += f64::from(visit.cumulative);
    }
    for (node, (seen, kept, relevance, cumulative)) in nodes.iter_mut().zip(sums) {
        if seen == 0 {
            continue;
        }
        node.relevance = Some((relevance / f64::from(seen)) as f32);
        node.cumulative = Some((cumulative / f64::from(seen)) as f32);
        node.frequency = Some((f64::from(kept) / rows.len() as f64) as f32);
        node.state = if kept > 0 {
            NodeState::Kept
        } else {
            NodeState::Cut
        };
    }
}

/// From the root down to the child that most words and heads kept; of two equally many, to the more relevant one.
fn mark_most_frequent(nodes: &mut [TreeNode], root: usize) {
    let mut here = Some(root).filter(|&root| nodes[root].state == NodeState::Kept);
    while let Some(node) = here {
        nodes[node].most_frequent = true;
        let rank = |child: usize| {
            let TreeNode {
                frequency,
                cumulative,
                ..
            } = nodes[child];
            (
                frequency.unwrap_or_default(),
                cumulative.unwrap_or(f32::NEG_INFINITY),
            )
        };
        let kept = nodes[node].children.iter().copied();
        let kept = kept.filter(|&child| nodes[child].state == NodeState::Kept);
        here = kept.max_by(|&one, &other| {
            let (one, other) = (rank(one), rank(other));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
    }
}

/// Below a node that was kept both children were looked at, even where the trace of a long document has only those that were
/// kept.
fn cut_unkept(nodes: &mut [TreeNode]) {
    for node in 0..nodes.len() {
        let is_cut = nodes[node].state == NodeState::Unseen
            && nodes[node]
                .parent
                .is_some_and(|parent| nodes[parent].state == NodeState::Kept);
        if is_cut {
            nodes[node].state = NodeState::Cut;
        }
    }
}

/// Gives leaves the weight of their sentence, and nodes that of their leaves. A sentence that was read in parts has its
/// weight divided among them.
fn add_mass(nodes: &mut [TreeNode], mean: &MeanRow) {
    let weight = |sentence: usize| {
        let place = mean
            .sentences
            .binary_search_by_key(&sentence, |&(number, _)| number as usize);
        place.map_or(0.0, |place| mean.sentences[place].1)
    };
    let leaves: Vec<(usize, usize)> = (0..nodes.len())
        .filter(|&node| nodes[node].children.is_empty() && nodes[node].level == 0)
        .map(|node| (nodes[node].span.0, node))
        .collect();
    for parts in leaves.chunk_by(|a, b| a.0 == b.0) {
        let weight = weight(parts[0].0);
        if weight <= 0.0 {
            continue;
        }
        let share = weight / parts.len() as f32;
        for &(_, leaf) in parts {
            nodes[leaf].chosen = true;
            let mut here = Some(leaf);
            while let Some(node) = here {
                nodes[node].mass += share;
                here = nodes[node].parent;
            }
        }
    }
}
