//! Translations of the segments a system is scored on.

use std::ops::ControlFlow;

use crate::corpus::Segment;
use crate::model::Transformer;
use crate::search::{SearchOptions, SourceSentence, search_sentences};
use crate::text::vocabulary::Vocabulary;

/// Translations of scored paragraphs: their sentences are translated one by one and joined.
pub fn translate_segments(
    model: &Transformer,
    vocabulary: &Vocabulary,
    segments: &[Segment],
    options: &SearchOptions,
) -> Vec<String> {
    let sentences: Vec<(usize, usize)> = segments
        .iter()
        .enumerate()
        .flat_map(|(segment, content)| (0..content.units.len()).map(move |unit| (segment, unit)))
        .collect();
    let sources: Vec<SourceSentence> = sentences
        .iter()
        .map(|&(segment, unit)| SourceSentence {
            ids: vocabulary.encode(&segments[segment].units[unit].source),
            place: segments[segment].units[unit].place,
        })
        .collect();
    let mut translations: Vec<Vec<String>> =
        segments.iter().map(|segment| vec![String::new(); segment.units.len()]).collect();
    search_sentences(model, vocabulary, &sources, options, &mut |number, hypothesis| {
        let (segment, unit) = sentences[number];
        translations[segment][unit] = segments[segment].units[unit].visible(&vocabulary.decode(&hypothesis.ids));
        ControlFlow::Continue(())
    });
    translations.into_iter().map(|units| units.join(" ")).collect()
}
