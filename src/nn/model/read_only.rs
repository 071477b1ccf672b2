//! Documents in which some sentences are read and not translated: of these only what others read is computed.
//!
//! A document of ten sentences that are context and one that is learnt need not go through the encoder as a whole, nor back:
//! where the others' states come from the sentence-level model that training began with, they are computed by that one alone,
//! without gradients; where the encoder reads the sentences before in one sequence, those of the translated ones are encoded.

use std::ops::Range;

use burn::tensor::Tensor;

use super::documents::Documents;
use super::encoder::{Encoder, EncoderOutput};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::query_spans::QuerySpan;
use super::recorder::AttentionRecorder;
use super::transformer::Transformer;
use canopy_kernels::DropoutSource;

impl Transformer {
    /// [`Self::encode`] for some of the sentences alone, ascending; none if their states cannot be had without all others'.
    ///
    /// # Shapes
    /// - memory: `[rows, d_model]`, what tokens read of all sentences; none if nothing is read at the end of the encoder
    pub(super) fn encode_only(
        &self,
        source: &PackedBatch,
        translated: &[usize],
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
    ) -> Option<EncoderOutput> {
        // A decoder that reads the document reads the states of all its sentences.
        let mut layers = self.decoder.layers.iter();
        let decoder_reads = layers.any(|layer| layer.context.is_some());
        if decoder_reads || self.flat.is_some() || self.bert.is_some() || self.reserve.is_some() {
            return None;
        }
        if self.concatenated > 0 {
            return Some(self.encode_joined(source, translated, drop));
        }
        if !self.encoder.reads_at_end(memory.is_some()) {
            return None;
        }
        let own = source.part(translated.iter().copied());
        let embedded = self.embedding.forward(&own, drop);
        Some(
            self.encoder
                .read_memory_of_all(embedded, &own, (source, translated), memory, drop),
        )
    }

    /// Encodes with an encoder that reads the sentences before in one sequence.
    fn encode_joined(
        &self,
        source: &PackedBatch,
        translated: &[usize],
        drop: &DropoutSource,
    ) -> EncoderOutput {
        let sentence_break = self.tokens.sentence_break();
        let (joined, own) = source.concatenated_only(self.concatenated, sentence_break, translated);
        let embedded = self.embedding.forward(&joined, drop);
        let encoded = self.encoder.forward(embedded, &joined, None, drop);
        let documents = placed(source, translated, &own);
        EncoderOutput {
            sentences: own,
            numbers: translated.to_vec(),
            documents,
            ..encoded
        }
    }
}

impl Encoder {
    /// Whether a sentence reads others at most after the last layer, and no states but a memory's.
    fn reads_at_end(&self, has_memory: bool) -> bool {
        let reads_inside = !self.contexts.is_empty() || !self.fusions.is_empty();
        !reads_inside && self.previous.is_none() && self.gated.is_some() == has_memory
    }

    /// States of some sentences that read a memory of all.
    fn read_memory_of_all(
        &self,
        embedded: Tensor<2>,
        own: &PackedBatch,
        (source, translated): (&PackedBatch, &[usize]),
        memory: Option<Tensor<2>>,
        drop: &DropoutSource,
    ) -> EncoderOutput {
        let states = self.layers(embedded, own, None, drop, &mut AttentionRecorder::off());
        let states = match (&self.gated, memory) {
            (Some(gated), Some(memory)) => {
                let rows = own.sentences.iter().cloned();
                let spans = rows
                    .zip(translated)
                    .map(|(rows, &sentence)| QuerySpan { rows, sentence });
                let spans: Vec<QuerySpan> = spans.collect();
                let read = source.layout().without_ends(&source.ids, self.unread_end);
                let memory = Memory::from_states(memory, read);
                gated.forward(states.clone(), states, &spans, &memory, drop)
            }
            _ => states,
        };
        EncoderOutput {
            numbers: translated.to_vec(),
            documents: placed(source, translated, &own.sentences),
            ..EncoderOutput::new(states, own)
        }
    }
}

/// The documents of `source`, with the rows of the present sentences; the others are empty.
fn placed(source: &PackedBatch, translated: &[usize], rows: &[Range<usize>]) -> Documents {
    let mut sentences = Vec::with_capacity(source.sentences.len());
    let mut there = translated.iter().zip(rows).peekable();
    let mut end = 0;
    for sentence in 0..source.sentences.len() {
        let own = there.next_if(|(number, _)| **number == sentence);
        let own = own.map_or(end..end, |(_, rows)| rows.clone());
        end = own.end;
        sentences.push(own);
    }
    Documents {
        sentences,
        documents: source.documents.clone(),
    }
}
