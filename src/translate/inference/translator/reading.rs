//! Texts and documents as a model reads them.

use super::Translator;
use crate::inference::bert_sequences::bert_sequences;
use crate::inference::parts::parts;
use canopy_base::error::Result;
use canopy_corpus::DocumentUnits;
use canopy_document::document::Document;
use canopy_document::{cut_into_sentences, placeholder};
use canopy_nn::model::{BertSequence, ContextSentence};
use canopy_tokenize::Side;

impl Translator {
    /// The ids of a text, whose points show `points`, with what the model reads of its memory behind them.
    pub(in crate::inference) fn read_ids(&self, text: &str, points: &[String]) -> Vec<u32> {
        let mut ids = self.tokenizer.encode(Side::Source, text);
        let shown = placeholder::visible(text, points);
        let suffix = self
            .description
            .fuzzy_suffix(&shown, ids.len(), &*self.tokenizer);
        ids.extend(suffix);
        ids
    }

    /// Prepares what the model reads beside the units of a document: what BERT reads, with `contexts` or what is chosen in
    /// the document, and what stands in the model's memory.
    ///
    /// # Errors
    /// If BERT gives numbers that are none.
    pub fn add_auxiliary_inputs(
        &self,
        units: &mut DocumentUnits,
        contexts: Option<&[Option<String>]>,
    ) -> Result<()> {
        if self.description.memory.is_some() {
            let tokenizer = &*self.tokenizer;
            let fuzzy_suffix =
                units
                    .sources
                    .iter()
                    .zip(&units.shown)
                    .map(|((_, source), shown)| {
                        let own = tokenizer.encode(Side::Source, source).len();
                        self.description.fuzzy_suffix(shown, own, tokenizer)
                    });
            units.source_suffix = fuzzy_suffix.collect();
        }
        let sequences = match (self.model.bert(), contexts) {
            (Some(_), Some(contexts)) => {
                let pairs = units.shown.iter().zip(contexts);
                let sequence = |(text, context): (&String, &Option<String>)| {
                    self.description.bert_sequence(text, context.as_deref())
                };
                pairs.map(sequence).collect()
            }
            _ => bert_sequences(&self.model, &self.description, &units.shown)?,
        };
        let sequences = sequences.into_iter();
        units.pieces = sequences.map(|it| (it.ids, it.of_first)).collect();
        Ok(())
    }

    /// BERT's sequence of a sentence that stands in no document; None if the model reads no BERT.
    pub fn bert_sequence_alone(&self, text: &str) -> Option<BertSequence> {
        let (_, sentence) = self.model.bert()?;
        let context = (sentence == ContextSentence::Same).then_some(text);
        Some(self.description.bert_sequence(text, context))
    }

    /// BERT's sequences of every sentence of a document, of which one may be left out; none if the model reads no BERT.
    pub(in crate::inference) fn bert_sequences(
        &self,
        document: &Document,
        left_out: Option<usize>,
    ) -> Result<Vec<BertSequence>> {
        let mut texts = document.plain_texts();
        let Some(left_out) = left_out.filter(|_| self.model.bert().is_some()) else {
            return bert_sequences(&self.model, &self.description, &texts);
        };
        let own = texts.remove(left_out);
        let mut sequences = bert_sequences(&self.model, &self.description, &texts)?;
        let reads_previous = self
            .model
            .bert()
            .is_some_and(|(_, sentence)| sentence == ContextSentence::Previous);
        // The sentence after it does not read the one before it in its place.
        if let Some(next) = texts.get(left_out).filter(|_| reads_previous) {
            sequences[left_out] = self.description.bert_sequence(next, None);
        }
        sequences.insert(left_out, self.description.bert_sequence(&own, None));
        Ok(sequences)
    }

    /// From now on units that it is scored on and that hold several sentences are translated sentence by sentence, as those
    /// of a document are.
    pub fn cut_units(&mut self) {
        self.cuts_units = true;
    }

    /// A unit that it is scored on in parts that the model reads. It is not cut into sentences where its translation is
    /// known: nobody knows where to cut that.
    pub(in crate::inference) fn scored_parts<'t>(
        &self,
        text: &'t str,
        known: bool,
    ) -> Vec<&'t str> {
        let sentences = if self.cuts_units && !known {
            cut_into_sentences(text, &self.info.source_language)
        } else {
            vec![text]
        };
        sentences
            .into_iter()
            .flat_map(|it| self.parts(it))
            .collect()
    }

    /// A sentence in parts that the model reads.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let longest = self.description.model.max_tokens - 1;
        let longest = self.longest_part.map_or(longest, |part| part.min(longest));
        parts(text, longest, &|text| {
            self.tokenizer.encode(Side::Source, text.trim()).len()
        })
    }
}
