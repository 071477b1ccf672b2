//! The weights of conditional attention, and the ways down the content tree.

use burn::tensor::Tensor;

use super::conditional::ConditionalHeads;
use super::hierarchical_conditional::TreeHeads;
use super::traversal::{Traversal, Visit};
use super::tree::{DocumentTree, TreeMemory};
use crate::model::prepared::{MemoryQuery, SelectedMemory};
use crate::model::recorder::{AttentionWeights, RecordedVisits, Recording, selected};
use crate::model::sentence_selection::SelectedSentences;
use canopy_kernels::selected_attention;

impl ConditionalHeads {
    /// # Shapes
    /// - output: before its projection, `[query rows, d_v]`
    pub(super) fn attention_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let documents = query.documents;
        let projected = self.project_queries(query.rows, query.memory);
        let choice = self.choose(&projected, query.spans, documents);
        let spec = self.spec(&documents.sentences, &choice);
        let mut attention_weights = selected(&projected, &spec, keep.least);
        for (reading, kept) in attention_weights.rows.iter_mut().zip(&choice) {
            for (sentence, &score) in reading.sentences.iter_mut().zip(&kept.scores) {
                sentence.relevance = Some(score);
            }
        }
        (selected_attention(projected, &spec), attention_weights)
    }
}

impl TreeHeads {
    /// # Shapes
    /// - output: before its projection, `[query rows, d_v]`
    pub(super) fn attention_weights(
        &self,
        query: MemoryQuery<'_, TreeMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (visits, documents) = (keep.visits, query.documents);
        let (projected, ways) = self.search_trees(
            query.rows,
            query.spans,
            query.memory,
            documents,
            |tree, traversal| TraversalRecord::new(tree, &traversal, visits),
        );
        let choice: Vec<SelectedSentences> = ways.iter().map(|way| way.kept.clone()).collect();
        let spec = self.heads.spec(&documents.sentences, &choice);
        let mut attention_weights = selected(&projected, &spec, keep.least);
        for (reading, way) in attention_weights.rows.iter_mut().zip(ways) {
            let scores = way.relevance.into_iter().zip(way.kept.scores);
            for (sentence, (relevance, cumulative)) in reading.sentences.iter_mut().zip(scores) {
                sentence.relevance = Some(relevance);
                sentence.cumulative = Some(cumulative);
            }
            reading.visits = way.visits;
        }
        (selected_attention(projected, &spec), attention_weights)
    }
}

/// The part of a traversal that is kept; nothing for a row without a reader.
#[derive(Default, Clone)]
struct TraversalRecord {
    kept: SelectedSentences,
    /// Relevance of the leaves that survived.
    relevance: Vec<f32>,
    visits: Vec<(u8, Visit)>,
}

impl TraversalRecord {
    fn new(tree: &DocumentTree, traversal: &Traversal, kept: RecordedVisits) -> Self {
        let levels = (0..).zip(&traversal.levels);
        let visits = levels.flat_map(|(level, visits)| {
            let visits = visits.iter().filter(move |visit| match kept {
                RecordedVisits::All => true,
                RecordedVisits::Survivors => visit.kept,
                RecordedVisits::None => false,
            });
            visits.map(move |visit| (level, *visit))
        });
        let leaves = traversal.kept_leaves();
        Self {
            kept: tree.kept(traversal),
            relevance: leaves.map(|visit| visit.relevance).collect(),
            visits: visits.collect(),
        }
    }
}
