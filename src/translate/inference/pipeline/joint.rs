//! Sentences of one document or several, searched together: what one search shares is time, not text.

use std::ops::ControlFlow;

use super::gathering::{Gathered, Pending, Place};
use super::{DocumentRequest, OnEvent, Pass, Step, TranslationEvent};
use crate::error::{BaseError, Error, Result};
use crate::inference::reading::ModelReader;
use crate::inference::translation::Translation;
use crate::inference::translator::Translator;
use canopy_nn::search::{EncodingCache, InvalidScores, SearchEvent, SourceText, search_documents};

/// A search over sentences of documents.
#[derive(Debug, Clone, Copy)]
pub(in crate::inference) struct JointSearch<'a> {
    pub(super) translator: &'a Translator,
    /// As the sentences are read, which may be otherwise than the translator's own reader does.
    pub(super) reader: ModelReader<'a>,
    pub(super) pass: Pass<'a>,
}

/// A sentence by the number of its document and its own, and its translation.
pub(super) type Found = (usize, usize, Translation);

/// A search under way: what is found is put together, and reported.
struct Running<'s, 'r> {
    search: JointSearch<'s>,
    documents: &'s mut [DocumentRequest<'r>],
    gathered: Gathered<'s>,
    /// Drafts that were found, for the search that follows.
    drafts: Vec<(usize, Vec<u32>)>,
    /// Translations that are doubtful are put here instead of being reported.
    doubtful: Option<&'s mut Vec<Found>>,
    on_event: &'s mut OnEvent<'s>,
    flow: ControlFlow<()>,
}

impl<'a> JointSearch<'a> {
    pub(crate) fn new(translator: &'a Translator, pass: Pass<'a>) -> Self {
        Self {
            translator,
            reader: translator.reader(),
            pass,
        }
    }

    pub(crate) fn reader(&self) -> ModelReader<'a> {
        self.reader
    }

    /// Reports what settles sentences, then searches the others. Doubtful translations are put into `doubtful`, if it is given.
    pub(super) fn search(
        &self,
        documents: &mut [DocumentRequest<'_>],
        doubtful: Option<&mut Vec<Found>>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut running = Running {
            search: *self,
            documents: &mut *documents,
            gathered: self.gathered(std::iter::empty()),
            drafts: Vec::new(),
            doubtful,
            on_event,
            flow: ControlFlow::Continue(()),
        };
        if running.settle().is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for (number, request) in running.documents.iter_mut().enumerate() {
            self.gather(number, request, &mut running.gathered)?;
        }
        // What is kept of a document is kept by its place in the text that was searched.
        let mut kept = match running.documents {
            [request] => std::mem::take(&mut request.known.encodings),
            _ => EncodingCache::default(),
        };
        let model = self.translator.model();
        let loaded = self.translator.loaded();
        if loaded.remote().is_none() {
            model.read_packed()?;
        }
        let searched = loaded.device.attempt(|| running.search_all(&mut kept));
        // Markup may have been aligned by weights that only burn's layers read.
        model.check_read()?;
        match searched {
            Ok(searched) => match searched? {
                Ok(()) => {
                    if let [request] = running.documents {
                        request.known.encodings = kept;
                    }
                    Ok(running.flow)
                }
                Err(broken) => Err(Error::Base(BaseError::InvalidScores {
                    sentence: running.name(running.gathered.owners[broken.number].0),
                    found: broken.found,
                })),
            },
            // What the device holds is of no use to another one.
            Err(message) => Err(Error::DeviceFailed {
                sentence: running.name_of_missing(),
                message,
            }),
        }
    }
}

impl JointSearch<'_> {
    /// A translation as it is reported: its numbers as its language writes them, and with flags.
    pub(super) fn whole(&self, translation: Translation, source: &str) -> Translation {
        let info = self.translator.info();
        let languages = [&info.source_language, &info.target_language];
        let translation = translation.localised(source, languages.map(String::as_str));
        translation.checked(source)
    }
}

