//! Where in the document the context of one sentence is, to be painted next to the document itself.

use super::query::{Attention, AttentionRole, Query};
use super::question::{Choices, Question, query_side};
use super::rows::Rows;
use super::tree::{Measure, TreeView};
use super::view_kind::ViewKind;
use crate::error::Result;
use crate::trace::TraceSource;

/// The attention that sentences of the document get from one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// The query whose attention is shown.
    pub query: Query,
    /// Such as `sentence 3 · all words · layer 2 · head 1`.
    pub shown: String,
    /// The meaning of a weight: `attention weight`, or `attention mass` if it is an average.
    pub measure: String,
    /// Number and weight of sentences, ascending by number.
    pub weights: Vec<(u32, f32)>,
    /// In a content tree, for one word and one head: number and cumulative relevance of sentences, ascending by number.
    pub cumulative: Vec<(u32, f32)>,
}

impl Margin {
    /// The margin of a document while `question` is open in the explorer and `sentence` is selected in the document:
    /// the question's word if it is of this sentence, else all of its words.
    pub fn query(source: &TraceSource, question: &Question, sentence: usize) -> Query {
        let mut query = question.query;
        let side = question.view.side(query.side);
        let has = |query: &Query| Choices::new(source, ViewKind::Context, query.side, query.layer);
        if !has(&query).sides.contains(&query.side) {
            query.side = query_side(source);
        }
        if query.sentence != sentence || query.side != side {
            query.word = None;
        }
        query.sentence = sentence;
        has(&query).fit(&mut query);
        query
    }

    /// # Errors
    /// If the trace has no attention to other sentences, no such sentence or word, or cannot be read.
    pub fn new(source: &TraceSource, query: &Query) -> Result<Self> {
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let rows = attention.query_rows(source, query);
        let measure = attention.measure(rows.len());
        let cumulative = if query.is_single() {
            cumulative(&TreeView::new(source, query)?)
        } else {
            Vec::new()
        };
        let mut weights = Rows::new(source, &attention).mean(rows)?.sentences;
        weights.retain(|(_, weight)| *weight > 0.0);
        Ok(Self {
            query: *query,
            shown: query.breadcrumb(source.overview(), &attention),
            measure,
            weights,
            cumulative,
        })
    }
}

fn cumulative(tree: &TreeView) -> Vec<(u32, f32)> {
    if tree.measure != Measure::Relevance {
        return Vec::new();
    }
    let leaves = tree.nodes.iter().filter(|node| node.children.is_empty());
    let found = leaves.filter_map(|leaf| {
        let sentence = u32::try_from(leaf.span.0).ok()?;
        Some((sentence, leaf.cumulative?))
    });
    let mut found: Vec<(u32, f32)> = found.collect();
    found.sort_by_key(|&(sentence, _)| sentence);
    found
}
