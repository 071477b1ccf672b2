//! Translations of the segments a system is scored on.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::corpus::{DocumentUnits, Segment};
use crate::model::{BertSequence, Model};
use crate::search::{SearchOptions, SourceSentence, SourceText, search_sentences};
use crate::text::vocabulary::Vocabulary;

/// Translates every unit of every segment, each in its document; texts keep their placeholders.
///
/// `documents` holds all units of the documents that the segments come from: what is not scored is context.
pub fn translate_segments(
    model: &Model,
    vocabulary: &Vocabulary,
    documents: &[DocumentUnits],
    segments: &[Segment],
    options: &SearchOptions,
) -> Vec<Vec<String>> {
    let mut go_on = || ControlFlow::Continue(());
    translate_segments_while(model, vocabulary, documents, segments, options, &mut go_on)
        .expect("nobody breaks it off")
}

/// The same, with `go_on` asked after every sentence; none if it breaks off.
pub fn translate_segments_while(
    model: &Model,
    vocabulary: &Vocabulary,
    documents: &[DocumentUnits],
    segments: &[Segment],
    options: &SearchOptions,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Vec<Vec<String>>> {
    let mut text = SourceText::default();
    let mut numbers = HashMap::new();
    for (document, units) in documents.iter().enumerate() {
        let first = text.sentences.len();
        for (unit, (place, source)) in units.sources.iter().enumerate() {
            numbers.insert((document, *place), text.sentences.len());
            let mut ids = vocabulary.encode(source);
            ids.extend(units.behind.get(unit).into_iter().flatten());
            text.sentences.push(SourceSentence { ids, place: *place });
        }
        text.documents.push(first..text.sentences.len());
        let pieces = units.pieces.iter().cloned();
        text.pieces
            .extend(pieces.map(|(ids, of_first)| BertSequence { ids, of_first }));
    }
    let number = |segment: &Segment, place| numbers[&(segment.document, place)];
    for segment in segments {
        text.wanted
            .extend(segment.units.iter().map(|unit| number(segment, unit.place)));
    }
    let mut translations = vec![String::new(); text.sentences.len()];
    let mut flow = ControlFlow::Continue(());
    search_sentences(
        model,
        vocabulary,
        &text,
        options,
        &mut |number, hypothesis| {
            translations[number] = vocabulary.decode(&hypothesis.ids);
            flow = go_on();
            flow
        },
    );
    let of = |segment: &Segment| {
        let of = |place| translations[number(segment, place)].clone();
        segment.units.iter().map(|unit| of(unit.place)).collect()
    };
    flow.is_continue()
        .then(|| segments.iter().map(of).collect())
}