impl Running<'_, '_> {
    /// Reports the translations that no model has to find; the other sentences are pending.
    fn settle(&mut self) -> ControlFlow<()> {
        for number in 0..self.documents.len() {
            let DocumentRequest {
                document,
                sentences,
                ..
            } = self.documents[number];
            for &sentence in sentences {
                let text = &document.sentences[sentence].text;
                let Some(settled) = self.search.reader.settled_in(document, text) else {
                    let pending = &mut self.gathered.pending;
                    pending.insert((number, sentence), Pending::default());
                    continue;
                };
                self.finish((number, sentence), settled)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Searches, and once more, with their terms, what did without them.
    fn search_all(&mut self, kept: &mut EncodingCache) -> Result<Result<(), InvalidScores>> {
        let mut text = std::mem::take(&mut self.gathered.text);
        if let Err(broken) = self.search_once(&text, kept)? {
            return Ok(Err(broken));
        }
        text.wanted = self.gathered.wishes.held();
        if self.flow.is_break() || text.wanted.is_empty() {
            return Ok(Ok(()));
        }
        text.terms.extend(self.gathered.wishes.constraints());
        text.known.extend(self.drafts.drain(..));
        self.search_once(&text, kept)
    }

    /// Searches here or on the machine that searches in place of this one.
    fn search_once(
        &mut self,
        text: &SourceText,
        kept: &mut EncodingCache,
    ) -> Result<Result<(), InvalidScores>> {
        let (translator, options) = (self.search.translator, self.search.pass.options);
        if let Some(there) = translator.loaded().remote() {
            let model = translator.loaded().remote_model();
            return there.search(model, text, options, &mut |found| match found {
                Some(found) => self.take(found),
                None => self.report(0, Step::Waiting),
            });
        }
        let (model, tokenizer) = (translator.model(), translator.tokenizer());
        let found = &mut |found| self.take(found);
        Ok(search_documents(
            model, tokenizer, text, options, kept, found,
        ))
    }

    fn take(&mut self, event: SearchEvent) -> ControlFlow<()> {
        match event {
            SearchEvent::Draft {
                number,
                hypothesis,
                left,
            } => {
                let ((document, sentence), part) = self.gathered.owners[number];
                self.drafts.push((number, hypothesis.ids.clone()));
                let known = &mut *self.documents[document].known;
                known.drafts.insert((sentence, part), hypothesis.ids);
                let done = self.drafts.len();
                let num = done + left;
                self.report(document, Step::Drafted { done, num })
            }
            SearchEvent::Translation { number, hypothesis } => {
                let (place, part) = self.gathered.owners[number];
                let settled = self.gathered.wishes.settle(number, hypothesis);
                let pending = self.gathered.pending.get_mut(&place);
                let (Some(pending), Some((hypothesis, has_terms))) = (pending, settled) else {
                    return ControlFlow::Continue(());
                };
                let search = self.search;
                let (document, index) = place;
                let source = &self.documents[document].document.sentences[index].text;
                let translations = search.alternatives((pending, part), &hypothesis.others, source);
                pending.lacks_terms |= !has_terms;
                pending.parts[part].1 = Some(hypothesis);
                let joined = search.joined(pending);
                if !translations.is_empty() {
                    let step = Step::Alternatives {
                        index,
                        translations,
                    };
                    self.report(document, step)?;
                }
                let Some(translation) = joined else {
                    return ControlFlow::Continue(());
                };
                self.finish(place, search.whole(translation, source))
            }
        }
    }

    /// Reports a translation, or puts it aside.
    fn finish(&mut self, (number, index): Place, translation: Translation) -> ControlFlow<()> {
        let document = self.documents[number].document;
        if let Some(doubtful) = &mut self.doubtful
            && self.search.is_doubtful(document, index, &translation)
        {
            doubtful.push((number, index, translation));
            return ControlFlow::Continue(());
        }
        self.report(number, Step::Translated { index, translation })
    }

    fn report(&mut self, document: usize, step: Step) -> ControlFlow<()> {
        let flow = (self.on_event)(TranslationEvent { document, step });
        if flow.is_break() {
            self.flow = flow;
        }
        flow
    }

    fn name(&self, (document, sentence): Place) -> String {
        self.documents[document].document.sentence_name(sentence)
    }

    /// The name of the first sentence that has no translation yet.
    fn name_of_missing(&self) -> String {
        let places = self.documents.iter().enumerate();
        let places = places.flat_map(|(number, request)| {
            let sentences = request.sentences.iter();
            sentences.map(move |&sentence| (number, sentence))
        });
        let is_missing = |place: &Place| {
            let pending = self.gathered.pending.get(place);
            pending.is_some_and(|pending| pending.parts.iter().any(|it| it.1.is_none()))
        };
        let missing = places.clone().find(is_missing);
        let place = missing.or_else(|| places.clone().next());
        place.map_or_else(String::new, |place| self.name(place))
    }
}
