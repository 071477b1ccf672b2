//! A translator made for one document: it is adapted to earlier translations that resemble the document's sentences.

mod adaptation;
mod knn;
mod retrieved;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

pub use adaptation::Adaptation;
pub use knn::{KnnRetrieval, Prepared};
pub use retrieved::{ModelQuestion, explain, explain_by_language_model, retrieved};

use super::batch::{Example, ExampleSet};
use canopy_document::document::Document;
use canopy_document::placeholder;
use canopy_nn::model::MemoryUse;
use canopy_tokenize::Side;
use canopy_translate::inference::Translator;

/// A translator for a document, by [`Adaptation`] or [`KnnRetrieval`], as its model does; `step` gets the steps done and to
/// be done, and may break it off. None if the model does neither, or nothing resembles the document.
pub fn for_document(
    translator: &Translator,
    document: &Document,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    for_sentences(translator, &document.plain_texts(), step)
}

/// A translator for the rest of a document: it looks up what is `fixed` there, by the index of the sentence, and in its
/// memory. None if its model does not look up what a person has confirmed.
pub fn with_fixed(
    translator: &Translator,
    document: &Document,
    fixed: &BTreeMap<usize, String>,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    let sentences = document.plain_texts();
    let confirmed = fixed.iter().filter_map(|(&sentence, target)| {
        let source = sentences.get(sentence)?.clone();
        Some((source, placeholder::stripped(target)))
    });
    let confirmed: Vec<(String, String)> = confirmed.collect();
    let retrieval = KnnRetrieval::default();
    let prepared = retrieval.prepared(translator, &sentences, &confirmed, step)?;
    Some(translator.with_model(prepared.model))
}

/// [`for_document`] for the document of these sentences, as a reader sees them.
pub fn for_sentences(
    translator: &Translator,
    sentences: &[String],
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    match translator.description().model.memory_use? {
        MemoryUse::FineTune => Adaptation::default().to_sentences(translator, sentences, step),
        MemoryUse::KnnMt => KnnRetrieval::default().for_sentences(translator, sentences, step),
        MemoryUse::FuzzyMatch => None,
    }
}

/// [`for_sentences`] where a person has `confirmed` translations of other sentences of the document, in its order: a model
/// that looks things up does so there too.
pub fn with_confirmed(
    translator: &Translator,
    sentences: &[String],
    confirmed: &[(String, String)],
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    let memory_use = translator.description().model.memory_use;
    if confirmed.is_empty() || memory_use != Some(MemoryUse::KnnMt) {
        return for_sentences(translator, sentences, step);
    }
    translator.vocabulary()?;
    KnnRetrieval::default().with_confirmed(translator, sentences, confirmed, step)
}

/// Pairs of a memory to learn from or to look up, each once; those too long for the model are left out.
fn examples<'m>(
    pairs: impl IntoIterator<Item = (&'m str, &'m str)>,
    translator: &Translator,
) -> ExampleSet {
    let (tokenizer, max_tokens) = (
        translator.tokenizer(),
        translator.description().model.max_tokens,
    );
    let mut examples = ExampleSet {
        special: tokenizer.special().clone(),
        ..ExampleSet::default()
    };
    let mut known = HashSet::new();
    for (source, target) in pairs {
        if !known.insert(source) {
            continue;
        }
        let ids = tokenizer.encode(Side::Source, source);
        let target = tokenizer.encode(Side::Target, target);
        let target = tokenizer.special().begun(target);
        if ids.len().max(target.len()) < max_tokens {
            let number = examples.examples.len();
            examples.documents.push(number..number + 1);
            examples
                .pieces
                .extend(translator.reader().bert_sequence_alone(source));
            examples.examples.push(Example {
                source: ids,
                target,
                place: (0, 0),
                headings: [0; 3],
                counts: true,
            });
        }
    }
    examples
}
