//! Texts and documents as a model reads them.

mod before;
mod settled;

use std::borrow::Cow;

use super::bert_sequences::bert_sequences;
use super::markup_projection::StrippedSource;
use super::parts::parts;
use super::preparation::{Preparation, Reader};
use super::translation::with_markup_of;
use super::translator::Translator;
use crate::error::Result;
use canopy_corpus::DocumentUnits;
use canopy_document::cut_into_sentences;
use canopy_document::document::Document;
use canopy_document::placeholder::{self, Placeholder};
use canopy_nn::model::{BertSequence, ContextSentence};
use canopy_nn::search::{SourceFrame, SourceText};
use canopy_tokenize::Side;

/// How a model reads texts, where there is a choice.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadingOptions {
    /// Whether markup is put into translations by alignment, though the vocabulary has placeholders.
    pub strips_markup: bool,
    /// Whether units that it is scored on are cut into sentences.
    pub cuts_units: bool,
    /// How many tokens a part of a sentence has at most, if fewer than the model reads.
    pub longest_part: Option<usize>,
    /// Whether it reads no names of files.
    pub hides_names: bool,
}

/// Texts and documents as a model reads them: prepared, in parts, as ids.
#[derive(Debug, Clone, Copy)]
pub struct ModelReader<'t> {
    translator: &'t Translator,
    pub(super) options: ReadingOptions,
}

impl Translator {
    /// How this model reads texts.
    pub fn reader(&self) -> ModelReader<'_> {
        ModelReader {
            translator: self,
            options: self.options().reading,
        }
    }
}

impl<'m> ModelReader<'m> {
    /// A reader of the same model with other options.
    #[must_use]
    pub(super) fn with(self, options: ReadingOptions) -> Self {
        Self { options, ..self }
    }

    /// No sentences yet, but the surroundings of each of them.
    pub(super) fn source_text(&self) -> SourceText {
        SourceText {
            frame: SourceFrame::from_special_ids(self.translator.tokenizer().special()),
            ..SourceText::default()
        }
    }

    /// The ids of a text, whose points show `points`, with what the model reads of its memory after them.
    pub(in crate::inference) fn read_ids(&self, text: &str, points: &[String]) -> Vec<u32> {
        let mut ids = self.translator.tokenizer().encode(Side::Source, text);
        let shown = placeholder::visible(text, points);
        let suffix = self.translator.description().fuzzy_suffix(
            &shown,
            ids.len(),
            self.translator.tokenizer(),
        );
        ids.extend(suffix);
        ids
    }

    /// Prepares what the model reads with the units of a document: what BERT reads, with `contexts` or what is chosen in
    /// the document, and what is in the model's memory.
    ///
    /// # Errors
    /// If BERT returns non-finite numbers, or the encoder that finds contexts cannot be read.
    pub fn add_auxiliary_inputs(
        &self,
        units: &mut DocumentUnits,
        contexts: Option<&[Option<String>]>,
    ) -> Result<()> {
        if self.translator.description().memory.is_some() {
            let tokenizer = self.translator.tokenizer();
            let fuzzy_suffix =
                units
                    .sources
                    .iter()
                    .zip(&units.shown)
                    .map(|((_, source), shown)| {
                        let own = tokenizer.encode(Side::Source, source).len();
                        self.translator
                            .description()
                            .fuzzy_suffix(shown, own, tokenizer)
                    });
            units.source_suffix = fuzzy_suffix.collect();
        }
        let sequences = match (self.translator.model().bert(), contexts) {
            (Some(_), Some(contexts)) => {
                let pairs = units.shown.iter().zip(contexts);
                let sequence = |(text, context): (&String, &Option<String>)| {
                    self.translator
                        .description()
                        .bert_sequence(text, context.as_deref())
                };
                pairs.map(sequence).collect()
            }
            _ => bert_sequences(self.translator, &units.shown)?,
        };
        let sequences = sequences.into_iter();
        units.pieces = sequences.map(|it| (it.ids, it.of_first)).collect();
        Ok(())
    }

    /// BERT's sequence of a sentence outside documents; None if the model reads no BERT.
    pub fn bert_sequence_alone(&self, text: &str) -> Option<BertSequence> {
        let (_, sentence) = self.translator.model().bert()?;
        let context = (sentence == ContextSentence::Same).then_some(text);
        Some(self.translator.description().bert_sequence(text, context))
    }

    /// BERT's sequences of every sentence of a document, of which one may be left out; none if the model reads no BERT.
    pub(in crate::inference) fn bert_sequences(
        &self,
        document: &Document,
        left_out: Option<usize>,
    ) -> Result<Vec<BertSequence>> {
        let mut texts = document.plain_texts();
        let Some(left_out) = left_out.filter(|_| self.translator.model().bert().is_some()) else {
            return bert_sequences(self.translator, &texts);
        };
        let own = texts.remove(left_out);
        let mut sequences = bert_sequences(self.translator, &texts)?;
        let reads_previous = self
            .translator
            .model()
            .bert()
            .is_some_and(|(_, sentence)| sentence == ContextSentence::Previous);
        // The sentence after it does not read the one before it in its place.
        if let Some(next) = texts.get(left_out).filter(|_| reads_previous) {
            sequences[left_out] = self.translator.description().bert_sequence(next, None);
        }
        sequences.insert(
            left_out,
            self.translator.description().bert_sequence(&own, None),
        );
        Ok(sequences)
    }

