//! Sequences for BERT: each sentence of a document with the one that was chosen as its context.

use std::ops::ControlFlow;

use canopy_base::error::Result;
use canopy_metrics::similarity::{ContextKind, Embeddings, Measure, Range, Sentences};
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{BertBatch, BertReader, BertSequence, ContextSentence, Model};

/// Word pieces that are encoded at once.
const BATCH_TOKENS: usize = 2_048;

/// For each of the sentences of one document what BERT reads; nothing if the model reads no BERT.
///
/// # Errors
/// If BERT gives numbers that are none.
pub fn bert_sequences(
    model: &Model,
    description: &ModelFolder,
    sentences: &[String],
) -> Result<Vec<BertSequence>> {
    let Some((bert, sentence)) = model.bert() else {
        return Ok(Vec::new());
    };
    let chosen = match sentence {
        ContextSentence::Similar(measure) => similar(bert, description, sentences, measure)?,
        ContextSentence::Previous => (0..sentences.len()).map(|row| row.checked_sub(1)).collect(),
        ContextSentence::Same => (0..sentences.len()).map(Some).collect(),
    };
    let sequences = sentences.iter().zip(chosen).map(|(text, chosen)| {
        let context = chosen.map(|row| sentences[row].as_str());
        description.bert_sequence(text, context)
    });
    Ok(sequences.collect())
}

/// The sentence of the document that resembles each one most, by the vectors of the model's own BERT.
fn similar(
    bert: &BertReader,
    description: &ModelFolder,
    sentences: &[String],
    measure: Measure,
) -> Result<Vec<Option<usize>>> {
    let mut values: Vec<f32> = Vec::new();
    let mut batch = BertBatch::default();
    let mut dimensions = 1;
    for (number, text) in sentences.iter().enumerate() {
        batch.push(&description.bert_sequence(text, None).ids);
        if batch.ids.len() >= BATCH_TOKENS || number + 1 == sentences.len() {
            let vectors = bert.vectors(&std::mem::take(&mut batch));
            dimensions = vectors.dims()[1];
            values.extend(vectors.into_data().iter::<f32>());
        }
    }
    if sentences.is_empty() {
        return Ok(Vec::new());
    }
    let sentences = Sentences::one_document(Embeddings::new(values, dimensions)?);
    let kind = ContextKind::Similarity {
        measure,
        range: Range::Each,
    };
    let all = 0..sentences.len();
    let chosen = kind.choose(&sentences, all, |_| ControlFlow::Continue(()));
    Ok(chosen.expect("nothing stops it"))
}
