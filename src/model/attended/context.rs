//! What the attention to a document read, whichever mechanism it is.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::choice::Kept;
use super::super::conditional::ConditionalHeads;
use super::super::context_attention::{
    ContextAttention, ContextSublayer, GatedContext, LayeredContext, Memory,
};
use super::super::documents::Documents;
use super::super::flat::FlatAttention;
use super::super::hierarchical::SentenceAttention;
use super::super::hierarchical_conditional::{DocumentTree, TreeHeads, TreeMemory};
use super::super::prepared::{PreparedMemory, ProjectedMemory, SelectedMemory, VisibleMemory};
use super::super::readers::Reader;
use super::super::selective::SelectiveAttention;
use super::super::source2token::Source2Token;
use super::super::traversal::{Traversal, Visit};
use super::reading::{Keep, KeptVisits, Reading, Readings, SentenceReading, number};
use super::{Attended, AttendedKind};
use crate::kernels::{
    DropoutSource, Projected, Segment, SelectedAttention, SelectedWeights, WordNormaliser,
    each_selected, selected_attention,
};

impl ContextAttention {
    /// [`Self::attend`] and what it attends to; rows and sentences have their numbers in the memory.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn readings(
        &self,
        queries: Tensor<2>,
        readers: &[Reader],
        memory: &PreparedMemory,
        keep: &Keep,
    ) -> (Tensor<2>, Readings) {
        use ProjectedMemory as P;
        let documents = &memory.documents;
        // What is chosen among sentences is chosen once for both.
        match (self, &memory.projected) {
            (Self::Conditional(attention), P::Selected(memory)) => {
                let heads = &attention.heads;
                let (read, readings) = heads.readings(queries, readers, memory, documents, keep);
                return (attention.output.forward(read), readings);
            }
            (Self::Tree(attention), P::Tree(memory)) => {
                let heads = &attention.tree;
                let (read, readings) = heads.readings(queries, readers, memory, documents, keep);
                return (attention.output.forward(read), readings);
            }
            (Self::Selective(attention), P::Selected(memory)) => {
                let (read, readings) =
                    attention.readings(queries, readers, memory, documents, keep);
                return (attention.output.forward(read), readings);
            }
            _ => {}
        }
        let read = self.attend(queries.clone(), readers, memory);
        let readings = match (self, &memory.projected) {
            (
                Self::Sentences(SentenceAttention { attention, .. })
                | Self::Flat(FlatAttention { attention, .. }),
                P::Visible(memory),
            ) => visible_readings(attention, queries, readers, memory, keep),
            (Self::Previous(attention), P::Words(memory)) => {
                let segments = readers.iter().map(|reader| Segment {
                    queries: reader.rows.clone(),
                    keys: documents.sentences[reader.sentence].clone(),
                });
                let segments: Arc<[Segment]> = segments.collect();
                attention.readings_of(queries, &memory.keys, &segments, keep)
            }
            _ => unreachable!("an attention reads what it prepared"),
        };
        (read, readings)
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
    fn attend_telling(
        &self,
        queries: &Tensor<2>,
        readers: &[Reader],
        memory: &Memory,
        (kind, layer): (AttendedKind, usize),
        attended: &mut Attended,
    ) -> Tensor<2> {
        let prepared = self.prepare(memory);
        if let (AttendedKind::Context, Some(encoder)) = (kind, self.source2token()) {
            attended.add(AttendedKind::SentenceEncoding, layer, |keep| {
                encoder.readings(memory.values.clone(), &memory.documents.sentences, keep)
            });
        }
        if let (true, Self::Tree(_)) = (attended.is_on(), self) {
            attended.leaves = memory.documents.spoken().collect();
        }
        let mut read = None;
        attended.add(kind, layer, |keep| {
            let (output, readings) = self.readings(queries.clone(), readers, &prepared, keep);
            read = Some(output);
            readings
        });
        read.unwrap_or_else(|| self.attend(queries.clone(), readers, &prepared))
    }
}

impl ContextSublayer {
    /// What is read, which is added, with the gate if there is one.
    pub(in super::super) fn attend(
        &self,
        x: &Tensor<2>,
        readers: &[Reader],
        memory: &Memory,
        place: (AttendedKind, usize),
        attended: &mut Attended,
    ) -> Tensor<2> {
        let attention = &self.attention;
        let read = attention.attend_telling(x, readers, memory, place, attended);
        if let Some(gate) = &self.gate {
            attended.add_gate(place, || gate.gate(x.clone(), read.clone()));
        }
        read
    }
}

impl GatedContext {
    /// [`Self::forward`] without dropout; adds what is read, and the gate.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    pub(in super::super) fn attend_telling(
        &self,
        own: &Tensor<2>,
        queries: &Tensor<2>,
        readers: &[Reader],
        memory: &Memory,
        place: (AttendedKind, usize),
        attended: &mut Attended,
    ) -> Tensor<2> {
        let none = DropoutSource::none();
        let (gate, context) = match self {
            Self::Layer(LayeredContext { attention, layer }) => {
                let read = attention.attend_telling(queries, readers, memory, place, attended);
                (&layer.gate, layer.context(read, &none))
            }
            Self::Han(han) => {
                let (words, documents) = (&memory.values, &memory.documents);
                let summaries = han.summaries(own.clone(), readers, words.clone(), documents);
                attended.add(place.0, place.1, |keep| {
                    han.readings(own, &summaries, readers, words, documents, keep)
                });
                let context = han.context(own.clone(), summaries, readers, documents, &none);
                (&han.gate, context)
            }
        };
        attended.add_gate(place, || gate.gate(own.clone(), context.clone()));
        gate.forward(own.clone(), context)
    }
}

