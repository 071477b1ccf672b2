//! Views of the targets for the model, the checks and files.

use std::collections::BTreeMap;

use super::OpenDocument;
use crate::State;
use crate::target::Target;
use canopy_document::export::Provenance;
use canopy_qa::checks::Pair;

impl OpenDocument {
    /// Sentences with their translations, for the checks.
    pub fn pairs(&self) -> Vec<Pair> {
        let sentences = self.document.sentences.iter().zip(&self.targets);
        let pairs = sentences.map(|(sentence, target)| {
            let paragraph = &self.document.paragraphs[sentence.paragraph];
            Pair {
                source: sentence.text.clone(),
                target: target.text.clone(),
                // The limit is the paragraph's.
                max_chars: paragraph
                    .max_chars
                    .filter(|_| paragraph.sentences.len() == 1),
            }
        });
        pairs.collect()
    }

    /// Targets that a person has edited or confirmed, by sentence.
    pub fn fixed(&self) -> BTreeMap<usize, String> {
        let targets = self.targets.iter().enumerate();
        targets
            .filter(|(_, target)| !target.state.is_replaceable())
            .map(|(sentence, target)| (sentence, target.text.clone()))
            .collect()
    }

    /// Other sentences with the same source that a person has neither edited nor confirmed.
    pub fn identical_open(&self, sentence: usize) -> Vec<usize> {
        let text = &self.document.sentences[sentence].text;
        let is_same = |&other: &usize| {
            other != sentence
                && self.targets[other].state.is_replaceable()
                && self.document.sentences[other].text == *text
        };
        (0..self.num_sentences()).filter(is_same).collect()
    }

    /// Sentences with an untouched machine translation.
    pub fn drafts(&self) -> Vec<usize> {
        let sentences = 0..self.num_sentences();
        sentences
            .filter(|&sentence| self.targets[sentence].state == State::Draft)
            .collect()
    }

    /// Target texts for the saved document.
    pub fn target_texts(&self) -> Vec<Option<String>> {
        let text =
            |target: &Target| (target.state != State::Untranslated).then(|| target.text.clone());
        self.targets.iter().map(text).collect()
    }

    /// Where they come from, for the saved document.
    pub fn target_provenances(&self) -> Vec<Provenance> {
        let targets = self.targets.iter().zip(&self.histories);
        let provenances = targets.map(|(target, history)| Provenance {
            model: target.model.clone(),
            time: history.last().and_then(|version| version.time),
        });
        provenances.collect()
    }
}
