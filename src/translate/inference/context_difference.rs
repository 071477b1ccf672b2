//! Whether its context mattered to a sentence: the model translates it and scores its translation with the document,
//! without, and with the document shuffled.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::forced_documents::{ForcedDocuments, Untranslated};
use super::leave_one_out::{ChangedContext, ContextProbe};
use super::pipeline::{KnownTranslations, Step, TranslationRequest};
use super::tracing::TracedText;
use super::translation::Translation;
use super::translator::Translator;
use crate::error::Result;
use canopy_document::document::{Document, Paragraph};
use canopy_document::placeholder::visible;
use canopy_explain::{Condition, ContextDifference, WordDifference};
use canopy_nn::search::SearchOptions;

/// Seed of the shuffled order; fixed, so that the same question has the same answer.
const SEED: u64 = 1;

/// Natural logarithms of the probability of a sentence's translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContextGain {
    /// With its document.
    pub in_document: f32,
    /// By itself.
    pub alone: f32,
    /// Subwords of the translation and its end.
    pub tokens: usize,
}

/// A document and what stands for its sentences' translations.
struct Surrounding {
    document: Document,
    targets: Vec<Option<Translation>>,
    /// The selected sentence.
    sentence: usize,
}

impl Translator {
    /// The log-probabilities of all translations of a document, each in its document and by itself; none for a sentence
    /// that is not translated, or whose translation is longer than the model can write. The difference is the point-wise
    /// cross-mutual information of [`ContextDifference`].
    ///
    /// # Errors
    /// If the device fails.
    pub fn context_gains(
        &self,
        document: &Document,
        targets: &[Option<Translation>],
    ) -> Result<Vec<Option<ContextGain>>> {
        let count = document.sentences.len();
        let longest = self.description().model.max_tokens;
        let name = || document.name.clone();
        let options = SearchOptions::default();
        let mut whole = ForcedDocuments::default();
        whole.push_whole(&TracedText::new(self, document, targets)?, count, longest);
        let in_document = whole.log_probs(self, &options, &name)?;
        let mut alone = ForcedDocuments::default();
        let mut surrounding = Surrounding {
            document: document.clone(),
            targets: targets.to_vec(),
            sentence: 0,
        };
        for sentence in 0..count {
            surrounding.sentence = sentence;
            let one = surrounding.alone();
            let text = TracedText::new(self, &one.document, &one.targets)?;
            alone.push_whole(&text, 1, longest);
        }
        let alone = alone.log_probs(self, &options, &name)?;
        let gains = in_document.iter().zip(&alone).map(|(with, without)| {
            let is_whole = !with.is_empty() && with.len() == without.len();
            is_whole.then(|| ContextGain {
                in_document: with.iter().sum(),
                alone: without.iter().sum(),
                tokens: with.len(),
            })
        });
        Ok(gains.collect())
    }
}

impl ContextProbe<'_> {
    /// The effect of its context on the sentence and on its translation.
    ///
    /// # Errors
    /// If the device fails.
    pub fn difference(&self) -> Result<ContextDifference> {
        let (translator, options) = (self.translator, self.options);
        let ChangedContext {
            document,
            translations: targets,
            sentence,
        } = self.changed;
        let whole = Surrounding {
            document: document.clone(),
            targets: targets.to_vec(),
            sentence,
        };
        let document_window = [whole.alone(), whole.shuffled()];
        let points = &document.sentences[sentence].points;
        let mut written = Vec::new();
        let mut scores = Vec::new();
        for (condition, surrounding) in Condition::ALL
            .into_iter()
            .zip(std::iter::once(&whole).chain(&document_window))
        {
            let text = surrounding.written(translator, options)?;
            written.push((condition, visible(&text, points)));
            scores.push(surrounding.log_probs(translator, options)?);
        }
        let words = scores[0]
            .iter()
            .enumerate()
            .map(|(place, (label, log_prob))| {
                let other =
                    |condition: usize| scores[condition].get(place).map_or(*log_prob, |it| it.1);
                WordDifference {
                    label: label.clone(),
                    in_document: *log_prob,
                    alone: other(1),
                    shuffled: other(2),
                }
            });
        let text = targets[sentence]
            .as_ref()
            .map(|target| visible(&target.text, points));
        Ok(ContextDifference {
            model: translator.description().name.clone(),
            sentence,
            source: document.sentences[sentence].plain_text(),
            translation: text.unwrap_or_default(),
            words: words.collect(),
            written,
            selected: None,
        })
    }
}

