//! Sentences of one document or several, searched together: what one search shares is time, not text.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;

use super::terms::TermWishes;
use super::{KnownTranslations, Pending, Step, Translator};
use canopy_base::error::{Error, Result};
use canopy_document::document::{Document, Sentence};
use canopy_nn::search::{
    Encodings, Hypothesis, SearchEvent, SearchOptions, SourceSentence, SourceText, search_documents,
};

/// A document of which some sentences are to be translated.
#[derive(Debug)]
pub struct DocumentRequest<'a> {
    pub document: &'a Document,
    /// The most urgent first.
    pub sentences: &'a [usize],
    pub known: &'a mut KnownTranslations,
}

/// A sentence by the number of its document and its own.
type Place = (usize, usize);

/// The sentences that a search reads, and whose parts they are.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) text: SourceText,
    /// Place and part of each.
    pub(super) owners: Vec<(Place, usize)>,
    pub(super) wishes: TermWishes,
}

impl Translator {
    /// As [`Self::translate_with`] of several documents at once, none of which is read for another; `step` is told the number
    /// of the document too. Where sentences cannot be searched together, since each waits for the one before it, for
    /// another model or for the form of address of the others, the documents follow each other.
    ///
    /// # Errors
    /// As there; which document it was about is not told.
    pub fn translate_several(
        &self,
        requests: &mut [DocumentRequest<'_>],
        options: &SearchOptions,
        step: &mut dyn FnMut(usize, Step) -> ControlFlow<()>,
    ) -> Result<()> {
        let is_apart = self.second.is_some()
            || self.description.model.translations_before() > 0
            || self.asked_choice().is_some();
        if !is_apart {
            return self.search_twice(&[], requests, options, step);
        }
        for (number, request) in requests.iter_mut().enumerate() {
            let mut flow = ControlFlow::Continue(());
            let DocumentRequest {
                document,
                sentences,
                known,
            } = request;
            self.translate_with(document, sentences, known, options, &mut |told| {
                flow = step(number, told);
                flow
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Translates sentences of a document, with these translations read behind each of them, the last one first.
    pub(super) fn translate_after(
        &self,
        before: &[Vec<u32>],
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        let request = DocumentRequest {
            document,
            sentences,
            known,
        };
        self.search_twice(before, &mut [request], options, &mut |_, told| step(told))
    }

    #[expect(clippy::too_many_lines, reason = "one loop with its state")]
    pub(super) fn search(
        &self,
        before: &[Vec<u32>],
        requests: &mut [DocumentRequest<'_>],
        options: &SearchOptions,
        step: &mut dyn FnMut(usize, Step) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut pending: HashMap<Place, Pending> = HashMap::new();
        for (number, request) in requests.iter().enumerate() {
            for &sentence in request.sentences {
                let text = &request.document.sentences[sentence].text;
                let Some(settled) = self.settled_in(request.document, text) else {
                    pending.insert((number, sentence), Pending::default());
                    continue;
                };
                let settled = Step::Translated {
                    index: sentence,
                    translation: settled,
                };
                if step(number, settled).is_break() {
                    return Ok(());
                }
            }
        }
        let mut gathered = Gathered {
            text: self.source_text(),
            ..Gathered::default()
        };
        for (number, request) in requests.iter_mut().enumerate() {
            self.gather(number, before, request, &mut pending, &mut gathered)?;
        }
        let Gathered {
            mut text,
            owners,
            wishes,
        } = gathered;
        // What is kept of a document is kept by its place in the text that was searched.
        let mut kept = match requests {
            [request] => std::mem::take(&mut request.known.encodings),
            _ => Encodings::default(),
        };
        let mut drafted = 0;
        let step = RefCell::new(step);
        let step_of = |number, told| (step.borrow_mut())(number, told);
        let idle = || (step.borrow_mut())(0, Step::Waiting);
        let (wishes, drafts) = (RefCell::new(wishes), RefCell::new(Vec::new()));
        let mut found = |found| match found {
            SearchEvent::Draft {
                number,
                hypothesis,
                left,
            } => {
                drafted += 1;
                let ((document, sentence), part) = owners[number];
                drafts.borrow_mut().push((number, hypothesis.ids.clone()));
                let known = &mut *requests[document].known;
                known.drafts.insert((sentence, part), hypothesis.ids);
                let drafted = Step::Drafted {
                    done: drafted,
                    num: drafted + left,
                };
                step_of(document, drafted)
            }
            SearchEvent::Translation { number, hypothesis } => {
                let (place, part) = owners[number];
                let settled = self.settled_terms(&mut wishes.borrow_mut(), number, hypothesis);
                let (Some(pending), Some((hypothesis, has_terms))) =
                    (pending.get_mut(&place), settled)
                else {
                    return ControlFlow::Continue(());
                };
                let others = self.alternatives(pending, part, &hypothesis.others);
                if !others.is_empty() {
                    let (index, texts) = (place.1, others);
                    let told = step_of(place.0, Step::Alternatives { index, texts });
                    if told.is_break() {
                        return told;
                    }
                }
                pending.lacks_terms |= !has_terms;
                pending.parts[part].1 = Some(hypothesis);
                let Some(translation) = self.joined(pending) else {
                    return ControlFlow::Continue(());
                };
                let (number, index) = place;
                let source = &requests[number].document.sentences[index].text;
                let translation = self.with_own_numbers(translation, source).checked(source);
                step_of(number, Step::Translated { index, translation })
            }
        };
        let (model, vocabulary) = (&self.model, &*self.tokenizer);
        if self.elsewhere.is_none() {
            model.read_packed()?;
        }
        let is_cancelled = Cell::new(false);
        let mut found = |event| {
            let flow = found(event);
            is_cancelled.set(is_cancelled.get() || flow.is_break());
            flow
        };
        let mut search_once = |text: &SourceText| match &self.elsewhere {
            Some(there) => {
                let model = self.model_elsewhere();
                there.search(model, text, options, &mut found, &mut || {
                    let flow = idle();
                    is_cancelled.set(is_cancelled.get() || flow.is_break());
                    flow
                })
            }
            None => Ok(search_documents(
                model, vocabulary, text, options, &mut kept, &mut found,
            )),
        };
        let search = || {
            if let Err(broken) = search_once(&text)? {
                return Ok(Err(broken));
            }
            // Once more, with their terms, what did without them.
            text.wanted = wishes.borrow().held();
            if is_cancelled.get() || text.wanted.is_empty() {
                return Ok(Ok(()));
            }
            text.terms.extend(self.term_constraints(&wishes.borrow()));
            text.known.extend(drafts.take());
            search_once(&text)
        };
        let searched = match self.device.attempt(search) {
            Ok(searched) => Ok(searched?),
            Err(message) => Err(message),
        };
        let name =
            |(document, sentence): Place| requests[document].document.sentence_name(sentence);
        // Markup may have been aligned by weights that only burn's layers read.
        model.check_read()?;
        match searched {
            Ok(Ok(())) => {
                if let [request] = requests {
                    request.known.encodings = kept;
                }
                Ok(())
            }
            Ok(Err(broken)) => Err(Error::InvalidScores {
                sentence: name(owners[broken.number].0),
                found: broken.found,
            }),
            // What the device holds is of no use to another one.
            Err(message) => {
                let places = requests.iter().enumerate().flat_map(|(number, request)| {
                    request.sentences.iter().map(move |&it| (number, it))
                });
                let places: Vec<Place> = places.collect();
                let is_missing = |place: &&Place| {
                    let pending = pending.get(place);
                    pending.is_some_and(|pending| pending.parts.iter().any(|it| it.1.is_none()))
                };
                let place = places.iter().find(is_missing).or(places.first());
                Err(Error::DeviceFailed {
                    sentence: place.map_or_else(String::new, |&place| name(place)),
                    message,
                })
            }
        }
    }

    /// Other translations of a sentence that is not translated in parts.
    fn alternatives(
        &self,
        pending: &mut Pending,
        part: usize,
        others: &[Hypothesis],
    ) -> Vec<String> {
        if pending.parts.len() > 1 {
            return Vec::new();
        }
        let mut texts = Vec::with_capacity(others.len());
        for other in others {
            pending.parts[part].1 = Some(other.clone());
            texts.extend(self.joined(pending).map(|translation| translation.text));
        }
        pending.parts[part].1 = None;
        texts
    }

    /// Adds the sentences of a document that are translated, or read for them, to those that are searched.
    pub(super) fn gather(
        &self,
        number: usize,
        before: &[Vec<u32>],
        request: &mut DocumentRequest<'_>,
        pending: &mut HashMap<Place, Pending>,
        gathered: &mut Gathered,
    ) -> Result<()> {
        let DocumentRequest {
            document,
            sentences,
            known,
        } = request;
        // A model that reads sentences by themselves needs no others.
        let is_pending = |sentence: &usize| pending.contains_key(&(number, *sentence));
        let mut read: Vec<usize> = if self.model.reads_documents() {
            (0..document.sentences.len()).collect()
        } else {
            sentences.iter().copied().filter(is_pending).collect()
        };
        read.sort_unstable();
        read.dedup();
        if known.contexts.is_none() {
            known.contexts = Some(self.bert_sequences(document, None)?);
        }
        let contexts = known.contexts.as_deref().unwrap_or_default();
        let Gathered {
            text,
            owners,
            wishes,
        } = gathered;
        let (begin, mut numbers) = (text.sentences.len(), HashMap::new());
        for sentence in read {
            let Sentence {
                text: source,
                points,
                ..
            } = &document.sentences[sentence];
            let preparation = self.prepared(source, points);
            let points = &preparation.points;
            let stripped = self.stripped(&preparation);
            let read = stripped
                .as_ref()
                .map_or(&preparation.text, |stripped| &stripped.text);
            let parts = self.parts(read);
            let position = document.position(sentence);
            let first = text.sentences.len();
            let fixed = known.fixed.get(&sentence).cloned();
            let fixed = fixed.or_else(|| {
                self.settled_in(document, source)
                    .map(|settled| settled.text)
            });
            let fixed = fixed.filter(|_| parts.len() == 1);
            for (part, source) in parts.iter().enumerate() {
                let row = text.sentences.len();
                let draft = || known.drafts.get(&(sentence, part)).cloned();
                let fixed = fixed.as_ref();
                let fixed = fixed.map(|fixed| self.read_ids_of_translation(fixed, read));
                if let Some(ids) = fixed.or_else(draft) {
                    text.known.insert(row, ids);
                }
                if pending.contains_key(&(number, sentence)) {
                    match known.term_sources.get(&sentence) {
                        None => wishes.add(row, source, self.terms.as_deref()),
                        // Nobody knows in which part they belong.
                        Some(_) if parts.len() > 1 => {}
                        Some(source) => wishes.add(row, source, self.terms.as_deref()),
                    }
                    let asked = self.asked_address(document, sentence, (source, known));
                    text.terms.extend(asked.map(|asked| (row, asked)));
                }
                let mut ids = self.read_ids(source.trim(), points);
                ids.extend(self.suffix(before, ids.len()));
                text.sentences.push(SourceSentence {
                    ids,
                    position: (position.sentence_in_paragraph, position.paragraph),
                });
                text.pieces.extend(contexts.get(sentence).cloned());
                owners.push(((number, sentence), part));
            }
            numbers.insert(sentence, first..text.sentences.len());
            if let Some(pending) = pending.get_mut(&(number, sentence)) {
                let parts = parts.into_iter();
                pending.parts = parts.map(|part| (part.to_owned(), None)).collect();
                (pending.stripped, pending.preparation) = (stripped, preparation);
            }
        }
        if begin < text.sentences.len() {
            text.documents.push(begin..text.sentences.len());
        }
        let wanted = sentences
            .iter()
            .filter(|&&sentence| pending.contains_key(&(number, sentence)));
        let wanted = wanted.flat_map(|sentence| numbers[sentence].clone());
        text.wanted.extend(wanted);
        Ok(())
    }
}
