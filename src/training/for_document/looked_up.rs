//! Where the words of a translation were looked up.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::look_up::{LookUp, Prepared};
use crate::error::{Error, Result};
use crate::explain::{
    AgreeingWord, Explanation, MemoryPair, MemoryView, MemoryWord, ModelView, PairWord,
};
use crate::inference::{SearchOptions, Translation, Translator};
use crate::text::document::{Document, Sentence};
use crate::text::vocabulary::Vocabulary;
use crate::training::{Example, ExampleSet};

/// What a model tells of a sentence of a document and of its translation.
///
/// `prepared` keeps what takes long for the next question about the document, as long as the model is the same.
///
/// # Errors
/// If the device fails, or those of [`looked_up`].
pub fn tell(
    translator: &Translator,
    view: ModelView,
    document: &Document,
    translations: &[Option<Translation>],
    sentence: usize,
    options: &SearchOptions,
    prepared: &mut Option<Prepared>,
) -> Result<Explanation> {
    Ok(match view {
        ModelView::Difference => Explanation::Difference(translator.context_difference(
            document,
            translations,
            sentence,
            options,
        )?),
        ModelView::Memory => {
            let translation = translations[sentence].as_ref();
            let problem = "the sentence is not translated";
            let translation = translation.ok_or(Error::NotLookedUp { problem })?;
            let looked_up = looked_up(translator, document, sentence, translation, prepared)?;
            Explanation::Memory(looked_up)
        }
    })
}

/// What the words of a sentence's translation owe to the memory that the model looks up in, as it does for the document.
///
/// # Errors
/// [`Error::NotLookedUp`] if the model looks nothing up, the memory has nothing like the document, or the translation is
/// longer than the model can write.
pub fn looked_up(
    translator: &Translator,
    document: &Document,
    sentence: usize,
    translation: &Translation,
    prepared: &mut Option<Prepared>,
) -> Result<MemoryView> {
    let nothing = |problem| Error::NotLookedUp { problem };
    let sentences = document.plain_texts();
    if prepared
        .as_ref()
        .is_none_or(|kept| kept.sentences != sentences)
    {
        let mut go_on = |_, _| ControlFlow::Continue(());
        *prepared = LookUp::default().prepared(translator, &sentences, &mut go_on);
    }
    let prepared = prepared.as_ref().ok_or(nothing(
        "the model has no memory with sentences like these; open a translation memory that has",
    ))?;
    let parts = parts(translator, &document.sentences[sentence], translation);
    let parts = parts.ok_or(nothing(
        "the translation is longer than the model can write",
    ))?;
    let each: Vec<Range<usize>> = (0..parts.examples.len())
        .map(|part| part..part + 1)
        .collect();
    let batch = parts.batch(&each);
    let found = prepared.model.looked_up(&batch).unwrap_or_default();
    let (places, vocabulary) = (prepared.places(), translator.vocabulary());
    let (mut used, mut numbers) = (Vec::new(), HashMap::new());
    let words = found.iter().zip(&batch.labels).map(|(word, &label)| {
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
        let piece = vocabulary.piece(label);
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

/// The parts of a sentence with their translations, as the model reads and writes them.
fn parts(
    translator: &Translator,
    sentence: &Sentence,
    translation: &Translation,
) -> Option<ExampleSet> {
    let mut set = ExampleSet::default();
    for (source, target) in translator.source_and_target(sentence, translation)? {
        let number = set.examples.len();
        set.documents.push(number..number + 1);
        set.examples.push(Example {
            source,
            target,
            place: (0, 0),
            counts: true,
        });
    }
    Some(set)
}

/// The word at a place of a pair's translation.
fn followed(prepared: &Prepared, pair: usize, place: usize) -> u32 {
    let words = &prepared.examples.examples[pair].target;
    words.get(place).copied().unwrap_or(Vocabulary::EOS)
}

fn described(prepared: &Prepared, pair: usize, vocabulary: &Vocabulary) -> MemoryPair {
    let example = &prepared.examples.examples[pair];
    let target = example.target.iter().chain(&[Vocabulary::EOS]);
    let words = target.map(|&id| vocabulary.piece(id));
    MemoryPair {
        source: vocabulary.decode(&example.source),
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

/// Whether a space stands before a piece that is not the first.
fn begins(piece: &str) -> bool {
    piece.starts_with('▁') || piece == "<eos>"
}
