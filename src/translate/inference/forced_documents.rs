//! Given translations of sentences, each scored in its document: several documents at once.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::tracing::TracedText;
use super::translator::Translator;
use crate::error::{BaseError, Error, Result};
use canopy_nn::search::{Candidates, InvalidScores, SearchOptions, SourceText, force_documents};
use canopy_tokenize::{Side, Tokenizer};

/// Documents, and the parts of sentences of theirs with their translations.
#[derive(Default)]
pub(super) struct ForcedDocuments {
    text: SourceText,
    candidates: Candidates,
    /// For each wanted part, the number of its sentence among all that are scored.
    owners: HashMap<usize, usize>,
    num_scored: usize,
}

/// Text that a model of target context reads for a sentence without a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untranslated {
    /// A draft of its own.
    Draft,
    /// Nothing, as in a trace.
    Nothing,
}

impl ForcedDocuments {
    /// Adds a document, of which the translation of `sentence` is scored.
    pub(crate) fn push(&mut self, traced: &TracedText, sentence: usize, others: Untranslated) {
        let first = self.push_text(traced);
        let scored = self.num_scored;
        self.num_scored += 1;
        for (number, part) in traced.parts.iter().enumerate() {
            let number = first + number;
            match &part.target {
                Some(ids) if part.sentence == sentence => {
                    self.text.wanted.push(number);
                    self.owners.insert(number, scored);
                    self.candidates.insert(number, vec![ids.clone()]);
                }
                Some(ids) => {
                    self.text.known.insert(number, ids.clone());
                }
                None if others == Untranslated::Nothing => {
                    self.text.known.insert(number, Vec::new());
                }
                None => {}
            }
        }
    }

    /// Adds a document of `count` sentences, all translations of which are scored, each with the others known, but those in
    /// parts of `longest` tokens or more.
    pub(crate) fn push_whole(&mut self, traced: &TracedText, count: usize, longest: usize) {
        let first = self.push_text(traced);
        for (number, part) in traced.parts.iter().enumerate() {
            let number = first + number;
            let ids = part.target.clone().unwrap_or_default();
            if part.target.is_some() && ids.len() < longest {
                self.text.wanted.push(number);
                self.owners.insert(number, self.num_scored + part.sentence);
                self.candidates.insert(number, vec![ids.clone()]);
            }
            self.text.known.insert(number, ids);
        }
        self.num_scored += count;
    }

    /// Adds the source of a document; returns the number of its first part.
    fn push_text(&mut self, traced: &TracedText) -> usize {
        let source = traced.source_text();
        let first = self.text.sentences.len();
        self.text.frame = source.frame;
        self.text.sentences.extend(source.sentences);
        self.text.pieces.extend(source.pieces);
        self.text.documents.push(first..self.text.sentences.len());
        first
    }

    /// Source tokens of all documents.
    pub(crate) fn num_tokens(&self) -> usize {
        let sentences = self.text.sentences.iter();
        sentences.map(|sentence| sentence.ids.len() + 1).sum()
    }

    /// Subwords of the translation of a scored sentence, and the ends of its parts.
    pub(crate) fn pieces(&self, scored: usize, vocabulary: &dyn Tokenizer) -> Vec<String> {
        let own = self.text.wanted.iter();
        let own = own.filter(|&number| self.owners[number] == scored);
        let eos = vocabulary.special().eos;
        let ids = own.flat_map(|number| self.candidates[number][0].iter().chain([&eos]));
        ids.map(|&id| vocabulary.piece(Side::Target, id)).collect()
    }

    /// The natural logarithm of the probability of each subword, after those before it, of each scored sentence; `name` is
    /// that of the sentence for people.
    ///
    /// # Errors
    /// If the device fails, or returns non-finite scores.
    pub(crate) fn log_probs(
        &self,
        translator: &Translator,
        options: &SearchOptions,
        name: &dyn Fn() -> String,
    ) -> Result<Vec<Vec<f32>>> {
        let model = translator.model();
        model.read_packed()?;
        let mut found = Vec::new();
        let scored = force_documents(
            model,
            translator.tokenizer(),
            &self.text,
            &self.candidates,
            options,
            &mut |forced| {
                found.push((forced.number, forced.log_probs));
                ControlFlow::Continue(())
            },
        );
        if let Err(InvalidScores { found, .. }) = scored {
            return Err(Error::Base(BaseError::InvalidScores {
                sentence: name(),
                found,
            }));
        }
        found.sort_by_key(|(number, _)| *number);
        let mut log_probs = vec![Vec::new(); self.num_scored];
        for (number, words) in found {
            log_probs[self.owners[&number]].extend(words);
        }
        Ok(log_probs)
    }
}
