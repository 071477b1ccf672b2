//! Selective attention to translations after a packed decoder, as [`SelectiveAttention`] and [`ContextLayer`] over tensors.

use std::sync::Arc;

use super::layer::SelectiveAttention;
use crate::model::context::ContextLayer;
use crate::model::context_config::Reach;
use crate::model::documents::Documents;
use crate::model::packed::{
    Buffers, Pack, PackedContext, PackedFeedForward, PackedGate, Packing, SharedTranslations,
    shared_words,
};
use crate::model::prepared::Memory;
use crate::model::query_spans::QuerySpan;
use canopy_kernels::WordNormaliser;
use canopy_kernels::packed::{
    Columns, PackedMatrix, Readers, RowNorm, Scratch, SelectedRows, SharedRows, Table,
};

/// Packs the attention with the layer that follows it.
pub(super) fn pack<'a>(attention: &'a SelectiveAttention, layer: &'a ContextLayer) -> Pack<'a> {
    Box::new(move |packing| Arc::new(PackedSelective::new(attention, layer, packing)))
}

#[derive(Debug, Clone)]
struct PackedSelective {
    /// To the queries of words and of sentences, `[d_model, 2 · d_model]`.
    queries: PackedMatrix,
    word_key: PackedMatrix,
    value: PackedMatrix,
    sentence_key: PackedMatrix,
    output: PackedMatrix,
    norm_attention: RowNorm,
    feed_forward: PackedFeedForward,
    norm_ff: RowNorm,
    gate: PackedGate,
    num_heads: usize,
    reach: Reach,
    normaliser: WordNormaliser,
}

impl PackedSelective {
    fn new(attention: &SelectiveAttention, layer: &ContextLayer, packing: Packing<'_>) -> Self {
        Self {
            queries: packing.linears(&[&attention.query_word, &attention.query_sentence]),
            word_key: packing.linears(&[&attention.key_word]),
            value: packing.linears(&[&attention.value]),
            sentence_key: packing.linears(&[&attention.key_sentence]),
            output: packing.linears(&[&attention.output]),
            norm_attention: packing.norm(&layer.norm_attention),
            feed_forward: PackedFeedForward::new(&layer.feed_forward, packing),
            norm_ff: packing.norm(&layer.norm_ff),
            gate: PackedGate::new(&layer.gate, packing),
            num_heads: attention.num_heads,
            reach: attention.reach,
            normaliser: attention.words,
        }
    }

    /// All sentences, prepared; words are found by `keys`, and `values` are read of them.
    ///
    /// # Shapes
    /// - keys, values: `[rows of documents, d_model]`
    fn prepared_rows(
        &self,
        [keys, values]: [&[f32]; 2],
        documents: &Documents,
    ) -> SharedTranslations {
        let d_model = self.output.inputs();
        let mut means = Vec::with_capacity(documents.sentences.len() * d_model);
        for rows in &documents.sentences {
            let first = means.len();
            means.resize(first + d_model, 0.0);
            let mean = &mut means[first..];
            for row in keys[rows.start * d_model..rows.end * d_model].chunks_exact(d_model) {
                for (mean, number) in mean.iter_mut().zip(row) {
                    *mean += number;
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
            let count = rows.len().max(1) as f32;
            for mean in mean {
                *mean /= count;
            }
        }
        let mut sentences = Vec::new();
        let scratch = &mut Scratch::default();
        self.sentence_key.multiply(&means, &mut sentences, scratch);
        let columns = Columns {
            values: &sentences,
            width: d_model,
            first: 0,
        };
        let of_documents = documents.documents.iter().cloned();
        SharedTranslations {
            documents: documents.clone(),
            words: shared_words([(&self.word_key, keys), (&self.value, values)], documents),
            sentences: Some(SharedRows::new([columns; 2], of_documents, d_model)),
        }
    }
}

impl PackedContext for PackedSelective {
    fn reads_fed_forward(&self) -> bool {
        true
    }

    fn prepare(&self, translations: &Memory) -> SharedTranslations {
        let rows = [&translations.keys, &translations.values].map(|rows| Table::new(rows.clone()));
        let [keys, values] = rows.each_ref().map(Table::values);
        self.prepared_rows([&keys, &values], &translations.documents)
    }

    /// Eq. 3-9.
    fn join(
        &self,
        (own, query_states): (&mut [f32], &[f32]),
        translations: &SharedTranslations,
        spans: &[QuerySpan],
        buffers: &mut Buffers,
    ) {
        let d_model = self.output.inputs();
        let SharedTranslations {
            documents,
            words,
            sentences,
        } = translations;
        let sentences = sentences.as_ref().expect("keys of sentences");
        let Buffers {
            branch,
            wide,
            context,
            weights,
            scratch,
            ..
        } = buffers;
        self.queries.multiply(query_states, wide, scratch);
        let queries = |first| Columns {
            values: wide,
            width: 2 * d_model,
            first,
        };
        context.clear();
        context.resize(own.len(), 0.0);
        let mut first = 0;
        for spans in spans.chunk_by(|a, b| a.sentence == b.sentence) {
            let (hypotheses, sentence) = (first..first + spans.len(), spans[0].sentence);
            first = hypotheses.end;
            let number = documents.document_of(sentence);
            let document = documents.documents[number].clone();
            let hidden = document.clone().map(|other| {
                documents.sentences[other].is_empty() || !self.reach.sees(sentence, other)
            });
            let readers = Readers {
                document: (number, document.start),
                hidden: &hidden.collect::<Vec<_>>(),
                sentence_queries: queries(d_model),
                word_queries: queries(0),
            };
            let rows = SelectedRows {
                documents: sentences,
                words,
                num_heads: self.num_heads,
                normaliser: self.normaliser,
            };
            let context = &mut context[hypotheses.start * d_model..];
            rows.attend(readers, hypotheses, weights, context);
        }
        self.output.multiply(context, branch, scratch);
        let mut recorded = std::mem::take(branch);
        self.norm_attention.apply(&mut recorded);
        self.feed_forward.forward(&recorded, buffers);
        self.norm_ff.apply(&mut buffers.branch);
        self.gate.join(own, buffers);
    }
}
