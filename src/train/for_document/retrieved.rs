//! Where the tokens of a translation were looked up.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::knn::{KnnRetrieval, Prepared};
use crate::error::{Error, Result};
use canopy_document::document::Document;
use canopy_explain::{
    AgreeingWord, ContextEdit, Explanation, MemoryPair, MemoryView, MemoryWord, ModelView, PairWord,
};
use canopy_tokenize::{Side, Tokenizer};
use canopy_translate::inference::{
    ChangedContext, LanguageModelTranslator, SearchOptions, Translation, Translator,
};

/// A question to a model about a sentence of a document and its translation.
#[derive(Debug, Clone, Copy)]
pub struct ModelQuestion<'a> {
    /// The view that is requested.
    pub view: ModelView,
    /// The document.
    pub document: &'a Document,
    /// One for each sentence of the document, or none.
    pub translations: &'a [Option<Translation>],
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// The edited sentence of the context, for a [`ModelView::LeaveOneOut`]; none: each is left out.
    pub edit: Option<&'a ContextEdit>,
    /// Options of the search.
    pub options: &'a SearchOptions,
}

/// Answers a question with the model and the one that [`for_document`](super::for_document) has `made` of it for the
/// document, if it is another one there.
///
/// Whether the context mattered, and which sentence of it, is computed with the model that translates the document: with
/// what it has learnt for it, or looks up for it, under all conditions alike, so that the context alone makes the
/// difference. What was looked up is reported by the model itself.
///
/// `prepared` keeps what takes long for the next question about the document, as long as the model is the same; `step` hears
/// how much is done and to be done, and may break it off.
///
/// # Errors
/// If the device fails, or those of [`retrieved`] and [`ContextProbe::leave_one_out`](canopy_translate::inference::ContextProbe::leave_one_out).
pub fn explain(
    translator: &Translator,
    made: Option<&Translator>,
    question: &ModelQuestion<'_>,
    prepared: &mut Option<Prepared>,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Explanation> {
    let &ModelQuestion {
        document,
        translations,
        sentence,
        ..
    } = question;
    let change = ChangedContext {
        document,
        translations,
        sentence,
    };
    let probe = made.unwrap_or(translator).probe(change, question.options);
    Ok(match question.view {
        ModelView::Difference => Explanation::Difference(probe.difference()?),
        ModelView::LeaveOneOut => Explanation::LeaveOneOut(match question.edit {
            Some(edit) => probe.edit(edit)?,
            None => probe.leave_one_out(step)?,
        }),
        ModelView::Memory => {
            let change = (document, translations, sentence);
            Explanation::Memory(retrieved(translator, change, prepared, step)?)
        }
    })
}

/// Answers a question with a language model.
///
/// # Errors
/// [`Error::NotLookedUp`] of a memory, which it reads in its prompt; those of [`LanguageModelTranslator::leave_one_out`].
pub fn explain_by_language_model(
    model: &LanguageModelTranslator,
    question: &ModelQuestion<'_>,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Explanation> {
    let change = ChangedContext {
        document: question.document,
        translations: question.translations,
        sentence: question.sentence,
    };
    Ok(match (question.view, question.edit) {
        (ModelView::Difference, _) => Explanation::Difference(model.context_difference(change)?),
        (ModelView::LeaveOneOut, Some(edit)) => {
            Explanation::LeaveOneOut(model.edit_context(change, edit)?)
        }
        (ModelView::LeaveOneOut, None) => {
            Explanation::LeaveOneOut(model.leave_one_out(change, step)?)
        }
        (ModelView::Memory, _) => {
            return Err(Error::NotLookedUp {
                problem: "a language model looks nothing up: its prompt has the memory entries like a sentence",
            });
        }
    })
}

/// The memory's share in the tokens of a sentence's translation, with the datastore of the document.
///
/// # Errors
/// [`Error::NotLookedUp`] if the model looks nothing up, the memory has nothing like the document, the sentence has no
/// tokens or is not translated, or the translation is longer than the model can write.
pub fn retrieved(
    translator: &Translator,
    (document, translations, sentence): (&Document, &[Option<Translation>], usize),
    prepared: &mut Option<Prepared>,
    step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<MemoryView> {
    let nothing = |problem| Error::NotLookedUp { problem };
    let sentences = document.plain_texts();
    if prepared
        .as_ref()
        .is_none_or(|kept| kept.sentences != sentences)
    {
        *prepared = KnnRetrieval::default().prepared(translator, &sentences, &[], step);
    }
    let prepared = prepared.as_ref().ok_or(nothing(
        "the model has no memory with sentences like these; open a translation memory that has",
    ))?;
    if translations[sentence].is_none() {
        return Err(nothing("the sentence is not translated"));
    }
    let batches = translator.batches_of(document, translations, sentence)?;
    let batches = batches.ok_or(nothing(
        "the translation is longer than the model can write",
    ))?;
    if batches.is_empty() {
        return Err(nothing("the sentence has no words to translate"));
    }
    let found = batches.iter().flat_map(|batch| {
        let words = prepared.model.retrieved(batch).unwrap_or_default();
        words.into_iter().zip(batch.labels.iter().copied())
    });
    let (places, vocabulary) = (prepared.positions(), translator.tokenizer());
    let (mut used, mut numbers) = (Vec::new(), HashMap::new());
    let words = found.map(|(word, label)| {
        let agreeing = word.near.states.iter().filter_map(|&(state, share)| {
            let (pair, place) = places[state as usize];
            let followed = followed(prepared, pair, place);
            (followed == label).then(|| AgreeingWord {
                pair: *numbers.entry(pair).or_insert_with(|| {
                    used.push(pair);
                    used.len() - 1
                }),
                word: place,
                weight: share * word.near.weight,
            })
        });
        let piece = vocabulary.piece(Side::Target, label);
        MemoryWord {
            agreeing: agreeing.collect(),
            label: bare(&piece),
            begins: begins(&piece),
            weight: word.near.weight,
            alone: word.alone,
            mixed: word.mixed,
        }
    });
    let words = words.collect();
    Ok(MemoryView {
        model: translator.description().name.clone(),
        sentence,
        source: document.sentences[sentence].plain_text(),
        words,
        pairs: used
            .iter()
            .map(|&pair| described(prepared, pair, vocabulary))
            .collect(),
        selected: None,
    })
}

/// The token at a place of a pair's translation.
fn followed(prepared: &Prepared, pair: usize, place: usize) -> u32 {
    let words = &prepared.examples.examples[pair].target;
    let end = prepared.examples.special.eos;
    words.get(place).copied().unwrap_or(end)
}

fn described(prepared: &Prepared, pair: usize, tokenizer: &dyn Tokenizer) -> MemoryPair {
    let example = &prepared.examples.examples[pair];
    let target = example
        .target
        .iter()
        .chain([&prepared.examples.special.eos]);
    let words = target.map(|&id| tokenizer.piece(Side::Target, id));
    MemoryPair {
        source: tokenizer.decode(Side::Source, &example.source),
        words: words
            .map(|piece| PairWord {
                label: bare(&piece),
                begins: begins(&piece),
            })
            .collect(),
    }
}

fn bare(piece: &str) -> String {
    piece.trim_start_matches('▁').to_owned()
}

/// Whether a space precedes a piece that is not the first.
fn begins(piece: &str) -> bool {
    piece.starts_with('▁') || ["<eos>", "</s>"].contains(&piece)
}
