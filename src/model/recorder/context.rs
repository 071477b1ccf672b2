//! What the attention to a document read, whichever mechanism it is.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::choice::Kept;
use super::super::conditional::ConditionalHeads;
use super::super::context_attention::{
    ContextAttention, ContextSublayer, GatedContext, LayeredContext,
};
use super::super::documents::Documents;
use super::super::flat::FlatAttention;
use super::super::hierarchical::SentenceAttention;
use super::super::hierarchical_conditional::TreeHeads;
use super::super::prepared::{
    DocumentTree, Memory, PreparedMemory, ProjectedMemory, SelectedMemory, TreeMemory,
    VisibleMemory,
};
use super::super::query_spans::QuerySpan;
use super::super::selective::SelectiveAttention;
use super::super::source2token::Source2Token;
use super::super::traversal::{Traversal, Visit};
use super::reading::{
    AttentionWeights, HeadWeights, RecordedVisits, Recording, SentenceWeights, number,
};
use super::{AttentionKind, AttentionRecorder};
use crate::kernels::{
    DropoutSource, Projected, Segment, SelectedAttention, SelectedWeights, WordNormaliser,
    each_selected, selected_attention,
};

impl ContextAttention {
    /// [`Self::attend`] and what it attends to; rows and sentences have their numbers in the memory.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn attention_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &PreparedMemory,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        use ProjectedMemory as P;
        let documents = &memory.documents;
        // What is chosen among sentences is chosen once for both.
        match (self, &memory.projected) {
            (Self::Conditional(attention), P::Selected(memory)) => {
                let heads = &attention.heads;
                let (read, attention_weights) =
                    heads.attention_weights(queries, query_spans, memory, documents, keep);
                return (attention.output.forward(read), attention_weights);
            }
            (Self::Tree(attention), P::Tree(memory)) => {
                let heads = &attention.tree;
                let (read, attention_weights) =
                    heads.attention_weights(queries, query_spans, memory, documents, keep);
                return (attention.output.forward(read), attention_weights);
            }
            (Self::Selective(attention), P::Selected(memory)) => {
                let (read, attention_weights) =
                    attention.attention_weights(queries, query_spans, memory, documents, keep);
                return (attention.output.forward(read), attention_weights);
            }
            _ => {}
        }
        let read = self.attend(queries.clone(), query_spans, memory);
        let attention_weights = match (self, &memory.projected) {
            (
                Self::Sentences(SentenceAttention { attention, .. })
                | Self::Flat(FlatAttention { attention, .. }),
                P::Visible(memory),
            ) => visible_weights(attention, queries, query_spans, memory, keep),
            (Self::Previous(attention), P::Words(memory)) => {
                let segments = query_spans.iter().map(|span| Segment {
                    queries: span.rows.clone(),
                    keys: documents.sentences[span.sentence].clone(),
                });
                let segments: Arc<[Segment]> = segments.collect();
                attention.weights_of(queries, &memory.keys, &segments, keep)
            }
            _ => unreachable!("an attention reads what it prepared"),
        };
        (read, attention_weights)
    }

    /// What encodes sentences for it.
    pub fn source2token(&self) -> Option<&Source2Token> {
        match self {
            Self::Sentences(attention) => Some(&attention.source2token),
            Self::Conditional(attention) => Some(&attention.source2token),
            Self::Tree(attention) => Some(&attention.source2token),
            Self::Selective(_) | Self::Flat(_) | Self::Previous(_) => None,
        }
    }

    /// What is read of `memory`, which is added, as is what the encodings of its sentences are made of where it is the
    /// source.
    fn attend_recorded(
        &self,
        queries: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        (kind, layer): (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let prepared = self.prepare(memory);
        if let (AttentionKind::Context, Some(encoder)) = (kind, self.source2token()) {
            recorder.add(AttentionKind::SentenceEncoding, layer, |keep| {
                encoder.attention_weights(memory.values.clone(), &memory.documents.sentences, keep)
            });
        }
        if let (true, Self::Tree(_)) = (recorder.is_on(), self) {
            recorder.leaves = memory.documents.non_empty().collect();
        }
        let mut read = None;
        recorder.add(kind, layer, |keep| {
            let (output, attention_weights) =
                self.attention_weights(queries.clone(), query_spans, &prepared, keep);
            read = Some(output);
            attention_weights
        });
        read.unwrap_or_else(|| self.attend(queries.clone(), query_spans, &prepared))
    }
}

