//! Translations of the segments a system is scored on.

use std::ops::ControlFlow;

use crate::corpus::{Segment, SegmentUnit};
use crate::model::Transformer;
use crate::search::{SearchOptions, SourceSentence, search_sentences};
use crate::text::vocabulary::Vocabulary;

/// Translates every unit of every segment, each with its place in its document; texts keep their placeholders.
pub fn translate_segments(
    model: &Transformer,
    vocabulary: &Vocabulary,
    segments: &[Segment],
    options: &SearchOptions,
) -> Vec<Vec<String>> {
    let units: Vec<(usize, &SegmentUnit)> = segments
        .iter()
        .enumerate()
        .flat_map(|(segment, content)| content.units.iter().map(move |unit| (segment, unit)))
        .collect();
    let sources: Vec<SourceSentence> = units
        .iter()
        .map(|(_, unit)| SourceSentence {
            ids: vocabulary.encode(&unit.source),
            place: unit.place,
        })
        .collect();
    let mut translations = vec![String::new(); units.len()];
    search_sentences(
        model,
        vocabulary,
        &sources,
        options,
        &mut |number, hypothesis| {
            translations[number] = vocabulary.decode(&hypothesis.ids);
            ControlFlow::Continue(())
        },
    );
    let mut by_segment = vec![Vec::new(); segments.len()];
    for ((segment, _), translation) in units.into_iter().zip(translations) {
        by_segment[segment].push(translation);
    }
    by_segment
}
