//! The sentences of documents as a search reads them.

use std::collections::HashMap;

use super::{DocumentRequest, JointSearch};
use crate::error::Result;
use crate::inference::markup_projection::StrippedSource;
use crate::inference::preparation::Preparation;
use crate::inference::translation::{Flag, Translation};
use crate::inference::translator::TermWishes;
use canopy_document::document::{Sentence, section_numbers};
use canopy_nn::search::{Hypothesis, SourceSentence, SourceText};
use canopy_tokenize::Side;

/// A sentence by the number of its document and its own.
pub(in crate::inference) type Place = (usize, usize);

/// A sentence under translation: its parts, and what came of them.
#[derive(Debug, Default)]
pub(in crate::inference) struct Pending {
    /// The sentence without the markup that the model does not read.
    stripped: Option<StrippedSource>,
    preparation: Preparation,
    pub parts: Vec<(String, Option<Hypothesis>)>,
    /// Whether a part does without one of its terms.
    pub lacks_terms: bool,
}

/// The sentences that a search reads, and whose parts they are.
#[derive(Debug)]
pub(in crate::inference) struct Gathered<'t> {
    pub text: SourceText,
    /// Place and part of each.
    pub owners: Vec<(Place, usize)>,
    pub wishes: TermWishes<'t>,
    /// Sentences to translate.
    pub pending: HashMap<Place, Pending>,
}

impl<'a> JointSearch<'a> {
    /// No sentences that are read yet, and places of those that are to be translated.
    pub(crate) fn gathered(&self, pending: impl Iterator<Item = Place>) -> Gathered<'a> {
        Gathered {
            text: self.reader.source_text(),
            owners: Vec::new(),
            wishes: TermWishes::new(self.translator),
            pending: pending.map(|place| (place, Pending::default())).collect(),
        }
    }

    /// Adds the sentences of a document that are translated, or read for them, to those that are searched.
    pub(crate) fn gather(
        &self,
        number: usize,
        request: &mut DocumentRequest<'_>,
        gathered: &mut Gathered<'_>,
    ) -> Result<()> {
        let DocumentRequest {
            document,
            sentences,
            known,
        } = request;
        let Gathered {
            text,
            owners,
            wishes,
            pending,
        } = gathered;
        // A model that reads sentences by themselves needs no others.
        let is_pending = |sentence: &usize| pending.contains_key(&(number, *sentence));
        let mut read: Vec<usize> = if self.translator.model().reads_documents() {
            (0..document.sentences.len()).collect()
        } else {
            sentences.iter().copied().filter(is_pending).collect()
        };
        read.sort_unstable();
        read.dedup();
        if known.contexts.is_none() {
            known.contexts = Some(self.reader.bert_sequences(document, None)?);
        }
        let contexts = known.contexts.as_deref().unwrap_or_default();
        let (begin, mut numbers) = (text.sentences.len(), HashMap::new());
        let sections = section_numbers(&document.sections);
        for sentence in read {
            let Sentence {
                text: source,
                points,
                ..
            } = &document.sentences[sentence];
            let preparation = self.reader.prepared(source, points);
            let points = &preparation.points;
            let stripped = self.reader.stripped(&preparation);
            let read = stripped
                .as_ref()
                .map_or(&preparation.text, |stripped| &stripped.text);
            let parts = self.reader.parts(read);
            let position = document.position(sentence);
            let first = text.sentences.len();
            let fixed = known.fixed.get(&sentence).cloned();
            let fixed = fixed.or_else(|| {
                let settled = self.reader.settled_in(document, source)?;
                Some(settled.text)
            });
            let fixed = fixed.filter(|_| parts.len() == 1);
            for (part, source) in parts.iter().enumerate() {
                let row = text.sentences.len();
                let draft = || known.drafts.get(&(sentence, part)).cloned();
                let fixed = fixed.as_ref();
                let fixed = fixed.map(|fixed| self.reader.read_ids_of_translation(fixed, read));
                if let Some(ids) = fixed.or_else(draft) {
                    text.known.insert(row, ids);
                }
                if pending.contains_key(&(number, sentence)) {
                    match self.pass.term_source {
                        None => wishes.add(row, source),
                        // Nobody knows in which part they belong.
                        Some(_) if parts.len() > 1 => {}
                        Some(document) => wishes.add(row, &document.sentences[sentence].text),
                    }
                    let form = self.pass.form;
                    let constraints = self
                        .translator
                        .resources()
                        .form_constraints(document, sentence, source, known, form);
                    text.terms
                        .extend(constraints.map(|constraints| (row, constraints)));
                }
                let mut ids = self.reader.read_ids(source.trim(), points);
                ids.extend(self.reader.suffix(self.pass.before, ids.len()));
                text.sentences.push(SourceSentence {
                    ids,
                    position: (position.sentence_in_paragraph, position.paragraph),
                });
                text.headings.push(sections[position.section]);
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

    /// The whole translation once all parts are translated.
    pub(super) fn joined(&self, pending: &Pending) -> Option<Translation> {
        let tokenizer = self.translator.tokenizer();
        let mut joined = Translation::written(String::new());
        // Our own vocabulary can write everything.
        let unknown = tokenizer.special().unk;
        let unknown = unknown.filter(|_| self.translator.vocabulary().is_none());
        for (source, hypothesis) in &pending.parts {
            let hypothesis = hypothesis.as_ref()?;
            let lead = source.len() - source.trim_start().len();
            joined.text += &source[..lead];
            joined.text += &tokenizer.decode(Side::Target, &hypothesis.ids);
            joined.text += &source[source.trim_end().len().max(lead)..];
            joined.log_prob += hypothesis.log_prob;
            joined.num_tokens += hypothesis.ids.len() + 1;
            joined.parts.push(hypothesis.ids.clone());
            let has_unknown = unknown.is_some_and(|unknown| hypothesis.ids.contains(&unknown));
            if has_unknown && !joined.flags.contains(&Flag::Unwritten) {
                joined.flags.push(Flag::Unwritten);
            }
            if hypothesis.cut_off && !joined.flags.contains(&Flag::CutOff) {
                joined.flags.push(Flag::CutOff);
            }
        }
        if pending.parts.len() > 1 {
            joined.flags.push(Flag::Split);
        }
        if pending.lacks_terms {
            joined.flags.push(Flag::Terms);
        }
        if let Some(stripped) = &pending.stripped {
            let parts = pending.parts.iter().map(|(source, hypothesis)| {
                let ids = hypothesis
                    .as_ref()
                    .map(|hypothesis| hypothesis.ids.as_slice());
                (source.as_str(), ids.unwrap_or_default())
            });
            let parts: Vec<_> = parts.collect();
            joined = self.translator.aligner().put_back(joined, stripped, &parts);
            // Pieces that are a space each, in front of one that begins with a space.
            while joined.text.contains("  ") {
                joined.text = joined.text.replace("  ", " ");
            }
        }
        joined.text = pending.preparation.restored(joined.text);
        Some(joined)
    }

    /// Other translations of a sentence that is not translated in parts; none that says nothing.
    pub(super) fn alternatives(
        &self,
        (pending, part): (&mut Pending, usize),
        others: &[Hypothesis],
        source: &str,
    ) -> Vec<Translation> {
        if pending.parts.len() > 1 {
            return Vec::new();
        }
        let mut found = Vec::with_capacity(others.len());
        for other in others {
            pending.parts[part].1 = Some(other.clone());
            let other = self.joined(pending).map(|it| self.whole(it, source));
            found.extend(other.filter(|it| !it.flags.contains(&Flag::Empty)));
        }
        pending.parts[part].1 = None;
        found
    }
}
