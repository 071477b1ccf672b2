//! Sentences one after the other, where the encoder reads the translations of those before.

use std::ops::ControlFlow;

use super::{KnownTranslations, Step, Translator};
use canopy_base::error::Result;
use canopy_corpus::memory::{constraint_suffix, previous_suffix};
use canopy_document::document::Document;
use canopy_metrics::discourse::FormOfAddress;
use canopy_nn::search::SearchOptions;
use canopy_tokenize::Side;

impl Translator {
    /// Translates the named sentences in the order of the document, each behind the translations of those before it: what
    /// somebody has edited or confirmed, what has been found, else a draft that is made first.
    pub(super) fn translate_sequentially(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut wanted = sentences.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        for sentence in wanted {
            let mut missing = self.before(sentence).collect::<Vec<_>>();
            missing.retain(|&other| !self.is_known(document, other, known));
            let num = missing.len();
            for (done, other) in missing.into_iter().enumerate() {
                let flow = self.translate_next(document, other, known, options, &mut |_| {
                    ControlFlow::Continue(())
                })?;
                debug_assert!(flow.is_continue(), "nobody breaks it off");
                let drafted = Step::Drafted {
                    done: done + 1,
                    num,
                };
                if step(drafted).is_break() {
                    return Ok(());
                }
            }
            let flow = self.translate_next(document, sentence, known, options, step)?;
            if flow.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Translates a sentence behind what is known of those before it, and keeps what is found.
    fn translate_next(
        &self,
        document: &Document,
        sentence: usize,
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let before = self.read_before(document, sentence, known);
        let (mut found, mut flow) = (Vec::new(), ControlFlow::Continue(()));
        let mut keep = |told| {
            if let Step::Translated { translation, .. } = &told {
                found.clone_from(&translation.parts);
            }
            flow = step(told);
            flow
        };
        self.translate_after(&before, document, &[sentence], known, options, &mut keep)?;
        for (part, ids) in found.into_iter().enumerate() {
            known.drafts.insert((sentence, part), ids);
        }
        Ok(flow)
    }

    fn before(&self, sentence: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.description.model.translations_before();
        sentence.saturating_sub(count)..sentence
    }

    /// The translations that are read behind a sentence, or the form in which the last of them addresses somebody.
    pub(in crate::inference) fn read_before(
        &self,
        document: &Document,
        sentence: usize,
        known: &KnownTranslations,
    ) -> Vec<Vec<u32>> {
        if !self.description.model.address_form {
            let before = self.translations_before(document, sentence, known);
            return before.into_iter().map(|(_, ids)| ids).collect();
        }
        let target = |other| {
            let ids = self.known_ids(document, other, known)?;
            Some(self.tokenizer().decode(Side::Target, &ids))
        };
        let source = |other: usize| document.sentences[other].text.as_str();
        let form = FormOfAddress::last_before(sentence, source, target);
        let encode = |form: FormOfAddress| {
            self.tokenizer()
                .encode(Side::Source, form.side_constraint())
        };
        form.map(encode).into_iter().collect()
    }

    /// The known ones of the translations that are read behind a sentence, each with its number, in their order.
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

    /// What the encoder reads behind a sentence of `own` tokens, of what [`Self::read_before`] found.
    pub fn suffix(&self, before: &[Vec<u32>], own: usize) -> Vec<u32> {
        let config = &self.description.model;
        if config.address_form {
            return constraint_suffix(before.first().cloned(), own, config.max_tokens);
        }
        self.suffix_of_translations(before, own, self.model.tokens().sentence_break())
    }

    /// The translations that the encoder reads behind a sentence of `own` tokens, as [`previous_suffix`] puts them.
    pub(in crate::inference) fn suffix_of_translations(
        &self,
        before: &[Vec<u32>],
        own: usize,
        sentence_break: u32,
    ) -> Vec<u32> {
        let nearest = before.iter().rev().map(Vec::as_slice);
        let max_tokens = self.description.model.max_tokens;
        previous_suffix(nearest, own, (sentence_break, max_tokens))
    }

    /// Whether a sentence has a translation.
    fn is_known(&self, document: &Document, sentence: usize, known: &KnownTranslations) -> bool {
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
            return Some(self.tokenizer().encode(Side::Target, fixed.trim()));
        }
        let parts = (0..).map_while(|part| known.drafts.get(&(sentence, part)));
        let parts: Vec<&Vec<u32>> = parts.collect();
        (!parts.is_empty()).then(|| parts.into_iter().flatten().copied().collect())
    }
}
