//! Drafts: translations of a model, how sure it is of them, and updates.

use std::ops::Range;

use super::OpenDocument;
use crate::State;
use crate::history::Change;
use crate::target::Target;
use canopy_translate::inference::{Translation, unlike_in_mean};

impl OpenDocument {
    /// Sentences among `sentences` that a machine translation may replace; `again` includes drafts.
    pub fn translatable(&self, sentences: Range<usize>, again: bool) -> Vec<usize> {
        let wanted = |state: State| {
            if again {
                state.is_replaceable()
            } else {
                state == State::Untranslated
            }
        };
        sentences
            .filter(|&sentence| wanted(self.targets[sentence].state))
            .collect()
    }

    /// Stores a translation of this model, unless a person has worked on the sentence.
    pub fn receive(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(target) = self.targets.get(sentence) else {
            return false;
        };
        if !target.state.is_replaceable() {
            return false;
        }
        let confidence = translation.confidence().map(percent);
        let Translation {
            text,
            flags,
            num_tokens,
            ..
        } = translation;
        // What a memory has, or what holds no word, no model has written.
        let model = (num_tokens > 0).then(|| model.to_owned());
        self.replace(
            sentence,
            Target {
                text,
                state: State::Draft,
                flags,
                model,
                confidence,
            },
        );
        true
    }

    /// The mean confidence in its drafts, in percent, if the document is unlike what the model knows.
    #[expect(clippy::cast_precision_loss, reason = "of a document's sentences")]
    pub fn unlike(&self) -> Option<u8> {
        let (sum, count) = self.confidences;
        unlike_in_mean(sum as f32 / 100.0, count).map(percent)
    }

    /// Whether there are drafts that say how sure the model is.
    pub fn has_confidences(&self) -> bool {
        self.confidences.1 > 0
    }

    /// The draft in which the model has the least confidence, after the selected one in that order.
    pub fn next_least_sure(&self) -> Option<usize> {
        let key = |sentence: usize| Some((self.targets[sentence].draft_confidence()?, sentence));
        let drafts = || (0..self.num_sentences()).filter_map(key);
        let here = self.selected.and_then(key);
        let next = here.and_then(|here| drafts().filter(|draft| *draft > here).min());
        next.or_else(|| drafts().min())
            .map(|(_, sentence)| sentence)
    }

    /// Stores a translation of this model in place of a draft, as part of an update.
    pub fn update(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(before) = self.targets.get(sentence).cloned() else {
            return false;
        };
        self.changed.remove(&sentence);
        if before.text == translation.text || !self.receive(sentence, translation, model) {
            return false;
        }
        self.updated.push(Change {
            sentence,
            before,
            after: self.targets[sentence].clone(),
        });
        self.changed.insert(sentence);
        true
    }

    /// Makes one undo step of what an update, and no later edit, has changed; returns the number of sentences.
    pub fn finish_update(&mut self) -> usize {
        let mut changes = std::mem::take(&mut self.updated);
        changes.retain(|change| self.targets[change.sentence] == change.after);
        let count = changes.len();
        self.history.record(changes);
        count
    }

    /// Whether the last update gave it another translation, and it was not reviewed since.
    pub fn is_changed(&self, sentence: usize) -> bool {
        self.changed.contains(&sentence)
    }

    pub(super) fn add_confidence(&mut self, sentence: usize) {
        if let Some(percent) = self.targets[sentence].draft_confidence() {
            self.confidences.0 += usize::from(percent);
            self.confidences.1 += 1;
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "of a share"
)]
fn percent(share: f32) -> u8 {
    (share * 100.0).round() as u8
}
