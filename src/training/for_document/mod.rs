//! A translator made for one document: it takes in what was translated before and resembles the document's sentences.

mod adaptation;
mod knn;
mod retrieved;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::ControlFlow;

pub use adaptation::Adaptation;
pub use knn::{KnnRetrieval, Prepared};
pub use retrieved::{ModelQuestion, explain, retrieved};

use super::batch::{Example, ExampleSet};
use crate::inference::Translator;
use crate::model::MemoryUse;
use crate::text::document::Document;
use crate::tokenizers::Side;

/// A translator for a document, by [`Adaptation`] or [`KnnRetrieval`], as its model does; `step` is told the steps done and to
/// be done, and may break it off. None if the model does neither, or nothing resembles the document.
pub fn for_document(
    translator: &Translator,
    document: &Document,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    for_sentences(translator, &document.plain_texts(), step)
}

/// The same for the document of these sentences, as a reader sees them.
pub fn for_sentences(
    translator: &Translator,
    sentences: &[String],
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    translator.vocabulary()?;
    match translator.description().model.memory_use? {
        MemoryUse::FineTune => Adaptation::default().to_sentences(translator, sentences, step),
        MemoryUse::KnnMt => KnnRetrieval::default().for_sentences(translator, sentences, step),
        MemoryUse::FuzzyMatch => None,
    }
}

/// The same, where a person has `confirmed` translations of other sentences of the document, in its order: a model that looks
/// things up does so there too.
pub fn beside_confirmed(
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
    KnnRetrieval::default().beside_confirmed(translator, sentences, confirmed, step)
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
    let (mut examples, mut known) = (ExampleSet::default(), HashSet::new());
    for (source, target) in pairs {
        if !known.insert(source) {
            continue;
        }
        let ids = tokenizer.encode(Side::Source, source);
        let target = tokenizer.encode(Side::Target, target);
        if ids.len().max(target.len()) < max_tokens {
            let number = examples.examples.len();
            examples.documents.push(number..number + 1);
            examples
                .pieces
                .extend(translator.bert_sequence_alone(source));
            examples.examples.push(Example {
                source: ids,
                target,
                place: (0, 0),
                counts: true,
            });
        }
    }
    examples
}
