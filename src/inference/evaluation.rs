//! Translations of the segments a system is scored on.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::translator::Translator;
use crate::corpus::{DocumentUnits, Segment};
use crate::error::Result;
use crate::model::{BertSequence, Model};
use crate::search::{SearchOptions, SourceSentence, SourceText, search_sentences};
use crate::text::vocabulary::Vocabulary;
use crate::tokenizers::{Side, Tokenizer};

/// Translates every unit of every segment, each in its document; texts keep their placeholders.
///
/// `documents` holds all units of the documents that the segments come from: what is not scored is context.
///
/// # Errors
/// [`Error::BrokenScores`](crate::error::Error::BrokenScores), which names the sentence.
pub fn translate_segments(
    model: &Model,
    vocabulary: &Vocabulary,
    documents: &[DocumentUnits],
    segments: &[Segment],
    options: &SearchOptions,
) -> Result<Vec<Vec<String>>> {
    let mut go_on = || ControlFlow::Continue(());
    let translated =
        translate_segments_while(model, vocabulary, documents, segments, options, &mut go_on)?;
    Ok(translated.expect("nobody breaks it off"))
}

/// The same, with `go_on` asked after every sentence; none if it breaks off.
///
/// # Errors
/// As there.
pub fn translate_segments_while(
    model: &Model,
    vocabulary: &Vocabulary,
    documents: &[DocumentUnits],
    segments: &[Segment],
    options: &SearchOptions,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<String>>>> {
    let whole = |units: &DocumentUnits, unit: usize| vec![Part::whole(vocabulary, units, unit)];
    let read = Divided::new(documents, &whole);
    translated((model, vocabulary), read, segments, options, go_on)
}

impl Translator {
    /// As [`translate_segments_while`], with units that are longer than the model reads in parts, as a document has them.
    ///
    /// # Errors
    /// As there.
    pub fn translate_segments(
        &self,
        documents: &[DocumentUnits],
        segments: &[Segment],
        options: &SearchOptions,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let points = |units: &DocumentUnits, unit: usize| {
            units.points.get(unit).cloned().unwrap_or_default()
        };
        let parts = |units: &DocumentUnits, unit: usize| {
            let points = &points(units, unit);
            let text = self.read_text(&units.sources[unit].1, points);
            let parts = self.parts(&text);
            if parts.len() < 2 && !self.strips_markup() {
                return vec![Part::whole(self.tokenizer(), units, unit)];
            }
            let part = |part: &str| {
                let lead = part.len() - part.trim_start().len();
                let end = part.trim_end().len().max(lead);
                Part {
                    ids: self.read_ids(part.trim(), points),
                    around: [part[..lead].to_owned(), part[end..].to_owned()],
                }
            };
            parts.into_iter().map(part).collect()
        };
        let read = Divided::new(documents, &parts);
        let by = (self.model(), self.tokenizer());
        let translated = translated(by, read, segments, options, go_on)?;
        if !self.strips_markup() {
            return Ok(translated);
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
                    self.with_markup(source, &points(units, number), &text).text
                })
            });
            texts.collect()
        };
        Ok(translated.map(|texts| segments.iter().zip(texts).map(with_markup).collect()))
    }
}

/// One sequence of a model: a unit or a part of it.
struct Part {
    ids: Vec<u32>,
    /// White space before and behind it, which is not read.
    around: [String; 2],
}

impl Part {
    fn whole(tokenizer: &dyn Tokenizer, units: &DocumentUnits, unit: usize) -> Self {
        let mut ids = tokenizer.encode(Side::Source, &units.sources[unit].1);
        ids.extend(units.fuzzy_suffix.get(unit).into_iter().flatten());
        Self {
            ids,
            around: [String::new(), String::new()],
        }
    }
}

/// Documents as a model reads them.
#[derive(Default)]
struct Divided {
    text: SourceText,
    /// White space around each sentence of the text.
    around: Vec<[String; 2]>,
    /// The first sentence of the unit that each is of.
    firsts: Vec<usize>,
    /// The sentences of each unit, by its document and its place there.
    units: HashMap<(usize, (usize, usize)), Range<usize>>,
}

impl Divided {
    /// `parts` gives those of a unit by its number in the document, one at least.
    fn new(
        documents: &[DocumentUnits],
        parts: &dyn Fn(&DocumentUnits, usize) -> Vec<Part>,
    ) -> Self {
        let mut read = Self::default();
        for (document, units) in documents.iter().enumerate() {
            let begin = read.firsts.len();
            for (unit, (place, _)) in units.sources.iter().enumerate() {
                let first = read.firsts.len();
                for Part { ids, around } in parts(units, unit) {
                    let place = *place;
                    read.text.sentences.push(SourceSentence {
                        ids,
                        position: place,
                    });
                    let pieces = units.pieces.get(unit).cloned();
                    let pieces = pieces.map(|(ids, of_first)| BertSequence { ids, of_first });
                    read.text.pieces.extend(pieces);
                    read.around.push(around);
                    read.firsts.push(first);
                }
                let sentences = first..read.firsts.len();
                read.units.insert((document, *place), sentences);
            }
            read.text.documents.push(begin..read.firsts.len());
        }
        read
    }

    fn sentences(&self, segment: &Segment, place: (usize, usize)) -> Range<usize> {
        self.units[&(segment.document, place)].clone()
    }
}

fn translated(
    (model, tokenizer): (&Model, &dyn Tokenizer),
    mut read: Divided,
    segments: &[Segment],
    options: &SearchOptions,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<String>>>> {
    let mut wanted = Vec::new();
    for segment in segments {
        for unit in &segment.units {
            wanted.extend(read.sentences(segment, unit.place));
        }
    }
    read.text.wanted = wanted;
    // Parts that a unit still lacks, at its first sentence.
    let mut missing = vec![0_usize; read.firsts.len()];
    for &first in &read.firsts {
        missing[first] += 1;
    }
    let mut translations = vec![String::new(); read.firsts.len()];
    let mut flow = ControlFlow::Continue(());
    let searched = search_sentences(
        model,
        tokenizer,
        &read.text,
        options,
        &mut |number, hypothesis| {
            translations[number] = tokenizer.decode(Side::Target, &hypothesis.ids);
            let missing = &mut missing[read.firsts[number]];
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                flow = go_on();
            }
            flow
        },
    );
    searched.map_err(|broken| broken.of_text(&read.text, tokenizer))?;
    let part = |number: usize| {
        let [before, fuzzy_suffix] = &read.around[number];
        [before, &translations[number], fuzzy_suffix]
            .map(String::as_str)
            .concat()
    };
    let of = |segment: &Segment| {
        let of = |place| read.sentences(segment, place).map(part);
        let units = segment.units.iter();
        units
            .map(|unit| of(unit.place).collect::<String>())
            .collect()
    };
    let all = flow
        .is_continue()
        .then(|| segments.iter().map(of).collect());
    Ok(all)
}
