//! Translations of the segments a system is scored on.

mod divided;
mod searching;

use std::borrow::Cow;
use std::ops::ControlFlow;

use self::divided::{Divided, Part};
use self::searching::{Search, Units};
use super::pipeline::{FormalityOption, Plan};
use super::translator::Translator;
use crate::error::Result;
use canopy_corpus::{DocumentUnits, Segment};
use canopy_nn::model::Model;
use canopy_nn::search::SearchOptions;
use canopy_tokenize::Tokenizer;

/// Segments that a system is scored on, and how they are translated.
#[derive(Debug, Clone, Copy)]
pub struct SegmentRequest<'a> {
    /// All units of the documents that the segments come from: what is not scored is context.
    pub documents: &'a [DocumentUnits],
    /// Segments that are translated.
    pub segments: &'a [Segment],
    /// The beam.
    pub search: &'a SearchOptions,
    /// The form of address of German translations from English; none leaves it to the model.
    pub formality: Option<FormalityOption>,
}

/// Translates every unit of every segment, each in its document and as a whole, by a network alone; texts keep their
/// placeholders. `go_on` is called after every sentence; none if it breaks off.
///
/// # Errors
/// [`BaseError::InvalidScores`](crate::error::BaseError::InvalidScores), which names the sentence.
pub fn translate_segments(
    model: &Model,
    tokenizer: &dyn Tokenizer,
    request: SegmentRequest<'_>,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<String>>>> {
    let whole = |units: &DocumentUnits, unit: usize| vec![Part::whole(tokenizer, units, unit)];
    let read = Divided::new(request.documents, tokenizer.special(), &whole);
    let wanted = read.wanted(request.segments);
    let mut search = Search::new((model, tokenizer), read, request.search);
    let flow = search.run(wanted, go_on)?;
    Ok(flow
        .is_continue()
        .then(|| search.translations(request.segments)))
}

impl Translator {
    /// Translates every unit of every segment, each in its document; units that are longer than the model reads in parts, as a
    /// document has them. `go_on` is called after every sentence; none if it breaks off.
    ///
    /// # Errors
    /// As [`translate_segments`].
    pub fn translate_segments(
        &self,
        request: SegmentRequest<'_>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let SegmentRequest {
            documents,
            segments,
            search: options,
            formality,
        } = request;
        let reader = self.reader();
        let points = |units: &DocumentUnits, unit: usize| {
            units.points.get(unit).cloned().unwrap_or_default()
        };
        let parts = |units: &DocumentUnits, unit: usize| {
            let points = &points(units, unit);
            let source = &units.sources[unit].1;
            let text = if reader.strips_markup() {
                reader.read_text(source, points)
            } else {
                // Scored as it is.
                Cow::Borrowed(source.as_str())
            };
            let parts = reader.scored_parts(&text, units.known.get(unit).is_some());
            if parts.len() < 2 && !reader.strips_markup() {
                return vec![Part::whole(self.tokenizer(), units, unit)];
            }
            let part = |part: &str| {
                let lead = part.len() - part.trim_start().len();
                let end = part.trim_end().len().max(lead);
                Part {
                    ids: reader.read_ids(part.trim(), points),
                    around: [part[..lead].to_owned(), part[end..].to_owned()],
                    known: None,
                }
            };
            parts.into_iter().map(part).collect()
        };
        let read = Divided::new(documents, self.tokenizer().special(), &parts);
        let wanted = read.wanted(segments);
        let mut search = Search::new((self.model(), self.tokenizer()), read, options);
        let flow = Plan::for_units(self, formality).apply(&mut Units {
            search: &mut search,
            documents,
            wanted,
            go_on,
        })?;
        if flow.is_break() {
            return Ok(None);
        }
        let translated = search.translations(segments);
        if !reader.strips_markup() {
            return Ok(Some(translated));
        }
        let with_markup = |(segment, texts): (&Segment, Vec<String>)| {
            let units = &documents[segment.document];
            let texts = segment.units.iter().zip(texts).map(|(unit, text)| {
                let number = units
                    .sources
                    .iter()
                    .position(|(place, _)| *place == unit.place);
                number.map_or(text.clone(), |number| {
                    let source = &units.sources[number].1;
                    let prepared = reader.prepared(source, &points(units, number));
                    let put_back =
                        self.aligner()
                            .with_markup(&prepared.text, &prepared.points, &text);
                    prepared.restored(put_back.text)
                })
            });
            texts.collect()
        };
        let translated = segments.iter().zip(translated);
        Ok(Some(translated.map(with_markup).collect()))
    }
}
