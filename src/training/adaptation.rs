//! Learning for one document: before it is translated, the weights learn from what was translated before and resembles
//! its sentences.
//!
//! Farajian et al., "Multi-Domain Neural Machine Translation through Unsupervised Adaptation", WMT 2017, adapt to each
//! sentence, the more the better its match is. Here a document is one whole, so that its sentences learn from each other's
//! matches and few updates are needed. The adapted weights are thrown away afterwards.

use std::collections::HashSet;
use std::ops::ControlFlow;

use burn::module::Module;

use super::batch::{Example, ExampleSet};
use super::optimizer::Adam;
use crate::inference::Translator;
use crate::kernels::DropoutSource;
use crate::memory::TranslationMemory;
use crate::model::Matches;
use crate::text::document::Document;
use crate::text::placeholder;
use crate::text::vocabulary::Vocabulary;

/// How a model learns for a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptation {
    /// Pairs of the memory for each sentence, at most.
    pub pairs: usize,
    /// How much they must resemble it, in `[0, 1]`.
    pub least: f32,
    /// Updates for a document that the memory has exactly; one that resembles it by s, on average over its words, gets s²
    /// times as many.
    pub updates: usize,
    pub learning_rate: f64,
    pub dropout: f32,
    pub label_smoothing: f32,
    pub clip_norm: f64,
    /// Target tokens of an update, at most.
    pub batch_tokens: usize,
}

impl Default for Adaptation {
    fn default() -> Self {
        Self {
            pairs: 5,
            least: 0.3,
            updates: 24,
            learning_rate: 3e-4,
            dropout: 0.1,
            label_smoothing: 0.1,
            clip_norm: 2.0,
            batch_tokens: 2_500,
        }
    }
}

impl Adaptation {
    /// A translator for a document; `step` is told updates done and to be done, and may break it off. None if the model
    /// does not learn from a memory, or nothing there resembles the document.
    pub fn to_document(
        &self,
        translator: &Translator,
        document: &Document,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        let sentences = document.sentences.iter();
        let shown: Vec<String> = sentences
            .map(|sentence| placeholder::stripped(&sentence.text))
            .collect();
        self.to_sentences(translator, &shown, step)
    }

    /// The same for the document of these sentences, as a reader sees them.
    pub fn to_sentences(
        &self,
        translator: &Translator,
        sentences: &[String],
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Translator> {
        let description = translator.description();
        let memory = description.memory.as_ref();
        let memory = memory.filter(|_| description.model.matches == Some(Matches::Learn))?;
        let limits = (translator.vocabulary(), description.model.max_tokens);
        let (examples, resemblance) = self.examples(memory, sentences, limits);
        let updates = self.updates_for(resemblance);
        let mut batches = Vec::new();
        for epoch in 0.. {
            let more = examples.sentence_batches(self.batch_tokens, 1, epoch);
            if more.is_empty() {
                return None;
            }
            batches.extend(more);
            if batches.len() >= updates {
                break;
            }
        }
        let mut model = translator.model().clone().train();
        let mut optimizer = Adam::default();
        for (number, runs) in batches.iter().take(updates).enumerate() {
            if step(number, updates).is_break() {
                return None;
            }
            let batch = examples.batch(runs);
            let dropout = DropoutSource::new(self.dropout, number as u64);
            let loss = model.loss(&batch, self.label_smoothing, &dropout);
            let mut gradients = loss.backward();
            let clip_norm = Some(self.clip_norm);
            (model, _) = optimizer.update(model, &mut gradients, self.learning_rate, clip_norm);
        }
        Some(translator.with_model(model.valid()))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "few updates, not negative"
    )]
    fn updates_for(&self, resemblance: f64) -> usize {
        let updates = self.updates as f64 * resemblance * resemblance;
        updates.round().max(1.0) as usize
    }

    /// What resembles the sentences, each pair once, and how much the best matches do on average over the words.
    #[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
    fn examples(
        &self,
        memory: &TranslationMemory,
        sentences: &[String],
        (vocabulary, max_tokens): (&Vocabulary, usize),
    ) -> (ExampleSet, f64) {
        let (mut set, mut known) = (ExampleSet::default(), HashSet::new());
        let (mut resembling, mut all) = (0.0, 0.0);
        for sentence in sentences {
            let similar = memory.similar(sentence, self.pairs, self.least);
            let words = sentence.split_whitespace().count() as f64;
            all += words;
            resembling += similar
                .first()
                .map_or(0.0, |best| words * f64::from(best.score));
            for found in similar {
                if !known.insert(found.source) {
                    continue;
                }
                let [source, target] =
                    [found.source, found.target].map(|text| vocabulary.encode(text));
                if source.len().max(target.len()) < max_tokens {
                    let number = set.examples.len();
                    set.documents.push(number..number + 1);
                    set.examples.push(Example {
                        source,
                        target,
                        place: (0, 0),
                        counts: true,
                    });
                }
            }
        }
        (set, resembling / f64::max(all, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::inference::{DeviceChoice, SearchOptions};
    use crate::text::document::Format;

    fn starter() -> Translator {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/help-en-de");
        Translator::open(&folder, DeviceChoice::Cpu).expect("the shipped model")
    }

    fn memory() -> TranslationMemory {
        let pairs = [
            ("Close the window.", "Schließen Sie das Guckloch."),
            ("Open a new window.", "Öffnen Sie ein neues Guckloch."),
            (
                "Resize the window.",
                "Passen Sie die Größe des Gucklochs an.",
            ),
            ("Click in the window.", "Klicken Sie in das Guckloch."),
        ];
        TranslationMemory::new(pairs.map(|(source, target)| (source.to_owned(), target.to_owned())))
    }

    fn document(text: &str) -> Document {
        Document::parse("page.txt", Format::Text, text.to_owned()).expect("a text")
    }

    fn translated(translator: &Translator, document: &Document) -> String {
        let mut text = String::new();
        let options = SearchOptions::default();
        let mut found = |_, translation: crate::inference::Translation| {
            text = translation.text;
            ControlFlow::Continue(())
        };
        translator
            .translate(document, &[0], &options, &mut found)
            .expect("it translates");
        text
    }

    #[test]
    fn a_model_takes_up_the_words_of_a_memory_for_one_document() {
        let (adaptation, page) = (Adaptation::default(), document("Move the window."));
        let mut go_on = |_, _| ControlFlow::Continue(());
        let mut translator = starter();
        let before = translated(&translator, &page);
        translator.remember(memory());
        assert!(
            adaptation
                .to_document(&translator, &page, &mut go_on)
                .is_none(),
            "nobody has said that it shall learn"
        );
        translator.learn_from_memory().expect("it can");
        let mut updates = Vec::new();
        let adapted = adaptation.to_document(&translator, &page, &mut |done, all| {
            updates.push((done, all));
            ControlFlow::Continue(())
        });
        let text = translated(&adapted.expect("the memory resembles it"), &page);
        assert!(text.contains("Guckloch"), "{text}");
        assert_eq!(
            updates.len(),
            14,
            "three of four words are there: 24 · 0.75²"
        );
        assert_eq!(translated(&translator, &page), before, "it has forgotten");
        let strange = document("Bananas grow quickly here");
        assert!(
            adaptation
                .to_document(&translator, &strange, &mut go_on)
                .is_none()
        );
        let mut stop = |_, _| ControlFlow::Break(());
        assert!(
            adaptation
                .to_document(&translator, &page, &mut stop)
                .is_none()
        );
    }
}