impl ContextSublayer {
    /// What is read, which is added, with the gate if there is one.
    pub(in super::super) fn attend(
        &self,
        x: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let attention = &self.attention;
        let read = attention.attend_recorded(x, query_spans, memory, position, recorder);
        if let Some(gate) = &self.gate {
            recorder.add_gate(position, || gate.gate(x.clone(), read.clone()));
        }
        read
    }
}

impl GatedContext {
    /// [`Self::forward`] without dropout; adds what is read, and the gate.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub(in super::super) fn attend_recorded(
        &self,
        own: &Tensor<2>,
        queries: &Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &Memory,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2> {
        let none = DropoutSource::none();
        let (gate, context) = match self {
            Self::Layer(LayeredContext { attention, layer }) => {
                let read =
                    attention.attend_recorded(queries, query_spans, memory, position, recorder);
                (&layer.gate, layer.context(read, &none))
            }
            Self::Han(han) => {
                let (words, documents) = (&memory.values, &memory.documents);
                let summaries = han.summaries(own.clone(), query_spans, words.clone(), documents);
                recorder.add(position.0, position.1, |keep| {
                    han.attention_weights(own, &summaries, query_spans, words, documents, keep)
                });
                let context = han.context(own.clone(), summaries, query_spans, documents, &none);
                (&han.gate, context)
            }
        };
        recorder.add_gate(position, || gate.gate(own.clone(), context.clone()));
        gate.forward(own.clone(), context)
    }
}

/// Keys are words or sentences, as the memory names them.
fn visible_weights(
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
    /// - queries: `[query rows, d_model]`; output: before its projection, `[query rows, d_v]`
    fn attention_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &SelectedMemory,
        documents: &Documents,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let projected = self.ask(queries, memory);
        let choice = self.choose(&projected, query_spans, documents);
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
    /// - queries: `[query rows, d_model]`; output: before its projection, `[query rows, d_v]`
    fn attention_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &TreeMemory,
        documents: &Documents,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let visits = keep.visits;
        let (projected, ways) = self.search_trees(
            queries,
            query_spans,
            memory,
            documents,
            |tree, traversal| Way::of(tree, &traversal, visits),
        );
        let choice: Vec<Kept> = ways.iter().map(|way| way.kept.clone()).collect();
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

/// What is kept of a traversal; nothing for a row that nobody reads for.
#[derive(Default, Clone)]
struct Way {
    kept: Kept,
    /// Of the leaves that survived.
    relevance: Vec<f32>,
    visits: Vec<(u8, Visit)>,
}

impl Way {
    fn of(tree: &DocumentTree, traversal: &Traversal, kept: RecordedVisits) -> Self {
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
    /// - queries: `[query rows, d_model]`; output: before its projection, `[query rows, d_v]`
    fn attention_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &SelectedMemory,
        documents: &Documents,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let projected = self.ask(queries, memory);
        let choice = self.choose(&projected, query_spans, documents);
        let least = match self.words {
            WordNormaliser::Softmax => keep.least,
            WordNormaliser::Sparsemax => 0.0,
        };
        let spec = self.spec(&documents.sentences, &choice);
        let attention_weights = selected(&projected, &spec, least);
        (selected_attention(projected, &spec), attention_weights)
    }
}

/// Weights of the words of chosen sentences, with those of the sentences.
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
