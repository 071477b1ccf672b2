//! Translations of the sentences before, which an encoder reads after a sentence.

use std::ops::Range;

use super::ModelReader;
use crate::inference::pipeline::KnownTranslations;
use canopy_corpus::memory::{constraint_suffix, previous_suffix};
use canopy_document::document::Document;
use canopy_metrics::formality::Formality;
use canopy_tokenize::Side;

impl ModelReader<'_> {
    /// The sentences before one whose translations are read after it.
    pub fn before(&self, sentence: usize) -> Range<usize> {
        let count = self.translator.description().model.translations_before();
        sentence.saturating_sub(count)..sentence
    }

    /// The translations that are read after a sentence, or the form of address of the last of them.
    pub(in crate::inference) fn read_before(
        &self,
        document: &Document,
        sentence: usize,
        known: &KnownTranslations,
    ) -> Vec<Vec<u32>> {
        if !self.translator.description().model.reads_formality {
            let before = self.translations_before(document, sentence, known);
            return before.into_iter().map(|(_, ids)| ids).collect();
        }
        let target = |other| {
            let ids = self.known_ids(document, other, known)?;
            Some(self.translator.tokenizer().decode(Side::Target, &ids))
        };
        let source = |other: usize| document.sentences[other].text.as_str();
        let form = Formality::last_before(sentence, source, target);
        let encode = |form: Formality| {
            self.translator
                .tokenizer()
                .encode(Side::Source, form.side_constraint())
        };
        form.map(encode).into_iter().collect()
    }

    /// The known ones of the translations that are read after a sentence, each with its number, in their order.
    pub(in crate::inference) fn translations_before(
        &self,
        document: &Document,
        sentence: usize,
        known: &KnownTranslations,
    ) -> Vec<(usize, Vec<u32>)> {
        let before = self.before(sentence);
        let known =
            before.filter_map(|other| Some((other, self.known_ids(document, other, known)?)));
        known.collect()
    }

    /// The ids that the encoder reads after a sentence of `own` tokens, of what was read before it.
    pub fn suffix(&self, before: &[Vec<u32>], own: usize) -> Vec<u32> {
        let config = &self.translator.description().model;
        if config.reads_formality {
            return constraint_suffix(before.first().cloned(), own, config.max_tokens);
        }
        self.suffix_of_translations(
            before,
            own,
            self.translator.model().network.tokens().sentence_break(),
        )
    }

    /// The translations that the encoder reads after a sentence of `own` tokens, as [`previous_suffix`] puts them.
    pub(in crate::inference) fn suffix_of_translations(
        &self,
        before: &[Vec<u32>],
        own: usize,
        sentence_break: u32,
    ) -> Vec<u32> {
        let nearest = before.iter().rev().map(Vec::as_slice);
        let max_tokens = self.translator.description().model.max_tokens;
        previous_suffix(nearest, own, (sentence_break, max_tokens))
    }

    /// Whether a sentence has a translation.
    pub(in crate::inference) fn is_known(
        &self,
        document: &Document,
        sentence: usize,
        known: &KnownTranslations,
    ) -> bool {
        known.fixed.contains_key(&sentence)
            || known.drafts.contains_key(&(sentence, 0))
            || self
                .settled_in(document, &document.sentences[sentence].text)
                .is_some()
    }

    /// The translation of a sentence that others read.
    fn known_ids(
        &self,
        document: &Document,
        sentence: usize,
        known: &KnownTranslations,
    ) -> Option<Vec<u32>> {
        let source = &document.sentences[sentence].text;
        let fixed = known.fixed.get(&sentence).cloned();
        let fixed = fixed.or_else(|| {
            self.settled_in(document, source)
                .map(|settled| settled.text)
        });
        if let Some(fixed) = fixed {
            return Some(
                self.translator
                    .tokenizer()
                    .encode(Side::Target, fixed.trim()),
            );
        }
        let parts = (0..).map_while(|part| known.drafts.get(&(sentence, part)));
        let parts: Vec<&Vec<u32>> = parts.collect();
        (!parts.is_empty()).then(|| parts.into_iter().flatten().copied().collect())
    }
}
