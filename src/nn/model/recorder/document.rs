//! Weights of the attentions to a document, computed beside them.

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::conditional::ConditionalHeads;
use super::super::hierarchical_conditional::TreeHeads;
use super::super::prepared::{
    DocumentTree, MemoryQuery, SelectedMemory, TreeMemory, VisibleMemory,
};
use super::super::query_spans::QuerySpan;
use super::super::selective::SelectiveAttention;
use super::super::sentence_selection::SelectedSentences;
use super::super::traversal::{Traversal, Visit};
use super::weights::{
    AttentionWeights, HeadWeights, RecordedVisits, Recording, SentenceWeights, number,
};
use canopy_kernels::{
    Projected, SelectedAttention, SelectedWeights, WordNormaliser, each_selected,
    selected_attention,
};

/// Keys are tokens or sentences, as the memory names them.
pub(in super::super) fn visible_weights(
    attention: &MultiHeadAttention,
    queries: Tensor<2>,
    query_spans: &[QuerySpan],
    memory: &VisibleMemory,
    keep: &Recording,
) -> AttentionWeights {
    let segments = memory.visible.segments(query_spans);
    let mut attention_weights = attention.weights_of(queries, &memory.keys, &segments, keep);
    attention_weights.rename(|key| Some(number(memory.visible.keys[key])));
    for reading in &mut attention_weights.rows {
        // All but a sentence's own are one run that may begin after it.
        reading.keys.sort_unstable_by_key(|&(key, _)| key);
    }
    attention_weights
}

impl ConditionalHeads {
    /// # Shapes
    /// - output: before its projection, `[query rows, d_v]`
    pub(in super::super) fn attention_weights(
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
    pub(in super::super) fn attention_weights(
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

/// The part of a traversal that is kept; nothing for a row that nobody reads for.
#[derive(Default, Clone)]
struct TraversalRecord {
    kept: SelectedSentences,
    /// Of the leaves that survived.
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

impl SelectiveAttention {
    /// Exact zeros are not there, and no weight of a sparsemax is dropped.
    ///
    /// # Shapes
    /// - output: before its projection, `[query rows, d_v]`
    pub(in super::super) fn attention_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let documents = query.documents;
        let projected = self.project_queries(query.rows, query.memory);
        let choice = self.choose(&projected, query.spans, documents);
        let least = match self.words {
            WordNormaliser::Softmax => keep.least,
            WordNormaliser::Sparsemax => 0.0,
        };
        let spec = self.spec(&documents.sentences, &choice);
        let attention_weights = selected(&projected, &spec, least);
        (selected_attention(projected, &spec), attention_weights)
    }
}

/// Weights of the tokens of chosen sentences, with those of the sentences.
fn selected(projected: &Projected, spec: &SelectedAttention, least: f32) -> AttentionWeights {
    let rows = each_selected(projected, spec, |list, weights| {
        let SelectedWeights { sentences, words } = weights;
        let chosen = &spec.chosen[list];
        let rows = chosen
            .iter()
            .flat_map(|&sentence| spec.sentences[sentence].clone());
        let sentences = chosen.iter().zip(sentences);
        let sentences = sentences.map(|(&sentence, weight)| SentenceWeights {
            sentence,
            weight,
            relevance: None,
            cumulative: None,
        });
        HeadWeights {
            sentences: sentences.collect(),
            ..HeadWeights::new(rows.zip(words), least)
        }
    });
    AttentionWeights {
        num_heads: spec.num_heads,
        rows,
    }
}
