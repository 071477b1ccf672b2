//! Sequences for BERT: each sentence of a document with the one that was chosen as its context, as in the model's training.

use std::ops::ControlFlow;

use super::translator::Translator;
use crate::error::Result;
use canopy_metrics::similarity::{ContextKind, Embeddings, Measure, Range, Sentences};
use canopy_models::weights::bert_sequence;
use canopy_nn::model::{BertBatch, BertReader, BertSequence, ContextSentence};

/// Word pieces that are encoded at once.
const BATCH_TOKENS: usize = 2_048;

/// For each of the sentences of one document what BERT reads; nothing if the model reads no BERT.
///
/// # Errors
/// If BERT, or the encoder that finds contexts, returns non-finite numbers, or that encoder cannot be read.
pub fn bert_sequences(translator: &Translator, sentences: &[String]) -> Result<Vec<BertSequence>> {
    let Some((_, sentence)) = translator.model().bert() else {
        return Ok(Vec::new());
    };
    let chosen = match sentence {
        ContextSentence::Similar(measure) => {
            let range = Range::Each;
            similar(translator, &[sentences], (measure, range))?
        }
        ContextSentence::Previous => (0..sentences.len()).map(|row| row.checked_sub(1)).collect(),
        ContextSentence::Same => (0..sentences.len()).map(Some).collect(),
    };
    let sequences = sentences.iter().zip(chosen).map(|(text, chosen)| {
        let context = chosen.map(|row| sentences[row].as_str());
        translator.description().bert_sequence(text, context)
    });
    Ok(sequences.collect())
}

/// The context of each sentence of several documents that are translated together; none where each document is searched by
/// itself, because the model was trained so or reads no contexts by similarity.
///
/// # Errors
/// As [`bert_sequences`].
pub fn contexts_among(
    translator: &Translator,
    documents: &[&[String]],
) -> Result<Option<Vec<Vec<Option<String>>>>> {
    let Some((_, ContextSentence::Similar(measure))) = translator.model().bert() else {
        return Ok(None);
    };
    let contexts = translator.description().contexts.as_ref();
    let range = contexts.map_or(Range::Each, |contexts| contexts.range);
    if range == Range::Each {
        return Ok(None);
    }
    let all: Vec<&String> = documents.iter().copied().flatten().collect();
    let chosen = similar(translator, documents, (measure, range))?;
    let mut texts = chosen
        .into_iter()
        .map(|row| row.map(|row| all[row].clone()));
    let of_document = |document: &&[String]| texts.by_ref().take(document.len()).collect();
    Ok(Some(documents.iter().map(of_document).collect()))
}

/// The sentence that resembles each one most, by the vectors of the encoder that chose contexts in training, or of the model's
/// own BERT.
fn similar(
    translator: &Translator,
    documents: &[&[String]],
    (measure, range): (Measure, Range),
) -> Result<Vec<Option<usize>>> {
    let texts: Vec<&str> = documents
        .iter()
        .copied()
        .flatten()
        .map(String::as_str)
        .collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let embeddings = match (
        translator.loaded().context_encoder()?,
        translator.model().bert(),
    ) {
        (Some(encoder), _) => encoder
            .encode(&texts, |_, _| ControlFlow::Continue(()))?
            .expect("nothing stops it"),
        (None, Some((bert, _))) => by_own_bert(translator, bert, &texts)?,
        (None, None) => return Ok(vec![None; texts.len()]),
    };
    let sentences = Sentences::new(embeddings, documents.iter().map(|document| document.len()));
    let kind = ContextKind::Similarity { measure, range };
    let chosen = kind.choose(&sentences, 0..texts.len(), |_| ControlFlow::Continue(()));
    Ok(chosen.expect("nothing stops it"))
}

fn by_own_bert(translator: &Translator, bert: &BertReader, texts: &[&str]) -> Result<Embeddings> {
    let description = translator.description();
    let kept = description.contexts.as_ref();
    let kept = kept.and_then(|contexts| contexts.max_tokens);
    let reads = description
        .model
        .bert
        .as_ref()
        .map_or(0, |it| it.max_tokens);
    let longest = kept.map_or(reads, |kept| kept.min(reads));
    let mut values: Vec<f32> = Vec::new();
    let mut batch = BertBatch::default();
    let mut dimensions = 1;
    for (number, text) in texts.iter().enumerate() {
        if let Some(pieces) = &description.pieces {
            batch.push(&bert_sequence(pieces, longest, text, None).ids);
        }
        if batch.ids.len() >= BATCH_TOKENS || number + 1 == texts.len() {
            let vectors = bert.vectors(&std::mem::take(&mut batch));
            dimensions = vectors.dims()[1];
            values.extend(vectors.into_data().iter::<f32>());
        }
    }
    Ok(Embeddings::new(values, dimensions)?)
}
