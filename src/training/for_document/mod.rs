//! A translator made for one document: it takes in what was translated before and resembles the document's sentences.

mod adaptation;
mod look_up;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::ControlFlow;

pub use adaptation::Adaptation;
pub use look_up::LookUp;

use super::batch::{Example, ExampleSet};
use crate::inference::Translator;
use crate::memory::TranslationMemory;
use crate::model::Matches;
use crate::text::document::Document;
use crate::text::placeholder;
use crate::text::vocabulary::Vocabulary;

/// A translator for a document, by [`Adaptation`] or [`LookUp`], as its model does; `step` is told the updates done and
/// to be done, if there are any, and may break it off. None if the model does neither, or nothing resembles the document.
pub fn for_document(
    translator: &Translator,
    document: &Document,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    let sentences = document.sentences.iter();
    let shown: Vec<String> = sentences
        .map(|sentence| placeholder::stripped(&sentence.text))
        .collect();
    for_sentences(translator, &shown, step)
}

/// The same for the document of these sentences, as a reader sees them.
pub fn for_sentences(
    translator: &Translator,
    sentences: &[String],
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Translator> {
    match translator.description().model.matches? {
        Matches::Learn => Adaptation::default().to_sentences(translator, sentences, step),
        Matches::LookUp => LookUp::default().for_sentences(translator, sentences),
        Matches::Read => None,
    }
}

/// Pairs of a memory that resemble some sentences.
struct Similar {
    /// Each pair once.
    examples: ExampleSet,
    /// How much the best matches resemble the sentences, on average over the words.
    resemblance: f64,
}

impl Similar {
    /// Up to `pairs` for each sentence, which resemble it by `least` at least; those too long for the model are left out.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    fn of(
        memory: &TranslationMemory,
        sentences: &[String],
        (pairs, least): (usize, f32),
        (vocabulary, max_tokens): (&Vocabulary, usize),
    ) -> Self {
        let (mut examples, mut known) = (ExampleSet::default(), HashSet::new());
        let (mut resembling, mut all) = (0.0, 0.0);
        for sentence in sentences {
            let similar = memory.similar(sentence, pairs, least);
            let words = sentence.split_whitespace().count() as f64;
            all += words;
            resembling += similar
                .first()
                .map_or(0.0, |best| words * f64::from(best.score));
            for found in similar {
                if !known.insert(found.source) {
                    continue;
                }
                let [source, target] =
                    [found.source, found.target].map(|text| vocabulary.encode(text));
                if source.len().max(target.len()) < max_tokens {
                    let number = examples.examples.len();
                    examples.documents.push(number..number + 1);
                    examples.examples.push(Example {
                        source,
                        target,
                        place: (0, 0),
                        counts: true,
                    });
                }
            }
        }
        Self {
            examples,
            resemblance: resembling / f64::max(all, 1.0),
        }
    }
}