    /// A unit that it is scored on in parts that the model reads. It is not cut into sentences where its translation is
    /// known: it is unknown where to cut that.
    pub(in crate::inference) fn scored_parts<'t>(
        &self,
        text: &'t str,
        known: bool,
    ) -> Vec<&'t str> {
        let sentences = if self.options.cuts_units && !known {
            cut_into_sentences(text, &self.translator.info().source_language)
        } else {
            vec![text]
        };
        sentences
            .into_iter()
            .flat_map(|it| self.parts(it))
            .collect()
    }

    /// The sentences of all units of a document, or of what they are cut into, as a reader sees them.
    pub fn sentences_of_units(&self, units: &DocumentUnits) -> Vec<String> {
        let sentences = units.shown.iter().enumerate().flat_map(|(unit, text)| {
            let is_known = units.known.get(unit).is_some();
            let parts = self.scored_parts(text, is_known).into_iter();
            parts.map(|part| part.trim().to_owned())
        });
        sentences.collect()
    }

    /// A sentence in parts that the model reads.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let longest = self.translator.description().model.max_tokens - 1;
        let longest = self
            .options
            .longest_part
            .map_or(longest, |part| part.min(longest));
        parts(text, longest, &|text| {
            self.translator
                .tokenizer()
                .encode(Side::Source, text.trim())
                .len()
        })
    }

    /// Whether markup is put into translations by alignment.
    pub fn strips_markup(&self) -> bool {
        self.options.strips_markup || self.translator.tokenizer().placeholder_ids().is_empty()
    }

    /// A sentence without the markup that the model does not read; none if it reads all.
    pub(in crate::inference) fn stripped(&self, prepared: &Preparation) -> Option<StrippedSource> {
        let Preparation { text, points, .. } = prepared;
        if self.strips_markup() {
            return Some(StrippedSource::from_text(text, points));
        }
        StrippedSource::around_read(text, points)
    }

    /// A sentence whose points show `points`, prepared for the model.
    pub(in crate::inference) fn prepared(&self, text: &str, points: &[String]) -> Preparation {
        Preparation::from_text(text, points, self.reads(Side::Source))
    }

    /// Prepares a text without names of files, too.
    pub(in crate::inference) fn prepared_without_names(&self, text: &str) -> Preparation {
        let reader = Reader {
            hides_names: true,
            ..self.reads(Side::Source)
        };
        Preparation::from_text(text, &[], reader)
    }

    fn reads(&self, side: Side) -> Reader<'m> {
        Reader {
            tokenizer: self.translator.tokenizer(),
            side,
            reads_points: !self.strips_markup(),
            hides_names: self.options.hides_names || self.strips_markup(),
            target_language: &self.translator.description().languages.target,
        }
    }

    /// A sentence as the model reads it.
    pub(in crate::inference) fn read_text<'t>(
        &self,
        text: &'t str,
        points: &[String],
    ) -> Cow<'t, str> {
        let prepared = self.prepared(text, points);
        match self.stripped(&prepared) {
            Some(stripped) => Cow::Owned(stripped.text),
            None if prepared.text == text => Cow::Borrowed(text),
            None => Cow::Owned(prepared.text),
        }
    }

    /// A translation as the model reads it, if others read it.
    pub(in crate::inference) fn read_translation<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.strips_markup() {
            return Cow::Owned(placeholder::folded(&placeholder::stripped(text)));
        }
        let text = text.trim();
        let prepared = Preparation::from_text(text, &[], self.reads(Side::Target));
        if prepared.text == text {
            return Cow::Borrowed(text);
        }
        Cow::Owned(prepared.text)
    }

    /// The ids of a translation that others read, without the markup that is not in its source as the model reads it.
    pub(in crate::inference) fn read_ids_of_translation(
        &self,
        text: &str,
        source: &str,
    ) -> Vec<u32> {
        let is_unread = |c: char| Placeholder::from_char(c).is_some() && !source.contains(c);
        let text = if text.contains(is_unread) {
            let is_known = |&c: &char| Placeholder::from_char(c).is_none() || text.contains(c);
            let known: String = source.chars().filter(is_known).collect();
            Cow::Owned(with_markup_of(&known, text))
        } else {
            Cow::Borrowed(text)
        };
        let ids = self
            .translator
            .tokenizer()
            .encode(Side::Target, &self.read_translation(&text));
        self.translator.tokenizer().special().begun(ids)
    }
}
