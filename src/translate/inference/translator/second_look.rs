//! Translations that are no good, searched again: those that repeat themselves or do not end with a wider beam, then in parts;
//! those that lose the name of a file with a point in its place; those of which the model is not sure, where it read points that
//! are not of the document, with words in their place.

use std::ops::ControlFlow;

use super::{DocumentRequest, Step, Translator};
use crate::inference::preparation::loses_names;
use crate::inference::translation::{Flag, Translation};
use canopy_base::error::Result;
use canopy_document::document::{Document, Sentence};
use canopy_document::placeholder;
use canopy_nn::search::SearchOptions;
use canopy_qa::checks::localised;
use canopy_tokenize::Side;

/// The beam of the second search, at least and at most.
const BEAMS: [usize; 2] = [4, 12];

/// So many sentences of a document are searched again at most, or as great a part of them: of a model that makes no better ones
/// nobody waits for more. Each document has its own, so that none depends on those beside it.
const FEW: usize = 16;

/// Less sure of a translation with points, a model has not found their place.
const SURE: f32 = 0.5;

/// Shorter parts say nothing of the sentence they are of.
const SHORTEST_PART: usize = 8;

/// A sentence by the number of its document and its own, and its translation.
type Found = (usize, usize, Translation);

impl Translator {
    /// Searches the sentences of documents, and once more those whose translation is broken; of two translations the better one
    /// is told.
    pub(super) fn search_twice(
        &self,
        before: &[Vec<u32>],
        requests: &mut [DocumentRequest<'_>],
        options: &SearchOptions,
        step: &mut dyn FnMut(usize, Step) -> ControlFlow<()>,
    ) -> Result<()> {
        if !self.looks_again {
            return self.search(before, requests, options, step);
        }
        let documents: Vec<&Document> = requests.iter().map(|it| it.document).collect();
        let is_doubtful = |number: usize, index: usize, translation: &Translation| {
            is_broken(translation, &documents[number].sentences[index].text)
                || is_unsure(translation) && self.adds_points(documents[number], index)
        };
        let (mut broken, mut is_cancelled) = (Vec::new(), false);
        let searched = self.search(before, requests, options, &mut |number, told| {
            let flow = match told {
                Step::Translated { index, translation }
                    if is_doubtful(number, index, &translation) =>
                {
                    broken.push((number, index, translation));
                    ControlFlow::Continue(())
                }
                told => step(number, told),
            };
            is_cancelled |= flow.is_break();
            flow
        });
        if searched.is_err() {
            for (number, index, translation) in broken {
                if step(number, Step::Translated { index, translation }).is_break() {
                    break;
                }
            }
            return searched;
        }
        if is_cancelled || broken.is_empty() {
            return Ok(());
        }
        // Whichever core was done first, the same ones are searched again.
        broken.sort_by_key(|(number, index, _)| (*number, *index));
        let mut counts = vec![0; requests.len()];
        let (broken, others): (Vec<Found>, Vec<Found>) =
            broken.into_iter().partition(|(number, ..)| {
                counts[*number] += 1;
                counts[*number] <= FEW.max(requests[*number].sentences.len() / FEW)
            });
        for (number, index, translation) in others {
            if step(number, Step::Translated { index, translation }).is_break() {
                return Ok(());
            }
        }
        let [least, most] = BEAMS;
        let wider = SearchOptions {
            beam_size: (options.beam_size * 2)
                .clamp(least, most)
                .max(options.beam_size),
            alternatives: 0,
            ..*options
        };
        for found in broken {
            let Some((number, index, translation)) =
                self.looked_at_again(found, before, requests, (options, &wider), step)?
            else {
                return Ok(());
            };
            if step(number, Step::Translated { index, translation }).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Leaves translations as the first search finds them, or searches broken ones again, as is usual.
    pub fn set_second_look(&mut self, looks_again: bool) {
        self.looks_again = looks_again;
    }

    /// The best translation of a sentence that two more searches and the first one have found; none if it is cancelled.
    fn looked_at_again(
        &self,
        (number, index, first): Found,
        before: &[Vec<u32>],
        requests: &mut [DocumentRequest<'_>],
        (options, wider): (&SearchOptions, &SearchOptions),
        step: &mut dyn FnMut(usize, Step) -> ControlFlow<()>,
    ) -> Result<Option<Found>> {
        let mut best = first;
        let document = requests[number].document;
        let text = &document.sentences[index].text;
        let num_tokens = self
            .tokenizer
            .encode(Side::Source, &placeholder::stripped(text))
            .len();
        let parts = Self {
            longest_part: Some(num_tokens / 2 + 2),
            ..self.clone()
        };
        let words = Self {
            strips_markup: true,
            ..self.clone()
        };
        let nameless = Self {
            hides_names: true,
            ..self.clone()
        };
        let mut ways = Vec::new();
        if loses_names(text, &best.text) {
            ways.push((&nameless, options, SURE));
        }
        if nameless.adds_points(document, index) {
            ways.push((&words, options, SURE));
        }
        if is_broken(&best, text) {
            ways.push((self, wider, 0.0));
        }
        if is_broken(&best, text) && num_tokens >= 2 * SHORTEST_PART {
            ways.push((&parts, options, 0.0));
        }
        for (translator, options, sure) in ways {
            let is_sure = best
                .confidence()
                .is_none_or(|confidence| confidence >= sure);
            if is_sure && !is_broken(&best, text) {
                break;
            }
            let place = (number, index);
            let Some(other) = translator.searched_alone(place, before, requests, options, step)?
            else {
                return Ok(None);
            };
            if is_better(&other, &best, text) {
                best = other;
            }
        }
        Ok(Some((number, index, best)))
    }

    /// The translation of one sentence; none if it is cancelled.
    fn searched_alone(
        &self,
        (number, index): (usize, usize),
        before: &[Vec<u32>],
        requests: &mut [DocumentRequest<'_>],
        options: &SearchOptions,
        step: &mut dyn FnMut(usize, Step) -> ControlFlow<()>,
    ) -> Result<Option<Translation>> {
        let DocumentRequest {
            document, known, ..
        } = &mut requests[number];
        let mut request = [DocumentRequest {
            document,
            sentences: &[index],
            known,
        }];
        let (mut found, mut is_cancelled) = (None, false);
        self.search(before, &mut request, options, &mut |_, told| {
            let flow = match told {
                Step::Translated { translation, .. } => {
                    found = Some(translation);
                    ControlFlow::Continue(())
                }
                Step::Waiting => step(number, Step::Waiting),
                Step::Drafted { .. } | Step::Alternatives { .. } => ControlFlow::Continue(()),
            };
            is_cancelled |= flow.is_break();
            flow
        })?;
        Ok(found.filter(|_| !is_cancelled))
    }

    /// Whether the model reads points in a sentence that are not of the document.
    fn adds_points(&self, document: &Document, index: usize) -> bool {
        let Sentence { text, points, .. } = &document.sentences[index];
        !self.strips_markup() && self.prepared(text, points).keeps()
    }

    /// A translation whose thousands and decimals its language does not read as other numbers.
    pub(super) fn with_own_numbers(
        &self,
        mut translation: Translation,
        source: &str,
    ) -> Translation {
        let languages =
            [&self.info.source_language, &self.info.target_language].map(String::as_str);
        if let Some(text) = localised(source, &translation.text, languages) {
            translation.text = text;
        }
        translation
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

/// Whether a translation has fewer faults than another one, or as many and is likelier by the mean of its tokens.
fn is_better(one: &Translation, other: &Translation, source: &str) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
    let mean = |it: &Translation| it.log_prob / it.num_tokens.max(1) as f32;
    let [faults, others] = [one, other].map(|it| num_faults(it, source));
    faults < others || faults == others && mean(one) > mean(other)
}