/// Keys are words or sentences, as the memory names them.
fn visible_readings(
    attention: &MultiHeadAttention,
    queries: Tensor<2>,
    readers: &[Reader],
    memory: &VisibleMemory,
    keep: &Keep,
) -> Readings {
    let segments = memory.visible.segments(readers);
    let mut readings = attention.readings_of(queries, &memory.keys, &segments, keep);
    readings.rename(|key| Some(number(memory.visible.keys[key])));
    for reading in &mut readings.rows {
        // All but a sentence's own are one run that may begin after it.
        reading.keys.sort_unstable_by_key(|&(key, _)| key);
    }
    readings
}

impl ConditionalHeads {
    /// # Shapes
    /// - queries: `[query rows, d_model]`; output: before its projection, `[query rows, d_v]`
    fn readings(
        &self,
        queries: Tensor<2>,
        readers: &[Reader],
        memory: &SelectedMemory,
        documents: &Documents,
        keep: &Keep,
    ) -> (Tensor<2>, Readings) {
        let projected = self.ask(queries, memory);
        let choice = self.choose(&projected, readers, documents);
        let spec = self.spec(&documents.sentences, &choice);
        let mut readings = selected(&projected, &spec, keep.least);
        for (reading, kept) in readings.rows.iter_mut().zip(&choice) {
            for (sentence, &score) in reading.sentences.iter_mut().zip(&kept.scores) {
                sentence.relevance = Some(score);
            }
        }
        (selected_attention(projected, &spec), readings)
    }
}

impl TreeHeads {
    /// # Shapes
    /// - queries: `[query rows, d_model]`; output: before its projection, `[query rows, d_v]`
    fn readings(
        &self,
        queries: Tensor<2>,
        readers: &[Reader],
        memory: &TreeMemory,
        documents: &Documents,
        keep: &Keep,
    ) -> (Tensor<2>, Readings) {
        let visits = keep.visits;
        let (projected, ways) =
            self.search_trees(queries, readers, memory, documents, |tree, traversal| {
                Way::of(tree, &traversal, visits)
            });
        let choice: Vec<Kept> = ways.iter().map(|way| way.kept.clone()).collect();
        let spec = self.heads.spec(&documents.sentences, &choice);
        let mut readings = selected(&projected, &spec, keep.least);
        for (reading, way) in readings.rows.iter_mut().zip(ways) {
            let scores = way.relevance.into_iter().zip(way.kept.scores);
            for (sentence, (relevance, cumulative)) in reading.sentences.iter_mut().zip(scores) {
                sentence.relevance = Some(relevance);
                sentence.cumulative = Some(cumulative);
            }
            reading.visits = way.visits;
        }
        (selected_attention(projected, &spec), readings)
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
    fn of(tree: &DocumentTree, traversal: &Traversal, kept: KeptVisits) -> Self {
        let levels = (0..).zip(&traversal.levels);
        let visits = levels.flat_map(|(level, visits)| {
            let visits = visits.iter().filter(move |visit| match kept {
                KeptVisits::All => true,
                KeptVisits::Survivors => visit.kept,
                KeptVisits::None => false,
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
    fn readings(
        &self,
        queries: Tensor<2>,
        readers: &[Reader],
        memory: &SelectedMemory,
        documents: &Documents,
        keep: &Keep,
    ) -> (Tensor<2>, Readings) {
        let projected = self.ask(queries, memory);
        let choice = self.choose(&projected, readers, documents);
        let least = match self.words {
            WordNormaliser::Softmax => keep.least,
            WordNormaliser::Sparsemax => 0.0,
        };
        let spec = self.spec(&documents.sentences, &choice);
        let readings = selected(&projected, &spec, least);
        (selected_attention(projected, &spec), readings)
    }
}

/// Weights of the words of chosen sentences, with those of the sentences.
fn selected(projected: &Projected, spec: &SelectedAttention, least: f32) -> Readings {
    let rows = each_selected(projected, spec, |list, weights| {
        let SelectedWeights { sentences, words } = weights;
        let chosen = &spec.chosen[list];
        let rows = chosen
            .iter()
            .flat_map(|&sentence| spec.sentences[sentence].clone());
        let sentences = chosen.iter().zip(sentences);
        let sentences = sentences.map(|(&sentence, weight)| SentenceReading {
            sentence,
            weight,
            relevance: None,
            cumulative: None,
        });
        Reading {
            sentences: sentences.collect(),
            ..Reading::new(rows.zip(words), least)
        }
    });
    Readings {
        num_heads: spec.num_heads,
        rows,
    }
}