impl Surrounding {
    /// The model's translation of the sentence.
    fn written(&self, translator: &Translator, options: &SearchOptions) -> Result<String> {
        let others = self.targets.iter().enumerate();
        let fixed: BTreeMap<usize, String> = others
            .filter(|(number, _)| *number != self.sentence)
            .filter_map(|(number, target)| Some((number, target.as_ref()?.text.clone())))
            .collect();
        let mut known = KnownTranslations::fixed(fixed);
        let mut text = String::new();
        let sentences = [self.sentence];
        let request = TranslationRequest::new(&self.document, &sentences, &mut known, options);
        translator.run(request, &mut |event| {
            if let Step::Translated { translation, .. } = event.step {
                text = translation.text;
            }
            ControlFlow::Continue(())
        })?;
        Ok(text)
    }

    /// Subwords of the sentence's translation, each with the natural logarithm of its probability after those before it.
    /// Nothing if nothing is translated.
    fn log_probs(
        &self,
        translator: &Translator,
        options: &SearchOptions,
    ) -> Result<Vec<(String, f32)>> {
        let text = TracedText::new(translator, &self.document, &self.targets)?;
        let mut documents = ForcedDocuments::default();
        documents.push(&text, self.sentence, Untranslated::Draft);
        let name = || self.document.sentence_name(self.sentence);
        let log_probs = documents.log_probs(translator, options, &name)?;
        let pieces = documents.pieces(0, translator.tokenizer()).into_iter();
        let labels = pieces.map(|piece| piece.trim_start_matches('▁').to_owned());
        Ok(labels.zip(log_probs.into_iter().flatten()).collect())
    }

    /// A document of this sentence alone.
    fn alone(&self) -> Self {
        let mut sentence = self.document.sentences[self.sentence].clone();
        let of = &self.document.paragraphs[sentence.paragraph];
        sentence.paragraph = 0;
        let mut document = Document::empty(&self.document.name, self.document.format);
        document.paragraphs = vec![Paragraph {
            section: 0,
            id: None,
            sentences: 0..1,
            ..of.clone()
        }];
        document.sentences = vec![sentence];
        Self {
            document,
            targets: vec![self.targets[self.sentence].clone()],
            sentence: 0,
        }
    }

    /// The texts of all other sentences in random order, with their translations.
    fn shuffled(&self) -> Self {
        let mut others: Vec<usize> = (0..self.targets.len()).collect();
        others.remove(self.sentence);
        let places = others.clone();
        others.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
        let (mut document, mut targets) = (self.document.clone(), self.targets.clone());
        for (place, other) in places.into_iter().zip(others) {
            let from = &self.document.sentences[other];
            document.sentences[place].text.clone_from(&from.text);
            document.sentences[place].points.clone_from(&from.points);
            targets[place].clone_from(&self.targets[other]);
        }
        Self {
            document,
            targets,
            sentence: self.sentence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::document::Format;

    #[test]
    fn shuffled_sentences_keep_their_code() {
        let lines = (0..9).map(|number| format!("Type `code{number}` here.\n\n"));
        let text = lines.collect::<Vec<_>>().concat();
        let document = Document::parse("page.md", Format::Markdown, text).expect("a page");
        let whole = Surrounding {
            targets: vec![None; document.sentences.len()],
            document,
            sentence: 4,
        };
        let shuffled = whole.shuffled().document.plain_texts();
        let before = whole.document.plain_texts();
        assert_eq!(shuffled[4], before[4]);
        assert_ne!(shuffled, before);
        let sorted = |mut texts: Vec<String>| {
            texts.sort();
            texts
        };
        assert_eq!(sorted(shuffled), sorted(before));
    }
}
