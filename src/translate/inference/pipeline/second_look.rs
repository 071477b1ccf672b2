//! Translations that are no good, searched again: those that repeat themselves or do not end with a wider beam, then in parts;
//! those that lose the name of a file with a point in its place; those of which the model is not sure, where it read points that
//! are not of the document, with words in their place.

use std::ops::ControlFlow;

use super::joint::Found;
use super::{DocumentRequest, JointSearch, OnEvent, Pass, Step, TranslationEvent};
use crate::error::Result;
use crate::inference::preparation::loses_names;
use crate::inference::reading::ReadingOptions;
use crate::inference::translation::{Flag, Translation};
use canopy_document::document::{Document, Sentence};
use canopy_document::placeholder;
use canopy_nn::search::SearchOptions;
use canopy_tokenize::Side;

/// The beam of the second search, at least and at most.
const BEAMS: [usize; 2] = [4, 12];

/// Maximum number, and share, of a document's sentences that are searched again: for a model that makes no better ones
/// more are not worth the time. Each document has its own, so that none depends on others.
const FEW: usize = 16;

/// Less sure of a translation with points, a model has not found their place.
const SURE: f32 = 0.5;

/// Shorter parts say nothing of the sentence they are of.
const SHORTEST_PART: usize = 8;

impl JointSearch<'_> {
    /// Searches the sentences of documents, and once more those whose translation is doubtful; of two translations the better
    /// one is reported.
    pub(crate) fn run(
        &self,
        documents: &mut [DocumentRequest<'_>],
        on_event: &mut OnEvent<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut doubtful = Vec::new();
        let put_aside = self
            .translator
            .options()
            .looks_again
            .then_some(&mut doubtful);
        let searched = self.search(documents, put_aside, on_event);
        if searched.is_err() {
            // They are better than nothing.
            let _ = report_all(doubtful, on_event);
            return searched;
        }
        if doubtful.is_empty() || searched.as_ref().is_ok_and(ControlFlow::is_break) {
            return searched;
        }
        // Whichever core was done first, the same ones are searched again.
        doubtful.sort_by_key(|(number, index, _)| (*number, *index));
        let mut counts = vec![0; documents.len()];
        let (again, others): (Vec<Found>, Vec<Found>) =
            doubtful.into_iter().partition(|(number, ..)| {
                counts[*number] += 1;
                counts[*number] <= FEW.max(documents[*number].sentences.len() / FEW)
            });
        if report_all(others, on_event).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for found in again {
            let Some(found) = self.looked_at_again(found, documents, on_event)? else {
                return Ok(ControlFlow::Break(()));
            };
            if report_all([found], on_event).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether a translation is to be looked at again.
    pub(super) fn is_doubtful(
        &self,
        document: &Document,
        index: usize,
        translation: &Translation,
    ) -> bool {
        is_broken(translation, &document.sentences[index].text)
            || is_unsure(translation) && self.adds_points(document, index)
    }

    /// The best translation of a sentence that two more searches and the first one have found; none if it is cancelled.
    fn looked_at_again(
        &self,
        (number, index, first): Found,
        documents: &mut [DocumentRequest<'_>],
        on_event: &mut OnEvent<'_>,
    ) -> Result<Option<Found>> {
        let mut best = first;
        let document = documents[number].document;
        let text = &document.sentences[index].text;
        let tokenizer = self.translator.tokenizer();
        let num_tokens = tokenizer
            .encode(Side::Source, &placeholder::stripped(text))
            .len();
        let own = self.reader.options;
        let parts = self.reading(ReadingOptions {
            longest_part: Some(num_tokens / 2 + 2),
            ..own
        });
        let words = self.reading(ReadingOptions {
            strips_markup: true,
            ..own
        });
        let nameless = self.reading(ReadingOptions {
            hides_names: true,
            ..own
        });
        let wider = wider(self.pass.options);
        let wider = JointSearch {
            pass: Pass {
                options: &wider,
                ..self.pass
            },
            ..*self
        };
        let mut ways = Vec::new();
        if loses_names(text, &best.text) {
            ways.push((nameless, SURE));
        }
        if nameless.adds_points(document, index) {
            ways.push((words, SURE));
        }
        if is_broken(&best, text) {
            ways.push((wider, 0.0));
        }
        if is_broken(&best, text) && num_tokens >= 2 * SHORTEST_PART {
            ways.push((parts, 0.0));
        }
        for (search, sure) in ways {
            let is_sure = best
                .confidence()
                .is_none_or(|confidence| confidence >= sure);
            if is_sure && !is_broken(&best, text) {
                break;
            }
            let Some(other) = search.found_alone((number, index), documents, on_event)? else {
                return Ok(None);
            };
            if is_better(&other, &best, text) {
                best = other;
            }
        }
        Ok(Some((number, index, best)))
    }

    /// A search that reads sentences in another way.
    fn reading(&self, options: ReadingOptions) -> Self {
        Self {
            reader: self.reader.with(options),
            ..*self
        }
    }

    /// The translation of one sentence; none if it is cancelled.
    fn found_alone(
        &self,
        (number, index): (usize, usize),
        documents: &mut [DocumentRequest<'_>],
        on_event: &mut OnEvent<'_>,
    ) -> Result<Option<Translation>> {
        let DocumentRequest {
            document, known, ..
        } = &mut documents[number];
        let mut one = [DocumentRequest {
            document,
            sentences: &[index],
            known,
        }];
        let mut found = None;
        let flow = self.search(&mut one, None, &mut |event| match event.step {
            Step::Translated { translation, .. } => {
                found = Some(translation);
                ControlFlow::Continue(())
            }
            step @ Step::Waiting => on_event(TranslationEvent {
                document: number,
                step,
            }),
            Step::Drafted { .. } | Step::Alternatives { .. } => ControlFlow::Continue(()),
        })?;
        Ok(found.filter(|_| flow.is_continue()))
    }

    /// Whether the model reads points in a sentence that are not of the document.
    fn adds_points(&self, document: &Document, index: usize) -> bool {
        let Sentence { text, points, .. } = &document.sentences[index];
        !self.reader.strips_markup() && self.reader.prepared(text, points).keeps()
    }
}

/// Reports translations until it is broken off.
fn report_all(
    found: impl IntoIterator<Item = Found>,
    on_event: &mut OnEvent<'_>,
) -> ControlFlow<()> {
    for (document, index, translation) in found {
        let step = Step::Translated { index, translation };
        on_event(TranslationEvent { document, step })?;
    }
    ControlFlow::Continue(())
}

/// How a broken translation is searched again.
fn wider(options: &SearchOptions) -> SearchOptions {
    let [least, most] = BEAMS;
    let doubled = (options.beam_size * 2).clamp(least, most);
    SearchOptions {
        beam_size: doubled.max(options.beam_size),
        alternatives: 0,
        ..*options
    }
}

fn is_unsure(translation: &Translation) -> bool {
    translation.confidence().is_some_and(|sure| sure < SURE)
}

fn is_broken(translation: &Translation, source: &str) -> bool {
    num_faults(translation, source) > 0
}

fn num_faults(translation: &Translation, source: &str) -> usize {
    let is_fault = |flag: &&Flag| matches!(flag, Flag::Repetition | Flag::CutOff);
    let flags = translation.flags.iter().filter(is_fault).count();
    flags + usize::from(loses_names(source, &translation.text))
}

/// Whether a translation has fewer faults than another one, or as many and a higher mean log-probability of its tokens.
fn is_better(one: &Translation, other: &Translation, source: &str) -> bool {
    let mean = |it: &Translation| it.log_prob / it.num_tokens.max(1) as f32;
    let [faults, others] = [one, other].map(|it| num_faults(it, source));
    faults < others || faults == others && mean(one) > mean(other)
}
